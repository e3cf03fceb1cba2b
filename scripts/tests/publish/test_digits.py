"""Numbers of any size, as readers see them."""

from __future__ import annotations

import pytest

from telar.words import digits


@pytest.mark.parametrize(
    ("value", "significant", "text"),
    [
        (0.0, 3, "0"),
        (0.00001234, 3, "0.0000123"),
        (0.7, 3, "0.7"),
        (11.0, 3, "11"),
        (999.6, 3, "1,000"),
        (1604.2, 3, "1,600"),
        (-41_963_123.0, 4, "-41,960,000"),
        (150.0, 2, "150"),
    ],
)
def test_they_have_so_many_digits_and_never_an_exponent(value: float, significant: int, text: str) -> None:
    assert digits(value, significant) == text

"""How counts and numbers are said."""

from decimal import Decimal


def many(count: int, what: str) -> str:
    """`1 run`, `2 runs`, `12,000 points`."""
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


def digits(value: float, significant: int = 3) -> str:
    """Rounded to so many significant digits, never with an exponent: `0.0123`, `12.3`, `12,300`."""
    return format(Decimal(f"{value:.{significant}g}"), ",f")

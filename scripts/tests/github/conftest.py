"""The checkout that tests of `telar …` have, for those of workflows, too."""

from ..cli.conftest import checkout, telar

__all__ = ["checkout", "telar"]

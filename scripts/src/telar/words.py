"""How counts are said."""


def many(count: int, what: str) -> str:
    """`1 run`, `2 runs`, `12,000 points`."""
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"

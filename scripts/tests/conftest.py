"""For all tests: none of them judges by time, which a busy machine decides."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("telar", deadline=None)
settings.load_profile("telar")

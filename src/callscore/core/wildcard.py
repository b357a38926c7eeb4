"""Patterns for names: `*` stands for anything, `?` for one character, `[a-z]` for one of several."""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["fits"]


def fits(pattern: str, name: str) -> bool:
    """Whether a whole name is as a pattern says; large and small letters are different."""
    return _compiled(pattern).match(name) is not None


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    from fnmatch import translate  # few need it, and what it makes of `*` never backtracks

    return re.compile(translate(pattern))

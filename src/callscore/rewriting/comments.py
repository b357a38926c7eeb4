"""The comment behind the first line of a call, which a call that takes its place keeps."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["with_comment"]

_TEXT = r'"(?:[^"\\]|\\.)*"|\'[^\']*\''
# What is written on a line, and the comment behind it.
_LINE = re.compile(rf"(?P<code>(?:{_TEXT}|[^'\"#]|(?<=\S)#)*?)(?P<comment>[ \t]+#.*)?")
# Where a text goes on on the next line, a mark in it may be no comment.
_LONG = re.compile(r"\"\"\"|'''|[|>][+-]?\d*\s*$", re.MULTILINE)


def with_comment(lines: Sequence[str], old: Sequence[str]) -> list[str]:
    """New lines, the first with the comment that stood behind the first of the old ones.

    That one is about the call as a whole; those behind its arguments go with them.

    Args:
        lines: the new lines, in YAML or TOML.
        old: the lines whose place they take.
    """
    if _LONG.search("\n".join(old)):
        return list(lines)
    first = next((line for line in old if not line.lstrip().startswith("#")), "")
    found = _LINE.fullmatch(first)
    comment = (found["comment"] or "") if found else ""
    head, *rest = lines
    return [head + comment, *rest]

"""Comments behind the lines of a call, which the lines that take their place keep."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["with_comments"]

_TEXT = r'"(?:[^"\\]|\\.)*"|\'[^\']*\''
# What is written on a line, and the comment behind it.
_LINE = re.compile(rf"(?P<code>(?:{_TEXT}|[^'\"#]|(?<=\S)#)*?)(?P<comment>[ \t]+#.*)?")
# What a line is about: a key, or the header of a table.
_ABOUT = re.compile(r"[\s-]*(\[\[.*?\]\]|[^\s:=.]+)")
# Where a text goes on on the next line, a mark in it may be no comment.
_LONG = re.compile(r"\"\"\"|'''|[|>][+-]?\d*\s*$", re.MULTILINE)


def with_comments(lines: Sequence[str], old: Sequence[str]) -> list[str]:
    """New lines, each with the comment that stood behind the old line about the same.

    Args:
        lines: the new lines, in YAML or TOML.
        old: the lines whose place they take.
    """
    if _LONG.search("\n".join(old)):
        return list(lines)
    comments: dict[str, str] = {}
    for line in old:
        found = _LINE.fullmatch(line)
        if found and found["comment"] and found["code"].strip():
            comments.setdefault(_about(line), found["comment"])
    # What stands behind the first line is about the call as a whole, however it begins.
    first = next((line for line in old if not line.lstrip().startswith("#")), "")
    of_first = comments.pop(_about(first), "")
    head, *rest = lines
    return [head + of_first, *[line + comments.pop(_about(line), "") for line in rest]]


def _about(line: str) -> str:
    found = _ABOUT.match(line)
    return found[1] if found else ""

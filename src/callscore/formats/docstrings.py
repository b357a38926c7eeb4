"""What the docstring of a function says: what it is for, and what each argument is."""

from __future__ import annotations

import re
from inspect import cleandoc

from msgspec import Struct

__all__ = ["Documentation", "documentation_of"]

_ARGUMENTS = frozenset(("args", "arguments", "parameters", "params", "keyword args"))
_SECTION = re.compile(
    r"(args|arguments|parameters|params|keyword args|returns?|raises|yields?|examples?|notes?|"
    r"warnings?|see also|references|attributes|todo):?\s*",
    re.IGNORECASE,
)
_UNDERLINE = re.compile(r"-{3,}\s*")
_FIELD = re.compile(r"\s*:(?:param|parameter|arg|argument)\s+(?:[^:]*\s)?\*{0,2}(\w+)\s*:\s*(.*)")
_OTHER_FIELD = re.compile(r"\s*:\w+[^:]*:")
# `city: the city`, `city (str): the city`, and, with an underlined heading, `city : str`.
_ENTRY = re.compile(r"\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)")


class Documentation(Struct, frozen=True):
    """The parts of a docstring.

    Attributes:
        description: what stands before all sections, None where nothing does.
        arguments: what is said of each argument, by its name.
    """

    description: str | None = None
    arguments: dict[str, str] = {}


def documentation_of(docstring: str | None) -> Documentation:
    """The parts of a docstring in the style of Google, of NumPy or of Sphinx."""
    lines = cleandoc(docstring or "").splitlines()
    end = next((at for at in range(len(lines)) if _begins_section(lines, at)), len(lines))
    description = "\n".join(lines[:end]).strip()
    return Documentation(description or None, {**_listed(lines), **_fields(lines)})


def _begins_section(lines: list[str], at: int) -> bool:
    return _heading(lines, at) is not None or _OTHER_FIELD.match(lines[at]) is not None


def _heading(lines: list[str], at: int) -> str | None:
    """The name of the section that a line is the heading of."""
    line = lines[at]
    is_underlined = at + 1 < len(lines) and _UNDERLINE.fullmatch(lines[at + 1]) is not None
    if _SECTION.fullmatch(line) is None or not (line.rstrip().endswith(":") or is_underlined):
        return None
    return line.strip().rstrip(":").lower()


def _listed(lines: list[str]) -> dict[str, str]:
    """What the section of the arguments says."""
    start = next((at for at in range(len(lines)) if _heading(lines, at) in _ARGUMENTS), None)
    if start is None:
        return {}
    is_underlined = (
        _UNDERLINE.fullmatch(lines[start + 1 : start + 2][0]) if lines[start + 1 :] else None
    )
    body = lines[start + (2 if is_underlined else 1) :]
    stop = next((at for at in range(len(body)) if _heading(body, at) is not None), len(body))
    return _entries(body[:stop], is_underlined=is_underlined is not None)


def _entries(lines: list[str], *, is_underlined: bool) -> dict[str, str]:
    margin = min((_indent(line) for line in lines if line.strip()), default=0)
    found: dict[str, list[str]] = {}
    name: str | None = None
    for line in lines:
        is_first = bool(line.strip()) and _indent(line) == margin
        entry = _ENTRY.match(line.strip()) if is_first else None
        if entry is not None:
            name = entry[1]
            found[name] = [] if is_underlined else [entry[2]]  # there the type stands in its place
        elif is_first:
            name = line.strip() if line.strip().isidentifier() else None
            found |= {name: []} if name is not None else {}
        elif name is not None:
            found[name].append(line.strip())
    return {name: " ".join(filter(None, parts)) for name, parts in found.items() if any(parts)}


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _fields(lines: list[str]) -> dict[str, str]:
    """What `:param city: the city` says."""
    found: dict[str, list[str]] = {}
    name: str | None = None
    for line in lines:
        field = _FIELD.match(line)
        if field is not None:
            name = field[1]
            found[name] = [field[2].strip()]
        elif _OTHER_FIELD.match(line) or not line.strip():
            name = None
        elif name is not None:
            found[name].append(line.strip())
    return {name: " ".join(filter(None, parts)) for name, parts in found.items() if any(parts)}

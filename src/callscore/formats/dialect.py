"""All dialects: the modules in `formats/dialects`, and entry points of other packages.

A dialect module has

- a docstring whose first line is its title,
- `ORDER`, its position among all dialects: lower ones are tried first, and the first match wins,
- `EXAMPLE`, a small document of its kind with at least one call, if the stack has calls at all,
- `recognizes(document) -> bool`, which checks a few keys, is fast and never raises,
- `read(document, options) -> list[Trace]`, the runs in the document, each call once;

and optionally

- `SIGNS`, what every document of it has, so that it is asked about few others,
- `read_tools(document) -> list[Tool]`, the definitions of the tools,
- `joins_lines(line) -> bool`, whether a file of such lines is one document: the list of them,
- `continues(before, document) -> bool`, whether a document repeats the one before it and goes on, so
  that only the last of them counts,
- `HAS_CALLS = False`, if the stack has no calls, so that nothing in a document is taken for one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from callscore.core.call import Tool
from callscore.core.rendering import mention
from callscore.errors import InvalidDialect, InvalidSettings
from callscore.formats.signs import SignIndex, Signs
from callscore.formats.trace import ReadOptions, Trace
from callscore.plugins import PluginKind

if TYPE_CHECKING:
    from types import ModuleType


class Dialect(Struct, frozen=True):
    """A dialect; the fields are described above."""

    name: str
    order: int
    title: str
    example: Any
    recognizes: Callable[[Any], bool]
    read: Callable[[Any, ReadOptions], list[Trace]]
    read_tools: Callable[[Any], list[Tool]]
    joins_lines: Callable[[Any], bool]
    signs: Signs | None = None
    continues: Callable[[Any, Any], bool] | None = None
    has_calls: bool = True

    def __reduce__(self) -> tuple[Any, ...]:
        return dialect_named, (
            self.name,
        )  # in another process, its functions are those of its module


def dialect_from_module(name: str, module: ModuleType) -> Dialect:
    """The dialect of a module; an error if it lacks something that every dialect has."""
    missing = [
        part for part in ("ORDER", "EXAMPLE", "recognizes", "read") if part not in vars(module)
    ]
    if missing or not module.__doc__:
        lack = ", ".join(missing) or "a docstring"
        raise InvalidDialect(f"the format {mention(name)} ({module.__name__}) lacks {lack}.")
    return Dialect(
        name=name,
        order=module.ORDER,
        title=module.__doc__.strip().partition("\n")[0].removesuffix("."),
        example=module.EXAMPLE,
        recognizes=module.recognizes,
        read=module.read,
        read_tools=getattr(module, "read_tools", lambda _: []),
        joins_lines=getattr(module, "joins_lines", lambda _: False),
        signs=getattr(module, "SIGNS", None),
        continues=getattr(module, "continues", None),
        has_calls=getattr(module, "HAS_CALLS", True),
    )


_DIALECTS = PluginKind("dialect", "callscore.formats.dialects", "callscore.formats", InvalidDialect)


@cache
def sign_index() -> SignIndex:
    """Every dialect, by what its documents have."""
    found = [dialect_from_module(plugin.name, plugin.module) for plugin in _DIALECTS.all()]
    return SignIndex(tuple(sorted(found, key=lambda dialect: (dialect.order, dialect.name))))


def dialects() -> tuple[Dialect, ...]:
    """Every dialect, in the order in which they are tried."""
    return sign_index().dialects


def dialect_named(name: str) -> Dialect:
    """The dialect of this name; an error that suggests others if there is none."""
    from difflib import get_close_matches

    if not isinstance(name, str):
        raise InvalidSettings(f"format: expected the name of a format, got {mention(name)}.")
    known = {dialect.name: dialect for dialect in dialects()}
    if name in known:
        return known[name]
    meant = [repr(each) for each in get_close_matches(name, known, n=3, cutoff=0.5)]
    choices = " or ".join([", ".join(meant[:-1]), meant[-1]]) if meant[1:] else "".join(meant)
    hint = f" Did you mean {choices}?" if meant else ""
    raise InvalidSettings(
        f"unknown format {mention(name)}.{hint} 'callscore formats' lists all formats."
    )

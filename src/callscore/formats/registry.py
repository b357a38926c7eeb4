"""All dialects there are: the modules in `formats/dialects`, and those that other packages bring."""

from __future__ import annotations

from functools import cache

from callscore.errors import InvalidDialect, InvalidSettings
from callscore.formats.dialect import Dialect, dialect_of
from callscore.plugins import PluginKind

__all__ = ["dialect_named", "dialects"]

_DIALECTS = PluginKind("dialect", "callscore.formats.dialects", "callscore.formats", InvalidDialect)


@cache
def dialects() -> tuple[Dialect, ...]:
    """Every dialect, in the order in which they are asked.

    Raises:
        InvalidDialect: one of another package cannot be used.
    """
    found = [dialect_of(plugin.name, plugin.module) for plugin in _DIALECTS.all()]
    return tuple(sorted(found, key=lambda dialect: (dialect.order, dialect.name)))


def dialect_named(name: str) -> Dialect:
    """The dialect of this name.

    Raises:
        InvalidSettings: there is none.
    """
    from difflib import get_close_matches

    known = {dialect.name: dialect for dialect in dialects()}
    if name in known:
        return known[name]
    meant = get_close_matches(name, known, n=3, cutoff=0.5)
    hint = f" Is one of these meant: {', '.join(meant)}?" if meant else ""
    raise InvalidSettings(f"there is no format {name!r}.{hint} `callscore formats` lists all.")

"""All dialects there are: the modules in `formats/dialects`, and those that other packages bring."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from callscore.errors import InvalidDialect, InvalidSettings
from callscore.formats.dialect import Dialect, dialect_of

__all__ = ["dialect_named", "dialects"]

_PACKAGE = "callscore.formats.dialects"
_ENTRY_POINTS = "callscore.formats"


@cache
def dialects() -> tuple[Dialect, ...]:
    """Every dialect, in the order in which they are asked.

    Raises:
        InvalidDialect: one of another package cannot be used.
    """
    found = [
        dialect_of(module.name, import_module(f"{_PACKAGE}.{module.name}"))
        for module in iter_modules(import_module(_PACKAGE).__path__)
    ]
    found += _from_other_packages()
    return tuple(sorted(found, key=lambda dialect: (dialect.order, dialect.name)))


def _from_other_packages() -> list[Dialect]:
    from importlib.metadata import entry_points

    found = []
    for point in entry_points(group=_ENTRY_POINTS):
        try:
            module = point.load()
        except Exception as error:  # whatever another package does wrong
            problem = f"the dialect {point.name} ({point.value}) cannot be imported: {error}."
            raise InvalidDialect(problem) from error
        found.append(dialect_of(point.name, module))
    return found


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

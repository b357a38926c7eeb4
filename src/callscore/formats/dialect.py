"""What a dialect is: one module that recognises a document and reads the calls in it.

A dialect module has

- a docstring whose first line is its title,
- `ORDER`, its place among all: the lower is asked first, and the first that recognises wins,
- `EXAMPLE`, a small document of its kind with at least one call,
- `recognises(document) -> bool`, quick and sure: it looks at a few keys and never raises,
- `read(document, wanted) -> list[Trace]`, the runs in the document, each call once;

and where it applies

- `read_tools(document) -> list[Tool]`, the definitions of the tools,
- `joins_lines(line) -> bool`, whether a file of such lines is one document: the list of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from callscore.core.tool import Tool
from callscore.errors import InvalidDialect
from callscore.formats.trace import Trace, Wanted

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["Dialect", "dialect_of"]


class Dialect(Struct, frozen=True):
    """A dialect that can be asked.

    Attributes:
        name: what it is called: `openai_chat`.
        order: its place among all.
        title: what it reads, in a line.
        example: a small document.
        recognises: whether a document is of its kind.
        read: the runs in a document.
        read_tools: the definitions of the tools in a document.
        joins_lines: whether a file of lines like this one is one document.
    """

    name: str
    order: int
    title: str
    example: Any
    recognises: Callable[[Any], bool]
    read: Callable[[Any, Wanted], list[Trace]]
    read_tools: Callable[[Any], list[Tool]]
    joins_lines: Callable[[Any], bool]


def dialect_of(name: str, module: ModuleType) -> Dialect:
    """The dialect that a module is.

    Raises:
        InvalidDialect: it lacks something that every dialect has.
    """
    missing = [
        part for part in ("ORDER", "EXAMPLE", "recognises", "read") if part not in vars(module)
    ]
    if missing or not module.__doc__:
        lack = ", ".join(missing) or "a docstring"
        raise InvalidDialect(f"the dialect {name} ({module.__name__}) lacks {lack}.")
    return Dialect(
        name=name,
        order=module.ORDER,
        title=module.__doc__.strip().partition("\n")[0].removesuffix("."),
        example=module.EXAMPLE,
        recognises=module.recognises,
        read=module.read,
        read_tools=getattr(module, "read_tools", _no_tools),
        joins_lines=getattr(module, "joins_lines", _not_joined),
    )


def _no_tools(_: Any) -> list[Tool]:
    return []


def _not_joined(_: Any) -> bool:
    return False

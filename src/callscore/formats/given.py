"""What people may pass as calls and as a trace, for editors and type checkers.

    def check(expected: callscore.Calls, response: callscore.TraceLike) -> None: ...

They describe what `score` reads. Anything that looks right and is not is still an error when it is read.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, ClassVar, Protocol, TypeAlias

from msgspec import Struct

from callscore.core.call import ToolCall
from callscore.core.case import Forbidden, Group, Times


class _Model(Protocol):
    """A model of pydantic: what most SDKs return."""

    @property
    def model_dump(self) -> Callable[..., Any]: ...


class _Dataclass(Protocol):
    """What other SDKs return."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


class _Readable(Protocol):
    """An object that is made to be read, such as a recording."""

    def __callscore_document__(self) -> Any: ...


_Call: TypeAlias = (
    ToolCall
    | Group
    | Times
    | Forbidden
    | str  # the name of a tool
    | tuple[str, Any]  # the name, and the arguments
    | list[Any]  # likewise, as in a case file
    | Mapping[str, Any]  # in any spelling, or a message
    | _Model
    | _Dataclass
)
# What mypy takes a list for that has several kinds of calls in it, if it is a variable.
_Mixed: TypeAlias = list[Struct] | list[Sequence[Any]] | list[Collection[Any]] | list[object]

# Calls: a list of calls, each a name, a pair of a name and arguments, an object, a `ToolCall`, or what a
# function of `expect` returns; or a document with calls in it: an object, JSON text, a file, a response.
Calls: TypeAlias = (
    Iterable[_Call]
    | _Mixed
    | Mapping[str, Any]
    | _Model
    | _Dataclass
    | _Readable
    | str
    | bytes
    | bytearray
    | PathLike[str]
)

# A trace: calls, or a response, messages, spans, a transcript of any stack. The objects of SDKs have no
# type in common, so that a type checker accepts every object here.
TraceLike: TypeAlias = object

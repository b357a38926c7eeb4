"""What both sides of a comparison are made of: argument objects of every kind, and calls as told."""

from __future__ import annotations

from json import dumps, loads  # noqa: TID251  (what users of these SDKs have their JSON from)
from typing import TYPE_CHECKING, Any, NamedTuple

from hypothesis import strategies as st

import callscore

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = [
    "ARGUMENTS",
    "CALLS",
    "NAMES",
    "SCHEMA",
    "Said",
    "dumps",
    "every_way",
    "loads",
    "pieces_of",
    "read",
    "said",
    "told",
    "tools",
]

# Half of a surrogate pair is no text: no SDK gets it through its own encoder.
_TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**80), 2**80)
    | st.floats(allow_nan=False, allow_infinity=False)
    | _TEXTS
)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3),
    max_leaves=8,
)
ARGUMENTS = st.dictionaries(_TEXTS, _VALUES, max_size=4)
# As providers allow them.
NAMES = st.from_regex(r"[a-zA-Z_][a-zA-Z0-9_-]{0,15}", fullmatch=True)
CALLS = st.lists(st.tuples(NAMES, ARGUMENTS), max_size=4)

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "description": "where"},
        "days": {"type": "array", "items": {"type": "integer"}},
    },
    "required": ["city"],
}


class Said(NamedTuple):
    """A call as somebody tells it.

    The arguments are told by their `repr`, so that 1, 1.0 and True stay apart, and keys in order.
    """

    name: str
    arguments: str
    id: str | None
    error: str | None = None


def said(name: str, arguments: Any, id: str | None = None) -> Said:  # noqa: A002  (as the field is called)
    """What an SDK says that a call is."""
    return Said(name, repr(arguments), id)


def told(calls: Iterable[callscore.ToolCall]) -> list[Said]:
    """What callscore says that calls are."""
    return [Said(call.name, repr(call.arguments), call.id, call.error) for call in calls]


def read(document: Any, **options: Any) -> list[Said]:
    """What callscore says that the calls in a document are."""
    return told(callscore.read_calls(document, **options))


def tools(document: Any) -> list[tuple[str, str | None, Any]]:
    """What callscore says that the tools are."""
    return [
        (tool.name, tool.description, tool.parameters) for tool in callscore.read_tools(document)
    ]


def every_way(model: Any) -> Iterator[Any]:
    """A live pydantic model, and what becomes of it in every way in which people store it."""
    yield model
    yield [model]
    yield model.model_dump()
    yield model.model_dump(mode="json", exclude_none=True)
    yield model.model_dump_json()
    yield model.model_dump_json(by_alias=True, exclude_unset=True).encode()


def pieces_of(text: str, sizes: list[int]) -> list[str]:
    """A text cut into pieces, as a stream brings it."""
    pieces = []
    for size in sizes:
        pieces.append(text[:size])
        text = text[size:]
    return [*pieces, text]

"""What is wrong with calls that a model sent, in the words of the schema that it was given."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from callscore.core.expectation import Forbidden, Group, Times
from callscore.core.matcher import Matcher
from callscore.errors import InvalidCall
from callscore.formats.expectations import GROUPS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from callscore.core.expectation import Expected

__all__ = ["in_words_of_the_schema", "refuse_judges"]

# What is said to people who write case files, and what a model is told.
_WORDS = {
    "a call needs a name, as in": "a call needs a tool, as in",
    '{"name": ..., "arguments": {...}}': '{"tool": ..., "args": {...}}',
    "Arguments go under `arguments`": "Arguments go under `args`",
    "leave `arguments` out": "leave `args` out",
}
_PLACE = re.compile(rf"((?:expected|actual)(?:\[\d+\]|\.(?:{'|'.join(GROUPS)}))*)\.arguments\b")
_JUDGE = "$judge"
_NO_JUDGE = (
    f"`{_JUDGE}` cannot be used here, where no model can be asked. Use $contains, $regex or $text"
)


@contextmanager
def in_words_of_the_schema() -> Iterator[None]:
    """Respell what is raised inside.

    Raises:
        InvalidCall: one was raised inside.
    """
    try:
        yield
    except InvalidCall as error:
        said = _PLACE.sub(r"\1.args", str(error), count=1)
        for words, others in _WORDS.items():
            said = said.replace(words, others)
        raise InvalidCall(said) from error


def refuse_judges(expected: Iterable[Expected]) -> None:
    """Refuse a rule for which a model has to be asked, whatever it would be compared with.

    Raises:
        InvalidCall: there is one.
    """
    for index, item in enumerate(expected):
        for place in _judges_in(item, f"expected[{index}]"):
            raise InvalidCall(f"{place}: {_NO_JUDGE}.")


def _judges_in(item: Expected, where: str) -> Iterator[str]:
    """The places of such rules."""
    if isinstance(item, Group):
        for index, member in enumerate(item.members):
            inner = "" if item.kind == "optional" else f"[{index}]"
            yield from _judges_in(member, f"{where}.{item.kind}{inner}")
    elif not isinstance(item, Forbidden):
        call = item.call if isinstance(item, Times) else item
        yield from _judges_at(call.arguments, f"{where}.args")


def _judges_at(value: Any, where: str) -> Iterator[str]:
    if isinstance(value, Matcher):
        if value.key == _JUDGE:
            yield where
        yield from _judges_at(value.value, f"{where}.{value.key}")
    elif isinstance(value, dict):
        for key, member in value.items():
            yield from _judges_at(member, f"{where}.{key}")
    elif isinstance(value, list | tuple):
        for index, member in enumerate(value):
            yield from _judges_at(member, f"{where}[{index}]")

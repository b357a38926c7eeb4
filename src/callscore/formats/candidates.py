"""The first answers of a document that offers several to the same question."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from msgspec import structs

from callscore.errors import InvalidSettings

if TYPE_CHECKING:
    from collections.abc import Callable

    from callscore.formats.trace import Wanted

__all__ = ["read_candidates", "require_one_wish"]

_Read = TypeVar("_Read")


def require_one_wish(wanted: Wanted, most: int) -> None:
    """Refuse to take the first answers and a certain one.

    Raises:
        InvalidSettings: both are asked for.
    """
    if most > 1 and wanted.candidate:
        raise InvalidSettings("top_k takes the first answers, candidate a certain one: keep one")


def read_candidates(read: Callable[[Wanted], _Read], wanted: Wanted, most: int) -> list[_Read]:
    """What reading a document gives for each of its first answers.

    Where a run has several questions, and one of them fewer answers than another, its first answer
    stands in for those that it lacks.

    Args:
        read: reads the document as is wanted.
        wanted: what else to take where there is a choice.
        most: how many answers to read at the most.

    Raises:
        InvalidSettings: a single answer is asked for as well.
    """
    require_one_wish(wanted, most)
    if most == 1:
        return [read(wanted)]
    counts = [1]
    asking = structs.replace(wanted, on_answers=counts.append)
    first = read(asking)
    further = range(1, min(most, max(counts)))
    return [first, *[read(structs.replace(asking, candidate=number)) for number in further]]

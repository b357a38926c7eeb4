"""One case of a run with all that was kept of it: what was asked, expected, answered, and scored."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from callscore.core.run import Result

__all__ = ["KeptCase"]


class KeptCase(Struct, frozen=True, kw_only=True):
    """A case of a run.

    Attributes:
        run: the run.
        evaluation: what the evaluation is called, with its variant.
        place: the file that it stands in.
        id: the id of the case.
        tags: its tags.
        input: what was asked.
        expected: what was expected, as a case file spells it; None where nothing was.
        metadata: what else was kept with it.
        at_least: the number from which a scorer is content.
        trials: what became of each trial, in order; each says which one it is.
    """

    run: str
    evaluation: str
    place: str = ""
    id: str
    tags: tuple[str, ...] = ()
    input: Any = None
    expected: list[Any] | None = None
    metadata: Any = None
    at_least: float = 1.0
    trials: tuple[Result, ...] = ()

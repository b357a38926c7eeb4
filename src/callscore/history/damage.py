"""The error that something saved cannot be read, or is not there."""

from __future__ import annotations

_ADVICE = (
    "Restore a copy of the history. Without a copy, export the other runs, which callscore history"
    " lists, move the history away, and import them: callscore export ID -o FILE, callscore import FILE"
)


class DamagedHistoryError(ValueError):
    """What was saved cannot be read, or is not there; the text has advice."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"{problem}. {_ADVICE}")

"""The history of the project, opened when it is needed and not before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from callscore.history.store import Store

__all__ = ["LateStore"]


class LateStore:
    """What a judge needs of a history; it is opened at his first question.

    Args:
        place: where the history is; None for that of the project.
    """

    def __init__(self, place: str | None = None) -> None:
        self._place = place
        self._store: Store | None = None

    def _opened(self) -> Store:
        if self._store is None:
            from callscore.history.opening import open_store

            self._store = open_store(self._place)
        return self._store

    def close(self) -> None:
        """Close it, if it was opened."""
        if self._store is not None:
            self._store.close()

    def judgement(self, key: str) -> Any | None:
        """The answer that is kept under a key; None where there is none."""
        return self._opened().judgement(key)

    def keep_judgement(self, key: str, model: str, answer: Any) -> None:
        """Keep an answer under a key."""
        self._opened().keep_judgement(key, model, answer)

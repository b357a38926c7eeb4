"""The test that is running: what its marker says, and whether its expectations are rewritten."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from callscore.rewriting.change import Change

__all__ = ["RunningTest", "Updates", "running", "running_test"]


class Updates:
    """What a test finds out about expectations that may be rewritten.

    Attributes:
        root: files outside of this folder are never written.
        changes: the expectations to rewrite.
        confirmed: the spots where what is expected is right.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.changes: list[Change] = []
        self.confirmed: list[str] = []


class RunningTest:
    """A test while it runs; pytest runs one at a time in a process.

    Attributes:
        label: what the test is called.
        defaults: what `assert_calls` takes for said, where a call of it does not say otherwise.
        updates: where expectations are to be rewritten; None where nobody asked for that.
    """

    def __init__(
        self,
        label: str = "",
        defaults: dict[str, Any] | None = None,
        updates: Updates | None = None,
    ) -> None:
        self.label = label
        self.defaults = defaults or {}
        self.updates = updates


_running: list[RunningTest] = []  # a test that runs pytest itself has another one inside


def running_test() -> RunningTest:
    """The test that runs; one without any wishes where none does."""
    return _running[-1] if _running else RunningTest()


@contextmanager
def running(test: RunningTest) -> Iterator[RunningTest]:
    """For as long as a test runs. Threads that it starts are in it, too."""
    _running.append(test)
    try:
        yield test
    finally:
        _running.remove(test)

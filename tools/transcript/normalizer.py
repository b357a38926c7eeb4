"""Replace in recorded text what cannot be the same in two recordings, and nothing else.

Times need no replacement: the clock of recorded commands stands still.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Normalizer"]

# No word boundary at the start: the `m` of a colour may stand there.
_RUN = re.compile(r"(?<!\d)\d{8}-\d{6}-[0-9a-z]{4}\b")
# Waiting is measured by the one clock that goes on, and subtracted from what stands still.
_WAITED = re.compile(r'(?P<name>seconds\\*": ?)-\d[\d.e-]*')
_ADDRESS = re.compile(r"\b0x[0-9a-f]{8,16}\b")
_PORT = re.compile(r"(?P<host>\b127\.0\.0\.1:)\d{5}\b")


class Normalizer:
    """Normalizes the texts of one job.

    Run ids are numbered in the order in which they appear, so that two runs stay two runs.

    Args:
        paths: texts that differ from one recording to the next, with what replaces them.
    """

    def __init__(self, paths: Mapping[str, str]) -> None:
        # Longest first: one path may begin with another.
        self._paths = sorted(paths.items(), key=lambda item: -len(item[0]))
        self._runs: dict[str, str] = {}

    @property
    def runs(self) -> list[str]:
        """The run ids seen so far, in order."""
        return list(self._runs)

    def note(self, text: str) -> None:
        """Give numbers to the run ids in a text."""
        for found in _RUN.finditer(text):
            self._runs.setdefault(found[0], f"<run-{len(self._runs) + 1}>")

    def __call__(self, text: str) -> str:
        """The text without what differs from one recording to the next."""
        self.note(text)
        for path, name in self._paths:
            text = text.replace(path, name)
        text = _RUN.sub(lambda found: self._runs[found[0]], text)
        text = _WAITED.sub(r"\g<name><waited>", text)
        text = _ADDRESS.sub("<address>", text)
        return _PORT.sub(r"\g<host><port>", text)

"""Replaces what differs between two recordings of the same source: paths, run ids, ports, addresses."""

from __future__ import annotations

import re
import zlib
from base64 import b64decode
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Normalizer"]

# No word boundary at the start: the `m` of a colour may stand there.
_RUN = re.compile(r"(?<!\d)\d{8}-\d{6}-[0-9a-z]{4}\b")
_MARKER = re.compile(r"(?<=\[hidden )[0-9a-f]{12}(?:\.[0-9a-f]{6})?")  # the key is random
_QUESTION = re.compile(r'(?<="question":")[0-9a-f]{32}(?=")')  # a digest of a port, among others
# The data of an HTML report, which is compressed with the ids of runs in it.
_PACKED = re.compile(r'(?<=<script type="application/octet-stream" id=)("[^"]*">)([\w+/=]+)')
_PLAIN = (
    # Waiting is measured by the one clock that goes on, and subtracted from what stands still.
    (re.compile(r'(seconds\\*": ?)-\d[\d.e-]*'), r"\1<waited>"),
    (re.compile(r"\b0x[0-9a-f]{8,16}\b"), "<address>"),
    (re.compile(r"(\b127\.0\.0\.1:)\d{4,5}\b"), r"\1<port>"),
)


class Normalizer:
    """Normalizes the texts of one job.

    Run ids are numbered in the order in which they appear, so that two runs stay two runs, and so
    are the markers of secrets and the digests of questions.

    Args:
        paths: texts that differ from one recording to the next, with what replaces them.
    """

    def __init__(self, paths: Mapping[str, str]) -> None:
        # Longest first: one path may begin with another.
        self._paths = sorted(paths.items(), key=lambda item: -len(item[0]))
        self._runs: dict[str, str] = {}
        self._markers: dict[str, str] = {}
        self._questions: dict[str, str] = {}

    @property
    def runs(self) -> list[str]:
        """The run ids seen so far, in order."""
        return list(self._runs)

    def __call__(self, text: str) -> str:
        """The text without what differs from one recording to the next."""
        text = _PACKED.sub(lambda found: found[1] + _unpacked(found[2]), text)
        for path, name in self._paths:
            text = text.replace(path, name)
        text = _RUN.sub(lambda found: _numbered(self._runs, found[0], "run"), text)
        text = _MARKER.sub(lambda found: _numbered(self._markers, found[0], "secret"), text)
        text = _QUESTION.sub(lambda found: _numbered(self._questions, found[0], "question"), text)
        for pattern, name in _PLAIN:
            text = pattern.sub(name, text)
        return text


def _numbered(known: dict[str, str], text: str, kind: str) -> str:
    return known.setdefault(text, f"<{kind}-{len(known) + 1}>")


def _unpacked(text: str) -> str:
    return zlib.decompress(b64decode(text), wbits=-zlib.MAX_WBITS).decode()

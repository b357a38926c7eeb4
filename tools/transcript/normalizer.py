"""Replaces what differs between two recordings of the same source: paths, run ids, ports, addresses."""

from __future__ import annotations

import re
import zlib
from base64 import b64decode
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Normalizer"]

# Random texts, and digests of them. Equal ones stay equal, and different ones different.
_NUMBERED = {
    # No word boundary at the start: the `m` of a colour may stand there.
    "run": re.compile(r"(?<!\d)\d{8}-\d{6}-[0-9a-z]{4}\b"),
    "question": re.compile(r'(?<="question":")[0-9a-f]{32}(?=")'),
    # With a hidden value in what they are of, they are random.
    "digest": re.compile(r'(?:(?<="expectation":")|(?<="asked":"))[0-9a-f]{32}(?=")'),
    "score": re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b"),
}
# The data of an HTML report, which is compressed with the ids of runs in it.
_PACKED = re.compile(r'(?<=<script type="application/octet-stream" id=)("[^"]*">)([\w+/=]+)')
_PLAIN = (
    # Waiting is measured by the one clock that goes on, and subtracted from what stands still.
    (re.compile(r'(seconds\\*": ?)-\d[\d.e-]*'), r"\1<waited>"),
    # How often progress is drawn depends on the load. It begins and ends with the cursor.
    (re.compile("\x1b\\[\\?25l.*?\x1b\\[\\?25h", re.DOTALL), "<progress>"),
    (re.compile(r"\b0x[0-9a-f]{8,16}\b"), "<address>"),
    (re.compile(r"(\b127\.0\.0\.1:)\d{4,5}\b"), r"\1<port>"),
)


class Normalizer:
    """Normalizes the texts of one job: ids are numbered in the order in which they appear.

    Args:
        paths: texts that differ from one recording to the next, with what replaces them.
    """

    def __init__(self, paths: Mapping[str, str]) -> None:
        # Longest first: one path may begin with another.
        self._paths = sorted(paths.items(), key=lambda item: -len(item[0]))
        self._known: dict[str, dict[str, str]] = {kind: {} for kind in _NUMBERED}

    @property
    def runs(self) -> list[str]:
        """The run ids seen so far, in order."""
        return list(self._known["run"])

    def __call__(self, text: str) -> str:
        """The text without what differs from one recording to the next."""
        text = _PACKED.sub(lambda found: found[1] + _unpacked(found[2]), text)
        for path, name in self._paths:
            text = text.replace(path, name)
        for kind, pattern in _NUMBERED.items():
            text = pattern.sub(partial(_number, kind, self._known[kind]), text)
        for pattern, name in _PLAIN:
            text = pattern.sub(name, text)
        return text


def _number(kind: str, known: dict[str, str], found: re.Match[str]) -> str:
    return known.setdefault(found[0], f"<{kind}-{len(known) + 1}>")


def _unpacked(text: str) -> str:
    return zlib.decompress(b64decode(text), wbits=-zlib.MAX_WBITS).decode()

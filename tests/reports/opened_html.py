"""Opens an HTML report as its script does: the document, the index, and the detail of each case."""

from __future__ import annotations

import re
import zlib
from base64 import b64decode
from typing import Any

import msgspec
from msgspec import Struct

__all__ = ["OpenedReport", "open_html"]


class OpenedReport(Struct):
    """What is in the file of a report."""

    document: dict[str, Any]
    index: dict[str, Any]
    cases: list[Any]

    def column(self, name: str) -> list[Any]:
        """A column of the index; positions in a dictionary are replaced by what they mean."""
        cells: list[Any] = self.index[name]
        names = {"tags": "tag_names", "tools": "tool_names", "problems": "problem_kinds"}.get(name)
        if names is None:
            return cells
        known = self.index[names]
        return [[known[place] for place in cell] for cell in cells]


def open_html(data: bytes) -> OpenedReport:
    """Open the file of a report."""
    chunks = [_unpacked(found) for found in re.findall(_element(rb"chunk-\d+"), data)]
    lines = [line for chunk in chunks for line in chunk.split(b"\n")]
    return OpenedReport(
        msgspec.json.decode(_only(rb"report", data)),
        msgspec.json.decode(_unpacked(_only(rb"index", data))),
        [msgspec.json.decode(line) for line in lines],
    )


def _element(name: bytes) -> bytes:
    return rb'<script type="application/[a-z-]+" id="' + name + rb'">(.*?)</script>'


def _only(name: bytes, data: bytes) -> bytes:
    [found] = re.findall(_element(name), data, re.DOTALL)
    return bytes(found)


def _unpacked(text: bytes) -> bytes:
    return zlib.decompress(b64decode(text), -15)

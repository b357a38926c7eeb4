"""Packs the cases of a report: an index in columns, and compressed chunks that are opened one by one.

A report on 100,000 cases opens at once, because only the index is unpacked. A case is in a chunk of some hundred
kilobytes, which the browser unpacks when the case is opened.
"""

from __future__ import annotations

import zlib
from base64 import b64encode
from collections.abc import Iterator
from tempfile import SpooledTemporaryFile
from typing import Any

import msgspec

from callscore.reports.html.case_view import STATUSES, IndexRow, Problem

_CHUNK = 1 << 18  # bytes of cases that are compressed together
_IN_MEMORY = 1 << 23  # bytes of chunks; more of them are in a file
_LEVEL = 6
_RAW_DEFLATE = -15

# What became of a case in a comparison, in the order of the list.
CHANGES = ("broken", "fixed", "changed", "same", "only_before", "only_after")
_POSITION_OF_CHANGE = {change: at for at, change in enumerate(CHANGES)}
_POSITION_OF_STATUS = {status: at for at, status in enumerate(STATUSES)}

Passed = tuple[int, int]  # how many trials passed, of how many

_encode = msgspec.json.Encoder().encode


class ChangedRow(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """What the list knows of a case in a comparison, beside its `IndexRow`."""

    change: str
    before: Passed | None = None
    after: Passed | None = None


_Line = tuple[IndexRow, ChangedRow | None]
_decode_line = msgspec.json.Decoder(_Line).decode


def packed_line(row: IndexRow, view: bytes, changed: ChangedRow | None = None) -> bytes:
    """A case on one line, until it is packed: what the index has of it, and its view as JSON."""
    try:
        known = _encode((row, changed))
    except UnicodeEncodeError:  # half of a surrogate pair
        from callscore.words.value_text import json_safe

        known = _encode(json_safe(msgspec.to_builtins((row, changed))))
    return b"%b\t%b\n" % (known, view)


def read_line(line: bytes) -> tuple[IndexRow, ChangedRow | None, bytes]:
    """What `packed_line` has written; JSON has no tab outside of a text, and none in it."""
    known, _, view = line.rstrip(b"\n").partition(b"\t")
    return (*_decode_line(known), view)


class _Names:
    """Names that occur again and again, each written once; cases have their positions."""

    def __init__(self) -> None:
        self._positions: dict[Any, int] = {}

    def at(self, names: tuple[Any, ...]) -> bytes:
        positions = self._positions
        found = [positions.setdefault(name, len(positions)) for name in names]
        return b"[%b]" % b",".join([b"%d" % place for place in found])

    @property
    def all(self) -> list[Any]:
        return [*self._positions]


class Packer:
    """Takes cases in order. Columns are kept as text, so that many cases take little memory."""

    def __init__(self) -> None:
        self.count = 0
        self.starts: list[int] = []
        self._columns: dict[str, bytearray] = {}
        self._used: set[str] = set()
        self._tags, self._tools, self._problems = _Names(), _Names(), _Names()
        self._chunk: list[bytes] = []
        self._chunk_size = 0
        self._spool = SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115  (closed by `close`)

    def add(self, row: IndexRow, view: bytes, changed: ChangedRow | None = None) -> None:
        """Take the next case; its view is JSON on one line."""
        self._add_columns(row, changed)
        if self._chunk and self._chunk_size + len(view) > _CHUNK:
            self._store_chunk()
        self._chunk.append(view)
        self._chunk_size += len(view) + 1
        self.count += 1

    def _add_columns(self, row: IndexRow, changed: ChangedRow | None) -> None:
        cells = {
            "id": _encode(row.id),
            "trial": _encode(row.trial),
            "evaluation": b"%d" % row.evaluation,
            "status": b"%d" % _POSITION_OF_STATUS[row.status],
            "score": b"null" if row.score is None else _encode(round(row.score, 6)),
            "tags": self._tags.at(row.tags),
            "tools": self._tools.at(row.tools),
            "problems": self._problems.at(row.problems),
            "about": _encode(row.about),
            "seconds": b"null" if row.seconds is None else _encode(round(row.seconds, 3)),
            "turn": _encode(row.turn),
        }
        if changed is not None:
            cells["change"] = b"%d" % _POSITION_OF_CHANGE[changed.change]
            cells["before"], cells["after"] = _encode(changed.before), _encode(changed.after)
        given = {
            "trial": row.trial is not None,
            "evaluation": bool(row.evaluation),
            "tags": bool(row.tags),
            "about": bool(row.about),
            "seconds": row.seconds is not None,
            "turn": row.turn is not None,
        }
        self._used.update(name for name, is_given in given.items() if is_given)
        for name, cell in cells.items():
            column = self._columns.setdefault(name, bytearray())
            if column:
                column += b","
            column += cell

    def _store_chunk(self) -> None:
        self.starts.append(self.count - len(self._chunk))
        self._spool.write(_packed(b"\n".join(self._chunk)) + b"\n")
        self._chunk.clear()
        self._chunk_size = 0

    def index(self) -> bytes:
        """The columns as JSON; an optional column that no case needs is null."""
        optional = {"trial", "evaluation", "tags", "about", "seconds", "turn"} - self._used
        names = [*IndexRow.__struct_fields__, *ChangedRow.__struct_fields__]
        columns = [
            b'"%b":%b'
            % (name.encode(), b"null" if name in optional else b"[%b]" % bytes(self._columns[name]))
            for name in names
            if name in self._columns
        ]
        if not columns:
            columns = [b'"%b":[]' % name.encode() for name in IndexRow.__struct_fields__]
        dictionaries = {
            "count": self.count,
            "tag_names": self._tags.all,
            "tool_names": self._tools.all,
            "problem_kinds": [_problem(problem) for problem in self._problems.all],
        }
        return b"{%b,%b" % (b",".join(columns), _encode(dictionaries)[1:])

    def packed_index(self) -> bytes:
        """The index as it is in the file."""
        if self._chunk:
            self._store_chunk()
        return _packed(self.index())

    def chunks(self) -> Iterator[bytes]:
        """The chunks as they are in the file, in order; after `packed_index`."""
        self._spool.seek(0)
        yield from map(bytes.rstrip, self._spool)

    def close(self) -> None:
        """Remove the temporary file."""
        self._spool.close()


def _problem(problem: Problem) -> dict[str, str | None]:
    fields = {
        "class": problem.kind,
        "tool": problem.tool,
        "argument": problem.argument,
        "called": problem.called,
        "kind": problem.detail,
        "title": problem.title,
    }
    return {name: value for name, value in fields.items() if value is not None or name == "tool"}


def _packed(text: bytes) -> bytes:
    compressor = zlib.compressobj(_LEVEL, zlib.DEFLATED, _RAW_DEFLATE)
    return b64encode(compressor.compress(text) + compressor.flush())

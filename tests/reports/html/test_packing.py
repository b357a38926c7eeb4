"""The index in columns, and the chunks that are opened one by one."""

from __future__ import annotations

import zlib
from base64 import b64decode
from contextlib import closing
from typing import Any

import msgspec

from callscore.reports.html.case_view import IndexRow, Problem
from callscore.reports.html.packing import ChangedRow, Packer, packed_line, read_line


def a_row(name: str = "a", **fields: Any) -> IndexRow:
    known = {
        "trial": None,
        "status": "failed",
        "score": 0.5,
        "tags": (),
        "tools": ("f",),
        "problems": (Problem("missed", "f"),),
    }
    return IndexRow(name, **{**known, **fields})


def unpacked(data: bytes) -> bytes:
    return zlib.decompress(b64decode(data), -15)


def packed(*rows: IndexRow) -> dict[str, Any]:
    with closing(Packer()) as packer:
        for row in rows:
            packer.add(row, b"{}")
        found: dict[str, Any] = msgspec.json.decode(packer.index())
    return found


def test_names_that_occur_again_are_written_once() -> None:
    index = packed(a_row(tags=("x",), tools=("f", "g")), a_row("b", tags=("y", "x"), tools=("g",)))

    assert (index["tag_names"], index["tags"]) == (["x", "y"], [[0], [1, 0]])
    assert (index["tool_names"], index["tools"]) == (["f", "g"], [[0, 1], [1]])
    assert index["problem_kinds"] == [{"class": "missed", "tool": "f"}]
    assert (index["count"], index["id"], index["status"]) == (2, ["a", "b"], [1, 1])


def test_columns_that_no_case_needs_are_null() -> None:
    index = packed(a_row())

    unused = ("trial", "evaluation", "tags", "about", "seconds")
    assert [index[name] for name in unused] == [None] * 5


def test_a_column_that_one_case_needs_has_all_cases() -> None:
    index = packed(a_row(), a_row("b", trial=3, about="Hi", evaluation=1, seconds=0.25))

    assert index["trial"] == [None, 3]
    assert (index["about"], index["evaluation"]) == (["", "Hi"], [0, 1])
    assert index["seconds"] == [None, 0.25]


def test_an_index_without_cases_has_empty_columns() -> None:
    index = packed()

    assert (index["count"], index["id"], index["problems"]) == (0, [], [])


def test_a_comparison_has_columns_of_its_own() -> None:
    with closing(Packer()) as packer:
        packer.add(a_row(), b"{}", ChangedRow("broken", (2, 2), (0, 2)))
        packer.add(a_row("b"), b"{}", ChangedRow("only_after", None, (1, 1)))
        index = msgspec.json.decode(packer.index())

    assert (index["change"], index["before"]) == ([0, 5], [[2, 2], None])
    assert index["after"] == [[0, 2], [1, 1]]


def test_each_case_is_a_line_of_the_chunk_that_its_position_names() -> None:
    views = [b'{"n":%d,"text":"%b"}' % (number, b"x" * 90_000) for number in range(10)]
    with closing(Packer()) as packer:
        for number, view in enumerate(views):
            packer.add(a_row(str(number)), view)
        packer.packed_index()
        chunks = [unpacked(chunk).split(b"\n") for chunk in packer.chunks()]

    assert [line for chunk in chunks for line in chunk] == views
    assert packer.starts == [0, 2, 4, 6, 8]
    assert [len(chunk) for chunk in chunks] == [2] * 5


def test_a_very_large_case_has_a_chunk_of_its_own() -> None:
    with closing(Packer()) as packer:
        for view in (b"1", b"2" * 1_000_000, b"3"):
            packer.add(a_row(), view)
        packer.packed_index()

        assert packer.starts == [0, 1, 2]


def test_a_line_is_read_back_as_it_was_written() -> None:
    row = a_row("tab\tnewline\n", trial="x", tags=("ü",), evaluation=2, seconds=1.0)
    changed = ChangedRow("fixed", (0, 1), (1, 1))

    line = packed_line(row, b'{"a":1}', changed)

    assert line.count(b"\n") == 1
    assert read_line(line) == (row, changed, b'{"a":1}')


def test_half_of_a_surrogate_pair_is_written_as_text() -> None:
    row, _, view = read_line(packed_line(a_row("half \ud800"), b"{}"))

    assert row.id.startswith("half ")
    assert view == b"{}"

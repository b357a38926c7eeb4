"""The file of traces: whole lines only, and no line of others is touched."""

from __future__ import annotations

import os
from errno import ENOSPC
from typing import TYPE_CHECKING

import pytest

from callscore.errors import InvalidSettings
from callscore.receiving import trace_file as trace_files
from callscore.receiving.journal import OutputMark
from callscore.receiving.trace_file import TraceFile, WrittenLine

if TYPE_CHECKING:
    from pathlib import Path

LINE = (
    b'{"id":"a","trace_id":"t%d","resourceSpans":[{"scopeSpans":[{"spans":[{"spanId":"AB"}]}]}]}\n'
)


def recovered(path: Path, *offsets: int) -> bool:
    file = TraceFile(path)
    try:
        return file.recover([OutputMark(path.stat().st_ino, offset) for offset in offsets])
    finally:
        file.close()


def test_lines_are_appended(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(b'{"a":1}\n')
    file = TraceFile(path)
    file.append([b"{}\n", b'{"b":2}\n'])

    assert path.read_bytes() == b'{"a":1}\n{}\n{"b":2}\n'
    assert file.mark() == OutputMark(path.stat().st_ino, 19)
    file.close()


def test_lines_that_cannot_be_written_leave_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.jsonl"
    file = TraceFile(path)
    file.append([b"{}\n"])

    def fail(_: int) -> None:
        raise OSError(ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        with pytest.raises(OSError, match="No space"):
            file.append([b'{"b":2}\n'])

    assert path.read_bytes() == b"{}\n"
    file.append([b'{"c":3}\n'])
    assert path.read_bytes() == b'{}\n{"c":3}\n'
    file.close()


def test_half_a_line_of_a_killed_receiver_is_cut_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trace_files, "_BLOCK", 4)
    path = tmp_path / "t.jsonl"
    path.write_bytes(b'{"a":1}\n{"id":"b","trace_id":"..')

    assert recovered(path, 8)
    assert path.read_bytes() == b'{"a":1}\n'


@pytest.mark.parametrize("offsets", [(), (20,)])
def test_half_a_line_of_somebody_else_is_refused(tmp_path: Path, offsets: tuple[int, ...]) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(b'{"a":1}\n{"b": "and so on')

    with pytest.raises(InvalidSettings, match="the last line is not a JSON object"):
        recovered(path, *offsets)

    assert path.read_bytes() == b'{"a":1}\n{"b": "and so on'


@pytest.mark.parametrize("content", [b"# Notes\n", b"1\n", b"[]\n", b"\xff\n"])
def test_another_kind_of_file_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.md"
    path.write_bytes(content)

    with pytest.raises(InvalidSettings, match=r"notes\.md: the last line is not a JSON object"):
        recovered(path)


@pytest.mark.parametrize(
    ("before", "after"),
    [(b"", b""), (b"{}\n", b"{}\n"), (b'{"a":1}', b'{"a":1}\n'), (b"{}\n\n", b"{}\n\n")],
)
def test_a_file_of_lines_is_continued(tmp_path: Path, before: bytes, after: bytes) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(before)

    if before.endswith(b"\n\n"):
        with pytest.raises(InvalidSettings, match="the last line"):
            recovered(path)
    else:
        assert recovered(path)
    assert path.read_bytes() == after


def test_a_file_that_was_replaced_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(b"{}\n")
    file = TraceFile(path)
    own = file.mark().file

    assert file.recover([OutputMark(own, 3)])
    assert not file.recover([OutputMark(own + 1, 0)])
    assert not file.recover([OutputMark(own, 4)])
    file.close()


def test_only_a_regular_file_can_be_written(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    for name, problem in (("pipe", "not a regular file"), (".", "directory"), ("no/t", "No such")):
        with pytest.raises(InvalidSettings, match=problem):
            TraceFile(tmp_path / name)


def test_the_spans_of_the_last_lines_are_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trace_files, "_REMEMBERED_BYTES", len(LINE % 0) + 30)
    path = tmp_path / "t.jsonl"
    path.write_bytes(b"".join(LINE % number for number in range(4)) + b'{"other": 1}\nnot JSON\n')
    file = TraceFile(path)
    own = file.mark().file

    def traces(*marks: OutputMark) -> list[str]:
        return [line.trace for line in file.written_since(marks)]

    assert traces() == ["t3"]
    assert traces(OutputMark(own, 0)) == ["t0", "t1", "t2", "t3"]
    assert traces(OutputMark(own, len(LINE % 0) * 2), OutputMark(own, 10_000)) == ["t2", "t3"]
    assert traces(OutputMark(own + 1, 10_000)) == ["t0", "t1", "t2", "t3"]
    assert next(file.written_since([])) == WrittenLine("t3", 1, ["ab"])
    file.close()

"""What was not read is noted by every process, in the order of the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from callscore.engines import workers
from callscore.engines.local import score_files
from callscore.errors import UnreadableInput
from callscore.formats.trace import ReadOptions

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.process

SPOILED = {"choices": [{"message": {"role": "assistant", "toolcalls": [{"id": "1"}]}}]}


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of many parts, with something that looks like calls in lines 8, 108, 208, …."""
    monkeypatch.setattr(workers, "_TASK_SIZE", 2_000)
    monkeypatch.setattr(workers, "_BYTES_BEFORE", 2_000)
    monkeypatch.setattr("callscore.sources.text_document._BLOCK_SIZE", 1_000)
    cases = [
        {"id": f"c{n}", "expected": ["f"], "actual": SPOILED if n % 100 == 7 else ["f"]}
        for n in range(400)
    ]
    path = tmp_path / "cases.jsonl"
    path.write_bytes(msgspec.json.Encoder().encode_lines(cases))
    return path


def test_several_processes_note_what_one_process_notes(file: Path) -> None:
    one, many = score_files(file), score_files(file, jobs=3)

    assert many.unread == one.unread
    assert one.unread.count == 4
    assert [name.split(": ")[0] for name in one.unread.names] == [
        f"{file}:{line}" for line in (8, 108, 208, 308)[: len(one.unread.names)]
    ]


def test_several_processes_refuse_what_one_process_refuses(file: Path) -> None:
    strict = ReadOptions(strict=True)

    with pytest.raises(UnreadableInput) as raised:
        score_files(file, jobs=3, read_options=strict)
    skipping = score_files(file, jobs=3, read_options=strict, skip_bad=True)

    assert raised.value.place == f"{file}:8"
    assert (skipping.skipped.count, skipping.summary.cases) == (4, 396)

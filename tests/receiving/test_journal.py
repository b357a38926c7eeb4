"""The journal: what is acknowledged is on the disk, and what is not is gone."""

from __future__ import annotations

import os
import shutil
from errno import ENOSPC
from typing import TYPE_CHECKING

import pytest

from callscore.errors import InvalidSettings
from callscore.receiving import journal as journals
from callscore.receiving.journal import Entry, Journal, OutputMark
from callscore.receiving.otlp import PROTOBUF

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.receiving.journal import Segment

MARK = OutputMark(7, 42)
WAIT = 300


def entry(number: int) -> Entry:
    return Entry(PROTOBUF, "gzip", b"body %d" % number)


def opened(folder: Path) -> Journal:
    return Journal(folder, lambda: MARK)


def appended(journal: Journal, *numbers: int) -> list[Segment]:
    waiting = [journal.append(entry(number)) for number in numbers]
    return [each.result(WAIT) for each in waiting]


def killed(journal: Journal, folder: Path) -> Path:
    """A copy of the folder as a killed process leaves it."""
    copy = folder.with_name(f"{folder.name}-left")
    shutil.copytree(folder, copy)
    journal.close()
    return copy


def left_in(folder: Path) -> list[Entry]:
    journal = opened(folder)
    found = [each for _, each in journal.read_left()]
    journal.close()
    return found


def test_requests_are_there_after_a_crash(tmp_path: Path) -> None:
    journal = opened(tmp_path / "j")
    appended(journal, 1, 2)
    appended(journal, 3)
    left = killed(journal, tmp_path / "j")

    again = opened(left)

    assert [segment.mark for segment in again.left] == [MARK]
    assert [each for _, each in again.read_left()] == [entry(1), entry(2), entry(3)]
    again.close()


@pytest.mark.parametrize("cut", [1, 5, 25])
def test_a_record_that_was_not_written_completely_ends_the_segment(
    tmp_path: Path, cut: int
) -> None:
    journal = opened(tmp_path / "j")
    appended(journal, 1, 2)
    left = killed(journal, tmp_path / "j")
    (file,) = left.glob("*.log")
    os.truncate(file, file.stat().st_size - cut)

    assert left_in(left) == [entry(1)]


def test_a_damaged_record_ends_the_segment(tmp_path: Path) -> None:
    journal = opened(tmp_path / "j")
    appended(journal, 1, 2)
    left = killed(journal, tmp_path / "j")
    (file,) = left.glob("*.log")
    file.write_bytes(file.read_bytes().replace(b"body 2", b"body 9"))

    assert left_in(left) == [entry(1)]


@pytest.mark.parametrize("content", [b"", b"something else\n", b"callscore journal 1\nnot JSON\n"])
def test_a_segment_without_a_beginning_is_empty(tmp_path: Path, content: bytes) -> None:
    folder = tmp_path / "j"
    folder.mkdir()
    (folder / "0000000001.log").write_bytes(content)

    assert left_in(folder) == []


def test_a_journal_has_one_owner(tmp_path: Path) -> None:
    journal = opened(tmp_path / "j")

    with pytest.raises(InvalidSettings, match="another receiver"):
        opened(tmp_path / "j")

    journal.close()
    opened(tmp_path / "j").close()


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "j").write_bytes(b"")

    with pytest.raises(InvalidSettings, match="cannot use the journal"):
        opened(tmp_path / "j")


def test_nothing_is_left_when_nothing_is_needed(tmp_path: Path) -> None:
    journal = opened(tmp_path / "j")
    for segment in appended(journal, 1, 2):
        journal.release(segment)

    journal.close()

    assert not (tmp_path / "j").exists()


def test_a_segment_is_deleted_when_nothing_needs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journals, "_SEGMENT_BYTES", 1)
    journal = opened(tmp_path / "j")
    first, second = appended(journal, 1)[0], appended(journal, 2)[0]
    journal.keep(first)  # by a trace
    journal.release(first)  # by the request

    before = journal.oldest, first.path.exists()

    journal.release(first)

    assert before == (first, True)
    assert (journal.oldest, first.path.exists()) == (None, False)
    assert (journal.size, second.path.exists()) == (second.size, True)
    journal.close()
    assert second.path.exists()  # its request is still needed


def test_what_cannot_be_written_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = opened(tmp_path / "j")
    (first,) = appended(journal, 1)

    def fail(_: int) -> None:
        raise OSError(ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        with pytest.raises(OSError, match="No space"):
            journal.append(entry(2)).result(WAIT)
    (third,) = appended(journal, 3)

    assert third is not first  # nothing is written after what could be damaged
    assert left_in(killed(journal, tmp_path / "j")) == [entry(1), entry(3)]


def test_a_segment_that_cannot_be_begun_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = opened(tmp_path / "j")

    def fail(*_: object) -> None:
        raise OSError(ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(journals, "_write_all", fail)
        with pytest.raises(OSError, match="No space"):
            journal.append(entry(1)).result(WAIT)
    appended(journal, 2)

    assert left_in(killed(journal, tmp_path / "j")) == [entry(2)]


def test_many_requests_share_a_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journals, "_MAX_BATCH_BYTES", 100)
    journal = opened(tmp_path / "j")

    appended(journal, *range(50))

    assert left_in(killed(journal, tmp_path / "j")) == [entry(number) for number in range(50)]


def test_a_closed_journal_takes_nothing(tmp_path: Path) -> None:
    journal = opened(tmp_path / "j")
    journal.close()

    with pytest.raises(OSError, match="closed"):
        journal.append(entry(1)).result(WAIT)


@pytest.mark.parametrize(
    ("mark", "found"),
    [
        (b'{"file":7,"offset":40}', OutputMark(7, 40)),
        (b'{"file":8,"offset":40}', None),  # of another file
        (b'{"file":7,"offset":43}', None),  # of a file that has become shorter
        (b"not JSON", None),
    ],
)
def test_a_session_of_the_same_output_is_continued(
    tmp_path: Path, mark: bytes, found: OutputMark | None
) -> None:
    folder = tmp_path / "j"
    folder.mkdir()
    (folder / "session").write_bytes(mark)
    journal = opened(folder)

    assert journal.begin_session() == found
    assert journal.begin_session() == (found or MARK)
    journal.end_session()
    journal.close()
    assert not folder.exists()


def test_a_session_that_cannot_be_noted_is_refused(tmp_path: Path) -> None:
    journal = opened(tmp_path / "j")
    (tmp_path / "j" / "session").mkdir()

    with pytest.raises(InvalidSettings, match="cannot use the journal"):
        journal.begin_session()
    journal.close()

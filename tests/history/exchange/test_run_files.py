"""Files of runs: whatever they are, they are read from their beginning, as often as one likes."""

from __future__ import annotations

import gzip
import io
from typing import TYPE_CHECKING

import pytest
from tests.history.made_up import a_result, a_run, an_evaluation

from callscore.errors import UnreadableInput
from callscore.history.exchange import run_files as files
from callscore.history.exchange.json_lines import Record, encode_line
from callscore.history.exchange.run_files import open_run_file, write_parquet_run

if TYPE_CHECKING:
    from pathlib import Path

RUN = a_run()
RECORDS: list[Record] = [RUN, an_evaluation(RUN.id), a_result(RUN.id)]
LINES = b"".join(map(encode_line, RECORDS))


def as_parquet() -> bytes:
    pytest.importorskip("pyarrow")
    file = io.BytesIO()
    write_parquet_run(file, RUN, [an_evaluation(RUN.id)], [a_result(RUN.id)])
    return file.getvalue()


@pytest.mark.parametrize("kind", ["lines", "gzip", "parquet", "zipped parquet"])
def test_a_file_is_read_twice_alike(kind: str, tmp_path: Path) -> None:
    content = as_parquet() if "parquet" in kind else LINES
    path = tmp_path / "run"
    path.write_bytes(gzip.compress(content) if "zip" in kind else content)

    with open_run_file(str(path)) as file:
        assert list(file.records()) == RECORDS
        assert list(file.records()) == RECORDS


def test_it_is_told_how_much_was_read(tmp_path: Path) -> None:
    (tmp_path / "run.jsonl").write_bytes(LINES)
    told: list[int] = []

    with open_run_file(str(tmp_path / "run.jsonl")) as file:
        list(file.records(told.append))

    assert sum(told) == len(LINES)


def test_a_line_without_an_end_is_not_read_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_MAX_LINE", len(LINES))
    (tmp_path / "bomb").write_bytes(gzip.compress(LINES + b" " * 10_000_000))

    with (
        open_run_file(str(tmp_path / "bomb")) as file,
        pytest.raises(UnreadableInput, match=r"bomb:4: the line is longer than"),
    ):
        list(file.records())


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with (
        pytest.raises(UnreadableInput, match="no such file"),
        open_run_file(str(tmp_path / "none")),
    ):
        pass


def test_a_table_of_results_is_no_run(tmp_path: Path) -> None:
    (tmp_path / "run.csv").write_text("run,case\n", encoding="utf-8")

    with (
        open_run_file(str(tmp_path / "run.csv")) as file,
        pytest.raises(UnreadableInput, match="CSV has only the results"),
    ):
        file.records()

"""The results name the format of each file of the input."""

from __future__ import annotations

import tarfile
from pathlib import Path
from typing import Any

import msgspec
import pytest

from callscore.cli.main import run_command
from callscore.core.results import InputFiles, Noted, Results
from callscore.engines import workers
from callscore.engines.local import score_cases, score_files, score_joined
from callscore.engines.sampling import score_sample
from callscore.errors import UnreadableInput

CALL = {"name": "f", "arguments": {"a": 1}}
CASE = {"id": "a", "expected": [CALL], "actual": [CALL]}
BLOCK = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"a": 1}}
ANTHROPIC = [{"role": "assistant", "content": [BLOCK]}]
FUNCTION = {"name": "f", "arguments": '{"a": 1}'}
OPENAI = [
    {"role": "assistant", "tool_calls": [{"id": "c", "type": "function", "function": FUNCTION}]}
]


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(path: Path, *values: Any) -> str:
    path.write_bytes(b"\n".join(map(msgspec.json.encode, values)) + b"\n")
    return path.name


def formats(results: Results) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    return [(each.formats, each.files.names) for each in results.inputs]


def test_a_case_file_is_named_with_the_formats_of_its_traces(tmp_path: Path) -> None:
    plain = write(tmp_path / "plain.jsonl", CASE)
    traces = write(tmp_path / "traces.jsonl", CASE, {**CASE, "actual": OPENAI})

    assert formats(score_files([plain, traces])) == [
        (("cases",), ("plain.jsonl",)),
        (("cases", "openai_chat"), ("traces.jsonl",)),
    ]


def test_files_in_the_same_format_are_counted(tmp_path: Path) -> None:
    names = [write(tmp_path / f"{number}.jsonl", CASE) for number in range(30)]

    (found,) = score_files(names).inputs

    assert (found.formats, found.files.count) == (("cases",), 30)
    assert found.files.names[:2] == ("0.jsonl", "1.jsonl")


def test_both_sides_of_joined_files_are_named(tmp_path: Path) -> None:
    references = write(tmp_path / "golden.jsonl", CALL)
    pairs = write(tmp_path / "pairs.json", [["f", {"a": 1}]])
    traces = write(tmp_path / "run.json", ANTHROPIC)

    assert formats(score_joined(references, traces)) == [
        (("generic",), ("golden.jsonl",)),
        (("anthropic",), ("run.json",)),
    ]
    assert formats(score_joined(pairs, traces))[0] == (("generic",), ("pairs.json",))


def test_the_traces_in_an_archive_are_those_of_the_archive(tmp_path: Path) -> None:
    references = write(tmp_path / "golden.jsonl", {"id": "a", "expected": [CALL]})
    write(tmp_path / "a.json", ANTHROPIC)
    with tarfile.open("runs.tar.gz", "w:gz") as archive:
        archive.add("a.json")

    found = score_joined(references, "runs.tar.gz", id_from="filename")

    assert formats(found)[1] == (("anthropic",), ("runs.tar.gz",))


@pytest.mark.process
def test_several_processes_find_the_formats_that_one_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "_TASK_SIZE", 2_000)
    monkeypatch.setattr(workers, "_BYTES_BEFORE", 2_000)
    monkeypatch.setattr("callscore.sources.text_document._BLOCK_SIZE", 1_000)
    cases = [{**CASE, "id": f"{number}"} for number in range(300)]
    path = write(tmp_path / "log.jsonl", *cases, {**CASE, "actual": OPENAI})

    found = score_files(path, jobs=2).inputs

    assert found == score_files(path).inputs
    assert found == (InputFiles(("cases", "openai_chat"), Noted(1, ("log.jsonl",))),)


@pytest.mark.parametrize("show", ["none", "all"])
def test_cases_that_are_not_decoded_one_by_one_are_cases(tmp_path: Path, show: Any) -> None:
    cases = [{**CASE, "id": f"{number}"} for number in range(1_000)]
    path = write(tmp_path / "log.jsonl", *cases)

    assert formats(score_files(path, show=show)) == [(("cases",), ("log.jsonl",))]
    assert formats(score_sample(path, n=3).results) == [(("cases",), ("log.jsonl",))]


def rows_report(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> Any:
    """What the report of a run with result rows says about its inputs."""
    written = ("--results", "rows.parquet", "--format", "json", "--output", "report.json")
    monkeypatch.setattr("sys.argv", ["callscore", "score", *arguments, *written])
    assert run_command() == 0
    return msgspec.json.decode(Path("report.json").read_bytes())["inputs"]


def test_a_run_with_rows_names_the_format_of_the_first_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    references = write(tmp_path / "golden.jsonl", {"id": "a", "expected": [CALL]})
    traces = write(tmp_path / "traces.jsonl", {"id": "a", "messages": OPENAI})

    assert rows_report(monkeypatch, "--expected", references, "--actual", traces) == [
        {"formats": ["cases"], "files": {"count": 1, "names": ["golden.jsonl"]}},
        {"formats": ["openai_chat"], "files": {"count": 1, "names": ["traces.jsonl"]}},
    ]


def test_a_large_document_is_not_read_twice_for_its_format(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("callscore.engines.inputs._SMALL_BYTES", 10)
    document = write(tmp_path / "cases.json", [CASE])
    lines = write(tmp_path / "cases.jsonl", CASE)

    assert rows_report(monkeypatch, document, lines) == [
        {"formats": ["cases"], "files": {"count": 1, "names": ["cases.jsonl"]}}
    ]


def test_the_results_of_an_error_name_what_was_read(tmp_path: Path) -> None:
    path = write(tmp_path / "cases.jsonl", CASE, {"id": "b", "expected": 7})

    with pytest.raises(UnreadableInput) as caught:
        score_files(path)

    assert caught.value.results is not None
    assert formats(caught.value.results) == [(("cases",), ("cases.jsonl",))]


def test_cases_in_memory_have_no_files() -> None:
    assert score_cases([CASE]).inputs == ()

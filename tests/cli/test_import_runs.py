"""What an imported file cannot do to a history: take a name, grow a finished run, be the latest run."""

from __future__ import annotations

from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from click import ClickException
from click.testing import CliRunner

from callscore.cli.exits import error_exit_code
from callscore.cli.program import cli
from callscore.errors import CallscoreError
from callscore.history.opening import open_store

if TYPE_CHECKING:
    from callscore.history.records import RunRecord


def command(*words: str) -> tuple[int, str]:
    """Run a command in this process; its exit code, and everything it printed."""
    result = CliRunner().invoke(cli, list(words), standalone_mode=False)
    error = result.exception
    if isinstance(error, CallscoreError | ClickException):
        return error_exit_code(error), f"{result.output}{error}"
    if error is not None and not isinstance(error, SystemExit):
        raise error
    return result.return_value or 0, result.output


@pytest.fixture
def exported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """A project with the run `one`, the baseline `main`; and the lines of an export of this run."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    cases = [{"id": name, "expected": ["f"], "actual": ["f"]} for name in "abc"]
    Path("c.jsonl").write_text(as_lines(cases), encoding="utf-8")
    command("score", "c.jsonl", "--save", "one")
    command("baseline", "set", "one", "--name", "main")
    command("export", "one", "-o", "one.jsonl")
    return [msgspec.json.decode(line) for line in Path("one.jsonl").read_text("utf-8").splitlines()]


def as_lines(records: list[dict[str, Any]]) -> str:
    return "".join(f"{msgspec.json.encode(each).decode()}\n" for each in records)


def write(lines: list[dict[str, Any]], **changed: Any) -> str:
    """Write the lines into a file, with other fields of the run; its name."""
    lines[0]["run"].update(changed)
    Path("x.jsonl").write_text(as_lines(lines), encoding="utf-8")
    return "x.jsonl"


def saved() -> list[RunRecord]:
    with open_store() as store:
        return store.runs()


def found(reference: str) -> str:
    with open_store() as store:
        return store.find(reference).id


@pytest.mark.parametrize(
    "name",
    [
        *(
            "main",
            "MAIN",
            "one",
            "latest",
            "latest~1",
            "previous",
            "HEAD",
            "origin/main",
            "02f0cce",
        ),
        *("20231115", "20231115-120000", "20231115-120000-abc", "20231115-120000-abcde"),
        *("20231115-120000-ABCD", "20231115-120000-abcd ", "20231115-120000-abcd:x", "c.jsonl"),
    ],
)
def test_a_name_is_no_id(exported: list[dict[str, Any]], name: str) -> None:
    before = found("main")

    for field in ("id", "parent"):
        fields = {"id": "20231115-120000-abcd", "started_at": 1.0, field: name}
        code, text = command("import", write(exported, **fields))

        assert code == 3
        assert f"x.jsonl:1: run: {field}: {name!r} is not the id of a run, such as 2" in text
    assert found("main") == before
    assert len(saved()) == 1


def test_the_id_of_another_run_is_replaced(exported: list[dict[str, Any]]) -> None:
    before = found("main")

    code, text = command("import", write(exported, started_at=1.0, name="other"))

    assert code == 0
    assert f"its id in the file is {before}, which is the id of another run here" in text
    assert found("main") == found("one") == before


def test_a_new_run_gets_no_name_of_a_baseline(exported: list[dict[str, Any]]) -> None:
    file = write(exported, id="20231115-120000-abcd", started_at=1.0, name="main")

    code, text = command("import", file)

    assert code == 2
    assert "'main' is the name of a baseline (run " in text
    assert len(saved()) == 1
    command("baseline", "remove", "main")
    assert command("import", file)[0] == 0
    command("baseline", "set", "one", "--name", "main")
    code, text = command("import", file)  # nothing is new
    assert (code, "already exists: 3 results in the file, 0 of them new" in text) == (0, True)
    assert found("main") == found("one")


def changed_result(lines: list[dict[str, Any]], **fields: Any) -> list[dict[str, Any]]:
    """The lines with another result, a copy of the last one with other fields."""
    last = lines[-2]["result"]
    return [*lines[:-1], {"result": {**last, **fields}}]


def test_a_finished_run_gets_nothing_new(exported: list[dict[str, Any]]) -> None:
    del exported[0]["has_end"]
    head, evaluation, *results, _ = exported
    (before,) = saved()
    later = results[0]["result"]["finished_at"] + 1
    number = {"evaluation": {**evaluation["evaluation"], "number": 1}}

    for lines in (
        changed_result(exported, case="d"),
        changed_result(exported, trial=2),
        changed_result(exported, finished_at=later, passed=False),
        [head, evaluation, number],
    ):
        code, text = command("import", write(lines))

        assert code == 3
        assert (
            f"run {before.id} is finished in this history, and the file has other results" in text
        )
    for lines in (exported[:-1], [head, evaluation, results[0]]):
        code, text = command("import", write(lines))

        assert code == 0
        assert f"run {before.id} (one) already exists: {len(lines) - 2} result" in text
    assert saved() == [before]
    with open_store() as store:
        assert [each.case for each in store.results(before.id)] == ["a", "b", "c"]


@pytest.mark.parametrize("seconds", [3600.0, 2e9])
def test_a_run_of_the_future_is_never_the_latest(
    exported: list[dict[str, Any]], seconds: float
) -> None:
    ahead = "20960101-000000-abcd"
    file = write(exported, id=ahead, started_at=time() + seconds, name="next")

    command("import", file, "--store", "other.db")
    alone = command("show", "--store", "other.db")
    command("import", file)
    now = command("score", "c.jsonl", "--save", "next", "--show", "none")

    assert alone[0] == 2
    assert alone[1].endswith(f"every run is dated in the future. Pass an id: {ahead}")
    assert now[0] == 0
    newest = found("latest")
    assert newest != ahead
    assert found("latest~1") == found("one")
    assert command("show", "latest~2") == (
        2,
        "unknown run 'latest~2'. There are 2 runs; the oldest is 'latest~1'",
    )
    assert found("next") == newest  # of two runs of a name, the other one is newer
    assert found(ahead) == ahead
    assert [run.id for run in saved()] == [newest, found("one"), ahead]


def test_a_run_of_a_clock_that_is_a_little_ahead_is_the_latest(
    exported: list[dict[str, Any]],
) -> None:
    command("import", write(exported, id="20960101-000000-abcd", started_at=time() + 1))

    assert found("latest") == "20960101-000000-abcd"

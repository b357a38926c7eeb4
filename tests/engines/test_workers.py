"""Several processes give what one process gives, in the same order."""

from __future__ import annotations

import os
import re
import signal
import sys
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from callscore.cli.main import run_command
from callscore.core.settings import Settings
from callscore.engines import workers
from callscore.engines.collector import Collector
from callscore.engines.local import score_files
from callscore.engines.workers import (
    Split,
    Workers,
    left_by_workers,
    mark_position,
    process_count,
)
from callscore.errors import UnreadableInput, WorkerEnded
from callscore.hiding.markers import MARKER
from callscore.sources import Lines

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from callscore.core.case import Case

pytestmark = pytest.mark.process


@pytest.fixture(autouse=True)
def small_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a small file has many parts."""
    monkeypatch.setattr(workers, "_TASK_SIZE", 2_000)
    monkeypatch.setattr(workers, "_BYTES_BEFORE", 2_000)
    monkeypatch.setattr("callscore.sources.text_document._BLOCK_SIZE", 1_000)


def batches(count: int) -> Iterator[Lines]:
    for number in range(count):
        yield Lines("file", number + 1, b"%1000d\n" % number, number * 1001)


def numbers_in(lines: list[Lines]) -> list[int]:
    return [int(each.data) for each in lines]


def test_results_are_in_the_order_of_the_input() -> None:
    started: Workers[int, tuple[int, int]] = Workers(lambda message: message, jobs=3)
    try:
        found = list(started.results(iter(range(50)), lambda task: (task, 7)))
    finally:
        started.close()

    assert [done.task for done in found] == list(range(50))
    assert all(done.result == (done.task, 7) for done in found)


def test_results_come_as_soon_as_they_are_there_unless_their_order_matters() -> None:
    waiting, let_go = os.pipe()

    def work(task: int) -> int:
        if task == 0:
            os.read(waiting, 1)
        return task

    started: Workers[int, int] = Workers(work, jobs=2)
    try:
        results = started.results(iter(range(6)), in_order=False)
        first = next(results).result
        os.write(let_go, b"x")
        rest = [done.result for done in results]
    finally:
        started.close()
        os.close(waiting)
        os.close(let_go)

    assert first == 1
    assert {*rest} == {0, 2, 3, 4, 5}


def test_what_cannot_be_done_or_sent_is_left_to_the_caller() -> None:
    def work(task: int) -> Any:
        if task == 2:
            raise ValueError(task)
        return (lambda: task) if task == 4 else task

    started: Workers[int, Any] = Workers(work, jobs=2)
    try:
        found = [done.result for done in started.results(iter(range(6)))]
    finally:
        started.close()

    assert found == [0, 1, None, 3, None, 5]


def end_process() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_killed_process_is_replaced_and_its_task_done_by_another(tmp_path: Path) -> None:
    def work(task: int) -> int:
        mark = tmp_path / str(task)
        if task % 3 == 0 and not mark.exists():
            mark.touch()
            end_process()
        return task

    started: Workers[int, int] = Workers(work, jobs=2)
    try:
        found = [done.result for done in started.results(iter(range(30)))]
    finally:
        started.close()

    assert found == list(range(30))
    assert started.deaths == 10


def test_a_task_that_ends_three_processes_is_lost_and_the_others_go_on(tmp_path: Path) -> None:
    def work(task: int) -> int:
        if task == 4:
            with (tmp_path / "deaths").open("a") as file:
                file.write("x")
            end_process()
        return task

    started: Workers[int, int] = Workers(work, jobs=2)
    try:
        found = list(started.results(iter(range(9))))
    finally:
        started.close()

    assert [done.task for done in found if done.is_lost] == [4]
    assert [done.result for done in found if not done.is_lost] == [0, 1, 2, 3, 5, 6, 7, 8]
    assert (tmp_path / "deaths").read_text() == "xxx"


def test_a_process_that_dies_between_two_tasks_is_replaced() -> None:
    started: Workers[int, int] = Workers(lambda task: task, jobs=1)
    tasks = iter(range(3))
    try:
        results = started.results(tasks)
        first = next(results)
        os.kill(started.pids[0], signal.SIGKILL)
        rest = [done.result for done in results]
    finally:
        started.close()

    assert (first.result, rest) == (0, [1, 2])


def test_a_task_has_no_part_in_the_end_of_a_process_that_did_not_work_on_it() -> None:
    started: Workers[int, int] = Workers(lambda task: task, jobs=1)
    try:
        results = started.results(iter(range(6)))
        found = []
        for done in results:
            found.append(done.result)
            for _ in range(2):  # the second time, there is another process
                os.kill(started.pids[0], signal.SIGKILL)
    finally:
        started.close()

    assert found == [*range(6)]


def test_what_was_done_before_all_was_left_to_the_caller_is_left_to_it_too(tmp_path: Path) -> None:
    def work(task: int) -> int:
        (tmp_path / str(task)).touch()
        while task == 0 and not (tmp_path / "2").exists():
            pass  # until the other process has done task 1
        return task

    started: Workers[int, int] = Workers(work, jobs=2)
    try:
        results = started.results(iter(range(6)))
        first = next(results)
        started.stop()
        rest = [*results]
    finally:
        started.close()

    assert first.result == 0
    assert [(done.task, done.result) for done in rest] == [(task, None) for task in range(1, 6)]


def test_without_a_way_to_lose_lines_it_is_an_error_that_says_what_to_do() -> None:
    split: Split[None] = Split(work=lambda *_: end_process(), add=lambda _: True, state=lambda: 0)

    with pytest.raises(WorkerEnded, match="--jobs 1"):
        list(left_by_workers(batches(10), split, jobs=2))


def test_lost_lines_are_counted_and_named_with_their_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line that ends its process does not cost the others, and the rest of the file is scored."""
    path = tmp_path / "cases.jsonl"
    lines = [
        msgspec.json.encode({"id": f"case {n}", "expected": [call("f", n=n)], "actual": []})
        for n in range(400)
    ]
    path.write_bytes(b"\n".join(lines) + b"\n")
    parent = os.getpid()
    take = Collector.take

    def deadly(self: Collector, case: Case, place: str = "") -> None:
        if case.id == "case 300" and os.getpid() != parent:
            end_process()
        take(self, case, place)

    monkeypatch.setattr(Collector, "take", deadly)

    found = score_files(path, settings=Settings(mode="flexible"), show="none", jobs=2)

    assert found.summary.cases + found.skipped.count == 400
    assert 0 < found.skipped.count < 60
    assert re.search(r"cases\.jsonl: bytes \d+ to \d+ ended 3 processes", found.skipped.names[0])


def test_from_the_lines_that_change_the_state_on_all_lines_are_left() -> None:
    state = [0]
    added: list[int] = []

    def work(lines: list[Lines], _: int) -> list[int]:
        state[0] |= 20 in numbers_in(lines)
        return numbers_in(lines)

    def add(result: list[int]) -> bool:
        added.extend(result)
        return True

    here = []
    split = Split(work=work, add=add, state=lambda: state[0])
    for batch in left_by_workers(batches(40), split, jobs=2):
        assert isinstance(batch, Lines)
        here.append(int(batch.data))
        work([batch], 0)

    assert sorted(here + added) == list(range(40))
    assert here == [0, 1, *range(20, 40)]


def call(name: str, **arguments: object) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def record(number: int) -> dict[str, Any]:  # noqa: C901  (a plain list of kinds)
    """A case; among many there is one of every kind."""
    expected: list[Any] = [call("search", q=f"q {number}"), call("book", seats=number % 5)]
    actual = [call("search", q=f"q {number}"), call("book", seats=number % 4)]
    found: dict[str, Any] = {"id": f"case {number}", "expected": expected, "actual": actual}
    match number % 23:
        case 3:
            found["id"] = "repeated"
        case 5:
            found["trial"] = number
            found["id"] = "with trials"
        case 7:
            expected[0]["arguments"]["q"] = {"$regex": "^q"}
        case 9:
            found["expected"] = [call("search", q="Zürich\u202e"), {"$forbid": "book"}]
        case 11:
            del found["actual"]
        case 13:
            del found["expected"]
        case 17:
            found["tags"] = ["slow", "::error::"]
            del found["id"]
        case 19:
            found["expected"] = []
    return found


BAD = b'{"id": "broken", "expected": [\n'
MESSAGE = {"role": "assistant", "tool_calls": [{"function": {"name": "search", "arguments": "{}"}}]}
FILES = {
    "plain": [record(number) for number in range(400) if number % 23 in {0, 1, 2, 4}],
    "all kinds": [record(number) for number in range(400)],
    "other records after many": [record(n) for n in range(200)]
    + [{"id": "m", **MESSAGE}]
    + [record(n) for n in range(200, 300)],
}
OPTIONS = [
    ("--format", "json"),
    ("--format", "jsonl"),
    ("--format", "junit"),
    ("--format", "markdown", "--show", "all", "--max-shown", "1000"),
    ("--format", "table", "--lang", "ru"),
    ("--format", "table", "--max-shown", "57"),
    ("--format", "json", "--max-shown", "57"),
    ("--format", "json", "--show", "none"),
    ("--format", "json", "--mode", "flexible", "--metric", "ragas.tool_call_f1"),
    ("--format", "jsonl", "--limit", "100"),
    ("--format", "json", "--map", "id=$.id", "--map", "expected=$.expected", "--show", "none"),
]


# A trace in each line, some of another format, and some that no format has.
TRACES = [
    {
        "id": f"t{n}",
        "choices": [{"message": {**MESSAGE, "content": "x" * (n % 9)}}],
        "object": "chat.completion",
    }
    if n % 40 < 39
    else {"id": f"t{n}", "actual": [call("book", seats=n)], "tools": []}
    for n in range(300)
]
TRACES[150] = {"what": "is this"}
COMMANDS = [
    ("check", "--format", "json"),
    ("check", "--format", "jsonl"),
    ("check", "--format", "table", "--max-shown", "57"),
    ("check", "--format", "markdown"),
    ("check", "--format", "json", "--limit", "30"),
    ("extract",),
    ("extract", "--definitions"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("name", ["traces", "all kinds", "plain"])
def test_other_commands_give_the_same_bytes(
    name: str,
    command: tuple[str, ...],
    tmp_path: Path,
    capfdbinary: pytest.CaptureFixture[bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = write(tmp_path / "traces.jsonl", {**FILES, "traces": TRACES}[name])
    found = []
    for jobs in ("1", "2"):
        arguments = ["callscore", *command, path, "--skip-bad", "--jobs", jobs]
        monkeypatch.setattr(sys, "argv", arguments)
        code = run_command()
        output, notes = capfdbinary.readouterr()
        kept = [line for line in notes.splitlines() if b"--jobs has no effect" not in line]
        found.append((code, output, kept))

    assert found[0] == found[1]
    assert any(found[0][1:])


def write(path: Path, records: list[dict[str, Any]]) -> str:
    lines = [msgspec.json.encode(each) + b"\n" for each in records]
    lines.insert(len(lines) // 2, BAD)
    path.write_bytes(b"".join(lines))
    return str(path)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_the_output_is_the_same_to_the_byte(
    name: str,
    options: tuple[str, ...],
    tmp_path: Path,
    capfdbinary: pytest.CaptureFixture[bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = write(tmp_path / "cases.jsonl", FILES[name])
    found = []
    for jobs in ("1", "2"):
        arguments = ["callscore", "score", path, "--skip-bad", *options, "--jobs", jobs]
        monkeypatch.setattr(sys, "argv", arguments)
        code = run_command()
        output, notes = capfdbinary.readouterr()
        kept = [line for line in notes.splitlines() if b"--jobs has no effect" not in line]
        found.append((code, output, kept))

    assert found[0] == found[1]
    assert found[0][1]


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        (("score", "--limit", "9"), "--limit"),
        (("check", "--limit", "9"), "--limit"),
        (("extract", "--definitions"), "--definitions"),
    ],
)
def test_a_note_says_that_one_process_does_the_work(
    arguments: tuple[str, ...],
    option: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = write(tmp_path / "cases.jsonl", FILES["plain"])
    monkeypatch.setattr(sys, "argv", ["callscore", *arguments, path, "--skip-bad", "-j", "2"])

    run_command()

    assert f"callscore: --jobs has no effect with {option}\n" in capsys.readouterr().err


def test_there_are_not_more_processes_than_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 8)

    assert [process_count(jobs) for jobs in (1, 2, 100_000)] == [1, 2, 8]


def test_an_unreadable_record_stops_the_report_at_the_same_place(tmp_path: Path) -> None:
    path = write(tmp_path / "cases.jsonl", FILES["all kinds"])
    found = []
    for jobs in (1, 2):
        with pytest.raises(UnreadableInput) as raised:
            score_files(path, jobs=jobs, show="all", max_shown=None)
        assert raised.value.results is not None
        found.append((str(raised.value), raised.value.results.to_dict()))

    assert found[0] == found[1]


def test_secrets_have_the_same_marker_in_every_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setenv("EXAMPLE_API_KEY", "sk-1234567890-abcdefgh")
    records = [
        {"id": f"{n}", "expected": [], "actual": [call("f", key="sk-1234567890-abcdefgh")]}
        for n in range(200)
    ]
    path = write(tmp_path / "cases.jsonl", records)
    monkeypatch.setattr(
        sys, "argv", ["callscore", "score", path, "--skip-bad", "--format", "json", "-j", "3"]
    )

    run_command()

    output = capfdbinary.readouterr().out.decode()
    assert "sk-1234567890" not in output
    assert len(set(MARKER.findall(output))) == 1


def test_processes_that_are_killed_anywhere_do_not_lose_their_task(tmp_path: Path) -> None:
    """A task is lost only if its processes end at the same position."""

    def work(task: int) -> int:
        mark = tmp_path / str(task)
        for position in range(10):
            mark_position(position)
            if task == 2 and position == len(mark.read_bytes() if mark.exists() else b""):
                with mark.open("ab") as file:
                    file.write(b"x")
                end_process()
        return task

    started: Workers[int, int] = Workers(work, jobs=2)
    try:
        found = list(started.results(iter(range(5))))
    finally:
        started.close()

    assert [done.result for done in found] == [0, 1, 2, 3, 4]
    assert started.deaths == 10


def test_a_task_whose_processes_end_everywhere_is_lost_in_the_end(tmp_path: Path) -> None:
    def work(task: int) -> int:
        if task == 1:
            with (tmp_path / "deaths").open("a") as file:
                mark_position(file.tell())
                file.write("x")
            end_process()
        return task

    started: Workers[int, int] = Workers(work, jobs=2)
    try:
        found = list(started.results(iter(range(3))))
    finally:
        started.close()

    assert [done.is_lost for done in found] == [False, True, False]
    assert (tmp_path / "deaths").stat().st_size == workers._MOST_TRIES


def test_where_processes_cannot_be_forked_all_is_left_to_the_caller(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(os, "fork")

    started: Workers[int, int] = Workers(lambda task: task, process_count(4))

    assert [done.result for done in started.results(iter(range(3)))] == [None, None, None]
    assert started.pids == []

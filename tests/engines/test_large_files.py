"""Large files: the same results in any number of processes, whatever happens to the processes."""

from __future__ import annotations

import csv
import gzip
import io
import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet
from tests.commands import run
from tests.engines.row_cases import RECORDS, row_table

from callscore import Settings, score_files, score_joined
from callscore.engines import inputs, local_rows, pool, results_of, splits
from callscore.engines.batches import RowScorer
from callscore.engines.collector import Collector

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

pytestmark = pytest.mark.process

STOPS = int(os.environ.get("CALLSCORE_STOPS", "6"))  # of whole runs
NOTES = ("not_scored", "not_run", "without_reference", "skipped")


@pytest.fixture(autouse=True, scope="module")
def small_parts() -> Iterator[None]:
    """So that a small file has many parts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(splits, "SPLIT_SIZE", 2_000)
        patch.setattr(splits, "_BLOCK_SIZE", 700)
        patch.setattr(pool, "_TASK_SIZE", 2_000)
        patch.setattr(pool, "_BYTES_BEFORE", 2_000)
        patch.setattr("callscore.sources.text_document._BLOCK_SIZE", 1_000)
        yield


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def record(number: int) -> dict[str, Any]:
    """A case; every seventh fails, and every eleventh has no answer."""
    found: dict[str, Any] = {
        "id": f"case {number}",
        "expected": [call("search", q=f"q {number}"), call("book", seats=number % 7)],
        "actual": [call("search", q=f"q {number}"), call("book", seats=number % 7 or 9)],
    }
    if number % 11 == 3:
        del found["actual"]
    return found


MANY = [record(number) for number in range(100)]


def lines_of(records: Sequence[Any]) -> bytes:
    return msgspec.json.Encoder().encode_lines(records)


def write(path: Path, records: Sequence[Any]) -> Path:
    path.write_bytes(lines_of(records))
    return path


def rows_of(*arguments: object, results: Path) -> Any:
    """The rows that a command writes."""
    assert run("score", *arguments, "--results", results) == 0
    return parquet.read_table(results)


# --- what is printed ------------------------------------------------------------------------------

MESSAGE = {"role": "assistant", "tool_calls": [{"function": {"name": "search", "arguments": "{}"}}]}
SPOILED = {"choices": [{"message": {"role": "assistant", "toolcalls": [{"id": "1"}]}}]}
ALL_KINDS = [
    *MANY,
    {"id": "repeated", "expected": [], "actual": []},
    {"id": "repeated", "expected": [], "actual": []},
    {"id": "m", **MESSAGE},
    {"id": "trials", "trial": 1, "expected": ["f"], "actual": ["f"], "tags": ["::error::"]},
    {"id": "trials", "trial": 2, "expected": [{"$forbid": "f"}], "actual": ["f"]},
    {"id": "rule", "expected": [call("f", q={"$regex": "^q"})], "actual": [call("f", q="q\u202e")]},
    {"expected": ["f"], "actual": []},
    {"id": "spoiled", "expected": ["f"], "actual": SPOILED},
    {"id": "without", "actual": ["f"]},
    *MANY,
]
COMMANDS = [
    "score --format json",
    "score --format jsonl --show all --max-shown 57",
    "score --format junit",
    "score --format markdown --show none",
    "score --format table --lang ru --max-shown 57",
    "score --format json --mode flexible --metric ragas.tool_call_f1",
    "score --format jsonl --limit 100",
    "check --format json",
    "check --format table --max-shown 57",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_several_processes_print_what_one_prints(
    command: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = write(tmp_path / "cases.jsonl", ALL_KINDS)
    path.write_bytes(path.read_bytes() + b'{"id": "broken", "expected": [\n')
    found = []
    for jobs in (1, 2):
        code = run(*command.split(), path, "--skip-bad", "--jobs", jobs)
        output, notes = capfdbinary.readouterr()
        kept = [line for line in notes.splitlines() if b"--jobs has no effect" not in line]
        found.append((code, output, kept))

    assert found[0] == found[1]
    assert found[0][1]


@pytest.mark.slow
@pytest.mark.parametrize("command", [*COMMANDS[:5], COMMANDS[-1], "check --format html", "extract"])
def test_processes_that_are_not_copies_print_the_same(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    """As on systems where copies of a process are not safe: what a process needs is sent to it."""
    path = write(tmp_path / "cases.jsonl", ALL_KINDS)
    code = run(*command.split(), path)
    output, notes = capfdbinary.readouterr()
    monkeypatch.setattr(pool, "START_METHOD", "spawn")
    taken = []
    results = pool.Pool.results

    def noting(self: Any, *arguments: Any, **options: Any) -> Any:
        for done in results(self, *arguments, **options):
            taken.append(done.result is not None)
            yield done

    monkeypatch.setattr(pool.Pool, "results", noting)

    assert run(*command.split(), path, "--jobs", 2) == code
    assert capfdbinary.readouterr() == (output, notes)
    assert any(taken)


def test_several_processes_stop_where_one_stops(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path / "cases.jsonl", [*MANY, {"id": "bad", "expected": 7}, *MANY])
    found = [(run("score", path, "--jobs", jobs), capsys.readouterr()) for jobs in (1, 2, 3)]

    assert found[0] == found[1] == found[2]
    assert f"{path}:101: expected: must be a list of calls" in found[0][1].err


def test_a_secret_has_one_marker_in_every_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("EXAMPLE_API_KEY", "sk-1234567890-abcdefgh")
    made = [call("f", key="sk-1234567890-abcdefgh")]
    path = write(
        tmp_path / "c.jsonl", [{"id": f"{n}", "expected": [], "actual": made} for n in range(200)]
    )

    run("score", path, "--json", "--jobs", 3)

    output = capsys.readouterr().out
    assert "sk-1234567890" not in output
    assert len(set(re.findall(r"\[hidden [^\]]+\]", output))) == 1


# --- rows -----------------------------------------------------------------------------------------

_BAD = st.sampled_from([b'{"id": "x", "expected": [', b"5", b'{"id": 1, "expected": 7}', b"\xff{}"])
_LINES = st.lists(
    st.one_of(
        RECORDS.flatmap(lambda found: st.sampled_from(found or MANY)).map(msgspec.json.encode),
        st.sampled_from(MANY).map(msgspec.json.encode),
        st.integers(0, 3000).map(lambda n: msgspec.json.encode({**record(n), "input": "x" * n})),
        st.sampled_from([b"", b"  "]),
        _BAD,
    ),
    max_size=40,
)


@settings(max_examples=15)
@given(
    _LINES,
    st.sampled_from([b"\n", b"\r\n"]),
    st.sampled_from([("", bytes), (".gz", gzip.compress), (".zst", zstandard.compress)]),
    st.sampled_from([Settings(), Settings(mode="flexible", pass_mark=0.5)]),
)
def test_rows_are_the_same_in_any_number_of_processes_and_add_up_to_the_totals(
    tmp_path_factory: pytest.TempPathFactory,
    lines: list[bytes],
    ending: bytes,
    pack: tuple[str, Callable[[bytes], bytes]],
    chosen: Settings,
) -> None:
    first = msgspec.json.encode(record(500))  # so that these are lines, and not a document
    data = b"\xef\xbb\xbf" + ending.join([first, first, *lines])
    folder = tmp_path_factory.mktemp("lines")
    path = folder / f"cases.jsonl{pack[0]}"
    path.write_bytes(pack[1](data))
    options = ("--mode", chosen.mode, "--pass-mark", chosen.pass_mark)
    whole = score_files(path, settings=chosen, skip_bad=True)

    rows, *others = [
        rows_of(path, *options, "--jobs", jobs, results=folder / f"{jobs}.parquet")
        for jobs in (1, 2, 3)
    ]

    found = results_of(rows, chosen)
    assert all(each.equals(rows) for each in others)
    assert found.summary == whole.summary
    for note in NOTES:
        assert getattr(found, note).count == getattr(whole, note).count, note
    for row in rows.to_pylist():
        line = data[row["offset"] :].partition(b"\n")[0].removeprefix(b"\xef\xbb\xbf")
        assert (
            row["status"] == "unreadable"
            or row["id"].startswith("sha-")
            or (msgspec.json.decode(line)["id"] == row["id"])
        )


def _csv() -> bytes:
    found = io.StringIO()
    writer = csv.writer(found)
    writer.writerow(["id", "expected", "actual"])
    for each in MANY[:40]:
        sides = [msgspec.json.encode(each.get(side)).decode() for side in ("expected", "actual")]
        writer.writerow([each["id"], *("" if side == "null" else side for side in sides)])
    return found.getvalue().encode() + b"bad,row\n"


def _parquet() -> bytes:
    found = io.BytesIO()
    parquet.write_table(row_table(MANY), found, row_group_size=20)
    return found.getvalue()


KINDS = {
    "one.jsonl": lines_of(MANY[:1]),
    "array.json": msgspec.json.encode([*MANY, {"id": "bad", "expected": 5}]),
    "indented.json": msgspec.json.format(msgspec.json.encode({"cases": MANY})),
    "cases.yaml": b"".join([b"- %s\n" % msgspec.json.encode(each) for each in MANY[:10]]),
    "cases.csv": _csv(),
    "cases.parquet": _parquet(),
    "mixed.jsonl": lines_of([*MANY[:9], {"id": "m", **MESSAGE}, *MANY[9:], {"what": "is this"}]),
    "conversation.jsonl": lines_of([{"role": "user", "content": "hello " * 50}, MESSAGE] * 20),
    "packed.jsonl.gz": gzip.compress(lines_of(MANY)),
}


def test_rows_of_files_of_any_kind_add_up_to_their_totals(tmp_path: Path) -> None:
    """The first file alone, then all of them; what cannot be read is a row, too."""
    paths = []
    for name, data in KINDS.items():
        paths.append(tmp_path / name)
        paths[-1].write_bytes(data)
    for number, files in enumerate([paths[:1], paths, paths[::-1]]):
        whole = score_files(files, skip_bad=True)

        rows = rows_of(*files, "--jobs", 2, results=tmp_path / f"rows{number}.parquet")

        found = results_of(rows)
        assert found.summary == whole.summary
        for note in NOTES:
            assert getattr(found, note).count == getattr(whole, note).count, note
        sources = [re.split(r"\[|:", row["source"])[0] for row in rows.to_pylist()]
        assert [*dict.fromkeys(sources)] == [*map(str, files)]


@settings(max_examples=10)
@given(st.lists(st.integers(0, 40), max_size=60), st.lists(st.integers(0, 40), max_size=60))
def test_joined_rows_add_up_to_the_totals_of_joined_files(
    tmp_path_factory: pytest.TempPathFactory, references: list[int], traces: list[int]
) -> None:
    folder = tmp_path_factory.mktemp("joined")
    known = [{"id": name, "expected": ["f"]} for name in "xy"]  # with one only, ids do not matter
    expected = write(
        folder / "e.jsonl",
        [*known, *[{"id": f"case {n}", "expected": record(n)["expected"]} for n in references]],
    )
    made = [
        {"id": f"case {n}", "actual": record(n).get("actual", []), "trial": position}
        for position, n in enumerate(traces)
    ]
    actual = write(folder / "a.jsonl", [{"id": "x", "actual": ["f"]}, *made, {"actual": []}])
    whole = score_joined(expected, actual, skip_bad=True)

    rows = rows_of(
        *("--expected", expected, "--actual", actual, "--jobs", 2), results=folder / "r.parquet"
    )

    found = results_of(rows)
    assert found.summary == whole.summary
    for note in NOTES:
        assert getattr(found, note).count == getattr(whole, note).count, note


def test_a_number_of_thousands_of_digits_is_in_a_row_and_its_report(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    digits = "9" * 5_000
    cases = tmp_path / "cases.jsonl"
    cases.write_text(
        f'{{"id":"a","expected":["f"],"actual":[{{"name":"g","arguments":{{"n":{digits}}}}}]}}\n'
    )

    assert rows_of(cases, "--format", "json", results=tmp_path / "rows.parquet").num_rows == 1
    assert digits in capfd.readouterr().out


def test_files_that_cannot_be_read_are_rows_and_the_others_are_scored(tmp_path: Path) -> None:
    good = write(tmp_path / "good.jsonl", MANY)
    cut = tmp_path / "cut.jsonl.zst"
    cut.write_bytes(zstandard.compress(good.read_bytes())[:-20])
    damaged = tmp_path / "damaged.parquet"
    data = bytearray(_parquet())
    column = parquet.ParquetFile(io.BytesIO(data)).metadata.row_group(1).column(5)
    start = column.dictionary_page_offset or column.data_page_offset
    data[start : start + 200] = b"\xff" * 200
    damaged.write_bytes(data)
    other = write(tmp_path / "other.jsonl", MANY[:30])

    rows = rows_of(good, cut, damaged, other, "--jobs", 2, results=tmp_path / "r.parquet")

    found = rows.to_pylist()
    unreadable = {row["source"] for row in found if row["status"] == "unreadable"}
    assert unreadable == {str(cut), str(damaged)}
    assert len([row for row in found if row["source"] in {str(good), str(other)}]) == 130
    assert len([row for row in found if row["source"] == str(damaged)]) >= 81  # all but one group


@pytest.mark.slow
def test_processes_that_are_not_copies_write_the_same_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "cases.jsonl", ALL_KINDS)
    whole = rows_of(path, results=tmp_path / "whole.parquet")
    monkeypatch.setattr(pool, "START_METHOD", "spawn")
    monkeypatch.setattr(local_rows, "score_split", None)  # so that this process cannot do it

    assert rows_of(path, "--jobs", 2, results=tmp_path / "rows.parquet").equals(whole)


# --- processes that end ---------------------------------------------------------------------------


def in_child(*arguments: object) -> int:
    """The id of a process, in a session of its own, that runs a command."""
    sys.stdout.flush()
    child = os.fork()
    if child:
        return child
    try:
        os.setsid()
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        run(*arguments)
    finally:
        os._exit(0)


def is_over(child: int) -> bool:
    return os.waitpid(child, os.WNOHANG) != (0, 0)


def stop_at_some_moment(arguments: Sequence[object], parts: Path, random: Random) -> None:
    """Begin a run in another process, and kill it and its workers when some parts are there."""
    most = random.randrange(12)
    child = in_child(*arguments)
    while not is_over(child):
        if len([*parts.glob("*")]) > most:
            with suppress(ProcessLookupError):  # it may have no session yet
                os.killpg(child, signal.SIGKILL)
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return


def test_a_killed_run_is_continued_and_nothing_is_lost_or_doubled(tmp_path: Path) -> None:
    path = write(tmp_path / "cases.jsonl", [record(number) for number in range(150)])
    whole = rows_of(path, results=tmp_path / "whole.parquet")
    for seed in range(STOPS):
        results, random = tmp_path / f"{seed}.parquet", Random(seed)
        parts = tmp_path / f"{seed}.parquet.parts"
        arguments = ["score", path, "--results", results, "--jobs", 2, "--resume"]
        for _ in range(random.randrange(1, 3)):
            stop_at_some_moment(arguments, parts, random)
        for part in sorted(parts.glob("part-*"))[: seed % 3]:  # what is damaged is scored again
            part.write_bytes(part.read_bytes()[:100])

        if not results.exists():
            assert run(*arguments) == 0

        assert parquet.read_table(results).equals(whole), seed
        assert not parts.exists()


def test_an_unfinished_run_is_continued_only_on_purpose_and_with_the_same_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path / "cases.jsonl", [record(number) for number in range(400)])
    arguments = ["score", path, "--results", tmp_path / "r.parquet"]
    parts = tmp_path / "r.parquet.parts"
    while not parts.exists():  # unless it was finished before it could be killed
        (tmp_path / "r.parquet").unlink(missing_ok=True)
        stop_at_some_moment(arguments, parts, Random(1))
    capsys.readouterr()

    found = []
    for more in ([], ["--resume", "--pass-mark", "0.5"]):
        assert run(*arguments, *more) == 2
        found.append(capsys.readouterr().err)
    path.write_bytes(path.read_bytes() + b"\n")
    assert run(*arguments, "--resume") == 2
    found.append(capsys.readouterr().err)

    reasons = ["there is an unfinished run", "of other options", "a file has changed"]
    assert [reason in text for reason, text in zip(reasons, found, strict=True)] == [True] * 3


def test_workers_that_are_killed_lose_and_double_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "cases.jsonl", [record(number) for number in range(900)])
    take, ours = RowScorer._take, os.getpid()

    def take_or_die_once(scorer: RowScorer, case: Any, *place: Any, **named: Any) -> None:
        killed = tmp_path / f"killed at {case.id}"
        if os.getpid() != ours and str(case.id).endswith("50") and not killed.exists():
            killed.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        take(scorer, case, *place, **named)

    monkeypatch.setattr(RowScorer, "_take", take_or_die_once)

    rows = rows_of(path, "--jobs", 3, results=tmp_path / "rows.parquet")

    assert len([*tmp_path.glob("killed at *")]) == 9
    assert rows["id"].to_pylist() == [f"case {number}" for number in range(900)]
    assert results_of(rows).summary == score_files(path).summary


def test_a_line_that_ends_every_process_is_reported_and_the_rest_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path / "cases.jsonl", MANY)
    take, ours = RowScorer._take, os.getpid()

    def take_or_die(scorer: RowScorer, case: Any, *place: Any, **named: Any) -> None:
        if os.getpid() != ours and case.id == "case 50":
            os.kill(os.getpid(), signal.SIGKILL)
        take(scorer, case, *place, **named)

    monkeypatch.setattr(RowScorer, "_take", take_or_die)

    rows = rows_of(path, "--jobs", 2, results=tmp_path / "rows.parquet").to_pylist()

    (lost,) = [row for row in rows if row["status"] == "unreadable"]
    line = path.read_bytes()[lost["offset"] :].partition(b"\n")[0]
    assert msgspec.json.decode(line)["id"] == "case 50"
    assert lost["problem"].startswith("this record ended 3 processes")
    assert [row["id"] for row in rows if row is not lost] == [
        each["id"] for each in MANY if each["id"] != "case 50"
    ]
    assert f"every process that worked on it: {path}@{lost['offset']}" in capsys.readouterr().err


def test_a_process_that_ends_before_its_first_record_is_not_tried_for_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, tries = write(tmp_path / "cases.jsonl", MANY), tmp_path / "tries"
    work, ours = local_rows._SplitScorer.work, os.getpid()

    def work_or_die(scorer: Any, split: splits.Split, deaths: int = 0) -> Any:
        if os.getpid() != ours and split.start == 4_000:
            with tries.open("ab") as file:
                file.write(b"x")
            os.kill(os.getpid(), signal.SIGKILL)
        return work(scorer, split, deaths)

    monkeypatch.setattr(local_rows._SplitScorer, "work", work_or_die)

    rows = rows_of(path, "--jobs", 2, results=tmp_path / "rows.parquet").to_pylist()

    (lost,) = [row for row in rows if row["status"] == "unreadable"]
    assert tries.stat().st_size == 7  # once beside others, and six times alone
    assert "ended 6 processes" in lost["problem"]


def test_several_records_that_end_every_process_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "cases.jsonl", MANY)
    take, ours, deadly = RowScorer._take, os.getpid(), ["case 50", "case 51", "case 53"]

    def take_or_die(scorer: RowScorer, case: Any, *place: Any, **named: Any) -> None:
        if os.getpid() != ours and case.id in deadly:
            os.kill(os.getpid(), signal.SIGKILL)
        take(scorer, case, *place, **named)

    monkeypatch.setattr(RowScorer, "_take", take_or_die)

    rows = rows_of(path, "--jobs", 2, results=tmp_path / "rows.parquet").to_pylist()

    lost = [row for row in rows if row["status"] == "unreadable"]
    lines = [path.read_bytes()[row["offset"] :].partition(b"\n")[0] for row in lost]
    assert [msgspec.json.decode(line)["id"] for line in lines] == deadly
    assert len(rows) == len(MANY)


@pytest.mark.parametrize("fewest_bytes", [1, 1 << 14])  # with and without the fast lane
def test_a_line_that_ends_every_process_is_skipped_and_named_in_the_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fewest_bytes: int
) -> None:
    path = write(tmp_path / "cases.jsonl", MANY)
    ours, take, take_plain = os.getpid(), Collector.take, Collector.take_plain

    def die_at(cases: Sequence[Any]) -> None:
        if os.getpid() != ours and "case 50" in [case.id for case in cases]:
            os.kill(os.getpid(), signal.SIGKILL)

    def take_or_die(collector: Collector, case: Any, place: str = "") -> Any:
        die_at([case])
        return take(collector, case, place)

    def take_plain_or_die(collector: Collector, cases: Any, read: Any) -> None:
        die_at(cases)
        take_plain(collector, cases, read)

    monkeypatch.setattr(inputs, "_MANY_BYTES", fewest_bytes)
    monkeypatch.setattr(Collector, "take", take_or_die)
    monkeypatch.setattr(Collector, "take_plain", take_plain_or_die)

    results = score_files(path, show="none", jobs=2)

    assert results.skipped.count == 1
    assert results.skipped.names[0].startswith(f"{path}:51: this record ended 3 processes")
    assert results.summary.cases == len(MANY) - 1


# --- memory ---------------------------------------------------------------------------------------

SIZE = int(os.environ.get("CALLSCORE_ROWS_SIZE", "20"))  # MB; of 5,000, as much is taken as of 300
LIMIT = 200  # MB, of each process; the input as Python values takes more
PEAKS = """
import sys
from contextlib import suppress
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from callscore.cli.main import run_command

run_command()
status = Path("/proc/self/status").read_text()
parent = int(status.partition("VmHWM:")[2].split()[0])
print(parent // 1024, getrusage(RUSAGE_CHILDREN).ru_maxrss // 1024)
"""


@pytest.mark.slow
@pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="only Linux says how much it was"
)
def test_no_process_takes_more_than_its_share_of_memory(tmp_path: Path) -> None:
    path, written = tmp_path / "cases.jsonl", 0
    with path.open("wb") as file:
        while file.tell() < SIZE << 20:
            file.write(lines_of([record(number) for number in range(written, written + 1000)]))
            written += 1000
    results = tmp_path / "rows.parquet"
    arguments = ["score", str(path), "--show", "none", "--jobs", "2", "--results", str(results)]
    # Measuring coverage takes memory, too.
    environment = {name: os.environ[name] for name in os.environ if "COVERAGE" not in name}

    found = subprocess.run(
        [sys.executable, "-c", PEAKS, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )

    parent, worker = map(int, found.stdout.splitlines()[-1].split())
    assert parquet.read_metadata(results).num_rows == written
    assert max(parent, worker) < LIMIT

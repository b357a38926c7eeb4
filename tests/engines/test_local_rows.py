"""Large files become rows in the order of the input, whatever happens to the processes."""

from __future__ import annotations

import csv
import gzip
import io
import os
import signal
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
from tests.engines.row_cases import RECORDS, SETTINGS, TOOLS, json_text, numbers, row_table

from callscore.core.budget import Budget, OverBudget
from callscore.core.settings import Settings
from callscore.engines import local, local_rows, row_files, splits
from callscore.engines.batches import RowOptions, RowScorer, row_options
from callscore.engines.local import score_files, score_joined
from callscore.engines.local_rows import RowRun, score_to_rows
from callscore.engines.row_totals import summary_of
from callscore.engines.workers import Workers
from callscore.errors import InvalidSettings, MissingExtra, UnreadableInput, WorkerEnded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

pytestmark = pytest.mark.process

KILLS = int(os.environ.get("CALLSCORE_KILLS", "10"))  # of workers, in one run
STOPS = int(os.environ.get("CALLSCORE_STOPS", "8"))  # of whole runs
NOTES = ("not_scored", "not_run", "without_reference", "skipped")


@pytest.fixture(autouse=True, scope="module")
def small_splits() -> Iterator[None]:
    """So that a small file has many parts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(splits, "SPLIT_SIZE", 2_000)
        patch.setattr(splits, "_BLOCK_SIZE", 700)
        patch.setattr(local_rows, "MANY_BYTES", 300)
        patch.setattr(local, "MANY_BYTES", 0)
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


def write(path: Path, records: Sequence[Any]) -> Path:
    path.write_bytes(msgspec.json.Encoder().encode_lines(records))
    return path


def scored(
    *files: Path | str, results: Path, options: RowOptions | None = None, **others: Any
) -> RowRun:
    names = [str(path) for path in files]
    return score_to_rows(names, str(results), options or RowOptions(), **others)


def table_of(path: Path) -> Any:
    return parquet.read_table(path)


def ids_in(path: Path) -> list[str | None]:
    ids: list[str | None] = table_of(path)["id"].to_pylist()
    return ids


def assert_places(rows: Any, contents: dict[str, bytes]) -> None:
    """Each row says where its line begins, in the unpacked file."""
    for row in rows.to_pylist():
        data = contents[row["source"]]
        offset = row["offset"]
        assert offset == 0 or data[offset - 1 : offset] == b"\n"
        line = data[offset:].partition(b"\n")[0].removeprefix(b"\xef\xbb\xbf")
        if row["status"] != "unreadable":
            found = msgspec.json.decode(line)
            assert found.get("id", row["id"]) == row["id"]
            assert row["id"].startswith("sha-") or "id" in found


# --- the same as `score_files` --------------------------------------------------------------------

_BAD = st.sampled_from([b'{"id": "x", "expected": [', b"5", b'{"id": 1, "expected": 7}', b"\xff{}"])
_LINES = st.lists(
    st.one_of(
        RECORDS.flatmap(lambda found: st.sampled_from(found or [record(1)])).map(
            msgspec.json.encode
        ),
        st.integers(0, 400).map(record).map(msgspec.json.encode),
        st.integers(0, 400).map(record).map(msgspec.json.encode),
        st.integers(0, 3000).map(
            lambda size: msgspec.json.encode({**record(size), "input": "x" * size})
        ),
        st.sampled_from([b"", b"  "]),
        _BAD,
    ),
    max_size=60,
)


@settings(max_examples=20)
@given(
    lines=_LINES,
    ending=st.sampled_from([b"\n", b"\r\n"]),
    has_bom=st.booleans(),
    ends=st.booleans(),
    pack=st.sampled_from([("", bytes), (".gz", gzip.compress), (".zst", zstandard.compress)]),
    chosen=SETTINGS,
)
def test_a_file_of_lines_has_the_totals_and_notes_of_score_files(  # noqa: PLR0913  (what is drawn)
    tmp_path_factory: pytest.TempPathFactory,
    *,
    lines: list[bytes],
    ending: bytes,
    has_bom: bool,
    ends: bool,
    pack: tuple[str, Callable[[bytes], bytes]],
    chosen: Settings,
) -> None:
    first = msgspec.json.encode(record(500))  # so that these are lines, and not a document
    data = b"\xef\xbb\xbf" * has_bom + ending.join([first, first, *lines]) + ending * ends
    folder = tmp_path_factory.mktemp("lines")
    path = folder / f"cases.jsonl{pack[0]}"
    path.write_bytes(pack[1](data))
    whole = score_files(path, settings=chosen, skip_bad=True)
    found = [
        scored(path, results=folder / f"{jobs}.parquet", options=row_options(chosen), jobs=jobs)
        for jobs in (1, 2, 3)
    ]

    results = found[0].results
    rows = table_of(folder / "1.parquet")
    assert numbers(results.summary) == numbers(whole.summary)
    assert numbers(summary_of(rows, chosen)) == numbers(whole.summary)
    assert [case.label for case in results.cases] == [case.label for case in whole.cases]
    assert [case.score for case in results.cases] == [case.score for case in whole.cases]
    assert (results.not_shown, results.only) == (whole.not_shown, whole.only)
    assert results.repeated.count == whole.repeated.count
    for note in NOTES:
        assert getattr(results, note).count == getattr(whole, note).count, note
    assert_places(rows, {str(path): data})
    offsets = rows["offset"].to_pylist()
    assert offsets == sorted(offsets)
    for other, jobs in ((found[1], 2), (found[2], 3)):
        assert table_of(folder / f"{jobs}.parquet").equals(rows)
        assert other.results == results


CSV = io.StringIO()
_writer = csv.writer(CSV)
_writer.writerow(["id", "expected", "actual"])
for _number in range(40):
    _record = record(_number)
    _writer.writerow(
        [
            _record["id"],
            json_text(_record["expected"]),
            json_text(_record["actual"]) if "actual" in _record else "",
        ]
    )
MANY = [record(number) for number in range(40)]
CONVERSATION = [
    {"role": "user", "content": "hello " * 50},
    {
        "role": "assistant",
        "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{}"}}],
    },
    {"role": "tool", "tool_call_id": "1", "content": "ok"},
] * 20
COMPLETIONS = [
    {
        "id": f"t{number}",
        "object": "chat.completion",
        "choices": [{"message": {"role": "assistant", "tool_calls": [{"function": call("f")}]}}],
    }
    for number in range(60)
]
KINDS: dict[str, bytes] = {
    "empty.jsonl": b"",
    "blank.jsonl": b"\n\n \n",
    "one.jsonl": msgspec.json.encode(record(1)),
    "array.json": msgspec.json.encode([*MANY, {"id": "bad", "expected": 5}]),
    "document.json": msgspec.json.encode({"cases": MANY}),
    "indented.json": msgspec.json.format(msgspec.json.encode(MANY)),
    "cases.yaml": b"".join([b"- %s\n" % msgspec.json.encode(each) for each in MANY[:10]]),
    "cases.csv": CSV.getvalue().encode() + b"bad,row\n",
    "conversation.jsonl": msgspec.json.Encoder().encode_lines(CONVERSATION),
    "completions.jsonl": msgspec.json.Encoder().encode_lines(COMPLETIONS),
    "mixed.jsonl": msgspec.json.Encoder().encode_lines(
        [*COMPLETIONS[:5], *MANY, *COMPLETIONS[5:9]]
    ),
    "other.jsonl": msgspec.json.Encoder().encode_lines([*MANY, {"what": "is this"}, *MANY]),
}


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("size", [2_000, 10_000_000], ids=["large", "small"])
def test_a_file_of_any_kind_has_the_totals_and_notes_of_score_files(
    name: str, size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(splits, "SPLIT_SIZE", size)
    path = tmp_path / name
    path.write_bytes(KINDS[name])
    whole = score_files(path, skip_bad=True)

    run = scored(path, results=tmp_path / "rows.parquet", jobs=2)

    assert numbers(run.results.summary) == numbers(whole.summary)
    for note in NOTES:
        assert getattr(run.results, note).count == getattr(whole, note).count, note
    assert run.results.cases == whole.cases
    if run.rows:
        assert run.rows == table_of(tmp_path / "rows.parquet").num_rows


def done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make all other processes unable to do their work, so that this one does it."""
    work, ours = local_rows._SplitScorer.work, os.getpid()

    def work_or_fail(scorer: Any, split: Any) -> Any:
        if os.getpid() != ours:
            raise MemoryError
        return work(scorer, split)

    monkeypatch.setattr(local_rows._SplitScorer, "work", work_or_fail)


def test_what_other_processes_cannot_do_is_done_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done_here(monkeypatch)
    paths = []
    for name, data in KINDS.items():
        paths.append(tmp_path / name)
        paths[-1].write_bytes(data)
    large = write(tmp_path / "large.jsonl", [record(number) for number in range(100)])
    table = tmp_path / "cases.parquet"
    parquet.write_table(row_table(MANY), table, row_group_size=20)
    small = tmp_path / "small.parquet"
    parquet.write_table(row_table(MANY[:2]), small)
    folder = tmp_path / "folder"
    folder.mkdir()
    whole = score_files([*paths, large, table, small], skip_bad=True)

    run = scored(
        *paths, large, table, small, folder, tmp_path / "missing", results=tmp_path / "r.parquet"
    )

    assert numbers(run.results.summary) == numbers(whole.summary)
    assert run.results.skipped.count == whole.skipped.count + 2
    assert run.deaths == 0


def test_what_is_joined_can_be_done_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done_here(monkeypatch)
    expected = write(
        tmp_path / "e.jsonl", [{"id": n, "expected": ["f"]} for n in "abc"] + [{"id": "a"}]
    )
    actual = write(
        tmp_path / "a.jsonl",
        [{"id": "b", "actual": ["f"]}, {"id": "d", "actual": []}, {"actual": []}],
    )
    whole = score_joined(expected, actual, skip_bad=True)

    run = scored(actual, results=tmp_path / "r.parquet", references=[str(expected)])

    assert numbers(run.results.summary) == numbers(whole.summary)
    for note in NOTES:
        assert getattr(run.results, note).count == getattr(whole, note).count, note


def test_a_record_without_an_offset_is_named_by_its_place(tmp_path: Path) -> None:
    path = tmp_path / "cases.json"
    path.write_bytes(KINDS["array.json"])

    run = scored(path, results=tmp_path / "rows.parquet")

    assert run.results.skipped.names[0].startswith(f"{path}[40]: expected")


def test_a_parquet_file_of_several_row_groups_is_scored_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "cases.parquet"
    records = [record(number) for number in range(300)]
    parquet.write_table(row_table(records), path, row_group_size=20)
    whole = score_files(path, skip_bad=True)

    run = scored(path, results=tmp_path / "rows.parquet", jobs=2)

    rows = table_of(tmp_path / "rows.parquet")
    assert numbers(run.results.summary) == numbers(whole.summary)
    assert rows["id"].to_pylist() == [each["id"] for each in records]
    assert rows["offset"].to_pylist() == [*range(300)]


@settings(max_examples=20)
@given(
    st.lists(st.lists(st.integers(0, 60).map(record), max_size=30), max_size=6), st.integers(1, 3)
)
def test_several_files_are_scored_in_their_order(
    tmp_path_factory: pytest.TempPathFactory, contents: list[list[Any]], jobs: int
) -> None:
    folder = tmp_path_factory.mktemp("files")
    paths = [write(folder / f"{n}.jsonl", records) for n, records in enumerate(contents)]
    whole = score_files(paths, skip_bad=True)

    run = scored(*paths, results=folder / "rows.parquet", jobs=jobs)

    assert numbers(run.results.summary) == numbers(whole.summary)
    assert run.rows == sum(map(len, contents))
    if not run.rows:  # then no file is written
        return
    rows = table_of(folder / "rows.parquet")
    assert rows["id"].to_pylist() == [each["id"] for records in contents for each in records]
    assert run.results.not_run == whole.not_run
    assert run.results.repeated.count == whole.repeated.count
    assert_places(rows, {str(path): path.read_bytes() for path in paths})


def test_a_file_name_that_is_not_text_is_escaped(tmp_path: Path) -> None:
    path = write(Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.jsonl")), [record(1), {"id": 5}])

    run = scored(path, results=tmp_path / "rows.parquet")

    assert run.rows == 2
    assert table_of(tmp_path / "rows.parquet")["source"].to_pylist()[0].endswith(r"\udcff.jsonl")


def test_results_can_be_a_folder(tmp_path: Path) -> None:
    path = write(tmp_path / "cases.jsonl", [record(number) for number in range(60)])

    run = score_to_rows([str(path)], f"{tmp_path}/rows/", RowOptions(), jobs=2)

    parts = sorted((tmp_path / "rows").iterdir())
    assert len(parts) > 3
    assert [name for part in parts for name in ids_in(part)] == [f"case {n}" for n in range(60)]
    assert run.rows == 60
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cases.jsonl", "rows"]


def test_the_bytes_that_are_done_are_reported(tmp_path: Path) -> None:
    path = write(tmp_path / "cases.jsonl", [record(number) for number in range(60)])
    done: list[int] = []

    scored(path, results=tmp_path / "rows.parquet", on_bytes=done.append)

    assert sum(done) == path.stat().st_size
    assert len(done) > 3


def test_pairs_and_the_options_of_reading_hold_in_every_process(tmp_path: Path) -> None:
    records = [
        {"task": each["id"], "gold": each["expected"], "log": each.get("actual", [])}
        for each in map(record, range(60))
    ]
    path = write(tmp_path / "cases.jsonl", records)
    options = row_options(
        pairs=True,
        tools=TOOLS,
        fields={"id": "$.task", "expected": "$.gold", "actual": "$.log"},
    )

    run = scored(path, results=tmp_path / "rows.parquet", options=options, jobs=2)

    rows = table_of(tmp_path / "rows.parquet")
    assert rows["pairs"].null_count == 0
    assert rows.column_names[-1] == "pairs"
    assert run.results.summary.checked_cases == 60


def test_a_pipe_is_scored_once_and_not_continued(tmp_path: Path) -> None:
    data = msgspec.json.Encoder().encode_lines([record(number) for number in range(60)])
    reading, writing = os.pipe()
    os.write(writing, data)
    os.close(writing)
    try:
        run = scored(f"/dev/fd/{reading}", results=tmp_path / "rows.parquet", jobs=2)
        with pytest.raises(InvalidSettings, match=r"cannot be read again.* without --resume"):
            scored(f"/dev/fd/{reading}", results=tmp_path / "rows.parquet", resume=True)
    finally:
        os.close(reading)

    assert run.rows == 60


# --- what is kept ---------------------------------------------------------------------------------


def test_failing_cases_are_kept_until_the_run_is_closed(tmp_path: Path) -> None:
    path = write(tmp_path / "cases.jsonl", [record(number) for number in range(60)])

    run = scored(
        path,
        results=tmp_path / "rows.parquet",
        options=row_options(cases="failing"),
        keeps_failing=True,
        max_shown=0,
        jobs=2,
    )
    kept = [case.id for case in run.failing()]
    run.close()

    assert kept == [f"case {n}" for n in range(60) if n % 7 == 0 or n % 11 == 3]
    assert run.results.cases == ()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cases.jsonl", "rows.parquet"]


def test_all_cases_can_be_kept_and_only_those_that_fail_are_shown(tmp_path: Path) -> None:
    path = write(tmp_path / "cases.jsonl", [record(number) for number in range(30)])
    options = row_options(cases="all")

    run = scored(path, results=tmp_path / "r.parquet", options=options, keeps_failing=True)
    kept = [case.id for case in run.failing()]
    run.close()

    assert kept == [f"case {number}" for number in range(30)]
    assert {case.score.passed for case in run.results.cases} == {False}


def test_no_more_cases_are_shown_than_asked_for_and_they_are_the_first(tmp_path: Path) -> None:
    path = write(tmp_path / "cases.jsonl", [record(number) for number in range(300)])
    for most in (0, 1, 3, 100):
        run = scored(path, results=tmp_path / "rows.parquet", max_shown=most, jobs=3)

        failing = [f"case {n}" for n in range(300) if n % 7 == 0 and n % 11 != 3]
        assert [case.id for case in run.results.cases] == failing[:most]
        assert run.results.not_shown == max(len(failing) - most, 0)


def test_repeated_ids_are_counted_and_the_first_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_rows, "_MOST_REPEATED", 2)
    records = [{**record(1), "id": f"{n % 20:02}", "trial": n % 4 or None} for n in range(80)]
    path = write(tmp_path / "cases.jsonl", records)
    whole = score_files(path)

    run = scored(path, results=tmp_path / "rows.parquet", jobs=2)

    assert run.results.repeated.count == whole.repeated.count == 60
    assert run.results.repeated.names == ("00", "01 #1")


def test_ids_are_remembered_up_to_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_rows, "_MAX_REMEMBERED", 1)
    path = write(tmp_path / "cases.jsonl", [record(1), record(2), record(2), record(1)])

    run = scored(path, results=tmp_path / "rows.parquet")

    assert run.results.repeated.count == 1


# --- joined ---------------------------------------------------------------------------------------


@settings(max_examples=20)
@given(
    st.lists(st.integers(0, 40), max_size=60),
    st.lists(st.integers(0, 40), max_size=60),
    st.integers(1, 3),
)
def test_traces_are_joined_with_references_as_in_score_joined(
    tmp_path_factory: pytest.TempPathFactory, references: list[int], traces: list[int], jobs: int
) -> None:
    folder = tmp_path_factory.mktemp("joined")
    known = [{"id": name, "expected": ["f"]} for name in "xy"]  # with one only, ids do not matter
    expected = write(
        folder / "expected.jsonl",
        [*known, *[{"id": f"case {n}", "expected": record(n)["expected"]} for n in references]],
    )
    actual = write(
        folder / "actual.jsonl",
        [
            {"id": f"case {n}", "actual": record(n).get("actual", []), "trial": position}
            for position, n in enumerate(traces)
        ]
        + [{"actual": []}],
    )
    whole = score_joined(expected, actual, skip_bad=True)

    run = scored(actual, results=folder / "rows.parquet", references=[str(expected)], jobs=jobs)

    assert numbers(run.results.summary) == numbers(whole.summary)
    for note in NOTES:
        assert getattr(run.results, note).count == getattr(whole, note).count, note
    assert run.rows == table_of(folder / "rows.parquet").num_rows


def test_references_without_a_trace_are_kept_with_the_failing_cases(tmp_path: Path) -> None:
    expected = write(tmp_path / "e.jsonl", [{"id": n, "expected": ["f"]} for n in "abc"])
    actual = write(tmp_path / "a.jsonl", [{"id": "b", "actual": ["f"]}, {"id": "d", "actual": []}])

    run = scored(
        actual,
        results=tmp_path / "r.parquet",
        options=row_options(cases="failing"),
        references=[str(expected)],
        keeps_failing=True,
    )
    kept = [(case.id, case.actual) for case in run.failing()]
    run.close()

    assert kept == [("a", None), ("c", None)]
    assert run.results.not_run.names == ("a", "c")
    assert run.results.without_reference.names == ("d",)


def test_a_reference_that_cannot_be_used_is_an_error_if_it_is_not_to_be_skipped(
    tmp_path: Path,
) -> None:
    known = {"id": "a", "expected": ["f"]}
    actual = write(tmp_path / "a.jsonl", [{"id": "a", "actual": ["f"]}])
    for number, (bad, problem) in enumerate(
        [
            (known, "duplicate reference id 'a'"),
            ({"expected": ["f"]}, "the record has no id"),
            ({"id": "b", "expected": 5}, "expected"),
        ]
    ):
        expected = write(tmp_path / f"{number}.jsonl", [known, bad])

        run = scored(actual, results=tmp_path / "r.parquet", references=[str(expected)])

        assert run.results.skipped.count == 1
        assert problem in run.results.skipped.names[0]
        with pytest.raises(UnreadableInput, match=problem):
            scored(
                actual,
                results=tmp_path / f"{number}.parquet",
                references=[str(expected)],
                options=RowOptions(skips_bad=False),
            )


# --- wrong input ----------------------------------------------------------------------------------


def test_files_that_cannot_be_read_are_rows_and_the_others_are_scored(tmp_path: Path) -> None:
    many = [record(number) for number in range(60)]
    good = write(tmp_path / "good.jsonl", many)
    lines = b"".join([b'{"id": "%s"}\n' % os.urandom(20).hex().encode() for _ in range(400)])
    (tmp_path / "small.jsonl.zst").write_bytes(zstandard.compress(good.read_bytes())[:-20])
    (tmp_path / "large.jsonl.zst").write_bytes(zstandard.compress(lines)[:-20])
    (tmp_path / "folder").mkdir()
    damaged = tmp_path / "damaged.parquet"
    parquet.write_table(row_table(many), damaged)
    damaged.write_bytes(damaged.read_bytes()[:-6] + b"xx" + damaged.read_bytes()[-4:])
    (tmp_path / "latin.jsonl").write_bytes(msgspec.json.encode(many[0]) + b"\n\xff\xfe\n")
    names = ["missing.jsonl", "small.jsonl.zst", "large.jsonl.zst", "folder", "damaged.parquet"]

    run = scored(
        good,
        *[tmp_path / name for name in [*names, "latin.jsonl"]],
        good,
        results=tmp_path / "rows.parquet",
        jobs=2,
    )

    rows = table_of(tmp_path / "rows.parquet").to_pylist()
    unreadable = [row for row in rows if row["status"] == "unreadable"]
    for name in [*names, "latin.jsonl"]:
        assert [row for row in unreadable if row["source"] == str(tmp_path / name)], name
    assert len([row for row in rows if row["source"] == str(good)]) == 120
    assert run.results.skipped.count == len(unreadable)


def test_damage_within_a_parquet_file_costs_its_row_group(tmp_path: Path) -> None:
    path = tmp_path / "cases.parquet"
    parquet.write_table(row_table([record(n) for n in range(90)]), path, row_group_size=30)
    data = bytearray(path.read_bytes())
    start = parquet.ParquetFile(path).metadata.row_group(1).column(5).file_offset
    column = parquet.ParquetFile(path).metadata.row_group(1).column(5)
    start = column.dictionary_page_offset or column.data_page_offset
    data[start : start + 200] = b"\xff" * 200
    path.write_bytes(data)

    run = scored(path, results=tmp_path / "rows.parquet")

    assert run.results.skipped.count == 1
    assert "damaged" in run.results.skipped.names[0]
    assert run.rows >= 61


@pytest.mark.parametrize("line", [b'{"id": "x", "expected": [', b"\xff"])
def test_a_bad_record_is_an_error_with_its_place_if_it_is_not_to_be_skipped(
    line: bytes, tmp_path: Path
) -> None:
    path = write(tmp_path / "cases.jsonl", [record(number) for number in range(60)])
    size = path.stat().st_size
    path.write_bytes(path.read_bytes() + line)

    with pytest.raises(UnreadableInput) as raised:
        scored(path, results=tmp_path / "r.parquet", options=RowOptions(skips_bad=False), jobs=2)

    assert raised.value.place == f"{path}@{size}"
    assert raised.value.is_one_record


def test_a_missing_file_is_an_error_if_it_is_not_to_be_skipped(tmp_path: Path) -> None:
    path = write(tmp_path / "cases.jsonl", [record(number) for number in range(60)])

    with pytest.raises(UnreadableInput, match=r"missing\.jsonl: file not found"):
        scored(
            path,
            tmp_path / "missing.jsonl",
            results=tmp_path / "r.parquet",
            options=RowOptions(skips_bad=False),
        )


def test_a_case_over_its_budget_is_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def spend(*_: Any) -> None:
        raise OverBudget

    monkeypatch.setattr(Budget, "spend", spend)
    group = {"any_order": [{"one_of": ["f", "g"]}, {"optional": "h"}]}
    path = write(tmp_path / "cases.jsonl", [record(1), {**record(2), "expected": [group]}])

    scored(path, results=tmp_path / "rows.parquet")

    second = table_of(tmp_path / "rows.parquet").to_pylist()[1]
    assert (second["id"], second["status"]) == ("case 2", "unreadable")


def test_a_case_that_does_not_fit_the_settings_is_an_error_with_its_place(tmp_path: Path) -> None:
    group = {"any_order": ["f", "g"]}
    path = write(tmp_path / "cases.jsonl", [record(1), {**record(2), "expected": [group]}])
    options = row_options(Settings(order="exact"))

    with pytest.raises(InvalidSettings, match=r"cases\.jsonl@\d+: "):
        scored(path, results=tmp_path / "rows.parquet", options=options)


def test_results_that_cannot_be_written_are_refused_at_once(tmp_path: Path) -> None:
    path = write(tmp_path / "cases.jsonl", [record(1)])

    with pytest.raises(InvalidSettings, match="the folder cannot be written"):
        scored(path, results=path / "rows.parquet")


def test_without_pyarrow_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)

    with pytest.raises(MissingExtra, match=r"'callscore\[parquet\]'"):
        scored(tmp_path / "cases.jsonl", results=tmp_path / "rows.parquet")


# --- runs that are stopped, and continued ---------------------------------------------------------


def in_child(work: Callable[[], object]) -> int:
    """The id of a process that does some work, and ends."""
    sys.stdout.flush()
    child = os.fork()
    if child:
        return child
    try:
        os.setsid()
        work()
    finally:
        os._exit(0)


def stopped(path: Path, results: Path, random: Random) -> None:
    """Begin a run in another process, and kill it and its workers, at some moment."""
    parts = results.with_name(f"{results.name}.parts")
    most = random.randrange(12)
    child = in_child(lambda: scored(path, results=results, jobs=2, resume=True))
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        if len([*parts.glob("*")]) > most:
            os.kill(child, signal.SIGKILL)
            if random.random() < 0.5:  # otherwise its workers go on for a while
                with suppress(ProcessLookupError):
                    os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return


def test_a_run_that_was_killed_is_continued_and_nothing_is_lost_or_doubled(tmp_path: Path) -> None:
    path = write(tmp_path / "cases.jsonl", [record(number) for number in range(150)])
    scored(path, results=tmp_path / "whole.parquet")
    whole = table_of(tmp_path / "whole.parquet")
    for seed in range(STOPS):
        results = tmp_path / f"{seed}.parquet"
        random = Random(seed)
        for _ in range(random.randrange(1, 3)):
            stopped(path, results, random)

        if not results.exists():
            scored(path, results=results, resume=True, jobs=random.choice([1, 2, 3]))

        assert table_of(results).equals(whole), seed


class Stopped(Exception):
    """Raised in place of a signal."""


def stop_after(parts: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop runs after some parts, as Ctrl-C does."""
    add = row_files.Manifest.add

    def add_or_stop(manifest: row_files.Manifest, part: row_files.DonePart) -> None:
        if len(manifest.done) >= parts:
            raise Stopped
        add(manifest, part)

    monkeypatch.setattr(row_files.Manifest, "add", add_or_stop)


def test_what_is_done_is_not_scored_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "cases.jsonl", [record(number) for number in range(100)])
    whole = scored(path, results=tmp_path / "whole.parquet")
    marks = tmp_path / "marks"
    marks.mkdir()
    take = RowScorer.take_case

    def take_and_mark(scorer: RowScorer, case: Any, *place: Any, **named: Any) -> None:
        (marks / case.id).touch()
        take(scorer, case, *place, **named)

    with monkeypatch.context() as patch:
        stop_after(4, patch)
        with pytest.raises(Stopped):
            scored(path, results=tmp_path / "rows.parquet", jobs=2)
    parts = tmp_path / "rows.parquet.parts"
    lines = (parts / "manifest.jsonl").read_bytes().splitlines()[1:]
    done = [name for line in lines for name in ids_in(parts / f"part-{name_in(line)}.parquet")]
    monkeypatch.setattr(RowScorer, "take_case", take_and_mark)
    run = scored(path, results=tmp_path / "rows.parquet", resume=True, jobs=2)

    assert run.resumed == len(lines) == 4
    assert len(done) == len(set(done))
    assert {each.name for each in marks.iterdir()} == {*ids_in(tmp_path / "rows.parquet")} - {*done}
    assert run.results == whole.results
    assert table_of(tmp_path / "rows.parquet").equals(table_of(tmp_path / "whole.parquet"))


def name_in(line: bytes) -> str:
    return str(msgspec.json.decode(line)["name"])


def unfinished(path: Path, results: Path, **options: Any) -> Path:
    """The parts of a run that was stopped after some of them."""
    with pytest.MonkeyPatch.context() as patch:
        stop_after(4, patch)
        with pytest.raises(Stopped):
            scored(path, results=results, **options)
    return results.with_name(f"{results.name}.parts")


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    """A file of many parts."""
    return write(tmp_path / "cases.jsonl", [record(number) for number in range(100)])


@pytest.mark.parametrize("damage", ["missing", "cut", "empty", "another"])
def test_a_part_whose_file_is_missing_or_damaged_is_scored_again(
    damage: str, cases: Path, tmp_path: Path
) -> None:
    whole = scored(cases, results=tmp_path / "whole.parquet")
    parts = unfinished(cases, tmp_path / "rows.parquet")
    lines = (parts / "manifest.jsonl").read_bytes().splitlines()
    first, second = [parts / f"part-{name_in(line)}.parquet" for line in lines[1:3]]
    if damage == "missing":
        first.unlink()
    elif damage == "another":
        shorter = table_of(second).slice(1)
        parquet.write_table(shorter, first)
    else:
        first.write_bytes(first.read_bytes()[:100] if damage == "cut" else b"")

    run = scored(cases, results=tmp_path / "rows.parquet", resume=True)

    assert run.results == whole.results
    assert table_of(tmp_path / "rows.parquet").equals(table_of(tmp_path / "whole.parquet"))


def test_a_torn_list_of_parts_is_continued(cases: Path, tmp_path: Path) -> None:
    scored(cases, results=tmp_path / "whole.parquet")
    parts = unfinished(cases, tmp_path / "rows.parquet")
    with (parts / "manifest.jsonl").open("ab") as file:
        file.write(b'{"name": "0000')

    scored(cases, results=tmp_path / "rows.parquet", resume=True)

    assert table_of(tmp_path / "rows.parquet").equals(table_of(tmp_path / "whole.parquet"))


def test_an_unfinished_run_is_continued_only_on_purpose_and_with_the_same_input(
    cases: Path, tmp_path: Path
) -> None:
    results = tmp_path / "rows.parquet"
    unfinished(cases, results)

    with pytest.raises(InvalidSettings, match="there is an unfinished run"):
        scored(cases, results=results)
    with pytest.raises(InvalidSettings, match=r"other options \(pass_mark\)"):
        scored(cases, results=results, resume=True, options=row_options(Settings(pass_mark=0.5)))
    with pytest.raises(InvalidSettings, match="other options"):
        scored(cases, results=results, resume=True, max_shown=3)
    cases.write_bytes(cases.read_bytes() + b"\n")
    with pytest.raises(InvalidSettings, match=r"cases\.jsonl has changed"):
        scored(cases, results=results, resume=True)


def test_resume_without_an_unfinished_run_scores_everything(cases: Path, tmp_path: Path) -> None:
    run = scored(cases, results=tmp_path / "rows.parquet", resume=True)

    assert (run.resumed, run.rows) == (0, 100)


def test_a_joined_run_is_continued(tmp_path: Path) -> None:
    expected = write(tmp_path / "e.jsonl", [{"id": f"{n}", "expected": ["f"]} for n in range(120)])
    actual = write(
        tmp_path / "a.jsonl",
        [{"id": f"{n}", "actual": ["f"], "input": "x" * 90} for n in range(100)],
    )
    references = [str(expected)]
    whole = scored(actual, results=tmp_path / "whole.parquet", references=references)
    unfinished(actual, tmp_path / "rows.parquet", references=references)

    run = scored(actual, results=tmp_path / "rows.parquet", references=references, resume=True)

    assert run.results == whole.results
    assert run.results.not_run.count == 20
    assert table_of(tmp_path / "rows.parquet").equals(table_of(tmp_path / "whole.parquet"))


def test_kept_cases_are_kept_when_a_run_is_continued(cases: Path, tmp_path: Path) -> None:
    both: tuple[Any, ...] = ("failing", "all")
    for kept in both:
        named: dict[str, Any] = {"options": row_options(cases=kept), "keeps_failing": True}
        whole = scored(cases, results=tmp_path / f"{kept}.parquet", **named)
        unfinished(cases, tmp_path / "rows.parquet", **named)

        run = scored(cases, results=tmp_path / "rows.parquet", resume=True, **named)

        assert [*run.failing()] == [*whole.failing()]
        assert run.results.cases == whole.results.cases
        run.close()
        whole.close()


# --- killed workers -------------------------------------------------------------------------------


def end_process() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def killing(monkeypatch: pytest.MonkeyPatch, is_deadly: Callable[[str], bool]) -> None:
    """Make some cases end the process that scores them; but not that of the test."""
    take, ours = RowScorer.take_case, os.getpid()

    def take_or_die(scorer: RowScorer, case: Any, *place: Any, **named: Any) -> None:
        if os.getpid() != ours and is_deadly(case.id):
            end_process()
        take(scorer, case, *place, **named)

    monkeypatch.setattr(RowScorer, "take_case", take_or_die)


def test_workers_that_die_at_any_moment_lose_and_double_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = 40 * KILLS
    path = write(tmp_path / "cases.jsonl", [record(number) for number in range(count)])
    scored(path, results=tmp_path / "whole.parquet")
    random = Random(KILLS)
    # Far enough from each other that no split ends three processes.
    deadly = {f"case {40 * number + random.randrange(15)}" for number in range(KILLS)}
    marks = tmp_path / "marks"
    marks.mkdir()

    def is_deadly(name: str) -> bool:
        is_first = name in deadly and not (marks / name).exists()
        if is_first:
            (marks / name).touch()
        return is_first

    killing(monkeypatch, is_deadly)
    run = scored(path, results=tmp_path / "rows.parquet", jobs=3)

    assert (run.deaths, run.lost) == (KILLS, ())
    assert table_of(tmp_path / "rows.parquet").equals(table_of(tmp_path / "whole.parquet"))


def test_workers_that_are_killed_from_outside_lose_and_double_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "cases.jsonl", [record(number) for number in range(90 * KILLS)])
    whole = score_files(path)
    random = Random(KILLS)
    started: list[Workers[Any, Any]] = []
    begin, add = Workers.__init__, row_files.Manifest.add
    kills = [0]

    def begin_and_note(found: Workers[Any, Any], *given: Any) -> None:
        started.append(found)
        begin(found, *given)

    def add_and_kill(manifest: row_files.Manifest, part: row_files.DonePart) -> None:
        add(manifest, part)
        # Not so often that the same split is hit three times.
        if len(manifest.done) % 7 == 0 and kills[0] < KILLS:
            kills[0] += 1
            os.kill(random.choice(started[0].pids), signal.SIGKILL)

    monkeypatch.setattr(Workers, "__init__", begin_and_note)
    monkeypatch.setattr(row_files.Manifest, "add", add_and_kill)
    run = scored(path, results=tmp_path / "rows.parquet", jobs=3)

    assert kills[0] == KILLS
    assert run.lost == ()
    assert ids_in(tmp_path / "rows.parquet") == [f"case {n}" for n in range(90 * KILLS)]
    assert numbers(run.results.summary) == numbers(whole.summary)


def test_a_line_that_ends_every_process_is_reported_and_the_rest_goes_on(
    cases: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scored(cases, results=tmp_path / "whole.parquet")
    killing(monkeypatch, lambda name: name == "case 50")

    run = scored(cases, results=tmp_path / "rows.parquet", jobs=2)

    (place,) = run.lost
    rows = table_of(tmp_path / "rows.parquet").to_pylist()
    (lost,) = [row for row in rows if row["status"] == "unreadable"]
    start, end = lost["offset"], int(place.rpartition(" ")[2])
    assert place == f"{cases}: bytes {start} to {end}"
    assert run.results.skipped.names == (f"{cases}@{start}: {lost['problem']}",)
    assert f"{place} ended 3 processes" in lost["problem"]
    assert b'"case 50"' in cases.read_bytes()[start:end]
    others = list(table_of(tmp_path / "whole.parquet").to_pylist())
    assert [row for row in rows if row is not lost] == [
        row for row in others if not start <= row["offset"] < end
    ]


def test_of_a_group_of_files_only_the_one_that_ends_every_process_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [write(tmp_path / f"{n}.jsonl", [record(n), record(n + 10)]) for n in range(5)]
    with monkeypatch.context() as patch:
        killing(patch, lambda name: name == "case 12")

        run = scored(*paths, results=tmp_path / "rows.parquet", jobs=2)

    rows = table_of(tmp_path / "rows.parquet").to_pylist()
    assert run.lost == (str(paths[2]),)
    assert [row["source"] for row in rows if row["status"] == "unreadable"] == [str(paths[2])]
    assert [row["id"] for row in rows if row["id"]] == [
        f"case {number + more}" for number in (0, 1, 3, 4) for more in (0, 10)
    ]


def test_a_lost_file_of_a_group_is_still_lost_when_the_run_is_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [write(tmp_path / f"{n}.jsonl", [record(n), record(n + 10)]) for n in range(6)]
    results = tmp_path / "rows.parquet"
    for parts in range(1, 6):
        with monkeypatch.context() as patch:
            killing(patch, lambda name: name == "case 10")
            stop_after(parts, patch)
            with pytest.raises(Stopped):
                scored(*paths, results=results)
        run = scored(*paths, results=results, resume=True)

        rows = table_of(results).to_pylist()
        lost = [row["source"] for row in rows if row["status"] == "unreadable"]
        assert run.lost == tuple(lost)
        assert run.resumed == parts
        sources = [row["source"] for row in rows]
        assert sources == sorted(sources)
        found = [row["id"] for row in rows if row["source"] not in lost]
        assert found == [
            f"case {n + more}" for n in range(6) for more in (0, 10) if str(paths[n]) not in lost
        ]


def test_where_no_process_can_be_started_this_is_the_error(
    cases: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fork() -> int:
        raise OSError(11, "no more processes")

    monkeypatch.setattr(os, "fork", fork)

    with pytest.raises(WorkerEnded, match="no process can be started"):
        scored(cases, results=tmp_path / "rows.parquet")

"""One contract: every engine gives the same rows, and the same results, as one machine."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import msgspec
import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.cluster import local
from tests.cluster.lake import write_lines

from callscore import Settings, UnreadableInput, score_files, score_joined
from callscore.engines.batches import RowOptions
from callscore.errors import InvalidSettings
from callscore.reports.score_json import write_json
from callscore.reports.score_markdown import write_markdown

if TYPE_CHECKING:
    from tests.cluster.lake import Lake

    from callscore.core.results import Results

OPTIONS = RowOptions(cases="failing")


@pytest.fixture
def few(tmp_path: Path) -> str:
    """A file with a case of each kind."""
    write_lines(tmp_path, 100)
    return str(tmp_path / "b.jsonl.gz")


def _assert_same(expected: Results, actual: Results) -> None:
    """Everything that a report, a gate or a program can see is the same, to the last bit."""
    assert actual.summary == expected.summary
    assert actual.summary.macro_f1_interval == expected.summary.macro_f1_interval
    assert actual.summary.exact_interval == expected.summary.exact_interval
    assert actual.summary.pass_hat_k() == expected.summary.pass_hat_k()
    assert write_markdown(actual) == write_markdown(expected)
    assert write_json(actual) == write_json(expected)
    assert actual == expected


def test_the_rows_and_results_of_parquet_are_those_of_one_machine(
    engine: Any, lake: Lake, tmp_path: Path
) -> None:
    folder = tmp_path / "rows"

    run = engine.score_paths(lake.parquet, OPTIONS, results=str(folder))
    failing = sorted(case.id for case in run.failing())
    run.close()

    rows = local.scored(lake.parquet, OPTIONS)
    assert run.rows == rows.num_rows
    assert local.in_order(local.read_results(folder)).equals(local.in_order(rows))
    _assert_same(local.results_in_order(rows), run.results)
    one_machine = score_files(local.files_of(lake.parquet), skip_bad=True).summary
    assert run.results.summary == one_machine
    failed = one_machine.cases - one_machine.passed
    assert len(failing) == failed


def test_the_rows_and_results_of_json_lines_are_those_of_one_machine(
    engine: Any, lake: Lake, tmp_path: Path
) -> None:
    folder = tmp_path / "rows"

    run = engine.score_paths(lake.lines, OPTIONS, results=str(folder))
    run.close()

    rows = local.scored(lake.lines, OPTIONS)
    assert local.in_order(local.read_results(folder)).equals(local.in_order(rows))
    assert run.results.summary == local.results_in_order(rows).summary
    assert run.results.summary == score_files(local.files_of(lake.lines), skip_bad=True).summary
    assert run.results.skipped.count == local.results_in_order(rows).skipped.count


def test_two_data_sets_are_joined_on_their_ids_as_on_one_machine(
    engine: Any, lake: Lake, tmp_path: Path
) -> None:
    references, traces = lake.sides
    folder = tmp_path / "rows"

    run = engine.score_paths(traces, OPTIONS, references=references, results=str(folder))
    run.close()

    rows = local.joined(references, traces, OPTIONS)
    assert local.in_order(local.read_results(folder)).equals(local.in_order(rows))
    summary = local.results_in_order(rows).summary
    assert run.results.summary == summary
    statuses = set(rows["status"].to_pylist())
    assert statuses == {"scored", "no_answer", "no_reference", "unreadable"}
    files = [local.files_of(paths) for paths in (references, traces)]
    one_machine = score_joined(*files, skip_bad=True, max_shown=0)
    assert one_machine.summary.outcomes == summary.outcomes
    assert one_machine.without_reference.count == run.results.without_reference.count


def test_the_failing_cases_are_kept_without_writing_rows(engine: Any, few: str) -> None:
    run = engine.score_paths([few], OPTIONS, keeps_failing=True)
    Path(few).unlink()  # they are not scored again
    failing = list(run.failing())
    run.close()

    summary = run.results.summary
    assert len(failing) == summary.cases - summary.passed
    assert any(case.actual is None for case in failing)
    assert len({(case.id, case.trial) for case in failing}) == len(failing)


def test_failing_cases_that_were_not_kept_are_not_yielded(engine: Any, few: str) -> None:
    run = engine.score_paths([few], OPTIONS)
    run.close()

    assert list(run.failing()) == []


def test_settings_and_columns_reach_the_workers(engine: Any, lake: Lake, tmp_path: Path) -> None:
    settings = Settings(mode="flexible", pass_mark=0.5)
    options = RowOptions(settings=settings, pairs=True, cases="all")
    folder = tmp_path / "rows"

    run = engine.score_paths(lake.parquet[1:], options, results=str(folder), max_shown=0)
    run.close()

    rows = local.scored(lake.parquet[1:], options)
    assert local.in_order(local.read_results(folder)).equals(local.in_order(rows))
    assert run.results.settings == settings
    assert run.results.cases == ()


def test_an_unreadable_row_that_is_not_to_be_skipped_is_named(engine: Any, few: str) -> None:
    options = RowOptions(skip_bad=False)

    with pytest.raises(UnreadableInput, match="expected") as error:
        engine.score_paths([few], options)

    assert error.value.is_one_record
    assert error.value.place.startswith(few)


def test_a_folder_of_results_that_exists_is_not_overwritten(
    engine: Any, lake: Lake, tmp_path: Path
) -> None:
    (tmp_path / "kept").write_text("by someone")

    with pytest.raises(InvalidSettings, match="already exists"):
        engine.score_paths(lake.parquet[1:], OPTIONS, results=str(tmp_path))

    assert (tmp_path / "kept").read_text() == "by someone"


def test_the_first_of_several_references_counts(engine: Any, tmp_path: Path) -> None:
    """Whatever they contain: by their texts, the second would be the first."""
    names = [f"case {number}" for number in range(50)]
    first = [{"id": name, "expected": ["f"]} for name in names]
    second = [{"id": name, "expected": []} for name in names]
    references, traces = tmp_path / "references.jsonl", tmp_path / "traces.jsonl"
    _write(references, first + second)
    _write(traces, [{"id": name, "actual": ["f"]} for name in names])

    run = engine.score_paths([str(traces)], OPTIONS, references=[str(references)])
    run.close()

    assert (run.results.summary.passed, run.results.skipped.count) == (50, 50)


def test_a_pattern_matches_files_in_any_folders(engine: Any, tmp_path: Path) -> None:
    case = {"expected": ["f"], "actual": ["f"]}
    for number, folder in enumerate(["", "a", "a/b", "c/d/e"]):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        _write(tmp_path / folder / f"{number}.jsonl", [{"id": str(number), **case}])

    run = engine.score_paths([f"{tmp_path}/**/*.jsonl"], OPTIONS)
    run.close()

    assert run.results.summary.cases == 4


def _write(path: Path, records: list[dict[str, Any]]) -> None:
    path.write_bytes(msgspec.json.Encoder().encode_lines(records))


def test_a_missing_file_is_named(engine: Any, tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match=r"missing\.parquet: no such file"):
        engine.score_paths([str(tmp_path / "missing.parquet")], OPTIONS)


def test_other_kinds_of_files_are_refused(engine: Any, tmp_path: Path) -> None:
    path = tmp_path / "cases.yaml"
    path.write_text("cases: []")

    with pytest.raises(UnreadableInput, match=r"cases\.yaml: .* reads Parquet") as error:
        engine.score_paths([str(tmp_path)], OPTIONS)

    assert "without an engine" in error.value.problem


def test_parquet_and_json_lines_can_be_mixed(engine: Any, lake: Lake, few: str) -> None:
    paths = [few, *lake.parquet[1:]]

    run = engine.score_paths(paths, OPTIONS)
    run.close()

    assert run.results.summary == local.results_in_order(local.scored(paths, OPTIONS)).summary


def test_parts_of_files_without_rows_are_joined_with_others(engine: Any, tmp_path: Path) -> None:
    """A large group of rows belongs to the part in which it begins; the next parts have none."""
    random = Random(0)
    names = [f"case-{number}" for number in range(100)]
    noise = [random.randbytes(20_000).hex() for _ in names]
    calls = ['[{"name": "find"}]' for _ in names]
    traces = pa.table({"id": names, "actual": calls, "noise": noise})
    parquet.write_table(traces, tmp_path / "traces.parquet")
    parquet.write_table(pa.table({"id": names, "expected": calls}), tmp_path / "references.parquet")

    run = engine.score_paths(
        [str(tmp_path / "traces.parquet")],
        OPTIONS,
        references=[str(tmp_path / "references.parquet")],
        results=str(tmp_path / "rows"),
    )
    run.close()

    assert (run.results.summary.cases, run.results.summary.passed) == (100, 100)


def test_names_of_files_with_blanks_and_signs_are_shown_as_they_are(
    engine: Any, tmp_path: Path
) -> None:
    path = tmp_path / "50% of a+b é.jsonl"
    path.write_text('{"id": 3, "expected"\n')

    run = engine.score_paths([str(tmp_path)], OPTIONS)
    run.close()

    assert [name.partition(".jsonl")[0] for name in run.results.skipped.names] == [
        str(path.with_suffix(""))
    ]


# --- data frames and data sets ---------------------------------------------------------------------

FIND, OTHER = (
    [{"name": "find", "arguments": {"key": 1}}],
    [{"name": "find", "arguments": {"key": 2}}],
)


def _frame(engine: Any, records: list[dict[str, Any]]) -> Any:
    """The data of a notebook: nested values, as its library takes them."""
    if engine.ENGINE == "Ray":
        import ray

        return ray.data.from_items(records)
    from pyspark.sql import SparkSession

    session: Any = SparkSession.getActiveSession()
    calls = "array<struct<name: string, arguments: struct<key: bigint>>>"
    columns = {"id": "string", "expected": calls, "actual": calls, "trial": "bigint"}
    known = [f"{name} {columns[name]}" for name in columns if any(name in row for row in records)]
    return session.createDataFrame(records, ", ".join(known))


def _taken(engine: Any, rows: Any) -> list[dict[str, Any]]:
    found = rows.take_all() if engine.ENGINE == "Ray" else [row.asDict() for row in rows.collect()]
    return sorted(found, key=lambda row: (row["id"] or "", row["problem"] or "", row["status"]))


def test_a_frame_of_a_notebook_is_scored_lazily(engine: Any) -> None:
    records = [
        {"id": "a", "expected": FIND, "actual": FIND},
        {"id": "b", "expected": FIND, "actual": OTHER},
        {"id": "c", "expected": FIND},
    ]

    rows = engine.score(_frame(engine, records), cases="failing")

    found = _taken(engine, rows)
    assert [(row["id"], row["status"], row["passed"]) for row in found] == [
        ("a", "scored", True),
        ("b", "scored", False),
        ("c", "no_answer", False),
    ]
    assert [row["f1"] for row in found] == [1.0, 0.0, 0.0]
    assert [row["offset"] for row in found] == [None] * 3
    results = engine.results(rows)
    assert [case.id for case in results.cases] == ["b"]
    assert str(results) == "Macro F1: 33.3% | Cases: 3 | Passed: 1 | Exact: 1"
    assert sorted(case.id for case in engine.failing(rows)) == ["b", "c"]


def test_two_frames_are_joined_on_the_id(engine: Any) -> None:
    references = [{"id": name, "expected": FIND} for name in ("a", "b", "b", "c")]
    traces = [{"id": name, "actual": FIND} for name in ("a", "a", "b", "d")]

    rows = engine.score(_frame(engine, traces), references=_frame(engine, references))

    found = _taken(engine, rows)
    assert [(row["id"], row["status"]) for row in found] == [
        (None, "unreadable"),
        ("a", "scored"),
        ("a", "scored"),
        ("b", "scored"),
        ("c", "no_answer"),
        ("d", "no_reference"),
    ]
    assert "duplicate reference id 'b'" in found[0]["problem"]


def test_invalid_options_are_refused_before_anything_is_computed(engine: Any) -> None:
    with pytest.raises(InvalidSettings, match="Choose from: none, failing, all"):
        engine.score(None, cases="some")


def test_rows_without_cases_have_no_failing_cases_to_yield(engine: Any) -> None:
    rows = engine.score(_frame(engine, [{"id": "a", "expected": FIND, "actual": OTHER}]))

    with pytest.raises(InvalidSettings, match="cases='failing'"):
        list(engine.failing(rows))


def test_rows_of_other_settings_are_refused(engine: Any) -> None:
    both = [*FIND, {"name": "pay", "arguments": {"key": 1}}]
    rows = engine.score(_frame(engine, [{"id": "a", "expected": both, "actual": FIND}]))

    with pytest.raises(InvalidSettings, match="another 'pass_mark'"):
        engine.results(rows, Settings(pass_mark=0.1))

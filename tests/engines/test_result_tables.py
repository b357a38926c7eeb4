"""Tables of results: the rows that an engine writes for the same cases."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any

import msgspec
import pyarrow as pa
import pytest

import callscore
from callscore.engines import results_of, score_batches

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CASES: list[dict[str, Any]] = [
    {"id": "none", "expected": ["f"]},
    {"id": "right", "trial": 1, "tags": ["x"], "expected": ["f"], "actual": ["f"]},
    {"id": "right", "trial": 2, "tags": ["x"], "expected": ["f"], "actual": []},
    {"id": "unreferenced", "actual": ["f"]},
    {"id": "wrong", "expected": [["g", {"a": 1}]], "actual": [["g", {"a": 2}]]},
    {"id": "turns", "expected": [{"turn": ["f"]}], "actual": ["f"]},
    {"id": "last", "tags": ["y"], "expected": []},
]
UNKNOWN = ["source", "offset", "problem"]  # what only an engine knows


def _scored(cases: list[dict[str, Any]], **options: Any) -> callscore.Results:
    return callscore.score_cases(cases, **{"show": "all", "max_shown": None, **options})


def test_the_rows_are_those_of_an_engine_in_the_order_of_the_input() -> None:
    texts = [
        {"expected": None, "actual": None, "trial": None, "tags": [], **case} for case in CASES
    ]
    for case in texts:
        for side in ("expected", "actual"):
            if case[side] is not None:
                case[side] = msgspec.json.encode(case[side]).decode()
    rows = score_batches(pa.Table.from_pylist(texts)).read_all()

    table = _scored(CASES).to_arrow()

    assert table.schema.equals(rows.schema, check_metadata=True)
    assert table.drop_columns(UNKNOWN).to_pylist() == rows.drop_columns(UNKNOWN).to_pylist()
    assert all(table[name].null_count == table.num_rows for name in UNKNOWN)


def test_the_rows_add_up_to_the_results() -> None:
    results = _scored(CASES)

    assert results_of(results.to_arrow()).summary == results.summary


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_files_have_the_same_rows_whatever_reads_them(tmp_path: Path, jobs: int) -> None:
    path = tmp_path / "cases.jsonl"
    many = [{**case, "id": f"{case['id']}{n}"} for n in range(4000) for case in CASES]
    path.write_bytes(b"".join([msgspec.json.encode(case) + b"\n" for case in many]))

    table = callscore.score_files(path, show="all", max_shown=None, jobs=jobs).to_arrow()

    assert table["id"].to_pylist() == [case["id"] for case in many]
    assert table.equals(_scored(many).to_arrow())


def test_a_single_case_has_a_row_however_it_is_shown() -> None:
    results = callscore.score_cases([{"id": "a", "expected": ["f"], "actual": ["f"]}], show="none")

    assert results.to_arrow()["id"].to_pylist() == ["a"]


def test_no_cases_have_the_columns_and_no_row() -> None:
    table = _scored([]).to_arrow()

    assert (table.num_rows, table.schema.names[0]) == (0, "id")


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ({"show": "failing"}, "4 of 7"),
        ({"max_shown": 3}, "3 of 7"),
        ({"show": "none"}, "0 of 7"),
        ({"max_shown": 100}, "6 of 7"),  # what nothing is expected of is not kept
    ],
)
def test_a_table_without_some_of_the_cases_is_refused(options: dict[str, Any], kept: str) -> None:
    with pytest.raises(callscore.InvalidSettings, match=f"to_arrow: {kept} cases") as caught:
        _scored(CASES, **options).to_arrow()

    assert "show='all' and max_shown=None" in str(caught.value)


def test_a_half_of_a_surrogate_pair_is_escaped() -> None:
    table = _scored([{"id": "\ud800", "tags": ["\ud801"], "expected": []}]).to_arrow()

    assert table.select(["id", "tags"]).to_pylist() == [{"id": "\\ud800", "tags": ["\\ud801"]}]


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Make a package look as if it were not installed."""
    real = builtins.__import__

    def hide(package: str) -> None:
        def found(name: str, *rest: Any) -> Any:
            if name == package:
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)
            return real(name, *rest)

        monkeypatch.setattr(builtins, "__import__", found)

    return hide


@pytest.mark.parametrize(
    ("method", "package", "extra"),
    [
        ("to_arrow", "pyarrow", "parquet"),
        ("to_pandas", "pandas", "pandas"),
        ("to_polars", "polars", "polars"),
    ],
)
def test_a_missing_package_is_an_error_that_says_what_to_install(
    method: str, package: str, extra: str, without: Callable[[str], None]
) -> None:
    without(package)

    with pytest.raises(callscore.MissingExtra) as caught:
        getattr(_scored([]), method)()

    assert str(caught.value) == f"{method} needs an extra: pip install 'callscore[{extra}]'"


def test_the_answers_of_an_evaluation_have_rows() -> None:
    cases = [callscore.Case(n, id=f"c{n}", expected=["f"]) for n in range(3)]

    @callscore.evaluation(cases=cases)
    def agent(case: callscore.Case) -> list[str]:
        return ["f"] if case.input else []

    (found,) = callscore.evaluate(agent, show="all", max_shown=None).evaluations

    assert found.results.to_arrow().select(["id", "passed"]).to_pylist() == [
        {"id": "c0", "passed": False},
        {"id": "c1", "passed": True},
        {"id": "c2", "passed": True},
    ]

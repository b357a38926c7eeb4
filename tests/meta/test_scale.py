"""The benchmark of the engines: its data, its page and chart, and the checks of large runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "benchmarks"
Load = Callable[[str], Any]


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Load:
    """Imports a script of the benchmark, as another script of it would."""
    monkeypatch.syspath_prepend(str(FOLDER))
    return import_module


# --- the data -------------------------------------------------------------------------------------


def test_no_two_cases_have_the_same_id_and_trial_or_the_same_calls(
    load: Load, tmp_path: Path
) -> None:
    path = tmp_path / "cases.jsonl"

    load("scale_data").write_lines(path, 25_000)

    cases = [msgspec.json.decode(line) for line in path.read_bytes().splitlines()]
    assert len(cases) == 25_000
    assert len({(case["id"], case.get("trial")) for case in cases}) == 25_000
    single = [case for case in cases if "trial" not in case]
    sides = {msgspec.json.encode(case["expected"]) for case in single}
    assert len(sides) > 0.99 * len(single)


def test_about_a_seventh_of_the_cases_is_wrong(load: Load) -> None:
    (block,) = load("scale_data").counted_blocks(10_000)

    cases = [msgspec.json.decode(line) for line in block.splitlines()]
    wrong = sum(case["expected"] != case["actual"] for case in cases)
    assert 0.14 < wrong / len(cases) < 0.16


def test_the_parquet_file_has_the_cases_of_the_lines(load: Load, tmp_path: Path) -> None:
    from pyarrow import parquet

    data = load("scale_data")
    lines, table = tmp_path / "cases.jsonl", tmp_path / "cases.parquet"

    data.write_lines(lines, 300)
    data.write_parquet(table, 300)

    expected = [msgspec.json.decode(line) for line in lines.read_bytes().splitlines()]
    actual = parquet.read_table(table).to_pylist()
    for row in actual:
        row |= {side: msgspec.json.decode(row[side]) for side in ("expected", "actual")}
    assert actual == [{"trial": None, **case} for case in expected]


# --- the page -------------------------------------------------------------------------------------


def test_the_page_shows_the_committed_measurements(load: Load) -> None:
    page = load("scale_page")
    text = page.PAGE.read_text(encoding="utf-8")

    assert page.with_tables(text, load("scale").load()) == text, "run `make pictures`"


def test_the_chart_is_drawn_from_the_committed_measurements(load: Load) -> None:
    page = load("scale_page")

    drawn = page.chart(load("scale").load())

    assert drawn == page.PICTURE.read_text(encoding="utf-8"), "run `make pictures`"


def test_the_arithmetic_on_paper_follows_from_the_largest_measurement(load: Load) -> None:
    scale = load("scale")
    point = scale.Point(
        cases=10**6,
        startup=1.0,
        seconds=20.0,
        processor=36.0,
        parent=100,
        worker=100,
        worker_name="python",
        input_bytes=700 * 10**6,
        result_bytes=20 * 10**6,
    )
    found = scale.Scale("here", {"local, 2 processes, JSON lines": [point]})

    line = load("scale_page").paper_table(found).splitlines()[-1]

    # 36 µs of the processor per case are 100 hours for 10^10 cases. By the clock, two cores take
    # 20 µs per case: 400,000 s of a core, or 250 s of 1,600 cores.
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    assert cells[1:] == ["1,000,000 cases", "7 TB", "100 core hours", "4 min", "200 GB"]


def test_an_engine_that_is_not_installed_is_skipped_with_a_line(
    load: Load, capsys: pytest.CaptureFixture[str]
) -> None:
    load("scale").main(["--only", "^Ray", "--ray-python", "/missing/python"])

    assert capsys.readouterr().out == (
        "Ray, 2 cores, Parquet: skipped, there is no /missing/python. Pass --ray-python.\n"
    )


# --- processes ------------------------------------------------------------------------------------


@pytest.mark.process
def test_the_processes_below_a_process_have_their_level(load: Load) -> None:
    import subprocess

    code = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'print(1, flush=True); input()'])"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        levels = load("process_tree").process_levels(os.getpid())
        child.communicate(b"\n")

    assert levels[os.getpid()] == 0
    assert levels[child.pid] == 1
    assert 2 in levels.values()


# --- the checks of large runs ---------------------------------------------------------------------


def _places(load: Load, *offsets: int) -> Iterator[Any]:
    place = load("skew").Place
    return iter([place(f"case-{offset}", None, "file", offset) for offset in offsets])


def test_rows_that_are_those_of_the_input_do_not_differ(load: Load) -> None:
    assert load("skew").differing_row(_places(load, 0, 7), _places(load, 0, 7)) == []


@pytest.mark.parametrize("rows", [(0,), (0, 7, 7), (7, 0), (0, 8)])
def test_a_row_that_is_lost_doubled_moved_or_wrong_differs(
    load: Load, rows: tuple[int, ...]
) -> None:
    (problem,) = load("skew").differing_row(_places(load, 0, 7), _places(load, *rows))

    assert problem.startswith("row ")


def test_a_bad_line_of_the_input_has_its_offset_and_no_id(load: Load, tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_bytes(b'{"id": "a"}\n\nnot JSON\n{"id": "b", "trial": 2}\n')
    place = load("skew").Place

    found = list(load("skew").input_places([path], {13}))

    assert found == [
        place("a", None, str(path), 0),
        place(None, None, str(path), 13, is_bad=True),
        place("b", "2", str(path), 22),
    ]


@pytest.mark.process
def test_the_checks_pass_on_small_input(load: Load, capsys: pytest.CaptureFixture[str]) -> None:
    code = load("skew").main(["--scale", "0.001", "--only", "large-file|bad-lines"])

    printed = capsys.readouterr().out
    assert code == 0, printed
    assert printed.count("ok ") == 2

"""The benchmark of the engines: its data, its page and chart, and the checks of large runs."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "benchmarks"
Load = Callable[[str], Any]


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Load:
    """Imports a script of the benchmark, as another script of it would."""
    monkeypatch.syspath_prepend(str(FOLDER))
    return import_module


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


# --- the checks of large runs ---------------------------------------------------------------------


@pytest.mark.process
@pytest.mark.parametrize("words", ["--scale 0.001 --only bad-lines", "--scale 0.004 --only kills"])
def test_the_checks_pass_on_small_input(
    load: Load, capsys: pytest.CaptureFixture[str], words: str
) -> None:
    code = load("skew").main(words.split())

    printed = capsys.readouterr().out
    assert code == 0, printed
    assert printed.count("ok ") == 1
    assert " 0 MB in a worker" not in printed

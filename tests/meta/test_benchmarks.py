"""The benchmark: it runs, it fails when a row became worse, and the page shows what was measured."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "benchmarks"
PAGE = ROOT / "docs/explanation/performance.md"

Load = Callable[[str], ModuleType]


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Load:
    monkeypatch.syspath_prepend(str(FOLDER))
    return import_module


def _row(load: Load, *ratios: float, is_checked: bool = True) -> tuple[object, list[int]]:
    """A row that is measured with these ratios, one after the other, and the rounds asked for."""
    asked: list[int] = []
    ahead = iter(ratios)

    def measure(rounds: int) -> object:
        asked.append(rounds)
        return load("timing").measure([next(ahead)], [1.0])

    return load("rows").Row("a row", "this / that", 2.0, measure, is_checked=is_checked), asked


def test_the_exit_code_is_1_if_a_row_became_worse(
    load: Load, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    committed, run = load("committed"), load("run")
    table = tmp_path / "ratios.json"
    row, _ = _row(load, 1.0, 2.0, 2.0)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "all_rows", lambda _: [row])
        patch.setattr(run.performance_page, "update", lambda: None)
        codes = [run.main(["--write"], table), run.main([], table)]

    assert codes == [0, 1]
    assert committed.load(table).rows["a row"].ratio == 1.0
    assert capsys.readouterr().out.endswith("more than 25% worse than committed: a row\n")


@pytest.mark.process
def test_a_quick_run_measures_calls_documents_and_commands(
    load: Load, capsys: pytest.CaptureFixture[str]
) -> None:
    code = load("run").main(["--quick", "--only", "^(rules|score-json)$"])

    printed = capsys.readouterr().out.splitlines()
    assert code == 0
    assert len(printed) == 2 + 2


def test_every_row_has_its_own_name_and_is_in_the_committed_table(
    load: Load, tmp_path: Path
) -> None:
    rows = load("rows")
    names = [row.name for row in load("run").all_rows(rows.Inputs(tmp_path, rows.FULL))]

    assert sorted(set(names)) == sorted(names)
    assert list(load("committed").load().rows) == names


def test_the_page_shows_the_committed_measurements(load: Load) -> None:
    page = PAGE.read_text(encoding="utf-8")

    assert load("performance_page").with_tables(page) == page, "run `make pictures`"


def test_the_chart_is_drawn_from_the_committed_measurements(load: Load) -> None:
    chart = load("growth_chart")

    drawn = chart.draw(load("growth").load())

    assert drawn == chart.PICTURE.read_text(encoding="utf-8"), "run `make pictures`"

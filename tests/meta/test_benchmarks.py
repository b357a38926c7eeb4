"""The benchmark: it runs, it fails when a row became worse, and the page shows what was measured."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
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


def _table(load: Load, ratio: float) -> object:
    row, _ = _row(load, ratio)
    committed = load("committed")
    return committed.Table(
        "here", {"a row": committed.entry(row, load("timing").measure([ratio], [1.0]))}
    )


def test_the_best_of_each_side_counts(load: Load) -> None:
    measured = load("timing").measure([3.0, 2.0, 4.0], [2.0, 2.5, 1.0])

    assert (measured.value, measured.ratio) == (2.0, 2.0)
    assert measured.rounds == (1.5, 0.8, 4.0)
    assert measured.noise == pytest.approx(0.7 / 1.5)


def test_a_value_with_a_unit_is_that_of_our_side(load: Load) -> None:
    measured = load("timing").measure([0.5], [0.25], scale=1e3)

    assert (measured.value, measured.ratio) == (500.0, 2.0)


def test_the_sides_take_turns(load: Load) -> None:
    called: list[str] = []

    def job(name: str) -> float:
        called.append(name)
        return 1.0

    load("timing").take_turns([partial(job, "ours"), partial(job, "theirs")], rounds=2)

    assert called == ["ours", "theirs", "ours", "theirs"]


def test_a_row_that_is_no_more_than_a_quarter_worse_passes(
    load: Load, capsys: pytest.CaptureFixture[str]
) -> None:
    row, asked = _row(load, 1.25)

    _, worse = load("run").measure_all([row], 5, _table(load, 1.0))

    assert (worse, asked) == ([], [5])
    assert "+25%" in capsys.readouterr().out


def test_a_row_that_is_worse_is_measured_again_with_more_rounds(load: Load) -> None:
    row, asked = _row(load, 1.5, 1.1)

    found, worse = load("run").measure_all([row], 5, _table(load, 1.0))

    assert (worse, asked) == ([], [5, 15])
    assert found["a row"].ratio == 1.1


def test_a_row_that_stays_worse_fails(load: Load, capsys: pytest.CaptureFixture[str]) -> None:
    row, _ = _row(load, 1.5, 1.3)

    _, worse = load("run").measure_all([row], 5, _table(load, 1.0))

    assert worse == ["a row"]
    assert "WORSE" in capsys.readouterr().out


def test_what_depends_on_a_quiet_machine_does_not_fail(load: Load) -> None:
    row, _ = _row(load, 3.0, is_checked=False)

    _, worse = load("run").measure_all([row], 5, _table(load, 1.0))

    assert worse == []


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


def test_rows_that_are_not_measured_stay_in_the_table(load: Load, tmp_path: Path) -> None:
    committed, run = load("committed"), load("run")
    table = tmp_path / "ratios.json"
    first, _ = _row(load, 1.0)
    second = _row(load, 3.0)[0]._replace(name="another")  # type: ignore[attr-defined]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "all_rows", lambda _: [first, second])
        patch.setattr(run.performance_page, "update", lambda: None)
        run.main(["--write", "--only", "a row"], table)
        run.main(["--write", "--only", "another"], table)

    assert list(committed.load(table).rows) == ["a row", "another"]


@pytest.mark.process
def test_a_quick_run_measures_calls_documents_and_commands(
    load: Load, capsys: pytest.CaptureFixture[str]
) -> None:
    code = load("run").main(
        ["--quick", "--only", "^(score-dicts-.*|rules|read-calls-text-.*|score-json|start-score)$"]
    )

    printed = capsys.readouterr().out.splitlines()
    assert code == 0
    assert len(printed) == 2 + 7


def test_quick_measurements_are_not_written(load: Load) -> None:
    with pytest.raises(SystemExit):
        load("run").main(["--quick", "--write"])


def test_every_row_has_its_own_name_and_is_in_the_committed_table(
    load: Load, tmp_path: Path
) -> None:
    rows = load("rows")
    names = [row.name for row in load("run").all_rows(rows.Inputs(tmp_path, rows.FULL))]

    assert sorted(set(names)) == sorted(names)
    assert list(load("committed").load().rows) == names


def test_the_cases_of_a_large_file_do_not_repeat(load: Load, tmp_path: Path) -> None:
    path = tmp_path / "large.jsonl"

    load("data").write_large(path, 40_000_000)

    lines = path.read_bytes().splitlines()
    sides = {line.partition(b'"input"')[2] for line in lines}
    assert len(lines) > 20_000
    assert len(sides) > 0.95 * len(lines)


def test_the_page_shows_the_committed_measurements(load: Load) -> None:
    page = PAGE.read_text(encoding="utf-8")

    assert load("performance_page").with_tables(page) == page, "run `make pictures`"


def test_the_chart_is_drawn_from_the_committed_measurements(load: Load) -> None:
    chart = load("growth_chart")

    drawn = chart.draw(load("growth").load())

    assert drawn == chart.PICTURE.read_text(encoding="utf-8"), "run `make pictures`"

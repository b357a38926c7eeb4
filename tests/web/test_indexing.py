"""The index without details is that of the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from tests.web.test_run_pages import written

from callscore import Case, ToolCall, expect, score
from callscore.core.results import Result
from callscore.history.opening import open_store
from callscore.reports.html.case_view import index_row, view_of_result
from callscore.runner.run_report import StoredRunReport
from callscore.runner.stored_runs import ShowOptions
from callscore.web.indexing import IndexWriter, index_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.web.conftest import Runs

FAILING = """
    if case.id == "paris":
        raise RuntimeError("no answer")
"""


def test_errors_tags_and_problems_are_in_it(runs: Runs, project: Path) -> None:
    file = project / "eval_weather.py"
    text = file.read_text().replace('id="oslo"', 'id="oslo", tags=["cold", "north"]')
    file.write_text(text.replace("def weather(case):\n", f"def weather(case):{FAILING}"))
    run = runs("rome", jobs=1)  # so that the results are saved in the order of the cases

    with open_store(project / ".callscore/history.db") as store:
        shown = ShowOptions(show="all", max_shown=None)
        report = StoredRunReport(store, store.find(run), shown)
        index = msgspec.json.decode(index_of(report.results(), "en"))

    assert index == written(project, run, "en")[1]
    assert (index["tag_names"], index["status"]) == (["cold", "north"], [0, 1, 2])
    assert [problem["class"] for problem in index["problem_kinds"]] == ["value", "error"]


@pytest.mark.parametrize("secret", ["", "in Rome?"])
def test_a_trial_of_a_comparison_is_written_without_its_detail(
    runs: Runs, project: Path, monkeypatch: pytest.MonkeyPatch, secret: str
) -> None:
    run = runs("rome")
    monkeypatch.setenv("SERVICE_TOKEN", secret)
    with open_store(project / ".callscore/history.db") as store:
        report = StoredRunReport(store, store.find(run), ShowOptions(show="all", max_shown=None))
        write = IndexWriter("en")
        lines = [write(result) for _, result in report.results()]

    assert all(line.endswith(b"\t{}\n") for line in lines)
    assert [line.count(b"in Rome?") for line in lines] == [0, 0 if secret else 1, 0]
    assert (write.summary.scored, write.is_whole) == (3, True)


def test_the_first_wrong_turn_is_in_it() -> None:
    expected = [expect.turn("a"), expect.turn("b")]
    right, wrong = (
        score(expected, [ToolCall("a", {}, turn=0), ToolCall(name, {}, turn=1)]) for name in "bc"
    )
    results = [
        Result(case=Case(id=name), score=found, passed=found.passed)
        for name, found in (("right", right), ("wrong", wrong))
    ]

    index = msgspec.json.decode(index_of([(0, result) for result in results], "en"))

    assert index["turn"] == [None, 2]
    rows = [index_row(view_of_result(each), each.score, "en") for each in results]
    assert [row.turn for row in rows] == index["turn"]

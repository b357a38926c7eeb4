from __future__ import annotations

import pytest
from msgspec.structs import replace

from callscore.core.call import ToolCall
from callscore.core.results import CaseScore, Noted, Results
from callscore.core.scoring import score_calls
from callscore.core.settings import DEFAULT
from callscore.core.summary import Summary
from callscore.words.plain_data import results_to_dict


@pytest.mark.parametrize(
    ("trial", "label"), [(None, "task-7"), (0, "task-7 #0"), ("b", "task-7 #b")]
)
def test_a_case_goes_by_its_id_and_its_trial(trial: int | str | None, label: str) -> None:
    case = CaseScore(id="task-7", score=score_calls((), (), DEFAULT), trial=trial)

    assert case.label == label


def test_what_was_not_scored_is_counted_as_nothing_unless_it_is_named() -> None:
    results = Results(settings=DEFAULT, summary=Summary(), not_run=Noted(2, ("a", "b")))

    assert (results.not_run.count, results.not_run.names) == (2, ("a", "b"))
    others = (results.not_scored, results.without_reference, results.repeated, results.skipped)
    assert (*others, results.stopped) == (Noted(),) * 5
    assert Noted() == Noted(0, ())


@pytest.mark.parametrize("name", ["not_scored", "not_run", "without_reference", "skipped"])
def test_whatever_is_not_a_scored_case_is_worth_a_note(name: str) -> None:
    results = Results(settings=DEFAULT, summary=Summary())

    assert not results.has_notes
    assert replace(results, **{name: Noted(1, ("a",))}).has_notes
    assert not replace(results, repeated=Noted(1, ("a",))).has_notes  # it was scored, too


def test_results_are_printed_on_one_line() -> None:
    summary = Summary(at_least=0.5)
    for made in ("f", "g"):
        summary.add(score_calls((ToolCall("f", {}),), (ToolCall(made, {}),), DEFAULT))

    results = Results(settings=DEFAULT, summary=summary)

    assert str(results) == "Macro F1: 50.0% | Cases: 2 | Passed: 1 | Exact: 1"


def test_results_of_nothing_are_printed_without_a_number() -> None:
    results = Results(settings=DEFAULT, summary=Summary())

    assert str(results) == "Macro F1: - | Cases: 0 | Passed: 0 | Exact: 0"


def test_results_give_themselves_as_plain_data() -> None:
    results = Results(settings=DEFAULT, summary=Summary(), stopped=Noted(1, ("a:3: not JSON",)))

    assert results.to_dict() == results_to_dict(results)

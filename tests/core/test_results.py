from __future__ import annotations

import pytest
from msgspec.structs import replace

from callscore.core.results import CaseScore, Noted, Results
from callscore.core.scoring import score_calls
from callscore.core.settings import DEFAULT
from callscore.core.summary import Summary


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
    assert others == (Noted(),) * 4
    assert Noted() == Noted(0, ())


@pytest.mark.parametrize("name", ["not_scored", "not_run", "without_reference", "skipped"])
def test_whatever_is_not_a_scored_case_is_worth_a_note(name: str) -> None:
    results = Results(settings=DEFAULT, summary=Summary())

    assert not results.has_notes
    assert replace(results, **{name: Noted(1, ("a",))}).has_notes
    assert not replace(results, repeated=Noted(1, ("a",))).has_notes  # it was scored, too

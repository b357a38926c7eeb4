"""What the cases of a file come to."""

from __future__ import annotations

from callscore import Case, score
from callscore.core.settings import DEFAULT
from callscore.engines.file_totals import FileTotals

RIGHT = score(expected=["f"], actual=["f"])
WRONG = score(expected=["f"], actual=["g"])


def test_every_kind_of_case_is_counted() -> None:
    totals = FileTotals("answers", "answers.jsonl", DEFAULT, 0.9)
    totals.add(Case(id="right"), RIGHT, is_error=False)
    totals.add(Case(id="wrong"), WRONG, is_error=False)
    totals.add(Case(id="open"), None, is_error=False)
    totals.add(Case(id="gone"), None, is_error=True)

    found = totals.results()

    assert (found.name, found.place) == ("answers", "answers.jsonl")
    assert (found.cases, found.questions, found.answered) == (4, 4, 3)
    assert (found.passed, found.undecided, found.errors) == (1, 1, 1)
    assert found.trials == ()
    (scorer,) = found.scorers
    assert (scorer.name, scorer.mean, scorer.scored, scorer.passed) == ("accuracy", 0.5, 2, 1)
    assert scorer.is_below


def test_the_same_id_again_is_a_trial_of_the_case() -> None:
    totals = FileTotals("answers", "", DEFAULT, None)
    for found in (RIGHT, WRONG, None):
        totals.add(Case(id="a"), found, is_error=found is None)

    (trials,) = totals.results().trials

    assert (trials.case, trials.trials, trials.passed) == ("a", 3, 1)

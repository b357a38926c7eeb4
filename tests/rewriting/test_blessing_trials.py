"""Which trial of a case shows what is to be expected."""

from __future__ import annotations

from typing import Any

import pytest

from callscore import ToolCall
from callscore.history.records import ResultRecord
from callscore.rewriting.blessing import is_exact, is_right, observed_trial
from callscore.rewriting.change import CannotRewrite

EXACT = (1, 0, 0, 0, 1, 1, 0)
MISSED = (0, 0, 1, 0, 1, 0, 0)


def result(trial: int = 1, made: str | None = "g", **others: Any) -> ResultRecord:
    """A trial that called this, where `f` is expected; one without an answer where it is None."""
    fields: dict[str, Any] = {"run": "r", "evaluation": 0, "case": "a", "trial": trial}
    if made is None:
        return ResultRecord(**fields, status="error", failure=("timeout", "no answer"))
    is_expected = made == "f"
    fields |= {
        "status": "scored",
        "calls": [{"name": made, "arguments": {}, "id": f"call_{trial}"}],
        "counts": EXACT if is_expected else (0, 0, 1, 1, 1, 1, 0),
        "passed": is_expected,
    }
    return ResultRecord(**fields | others)


def calls_of(record: ResultRecord) -> list[ToolCall]:
    return [ToolCall(call["name"], call["arguments"]) for call in record.calls or ()]


def test_what_was_called_exactly_needs_no_change() -> None:
    assert is_exact(result(made="f"))
    assert is_right(result(made="f"))
    assert not is_exact(result(counts=MISSED))
    assert not is_exact(result(counts=(1, 0, 0, 0, 1, 1, 1)))
    assert not is_exact(result(counts=()))


def test_a_case_that_another_scorer_is_not_content_with_is_not_right() -> None:
    assert not is_right(result(made="f", passed=False))
    assert is_right(result(made="f", passed=None))


def test_trials_that_agree_show_what_is_to_be_expected() -> None:
    first, second = result(1), result(2)

    assert observed_trial([first, second], None, calls_of) is first


def test_a_trial_without_an_answer_has_no_say() -> None:
    answered = result(2)

    assert observed_trial([result(1, made=None), answered], None, calls_of) is answered


@pytest.mark.parametrize(
    "trials", [[], [result(made="f")], [result(made="f"), result(2, made=None)]]
)
def test_where_all_is_as_expected_nothing_is_to_be_changed(trials: list[ResultRecord]) -> None:
    assert observed_trial(trials, None, calls_of) is None
    assert observed_trial(trials, 7, calls_of) is None


def test_trials_that_disagree_are_named() -> None:
    trials = [result(1), result(2, made="f"), result(3), result(4, made="h", calls=[])]

    with pytest.raises(CannotRewrite) as refused:
        observed_trial(trials, None, calls_of)

    assert str(refused.value) == (
        "its trials do not agree (1, 3: g(); 2: f(); 4: []). Choose one with --trial."
    )


def test_one_trial_may_be_chosen() -> None:
    trials = [result(1), result(2, made="h"), result(3, made="f"), result(4, made=None)]

    assert observed_trial(trials, 2, calls_of) is trials[1]
    assert observed_trial(trials, 3, calls_of) is None
    for missing in (4, 5):
        with pytest.raises(CannotRewrite, match=f"it has no trial {missing} with an answer"):
            observed_trial(trials, missing, calls_of)

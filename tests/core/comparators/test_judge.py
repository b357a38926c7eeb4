"""`$judge`: who is asked, and what may be answered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore.core.budget import Budget
from callscore.core.call import ToolCall
from callscore.core.rules import Matcher, check_matcher
from callscore.core.scoring import score_calls
from callscore.core.settings import Settings
from callscore.core.value_comparison import compare_value, make_context
from callscore.errors import InvalidSettings

if TYPE_CHECKING:
    from callscore.core.rules import Verdict


def judged(answer: Any, **options: float) -> Verdict:
    context = make_context(Settings(judge=lambda _question, _value: answer), Budget())
    return compare_value(Matcher("$judge", "polite?", options), "hello", context)


def test_the_judge_is_asked_the_question_about_the_value() -> None:
    asked: list[Any] = []

    def judge(question: str, value: Any) -> bool:
        asked.append((question, value))
        return True

    verdict = compare_value(
        Matcher("$judge", "polite?"), {"a": 1}, make_context(Settings(judge=judge), Budget())
    )

    assert verdict.matched
    assert asked == [("polite?", {"a": 1})]


@pytest.mark.parametrize(
    ("answer", "matched", "value"),
    [
        (True, True, 1.0),
        (False, False, 0.0),
        ((True, "so kind"), True, 1.0),
        (0.5, True, 0.5),
        (0.49, False, 0.49),
        ((1, "perfect"), True, 1.0),
    ],
)
def test_yes_and_no_and_numbers_are_answers(answer: Any, matched: bool, value: float) -> None:
    verdict = judged(answer)

    assert (verdict.matched, verdict.value, verdict.parts) == (matched, value, ())


def test_how_much_is_enough_can_be_said() -> None:
    assert not judged(0.6, at_least=0.7).matched
    assert judged(0.7, at_least=0.7).matched


@pytest.mark.parametrize(
    ("answer", "english", "russian"),
    [
        ((False, "rude"), "the judge: rude", "судья: rude"),
        (0.25, "judge score 0.25 < 0.5", "оценка судьи 0.25 < 0.5"),
        ((0, "no\x1b"), "judge score 0 < 0.5: no\\u001b", "оценка судьи 0 < 0.5: no\\u001b"),
    ],
)
def test_a_refusal_says_what_the_judge_said(answer: Any, english: str, russian: str) -> None:
    note = judged(answer).note

    assert note is not None
    assert (note.text("en"), note.text("ru")) == (english, russian)


def test_a_plain_no_needs_no_note() -> None:
    assert judged(answer=False).note is None


@pytest.mark.parametrize("answer", [None, "yes", 1.5, (True, 5), (True, "a", "b"), ("x", "y")])
def test_any_other_answer_is_an_error(answer: Any) -> None:
    with pytest.raises(
        InvalidSettings, match="judge: the function must return a number from 0 to 1, got "
    ):
        judged(answer)


def test_without_a_judge_the_error_says_how_to_get_one() -> None:
    with pytest.raises(InvalidSettings, match=r"score\(\.\.\., judge=ask_model\)"):
        compare_value(Matcher("$judge", "polite?"), "hello", make_context(Settings(), Budget()))


@pytest.mark.parametrize(
    "matcher",
    [
        Matcher("$judge", ""),
        Matcher("$judge", " "),
        Matcher("$judge", 5),
        Matcher("$judge", "a", {"at_least": 2}),
    ],
)
def test_a_question_is_text_and_enough_is_a_share(matcher: Matcher) -> None:
    assert check_matcher(matcher) is not None


def test_a_score_and_its_differences_rest_on_one_answer() -> None:
    answers = iter([False, True, True, True, True])
    settings = Settings(judge=lambda _question, _value: next(answers))
    expected = ToolCall("say", {"text": Matcher("$judge", "polite?")})

    score = score_calls((expected,), (ToolCall("say", {"text": "go"}),), settings)

    assert score.f1 == 0
    assert [found.kind for found in score.incorrect[0].differences] == ["matcher"]
    assert score.incorrect[0].matched_arguments == 0

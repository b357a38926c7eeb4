from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from callscore.core.call import ToolCall
from callscore.core.counted_calls import Ignored
from callscore.core.results import CaseScore, Noted, Results
from callscore.core.score import Fault, Score
from callscore.core.settings import DEFAULT, Settings
from callscore.core.statistics import Interval
from callscore.core.summary import Summary
from callscore.reports.formatting import forbidden_line, settings_text
from callscore.reports.score import check_hint, count_text, interval_text, note_lines

if TYPE_CHECKING:
    from callscore.core.phrases import Language


NONE = Noted()


def noted(*, not_run: Noted = NONE, skipped: Noted = NONE) -> Results:
    return Results(settings=Settings(), summary=Summary(), not_run=not_run, skipped=skipped)


def test_nothing_out_of_the_ordinary_needs_no_note() -> None:
    assert note_lines(noted(), "en") == []


@pytest.mark.parametrize(
    ("lang", "names"),
    [("en", "a, b, c, d, e, … 95 more"), ("ru", "a, b, c, d, e, … ещё 95")],
)
def test_a_note_names_the_first_few_and_counts_the_rest(lang: Language, names: str) -> None:
    results = noted(not_run=Noted(100, tuple("abcdefgh")))

    assert [line[1] for line in note_lines(results, lang)] == [names]


def test_a_note_without_names_is_a_count_alone() -> None:
    assert note_lines(noted(skipped=Noted(3)), "en") == [("3 records skipped: not readable", "")]


def test_a_name_in_a_note_is_short_and_on_one_line() -> None:
    results = noted(skipped=Noted(1, ("x\n" * 100,)))

    (line,) = note_lines(results, "en")

    assert len(line[1]) == 100
    assert "\n" not in line[1]


def test_intervals_and_shares_are_given_in_percent() -> None:
    assert interval_text(Interval(0.25, 0.9999)) == "25.0% – 99.9%"  # noqa: RUF001  (a range)
    assert count_text(1, 4, "en") == "1 of 4, 25.0%"
    assert count_text(1, 4, "ru") == "1 из 4, 25.0%"


def alike(left: str, right: str) -> float:
    return float(left == right)


CHANGES: dict[str, tuple[object, str]] = {
    "mode": ("flexible", "flexible from 0.8, any order"),
    "argument_match_threshold": (0.7, "strict, any order"),  # which strict does not look at
    "order": ("exact", "strict, exact order"),
    "extra_arguments": ("count", "strict, any order, extra arguments count"),
    "at_least": (0.8, "strict, any order, passed from 0.8"),
    "strip_prefix": (("mcp__*__",), "strict, any order, prefixes stripped"),
    "normalise_name": (("case",), "strict, any order, names normalised"),
    "count_calls": ("writes", "strict, any order, writes only"),
    "failed_calls": ("ignore", "strict, any order, failed calls ignored"),
    "repeated_calls": ("collapse", "strict, any order, repeats collapsed"),
    "arrays": ("unordered", "strict, any order, arrays in any order"),
    "nested_objects": ("subset", "strict, any order, extra keys in objects allowed"),
    "effects": ((("get_*", "read"),), "strict, any order, effects (get_* read)"),
    "arguments": ({"*.query": "text"}, "strict, any order, rules for arguments (*.query text)"),
    "top_k": (3, "strict, any order, best of 3 answers"),
    "similarity": (alike, "strict, any order, own similarity"),
    "judge": (alike, "strict, any order, with a judge"),
}


@pytest.mark.parametrize("name", Settings.__struct_fields__)
def test_a_setting_is_named_where_it_is_not_as_by_default(name: str) -> None:
    value, text = CHANGES[name]
    settings = Settings(**{name: value})  # type: ignore[arg-type]  # each of its own type

    assert settings_text(DEFAULT, "en") == "strict, any order"
    assert settings_text(settings, "en") == text
    assert settings_text(settings, "ru") != text


def test_forbidden_calls_are_noted_with_their_tools() -> None:
    summary = Summary()
    made = tuple(ToolCall(name, {}) for name in ("drop", "delete", "drop"))
    summary.add(Score((), made, 0, forbidden=(0, 1, 2)))
    summary.add(Score((), made[:1], 0, forbidden=(0,)))
    results = Results(settings=DEFAULT, summary=summary)

    line = ("4 forbidden calls, in 2 cases: such a case scores 0", "drop, delete")
    assert forbidden_line(summary, "en") == line
    assert note_lines(results, "en") == [line]
    assert forbidden_line(Summary(), "en") is None


def test_of_many_rules_the_first_are_named_and_the_rest_counted() -> None:
    rules = {f"*.a{number}": "text" for number in range(6)}
    settings = Settings(arguments=rules, effects=(("x" * 50 + "\n", "read"),))  # type: ignore[arg-type]  # a mapping will do

    text = settings_text(settings, "en", write=lambda name: f"<{name}>")

    names = ", ".join(f"<*.a{number} text>" for number in range(4))
    assert f"rules for arguments ({names}, … 2 more)" in text
    assert text.endswith("xxxx\\n read>)")
    assert len(text) < 200
    assert "правила для аргументов (*.a0 text" in settings_text(settings, "ru")


@pytest.mark.parametrize(
    ("cases", "en", "ru"),
    [
        (
            1,
            "1 case: no call counts under these settings, so it passes",
            "1 случай: по этим настройкам ни один вызов не учитывается, поэтому он пройден",
        ),
        (
            59,
            "59 cases: no call counts under these settings, so they pass",
            "59 случаев: по этим настройкам ни один вызов не учитывается, поэтому они пройдены",
        ),
    ],
)
def test_cases_in_which_no_call_counts_are_noted(cases: int, en: str, ru: str) -> None:
    summary = Summary()
    for _ in range(cases):
        summary.add(Score((), (), 0, ignored=(Ignored(ToolCall("get", {}), "actual", "read"),)))
    results = Results(settings=DEFAULT, summary=summary)

    assert summary.passed == cases
    assert note_lines(results, "en") == [(en, "")]
    assert note_lines(results, "ru") == [(ru, "")]


def test_faults_in_cases_that_are_not_shown_can_be_found() -> None:
    calls = (ToolCall("f", {}),)
    score = Score(calls, calls, 1, faults=(Fault("unknown_tool", "f", 0),))
    summary = Summary()
    summary.add(score)
    shown = CaseScore(id="a", score=score)

    assert check_hint(Results(settings=DEFAULT, summary=Summary()), "en") is None
    assert check_hint(Results(settings=DEFAULT, summary=summary, cases=(shown,)), "en") is None
    summary.add(score)
    results = Results(settings=DEFAULT, summary=summary, cases=(shown,))
    assert check_hint(results, "en") == "callscore check shows where"
    assert check_hint(results, "ru") == "callscore check покажет, где"

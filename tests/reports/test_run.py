"""What is said of a run."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, get_args
from xml.etree.ElementTree import Element, fromstring

import msgspec
import pytest
from msgspec.structs import replace
from tests.reports.runs import ATTACKED, FINE, MIXED, NOTHING, VARIANTS, WEATHER

from callscore.core.call import ToolCall
from callscore.core.counted_calls import Ignored
from callscore.core.results import (
    CaseTrials,
    CaseValues,
    Failure,
    FailureKind,
    ListedCase,
    MetricValue,
    Noted,
    RunResults,
    ScorerResult,
)
from callscore.core.summary import Summary
from callscore.reports.formatting import duration, first_names, grouped_number
from callscore.reports.run import (
    FAILURE_KINDS,
    evaluation_label,
    facts_line,
    failure_groups,
    group_notes,
    judge_lines,
    shown_cases,
    subtitle,
    unnamed_errors,
    variant_groups,
    verdict_parts,
    write_markdown,
)
from callscore.reports.run_json import write_json
from callscore.reports.run_junit import write_junit
from callscore.words.plain_data import run_to_dict

if TYPE_CHECKING:
    from callscore.core.phrases import Language

EACH = FINE.evaluations[0]


@pytest.mark.parametrize(
    ("seconds", "english", "russian"),
    [
        (0.0001, "< 1 ms", "< 1 мс"),
        (0.25, "250 ms", "250 мс"),
        (0.96, "1.0 s", "1.0 с"),
        (4.21, "4.2 s", "4.2 с"),
        (59.97, "1 min 0 s", "1 мин 0 с"),
        (125, "2 min 5 s", "2 мин 5 с"),
        (3725, "1 h 2 min", "1 ч 2 мин"),
    ],
)
def test_a_time_is_said_as_people_say_it(seconds: float, english: str, russian: str) -> None:
    assert (duration(seconds, "en"), duration(seconds, "ru")) == (english, russian)


def test_thousands_stand_apart() -> None:
    assert grouped_number(1_234_567, "en") == "1,234,567"
    assert grouped_number(1_234_567, "ru") == "1\u00a0234\u00a0567"


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"answered": 3, "passed": 3}, [("All 3 passed", "good")]),
        ({"answered": 1, "passed": 1}, [("1 passed", "good")]),
        ({"answered": 3, "passed": 2}, [("2 of 3 passed", ""), ("1 failed", "bad")]),
        ({"answered": 2, "passed": 2, "errors": 1}, [("2 of 3 passed", ""), ("1 error", "bad")]),
        ({"answered": 0, "passed": 0, "errors": 2}, [("No answers", ""), ("2 errors", "bad")]),
        (
            {"answered": 0, "passed": 0, "errors": 2, "unscored": 1},
            [("No scores", ""), ("2 errors", "bad")],
        ),
        (
            {"answered": 2, "passed": 0, "undecided": 2},
            [("0 passed", ""), ("2 without a score", "")],
        ),
    ],
)
def test_the_verdict_says_what_it_all_comes_to(
    fields: dict[str, int], words: list[tuple[str, str]]
) -> None:
    run = RunResults(evaluations=(replace(EACH, **fields),))

    assert verdict_parts(run, "en") == words


def test_an_interrupted_run_says_so() -> None:
    assert verdict_parts(replace(FINE, is_interrupted=True), "ru") == [
        ("пройдено 3", ""),  # not all: nobody knows about the others
        ("прервано: не запущено 0", "bad"),
    ]


@pytest.mark.parametrize("kind", get_args(FailureKind))
@pytest.mark.parametrize("lang", ["en", "ru"])
def test_there_are_words_for_every_kind_of_error(kind: FailureKind, lang: Language) -> None:
    assert getattr(FAILURE_KINDS[kind], lang)


def test_the_facts_leave_out_what_there_is_nothing_of() -> None:
    assert facts_line(FINE, "en") == "3 cases in 31 ms"
    assert facts_line(MIXED, "en") == (
        "14 cases (2 reused) in 1 min 15 s, 9 requests, 12,345 tokens in, 678 out"
    )


def test_names_beyond_the_first_are_counted() -> None:
    assert first_names(["a", "b"], 2, "en") == "a, b"
    assert first_names(list("abcdefg"), 7, "en") == "a, b, c, d, e, … 2 more"
    assert first_names([], 3, "en") == ""


def test_a_judge_is_named_with_what_it_was_asked() -> None:
    assert judge_lines(MIXED, "en") == ["judge gpt-4.1-mini: 12 values, 4 requests"]


def test_below_the_name_stand_the_cases_and_how_they_are_compared() -> None:
    assert subtitle([EACH], "en") == "3 cases, strict, any order, median < 1 ms"
    assert (
        subtitle(VARIANTS.evaluations, "en") == "2 cases, 3 variants, 19 trials, strict, any order"
    )
    alone = replace(VARIANTS.evaluations[0], variant=None)
    assert subtitle([alone], "en") == "2 cases, 6 trials, strict, any order, median 3.0 s"
    assert subtitle(VARIANTS.evaluations[:1], "en") == "2 cases, 6 trials, strict, any order"


def test_variants_are_not_counted_as_trials() -> None:
    once = [replace(each, cases=3, questions=3) for each in VARIANTS.evaluations[:2]]

    assert subtitle(once, "en") == "3 cases, 2 variants, strict, any order"
    assert subtitle(once, "ru").startswith("3 случая, 2 варианта, ")
    assert "trials" not in str(verdict_parts(replace(VARIANTS, evaluations=tuple(once)), "en"))


# What a run gave, as JSON.


def test_the_report_is_the_run_as_plain_data() -> None:
    text = write_json(MIXED)

    assert msgspec.json.decode(text) == run_to_dict(MIXED)
    assert text.startswith('{\n  "id": "20261115-184354-k3f9",\n')
    assert text.endswith("}\n")


def test_keys_do_not_change_with_the_language_and_sentences_do() -> None:
    english, russian = (
        msgspec.json.decode(write_json(MIXED)),
        msgspec.json.decode(write_json(MIXED, lang="ru")),
    )

    assert english.keys() == russian.keys()
    assert english["evaluations"][0]["cases"][0]["rating"] == "Poor"
    assert russian["evaluations"][0]["cases"][0]["rating"] == "Плохо"


def test_whatever_stands_in_the_data_the_document_is_json() -> None:
    assert msgspec.json.decode(write_json(ATTACKED)) == run_to_dict(ATTACKED)


# What a run gave, as JUnit XML.


def parsed(run: RunResults) -> Element:
    return fromstring(write_junit(run).encode())  # noqa: S314  (our own text)


def found(root: Element, outcome: str) -> list[tuple[str | None, str | None]]:
    """The names of tests with this outcome, and its type."""
    return [
        (test.get("name"), result.get("type"))
        for test in root.iter("testcase")
        for result in test.iterfind(outcome)
    ]


def test_an_evaluation_is_a_suite_under_each_variant() -> None:
    names = [suite.get("name") for suite in parsed(VARIANTS)]

    assert names == ["assistant [gpt-4.1]", "assistant [claude-sonnet-4]", "assistant [small]"]


def test_a_failing_case_is_a_failed_test_that_says_which_scorers_are_not_content() -> None:
    failure = parsed(MIXED).find("testsuite/testcase/failure")

    assert failure is not None
    assert (failure.get("type"), failure.get("message")) == ("score", "accuracy 0.000")
    assert '  ~ location: "Paris"     location: "Lyon"' in (failure.text or "")


def test_what_has_no_answer_is_an_error_and_no_failure() -> None:
    root = parsed(MIXED)

    assert found(root, "error") == [
        ("convert-5-miles-to-km", "timeout"),
        ("book-a-table", "raised"),
        ("book-another-table", "raised"),
        ("… 1 error more", "error"),
        ("interrupted: 2 not run", "interrupted"),
        ("evals/eval_broken.py:3", "unloaded"),
    ]


def test_a_mean_below_fail_under_is_a_failed_test_of_its_own() -> None:
    assert found(parsed(MIXED), "failure") == [
        ("what-is-the-weather-in-paris", "score"),
        ("accuracy ≥ 0.900", "fail_under"),
        ("polite ≥ 0.500", "fail_under"),
        ("promise-me-a-refund", "score"),
    ]


def test_what_was_left_out_is_skipped() -> None:
    skipped = parsed(MIXED).find(".//skipped/..")

    assert skipped is not None
    assert skipped.get("name") == "say-goodbye: the service is down on Sundays"
    assert skipped.get("classname") == "assistant"


def test_the_suites_count_their_tests() -> None:
    root = parsed(MIXED)

    counts = [
        tuple(element.get(key) for key in ("tests", "failures", "errors", "skipped"))
        for element in (root, *root)
    ]
    assert counts == [
        ("11", "4", "6", "1"),
        ("9", "3", "5", "1"),
        ("1", "1", "0", "0"),
        ("1", "0", "1", "0"),
    ]
    assert root.get("time") == "74.600"


def test_what_the_scorers_say_are_properties_of_suites_and_tests() -> None:
    root = parsed(MIXED)

    suite = {item.get("name"): item.get("value") for item in root[0].iterfind("properties/*")}
    test = {item.get("name"): item.get("value") for item in root[0].iterfind("testcase[1]//*")}
    assert suite["tool_called"] == "1.0"
    assert suite["polite: not scorable"] == ""
    assert test["accuracy"] == "0.0"


def test_a_case_without_expectations_shows_its_calls_and_the_reasons() -> None:
    root = parsed(MIXED)

    failure = root[1].find("testcase/failure")
    assert failure is not None
    assert failure.text == (
        "no_promises: it says “at once”\n"
        'getWeather(location="Paris", unit="celsius")\n'
        'reply(text="Of course, at once!")'
    )


def test_a_forbidden_call_is_a_failure_of_its_own_type() -> None:
    each = MIXED.evaluations[0]
    case = replace(WEATHER, score=replace(WEATHER.score, forbidden=(1,)), metrics=())
    root = parsed(
        RunResults(evaluations=(replace(each, results=replace(each.results, cases=(case,))),))
    )

    failure = root.find("testsuite/testcase/failure")
    assert failure is not None
    assert (failure.get("type"), failure.get("message")) == ("forbidden", "forbidden")


def test_a_case_that_passes_or_has_no_number_is_a_passed_test() -> None:
    each = replace(
        FINE.evaluations[0], unreferenced=(CaseValues(id="quiet"),), scorers=(), errors=0
    )

    assert [len(test) for test in parsed(RunResults(evaluations=(each,))).iter("testcase")] == [0]


def test_no_calls_are_said_in_words_and_in_russian() -> None:
    each = MIXED.evaluations[1]
    case = replace(each.unreferenced[0], calls=())
    run = RunResults(evaluations=(replace(each, unreferenced=(case,)),))

    assert "Вызовов нет." in write_junit(run, lang="ru")


def test_characters_that_xml_does_not_know_are_left_out() -> None:
    root = parsed(ATTACKED)

    assert found(root, "error")[0] == ("\\u001b[31m[red]|`<b>:smile:\\u0000", "raised")


def test_names_that_differ_in_what_cannot_be_seen_stay_different() -> None:
    each = FINE.evaluations[0]
    shown = [replace(WEATHER, id=f"a{mark}b") for mark in ("\x01", "\x02", "\u202e", "")]
    run = RunResults(evaluations=(replace(each, results=replace(each.results, cases=shown)),))

    names = [test.get("name") for test in parsed(run).iter("testcase")]

    assert names[:4] == ["a\\u0001b", "a\\u0002b", "a\\u202eb", "ab"]


def test_warnings_are_what_the_program_said_beside_the_report() -> None:
    said = [element.text for element in parsed(MIXED).iter("system-err")]

    assert said == ["Nothing was kept: the disk is full (.callscore/history.db)."]
    assert parsed(FINE).find(".//system-err") is None


def test_nothing_run_is_an_empty_document() -> None:
    assert write_junit(NOTHING) == (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        '<testsuites name="callscore" time="0.000" tests="0" failures="0" errors="0" skipped="0"'
        " />\n"
    )


def test_a_scorer_that_does_not_work_is_an_error_of_its_own() -> None:
    each = FINE.evaluations[0]
    broken = replace(each.scorers[0], broken=Noted(2, ("it raises ValueError",)))
    run = replace(FINE, evaluations=(replace(each, scorers=(broken, *each.scorers[1:])),))

    error = parsed(run).find("testsuite/testcase/error")

    assert error is not None
    assert (error.get("type"), error.get("message")) == (
        "broken",
        f"{broken.name}: it raises ValueError",
    )


# What a run gave, as Markdown.

FINE_REPORT = """\
## All 3 passed

3 cases in 31 ms\x20\x20
run `20261115-184354-k3f9`

### `assistant`

`examples/assistant/eval_assistant.py:12`\x20\x20
3 cases, strict, any order, median < 1 ms

| scorer | mean | passed |
| --- | ---: | ---: |
| `tool_called` | 1.000 | 3/3 |
| `parameters_valid` | 1.000 | 3/3 |
"""


def test_a_run_that_is_fine_is_a_headline_and_a_table() -> None:
    assert write_markdown(FINE) == FINE_REPORT


def test_the_verdict_is_the_headline() -> None:
    first, *_ = write_markdown(MIXED).split("\n")

    assert first == (
        "## 3 of 11 passed, 4 failed, 4 errors, 1 without a score, 1 skipped, interrupted: 2 not run"
    )
    assert write_markdown(NOTHING) == "## No case was run.\n"
    assert write_markdown(VARIANTS, lang="ru").startswith(
        "## пройдено попыток: 15 из 19, не пройдено 3, 1 ошибка\n"
    )


def test_an_evaluation_without_scorers_has_no_table() -> None:
    (evaluation,) = FINE.evaluations
    text = write_markdown(replace(FINE, evaluations=(replace(evaluation, scorers=()),)))

    assert "### `assistant`" in text
    assert "scorer" not in text


def test_a_table_says_which_means_are_too_low() -> None:
    text = write_markdown(MIXED)

    assert "| scorer | mean | passed | required |" in text
    assert "| `parameters_valid` | 0.950 | 4/5 | ≥ 0.900 |" in text
    assert "| `accuracy` | 0.667 | 2/5 | ≥ 0.900 |" in text
    assert "- **`polite` has no score for 5 cases** (`the scorer raised KeyError: 'text'`)" in text


def test_cases_and_errors_are_folded_in() -> None:
    text = write_markdown(MIXED)

    assert "paris</code> failed, assistant</summary>\n\n`tool_called` 1.000" in text
    assert '  ~ location: "Paris"     location: "Lyon"' in text
    assert "km</code> error: timeout, 3 attempts, assistant</summary>" in text
    assert "```text\nno answer within 60 seconds\n```" in text
    assert 'File "evals/eval_assistant.py", line 31, in assistant\n    raise' in text
    assert "</code> cannot be used</summary>\n\n```text\nModuleNotFoundError" in text
    assert "\n… 2 cases not shown; --max-shown shows more\n" in text
    assert "\n… 1 error more\n" in text
    assert text.count("<details>") == text.count("</details>") == 5


def test_what_scorers_say_stands_in_the_case_with_the_reasons() -> None:
    text = write_markdown(MIXED)

    assert "`no_promises` 0.000\n\n- `no_promises`: <code>it says &#8220;at once" in text
    assert '```text\ngetWeather(location="Paris", unit="celsius")\nreply(text="Of cou' in text


def test_variants_stand_side_by_side() -> None:
    text = write_markdown(VARIANTS)

    assert (
        "| variant | `tool_called` | `parameters_valid` | `accuracy` | passed | errors | median"
        " | tokens |" in text
    )
    assert "| `small` | 0.833 | 0.750 | 0.667 | 4/7 | 1 | 2.0 s | 5,035 |" in text
    assert "| required |  |  | ≥ 0.800 |  |  |  |  |" in text
    assert "- **`small`: `accuracy` 0.667, required ≥ 0.800**" in text
    assert "#### Repeated trials\n\n|  | k=1 | k=2 | k=3 |" in text
    assert "| `claude-sonnet-4 pass^k` | 0.833 | 0.667 | 0.500 |" in text


def test_a_long_reason_is_cut() -> None:
    values = (MetricValue("x", 0.0, "why " * 200),)
    each = replace(MIXED.evaluations[1], unreferenced=(CaseValues(id="a", values=values),))

    line = next(
        x for x in write_markdown(RunResults(evaluations=(each,))).split("\n") if "why" in x
    )

    assert "…" in line
    assert len(line) < 320


def test_trials_of_an_evaluation_without_variants_have_no_name_before_them() -> None:
    alone = replace(VARIANTS.evaluations[0], variant=None)

    assert "| `pass@k` | 1.000 |" in write_markdown(RunResults(evaluations=(alone,)))


def test_a_long_list_of_calls_is_cut_and_none_is_said() -> None:
    calls = tuple(ToolCall("f", {"n": number}) for number in range(25))
    each = replace(
        MIXED.evaluations[1],
        unreferenced=(
            CaseValues(id="many", calls=calls, values=(MetricValue("x", 1.0),)),
            CaseValues(id="none"),
        ),
        place="",
    )

    text = write_markdown(RunResults(evaluations=(each,)))

    assert "many</code> passed</summary>" in text
    assert "f(n=19)\n… 5 more\n```" in text
    assert "none</code> no score</summary>\n\n```text\nNo calls.\n```" in text


def test_names_from_the_data_stay_plain_text() -> None:
    text = write_markdown(ATTACKED)

    assert "\x1b" not in text
    outside = re.sub(r"^(`{3,})\w+\n.*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL)
    assert "<b>" not in outside
    for row in re.findall(r"^\|.*\|$", outside, re.MULTILINE):
        assert (
            "red" not in row.replace("required", "") or "&#124;" in row
        )  # their bar is not one of the table's


# What should be known of an evaluation beside its numbers.


def test_what_is_fine_needs_no_notes() -> None:
    assert group_notes([EACH], "en") == []


def test_notes_name_what_has_no_number_and_what_was_left_out() -> None:
    assert group_notes(MIXED.evaluations[:1], "en") == [
        ("accuracy 0.667, required ≥ 0.900", ""),
        ("polite has no score, required ≥ 0.500", ""),
        ("polite has no score for 5 cases", "the scorer raised KeyError: 'text'"),
        ("1 case skipped", "say-goodbye: the service is down on Sundays"),
    ]


def test_a_note_of_some_variants_names_them() -> None:
    assert group_notes(VARIANTS.evaluations, "en") == [
        ("claude-sonnet-4: 1 flaky case", "weather 2/3"),
        ("small: accuracy 0.667, required ≥ 0.800", ""),
        ("small: 1 flaky case", "weather 1/3"),
    ]


def test_a_note_of_all_variants_is_said_once() -> None:
    group = [
        replace(each, skipped=Noted(1, ("draft",)), trials=(), scorers=())
        for each in VARIANTS.evaluations
    ]

    assert group_notes(group, "ru") == [("исключено: 1 случай", "draft")]


def test_a_forbidden_call_is_said_first_and_that_no_call_counts_too() -> None:
    summary = Summary()
    summary.add(replace(WEATHER.score, forbidden=(1,)))
    ignored = (Ignored(ToolCall("get", {}), "actual", "read"),)
    nothing = replace(WEATHER.score, expected=(), actual=(), incorrect=(), ignored=ignored)
    summary.add(nothing)
    each = replace(EACH, results=replace(EACH.results, summary=summary))

    assert group_notes([each], "en") == [
        ("1 forbidden call in 1 case, scored 0", "calculator"),
        ("1 case without calls that count: passed, no rating", ""),
    ]


def test_flaky_cases_are_those_that_sometimes_pass() -> None:
    trials = (CaseTrials("a", 3, 3), CaseTrials("b", 3, 1), CaseTrials("c", 3, 0))

    assert group_notes([replace(EACH, trials=trials)], "en") == [("1 flaky case", "b 1/3")]


# What a run gave, put together as people read it.


def test_the_variants_of_an_evaluation_belong_together() -> None:
    run = RunResults(evaluations=(*VARIANTS.evaluations, *FINE.evaluations))

    assert [len(group) for group in variant_groups(run)] == [3, 1]


def test_evaluations_of_one_name_in_two_files_are_two() -> None:
    first = FINE.evaluations[0]
    run = RunResults(evaluations=(first, replace(first, place="elsewhere.py")))

    assert [len(group) for group in variant_groups(run)] == [1, 1]


def test_an_evaluation_alone_needs_no_name_beside_its_cases() -> None:
    assert evaluation_label(FINE, FINE.evaluations[0]) == ""
    assert evaluation_label(VARIANTS, VARIANTS.evaluations[2]) == "assistant [small]"


def test_cases_are_shown_with_and_without_expectations() -> None:
    assert [(shown.case.label, shown.passed) for shown in shown_cases(MIXED)] == [
        ("what-is-the-weather-in-paris", False),
        ("promise-me-a-refund", False),
    ]


def test_errors_that_say_the_same_are_said_once() -> None:
    first, second = failure_groups(MIXED)

    assert (first.kind, first.attempts, len(first.failures)) == ("timeout", 3, 1)
    assert [failure.case for failure in second.failures] == ["book-a-table", "book-another-table"]


def test_errors_beyond_the_first_are_counted() -> None:
    assert unnamed_errors(MIXED) == 1


def test_errors_are_grouped_before_the_first_are_shown() -> None:
    alike = [Failure(case=str(at), kind="raised", problem="boom") for at in range(30)]
    other = [Failure(case=f"x{at}", kind="raised", problem=str(at)) for at in range(30)]
    run = RunResults(evaluations=(replace(EACH, failures=(*alike, *other), errors=60),))

    groups = failure_groups(run)

    assert [len(group.failures) for group in groups] == [30, *[1] * 19]
    assert unnamed_errors(run) == 11


# The list of all cases, in Markdown.


def test_every_case_of_a_small_evaluation_is_a_row() -> None:
    listed = (
        ListedCase(id="a|b", passed=True, value=1.0, seconds=0.25),
        ListedCase(id="c", passed=False, value=0.0, errors=1),
    )
    text = write_markdown(RunResults(evaluations=(replace(EACH, listed=listed),)))
    variants = [replace(each, listed=listed) for each in VARIANTS.evaluations]

    assert "|  | case | score | time |" in text
    assert "| ✓ | <code>a&#124;b</code> | 1.000 | 250 ms |" in text
    assert "| ! | `c` | error |  |" in text
    assert "#### `gpt-4.1`" in write_markdown(replace(VARIANTS, evaluations=tuple(variants)))


def test_a_run_that_stopped_at_a_failure_says_what_was_not_run() -> None:
    stopped = RunResults(
        evaluations=(replace(EACH, questions=5, cases=5, answered=2, passed=1),), is_stopped=True
    )

    assert verdict_parts(stopped, "en") == [
        ("1 of 2 passed", ""),
        ("1 failed", "bad"),
        ("stopped after the first failure: 3 not run", "bad"),
    ]


def test_trials_are_counted_apart_from_cases() -> None:
    each = replace(EACH, cases=50, questions=200, answered=200, passed=150)
    fine = replace(each, passed=200)

    some, all_passed = RunResults(evaluations=(each,)), RunResults(evaluations=(fine,))

    assert verdict_parts(some, "en")[0] == ("150 of 200 trials passed", "")
    assert verdict_parts(all_passed, "en") == [("All 200 trials passed", "good")]
    assert facts_line(some, "en").startswith("50 cases, 200 trials in ")
    assert subtitle([each], "en").startswith("50 cases, 200 trials, strict")


def test_a_scorer_without_a_number_counts_trials_where_there_are_several() -> None:
    scorer = ScorerResult(name="polite", not_scorable=Noted(2, ("no reason",)))
    each = replace(EACH, cases=1, questions=2, scorers=(scorer,))

    assert group_notes([each], "en")[0][0] == "polite has no score for 2 trials"
    assert group_notes([replace(each, cases=2)], "en")[0][0] == "polite has no score for 2 cases"

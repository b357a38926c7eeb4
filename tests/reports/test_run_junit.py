"""What a run gave, as JUnit XML."""

from __future__ import annotations

from xml.etree.ElementTree import Element, fromstring

from msgspec.structs import replace
from tests.reports.runs import ATTACKED, FINE, MIXED, NOTHING, VARIANTS, WEATHER

from callscore.core.results import CaseValues, Noted, RunResults
from callscore.reports.run import write_junit


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
        ("interrupted: 2 unanswered", "interrupted"),
        ("evals/eval_broken.py:3", "unloaded"),
    ]


def test_a_missed_threshold_is_a_failed_test_of_its_own() -> None:
    assert found(parsed(MIXED), "failure") == [
        ("what-is-the-weather-in-paris", "score"),
        ("accuracy ≥ 0.900", "threshold"),
        ("polite ≥ 0.500", "threshold"),
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

    assert "Вызовов не сделано." in write_junit(run, lang="ru")


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

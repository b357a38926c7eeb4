from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, fromstring, indent, tostring

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from callscore.core.call import ToolCall
from callscore.core.results import CaseScore, MetricValue, Noted, Results
from callscore.core.scoring import score_calls
from callscore.core.settings import Settings
from callscore.core.summary import Summary
from callscore.reports.score_junit import write_junit

if TYPE_CHECKING:
    from callscore.core.score import Score


def parsed(results: Results) -> Element:
    return fromstring(write_junit(results).encode())  # noqa: S314  (our own text)


def names(root: Element, outcome: str) -> list[str]:
    return [
        test.get("name", "") for test in root.iter("testcase") if test.find(outcome) is not None
    ]


def test_a_case_that_does_not_pass_is_a_failed_test(results: Results) -> None:
    root = parsed(results)

    failure = root.find("testsuite/testcase/failure")

    assert names(root, "failure") == ["news #0"]
    assert failure is not None
    assert failure.get("message") == (
        "Accuracy Score: 40.0% | Correct: 1/2 | Incorrect: 1 | Missed: 0 | Extra: 1"
    )
    assert '  ~ text: "long"            text: "short"' in (failure.text or "")


def test_a_forbidden_call_is_a_failure_of_its_own_type(
    forbidding: Results, results: Results
) -> None:
    failure = parsed(forbidding).find("testsuite/testcase/failure")
    other = parsed(results).find("testsuite/testcase/failure")

    assert failure is not None
    assert other is not None
    assert (failure.get("type"), other.get("type")) == ("forbidden", "score")
    assert (failure.get("message") or "").endswith("| Extra: 1 | Forbidden: 1")
    assert "! forbidden               translateText" in (failure.text or "")
    assert "call 3 of the trace, translateText: unknown tool" in (failure.text or "")


def test_a_case_that_passes_is_a_passed_test(passing: Score) -> None:
    case = CaseScore(id="fine", score=passing)

    root = parsed(Results(settings=Settings(), summary=Summary(), cases=(case,)))

    assert [len(test) for test in root.iter("testcase")] == [0]


def test_what_was_not_run_or_not_read_is_an_error_and_what_was_not_scored_is_skipped(
    results: Results,
) -> None:
    root = parsed(results)

    not_run = ["r1", "r2", "r3", "r4", "r5", "r6", "… 1 more"]
    not_read = ["traces.jsonl:812", "traces.jsonl:900: not JSON"]
    assert names(root, "error") == not_run + not_read
    assert names(root, "skipped") == ["draft"]


def test_an_error_says_what_is_missing_from_the_report(results: Results) -> None:
    messages = [error.get("message") for error in parsed(results).iter("error")]

    assert messages == [
        *["no answer"] * 7,
        "skipped: unreadable",
        "stopped here: the rest of the input is not in this report",
    ]


def test_the_suite_counts_its_tests(results: Results) -> None:
    root = parsed(results)

    for element in (root, root[0]):
        assert {key: value for key, value in element.items() if key != "name"} == {
            "tests": "11",
            "failures": "1",
            "errors": "9",
            "skipped": "1",
        }


def test_a_report_can_be_had_in_russian(results: Results) -> None:
    text = write_junit(results, lang="ru")

    assert 'message="Оценка: 40.0% | Верно: 1/2' in text
    assert 'message="нет ответа"' in text
    assert 'message="не удалось прочитать"' in text
    assert 'message="остановлено здесь: остальных данных в отчёте нет"' in text


def test_characters_that_xml_does_not_know_are_spelled_out(hostile: Results) -> None:
    root = parsed(hostile)

    assert names(root, "failure") == ["\\u001b[31m[red]|`<b>:smile:\\u0000"]
    assert names(root, "error") == ["\\u001b[31m[red]|`<b>:smile:\\u0000"] * 3


def test_nothing_to_report_is_an_empty_suite(nothing: Results) -> None:
    assert write_junit(nothing) == (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        '<testsuites name="callscore" tests="0" failures="0" errors="0" skipped="0">\n'
        '  <testsuite name="callscore" tests="0" failures="0" errors="0" skipped="0" />\n'
        "</testsuites>\n"
    )


def test_what_other_tools_say_are_properties(asked: Results) -> None:
    root = parsed(asked)

    of_all = {item.get("name"): item.get("value") for item in root.iterfind("*/properties/*")}
    of_case = {
        item.get("name"): item.get("value") for item in root.iterfind(".//testcase//property")
    }
    assert of_all == {
        "ragas.tool_call_f1": "0.7",
        "tool_scorer.score": "0.9999999999999999",
        "azure.navigation_match: not scorable": "",
    }
    assert of_case == {
        "ragas.tool_call_f1": "0.4",
        "tool_scorer.score": "0.9999999999999999",
        "azure.navigation_match: not scorable": "Azure wants something else.",
    }
    assert root.get("tests") == "1"


def test_the_versions_of_other_tools_are_properties_of_the_suite(asked: Results) -> None:
    known, *_ = asked.metrics
    root = parsed(replace(asked, metrics=(replace(known, version="0.4.3"),)))

    of_all = {item.get("name"): item.get("value") for item in root.iterfind("*/properties/*")}
    assert of_all == {"ragas.tool_call_f1": "0.7", "ragas.tool_call_f1: version": "0.4.3"}


def test_without_other_tools_there_are_no_properties(results: Results) -> None:
    assert parsed(results).find(".//properties") is None


_TEXTS = st.text(st.sampled_from("ab&<>\"'\n\t\r\x00\ufffe\x1b]日…:#["), max_size=12)


@given(_TEXTS, _TEXTS, _TEXTS)
def test_a_case_is_written_as_a_library_would_write_its_elements(
    label: str, name: str, value: str
) -> None:
    score = score_calls((ToolCall(name, {value: value}),), (ToolCall(name, {"a": 1}),), Settings())
    metrics = MetricValue(name=name, value=0.5), MetricValue(name=name, reason=value)
    cases = CaseScore(id=label, score=score), CaseScore(id=label, score=score, metrics=metrics)

    text = write_junit(Results(settings=Settings(), summary=Summary(), cases=cases))

    root = fromstring(text.encode())  # noqa: S314  (our own text)
    indent(root)
    assert text == f'<?xml version="1.0" encoding="utf-8"?>\n{tostring(root, encoding="unicode")}\n'


def test_what_was_not_read_is_said_beside_the_cases(results: Results) -> None:
    unread = Noted(3, ("a.jsonl:1: 'x' looks like a call.", "a.jsonl:2: \x00"))

    suite = parsed(replace(results, unread=unread)).find("testsuite")

    assert suite is not None
    error = suite[-1]
    assert (error.tag, (error.text or "").split("\n")) == (
        "system-err",
        [
            (
                "3 records with something that looks like calls and was not read; 'callscore formats"
                " --identify FILE' shows how a file is read:"
            ),
            "a.jsonl:1: 'x' looks like a call.",
            "a.jsonl:2: \\u0000",
        ],
    )
    assert parsed(results).find("testsuite/system-err") is None

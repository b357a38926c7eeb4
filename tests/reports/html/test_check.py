"""The report of checked calls as an HTML file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.reports.opened_html import open_html

from callscore.checks.check import CheckResults, FaultyRun, ToolFaults
from callscore.core.call import ToolCall
from callscore.core.results import Noted
from callscore.core.score import Fault
from callscore.reports.html.case_view import argument_of
from callscore.reports.html.check import html_parts, run_line
from callscore.reports.html.document import Heading, NextStep

if TYPE_CHECKING:
    from tests.reports.opened_html import OpenedReport

    from callscore.core.phrases import Language

RUN = FaultyRun(
    "traces.jsonl:3",
    "trip #2",
    (
        ToolCall("weather", {"city": 1}),
        ToolCall("now", {}),
        ToolCall("weather", {"city": 1}),
    ),
    (
        Fault("wrong_type", "weather", 0, "$.city", 1, "string", keyword="type"),
        Fault("wrong_type", "weather", 2, "$.city", 1, "string", keyword="type"),
        Fault("repeat", "weather", 2, since=0),
    ),
)
RESULTS = CheckResults(
    files=1,
    runs=5,
    calls=9,
    faulty_runs=1,
    faulty_calls=2,
    checked_calls=8,
    invalid_calls=2,
    tools={
        "weather": ToolFaults(6, {"wrong_type": 2, "repeat": 1}, 2),
        "now": ToolFaults(3, {}),
    },
)


def opened(
    results: CheckResults = RESULTS,
    runs: tuple[FaultyRun, ...] = (RUN,),
    lang: Language = "en",
    heading: Heading | None = None,
) -> OpenedReport:
    lines = [run_line(run, lang) for run in runs]
    return open_html(b"".join(html_parts(results, lines, lang=lang, heading=heading)))


def test_each_run_with_faults_is_a_line_of_the_list() -> None:
    report = opened()

    assert report.index["id"] == ["trip #2"]
    assert report.index["status"] == [1]
    assert report.column("tools") == [["weather", "now"]]
    assert report.column("problems") == [
        [
            {
                "class": "schema",
                "tool": "weather",
                "argument": "city",
                "kind": "wrong_type",
                "title": "wrong type",
            },
            {"class": "schema", "tool": "weather", "kind": "repeat", "title": "repeat"},
        ]
    ]


def test_the_detail_has_all_calls_and_what_is_wrong_below_each() -> None:
    [view] = opened().cases

    assert view["summary"] == "3 faults"
    assert [(row["mark"], row["actual"]["name"], row["actual_index"]) for row in view["rows"]] == [
        ("!", "weather", 0),
        ("=", "now", 1),
        ("!", "weather", 2),
    ]
    assert view["rows"][2]["notes"] == [
        "wrong type: city: must be of type string, got 1",
        "repeat: exact repeat of call 1",
    ]
    assert "notes" not in view["rows"][1]


def test_a_run_without_a_name_goes_by_its_place() -> None:
    unnamed = FaultyRun(RUN.place, None, RUN.calls, RUN.faults)

    assert opened(runs=(unnamed,)).index["id"] == ["traces.jsonl:3"]


def test_the_document_counts_calls_faults_and_traces() -> None:
    found = opened(heading=Heading(title="traces.jsonl")).document

    assert (found["kind"], found["title"]) == ("check", "traces.jsonl")
    assert found["verdict"] == {
        "status": "bad",
        "text": "1 file, 5 traces, 9 calls: 2 with faults (22.2%)",
        "details": [],
    }
    assert (found["headline"]["label"], found["headline"]["value"]) == ("Valid calls", 0.75)
    assert found["headline"]["meaning"] == "valid calls: 75.0% (6 of 8)"
    assert [(fact["label"], fact["value"]) for fact in found["facts"]] == [
        ("Traces", 5),
        ("Calls", 9),
        ("Calls with faults", 2),
        ("Wrong type", 2),
        ("Repeat", 1),
    ]
    counts = {name: found["counts"][name] for name in ("cases", "passed", "failed")}
    assert counts == {"cases": 5, "passed": 4, "failed": 1}
    assert [(tool["tool"], tool["correct"], tool["incorrect"]) for tool in found["tools"]] == [
        ("weather", 4, 2),
        ("now", 3, 0),
    ]
    assert [note["text"] for note in found["notes"]] == ["4 traces without faults: not listed"]


def test_without_faults_the_verdict_is_good() -> None:
    found = opened(CheckResults(files=1, runs=2, calls=3), ()).document

    assert found["verdict"] == {
        "status": "good",
        "text": "1 file, 2 traces, 3 calls: no faults found",
        "details": [],
    }
    assert found["headline"] is None
    assert found["notes"] == []


def test_without_calls_nothing_is_claimed() -> None:
    assert opened(CheckResults(files=1), ()).document["verdict"]["status"] == "neutral"


def test_what_was_not_checked_and_what_is_not_shown_is_noted() -> None:
    results = CheckResults(
        **{
            **{name: getattr(RESULTS, name) for name in ("files", "runs", "calls")},
            "faulty_runs": 3,
            "faulty_calls": 9,
            "not_shown": 6,
            "without_tools": Noted(2, ("traces.jsonl:1", "traces.jsonl:2")),
        }
    )
    heading = Heading(next=(NextStep("callscore check x --tools t", "check more"),))

    found = opened(results, heading=heading).document

    assert found["not_shown"] == 2
    assert found["notes"][0]["text"].endswith("(traces.jsonl:1, traces.jsonl:2)")
    assert found["notes"][-1]["text"] == "… 6 faults not shown; --max-shown shows more"
    assert found["next"] == [{"command": "callscore check x --tools t", "why": "check more"}]


def test_russian_is_as_complete_as_english() -> None:
    report = opened(lang="ru")

    assert report.document["verdict"]["text"] == "1 файл, 5 трасс, 9 вызовов: с ошибками 2 (22.2%)"
    assert report.document["headline"]["label"] == "Вызовы по схеме"
    assert report.document["notes"][0]["text"] == "без ошибок, в списке нет: 4 трассы"
    assert report.column("problems")[0][0]["title"] == "неверный тип"
    assert report.cases[0]["rows"][2]["notes"][1] == "повтор: точный повтор вызова 1"


@pytest.mark.parametrize(
    ("path", "argument"),
    [
        ("$", ""),
        ("$.city", "city"),
        ("$.passengers[0].name", "passengers"),
        ("$['first name']", "first name"),
        ("$['it\\'s'][0]", "it's"),
        ('$["a.b"].c', "a.b"),
        ("$.имя", "имя"),
    ],
)
def test_a_fault_belongs_to_the_argument_that_its_path_begins_with(
    path: str, argument: str
) -> None:
    assert argument_of(path) == argument


def test_hostile_text_is_data() -> None:
    hostile = "</script>\u202e\x00\t\n\ud800"
    call = ToolCall(hostile, {hostile: [hostile]}, result=hostile)
    run = FaultyRun(hostile, hostile, (call,), (Fault("unknown_tool", hostile, 0),))

    [view] = opened(runs=(run,)).cases

    assert view["id"].startswith("</script>\u202e\x00\t\n")
    assert view["rows"][0]["actual"]["result"].startswith("</script>")


def test_arguments_that_are_nested_very_deeply_are_text() -> None:
    deep: Any = 1
    for _ in range(200):
        deep = [deep]
    run = FaultyRun("a", None, (ToolCall("f", {"x": deep}),), (Fault("unknown_tool", "f", 0),))

    [view] = opened(runs=(run,)).cases

    assert view["rows"][0]["actual"]["name"] == "f"


def test_secrets_in_the_names_of_files_and_tools_are_hidden(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    secret = "sk-1234567890abcdef"  # noqa: S105  (made up)
    monkeypatch.setenv("SERVICE_API_KEY", secret)
    results = CheckResults(files=1, runs=1, calls=1, tools={secret: ToolFaults(1, {}, 1)})
    heading = Heading(title=f"{secret}.jsonl", next=(NextStep(f"callscore check {secret}", ""),))

    report = opened(results, (), heading=heading)

    assert secret not in repr(report)
    assert "SERVICE_API_KEY" in report.document["notes"][-1]["text"]

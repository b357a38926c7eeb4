"""The report of two compared runs as an HTML file."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from msgspec.structs import replace
from tests.comparing.sides_made_up import a_case, scored
from tests.reports.comparisons import (
    ATTACKED,
    HOSTILE,
    LATEST,
    MAIN,
    NOT_ENOUGH,
    NOTHING_COMMON,
    NOTHING_NEW,
    REGRESSED,
)
from tests.reports.html.compared_files import a_record, opened_comparison, write_lines
from tests.reports.opened_html import open_html
from tests.servers.fork_server import SOURCE

from callscore.comparing.case_pairs import CasePair, PairSide
from callscore.comparing.changes import SettingChange
from callscore.comparing.removals import RemovedCase
from callscore.comparing.sides import EvaluationSide
from callscore.reports.html.case_view import STATUSES
from callscore.reports.html.compare import (
    ComparedRuns,
    compared_document,
    compared_index,
    listed_evaluations,
)
from callscore.reports.html.compared_trials import TrialWriter
from callscore.reports.html.document import document_json
from callscore.reports.html.packing import CHANGES

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.comparing.comparison import Comparison
    from callscore.core.phrases import Language

WRONG = [
    {"name": "search", "arguments": {"city": "Rome"}},
    {"name": "book", "arguments": {"seats": 2}},
]


def document(
    comparison: Comparison, lang: Language = "en", pairs: tuple[CasePair, ...] = (), **fields: Any
) -> dict[str, Any]:
    runs = ComparedRuns(comparison=comparison, pairs=pairs, after=TrialWriter(lang), **fields)
    found: dict[str, Any] = msgspec.json.decode(document_json(compared_document(runs, lang), lang))
    return found


# --- the whole report on two files ----------------------------------------------------------------


BEFORE = [
    a_record("same"),
    a_record("breaks", tags=["slow"], input="Book two seats"),
    a_record("mends", WRONG),
    a_record("differs", [WRONG[0]]),
    a_record("gone"),
]
AFTER = [
    a_record("new", []),
    a_record("differs", WRONG),
    a_record("breaks", WRONG, tags=["slow"], input="Book two seats"),
    a_record("mends"),
    a_record("same"),
]


def test_all_cases_are_listed_those_that_broke_first(tmp_path: Path) -> None:
    report = opened_comparison(tmp_path, BEFORE, AFTER)

    assert report.index["id"] == ["breaks", "mends", "differs", "same", "gone", "new"]
    assert [CHANGES[each] for each in report.index["change"]] == [
        *("broken", "fixed", "changed", "same", "only_before", "only_after"),
    ]
    assert report.index["before"] == [[1, 1], [0, 1], [0, 1], [1, 1], [1, 1], None]
    assert report.index["after"] == [[0, 1], [1, 1], [0, 1], [1, 1], None, [0, 1]]
    assert [STATUSES[each] for each in report.index["status"]] == [
        *("failed", "passed", "failed", "passed", "passed", "failed"),
    ]
    assert report.column("tags") == [["slow"], [], [], [], [], []]
    assert report.column("problems")[0] == [
        {"class": "value", "tool": "search", "argument": "city"}
    ]
    assert report.index["about"][0] == "Book two seats"
    assert report.document["comparison"]["counts"] == {
        "broken": 1,
        "fixed": 1,
        "changed": 1,
        "same": 1,
        "only_before": 1,
        "only_after": 1,
    }


def test_the_detail_of_a_case_has_both_runs_and_the_command_that_explains_each(
    tmp_path: Path,
) -> None:
    report = opened_comparison(tmp_path, BEFORE, AFTER)

    broken, *_, gone, new = report.cases
    assert (broken["parts_at"], broken["reasons"]) == (0, ["F1: 100.0% → 50.0%"])
    assert [row["mark"] for row in broken["before"][0]["rows"]] == ["=", "="]
    assert [row["mark"] for row in broken["after"][0]["rows"]] == ["~", "="]
    commands = [broken[side][0]["command"] for side in ("before", "after")]
    assert commands == [
        f"callscore explain {tmp_path}/{name}.jsonl --case breaks" for name in ("before", "after")
    ]
    assert (gone["after"], len(gone["before"])) == ([], 1)
    assert (new["before"], len(new["after"])) == ([], 1)


def test_the_numbers_are_those_of_the_second_run(tmp_path: Path) -> None:
    found = opened_comparison(tmp_path, BEFORE, AFTER).document

    assert found["kind"] == "compare"
    assert found["title"] == f"{tmp_path}/before.jsonl → {tmp_path}/after.jsonl"
    assert found["counts"] == {
        "cases": 5,
        "trials": 5,
        "passed": 2,
        "failed": 3,
        "errors": 0,
        "unscored": 0,
    }
    assert found["calls"] == {
        "expected": 10,
        "actual": 8,
        "correct": 6,
        "incorrect": 2,
        "missed": 2,
        "extra": 0,
        "forbidden": 0,
    }
    assert [(tool["tool"], tool["incorrect"], tool["missed"]) for tool in found["tools"]] == [
        ("search", 2, 1),
        ("book", 0, 1),
    ]
    assert {"expected": "search", "called": None, "count": 1} in found["confusion"]
    assert found["settings"] == ["strict, any order"]
    assert found["next"] == [
        {
            "command": f"callscore explain {tmp_path}/after.jsonl --case breaks",
            "why": "See the first broken case in full",
        }
    ]


def test_the_headline_is_the_measure_that_decides(tmp_path: Path) -> None:
    passed = opened_comparison(tmp_path, BEFORE, AFTER).document["headline"]
    by_f1 = opened_comparison(tmp_path, BEFORE, AFTER, measure="f1").document["headline"]

    assert (passed["label"], passed["value"], passed["rating"]) == ("Passed", 0.5, None)
    assert passed["meaning"] == "before: 50.0%, 0.0 points"
    assert passed["interval"] == pytest.approx([0.15, 0.85], abs=0.01)
    assert (by_f1["label"], by_f1["value"], by_f1["rating"]) == ("F1", 0.75, "Good")
    assert by_f1["interval"] is None


def test_a_record_without_an_answer_is_an_error_with_a_reason(tmp_path: Path) -> None:
    unanswered = {key: value for key, value in a_record("a").items() if key != "actual"}
    records = [a_record("a"), a_record("b")]

    report = opened_comparison(tmp_path, records, [unanswered, records[1]])

    assert report.index["id"] == ["a", "b"]
    assert report.cases[0]["reasons"] == [
        "F1: 100.0% → –",
        "no answer: the file has no answer for this case",
    ]
    assert report.cases[0]["after"][0]["failure"]["kind"] == "missing"
    assert STATUSES[report.index["status"][0]] == "error"
    assert report.document["counts"]["errors"] == 1


def test_trials_of_a_case_are_one_line(tmp_path: Path) -> None:
    before = [a_record("a", trial=1), a_record("a", trial=2)]
    after = [a_record("a", trial=1), a_record("a", WRONG, trial=2)]

    report = opened_comparison(tmp_path, before, after)

    assert (report.index["id"], report.index["trial"]) == (["a"], None)
    assert (report.index["before"], report.index["after"]) == ([[2, 2]], [[1, 2]])
    assert report.cases[0]["reasons"][0] == "trials passed: 2/2 → 1/2"
    assert report.cases[0]["parts_at"] is None  # the first trials are the same
    assert [len(report.cases[0][side]) for side in ("before", "after")] == [2, 2]


def test_russian_is_as_complete_as_english(tmp_path: Path) -> None:
    report = opened_comparison(tmp_path, BEFORE, AFTER, lang="ru")

    found = report.document
    assert found["verdict"]["text"] == "Мало данных: пройдено 50.0% → 50.0%, 0.0 п. п."
    assert found["headline"]["meaning"] == "было 50.0%, 0.0 п. п."
    assert found["next"][0]["why"] == "Первый сломанный случай целиком"
    assert [note["text"] for note in found["notes"]] == [
        f"только раньше, в {tmp_path}/before.jsonl: 1 случай (before::gone)",
        f"только теперь, в {tmp_path}/after.jsonl: 1 случай (new)",
        "1 новый случай не пройден (new)",
        "gone совпадает с новым случаем new: возможно, изменён только id",
    ]
    assert found["comparison"]["main"]["verdict_text"] == "мало данных"
    assert report.cases[0]["after"][0]["rating"] == "Средне"


def test_hostile_names_stay_text(tmp_path: Path) -> None:
    name = "</script><script>alert(1)</script>\u202e\x00"
    before, after = [a_record(name, tags=[name])], [a_record(name, [{"name": name}], tags=[name])]

    report = opened_comparison(tmp_path, before, after)

    assert report.index["id"] == [name]
    assert report.column("tags") == [[name]]
    assert report.cases[0]["after"][0]["id"] == name


def test_secrets_are_hidden_and_the_report_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "sk-1234567890abcdef"  # noqa: S105  (made up)
    monkeypatch.setenv("SERVICE_API_KEY", secret)
    folder = tmp_path / secret
    folder.mkdir()
    before = [a_record(secret, tags=[secret], input=f"key {secret}")]
    after = [a_record(secret, [{"name": "f", "arguments": {"key": secret}}], tags=[secret])]

    report = opened_comparison(folder, before, after)

    assert secret not in repr(report)
    assert report.index["count"] == 1  # matched by the id, although it is hidden
    [note] = [each for each in report.document["notes"] if "[hidden …]" in each["text"]]
    assert "values of SERVICE_API_KEY" in note["text"]


# --- parts of the document ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("comparison", "status", "text"),
    [
        (REGRESSED, "bad", "Regressed: passed 92.0% → 84.0%, −8.0 points"),
        (NOTHING_NEW, "neutral", "No evidence: passed 92.0% → 92.0%, 0.0 points"),
        (NOT_ENOUGH, "neutral", "Not enough data: accuracy 75.0% → 50.0%, −25.0 points"),
        (NOTHING_COMMON, "neutral", "Not enough data: the runs have no cases in common"),
        (
            replace(REGRESSED, main=replace(REGRESSED.main, verdict="improved", after=0.99)),
            "good",
            "Improved: passed 92.0% → 99.0%, +7.0 points",
        ),
    ],
)
def test_the_verdict_is_that_of_the_comparison(
    comparison: Comparison, status: str, text: str
) -> None:
    verdict = document(comparison)["verdict"]

    assert (verdict["status"], verdict["text"]) == (status, text)


def test_the_details_of_the_verdict_say_how_certain_it_is() -> None:
    assert document(REGRESSED)["verdict"]["details"] == [
        "A difference of this size is unlikely to be chance.",
        "95% interval −12.5 to −3.5, p = 0.002, exact McNemar, 197 cases in both",
        "3 broken, 1 fixed, 1 changed, 192 unchanged",
    ]
    assert document(NOTHING_COMMON)["verdict"]["details"] == []


def test_without_a_number_there_is_no_headline() -> None:
    assert document(NOTHING_COMMON)["headline"] is None


def test_both_sides_and_all_measures_are_in_the_comparison() -> None:
    found = document(REGRESSED)["comparison"]

    assert found["before"]["label"] == "main"
    assert found["after"] == {
        "label": "latest",
        "run": LATEST.run,
        "at": LATEST.started_at,
        "commit": LATEST.git_commit,
        "cases": 199,
        "trials": 199,
        "passed": 167,
        "failed": 30,
        "errors": 2,
        "f1": None,
    }
    assert found["main"] == {
        "measure": "passed",
        "before": 0.92,
        "after": 0.84,
        "cases": 197,
        "difference": pytest.approx(-0.08),
        "interval": [-0.1251, -0.0349],
        "p_value": 0.00195,
        "verdict": "regressed",
        "verdict_text": "regressed",
    }
    assert [each["measure"] for each in found["others"]] == ["F1", "tone"]
    # Only tools and tags in which something changed, the most certain first.
    assert [(each["kind"], each["name"]) for each in found["slices"]] == [
        ("tool", "get_weather"),
        ("tag", "weather"),
        ("tag", "smoke"),
    ]
    assert found["alarms"] == [
        "1 case with a new forbidden call: assistant::refund-order-17 0 → 1",
        "1 case with a new schema error: assistant::refund-order-17 0 → 2",
    ]


def test_settings_that_differ_are_listed_once() -> None:
    change = SettingChange(
        evaluation="assistant", name="pass_mark", before=1.0, after=0.8, direction="looser"
    )

    found = document(replace(NOTHING_NEW, settings=(change,)))

    assert found["comparison"]["settings"] == [
        {
            "name": "pass_mark",
            "before": 1.0,
            "after": 0.8,
            "text": "assistant: pass_mark 1.0 → 0.8 (looser)",
        }
    ]
    assert not any("pass_mark" in note["text"] for note in found["notes"])


def test_notes_are_those_of_the_other_formats_with_means_that_are_too_low_as_warnings() -> None:
    notes = document(NOT_ENOUGH)["notes"]
    others = document(REGRESSED)["notes"]

    assert notes[0] == {"text": "accuracy 0.667, required ≥ 0.900", "names": [], "is_warning": True}
    assert others[0] == {
        "text": "3 cases only before, in main (a, b, c)",
        "names": [],
        "is_warning": False,
    }
    assert others[-1]["text"] == "2 trials without an answer did not pass"


def test_cases_that_were_removed_on_purpose_are_named_with_the_reasons() -> None:
    reasons = {"old": "merged into another", "x": ""}
    removed = tuple(
        [
            RemovedCase(evaluation="assistant", case=case, reason=why)
            for case, why in reasons.items()
        ]
    )

    [note] = document(replace(NOTHING_NEW, removed=removed))["notes"]

    assert note["text"] == "Removed on purpose: 2 cases"
    assert note["names"] == ["old: merged into another", "x"]


def test_hostile_names_of_a_comparison_are_data() -> None:
    found = document(ATTACKED)

    assert found["title"] == f"{HOSTILE} → ::error::{HOSTILE}"
    assert found["comparison"]["before"]["label"] == HOSTILE


# --- several evaluations --------------------------------------------------------------------------


def pairs_of_two_evaluations() -> tuple[CasePair, ...]:
    first = EvaluationSide(
        name="a", place="eval_a.py::a", cases=(a_case("x", True, False), a_case("y", None))
    )
    second = EvaluationSide(
        name="b", variant="small", place="eval_b.toml", cases=(a_case("x", True),)
    )
    return (
        CasePair("same", first, None, PairSide(first, first.cases[0])),
        CasePair("same", second, None, PairSide(second, second.cases[0])),
        CasePair("only_before", first, PairSide(first, first.cases[1]), None),
    )


def test_evaluations_are_listed_if_there_are_several() -> None:
    pairs = pairs_of_two_evaluations()

    found = document(REGRESSED, pairs=pairs)["evaluations"]

    evaluations, positions = listed_evaluations(pairs)
    assert ([each.name for each in evaluations], positions) == (["a", "b"], [0, 1, 0])
    assert [(each["label"], each["place"], each["cases"]) for each in found] == [
        ("a", "eval_a.py", 2),
        ("b [small]", "eval_b.toml", 1),
    ]
    counts = ("answered", "passed", "failed", "errors", "undecided")
    assert [found[0][name] for name in counts] == [3, 1, 1, 0, 1]
    assert document(REGRESSED, pairs=pairs[:1])["evaluations"] == []


def test_the_next_command_names_the_evaluation_if_there_are_several() -> None:
    first, second, _ = pairs_of_two_evaluations()
    changed = second._replace(change="changed")

    found = document(REGRESSED, pairs=(first, changed), case_command="callscore show 2026")

    assert found["next"] == [
        {
            "command": "callscore show 2026 'b [small]::x'",
            "why": "See the first changed case in full",
        }
    ]


def test_no_command_is_suggested_for_a_name_that_cannot_be_typed() -> None:
    evaluation = EvaluationSide(name="a")
    sides = [PairSide(evaluation, a_case(name, scored())) for name in ("-x", "a\nb", "fine")]
    pairs = tuple([CasePair("broken", evaluation, side, side) for side in sides])

    found = document(REGRESSED, pairs=pairs, case_command="callscore show 2026")

    assert [step["command"] for step in found["next"]] == ["callscore show 2026 fine"]
    assert document(REGRESSED, pairs=pairs)["next"] == []


def test_an_index_alone_has_no_details() -> None:
    writer = TrialWriter("en")
    pairs = pairs_of_two_evaluations()
    runs = ComparedRuns(comparison=replace(REGRESSED, before=MAIN), pairs=pairs, after=writer)

    index = msgspec.json.decode(compared_index(runs, [(pair, [], []) for pair in pairs], "en"))

    assert (index["count"], index["evaluation"]) == (3, [0, 1, 0])
    assert [CHANGES[each] for each in index["change"]] == ["same", "same", "only_before"]


# --- many cases -----------------------------------------------------------------------------------

_MEASURED = """
import resource, sys
from callscore.cli.program import run_program
try:
    run_program()
finally:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.slow
def test_many_cases_do_not_have_to_fit_into_memory(tmp_path: Path) -> None:
    """Until they are packed, the details of both sides are in temporary files."""
    count, text = 20_000, "long " * 250
    for name, actual in (("before", ["f"]), ("after", ["g"])):
        records = (
            {"id": str(number), "input": f"{number} {text}", "expected": ["f"], "actual": actual}
            for number in range(count)
        )
        write_lines(tmp_path / f"{name}.jsonl", records)

    # Measuring coverage takes memory, and more than half of the time.
    environment = {name: os.environ[name] for name in os.environ if "COVERAGE" not in name}

    def kilobytes(output: str) -> int:
        ran = subprocess.run(
            [
                sys.executable,
                "-c",
                _MEASURED,
                "compare",
                "before.jsonl",
                "after.jsonl",
                "-o",
                output,
            ],
            cwd=tmp_path,
            env={**environment, "PYTHONPATH": SOURCE},
            capture_output=True,
            check=True,
        )
        return int(ran.stdout)

    without_cases, with_cases = kilobytes("table.txt"), kilobytes("report.html")

    report = open_html((tmp_path / "report.html").read_bytes())
    assert report.index["count"] == len(report.cases) == count
    assert sum(len(case["before"][0]["input"]) for case in report.cases) > 25_000_000
    # The details are more than 100 MB.
    assert with_cases - without_cases < 50_000

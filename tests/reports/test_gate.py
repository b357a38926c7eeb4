"""What a gate says, and what to type next."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from tests.reports.comparisons import (
    ATTACKED_GATE,
    CLOSED,
    DOUBTFUL,
    EMPTY,
    IN_DOUBT,
    LATEST,
    MAIN,
    NOTHING_NEW,
    OPEN,
    REGRESSED,
    SLICED,
)

from callscore.comparing.changes import CaseChange
from callscore.comparing.comparison import Comparison
from callscore.comparing.differences import Difference
from callscore.comparing.gating import Gate, Reason
from callscore.reports.gate import (
    gate_title,
    inconclusive_line,
    reason_lines,
    suggested_command,
    write_json,
    write_markdown,
)

RUN = "20261115-120000-bbbb"
OSLO = "assistant::what-is-the-weather-in-oslo"


def closed(*kinds: str, fail_on: str = "any") -> Gate:
    reasons = tuple(Reason(kind=kind, count=1) for kind in kinds)  # type: ignore[arg-type]  # words
    return Gate(comparison=REGRESSED, fail_on=fail_on, reasons=reasons)  # type: ignore[arg-type]  # one


def test_the_title_says_what_it_is_about() -> None:
    assert gate_title(OPEN, "en") == ("Gate passed", "no evidence, main → main")
    assert gate_title(CLOSED, "ru") == ("Гейт не пройден", "стало хуже, main → latest")
    assert gate_title(CLOSED, "en", write=str.upper)[1] == "regressed, MAIN → LATEST"


def test_a_gate_that_is_open_has_no_reasons() -> None:
    assert reason_lines(OPEN, "en") == []


def test_every_reason_is_a_sentence_with_names_or_numbers() -> None:
    assert reason_lines(CLOSED, "en") == [
        (
            "regressed",
            "regressed: passed 92.0% → 84.0%, −8.0 points",
            "95% interval −12.5 to −3.5, p = 0.002, exact McNemar, 197 cases in both",
        ),
        (
            "broken",
            "3 cases broken",
            (
                "assistant::what-is-the-weather-in-oslo, assistant::refund-order-17,"
                " router [small]::hello"
            ),
        ),
        ("changed", "1 case changed", "assistant::convert-5-miles-to-km"),
        ("missing", "3 cases are missing", "a, b, c"),
        ("forbidden", "1 case with a new forbidden call", "assistant::refund-order-17"),
        ("schema", "1 case with a new schema error", "assistant::refund-order-17"),
    ]
    assert reason_lines(EMPTY, "en") == [
        ("nothing compared", "the runs have no cases in common", "")
    ]


def test_doubt_thresholds_and_an_end_that_did_not_come_are_said_in_russian() -> None:
    assert reason_lines(IN_DOUBT, "ru") == [
        (
            "large loss",
            (
                "случаев слишком мало для вывода, а потеря — 10 п. п. или больше: хуже 2, лучше 0, −25.0"
                " п. п."
            ),
            "",
        ),
        ("below", "accuracy 0.667, требуется ≥ 0.900", ""),
        ("unfinished", "прогон 20261115-120000-bbbb не завершён", ""),
    ]


def test_a_run_without_any_case_is_to_be_run() -> None:
    gate = replace(
        EMPTY, comparison=replace(EMPTY.comparison, after=replace(LATEST, cases=0, errors=0))
    )

    assert suggested_command(gate, baseline="main") == "callscore run"


def test_a_run_that_left_cases_out_is_not_proposed_as_a_baseline() -> None:
    command = suggested_command(OPEN, baseline="main", is_partial=True)

    assert command == "callscore compare main 20261114-120000-aaaa"


def test_both_runs_can_be_without_an_end() -> None:
    reasons = (Reason(kind="unfinished", sides=("before", "after")),)
    first = (Reason(kind="unfinished", sides=("before",)),)
    gate = Gate(comparison=REGRESSED, fail_on="any", reasons=reasons)

    assert [sentence for _, sentence, _ in reason_lines(gate, "en")] == [
        "20261114-120000-aaaa did not finish",
        "20261115-120000-bbbb did not finish",
    ]
    assert suggested_command(gate) == "callscore run --resume"
    assert suggested_command(replace(gate, reasons=first)) == f"callscore compare main {RUN}"


def test_tools_that_regressed_are_named_and_a_run_against_itself_is_told() -> None:
    itself = replace(OPEN, reasons=(Reason(kind="same run"),))

    assert reason_lines(SLICED, "en") == [("slice", "1 tool or tag regressed", "tool get_weather")]
    assert reason_lines(SLICED, "ru") == [("slice", "1 срез стал хуже", "инструмент get_weather")]
    assert reason_lines(itself, "ru")[0][1].startswith(
        "прогон 20261114-120000-aaaa сравнивается сам с собой"
    )


def test_a_loss_that_does_not_close_the_gate_is_a_doubt() -> None:
    assert inconclusive_line(DOUBTFUL, "en") == (
        "too few cases for a verdict: 1 worse, 0 better, −5.0 points; --fail-on broken is stricter"
    )
    assert inconclusive_line(DOUBTFUL, "ru").startswith(
        "случаев слишком мало для вывода: хуже 1, лучше 0"
    )
    assert inconclusive_line(OPEN, "en") == ""


def test_what_stands_in_the_data_is_made_safe() -> None:
    text = str(reason_lines(ATTACKED_GATE, "en"))

    assert "\x1b" not in text
    assert "\x00" not in text


@pytest.mark.parametrize(
    ("gate", "baseline", "command"),
    [
        (OPEN, "main", "callscore baseline set 20261114-120000-aaaa --name main"),
        (OPEN, "two words", "callscore baseline set 20261114-120000-aaaa --name 'two words'"),
        (OPEN, None, "callscore compare main 20261114-120000-aaaa"),
        (closed("regressed"), "main", f"callscore show {RUN} {OSLO}"),
        (closed("large loss"), "main", f"callscore show {RUN} {OSLO}"),
        (closed("broken", "schema"), "main", f"callscore show {RUN} assistant::refund-order-17"),
        (closed("changed"), "main", f"callscore show {RUN} {OSLO}"),
        (closed("missing"), "main", f"callscore compare main {RUN}"),
        (closed("below"), "main", f"callscore show {RUN}"),
        (closed("below", "missing"), "main", f"callscore show {RUN}"),
        (closed("unfinished", "broken"), "main", "callscore run --resume"),
        (closed("nothing compared"), "main", f"callscore show {RUN}"),
        (closed("nothing compared"), None, f"callscore show {RUN}"),
        (closed("same run"), "main", "callscore run"),
        (closed("slice"), "main", f"callscore show {RUN} {OSLO}"),
        (DOUBTFUL, "main", f"callscore show {RUN} one"),
        (
            Gate(comparison=replace(NOTHING_NEW, after=LATEST), fail_on="any"),
            "main",
            f"callscore compare main {RUN}",  # it has errors
        ),
        (EMPTY, "main", "callscore compare before.jsonl after.jsonl"),
    ],
)
def test_the_next_command_goes_to_the_cause(gate: Gate, baseline: str | None, command: str) -> None:
    assert suggested_command(gate, baseline=baseline) == command


@pytest.mark.parametrize(
    ("case", "command"),
    [
        ("it's; rm -rf ~", f"""callscore show {RUN} 'it'"'"'s; rm -rf ~'"""),
        ("a\nb", f"callscore compare main {RUN}"),  # no shell could be told
        ("--help", f"callscore compare main {RUN}"),
    ],
)
def test_whatever_a_case_is_called_the_command_is_harmless(case: str, command: str) -> None:
    change = CaseChange(kind="broken", evaluation="e", case=case)
    comparison = replace(NOTHING_NEW, after=LATEST, changes=(change,))
    gate = Gate(comparison=comparison, fail_on="broken", reasons=(Reason(kind="broken", count=1),))

    assert suggested_command(gate) == command


# What a gate says, as JSON.


def test_the_document_has_the_reasons_the_comparison_and_what_to_type_next() -> None:
    document = msgspec.json.decode(
        write_json(CLOSED, next_command="callscore"), type=dict[str, Any]
    )

    assert not document["is_open"]
    assert document["next"] == "callscore"
    assert [reason["kind"] for reason in document["reasons"]][:2] == ["regressed", "broken"]
    assert document["comparison"] == REGRESSED.to_dict()


def test_an_open_gate_has_no_reasons() -> None:
    document = msgspec.json.decode(write_json(OPEN, next_command=""), type=dict[str, Any])

    assert (document["is_open"], document["reasons"]) == (True, [])


def test_sentences_are_in_the_language() -> None:
    document = msgspec.json.decode(
        write_json(ATTACKED_GATE, next_command="", lang="ru"), type=dict[str, Any]
    )

    assert document["comparison"]["notes"][0].endswith(" странен")


# What a gate says, as Markdown.

NEXT = "callscore show 20261115-120000-bbbb refund-order-17"


def test_a_closed_gate_gives_its_reasons_at_once() -> None:
    text = write_markdown(CLOSED, next_command=NEXT)

    assert text.startswith(
        "## Gate failed: regressed, `main` → `latest`\n\n"
        "- **regressed: passed 92.0% → 84.0%, −8.0 points**\n"
        "- **3 cases broken** (`assistant::what-is-the-weather-in-oslo, assistant::"
        "refund-order-17, router [small]::hello`)\n"
    )
    assert text.count("−8.0 points") == 1
    assert text.endswith(f"\n\nNext: `{NEXT}` (`--fail-on any`)\n")


def test_the_cases_are_folded_in() -> None:
    text = write_markdown(CLOSED, next_command=NEXT)

    folded = text.partition("<details><summary>3 broken&#44; 1 fixed&#44; 1 changed&#44; ")[2]
    assert "### Broken: 3 cases" in folded.partition("</details>")[0]
    assert "<details>" not in write_markdown(OPEN, next_command=NEXT)


def test_tools_that_regressed_are_shown_and_a_doubt_is_said() -> None:
    sliced, doubtful = (
        write_markdown(SLICED, next_command=NEXT),
        write_markdown(DOUBTFUL, next_command=NEXT),
    )

    assert "- **1 tool or tag regressed** (`tool get_weather`)\n" in sliced
    assert "\n| `get_weather` | 61 | 98.0% | 83.0% | −15.0 | 0.004 | regressed |\n" in sliced
    assert "### Tags" not in sliced
    assert "\n- too few cases for a verdict: 1 worse, 0 better, −5.0 points; " in doubtful


def test_how_many_cases_are_shown_can_be_chosen() -> None:
    assert "… 2 more; --max-shown shows more" in write_markdown(
        CLOSED, next_command=NEXT, max_shown=1
    )
    assert "<details>" not in write_markdown(CLOSED, next_command=NEXT, max_shown=0)


def test_an_open_gate_gives_its_numbers() -> None:
    text = write_markdown(OPEN, next_command=NEXT)

    assert text.startswith(
        "## Gate passed: no evidence, `main` → `main`\n\n"
        "**passed 92.0% → 92.0%, 0.0 points**\n\n"
        "The two means are equal.  \n"
        "95% interval −1.9 to +1.9, p = 1.000, exact McNemar, 200 cases in both  \n"
    )


def test_a_gate_can_be_had_in_russian_and_without_numbers() -> None:
    doubtful, empty = (
        write_markdown(IN_DOUBT, next_command=NEXT, lang="ru"),
        write_markdown(EMPTY, next_command=NEXT),
    )

    assert "- **`accuracy` `0.667`, требуется ≥ `0.900`**\n" in doubtful
    assert "**accuracy" not in doubtful
    assert "points" not in empty


def test_nothing_in_the_data_becomes_markdown_or_html() -> None:
    text = write_markdown(ATTACKED_GATE, next_command="callscore show '<b>`'")

    assert "<b>" not in text
    assert "\x1b" not in text
    assert "[red]" not in text


def test_runs_without_a_common_case_lead_to_another_run_and_not_to_removals() -> None:
    missing = tuple(f"assistant::{number}" for number in range(MAIN.cases))
    apart = Gate(
        comparison=Comparison(
            before=MAIN,
            after=LATEST,
            main=Difference(measure="passed", cases=0),
            missing=missing,
            evaluations=("assistant",),
        ),
        fail_on="regressed",
        reasons=(Reason(kind="nothing compared"), Reason(kind="missing", count=len(missing))),
    )
    some = replace(apart, comparison=replace(apart.comparison, missing=missing[1:]))

    report = write_markdown(apart, next_command=suggested_command(apart, baseline="main"))

    assert "No case is in both runs" in report
    assert "Next: `callscore history`" in report
    assert "[gate.removed]" not in report
    assert "[gate.removed]" in write_markdown(some, next_command="")

"""What a report on disagreeing metrics says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from msgspec.structs import replace

from callscore.core.call import ToolCall
from callscore.core.results import CaseScore, MetricResult, Noted
from callscore.core.scoring import score_calls
from callscore.core.settings import DEFAULT
from callscore.metrics.disagreement import (
    Disagreement,
    Disagreements,
    Effect,
    MetricOpinion,
    VisibilityCounts,
)
from callscore.reports.disagreement import (
    blind_share,
    case_line,
    compared_notes,
    headline_parts,
    more_cases,
    opinion_parts,
    opinions_by_value,
    short_diff,
    write_json,
    write_markdown,
)
from callscore.words.diff import call_lines
from callscore.words.diff_rows import plain_text

if TYPE_CHECKING:
    from callscore.core.phrases import Language
    from callscore.core.results import Results

F, X = ToolCall("f", {}), ToolCall("x", {})
CASE = CaseScore(id="a", score=score_calls((F,), (F, X), DEFAULT))


def about(*opinions: MetricOpinion) -> Disagreement:
    return Disagreement(CASE, opinions, ("extra", "order"), 1.0, 0.25)


def said(opinion: MetricOpinion, lang: Language = "en") -> list[str]:
    return [text for text, _ in opinion_parts(opinion, about(opinion), lang)]


@pytest.mark.parametrize(
    ("opinion", "words"),
    [
        (
            MetricOpinion(
                "m",
                0.5,
                effects=(Effect("extra", "seen", 0.25), Effect("order", "seen", -0.125)),
                perfect=1.0,
                together=0.5,
            ),
            ["+0.250 extra", "−0.125 order"],
        ),
        (
            MetricOpinion(
                "m",
                0.0,
                effects=(Effect("extra", "masked", 0.0), Effect("order", "blind", 0.0)),
                perfect=1.0,
                together=1.0,
                needed=("extra",),
            ),
            ["+1.000 if repaired together: extra", "blind to order"],
        ),
        (
            MetricOpinion(
                "m",
                1.0,
                effects=(Effect("extra", "masked", 0.0), Effect("order", "masked", 0.0)),
                perfect=0.5,
                together=-0.5,
                needed=("extra", "order"),
            ),
            [
                "−0.500 if repaired together: extra, order",
                "0.500 even if all calls are as expected",
            ],
        ),
        (
            MetricOpinion(
                "m",
                0.5,
                effects=(Effect("extra", "seen", 0.5), Effect("order", "masked", 0.0)),
                perfect=1.0,
                together=0.5,
            ),
            ["+0.500 extra", "masked: order"],
        ),
        (
            MetricOpinion(
                "m", 0.5, effects=(Effect("extra", "unknown"), Effect("order", "unknown", 0.0))
            ),
            ["no number without: extra"],
        ),
        (
            MetricOpinion("m", 0.5, effects=(Effect("order", "unknown", 0.0),), perfect=1.0),
            ["unknown: order"],
        ),
        (MetricOpinion("m", None, "it raises."), ["it raises."]),
    ],
)
def test_an_opinion_says_what_a_metric_sees(opinion: MetricOpinion, words: list[str]) -> None:
    assert said(opinion) == words


def test_an_opinion_can_be_read_in_russian() -> None:
    effects = (Effect("extra", "blind", 0.0), Effect("order", "seen", 0.5))

    assert said(MetricOpinion("m", 0.5, effects=effects, perfect=1.0), "ru") == [
        "+0.500 порядок",
        "не видит: лишние",
    ]


@pytest.mark.parametrize(
    ("calls", "words"),
    [
        ((), "although no calls were expected and none were made"),
        ((F,), "although every call is as expected"),
    ],
)
def test_a_number_below_1_of_a_perfect_case_is_marked(
    calls: tuple[ToolCall, ...], words: str
) -> None:
    case = CaseScore(id="a", score=score_calls(calls, calls, DEFAULT))
    found = Disagreement(case, (), (), 1.0, 0.25)

    assert opinion_parts(MetricOpinion("m", 0.0, perfect=0.0), found, "en") == [(words, "perfect")]
    assert opinion_parts(MetricOpinion("m", 1.0, perfect=1.0), found, "en") == []


def test_a_case_is_headed_by_its_spread_and_its_faults() -> None:
    found = about()

    assert case_line(found, "en") == "spread 1.000   differences: extra, order"
    assert case_line(found, "ru") == "разброс 1.000   расхождения: лишние, порядок"
    assert case_line(replace(found, faults=()), "en") == "spread 1.000   every call is as expected"


@pytest.mark.parametrize(
    ("sights", "share"),
    [(None, "–"), (VisibilityCounts(3, 2, 0), "67%"), (VisibilityCounts(4, 0, 4), "0%")],
)
def test_how_often_a_metric_was_blind_is_a_share(
    sights: VisibilityCounts | None, share: str
) -> None:
    assert blind_share(sights) == share


def test_the_headline_says_how_far_they_disagree() -> None:
    found = Disagreements(cases=5, agreed=2, mean_spread=0.5, metrics=(MetricResult("m"),))

    assert headline_parts(found, "en") == ("5 cases, 1 metric", "all agree on 2, mean spread 0.500")
    assert (
        more_cases(found, "en") == "… 3 cases with disagreements not shown; --max-shown shows more"
    )
    assert more_cases(replace(found, agreed=5), "en") == ""


def test_what_is_not_in_the_numbers_is_noted(results: Results) -> None:
    found = Disagreements(
        metrics=(MetricResult("m", None, 0, Noted(1, ("why.",))),),
        not_compared=Noted(2, ("rules.", "groups.", "more.")),
    )

    notes = compared_notes(found, results, "en")

    assert notes[-2:] == [
        ("2 cases not compared: fewer than two metrics have a number", "rules; groups"),
        ("m: 1 case not scorable", "why"),
    ]
    assert notes[0][0].startswith("Incomplete: stopped at 1 record")
    assert notes[1] == ("1 case not scored: no expected calls given", "draft")


# One case on which metrics disagree.


def about_case(calls: int, *opinions: MetricOpinion) -> Disagreement:
    made = tuple([ToolCall(f"f{number}", {}) for number in range(calls)])
    return Disagreement(CaseScore(id="a", score=score_calls((), made, DEFAULT)), opinions)


def test_opinions_are_grouped_by_their_numbers_from_high_to_low() -> None:
    opinions = (
        MetricOpinion("a", 0.5),
        MetricOpinion("b", None, "why"),
        MetricOpinion("c", 0.9999999999999999),
        MetricOpinion("d", 1.0),
        MetricOpinion("e", 0.5),
    )

    found = [
        (value, [opinion.name for opinion in group])
        for value, group in opinions_by_value(about_case(0, *opinions))
    ]

    assert found == [("1.000", ["c", "d"]), ("0.500", ["a", "e"]), ("–", ["b"])]


def test_of_a_long_diff_the_first_lines_are_shown() -> None:
    found = about_case(20)

    text = plain_text(short_diff(found, 80, "en")).splitlines()

    assert len(text) == 10
    assert text[-1] == "  … 12 more"


def test_a_short_diff_is_shown_whole() -> None:
    found = about_case(9)

    assert short_diff(found, 80, "en") == call_lines(found.case.score, width=80)


# Where metrics disagree, as JSON.


def test_the_document_has_everything(disagreements: Disagreements, results: Results) -> None:
    document = msgspec.json.decode(write_json(disagreements, results))

    (case,) = document["disagreements"]
    assert (document["cases"], document["agreed"], document["not_shown"]) == (4, 2, 1)
    assert document["faults"] == {"extra": 3, "arguments": 1}
    assert document["metrics"][1] == {
        "name": "x.named",
        "version": None,
        "mean": 1.0,
        "scored": 3,
        "not_scorable": {"count": 1, "names": ["nothing is expected."]},
        "faults": {
            "extra": {"cases": 2, "blind": 2, "masked": 0},
            "arguments": {"cases": 1, "blind": 1, "masked": 0},
        },
    }
    assert (case["id"], case["trial"], case["faults"]) == ("both", 0, ["extra", "arguments"])
    assert case["opinions"][2] == {
        "name": "x.same",
        "value": 0.0,
        "reason": None,
        "effects": [
            {"kind": "extra", "sight": "masked", "gain": 0.0},
            {"kind": "arguments", "sight": "masked", "gain": 0.0},
        ],
        "together": 1.0,
        "needed": ["extra", "arguments"],
        "perfect": 1.0,
    }
    assert case["expected"] == [{"name": "f", "arguments": {"a": 1}}]
    assert document["not_scored"] == {"count": 1, "names": ["draft"]}


def test_the_language_changes_nothing(disagreements: Disagreements, results: Results) -> None:
    assert write_json(disagreements, results, lang="ru") == write_json(disagreements, results)


# Where metrics disagree, as Markdown.

REPORT = """\
## 4 cases, 3 metrics: all agree on 2, mean spread 0.500

- **`x.named`: 1 case not scorable** (`nothing is expected`)

### How often each metric is blind to a difference

| metric | mean | extra | arguments |
| --- | ---: | ---: | ---: |
| `callscore.f1` | 0.417 | 0% | 0% |
| `x.named` | 1.000 | 100% | 100% |
| `x.same` | 0.250 | 0% | 0% |
| cases with this difference |  | 3 | 1 |

blind to: the difference does not change the number. +0.333: gain if only this difference is \
repaired. masked: hidden here by another difference.

### `both #0` spread 1.000   differences: extra, arguments

```diff
  Expected   Actual
~ f          f
  ~ a: 1       a: 2
+            x()
```

|  | metric |  |
| ---: | --- | --- |
| 1.000 | `x.named` | blind to extra, arguments |
| 0.000 | `callscore.f1` | +0.667 arguments; masked: extra |
| 0.000 | `x.same` | +1.000 if repaired together: extra, arguments |

… 1 case with disagreements not shown; --max-shown shows more
"""


def test_the_report_is_made_of_tables(disagreements: Disagreements, nothing: Results) -> None:
    assert write_markdown(disagreements, nothing) == REPORT


def test_where_nothing_could_be_compared_it_is_said_why(nothing: Results) -> None:
    found = Disagreements(not_compared=Noted(1, ("there are rules.",)))

    assert write_markdown(found, nothing) == (
        "## No case could be compared.\n\n"
        "- **1 case not compared: fewer than two metrics have a number** (`there are rules`)\n"
    )


def test_without_cases_to_show_there_is_nothing_to_be_read(
    disagreements: Disagreements, nothing: Results
) -> None:
    text = write_markdown(replace(disagreements, shown=()), nothing)

    assert "blind to:" not in text
    assert text.endswith("… 2 cases with disagreements not shown; --max-shown shows more\n")


def test_without_notes_the_table_follows_the_headline(
    disagreements: Disagreements, nothing: Results
) -> None:
    metrics = tuple(replace(metric, not_scorable=Noted()) for metric in disagreements.metrics)

    text = write_markdown(replace(disagreements, metrics=metrics), nothing)

    assert "mean spread 0.500\n\n### How often" in text


def test_a_reason_is_no_markup(disagreements: Disagreements, nothing: Results) -> None:
    shown = disagreements.shown[0]
    hostile = Disagreement(
        shown.case, (MetricOpinion("x", None, "<b> | `"),), shown.faults, 1.0, 0.25
    )

    text = write_markdown(replace(disagreements, shown=(hostile,)), nothing)

    assert "| `x` | <code>&#60;b&#62; &#124; &#96;</code> |" in text

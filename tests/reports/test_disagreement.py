"""What a report on disagreeing metrics says."""

# ruff: noqa: RUF001  (Russian letters that look like Latin ones, and minus signs, are meant)

from __future__ import annotations

from typing import TYPE_CHECKING

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
)

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
            ["not known: order"],
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
        ((), "although nothing was expected and nothing was made"),
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
    assert case_line(found, "ru") == "разброс 1.000   различия: лишние, порядок"
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
        more_cases(found, "en") == "… 3 cases not shown on which they disagree; --limit shows more"
    )
    assert more_cases(replace(found, agreed=5), "en") is None


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
    assert notes[0] == ("1 case not scored: no expected calls are given", "draft")

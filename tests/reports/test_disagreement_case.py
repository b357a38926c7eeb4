"""One case on which metrics disagree."""

from __future__ import annotations

from callscore.core.call import ToolCall
from callscore.core.results import CaseScore
from callscore.core.scoring import score_calls
from callscore.core.settings import DEFAULT
from callscore.metrics.disagreement import Disagreement, MetricOpinion
from callscore.reports.disagreement import opinions_by_value, short_diff
from callscore.words.diff import call_lines, plain_text


def about(calls: int, *opinions: MetricOpinion) -> Disagreement:
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
        for value, group in opinions_by_value(about(0, *opinions))
    ]

    assert found == [("1.000", ["c", "d"]), ("0.500", ["a", "e"]), ("–", ["b"])]  # noqa: RUF001  (a dash)


def test_of_a_long_diff_the_first_lines_are_shown() -> None:
    found = about(20)

    text = plain_text(short_diff(found, 80, "en")).splitlines()

    assert len(text) == 10
    assert text[-1] == "  … 12 more"


def test_a_short_diff_is_shown_whole() -> None:
    found = about(9)

    assert short_diff(found, 80, "en") == call_lines(found.case.score, width=80)

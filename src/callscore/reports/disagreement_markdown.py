"""Where metrics disagree, as GitHub Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.core.diff import plain_text
from callscore.core.wording import say
from callscore.reports import disagreement_wording as wording
from callscore.reports.disagreement_case import by_value, short_diff
from callscore.reports.markdown_text import code, fenced, note_item, table
from callscore.reports.metric_table import MEAN, METRIC, number_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callscore.core.phrase import Language
    from callscore.core.results import Results
    from callscore.metrics.disagreement import Disagreement, Disagreements, Opinion

__all__ = ["write"]

_DIFF_WIDTH = 100
_NOTE_WIDTH = 1000


def write(found: Disagreements, results: Results, *, lang: Language = "en") -> str:
    """Headline, who is blind to what, and the cases; what the data holds stays plain text."""
    return "\n\n".join(_blocks(found, results, lang)) + "\n"


def _blocks(found: Disagreements, results: Results, lang: Language) -> Iterator[str]:
    yield _headline(found, lang)
    lines = wording.compared_notes(found, results, lang, write=code)
    notes = [note_item(*line) for line in lines]
    if notes:
        yield "\n".join(notes)
    if not found.cases:
        return
    yield f"### {say(wording.BLINDNESS, lang)}"
    yield _blindness(found, lang)
    if found.shown:
        yield say(wording.HOW_TO_READ, lang)
    for disagreement in found.shown:
        yield from _case(disagreement, lang)
    more = wording.more_cases(found, lang)
    if more is not None:
        yield more


def _headline(found: Disagreements, lang: Language) -> str:
    if not found.cases:
        return f"## {say(wording.NOTHING_COMPARED, lang)}"
    return "## " + ": ".join(wording.headline(found, lang))


def _blindness(found: Disagreements, lang: Language) -> str:
    kinds = list(found.faults)
    labels = [
        say(METRIC, lang),
        say(MEAN, lang),
        *[say(wording.KIND_NAMES[k], lang) for k in kinds],
    ]
    rows: list[tuple[object, ...]] = [
        (
            code(metric.name),
            number_text(metric.mean),
            *[wording.blind_share(sights.get(kind)) for kind in kinds],
        )
        for metric, sights in zip(found.metrics, found.sights, strict=True)
    ]
    counts = (say(wording.CASES_WITH, lang), "", *[found.faults[kind] for kind in kinds])
    return table(labels, [*rows, counts])


def _case(found: Disagreement, lang: Language) -> Iterator[str]:
    yield f"### {code(found.case.label)} {wording.case_line(found, lang)}"
    yield fenced(plain_text(short_diff(found, _DIFF_WIDTH, lang)), "diff")
    rows = [
        (value, code(opinion.name), _why(opinion, found, lang))
        for value, opinions in by_value(found)
        for opinion in opinions
    ]
    yield table(["", say(METRIC, lang), ""], rows)


def _why(opinion: Opinion, found: Disagreement, lang: Language) -> str:
    parts = wording.opinion_parts(opinion, found, lang)
    return "; ".join(
        [code(part, width=_NOTE_WIDTH) if about == "reason" else part for part, about in parts]
    )

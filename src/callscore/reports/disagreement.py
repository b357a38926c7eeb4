"""The report of disagreeing metrics: its words, and its JSON and Markdown forms."""

# ruff: noqa: RUF001  (Russian letters that look like Latin ones, and minus signs, are meant)

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from callscore.core.phrases import Phrase, Plural, count_of, say
from callscore.core.rendering import clip, escape
from callscore.metrics.disagreement import TOLERANCE
from callscore.reports.formatting import CASES, MORE, code, fenced, note_item, number_text, table
from callscore.reports.score import MEAN, METRIC, not_scorable_notes, note_lines
from callscore.words.diff import call_lines, plain_text
from callscore.words.plain_data import call_to_dict, metric_to_dict, noted_to_dict
from callscore.words.value_text import encode_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from callscore.core.phrases import Language
    from callscore.core.results import MetricResult, Results
    from callscore.metrics.disagreement import (
        Disagreement,
        Disagreements,
        MetricOpinion,
        Visibility,
        VisibilityCounts,
    )
    from callscore.metrics.repairs import RepairKind
    from callscore.words.diff import Line

__all__ = [
    "blind_share",
    "case_line",
    "compared_notes",
    "headline_parts",
    "more_cases",
    "opinion_parts",
    "opinions_by_value",
    "short_diff",
    "write_json",
    "write_markdown",
]


# Phrases, in English and in Russian.

# A part of a sentence, and what it is about.
ReasonPart = tuple[str, Literal["gain", "loss", "blind", "masked", "perfect", "reason"]]

KIND_NAMES: dict[RepairKind, Phrase] = {
    "order": Phrase("order", "порядок"),
    "extra": Phrase("extra", "лишние"),
    "missed": Phrase("missed", "пропуски"),
    "arguments": Phrase("arguments", "аргументы"),
    "form": Phrase("form", "запись"),
    "repeats": Phrase("repeats", "повторы"),
}
_METRICS = Plural(("metric", "metrics"), ("метрика", "метрики", "метрик"))
_HEADLINE = Phrase("{cases}, {metrics}", "{cases}, {metrics}")
_AGREED = Phrase(
    "all agree on {agreed}, mean spread {spread}",
    "полное согласие: {agreed}, средний разброс {spread}",
)
NOTHING_COMPARED = Phrase("No case could be compared.", "Сравнить нечего.")
_NOT_COMPARED = Phrase(
    "{cases} not compared: fewer than two metrics have a number",
    "{cases} без сравнения: число есть меньше чем у двух метрик",
)
BLINDNESS = Phrase(
    "How often each metric is blind to a difference that is there",
    "Как часто метрика не видит имеющееся различие",
)
CASES_WITH = Phrase("cases with such a difference", "случаев с таким различием")
HOW_TO_READ = Phrase(
    "blind to: the difference costs nothing. +0.333: what its repair alone adds."
    " masked: it would cost, but here others hide it.",
    "не видит: различие ничего не стоит. +0.333: сколько добавляет его исправление."
    " скрыто: стоило бы, но здесь его скрывают другие.",
)
_SPREAD = Phrase("spread {spread}", "разброс {spread}")
_FAULTS = Phrase("differences: {kinds}", "различия: {kinds}")
_NO_FAULTS = Phrase("every call is as expected", "каждый вызов как в эталоне")
_BLIND = Phrase("blind to {kinds}", "не видит: {kinds}")
_MASKED = Phrase("masked: {kinds}", "скрыто: {kinds}")
_TOGETHER = Phrase("{gain} if repaired together: {kinds}", "{gain}, если исправить вместе: {kinds}")
_NOT_KNOWN = Phrase("not known: {kinds}", "неизвестно: {kinds}")
_NO_NUMBER_WITHOUT = Phrase("no number without: {kinds}", "без этого нет числа: {kinds}")
_EVEN_PERFECT = Phrase(
    "{value} even if all calls are as expected", "{value}, даже если все вызовы как в эталоне"
)
_NOTHING_EXPECTED = Phrase(
    "although nothing was expected and nothing was made",
    "хотя ничего не ожидалось и ничего не сделано",
)
_NOTHING_WRONG = Phrase("although every call is as expected", "хотя каждый вызов как в эталоне")
MORE_CASES = Phrase(
    "… {cases} not shown on which they disagree; --limit shows more",
    "… не показано с расхождениями: {cases}; --limit покажет больше",
)
_REASON_WIDTH = 200


def headline_parts(found: Disagreements, lang: Language) -> tuple[str, str]:
    """How many cases and metrics there are, and how far these disagree."""
    cases = count_of(CASES, found.cases, lang)
    metrics = count_of(_METRICS, len(found.metrics), lang)
    agreed, spread = found.agreed, number_text(found.mean_spread)
    return (
        say(_HEADLINE, lang, cases=cases, metrics=metrics),
        say(_AGREED, lang, agreed=agreed, spread=spread),
    )


def compared_notes(
    found: Disagreements,
    results: Results,
    lang: Language,
    *,
    write: Callable[[str], str] = escape,
) -> list[tuple[str, str]]:
    """What is not in the numbers: a sentence, and names or reasons.

    Args:
        found: what was compared.
        results: what was read.
        lang: the language.
        write: makes the names of metrics safe to show.
    """
    lines = note_lines(results, lang)
    if found.not_compared.count:
        cases = count_of(CASES, found.not_compared.count, lang)
        reasons = [
            clip(escape(name).removesuffix("."), _REASON_WIDTH) for name in found.not_compared.names
        ]
        lines.append((say(_NOT_COMPARED, lang, cases=cases), "; ".join(reasons[:2])))
    return [*lines, *not_scorable_notes(found.metrics, lang, write=write)]


def blind_share(sights: VisibilityCounts | None) -> str:
    """How often a metric was blind, in percent; a dash where nothing is known of it."""
    return "–" if sights is None else f"{round(100 * sights.blind / sights.cases)}%"


def case_line(found: Disagreement, lang: Language) -> str:
    """How far the metrics disagree about a case, and which kinds of difference it has."""
    spread = say(_SPREAD, lang, spread=number_text(found.spread))
    kinds = _kind_names(found.faults, lang)
    faults = say(_FAULTS, lang, kinds=kinds) if kinds else say(_NO_FAULTS, lang)
    return f"{spread}   {faults}"


def opinion_parts(opinion: MetricOpinion, found: Disagreement, lang: Language) -> list[ReasonPart]:
    """Why a metric has its number: what it sees, and what it is blind to."""
    if opinion.value is None:
        return [(clip(escape(opinion.reason or ""), _REASON_WIDTH), "reason")]
    if not found.faults:
        return [] if opinion.value > 1 - TOLERANCE else [_unexplained_part(found, lang)]
    parts: list[ReasonPart] = []
    for effect in opinion.effects:
        if effect.sight == "seen" and effect.gain is not None:
            text = f"{_signed_text(effect.gain)} {say(KIND_NAMES[effect.kind], lang)}"
            parts.append((text, "gain" if effect.gain > 0 else "loss"))
    if opinion.needed and opinion.together is not None:
        kinds = _kind_names(opinion.needed, lang)
        together = say(_TOGETHER, lang, gain=_signed_text(opinion.together), kinds=kinds)
        parts.append((together, "gain" if opinion.together > 0 else "loss"))
    else:
        parts += _kinds_part(opinion, "masked", _MASKED, lang)
    parts += _kinds_part(opinion, "blind", _BLIND, lang)
    parts += _unknown_parts(opinion, lang)
    if opinion.perfect is not None and opinion.perfect < 1 - TOLERANCE:
        value = number_text(opinion.perfect)
        parts.append((say(_EVEN_PERFECT, lang, value=value), "perfect"))
    return parts


def _unknown_parts(opinion: MetricOpinion, lang: Language) -> list[ReasonPart]:
    """The differences of which nothing can be said; nothing where the number is 0 in any case."""
    unknown = [effect for effect in opinion.effects if effect.sight == "unknown"]
    without = [effect.kind for effect in unknown if effect.gain is None]
    others = [effect.kind for effect in unknown if effect.gain is not None]
    parts: list[ReasonPart] = []
    if without:
        parts.append((say(_NO_NUMBER_WITHOUT, lang, kinds=_kind_names(without, lang)), "masked"))
    if others and (opinion.perfect or 0.0) > TOLERANCE:
        parts.append((say(_NOT_KNOWN, lang, kinds=_kind_names(others, lang)), "masked"))
    return parts


def _unexplained_part(found: Disagreement, lang: Language) -> ReasonPart:
    is_empty = not found.case.score.expected
    return say(_NOTHING_EXPECTED if is_empty else _NOTHING_WRONG, lang), "perfect"


def _kinds_part(
    opinion: MetricOpinion, sight: Visibility, phrase: Phrase, lang: Language
) -> list[ReasonPart]:
    kinds = [effect.kind for effect in opinion.effects if effect.sight == sight]
    if not kinds:
        return []
    about: Literal["blind", "masked"] = "blind" if sight == "blind" else "masked"
    return [(say(phrase, lang, kinds=_kind_names(kinds, lang)), about)]


def _kind_names(kinds: Sequence[RepairKind], lang: Language) -> str:
    return ", ".join([say(KIND_NAMES[kind], lang) for kind in kinds])


def _signed_text(number: float) -> str:
    """A change with its sign, in which a minus is as wide as a plus."""
    return f"{'+' if number > 0 else '−'}{number_text(abs(number))}"


def more_cases(found: Disagreements, lang: Language) -> str | None:
    """How many cases on which metrics disagree are not shown; None where there are none."""
    more = found.cases - found.agreed - len(found.shown)
    cases = count_of(CASES, more, lang)
    return say(MORE_CASES, lang, cases=cases) if more else None


# One case on which metrics disagree.

_MOST_LINES = 10


def opinions_by_value(found: Disagreement) -> list[tuple[str, list[MetricOpinion]]]:
    """The opinions by their numbers, from high to low, and last those without one."""
    ranked = sorted(found.opinions, key=_rank)
    groups = groupby(ranked, lambda opinion: number_text(opinion.value))
    return [(value, list(opinions)) for value, opinions in groups]


def _rank(opinion: MetricOpinion) -> tuple[bool, float]:
    """By what is shown of the number: metrics that look alike stay in the order they were asked."""
    if opinion.value is None:
        return True, 0.0
    return False, -float(number_text(opinion.value))


def short_diff(found: Disagreement, width: int, lang: Language) -> list[Line]:
    """The calls of both sides, of which only the first have room."""
    lines = call_lines(found.case.score, width=width, lang=lang)
    if len(lines) <= _MOST_LINES:
        return lines
    more = say(MORE, lang, count=len(lines) - _MOST_LINES + 1)
    return [*lines[: _MOST_LINES - 1], (("  " + more, "muted"),)]


# JSON.

_NOTE_FIELDS = ("not_scored", "not_run", "without_reference", "repeated", "skipped", "stopped")


def write_json(found: Disagreements, results: Results, *, lang: Language = "en") -> str:
    """The document, indented; there are no sentences in it, so that the language changes nothing."""
    del lang
    document = {
        "cases": found.cases,
        "agreed": found.agreed,
        "mean_spread": found.mean_spread,
        "faults": found.faults,
        "metrics": [
            _metric_to_dict(metric, sights)
            for metric, sights in zip(found.metrics, found.sights, strict=True)
        ],
        "disagreements": [_case_to_dict(disagreement) for disagreement in found.shown],
        "not_shown": found.cases - found.agreed - len(found.shown),
        "not_compared": noted_to_dict(found.not_compared),
        **{field: noted_to_dict(getattr(results, field)) for field in _NOTE_FIELDS},
    }
    return msgspec.json.format(encode_json(document), indent=2).decode() + "\n"


def _metric_to_dict(
    metric: MetricResult, sights: dict[RepairKind, VisibilityCounts]
) -> dict[str, Any]:
    seen = {
        kind: {"cases": found.cases, "blind": found.blind, "masked": found.masked}
        for kind, found in sights.items()
    }
    return {**metric_to_dict(metric), "faults": seen}


def _case_to_dict(found: Disagreement) -> dict[str, Any]:
    score = found.case.score
    return {
        "id": found.case.id,
        "trial": found.case.trial,
        "tags": found.case.tags,
        "spread": found.spread,
        "variance": found.variance,
        "faults": found.faults,
        "opinions": [_opinion_to_dict(opinion) for opinion in found.opinions],
        "expected": [call_to_dict(call) for call in score.expected],
        "actual": [call_to_dict(call) for call in score.actual],
    }


def _opinion_to_dict(opinion: MetricOpinion) -> dict[str, Any]:
    return {
        "name": opinion.name,
        "value": opinion.value,
        "reason": opinion.reason,
        "effects": [
            {"kind": effect.kind, "sight": effect.sight, "gain": effect.gain}
            for effect in opinion.effects
        ],
        "together": opinion.together,
        "needed": list(opinion.needed),
        "perfect": opinion.perfect,
    }


# Markdown.

_DIFF_WIDTH = 100
_NOTE_WIDTH = 1000


def write_markdown(found: Disagreements, results: Results, *, lang: Language = "en") -> str:
    """Headline, who is blind to what, and the cases; what the data holds stays plain text."""
    return "\n\n".join(_markdown_blocks(found, results, lang)) + "\n"


def _markdown_blocks(found: Disagreements, results: Results, lang: Language) -> Iterator[str]:
    yield _markdown_headline(found, lang)
    lines = compared_notes(found, results, lang, write=code)
    notes = [note_item(*line) for line in lines]
    if notes:
        yield "\n".join(notes)
    if not found.cases:
        return
    yield f"### {say(BLINDNESS, lang)}"
    yield _blindness_table(found, lang)
    if found.shown:
        yield say(HOW_TO_READ, lang)
    for disagreement in found.shown:
        yield from _markdown_case(disagreement, lang)
    more = more_cases(found, lang)
    if more is not None:
        yield more


def _markdown_headline(found: Disagreements, lang: Language) -> str:
    if not found.cases:
        return f"## {say(NOTHING_COMPARED, lang)}"
    return "## " + ": ".join(headline_parts(found, lang))


def _blindness_table(found: Disagreements, lang: Language) -> str:
    kinds = list(found.faults)
    labels = [
        say(METRIC, lang),
        say(MEAN, lang),
        *[say(KIND_NAMES[k], lang) for k in kinds],
    ]
    rows: list[tuple[object, ...]] = [
        (
            code(metric.name),
            number_text(metric.mean),
            *[blind_share(sights.get(kind)) for kind in kinds],
        )
        for metric, sights in zip(found.metrics, found.sights, strict=True)
    ]
    counts = (say(CASES_WITH, lang), "", *[found.faults[kind] for kind in kinds])
    return table(labels, [*rows, counts])


def _markdown_case(found: Disagreement, lang: Language) -> Iterator[str]:
    yield f"### {code(found.case.label)} {case_line(found, lang)}"
    yield fenced(plain_text(short_diff(found, _DIFF_WIDTH, lang)), "diff")
    rows = [
        (value, code(opinion.name), _markdown_reason(opinion, found, lang))
        for value, opinions in opinions_by_value(found)
        for opinion in opinions
    ]
    yield table(["", say(METRIC, lang), ""], rows)


def _markdown_reason(opinion: MetricOpinion, found: Disagreement, lang: Language) -> str:
    parts = opinion_parts(opinion, found, lang)
    return "; ".join(
        [code(part, width=_NOTE_WIDTH) if about == "reason" else part for part, about in parts]
    )

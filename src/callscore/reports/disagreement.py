"""The report of disagreeing metrics: its phrases, and its JSON and Markdown forms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal

from callscore.core.phrases import Language, Phrase, Plural, count_of, say
from callscore.core.rendering import clip, escape
from callscore.metrics.disagreement import (
    TOLERANCE,
    Disagreement,
    Disagreements,
    MetricOpinion,
    VisibilityCounts,
)
from callscore.reports.formatting import (
    NO_NUMBER,
    Escaper,
    code,
    fenced,
    first_reasons,
    join_blocks,
    note_items,
    number_text,
    table,
)
from callscore.reports.score import MEAN, METRIC, incomplete_lines, not_scorable_notes, note_lines
from callscore.words.diff import call_lines
from callscore.words.diff_rows import Line, plain_text
from callscore.words.plain_data import call_to_dict, metric_to_dict, noted_to_dict, notes_to_dict
from callscore.words.value_text import CASES, MORE, json_document, percent

if TYPE_CHECKING:
    from callscore.core.results import Results
    from callscore.metrics.repairs import RepairKind

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
_AGREED = Phrase(
    "all agree on {agreed}, mean spread {spread}",
    "все согласны в {agreed} из {cases}, средний разброс {spread}",
)
NOTHING_COMPARED = Phrase("No case could be compared.", "Ни один случай не удалось сравнить.")
_NOT_COMPARED = Phrase(
    "{cases} not compared: fewer than two metrics have a number",
    "не сравнивается, число есть меньше чем у двух метрик: {cases}",
)
BLINDNESS = Phrase(
    "How often each metric is blind to a difference",
    "Как часто метрика не видит расхождения",
)
CASES_WITH = Phrase("cases with this difference", "случаев с этим расхождением")
HOW_TO_READ = Phrase(
    "blind to: the difference does not change the number. +0.333: gain if only this difference is"
    " repaired. masked: hidden here by another difference.",
    "не видит: расхождение не меняет число. +0.333: прибавка, если исправить только это расхождение."
    " скрыто: здесь его заслоняет другое расхождение.",
)
_SPREAD = Phrase("spread {spread}", "разброс {spread}")
_FAULTS = Phrase("differences: {kinds}", "расхождения: {kinds}")
_NO_FAULTS = Phrase("every call is as expected", "все вызовы такие, как ожидалось")
_BLIND = Phrase("blind to {kinds}", "не видит: {kinds}")
_MASKED = Phrase("masked: {kinds}", "скрыто: {kinds}")
_TOGETHER = Phrase("{gain} if repaired together: {kinds}", "{gain}, если исправить вместе: {kinds}")
_NOT_KNOWN = Phrase("unknown: {kinds}", "неизвестно: {kinds}")
_NO_NUMBER_WITHOUT = Phrase("no number without: {kinds}", "без этого нет числа: {kinds}")
_EVEN_PERFECT = Phrase(
    "{value} even if all calls are as expected",
    "{value}, даже если все вызовы такие, как ожидалось",
)
_NOTHING_EXPECTED = Phrase(
    "although no calls were expected and none were made",
    "хотя вызовов не ожидалось и не было",
)
_NOTHING_WRONG = Phrase(
    "although every call is as expected", "хотя все вызовы такие, как ожидалось"
)
MORE_CASES = Phrase(
    "… {cases} with disagreements not shown; --max-shown shows more",
    "… не показано: {cases} с разногласиями; --max-shown покажет больше",
)
_REASON_WIDTH = 200


def headline_parts(found: Disagreements, lang: Language) -> tuple[str, str]:
    """How many cases and metrics there are, and how far the metrics disagree."""
    cases = count_of(CASES, found.cases, lang)
    metrics = count_of(_METRICS, len(found.metrics), lang)
    spread = number_text(found.mean_spread)
    agreed = say(_AGREED, lang, agreed=found.agreed, cases=found.cases, spread=spread)
    return f"{cases}, {metrics}", agreed


def compared_notes(
    found: Disagreements, results: Results, lang: Language, *, write: Escaper = escape
) -> list[tuple[str, str]]:
    """What is not in the numbers: a sentence, and names or reasons."""
    lines = [*incomplete_lines(results, lang), *note_lines(results, lang)]
    if found.not_compared.count:
        cases = count_of(CASES, found.not_compared.count, lang)
        reasons = first_reasons(found.not_compared.names, _REASON_WIDTH)
        lines.append((say(_NOT_COMPARED, lang, cases=cases), reasons))
    return [*lines, *not_scorable_notes(found.metrics, lang, write=write)]


def blind_share(sights: VisibilityCounts | None) -> str:
    """How often a metric was blind, in percent; a dash if it is unknown."""
    return NO_NUMBER if sights is None else percent(sights.blind / sights.cases, places=0)


def case_line(found: Disagreement, lang: Language) -> str:
    """How far the metrics disagree about a case, and its kinds of difference."""
    spread = say(_SPREAD, lang, spread=number_text(found.spread))
    kinds = _kind_names(found.faults, lang)
    faults = say(_FAULTS, lang, kinds=kinds) if kinds else say(_NO_FAULTS, lang)
    return f"{spread}   {faults}"


def opinion_parts(opinion: MetricOpinion, found: Disagreement, lang: Language) -> list[ReasonPart]:
    """Why a metric has its number: what it sees, and what it is blind to."""
    if opinion.value is None:
        return [(clip(escape(opinion.reason or ""), _REASON_WIDTH), "reason")]
    if not found.faults:
        phrase = _NOTHING_WRONG if found.case.required_score.expected else _NOTHING_EXPECTED
        return [] if opinion.value > 1 - TOLERANCE else [(say(phrase, lang), "perfect")]
    parts: list[ReasonPart] = []
    for effect in opinion.effects:
        if effect.sight == "seen" and effect.gain is not None:
            text = f"{_signed_text(effect.gain)} {say(KIND_NAMES[effect.kind], lang)}"
            parts.append((text, "gain" if effect.gain > 0 else "loss"))
    if opinion.needed and opinion.together is not None:
        kinds = _kind_names(opinion.needed, lang)
        together = say(_TOGETHER, lang, gain=_signed_text(opinion.together), kinds=kinds)
        parts.append((together, "gain" if opinion.together > 0 else "loss"))
    parts += _unseen_parts(opinion, lang)
    if opinion.perfect is not None and opinion.perfect < 1 - TOLERANCE:
        value = number_text(opinion.perfect)
        parts.append((say(_EVEN_PERFECT, lang, value=value), "perfect"))
    return parts


def _unseen_parts(opinion: MetricOpinion, lang: Language) -> Iterator[ReasonPart]:
    """The differences that do not change the number, or whose effect is unknown."""
    kinds: dict[str, list[RepairKind]] = {}
    for effect in opinion.effects:
        is_numberless = effect.sight == "unknown" and effect.gain is None
        kinds.setdefault("numberless" if is_numberless else effect.sight, []).append(effect.kind)
    is_explained = bool(opinion.needed) and opinion.together is not None
    if "masked" in kinds and not is_explained:
        yield say(_MASKED, lang, kinds=_kind_names(kinds["masked"], lang)), "masked"
    if "blind" in kinds:
        yield say(_BLIND, lang, kinds=_kind_names(kinds["blind"], lang)), "blind"
    if "numberless" in kinds:
        yield say(_NO_NUMBER_WITHOUT, lang, kinds=_kind_names(kinds["numberless"], lang)), "masked"
    if "unknown" in kinds and (opinion.perfect or 0.0) > TOLERANCE:  # else the number is always 0
        yield say(_NOT_KNOWN, lang, kinds=_kind_names(kinds["unknown"], lang)), "masked"


def _kind_names(kinds: Sequence[RepairKind], lang: Language) -> str:
    return ", ".join([say(KIND_NAMES[kind], lang) for kind in kinds])


def _signed_text(number: float) -> str:
    """A change with its sign; the minus is as wide as the plus."""
    return f"{'+' if number > 0 else '−'}{number_text(abs(number))}"


def more_cases(found: Disagreements, lang: Language) -> str:
    """How many cases on which metrics disagree are not shown; empty if all are."""
    more = found.cases - found.agreed - len(found.shown)
    return say(MORE_CASES, lang, cases=count_of(CASES, more, lang)) if more else ""


_MOST_LINES = 10


def opinions_by_value(found: Disagreement) -> list[tuple[str, list[MetricOpinion]]]:
    """The opinions by their numbers, from high to low, and last those without one."""

    def rank(opinion: MetricOpinion) -> tuple[bool, float]:
        # By the rounded number: metrics that look equal stay in the order they were given.
        number = 0.0 if opinion.value is None else float(number_text(opinion.value))
        return opinion.value is None, -number

    ranked = sorted(found.opinions, key=rank)
    groups = groupby(ranked, lambda opinion: number_text(opinion.value))
    return [(value, list(opinions)) for value, opinions in groups]


def short_diff(found: Disagreement, width: int, lang: Language) -> list[Line]:
    """The first lines of the diff of a case."""
    lines = call_lines(found.case.required_score, width=width, lang=lang)
    if len(lines) <= _MOST_LINES:
        return lines
    more = say(MORE, lang, count=len(lines) - _MOST_LINES + 1)
    return [*lines[: _MOST_LINES - 1], (("  " + more, "muted"),)]


def write_json(found: Disagreements, results: Results, *, lang: Language = "en") -> str:
    """An indented document without sentences, so that the language changes nothing."""
    del lang
    seen = [
        {
            kind: {"cases": each.cases, "blind": each.blind, "masked": each.masked}
            for kind, each in sights.items()
        }
        for sights in found.sights
    ]
    return json_document(
        {
            "cases": found.cases,
            "agreed": found.agreed,
            "mean_spread": found.mean_spread,
            "faults": found.faults,
            "metrics": [
                {**metric_to_dict(metric), "faults": faults}
                for metric, faults in zip(found.metrics, seen, strict=True)
            ],
            "disagreements": [_case_to_dict(disagreement) for disagreement in found.shown],
            "not_shown": found.cases - found.agreed - len(found.shown),
            "not_compared": noted_to_dict(found.not_compared),
            **notes_to_dict(results, "en"),
        }
    )


def _case_to_dict(found: Disagreement) -> dict[str, Any]:
    score = found.case.required_score
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


_DIFF_WIDTH = 100
_NOTE_WIDTH = 1000


def write_markdown(found: Disagreements, results: Results, *, lang: Language = "en") -> str:
    """Headline, what each metric is blind to, and the cases; data stays plain text."""
    return join_blocks(_markdown_blocks(found, results, lang))


def _markdown_blocks(found: Disagreements, results: Results, lang: Language) -> Iterator[str]:
    is_empty = not found.cases
    headline = say(NOTHING_COMPARED, lang) if is_empty else ": ".join(headline_parts(found, lang))
    yield f"## {headline}"
    yield note_items(compared_notes(found, results, lang, write=code))
    if is_empty:
        return
    yield f"### {say(BLINDNESS, lang)}"
    yield _blindness_table(found, lang)
    if found.shown:
        yield say(HOW_TO_READ, lang)
    for disagreement in found.shown:
        yield from _markdown_case(disagreement, lang)
    yield more_cases(found, lang)


def _blindness_table(found: Disagreements, lang: Language) -> str:
    kinds = list(found.faults)
    labels = [say(METRIC, lang), say(MEAN, lang), *[say(KIND_NAMES[kind], lang) for kind in kinds]]
    rows: list[tuple[object, ...]] = []
    for metric, sights in zip(found.metrics, found.sights, strict=True):
        shares = [blind_share(sights.get(kind)) for kind in kinds]
        rows.append((code(metric.name), number_text(metric.mean), *shares))
    counts = (say(CASES_WITH, lang), "", *[found.faults[kind] for kind in kinds])
    return table(labels, [*rows, counts])


def _markdown_case(found: Disagreement, lang: Language) -> Iterator[str]:
    yield f"### {code(found.case.label)} {case_line(found, lang)}"
    yield fenced(plain_text(short_diff(found, _DIFF_WIDTH, lang)), "diff")
    rows = []
    for value, opinions in opinions_by_value(found):
        for opinion in opinions:
            parts = [
                code(part, width=_NOTE_WIDTH) if about == "reason" else part
                for part, about in opinion_parts(opinion, found, lang)
            ]
            rows.append((value, code(opinion.name), "; ".join(parts)))
    yield table(["", say(METRIC, lang), ""], rows)

"""What a report on disagreeing metrics says, in English and in Russian."""

# ruff: noqa: RUF001  (Russian letters that look like Latin ones, and minus signs, are meant)

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from callscore.core.text import clip, escape
from callscore.core.wording import Phrase, Plural, count_of, say
from callscore.metrics.disagreement import SAME
from callscore.reports.metric_table import number_text, reason_lines
from callscore.reports.wording import CASES, note_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from callscore.core.results import Results
    from callscore.core.wording import Language
    from callscore.metrics.disagreement import Disagreement, Disagreements, Opinion, Sight, Sights
    from callscore.metrics.repairs import Kind

__all__ = [
    "BLINDNESS",
    "CASES_WITH",
    "HOW_TO_READ",
    "KIND_NAMES",
    "MORE_CASES",
    "NOTHING_COMPARED",
    "Part",
    "blind_share",
    "case_line",
    "compared_notes",
    "headline",
    "more_cases",
    "opinion_parts",
]

# A piece of a sentence, and what it is about.
Part = tuple[str, Literal["gain", "loss", "blind", "masked", "perfect", "reason"]]

KIND_NAMES: dict[Kind, Phrase] = {
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
_UNKNOWN = Phrase("no number without: {kinds}", "без этого нет числа: {kinds}")
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


def headline(found: Disagreements, lang: Language) -> tuple[str, str]:
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
    return [*lines, *reason_lines(found.metrics, lang, write=write)]


def blind_share(sights: Sights | None) -> str:
    """How often a metric was blind, in percent; a dash where nothing is known of it."""
    return "–" if sights is None else f"{round(100 * sights.blind / sights.cases)}%"


def case_line(found: Disagreement, lang: Language) -> str:
    """How far the metrics disagree about a case, and which kinds of difference it has."""
    spread = say(_SPREAD, lang, spread=number_text(found.spread))
    kinds = _named(found.faults, lang)
    faults = say(_FAULTS, lang, kinds=kinds) if kinds else say(_NO_FAULTS, lang)
    return f"{spread}   {faults}"


def opinion_parts(opinion: Opinion, found: Disagreement, lang: Language) -> list[Part]:
    """Why a metric has its number: what it sees, and what it is blind to."""
    if opinion.value is None:
        return [(clip(escape(opinion.reason or ""), _REASON_WIDTH), "reason")]
    if not found.faults:
        return [] if opinion.value > 1 - SAME else [_unprovoked(found, lang)]
    parts: list[Part] = []
    for effect in opinion.effects:
        if effect.sight == "seen" and effect.gain is not None:
            text = f"{_signed(effect.gain)} {say(KIND_NAMES[effect.kind], lang)}"
            parts.append((text, "gain" if effect.gain > 0 else "loss"))
    if opinion.needed and opinion.together is not None:
        kinds = _named(opinion.needed, lang)
        together = say(_TOGETHER, lang, gain=_signed(opinion.together), kinds=kinds)
        parts.append((together, "gain" if opinion.together > 0 else "loss"))
    else:
        parts += _kinds_part(opinion, "masked", _MASKED, lang)
    parts += _kinds_part(opinion, "blind", _BLIND, lang)
    parts += _unknown_parts(opinion, lang)
    if opinion.perfect is not None and opinion.perfect < 1 - SAME:
        value = number_text(opinion.perfect)
        parts.append((say(_EVEN_PERFECT, lang, value=value), "perfect"))
    return parts


def _unknown_parts(opinion: Opinion, lang: Language) -> list[Part]:
    """The differences of which nothing can be said; nothing where the number is 0 in any case."""
    unknown = [effect for effect in opinion.effects if effect.sight == "unknown"]
    without = [effect.kind for effect in unknown if effect.gain is None]
    others = [effect.kind for effect in unknown if effect.gain is not None]
    parts: list[Part] = []
    if without:
        parts.append((say(_UNKNOWN, lang, kinds=_named(without, lang)), "masked"))
    if others and (opinion.perfect or 0.0) > SAME:
        parts.append((say(_NOT_KNOWN, lang, kinds=_named(others, lang)), "masked"))
    return parts


def _unprovoked(found: Disagreement, lang: Language) -> Part:
    is_empty = not found.case.score.expected
    return say(_NOTHING_EXPECTED if is_empty else _NOTHING_WRONG, lang), "perfect"


def _kinds_part(opinion: Opinion, sight: Sight, phrase: Phrase, lang: Language) -> list[Part]:
    kinds = [effect.kind for effect in opinion.effects if effect.sight == sight]
    if not kinds:
        return []
    about: Literal["blind", "masked"] = "blind" if sight == "blind" else "masked"
    return [(say(phrase, lang, kinds=_named(kinds, lang)), about)]


def _named(kinds: Sequence[Kind], lang: Language) -> str:
    return ", ".join([say(KIND_NAMES[kind], lang) for kind in kinds])


def _signed(number: float) -> str:
    """A change with its sign, in which a minus is as wide as a plus."""
    return f"{'+' if number > 0 else '−'}{number_text(abs(number))}"


def more_cases(found: Disagreements, lang: Language) -> str | None:
    """How many cases on which metrics disagree are not shown; None where there are none."""
    more = found.cases - found.agreed - len(found.shown)
    cases = count_of(CASES, more, lang)
    return say(MORE_CASES, lang, cases=cases) if more else None

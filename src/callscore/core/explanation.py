"""How a score comes about, in three steps that a person can check by hand."""

# ruff: noqa: RUF001  (Russian letters that look like Latin ones are meant, and so is the sign in formulas)

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from callscore.core.arguments import overlap_ratio
from callscore.core.text import clip, escape
from callscore.core.wording import (
    Phrase,
    Plural,
    count_of,
    decimal,
    percent,
    rating,
    reason,
    say,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callscore.core.model import Pair, Score
    from callscore.core.wording import Language

__all__ = ["explain"]

_MOST_REASONS = 20
_NAME_WIDTH = 80

EXPECTED_CALLS = Plural(
    ("expected call", "expected calls"),
    ("эталонный вызов", "эталонных вызова", "эталонных вызовов"),
)
ACTUAL_CALLS = Plural(
    ("actual call", "actual calls"),
    ("фактический вызов", "фактических вызова", "фактических вызовов"),
)
MORE_REASONS = Plural(
    ("more difference", "more differences"),
    ("отличие", "отличия", "отличий"),
)
STEP_1 = Phrase(
    "Step 1. Set each expected call against an actual call of the same tool.",
    "Шаг 1. Сопоставить каждый эталонный вызов с фактическим вызовом того же инструмента.",
)
STRICT_RULE = Phrase(
    "{expected}, {actual}. Strict: a pair is correct when all arguments are the same.",
    "{expected}, {actual}. Режим STRICT: пара верна, если совпадают все аргументы.",
)
FLEXIBLE_RULE = Phrase(
    "{expected}, {actual}. Flexible: a pair is correct when the share of matching arguments"
    " is at least {threshold}.",
    "{expected}, {actual}. Режим FLEXIBLE: пара верна, если доля совпавших аргументов"
    " не меньше {threshold}.",
)
ORDER_RULES = {
    "any": Phrase("The order of the calls does not matter.", "Порядок вызовов не важен."),
    "in_order": Phrase(
        "Pairs must not cross: the calls keep their order.",
        "Пары не пересекаются: порядок вызовов сохраняется.",
    ),
    "exact": Phrase(
        "Calls are set against each other position by position.",
        "Вызовы сопоставляются позиция к позиции.",
    ),
}
CORRECT_PAIR = Phrase(
    "expected {i} {name} with actual {j}: correct, {why}",
    "эталонный {i} {name} и фактический {j}: верно, {why}",
)
INCORRECT_PAIR = Phrase(
    "expected {i} {name} with actual {j}: incorrect, {why}",
    "эталонный {i} {name} и фактический {j}: неверно, {why}",
)
SAME_ARGUMENTS = Phrase("the arguments are the same", "аргументы совпадают")
ANY_ARGUMENTS = Phrase("any arguments are accepted", "подходят любые аргументы")
OTHER_ARGUMENTS = Phrase("the arguments differ", "аргументы различаются")
UNREADABLE = Phrase("the arguments cannot be read", "аргументы не удалось прочитать")
OVERLAP = Phrase(
    "{part} of {whole} arguments = {overlap}, {verdict} {threshold}",
    "{part} из {whole} аргументов = {overlap}, {verdict} {threshold}",
)
OVERLAP_BY_CONVENTION = Phrase(
    "no arguments expected but some given counts as {overlap}, {verdict} {threshold}",
    "аргументов не ожидалось, но они переданы: это считается как {overlap}, {verdict} {threshold}",
)
ENOUGH = Phrase("at least", "не меньше")
TOO_LITTLE = Phrase("below", "меньше")
MISSED = Phrase(
    "expected {i} {name}: missed, no actual call is left for it",
    "эталонный {i} {name}: пропущен, фактического вызова для него нет",
)
EXTRA = Phrase(
    "actual {j} {name}: extra, no expected call is left for it",
    "фактический {j} {name}: лишний, эталонного вызова для него нет",
)
# In an order not every call of the same tool may be paired with every other.
MISSED_IN_ORDER = Phrase(
    "expected {i} {name}: missed, no actual call can be paired with it in this order",
    "эталонный {i} {name}: пропущен, в этом порядке ему не сопоставить ни один фактический вызов",
)
EXTRA_IN_ORDER = Phrase(
    "actual {j} {name}: extra, no expected call can be paired with it in this order",
    "фактический {j} {name}: лишний, в этом порядке ему не сопоставить ни один эталонный вызов",
)
NO_CALLS = Phrase("there is nothing to pair", "сопоставлять нечего")
COUNTS = Phrase(
    "Correct {correct}, incorrect {incorrect}, missed {missed}, extra {extra}.",
    "Верно {correct}, неверно {incorrect}, пропущено {missed}, лишних {extra}.",
)
STEP_2 = Phrase("Step 2. Precision and recall.", "Шаг 2. Precision и recall.")
PRECISION = Phrase(
    "Precision = correct / actual calls = {correct} / {calls} = {value}",
    "Precision = верные / фактические вызовы = {correct} / {calls} = {value}",
)
RECALL = Phrase(
    "Recall = correct / expected calls = {correct} / {calls} = {value}",
    "Recall = верные / эталонные вызовы = {correct} / {calls} = {value}",
)
PRECISION_OF_NOTHING = Phrase(
    "Precision = 1.000 by convention: no call was made, so none was wrong.",
    "Precision = 1.000 по соглашению: вызовов не было, значит, не было и неверных.",
)
RECALL_OF_NOTHING = Phrase(
    "Recall = 1.000 by convention: no call was expected, so none was missed.",
    "Recall = 1.000 по соглашению: вызовов не ожидалось, значит, ни один не пропущен.",
)
STEP_3 = Phrase(
    "Step 3. F1, the harmonic mean of the two.",
    "Шаг 3. F1, гармоническое среднее этих двух чисел.",
)
F1_FORMULA = Phrase(
    "F1 = 2 × precision × recall / (precision + recall), or in calls:",
    "F1 = 2 × precision × recall / (precision + recall), или в вызовах:",
)
F1 = Phrase(
    "F1 = 2 × correct / (expected calls + actual calls)"
    " = 2 × {correct} / ({expected} + {actual}) = {value}",
    "F1 = 2 × верные / (эталонные вызовы + фактические вызовы)"
    " = 2 × {correct} / ({expected} + {actual}) = {value}",
)
F1_OF_NOTHING = Phrase(
    "F1 = 1.000 by convention: no call was expected and none was made, which is right.",
    "F1 = 1.000 по соглашению: вызовов не ожидалось и не было, и это верно.",
)
RESULT = Phrase("Score: {value} ({percent}), {rating}.", "Оценка: {value} ({percent}), {rating}.")


def explain(score: Score, *, lang: Language = "en") -> str:
    """The pairs with their reasons, precision and recall with their numbers, F1, and the rating."""
    steps = (
        (STEP_1, _pairing(score, lang)),
        (STEP_2, _precision_and_recall(score, lang)),
        (STEP_3, _harmonic_mean(score, lang)),
    )
    paragraphs = ["\n  ".join([say(heading, lang), *lines]) for heading, lines in steps]
    result = say(
        RESULT,
        lang,
        value=decimal(score.f1),
        percent=percent(score.f1),
        rating=rating(score.f1, lang=lang),
    )
    return "\n\n".join([*paragraphs, result])


def _pairing(score: Score, lang: Language) -> Iterator[str]:
    settings = score.settings
    yield say(
        FLEXIBLE_RULE if settings.mode == "flexible" else STRICT_RULE,
        lang,
        expected=count_of(EXPECTED_CALLS, len(score.expected), lang),
        actual=count_of(ACTUAL_CALLS, len(score.actual), lang),
        threshold=f"{settings.argument_match_threshold:g}",
    )
    yield say(ORDER_RULES[settings.order], lang)
    yield from _calls(score, lang) if score.expected or score.actual else [_item(NO_CALLS, lang)]
    yield say(
        COUNTS,
        lang,
        correct=len(score.correct),
        incorrect=len(score.incorrect),
        missed=len(score.missed),
        extra=len(score.extra),
    )


def _item(phrase: Phrase, lang: Language, **values: object) -> str:
    return f"- {say(phrase, lang, **values)}"


def _calls(score: Score, lang: Language) -> Iterator[str]:
    in_any_order = score.settings.order == "any"
    missed, extra = (MISSED, EXTRA) if in_any_order else (MISSED_IN_ORDER, EXTRA_IN_ORDER)
    pairs = {pair.expected_index: pair for pair in score.correct + score.incorrect}
    for position, call in enumerate(score.expected):
        if position in pairs:
            yield from _pair(pairs[position], lang)
        else:
            yield _item(missed, lang, i=position + 1, name=_name(call.name))
    paired = {pair.actual_index for pair in pairs.values()}
    for position, call in enumerate(score.actual):
        if position not in paired:
            yield _item(extra, lang, j=position + 1, name=_name(call.name))


def _name(name: str) -> str:
    return clip(escape(name[: _NAME_WIDTH + 1]), _NAME_WIDTH)


def _pair(pair: Pair, lang: Language) -> Iterator[str]:
    found = pair.differences
    yield _item(
        CORRECT_PAIR if pair.is_correct else INCORRECT_PAIR,
        lang,
        i=pair.expected_index + 1,
        j=pair.actual_index + 1,
        name=_name(pair.expected.name),
        why=_why(pair, lang),
    )
    for difference in islice(found, _MOST_REASONS):
        yield f"    {reason(difference, lang=lang)}"
    if len(found) > _MOST_REASONS:
        yield f"    … {count_of(MORE_REASONS, len(found) - _MOST_REASONS, lang)}"


def _why(pair: Pair, lang: Language) -> str:
    if pair.expected.arguments is None and not pair.differences:
        phrase = ANY_ARGUMENTS
    elif pair.actual.error is not None:
        phrase = UNREADABLE
    elif not pair.differences:
        phrase = SAME_ARGUMENTS
    elif pair.settings.mode == "strict":
        phrase = OTHER_ARGUMENTS
    else:
        return _overlap(pair, lang)
    return say(phrase, lang)


def _overlap(pair: Pair, lang: Language) -> str:
    wanted, given = pair.expected.arguments or {}, pair.actual.arguments or {}
    part, whole = overlap_ratio(
        pair.matched_arguments,
        wanted=len(wanted),
        given=len(given),
        shared=len(wanted.keys() & given.keys()),
        extra_arguments=pair.settings.extra_arguments,
    )
    is_convention = not wanted and pair.settings.extra_arguments == "ignore"
    return say(
        OVERLAP_BY_CONVENTION if is_convention else OVERLAP,
        lang,
        part=part,
        whole=whole,
        overlap=_overlap_text(part / whole, pair.settings.argument_match_threshold),
        verdict=say(ENOUGH if pair.is_correct else TOO_LITTLE, lang),
        threshold=f"{pair.settings.argument_match_threshold:g}",
    )


def _overlap_text(overlap: float, threshold: float) -> str:
    # Two decimals, unless they would tell another story than the comparison did.
    short = f"{overlap:.2f}"
    return short if (float(short) >= threshold) == (overlap >= threshold) else f"{overlap!r}"


def _precision_and_recall(score: Score, lang: Language) -> list[str]:
    correct, expected, actual = len(score.correct), len(score.expected), len(score.actual)
    precision, recall = decimal(score.precision), decimal(score.recall)
    return [
        say(PRECISION, lang, correct=correct, calls=actual, value=precision)
        if actual
        else say(PRECISION_OF_NOTHING, lang),
        say(RECALL, lang, correct=correct, calls=expected, value=recall)
        if expected
        else say(RECALL_OF_NOTHING, lang),
    ]


def _harmonic_mean(score: Score, lang: Language) -> list[str]:
    if not score.expected and not score.actual:
        return [say(F1_OF_NOTHING, lang)]
    numbers = say(
        F1,
        lang,
        correct=len(score.correct),
        expected=len(score.expected),
        actual=len(score.actual),
        value=decimal(score.f1),
    )
    return [say(F1_FORMULA, lang), numbers]

"""How a score is computed, in three steps that can be checked by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Literal

from callscore.core.case import is_state
from callscore.core.equality import equal_objects
from callscore.core.phrases import Language, Phrase, Plural, count_of, say
from callscore.core.rendering import wrap
from callscore.core.rules import contains_matchers
from callscore.core.score import Pair, Score, f1_of, has_no_counted_calls
from callscore.words.callers import caller_suffix, other_caller_text
from callscore.words.reasons import difference_reason_lines
from callscore.words.turns import joined_note
from callscore.words.unpaired import (
    UnpairedReasons,
    Why,
    effective_order,
    expectation_parts,
    explain_unpaired,
    uncounted_calls,
)
from callscore.words.value_text import (
    MORE,
    assumed_notes,
    call_counts,
    call_text,
    decimal,
    name_text,
    percent,
    rating_meaning,
    shown_rating,
)

if TYPE_CHECKING:
    from callscore.core.call import ToolCall

_MAX_ITEMS = 20
_NAME_WIDTH = 80
_CALL_WIDTH = 60
_LONGEST_CALL = 300
_NARROWEST = 20
_REASON_INDENT = 6
UNLIMITED = 1_000_000

EXPECTED_CALLS = Plural(
    ("expected call", "expected calls"),
    ("ожидаемый вызов", "ожидаемых вызова", "ожидаемых вызовов"),
)
ACTUAL_CALLS = Plural(
    ("actual call", "actual calls"),
    ("фактический вызов", "фактических вызова", "фактических вызовов"),
)
FORBIDDEN_CALLS = Plural(
    ("forbidden call", "forbidden calls"),
    ("запрещённый вызов", "запрещённых вызова", "запрещённых вызовов"),
)

NOT_COUNTED = Phrase("… {calls} not counted: {reasons}", "… не учтено: {calls} ({reasons})")
NOT_COUNTED_ITEMS = Phrase(
    "Calls that do not count under these settings:",
    "Вызовы, которые при этих настройках не учитываются:",
)
TIMES = Plural(("time", "times"), ("раз", "раза", "раз"))
SIDES = {
    "expected": (EXPECTED_CALLS, Phrase("expected {call}: {why}", "ожидаемый {call}: {why}")),
    "actual": (ACTUAL_CALLS, Phrase("actual {call}: {why}", "фактический {call}: {why}")),
}
# Why calls do not count: as a counted noun, and as a clause about one call.
REASONS: dict[Literal["read", "failed", "repeated", "free"], tuple[Plural, Phrase]] = {
    "read": (
        Plural(("read", "reads"), ("чтение", "чтения", "чтений")),
        Phrase("the tool only reads", "инструмент только читает"),
    ),
    "failed": (
        Plural(("failed", "failed"), ("неудачный", "неудачных", "неудачных")),
        Phrase("the result was an error", "завершился ошибкой"),
    ),
    "repeated": (
        Plural(("repeated", "repeated"), ("повтор", "повтора", "повторов")),
        Phrase("exact repeat of an earlier call", "точный повтор предыдущего вызова"),
    ),
    "free": (
        Plural(("extra", "extra"), ("лишний", "лишних", "лишних")),
        Phrase(
            "extra, and free under these settings",
            "лишний, но при этих настройках не снижает оценку",
        ),
    ),
}

_WRITTEN = Plural(("calls", "calls"), ("вызова", "вызовов", "вызовов"))
SETTLED = Phrase(
    "Alternatives, optional calls and repeats are resolved first:"
    " {counting} of the {written} in the reference count.",
    "Сначала выбираются альтернативы, необязательные вызовы и повторы:"
    " из {written} эталона учитывается {counting}.",
)
# Of a call that is expected several times.
SETTLED_TO_MORE = Phrase(
    "Alternatives, optional calls and repeats are resolved first: {counting} expected calls count.",
    "Сначала выбираются альтернативы, необязательные вызовы и повторы:"
    " учитывается ожидаемых вызовов: {counting}.",
)
NOT_CHOSEN = Phrase("Not counted: {calls}.", "Не учитываются: {calls}.")
ORDERED_GROUPS = Phrase(
    "Calls in an `in_order` group must be made in that order.",
    "Вызовы группы `in_order` должны идти в этом порядке.",
)
UNORDERED_GROUPS = Phrase(
    "Calls in an `any_order` group may be made in any order.",
    "Вызовы группы `any_order` могут идти в любом порядке.",
)
FORBIDDEN_TOOLS = Phrase("Forbidden: {patterns}.", "Запрещено вызывать: {patterns}.")


def short_name(name: str) -> str:
    """The name of a tool, short enough for a sentence."""
    return name_text(name, limit=_NAME_WIDTH)


def ignored_notes(score: Score, lang: Language) -> list[str]:
    """One line per side with calls that do not count: how many, and why."""
    notes: list[str] = []
    if not score.ignored:
        return notes
    for side, (calls, _) in SIDES.items():
        found = Counter(ignored.why for ignored in score.ignored if ignored.side == side)
        if found:
            count = count_of(calls, found.total(), lang)
            reasons = [
                count_of(noun, found[why], lang) for why, (noun, _) in REASONS.items() if found[why]
            ]
            notes.append(say(NOT_COUNTED, lang, calls=count, reasons=", ".join(reasons)))
    return notes


def ignored_items(score: Score, lang: Language) -> Iterator[str]:
    """The calls that do not count, one line per tool and reason."""
    found = Counter(
        (ignored.side, ignored.call.name, _caller(ignored.call, lang), ignored.why)
        for ignored in score.ignored
    )
    if found:
        yield say(NOT_COUNTED_ITEMS, lang)
    for (side, name, caller, why), times in islice(found.items(), _MAX_ITEMS):
        _, sentence = SIDES[side]
        _, reason = REASONS[why]
        call = short_name(name) + caller + _times_text(times, lang)
        yield f"- {say(sentence, lang, call=call, why=say(reason, lang))}"
    if len(found) > _MAX_ITEMS:
        yield f"  {say(MORE, lang, count=len(found) - _MAX_ITEMS)}"


def _times_text(times: int, lang: Language) -> str:
    return f" ({count_of(TIMES, times, lang)})" if times > 1 else ""


def expectation_lines(score: Score, lang: Language) -> list[str]:
    """Lines that describe an expectation with groups, repeats or forbidden calls."""
    if score.expectation is None:
        return []
    written = expectation_parts(score.expectation)
    lines: list[str] = []
    if written.kinds & {"one_of", "optional", "times"}:
        calls = count_of(_WRITTEN, written.calls, lang)
        counting = len(score.expected)
        phrase = SETTLED if counting <= written.calls else SETTLED_TO_MORE
        lines.append(say(phrase, lang, written=calls, counting=counting))
        lines += _not_chosen(score, lang)
    if "in_order" in written.kinds and effective_order(score) == "any":
        lines.append(say(ORDERED_GROUPS, lang))
    if "any_order" in written.kinds and effective_order(score) != "any":
        lines.append(say(UNORDERED_GROUPS, lang))
    if written.forbidden:
        patterns = ", ".join(map(short_name, written.forbidden[:_MAX_ITEMS]))
        lines.append(say(FORBIDDEN_TOOLS, lang, patterns=patterns))
    return lines


def _not_chosen(score: Score, lang: Language) -> list[str]:
    """Which of the written calls do not count; empty if all of them do."""
    counting = {call.name for call in score.expected}
    # If other calls of the same tool count, its name alone would be ambiguous.
    found = Counter(
        call_text(call, limit=_CALL_WIDTH) if call.name in counting else short_name(call.name)
        for call in uncounted_calls(score)
    )
    calls = [text + _times_text(times, lang) for text, times in islice(found.items(), _MAX_ITEMS)]
    if len(found) > _MAX_ITEMS:
        calls.append(say(MORE, lang, count=len(found) - _MAX_ITEMS))
    return [say(NOT_CHOSEN, lang, calls=", ".join(calls))] if calls else []


AND_MORE = Phrase("… {more}", "… ещё {more}")
MORE_REASONS = Plural(
    ("more difference", "more differences"), ("расхождение", "расхождения", "расхождений")
)
STEP_1 = Phrase(
    "Step 1. Pair each expected call with an actual call of the same tool.",
    "Шаг 1. Сопоставить каждый ожидаемый вызов с фактическим вызовом того же инструмента.",
)
STRICT_RULE = Phrase(
    "{expected}, {actual}. Strict mode: a pair is correct if all arguments are equal.",
    "{expected}, {actual}. Режим strict: пара верна, если совпадают все аргументы.",
)
FLEXIBLE_RULE = Phrase(
    "{expected}, {actual}. Flexible mode: a pair is correct if the share of matching arguments"
    " is at least {threshold}.",
    "{expected}, {actual}. Режим flexible: пара верна, если доля совпавших аргументов"
    " не меньше {threshold}.",
)
VALUE_RULES = Phrase(
    "A value with a rule, in the reference or in the settings, must satisfy the rule instead.",
    "Значение, для которого в эталоне или в настройках есть правило, должно ему соответствовать.",
)
ORDER_RULES = {
    "any": Phrase("The order of the calls does not matter.", "Порядок вызовов не важен."),
    "in_order": Phrase(
        "The calls must be made in the expected order.",
        "Вызовы должны идти в ожидаемом порядке.",
    ),
    "exact": Phrase(
        "Calls are paired by position.",
        "Вызовы сопоставляются по позициям.",
    ),
    "in_turns": Phrase(
        "Within a turn, the calls must be made in the expected order.",
        "Внутри хода вызовы должны идти в ожидаемом порядке.",
    ),
}
# With this order, in a case without turns.
NO_TURNS_TO_ORDER = Phrase(
    "There are no turns, so the order of the calls does not matter.",
    "Ходов нет, поэтому порядок вызовов не важен.",
)
TURN_RULES = {
    "separate": Phrase(
        "The case has {turns}. A call counts in the turn in which it is expected: it must be made in"
        " that turn.",
        "В случае {turns}. Вызов учитывается в том ходе, в котором он ожидается, и должен быть"
        " сделан в нём.",
    ),
    "cumulative": Phrase(
        "The case has {turns}. A call counts in the turn in which it is expected: it may be made in"
        " that turn or in an earlier one.",
        "В случае {turns}. Вызов учитывается в том ходе, в котором он ожидается, и может быть сделан"
        " в нём или раньше.",
    ),
}
TURNS = Plural(("turn", "turns"), ("ход", "хода", "ходов"))
EXTRA_CALL_RULES = {
    "free": Phrase(
        "Extra calls do not count, unless they are forbidden. A call with wrong arguments costs no more"
        " than the expected call that is missing.",
        "Лишние вызовы, кроме запрещённых, не учитываются. Вызов с неверными аргументами стоит не"
        " больше, чем отсутствие ожидаемого.",
    ),
    "reads_free": Phrase(
        "Extra calls of tools that only read do not count, unless they are forbidden. One with wrong"
        " arguments costs no more than the expected call that is missing.",
        "Лишние вызовы инструментов, которые только читают, не учитываются, кроме запрещённых. Вызов"
        " с неверными аргументами стоит не больше, чем отсутствие ожидаемого.",
    ),
}
EQUAL_DEFAULTS = Phrase(
    "An argument that equals the default in the schema of its tool may be given or left out.",
    "Аргумент, равный значению по умолчанию из схемы инструмента, можно передать или опустить.",
)
TURN_SCORES = Phrase("By turn:", "По ходам:")
TURN_SCORE = Phrase(
    "turn {number}: {correct} correct, {expected} expected, {actual} made: F1 {value}",
    "ход {number}: верно {correct}, ожидалось {expected}, сделано {actual}: F1 {value}",
)
# Not every call that was made counts.
COUNTED_TURN_SCORE = Phrase(
    "turn {number}: {correct} correct, {expected} expected, {actual} counted: F1 {value}",
    "ход {number}: верно {correct}, ожидалось {expected}, учтено {actual}: F1 {value}",
)
TURN_WITHOUT_CALLS = Phrase("turn {number}: no calls", "ход {number}: вызовов нет")
TURN_WITHOUT_COUNTED_CALLS = Phrase(
    "turn {number}: no calls that count", "ход {number}: учитываемых вызовов нет"
)
FORBIDDEN_IN_TURN = Phrase(", a forbidden call was made", ", выполнен запрещённый вызов")
FIRST_WRONG = Phrase(
    "The first turn that went wrong is turn {number}.", "Первый неверный ход — {number}."
)
NO_WRONG_TURN = Phrase("No turn went wrong.", "Неверных ходов нет.")
TURN_MEANS = Phrase(
    "The mean of the turns is {mean}, the lowest {least}.",
    "Среднее по ходам {mean}, наименьшее {least}.",
)
CORRECT_PAIR = Phrase(
    "expected {i} {name} with actual {j}: correct, {why}",
    "ожидаемый {i} {name} и фактический {j}: верно, {why}",
)
INCORRECT_PAIR = Phrase(
    "expected {i} {name} with actual {j}: incorrect, {why}",
    "ожидаемый {i} {name} и фактический {j}: неверно, {why}",
)
SAME_ARGUMENTS = Phrase("the arguments are equal", "аргументы совпадают")
FITTING_ARGUMENTS = Phrase("the arguments match", "аргументы подходят")
ANY_ARGUMENTS = Phrase("any arguments are accepted", "подходят любые аргументы")
OTHER_ARGUMENTS = Phrase("the arguments differ", "аргументы различаются")
UNREADABLE = Phrase("the arguments cannot be read", "аргументы не удалось прочитать")
OVERLAP = Phrase(
    "{part} of {whole} arguments = {overlap}, {verdict} {threshold}",
    "{part} из {whole} аргументов = {overlap}, {verdict} {threshold}",
)
OVERLAP_BY_CONVENTION = Phrase(
    "arguments given where none were expected count as {overlap}, {verdict} {threshold}",
    "аргументы переданы, хотя не ожидались: это считается как {overlap}, {verdict} {threshold}",
)
ENOUGH = Phrase("at least", "не меньше")
TOO_LITTLE = Phrase("below", "меньше")
MISSED = Phrase("expected {i} {name}: missed, {why}", "ожидаемый {i} {name}: пропущен, {why}")
EXTRA = Phrase("actual {j} {name}: extra, {why}", "фактический {j} {name}: лишний, {why}")
FORBIDDEN = Phrase(
    "actual {j} {name}: forbidden, and also counted as extra",
    "фактический {j} {name}: запрещён, учитывается и как лишний",
)
NO_ACTUAL_CALL = Phrase("no actual call to pair with", "нет фактического вызова для пары")
NO_EXPECTED_CALL = Phrase("no expected call to pair with", "нет ожидаемого вызова для пары")
# There are calls of the same tool. If the order counts, not every two of them may be paired.
MISSED_REASONS: dict[Why, Phrase] = {
    "order": Phrase(
        "no actual call to pair with in this order",
        "в этом порядке нет фактического вызова для пары",
    ),
    "turn": Phrase("called in another turn", "вызван в другом ходе"),
}
CALL_MADE = Phrase("; the call was {call}", "; сделан вызов {call}")
EXTRA_REASONS: dict[Why, Phrase] = {
    "order": Phrase(
        "no expected call to pair with in this order",
        "в этом порядке нет ожидаемого вызова для пары",
    ),
    "turn": Phrase("expected in another turn", "ожидался в другом ходе"),
}
CORRECT_STATE = Phrase("end state: correct, {why}", "конечное состояние: верно, {why}")
INCORRECT_STATE = Phrase("end state: incorrect, {why}", "конечное состояние: неверно, {why}")
MISSED_STATE = Phrase(
    "end state: missed, the run has none", "конечное состояние: пропущено, в прогоне его нет"
)
SAME_STATE = Phrase("it is equal to the expected one", "совпадает с ожидаемым")
FITTING_STATE = Phrase("it matches the expected one", "подходит под ожидаемое")
OTHER_STATE = Phrase("it differs from the expected one", "отличается от ожидаемого")
STATE_COUNTS = Phrase(
    "The end state counts as one call on each side.",
    "Конечное состояние считается одним вызовом на каждой стороне.",
)
NO_CALLS = Phrase("no calls to pair", "нет вызовов для сопоставления")
COUNTS = Phrase(
    "Correct {correct}, incorrect {incorrect}, missed {missed}, extra {extra}.",
    "Верно {correct}, неверно {incorrect}, пропущено {missed}, лишних {extra}.",
)
STEP_2 = Phrase("Step 2. Precision and recall.", "Шаг 2. Precision и recall.")
PRECISION = Phrase(
    "Precision = correct / actual calls = {correct} / {calls} = {value}",
    "Precision = верные / фактические вызовы = {correct} / {calls} = {value}",
)
# If calls with wrong arguments are free: all of them, or those that only read.
COUNTED_CALLS = {
    "free": Phrase(
        "Actual calls that count: {counted} of {calls}, without those with wrong arguments.",
        "Учтено фактических вызовов: {counted} из {calls}, без вызовов с неверными аргументами.",
    ),
    "reads_free": Phrase(
        "Actual calls that count: {counted} of {calls}, without reads with wrong arguments.",
        "Учтено фактических вызовов: {counted} из {calls}, без чтений с неверными аргументами.",
    ),
}
COUNTED_PRECISION = Phrase(
    "Precision = correct / actual calls that count = {correct} / {calls} = {value}",
    "Precision = верные / учтённые фактические вызовы = {correct} / {calls} = {value}",
)
RECALL = Phrase(
    "Recall = correct / expected calls = {correct} / {calls} = {value}",
    "Recall = верные / ожидаемые вызовы = {correct} / {calls} = {value}",
)
PRECISION_OF_NOTHING = Phrase(
    "Precision = 1.000 by convention, because there are no actual calls.",
    "Precision = 1.000 по соглашению: фактических вызовов нет.",
)
PRECISION_OF_NOTHING_COUNTED = Phrase(
    "Precision = 1.000 by convention, because no actual call counts.",
    "Precision = 1.000 по соглашению: ни один фактический вызов не учитывается.",
)
RECALL_OF_NOTHING = Phrase(
    "Recall = 1.000 by convention, because there are no expected calls.",
    "Recall = 1.000 по соглашению: ожидаемых вызовов нет.",
)
STEP_3 = Phrase(
    "Step 3. F1, the harmonic mean of precision and recall.",
    "Шаг 3. F1, гармоническое среднее precision и recall.",
)
F1_FORMULA = Phrase(
    "F1 = 2 × precision × recall / (precision + recall), or in calls:",
    "F1 = 2 × precision × recall / (precision + recall), или через число вызовов:",
)
F1 = Phrase(
    "F1 = 2 × correct / (expected calls + actual calls)"
    " = 2 × {correct} / ({expected} + {actual}) = {value}",
    "F1 = 2 × верные / (ожидаемые вызовы + фактические вызовы)"
    " = 2 × {correct} / ({expected} + {actual}) = {value}",
)
COUNTED_F1 = Phrase(
    "F1 = 2 × correct / (expected calls + actual calls that count)"
    " = 2 × {correct} / ({expected} + {actual}) = {value}",
    "F1 = 2 × верные / (ожидаемые вызовы + учтённые фактические вызовы)"
    " = 2 × {correct} / ({expected} + {actual}) = {value}",
)
F1_OF_NOTHING = Phrase(
    "F1 = 1.000 by convention, because there are no calls on either side.",
    "F1 = 1.000 по соглашению: ни ожидаемых, ни фактических вызовов нет.",
)
F1_OF_NOTHING_COUNTED = Phrase(
    "F1 = 1.000 by convention, because no call counts on either side.",
    "F1 = 1.000 по соглашению: ни ожидаемые, ни фактические вызовы не учитываются.",
)
FORBIDDEN_SCORE = Phrase(
    "A forbidden call was made, so the score is 0.",
    "Выполнен запрещённый вызов, поэтому оценка 0.",
)
RESULT = Phrase(
    "Score: {value} ({percent}), {rating}: {meaning}.",
    "Оценка: {value} ({percent}), {rating}: {meaning}.",
)
# Of a case that failed with a score that would be praised.
FAILED_RESULT = Phrase("Score: {value} ({percent}).", "Оценка: {value} ({percent}).")
UNRATED_RESULT = Phrase(
    "Score: {value} ({percent}), no rating: no call counts under these settings.",
    "Оценка: {value} ({percent}), без уровня: при этих настройках ни один вызов не учитывается.",
)


def explain(
    score: Score,
    *,
    lang: Language = "en",
    width: int | None = None,
    is_failed: bool | None = None,
) -> str:
    """The pairs with their reasons, precision and recall with their numbers, F1, and the rating.

    Lines longer than `width` columns, if it is given, are wrapped between words. A case may fail for
    other reasons than its score (`is_failed`).
    """
    steps = (
        (STEP_1, _pairing(score, lang, width or UNLIMITED)),
        (STEP_2, _precision_and_recall(score, lang)),
        (STEP_3, _harmonic_mean(score, lang)),
    )
    paragraphs = ["\n  ".join([say(heading, lang), *lines]) for heading, lines in steps]
    is_failed = not score.passed if is_failed is None else is_failed
    text = "\n\n".join([*paragraphs, _result(score, lang, is_failed=is_failed)])
    return text if width is None else "\n".join(_wrapped(text, width))


def _wrapped(text: str, width: int) -> Iterator[str]:
    """The lines of a text, with the continuation of a line indented below its beginning."""
    for line in text.split("\n"):
        inner = line.lstrip(" ").removeprefix("- ")
        start = line[: len(line) - len(inner)]
        for number, part in enumerate(wrap(inner, max(width - len(start), _NARROWEST))):
            yield (" " * len(start) if number else start) + part


def _result(score: Score, lang: Language, *, is_failed: bool) -> str:
    f1, mark = score.f1, score.settings.pass_mark
    numbers = {"value": decimal(f1, border=mark), "percent": percent(f1, border=mark)}
    if has_no_counted_calls(score):
        return say(UNRATED_RESULT, lang, **numbers)
    word = shown_rating(score, is_failed=is_failed, lang=lang)
    if not word:
        return say(FAILED_RESULT, lang, **numbers)
    meaning = rating_meaning(f1, has_extra=bool(score.extra), is_exact=score.is_exact, lang=lang)
    return say(RESULT, lang, **numbers, rating=word, meaning=meaning)


def _pairing(score: Score, lang: Language, width: int) -> Iterator[str]:
    settings = score.settings
    yield from ignored_items(score, lang)
    yield from assumed_notes(score.assumed_writes, lang)
    yield say(
        FLEXIBLE_RULE if settings.mode == "flexible" else STRICT_RULE,
        lang,
        expected=count_of(EXPECTED_CALLS, len(score.expected), lang),
        actual=count_of(ACTUAL_CALLS, len(score.actual), lang),
        threshold=f"{settings.argument_match_threshold:g}",
    )
    if settings.has_rules or any(contains_matchers(call.arguments) for call in score.expected):
        yield say(VALUE_RULES, lang)
    yield from _turn_rules(score, lang)
    yield from expectation_lines(score, lang)
    if score.expected or score.actual:
        yield from _calls(score, lang, width)
    else:
        yield _item(NO_CALLS, lang)
    yield say(COUNTS, lang, **call_counts(score))
    yield from _turn_scores(score, lang)


def _turn_rules(score: Score, lang: Language) -> Iterator[str]:
    """The turns, the order, and what costs nothing."""
    settings = score.settings
    joined = joined_note(score, lang)
    if joined is not None:
        yield joined
    if score.turns:
        turns = count_of(TURNS, score.turns[-1].number, lang)
        yield say(TURN_RULES[settings.turns], lang, turns=turns)
    is_unordered = settings.order == "in_turns" and not score.turns
    yield say(NO_TURNS_TO_ORDER if is_unordered else ORDER_RULES[settings.order], lang)
    if settings.extra_calls in EXTRA_CALL_RULES:
        yield say(EXTRA_CALL_RULES[settings.extra_calls], lang)
    if settings.schema_defaults == "equal":
        yield say(EQUAL_DEFAULTS, lang)
    if any(map(is_state, score.expected[-1:])):
        yield say(STATE_COUNTS, lang)


def _turn_scores(score: Score, lang: Language) -> Iterator[str]:
    """The score of each turn, and which is the first that went wrong."""
    if not score.turns:
        return
    yield say(TURN_SCORES, lang)
    mark = score.settings.pass_mark
    is_whole = _all_count(score)
    for turn in islice(score.turns, _MAX_ITEMS):
        if not turn.expected and not turn.actual:
            phrase = TURN_WITHOUT_CALLS if is_whole else TURN_WITHOUT_COUNTED_CALLS
            yield _item(phrase, lang, number=turn.number)
            continue
        counts = {name: getattr(turn, name) for name in ("number", "correct", "expected", "actual")}
        phrase = TURN_SCORE if is_whole else COUNTED_TURN_SCORE
        item = _item(phrase, lang, **counts, value=decimal(turn.f1, border=mark))
        yield item + (say(FORBIDDEN_IN_TURN, lang) if turn.forbidden else "")
    if len(score.turns) > _MAX_ITEMS:
        yield f"  {say(MORE, lang, count=len(score.turns) - _MAX_ITEMS)}"
    mean, least = decimal(score.turn_mean or 0.0), decimal(score.turn_min or 0.0)
    yield say(TURN_MEANS, lang, mean=mean, least=least)
    number = score.first_wrong_turn
    yield say(NO_WRONG_TURN if number is None else FIRST_WRONG, lang, number=number)


def _item(phrase: Phrase, lang: Language, **values: object) -> str:
    return f"- {say(phrase, lang, **values)}"


def _calls(score: Score, lang: Language, width: int) -> Iterator[str]:
    reasons = explain_unpaired(score, lang)
    pairs = {pair.expected_index: pair for pair in score.correct + score.incorrect}
    for position, call in enumerate(score.expected):
        if position in pairs:
            yield from _pair(pairs[position], lang, width)
        else:
            yield _missed_item(call, position, reasons, lang)
    paired = {pair.actual_index for pair in pairs.values()}
    for position, call in enumerate(score.actual):
        if position not in paired:
            phrase = FORBIDDEN if position in score.forbidden else EXTRA
            why = extra_reason(call, position, reasons, lang)
            yield _item(phrase, lang, j=position + 1, name=_whole_call(call, lang), why=why)


def extra_reason(call: ToolCall, position: int, reasons: UnpairedReasons, lang: Language) -> str:
    """Why an extra call has no partner."""
    found = reasons.misplaced.get(position)
    if found is None:
        return reasons.extra.get(position) or say(NO_EXPECTED_CALL, lang)
    if found.why == "caller":
        return other_caller_text(call, found.other, lang)
    return say(EXTRA_REASONS[found.why], lang)


def _missed_item(call: ToolCall, position: int, reasons: UnpairedReasons, lang: Language) -> str:
    if is_state(call):
        return _item(MISSED_STATE, lang)
    found = reasons.missed.get(position)
    if found is None:
        why = say(NO_ACTUAL_CALL, lang)
    elif found.why == "caller":
        why = other_caller_text(found.other, call, lang)
    else:
        why = say(MISSED_REASONS[found.why], lang)
    if found is not None and found.is_hidden:
        why += say(CALL_MADE, lang, call=call_text(found.other, limit=_LONGEST_CALL, lang=lang))
    item = _item(MISSED, lang, i=position + 1, name=_whole_call(call, lang), why=why)
    note = reasons.look_alikes.get(call.name)
    return item if note is None else f"{item} ({note})"


def _whole_call(call: ToolCall, lang: Language) -> str:
    """A call without a partner: several calls of one tool differ only in their arguments."""
    has_arguments = call.arguments != {} or call.error is not None
    if has_arguments:
        return call_text(call, limit=_LONGEST_CALL, lang=lang)
    return short_name(call.name) + _caller(call, lang)


def _caller(call: ToolCall, lang: Language) -> str:
    """Who makes a call, if not the agent; in a sentence."""
    return caller_suffix(call, lang).replace("  ", " ", 1)


def _pair(pair: Pair, lang: Language, width: int) -> Iterator[str]:
    found = pair.differences
    phrase = CORRECT_PAIR if pair.is_correct else INCORRECT_PAIR
    if is_state(pair.expected):
        phrase = CORRECT_STATE if pair.is_correct else INCORRECT_STATE
    expected, actual = pair.expected, pair.actual
    name = short_name(expected.name) + _caller(expected, lang)
    i, j = pair.expected_index + 1, f"{pair.actual_index + 1}"
    if expected.caller != actual.caller:
        j += _caller(actual, lang)
    yield _item(phrase, lang, i=i, j=j, name=name, why=_why(pair, lang))
    for difference in islice(found, _MAX_ITEMS):
        room = width - _REASON_INDENT
        for line in difference_reason_lines(difference, others=found, width=room, lang=lang):
            yield f"    {line}"
    if len(found) > _MAX_ITEMS:
        more = count_of(MORE_REASONS, len(found) - _MAX_ITEMS, lang)
        yield f"    {say(AND_MORE, lang, more=more)}"


def _why(pair: Pair, lang: Language) -> str:
    same, fitting, other = SAME_ARGUMENTS, FITTING_ARGUMENTS, OTHER_ARGUMENTS
    if is_state(pair.expected):
        same, fitting, other = SAME_STATE, FITTING_STATE, OTHER_STATE
    if pair.expected.arguments is None and not pair.differences:
        phrase = ANY_ARGUMENTS
    elif pair.actual.error is not None:
        phrase = UNREADABLE
    elif not pair.differences:
        is_equal = equal_objects(pair.expected.arguments or {}, pair.actual.arguments or {})
        phrase = same if is_equal else fitting
    elif pair.settings.mode == "strict":
        phrase = other
    else:
        return _overlap(pair, lang)
    return say(phrase, lang)


def _overlap(pair: Pair, lang: Language) -> str:
    part, whole = pair.overlap_parts
    overlap, threshold = part / whole, pair.settings.argument_match_threshold
    is_convention = part > 0 and not pair.matched_arguments
    return say(
        OVERLAP_BY_CONVENTION if is_convention else OVERLAP,
        lang,
        part=part,
        whole=whole,
        overlap=decimal(overlap, border=threshold),
        verdict=say(ENOUGH if pair.is_correct else TOO_LITTLE, lang),
        threshold=f"{threshold:g}",
    )


def _precision_and_recall(score: Score, lang: Language) -> Iterator[str]:
    correct, expected, actual = len(score.correct), len(score.expected), score.total_actual
    precision, recall = decimal(score.precision), decimal(score.recall)
    made = len(score.actual)
    if actual != made:
        yield say(COUNTED_CALLS[score.settings.extra_calls], lang, counted=actual, calls=made)
    if actual:
        phrase = PRECISION if actual == made else COUNTED_PRECISION
        yield say(phrase, lang, correct=correct, calls=actual, value=precision)
    else:
        yield say(PRECISION_OF_NOTHING if _all_count(score) else PRECISION_OF_NOTHING_COUNTED, lang)
    if expected:
        yield say(RECALL, lang, correct=correct, calls=expected, value=recall)
    else:
        yield say(RECALL_OF_NOTHING, lang)


def _all_count(score: Score) -> bool:
    """Whether every actual call counts."""
    is_ignored = any(item.side == "actual" for item in score.ignored)
    return score.total_actual == len(score.actual) and not is_ignored


def _harmonic_mean(score: Score, lang: Language) -> list[str]:
    if not score.expected and not score.actual:
        return [say(F1_OF_NOTHING_COUNTED if score.ignored else F1_OF_NOTHING, lang)]
    correct, expected, actual = len(score.correct), len(score.expected), score.total_actual
    value = decimal(f1_of(correct, expected, actual))
    phrase = F1 if actual == len(score.actual) else COUNTED_F1
    numbers = say(phrase, lang, correct=correct, expected=expected, actual=actual, value=value)
    forbidden = [say(FORBIDDEN_SCORE, lang)] if score.forbidden else []
    return [say(F1_FORMULA, lang), numbers, *forbidden]

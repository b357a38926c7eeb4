"""Which calls count and which do not, and what was forbidden, in words."""

# ruff: noqa: RUF001  (Russian letters that look like Latin ones are meant)

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Literal, NamedTuple

from callscore.core.call_text import call_text
from callscore.core.choices import uncounted
from callscore.core.expectation import Forbidden, Group, Times
from callscore.core.phrase import Phrase, Plural, count_of, say
from callscore.core.text import clip, escape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callscore.core.expectation import Expected
    from callscore.core.model import Score
    from callscore.core.phrase import Language

__all__ = [
    "ACTUAL_CALLS",
    "EXPECTED_CALLS",
    "FORBIDDEN_CALLS",
    "MORE",
    "expectation_lines",
    "ignored_items",
    "ignored_notes",
    "keeps_order",
    "short_name",
]

_MOST_ITEMS = 20
_NAME_WIDTH = 80
_CALL_WIDTH = 60

EXPECTED_CALLS = Plural(
    ("expected call", "expected calls"),
    ("эталонный вызов", "эталонных вызова", "эталонных вызовов"),
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
    "These calls do not count under the settings:",
    "Эти вызовы по настройкам не учитываются:",
)
MORE = Phrase("… {count} more", "… ещё {count}")
TIMES = Plural(("time", "times"), ("раз", "раза", "раз"))
SIDES = {
    "expected": (EXPECTED_CALLS, Phrase("expected {call}: {why}", "эталонный {call}: {why}")),
    "actual": (ACTUAL_CALLS, Phrase("actual {call}: {why}", "фактический {call}: {why}")),
}
# Why calls do not count: as a count of them, and as half a sentence about one.
REASONS: dict[Literal["read", "failed", "repeated"], tuple[Plural, Phrase]] = {
    "read": (
        Plural(("read", "reads"), ("чтение", "чтения", "чтений")),
        Phrase("its tool only reads", "его инструмент только читает"),
    ),
    "failed": (
        Plural(("failed", "failed"), ("с ошибкой", "с ошибкой", "с ошибкой")),
        Phrase("its result was an error", "он завершился ошибкой"),
    ),
    "repeated": (
        Plural(("repeated", "repeated"), ("повтор", "повтора", "повторов")),
        Phrase("the same call came before it", "такой же вызов уже был"),
    ),
}

SETTLED = Phrase(
    "Alternatives, optional calls and repeats are settled first:"
    " calls written {written}, calls that count {counting}.",
    "Сначала решается, что учесть из альтернатив, необязательных вызовов и повторов:"
    " записано вызовов {written}, учитывается {counting}.",
)
NOT_CHOSEN = Phrase("Not counted: {calls}.", "Не учитываются: {calls}.")
ORDERED_GROUPS = Phrase(
    "The members of an `in_order` group keep their order.",
    "Внутри группы `in_order` порядок сохраняется.",
)
UNORDERED_GROUPS = Phrase(
    "The members of an `any_order` group may come in any order.",
    "Внутри группы `any_order` порядок любой.",
)
FORBIDDEN_TOOLS = Phrase("Must not be called: {patterns}.", "Нельзя вызывать: {patterns}.")


def short_name(name: str) -> str:
    """The name of a tool as it can stand in a sentence."""
    return clip(escape(name[: _NAME_WIDTH + 1]), _NAME_WIDTH)


def ignored_notes(score: Score, lang: Language) -> list[str]:
    """A line for each side that has calls which do not count: how many, and why."""
    notes: list[str] = []
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
    """The calls that do not count, each tool once for each reason; nothing where all do."""
    found = Counter((ignored.side, ignored.call.name, ignored.why) for ignored in score.ignored)
    if found:
        yield say(NOT_COUNTED_ITEMS, lang)
    for (side, name, why), times in islice(found.items(), _MOST_ITEMS):
        _, sentence = SIDES[side]
        _, reason = REASONS[why]
        call = short_name(name) + _often(times, lang)
        yield f"- {say(sentence, lang, call=call, why=say(reason, lang))}"
    if len(found) > _MOST_ITEMS:
        yield f"  {say(MORE, lang, count=len(found) - _MOST_ITEMS)}"


def _often(times: int, lang: Language) -> str:
    return f" ({count_of(TIMES, times, lang)})" if times > 1 else ""


class _Written(NamedTuple):
    """What stands in an expectation: how many calls, which kinds of groups, what is forbidden."""

    calls: int
    kinds: set[str]
    forbidden: list[str]


def expectation_lines(score: Score, lang: Language) -> list[str]:
    """What is to be known about an expectation that is more than a list of calls."""
    if score.expectation is None:
        return []
    written = _written(score.expectation)
    lines: list[str] = []
    if written.kinds & {"one_of", "optional", "times"}:
        lines.append(say(SETTLED, lang, written=written.calls, counting=len(score.expected)))
        lines += _not_chosen(score, lang)
    if "in_order" in written.kinds and score.settings.order == "any":
        lines.append(say(ORDERED_GROUPS, lang))
    if "any_order" in written.kinds and score.settings.order != "any":
        lines.append(say(UNORDERED_GROUPS, lang))
    if written.forbidden:
        patterns = ", ".join(map(short_name, written.forbidden[:_MOST_ITEMS]))
        lines.append(say(FORBIDDEN_TOOLS, lang, patterns=patterns))
    return lines


def _not_chosen(score: Score, lang: Language) -> list[str]:
    """Which of the calls that were written do not count; nothing where all do."""
    counting = {call.name for call in score.expected}
    # Where other calls of the same tool count, its name alone would say nothing.
    found = Counter(
        call_text(call, limit=_CALL_WIDTH) if call.name in counting else short_name(call.name)
        for call in uncounted(score)
    )
    calls = [text + _often(times, lang) for text, times in islice(found.items(), _MOST_ITEMS)]
    if len(found) > _MOST_ITEMS:
        calls.append(say(MORE, lang, count=len(found) - _MOST_ITEMS))
    return [say(NOT_CHOSEN, lang, calls=", ".join(calls))] if calls else []


def keeps_order(score: Score) -> bool:
    """Whether the order of the calls, or of some of them, decides about the pairs."""
    return score.settings.order != "any" or "in_order" in _written(score.expectation or ()).kinds


def _written(expectation: tuple[Expected, ...]) -> _Written:
    calls, kinds, forbidden = 0, set[str](), list[str]()
    pending = list(reversed(expectation))
    while pending:
        member = pending.pop()
        if isinstance(member, Group):
            kinds.add(member.kind)
            pending += reversed(member.members)
        elif isinstance(member, Forbidden):
            forbidden.append(member.pattern)
        else:
            calls += 1
            if isinstance(member, Times):
                kinds.add("times")
    return _Written(calls, kinds, forbidden)

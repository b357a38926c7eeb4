"""What the commands themselves say, in English and in Russian."""

# ruff: noqa: RUF001  (Russian letters that look like Latin ones are meant)

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.core.ranking import forbidden_tools
from callscore.core.text import escape
from callscore.core.wording import Phrase, percent, say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.core.results import Results
    from callscore.core.wording import Language

__all__ = ["DEMO_MEANING", "DEMO_NEXT", "DEMO_REWARDS", "INIT_WRITTEN", "gate_reasons"]

_NOTHING_SCORED = Phrase("no case was scored", "ни один случай не оценён")
_BELOW = Phrase(
    "the macro F1, {f1}, is below --fail-under {bar}",
    "macro F1 {f1} ниже порога --fail-under {bar}",
)
_NOT_RUN = Phrase(
    "references not run: {names}",
    "эталоны без запуска: {names}",
)
_FORBIDDEN = Phrase("forbidden calls were made: {names}", "сделаны запрещённые вызовы: {names}")
_NAMED = 5


def gate_reasons(results: Results, fail_under: float, lang: Language) -> list[str]:
    """Why the results are not good enough; nothing where they are."""
    reasons: list[str] = []
    f1 = results.summary.macro_f1
    if f1 is None:
        reasons.append(say(_NOTHING_SCORED, lang))
    elif f1 < fail_under:
        reasons.append(say(_BELOW, lang, f1=percent(f1), bar=percent(fail_under)))
    missing = results.not_run
    if missing.count:
        names = [escape(name) for name in missing.names]
        reasons.append(say(_NOT_RUN, lang, names=_named(names, missing.count)))
    forbidden = [escape(tool) for tool, _ in forbidden_tools(results.summary)]
    if forbidden:  # no mean of many cases makes up for it
        reasons.append(say(_FORBIDDEN, lang, names=_named(forbidden, len(forbidden))))
    return reasons


def _named(names: Sequence[str], count: int) -> str:
    """The first of some names, and how many more there are."""
    more = count - _NAMED
    return ", ".join(names[:_NAMED]) + (f", +{more}" if more > 0 else "")


DEMO_REWARDS = Phrase(
    "Tasks done, by the rewards of the benchmark itself (as published):",
    "Выполненные задачи по наградам самого бенчмарка (как опубликовано):",
)
DEMO_MEANING = Phrase(
    "These are 200 real trajectories: gpt-4o on 50 tasks of an airline's customer service, four "
    "times each.\n"
    "The score is low although {done} of the tasks were done: the references name only the calls "
    "that matter, and the agent looked up a lot besides, which strict scoring counts as extra.\n"
    "With `--preset outcome` only the calls count that change something, failed ones aside: then "
    "{passed} of the cases pass.\n"
    "The tables say which tools and which arguments cost the points, and the cases show where.",
    "Это 200 настоящих траекторий: gpt-4o на 50 задачах службы поддержки авиакомпании, по четыре "
    "попытки.\n"
    "Оценка низкая, хотя выполнено {done} задач: эталоны называют только существенные вызовы, а "
    "агент многое ещё и искал, и строгая оценка считает это лишним.\n"
    "С `--preset outcome` считаются только вызовы, которые что-то меняют, и без неудавшихся: тогда "
    "проходит {passed} случаев.\n"
    "По таблицам видно, на каких инструментах и аргументах теряются баллы, а случаи показывают, где "
    "именно.",
)
DEMO_NEXT = Phrase("What to type next:", "Что набрать дальше:")
INIT_WRITTEN = Phrase(
    "Written, with recorded answers, so that it needs no key:",
    "Записано; ответы уже есть, поэтому ключ не нужен:",
)

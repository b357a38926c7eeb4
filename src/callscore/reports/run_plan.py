"""The report of `callscore run --collect-only`: the cases that would run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from callscore.core.phrases import Language, Phrase, say
from callscore.core.rendering import escape, wrap_hanging
from callscore.core.results import Unloaded
from callscore.reports.formatting import case_counts, file_width, same_count
from callscore.words.value_text import json_document, json_safe

_SKIPPED = Phrase("skipped", "исключён")
_NOT_RUN = Phrase("{counts} selected, nothing was run", "выбрано: {counts}; ничего не запущено")


class PlannedEvaluation(Struct, frozen=True, kw_only=True):
    """An evaluation under one variant, if it has any.

    Attributes:
        cases: the ids of the cases that would run.
        trials: how many answers would be requested.
        skipped: the ids of skipped cases, and the reasons.
    """

    name: str
    variant: str | None
    place: str
    cases: tuple[str, ...]
    trials: int
    skipped: tuple[tuple[str, str], ...] = ()


class RunPlan(Struct, frozen=True, kw_only=True):
    """What a run would do."""

    evaluations: tuple[PlannedEvaluation, ...] = ()
    unloaded: tuple[Unloaded, ...] = ()

    @property
    def cases(self) -> int:
        """The number of cases; a case of several variants counts once."""
        return len(
            {(each.place, each.name, case) for each in self.evaluations for case in each.cases}
        )

    @property
    def trials(self) -> int:
        """The number of answers that would be requested."""
        return sum(each.trials for each in self.evaluations)


def write_text(
    plan: RunPlan, *, lang: Language = "en", width: int | None = None, is_quiet: bool = False
) -> str:
    """One line per evaluation, and one per case below it; then the number of cases and trials.

    If `is_quiet`, only the last line. Lines longer than `width` columns are wrapped, by default at
    the width of a report in a file.
    """
    room = file_width() if width is None else width
    lines = [] if is_quiet else _case_lines(plan, lang)
    parts = [part for line in (*lines, _counts_line(plan, lang)) for part in _wrapped(line, room)]
    return "\n".join(parts) + "\n"


def _wrapped(line: str, width: int) -> Iterator[str]:
    inner = line.lstrip(" ")
    start = line[: len(line) - len(inner)]
    return (start + part for part in wrap_hanging(inner, width - len(start)))


def _case_lines(plan: RunPlan, lang: Language) -> Iterator[str]:
    for each in plan.evaluations:
        label = each.name if each.variant is None else f"{each.name} [{each.variant}]"
        yield f"{escape(label)}   {escape(each.place)}".rstrip()
        yield from [f"  {escape(case)}" for case in each.cases]
        for case, reason in each.skipped:
            yield f"  {escape(case)}   {say(_SKIPPED, lang)}" + (
                f": {escape(reason)}" if reason else ""
            )
        yield ""


def _counts_line(plan: RunPlan, lang: Language) -> str:
    variants = Counter((each.place, each.name) for each in plan.evaluations)
    counts = case_counts(
        plan.cases,
        same_count(variants.values()),
        plan.trials,
        lang,
        is_repeated=any(each.trials > len(each.cases) for each in plan.evaluations),
    )
    return say(_NOT_RUN, lang, counts=counts)


def write_json(plan: RunPlan, *, lang: Language = "en") -> str:  # noqa: ARG001  (as other reports)
    """An indented document."""
    found: dict[str, Any] = {
        "cases": plan.cases,
        "trials": plan.trials,
        "evaluations": [
            {
                "name": each.name,
                "variant": each.variant,
                "place": each.place,
                "cases": list(each.cases),
                "trials": each.trials,
                "skipped": [{"case": case, "reason": reason} for case, reason in each.skipped],
            }
            for each in plan.evaluations
        ],
        "unloaded": [
            {"place": each.place, "problem": each.problem, "details": each.details}
            for each in plan.unloaded
        ],
    }
    return json_document(json_safe(found))

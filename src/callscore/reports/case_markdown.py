"""One case of a run as Markdown, for an issue or a pull request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.core.diff import call_lines, plain_text
from callscore.core.text import escape
from callscore.core.wording import say
from callscore.reports import case_wording as wording
from callscore.reports.full_calls import UNBOUND, full_lines
from callscore.reports.kept_pairs import kept_lines
from callscore.reports.markdown_text import code, fenced
from callscore.reports.metric_table import number_text
from callscore.reports.run_wording import NO_CALLS, RUN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from callscore.core.kept_case import KeptCase
    from callscore.core.run import Result
    from callscore.core.wording import Language

__all__ = ["write"]

_WIDTH = 100


def write(cases: Sequence[KeptCase], *, lang: Language = "en") -> str:
    """What was asked, and both sides of every trial; names from the data stay plain text."""
    return "\n\n".join(block for case in cases for block in _blocks(case, lang)) + "\n"


def _blocks(case: KeptCase, lang: Language) -> Iterator[str]:
    is_repeated = len(case.trials) > 1
    words = wording.trials_passed(case, lang) or wording.outcome(case.trials[0], lang)[0]
    yield f"## {code(case.id)}: {words}"
    about = [code(case.evaluation), say(RUN, lang, id=code(case.run))]
    if case.tags:
        about.append(say(wording.TAGS, lang, tags=", ".join(code(tag) for tag in case.tags)))
    if not is_repeated and wording.cost(case.trials[0], lang):
        about.append(wording.cost(case.trials[0], lang))
    yield "  \n".join(about)
    if case.input is not None:
        yield f"### {say(wording.INPUT, lang)}"
        yield fenced("\n".join(wording.text_lines(case.input, _WIDTH)), "text")
    if case.metadata:
        yield f"### {say(wording.METADATA, lang)}"
        yield fenced("\n".join(wording.text_lines(case.metadata, _WIDTH)), "text")
    for trial in case.trials:
        if is_repeated:
            head = say(wording.TRIAL, lang, number=trial.case.trial)
            yield f"### {head}: {wording.outcome(trial, lang)[0]}"
        yield from _trial(case, trial, lang)


def _trial(case: KeptCase, trial: Result, lang: Language) -> Iterator[str]:
    if trial.failure is not None:
        yield fenced(escape(trial.failure.problem), "text")
        return
    if trial.values:
        yield ", ".join(f"{code(each.name)} {number_text(each.value)}" for each in trial.values)
    reasons = [
        f"- {code(each.name)}: {code(each.reason, width=UNBOUND)}"
        for each in trial.values
        if each.reason
    ]
    if reasons:
        yield "\n".join(reasons)
    if trial.score is not None:
        lines = call_lines(trial.score, width=_WIDTH, lang=lang)
    else:
        lines = kept_lines(trial, case.expected, width=UNBOUND, lang=lang)
    yield fenced(plain_text(lines) if lines else say(NO_CALLS, lang), "diff")
    whole = [] if trial.score is None else full_lines(trial.score, width=_WIDTH, lang=lang)
    if whole:
        yield fenced("\n".join(whole), "text")

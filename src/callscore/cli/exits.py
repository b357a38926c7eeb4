"""Which exit code a command has, and the sentences that say why it fails."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import click

from callscore.cli.exit_codes import ENDED, FAILED, INTERRUPTED, NO_ANSWER, OK, UNREADABLE, USAGE
from callscore.cli.output import print_note
from callscore.core.phrases import Language, Phrase, Plural, count_of, say
from callscore.core.rendering import EMPTY_NAME, escape
from callscore.errors import (
    EngineFailed,
    InvalidSettings,
    MissingKey,
    ModelFailed,
    UnreadableInput,
    UploadFailed,
    WorkerEnded,
)
from callscore.words.value_text import (
    CASES,
    TRIALS,
    UNREADABLE_COUNT,
    decimal,
    exact_decimal,
    exact_percent,
    forbidden_tools,
    percent,
)

if TYPE_CHECKING:
    from callscore.checks.check import CheckResults
    from callscore.comparing.comparison import Comparison
    from callscore.comparing.gating import FailOn, Gate
    from callscore.core.results import EvaluationResults, Results, RunResults, Unloaded


def error_exit_code(error: Exception) -> int:
    """The code of an error that ends a command."""
    if isinstance(error, click.Abort):
        return INTERRUPTED
    if isinstance(error, (EngineFailed, WorkerEnded)):
        return ENDED
    if isinstance(error, (click.ClickException, InvalidSettings, MissingKey)):
        return USAGE
    return NO_ANSWER if isinstance(error, (ModelFailed, UploadFailed)) else UNREADABLE


def add_how_to_skip(error: Exception, verb: str = "score") -> None:
    """Add to an error that stopped the scoring at one record how to score the others."""
    if isinstance(error, UnreadableInput) and error.is_one_record:
        mark = "" if error.problem.endswith("?") else "."
        error.problem = f"{error.problem.rstrip('.')}{mark} To {verb} the rest: --skip-bad"


_RUN_INTERRUPTED = Phrase(
    "interrupted; finished results are saved. To continue: {command}",
    "прервано; готовые результаты сохранены. Продолжить: {command}",
)
_RUN_INTERRUPTED_UNSAVED = Phrase("interrupted", "прервано")
_RUN_STOPPED = Phrase(
    "stopped after the first failure. To continue: {command}",
    "остановлено после первой неудачи. Продолжить: {command}",
)
_FAILED_CASES = Plural(
    ("case failed", "cases failed"),
    ("случай не пройден", "случая не пройдены", "случаев не пройдено"),
)
_FAILED_TRIALS = Plural(
    ("trial failed", "trials failed"),
    ("попытка не пройдена", "попытки не пройдены", "попыток не пройдено"),
)
_SAVED = Phrase(
    "run {run} is saved. To show it: callscore show {run}",
    "прогон {run} сохранён. Показать: callscore show {run}",
)
_CASES = Plural(("case", "cases"), ("случая", "случаев", "случаев"))
_TRIALS = Plural(("trial", "trials"), ("попытки", "попыток", "попыток"))
_NO_ANSWERS = Phrase("{evaluation}: no answer for {cases}", "{evaluation}: нет ответа для {cases}")
_NOT_SCORED = Phrase(
    "{evaluation}: {cases} could not be scored", "{evaluation}: не удалось оценить: {cases}"
)
_SCORER_BELOW = Phrase(
    "{evaluation}: {scorer} {mean}, required ≥ {required}",
    "{evaluation}: {scorer} {mean}, требуется ≥ {required}",
)
_SCORER_WITHOUT_NUMBER = Phrase(
    "{evaluation}: {scorer} has no score, required ≥ {required}",
    "{evaluation}: {scorer}: нет оценки, требуется ≥ {required}",
)
_SCORER_BROKEN = Phrase(
    "{evaluation}: the scorer {scorer} failed: {reasons} ({cases})",
    "{evaluation}: сбой метрики {scorer}: {reasons} ({cases})",
)
_NO_NUMBERS = Phrase(
    "no case was scored: no scorer returned a number",
    "ни один случай не оценён: метрики не дали чисел",
)
_NO_NUMBERS_BECAUSE = Phrase(
    "no case was scored: no scorer returned a number ({reasons})",
    "ни один случай не оценён: метрики не дали чисел ({reasons})",
)
_ALL_SKIPPED = Phrase(
    "no case was scored: all cases are skipped", "ни один случай не оценён: все исключены"
)
_NO_CASES = Phrase(
    "no case was scored: the run has no answers", "ни один случай не оценён: в прогоне нет ответов"
)
_FORBIDDEN_IN_EVALUATION = Phrase(
    "{evaluation}: forbidden calls were made: {names}",
    "{evaluation}: вызваны запрещённые инструменты: {names}",
)


def run_exit_code(
    run: RunResults, lang: Language, *, go_on: str, is_shown: bool = False, max_skipped: int = 0
) -> int:
    """Print why the run fails, and return the code of the most severe reason.

    `go_on` is the command that resumes the run. `max_skipped` is how many unreadable records are allowed. `is_shown` means that the report, which marks missed
    means that are too low, is printed right above.
    """
    code = OK
    for reason_code, sentence in run_exit_reasons(run, lang, go_on=go_on):
        if reason_code != FAILED or not is_shown:
            print_note(sentence)
        code = code or reason_code
    if run.unreadable > max_skipped:
        print_note(unreadable_text(run.unreadable, max_skipped, lang))
        code = code or FAILED
    if run.is_stopped and run.id:
        print_note(say(_RUN_STOPPED, lang, command=go_on))
    return code


def print_interrupted(lang: Language, *, go_on: str) -> None:
    """Print how to resume a run that was ended by a second Ctrl-C."""
    print_note(say(_RUN_INTERRUPTED, lang, command=go_on))


def print_kept(run: RunResults, lang: Language, *, go_on: str) -> None:
    """Print how to find the results of a run whose report could not be written."""
    if not run.id:
        return
    if run.is_interrupted:
        print_interrupted(lang, go_on=go_on)
    else:
        print_note(say(_SAVED, lang, run=run.id))


def run_exit_reasons(run: RunResults, lang: Language, *, go_on: str) -> Iterator[tuple[int, str]]:
    """Why a run fails, the most severe reason first: an exit code, and a sentence."""
    if run.is_interrupted:
        phrase = _RUN_INTERRUPTED if run.id else _RUN_INTERRUPTED_UNSAVED
        yield INTERRUPTED, say(phrase, lang, command=go_on)
    for each in run.unloaded:
        yield UNREADABLE, f"{each.place}: {each.problem}"
    for evaluation, scorer in [(each, it) for each in run.evaluations for it in each.scorers]:
        if scorer.broken.count:
            reasons = "; ".join(reason.rstrip(".") for reason in scorer.broken.names)
            noun = CASES if evaluation.questions == evaluation.cases else TRIALS
            cases = count_of(noun, scorer.broken.count, lang)
            about = {"evaluation": evaluation.label, "scorer": scorer.name}
            yield UNREADABLE, say(_SCORER_BROKEN, lang, **about, reasons=reasons, cases=cases)
    for evaluation in run.evaluations:
        yield from [(NO_ANSWER, sentence) for sentence in _errors(evaluation, lang)]
    yield from [(UNREADABLE, sentence) for sentence in _nothing_scored(run, lang)]
    for evaluation in run.evaluations:
        yield from [(FAILED, sentence) for sentence in _missed_means(evaluation, lang)]


def _errors(evaluation: EvaluationResults, lang: Language) -> Iterator[str]:
    """How many cases have no answer, and how many have one that could not be scored."""
    is_repeated = evaluation.questions != evaluation.cases
    unanswered = evaluation.errors - evaluation.unscored
    if unanswered:
        cases = count_of(_TRIALS if is_repeated else _CASES, unanswered, lang)
        yield say(_NO_ANSWERS, lang, evaluation=evaluation.label, cases=cases)
    if evaluation.unscored:
        cases = count_of(TRIALS if is_repeated else CASES, evaluation.unscored, lang)
        yield say(_NOT_SCORED, lang, evaluation=evaluation.label, cases=cases)


def _nothing_scored(run: RunResults, lang: Language) -> Iterator[str]:
    """Why no case of a run passed, failed or had an error."""
    if run.is_interrupted or run.unloaded or any(each.decided for each in run.evaluations):
        return
    if any(each.answered for each in run.evaluations):
        scorers = [scorer for each in run.evaluations for scorer in each.scorers]
        given = [reason.rstrip(".") for each in scorers for reason in each.not_scorable.names]
        reasons = "; ".join(dict.fromkeys(filter(None, given)))
        yield say(_NO_NUMBERS_BECAUSE if reasons else _NO_NUMBERS, lang, reasons=reasons)
    else:
        is_skipped = any(each.skipped.count for each in run.evaluations)
        yield say(_ALL_SKIPPED if is_skipped else _NO_CASES, lang)


def collect_exit_code(unloaded: Sequence[Unloaded]) -> int:
    """Print which files cannot be used, and return the code."""
    for each in unloaded:
        print_note(f"{each.place}: {each.problem}")
    return UNREADABLE if unloaded else OK


def _missed_means(evaluation: EvaluationResults, lang: Language) -> Iterator[str]:
    name = evaluation.label
    for scorer in evaluation.scorers:
        if scorer.is_below and scorer.fail_under is not None:
            about = {"scorer": scorer.name, "required": exact_decimal(scorer.fail_under)}
            if scorer.mean is None:
                yield say(_SCORER_WITHOUT_NUMBER, lang, evaluation=name, **about)
            else:
                mean = decimal(scorer.mean, border=scorer.fail_under)
                yield say(_SCORER_BELOW, lang, evaluation=name, mean=mean, **about)
    if not evaluation.has_required_mean:
        failed = evaluation.decided - evaluation.errors - evaluation.passed
        if failed:
            is_repeated = evaluation.questions > evaluation.cases
            phrase = _FAILED_TRIALS if is_repeated else _FAILED_CASES
            yield f"{name}: {count_of(phrase, failed, lang)}"
        return
    forbidden = [tool for tool, _ in forbidden_tools(evaluation.results.summary)]
    if forbidden:  # even if the mean is high enough
        yield say(_FORBIDDEN_IN_EVALUATION, lang, evaluation=name, names=", ".join(forbidden))


_NOTHING_SCORED = Phrase("no case was scored", "ни один случай не оценён")
_FIRST_UNREADABLE = Phrase(
    "no case was scored. The first record that could not be read: {problem}",
    "ни один случай не оценён. Первая запись, которую не удалось прочитать: {problem}",
)
_NOTHING_COUNTED = Phrase(
    "no case has a call that counts under these settings, so --fail-under has nothing to check",
    "при этих настройках ни в одном случае нет учитываемых вызовов, поэтому --fail-under нечего проверять",
)
_SIDES_APART = Phrase(
    "no case was scored: no case has both expected and actual calls. If they are in different files, join"
    " them by id: callscore score --expected REFERENCES --actual TRACES",
    "ни один случай не оценён: ни в одном нет сразу и ожидаемых, и фактических вызовов. Если они в разных"
    " файлах, соедините их по id: callscore score --expected REFERENCES --actual TRACES",
)
_NO_EXPECTED = Phrase(
    "no case was scored: the expected calls are missing. Add 'expected' to each case, or pass a file with"
    " references: callscore score --expected REFERENCES --actual TRACES",
    "ни один случай не оценён: нет ожидаемых вызовов. Добавьте «expected» в каждый случай или укажите файл"
    " с эталонами: callscore score --expected REFERENCES --actual TRACES",
)
_NO_ACTUAL = Phrase(
    "no case was scored: the actual calls are missing. Add 'actual' to each case, or pass a file with"
    " traces: callscore score --expected REFERENCES --actual TRACES",
    "ни один случай не оценён: нет фактических вызовов. Добавьте «actual» в каждый случай или укажите файл"
    " с трассами: callscore score --expected REFERENCES --actual TRACES",
)
_NO_COMMON_ID = Phrase(
    "no case was scored: no id occurs in both --expected and --actual. Check the ids, or pass their path:"
    " --map id=$.path.to.id",
    "ни один случай не оценён: в --expected и --actual нет общих id. Проверьте id или укажите путь к ним:"
    " --map id=$.path.to.id",
)
_EMPTY_FILE = Phrase(
    "no case was scored: {file} is empty", "ни один случай не оценён: файл {file} пуст"
)
_F1_BELOW = Phrase(
    "macro F1 {f1}, required ≥ {bar} (--fail-under)",
    "macro F1 {f1}, требуется ≥ {bar} (--fail-under)",
)
_WITHOUT_CASES = Phrase("files without cases: {names}", "файлы без случаев: {names}")
_NOT_RUN = Phrase("cases without an answer: {names}", "случаи без ответа: {names}")
_UNREADABLE = Phrase(
    "{count}, allowed ≤ {allowed} (--max-skipped)", "{count}, допустимо ≤ {allowed} (--max-skipped)"
)
_FORBIDDEN_CALLS = Phrase(
    "forbidden calls were made: {names}", "вызваны запрещённые инструменты: {names}"
)
_NAMES_SHOWN = 5


def score_exit_code(
    results: Results,
    fail_under: float | None,
    lang: Language,
    *,
    is_judged: bool,
    is_joined: bool,
    max_skipped: int = 0,
    estimate: float | None = None,
    why_none: str = "",
) -> int:
    """Print why nothing was scored or the results are below --fail-under, and return the code.

    `is_judged` means that the judge, if there is one, answered every question; `is_joined` that
    references were joined with traces. `max_skipped` is how many unreadable records are allowed, and
    `estimate` the mean of all cases if only a sample was scored. `why_none` says why nothing was scored,
    if that is so and the caller knows.
    """
    reasons = (
        []
        if fail_under is None
        else score_exit_reasons(results, fail_under, lang, max_skipped, estimate=estimate)
    )
    if fail_under is None and results.summary.scored:
        _print_all(_empty_file_reasons(results.empty_files, lang))
    if not is_judged:
        code = NO_ANSWER
    elif not results.summary.scored:
        reasons = [why_none or nothing_scored_text(results, lang, is_joined=is_joined)]
        code = UNREADABLE
    else:
        code = FAILED if reasons else OK
    _print_all(reasons)
    return code


def _print_all(sentences: Iterable[str]) -> None:
    for sentence in sentences:
        print_note(sentence)


def nothing_scored_text(results: Results, lang: Language, *, is_joined: bool) -> str:
    """Why no case was scored, and what to do."""
    has_actual, has_expected = results.not_scored.count, results.not_run.count
    if results.empty_files and is_joined:
        return say(_EMPTY_FILE, lang, file=escape(results.empty_files[0]))
    if is_joined:
        found = results.without_reference.count or has_expected
        phrase = _NO_COMMON_ID if found else _NOTHING_SCORED
    elif has_actual and has_expected:
        phrase = _SIDES_APART
    elif has_actual:
        phrase = _NO_EXPECTED
    else:
        phrase = _NO_ACTUAL if has_expected else _NOTHING_SCORED
    if phrase is _NOTHING_SCORED and results.skipped.names:
        return say(_FIRST_UNREADABLE, lang, problem=escape(results.skipped.names[0]))
    return say(phrase, lang)


def unreadable_text(count: int, allowed: int, lang: Language) -> str:
    """How many records could not be read, and how many are allowed."""
    return say(_UNREADABLE, lang, count=count_of(UNREADABLE_COUNT, count, lang), allowed=allowed)


def score_exit_reasons(
    results: Results,
    fail_under: float,
    lang: Language,
    max_skipped: int = 0,
    *,
    estimate: float | None = None,
) -> list[str]:
    """Why the results do not pass; empty if they do. Of a sample, the estimated mean counts."""
    reasons: list[str] = []
    f1 = results.summary.macro_f1 if estimate is None else estimate
    if f1 is None:
        reasons.append(say(_NOTHING_SCORED, lang))
    elif results.summary.uncounted_cases == results.summary.scored:
        reasons.append(say(_NOTHING_COUNTED, lang))
    elif f1 < fail_under:
        reasons.append(
            say(_F1_BELOW, lang, f1=percent(f1, border=fail_under), bar=exact_percent(fail_under))
        )
    missing = results.not_run
    if missing.count:
        names = [escape(name) for name in missing.names]
        reasons.append(say(_NOT_RUN, lang, names=_first_names(names, missing.count)))
    reasons += _empty_file_reasons(results.empty_files, lang)
    if results.skipped.count > max_skipped:
        reasons.append(unreadable_text(results.skipped.count, max_skipped, lang))
    forbidden = [escape(tool) or EMPTY_NAME for tool, _ in forbidden_tools(results.summary)]
    if forbidden:  # even if the mean is high enough
        reasons.append(say(_FORBIDDEN_CALLS, lang, names=_first_names(forbidden, len(forbidden))))
    return reasons


def _empty_file_reasons(files: Sequence[str], lang: Language) -> list[str]:
    """That files have no cases, as those of an export that failed."""
    names = _first_names([escape(file) for file in files], len(files))
    return [say(_WITHOUT_CASES, lang, names=names)] if files else []


def _first_names(names: Sequence[str], count: int) -> str:
    """The first of some names, and how many more there are."""
    more = count - _NAMES_SHOWN
    return ", ".join(names[:_NAMES_SHOWN]) + (f", +{more}" if more > 0 else "")


ANY_FAULT = "any"
_NOTHING_CHECKED = Phrase(
    "no case was checked: the records have no actual calls",
    "ни один случай не проверен: в записях нет фактических вызовов",
)
_NOTHING_READABLE = Phrase(
    "no case was checked: no record could be read",
    "ни один случай не проверен: ни одну запись не удалось прочитать",
)


def check_exit_code(
    results: CheckResults,
    fail_on: Sequence[str],
    lang: Language,
    max_skipped: int = 0,
    *,
    why_none: str = "",
) -> int:
    """Print which faults that --fail-on names were found, or why nothing was checked.

    With --fail-on, more than `max_skipped` unreadable records, cases without an answer and files
    without cases fail the check as well. `why_none` says why nothing was checked, if the caller knows.
    """
    from callscore.words.reasons import fault_kind_name

    if not results.runs:
        phrase = _NOTHING_CHECKED if results.without_calls.count else _NOTHING_READABLE
        print_note(why_none or say(phrase, lang))
        return UNREADABLE

    totals = results.totals
    kinds = [kind for kind in totals if kind in fail_on or ANY_FAULT in fail_on]
    for kind in kinds:
        option = kind if kind in fail_on else ANY_FAULT
        name = fault_kind_name(kind, lang=lang)
        print_note(f"{name}: {totals[kind]} (--fail-on {option})")
    lost = _unchecked_reasons(results, lang, max_skipped)
    _print_all(lost if fail_on else _empty_file_reasons(results.empty_files, lang))
    return FAILED if kinds or (fail_on and lost) else OK


def _unchecked_reasons(results: CheckResults, lang: Language, max_skipped: int) -> list[str]:
    """What was lost before it could be checked."""
    reasons = _empty_file_reasons(results.empty_files, lang)
    missing = results.without_calls
    if missing.count:
        names = [escape(name) for name in missing.names]
        reasons.append(say(_NOT_RUN, lang, names=_first_names(names, missing.count)))
    if results.skipped.count > max_skipped:
        reasons.append(unreadable_text(results.skipped.count, max_skipped, lang))
    return reasons


def compare_exit_code(
    comparison: Comparison,
    fail_on: FailOn | None,
    lang: Language,
    *,
    max_skipped: int = 0,
    allow_looser: bool = False,
) -> int:
    """Print what --fail-on names was found, or why nothing was compared, and return the code."""
    code = OK
    if fail_on is not None:
        from callscore.comparing.gating import gate

        found = gate(comparison, fail_on, max_skipped=max_skipped, allow_looser=allow_looser)
        print_gate_reasons(found, lang)
        code = gate_exit_code(found)
    if comparison.main.cases:
        return code
    if fail_on is None:  # else the reasons of the gate include it
        from callscore.reports.compare import nothing_compared_text

        print_note(nothing_compared_text(comparison, lang))
    return UNREADABLE


def gate_exit_code(gate: Gate) -> int:
    """The code of a gate that passed or failed."""
    return OK if gate.is_open else FAILED


def print_gate_reasons(gate: Gate, lang: Language) -> None:
    """Print why a gate failed, or that a loss did not fail it."""
    from callscore.reports.formatting import with_names
    from callscore.reports.gate import loss_notes, reason_lines

    reasons = [(sentence, names) for _, sentence, names in reason_lines(gate, lang)]
    for note in (*reasons, *loss_notes(gate, lang)):
        print_note(with_names(*note))


def bless_exit_code(unblessed: Sequence[object], code: int = OK) -> int:
    """The given code, or a failure if something was not blessed."""
    return code or (FAILED if unblessed else OK)


_NOTHING_WRITTEN = Phrase("nothing was written", "ничего не записано")
# Errors are in English only.
_UNBLESSED: dict[str, tuple[int, Phrase | str]] = {
    "dry run": (OK, _NOTHING_WRITTEN),
    "declined": (FAILED, _NOTHING_WRITTEN),
    "no terminal": (
        USAGE,
        "nothing was written: there is no terminal to ask for confirmation. Pass --yes to write",
    ),
    "unselected": (UNREADABLE, "nothing selected: no case matches -k"),
}


def unblessed_exit_code(why: str, lang: Language) -> int:
    """Print why `bless` writes nothing, and return the code."""
    code, phrase = _UNBLESSED[why]
    print_note(phrase if isinstance(phrase, str) else say(phrase, lang))
    return code


def baseline_exit_code(run: str, faults: Sequence[str], *, is_missing: bool = False) -> int:
    """Print why a run is refused as a baseline, which is an error, and return the code.

    `is_missing` means that cases are missing, which may have been removed on purpose.
    """
    if faults:
        listed = ", list removed cases in [gate.removed] of callscore.toml" if is_missing else ""
        print_note(
            f"the run {run} cannot be a baseline: {', '.join(faults)}. Choose another run{listed}, or"
            " pass --allow-incomplete"
        )
    return FAILED if faults else OK

"""Runs a plan: asks, records, scores, adds up; from Python: `callscore.evaluate(...)`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from os import PathLike, fspath
from time import perf_counter
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from callscore.core.phrases import Language, Phrase, Plural, count_of, say
from callscore.core.rendering import mention
from callscore.core.results import JudgeCounts, Result, RunResults, Unloaded
from callscore.core.totals import EvaluationTotals, Show
from callscore.core.unused_rules import unused_rules
from callscore.engines.saving import LockedRun
from callscore.errors import CallscoreError, InvalidSettings, UnusableStore
from callscore.evaluations.evaluation import Evaluation, Question
from callscore.evaluations.plan import Group, Plan, Selection, make_plan
from callscore.evaluations.servers import needs_judge, require_consents
from callscore.models.limits import DEFAULT_LIMITS, Limits, Rate, parse_rate
from callscore.words.value_text import unused_rules_text

if TYPE_CHECKING:
    from callscore.history.store import Store
    from callscore.history.writer import FallbackFile
    from callscore.runner.asking import Asked, Workers
    from callscore.runner.resuming import RunRecorder


class ReportOptions(Struct, frozen=True, kw_only=True):
    """What the results of a run have.

    Attributes:
        fail_under: the minimum mean of each scorer without a `fail_under` of its own.
        show: which cases the results include.
        max_shown: the maximum number of cases per evaluation and variant; None for all.
        max_listed: up to how many cases the results of an evaluation have a list of all cases.
        lang: the language of warnings.
    """

    fail_under: float | None = None
    show: Show = "failing"
    max_shown: int | None = 10
    max_listed: int = 0
    lang: Language = "en"


# --- judges -----------------------------------------------------------------------------------

_NO_JUDGE = "'$judge' needs a judge model. Pass --judge, or set 'judge' in the evaluation"


def require_judges(groups: Sequence[Group], *, can_remember: bool) -> None:
    """Check that there is a judge for every case that needs one, before anything is asked.

    No key is needed if stored judgements may be enough (`can_remember`).

    Raises:
        InvalidSettings: a case has a question for a judge, and there is none.
        MissingKey: the judge has no key.
        MissingExtra: the SDK is not installed.
    """
    for group in groups:
        if not any(needs_judge(question.case) for question in group.questions):
            continue
        judge = group.evaluation.settings.judge
        if judge is None:
            raise InvalidSettings(f"{group.evaluation.name}: {_NO_JUDGE}")
        require = getattr(judge, "require", None)
        if callable(require) and not can_remember:
            require()


class RunJudges:
    """The judge models of a run, and how often they were asked."""

    def __init__(self, groups: Sequence[Group]) -> None:
        settings = [group.evaluation.settings for group in groups]
        found = {id(each.judge): each.judge for each in settings if hasattr(each.judge, "counts")}
        self._judges: list[Any] = list(found.values())
        self._before = [judge.counts() for judge in self._judges]

    def remember_in(self, store: Store) -> None:
        """Let them store their answers, and reuse those of earlier runs."""
        for judge in self._judges:
            judge.remember_in(store)

    def problems(self) -> tuple[str, ...]:
        """Why their answers are not stored, in sentences."""
        problems = [getattr(judge, "problem", None) for judge in self._judges]
        return tuple(dict.fromkeys([each for each in problems if each]))

    def counts(self) -> tuple[JudgeCounts, ...]:
        """How often each model was asked in this run; a judge that was not needed is left out."""
        judges = zip(self._judges, self._before, strict=True)
        both = [(judge.counts(), before) for judge, before in judges]
        return add_judges(
            [
                JudgeCounts(now.model, now.judged - before.judged, now.asked - before.asked)
                for now, before in both
            ]
        )


def add_judges(counts: Iterable[JudgeCounts]) -> tuple[JudgeCounts, ...]:
    """The counts of each model; a judge that was not needed is left out."""
    found: dict[str, JudgeCounts] = {}
    for more in counts:
        known = found.get(more.model, JudgeCounts(more.model))
        judged, asked = known.judged + more.judged, known.asked + more.asked
        found[more.model] = JudgeCounts(more.model, judged, asked)
    return tuple([each for each in found.values() if each.judged or each.asked])


# --- running a plan ---------------------------------------------------------------------------

_ANSWERS = Plural(
    ("saved answer", "saved answers"),
    ("сохранённый ответ", "сохранённых ответа", "сохранённых ответов"),
)
_NOT_REUSED = Phrase(
    "{answers} not reused, because of a hidden secret; the agent was called again",
    "не использовано: {answers}, из-за скрытого секрета; агент вызван ещё раз",
)


class RunOptions(ReportOptions, frozen=True, kw_only=True):
    """How to run a plan.

    Attributes:
        jobs: the maximum number of concurrent questions.
        stop_on_failure: whether to start no question after one that fails or has no answer; those in
            progress finish.
        resume: whether to resume the newest unfinished run of the same paths; or the run to resume.
        use_cache: whether to reuse answers of any run to the same question.
        cache_since: see `KnownAnswers.since`.
        arguments: the arguments of the run, as they are stored; `paths` among them.
        name: the name of the run in the history; None for no name, or that of the resumed run.
    """

    jobs: int = 8
    stop_on_failure: bool = False
    limits: Limits = DEFAULT_LIMITS
    resume: LockedRun | bool = False
    use_cache: bool = False
    cache_since: float = 0.0
    arguments: dict[str, Any] = {}
    name: str | None = None

    def __post_init__(self) -> None:
        jobs: Any = self.jobs
        if jobs.__class__ is not int or jobs < 1:
            raise InvalidSettings(f"jobs: {jobs!r} is not an integer ≥ 1")


def _ignore(*_: Any) -> None:
    """Do nothing."""


class RunHooks(Struct, frozen=True, kw_only=True):
    """Callbacks while a run is in progress; all are called in one thread.

    Attributes:
        on_begun: called with the id of the run once it is stored; not if the history cannot be used.
        on_plan: called with the number of questions.
        on_started: called with each question before it is asked.
        on_done: called with each question and its result, once that is stored.
        on_note: called with warnings.
    """

    on_begun: Callable[[str], None] = _ignore
    on_plan: Callable[[int], None] = _ignore
    on_started: Callable[[Question], None] = _ignore
    on_done: Callable[[Question, Result], None] = _ignore
    on_note: Callable[[str], None] = _ignore


_OPTIONS = RunOptions()
_HOOKS = RunHooks()


def run(
    plan: Plan,
    options: RunOptions = _OPTIONS,
    hooks: RunHooks = _HOOKS,
    store: Store | FallbackFile | None = None,
) -> RunResults:
    """Ask every question of a plan, and score the answers.

    Ctrl-C stops it: finished questions are stored, and the results so far are returned. So does a
    request in the history, see `Store.request_stop`. A second Ctrl-C ends it at once. Without a store
    nothing is recorded.

    Raises:
        UnknownRun: there is no run to resume.
        InvalidSettings: a case needs a judge, and there is none.
        MissingConsent: a file names a server that the user did not allow.
        MissingKey: the judge has no key.
        UnusableStore: a run should be resumed, and the history cannot be read.
    """
    started = perf_counter()
    try:
        require_consents(question for group in plan.groups for question in group.questions)
        groups, unloaded = _askable(plan, options)
        require_judges(groups, can_remember=bool(options.resume) or options.use_cache)
        running = ScoredRun(options, hooks, plan.warnings)
        running.take_groups(groups)
        if store is not None:
            _record_in(store, running, options)
        planned: list[dict[str, Any]] = [
            {
                "skipped": group.skipped,
                "cases": len({question.case.id for question in group.questions}),
                "questions": len(group.questions),
            }
            for group in groups
        ]
        try:
            found = running.finish(planned, is_interrupted=_ask_all(running, options))
        finally:
            if running.recorder is not None:
                running.recorder.release()
    finally:
        if isinstance(options.resume, LockedRun):
            options.resume.lock.release()
    return replace(found, seconds=perf_counter() - started, unloaded=unloaded)


def _askable(plan: Plan, options: RunOptions) -> tuple[list[Group], tuple[Unloaded, ...]]:
    """The groups whose model can be asked: its key is there, and the SDK is installed; and why not others."""
    groups, unloaded = [], dict.fromkeys(plan.unloaded)
    for group in plan.groups:
        # Stored answers may be enough.
        is_needed = group.questions and not (options.resume or options.use_cache)
        require = getattr(group.evaluation.task, "require", None) if is_needed else None
        try:
            if callable(require):
                require()
            groups.append(group)
        except CallscoreError as error:
            unloaded[Unloaded(group.evaluation.place, str(error))] = None
    return groups, tuple(unloaded)


def _record_in(store: Store | FallbackFile, running: ScoredRun, options: RunOptions) -> None:
    """Record the run there; if that fails, in a fallback file."""
    from callscore.history.writer import USING_FALLBACK, FallbackFile
    from callscore.runner.resuming import begin_recording

    try:
        running.recorder, warnings = begin_recording(store, running.groups, options)
    except UnusableStore as error:
        if options.resume or isinstance(store, FallbackFile):  # it has no answers to resume with
            raise
        running.warn(say(USING_FALLBACK, options.lang, problem=error))
        fallback = FallbackFile(store.path, store.command_options)
        running.recorder, warnings = begin_recording(fallback, running.groups, options)
    if not running.recorder.is_aside and not isinstance(store, FallbackFile):
        running.judges.remember_in(store)
        running.store = store
        running.hooks.on_begun(running.recorder.run.id)
    for warning in warnings:
        running.warn(warning)


def _ask_all(running: ScoredRun, options: RunOptions) -> bool:
    """Ask every question; returns whether Ctrl-C, or a request, stopped it."""
    from callscore.runner.asking import Asked

    total = sum(len(group.questions) for group in running.groups)
    running.hooks.on_plan(total)
    questions = (
        Asked(number, position, question)
        for number, group in enumerate(running.groups)
        for position, question in enumerate(group.questions)
    )

    def is_last(result: Result) -> bool:
        """Whether a case fails that has not failed before in a resumed run, and the run stops then."""
        has_failed = result.failure is not None or result.passed is False
        is_known = result.answer is not None and result.answer.is_reused
        is_new = has_failed and not (is_known and options.resume)
        return is_new and options.stop_on_failure

    return running.answer(questions, max(1, min(options.jobs, total)), options.limits, is_last)


# Between two looks at whether the history has a request to stop the run.
_SECONDS_BETWEEN_LOOKS = 1.0


class ScoredRun:
    """A run whose answers are scored, from its evaluations to its results.

    Attributes:
        recorder: None if nothing is recorded.
        store: in which it is recorded; None if it is nowhere, or in a fallback file.
        groups: its evaluations.
        totals: of each group, what adds up its results.
        judges: the judges of all groups.
        hooks: are called while it is in progress.
    """

    def __init__(
        self, options: ReportOptions, hooks: RunHooks, warnings: tuple[str, ...] = ()
    ) -> None:
        self.recorder: RunRecorder | None = None
        self.store: Store | None = None
        self.groups: list[Group] = []
        self.totals: list[EvaluationTotals] = []
        self._report = options
        self.hooks = hooks
        self._warnings = list(warnings)

    def take_groups(self, groups: list[Group]) -> None:
        """Take the evaluations, of which nothing is scored yet."""
        options, self.groups, self.judges = self._report, groups, RunJudges(groups)
        for group in groups:
            evaluation = group.evaluation
            required = {
                **{scorer.name: options.fail_under for scorer in evaluation.scorers},
                **evaluation.fail_under,
            }
            totals = EvaluationTotals(
                evaluation.settings,
                required,
                show=options.show,
                max_shown=options.max_shown,
                max_listed=options.max_listed,
            )
            totals.seen.take((), (), evaluation.tools)
            self.totals.append(totals)

    def answer(
        self,
        questions: Iterable[Asked],
        jobs: int,
        limits: Limits,
        is_last: Callable[[Result], bool] = lambda _: False,
    ) -> bool:
        """Answer and score all questions; returns whether Ctrl-C, or a request, stopped it.

        No question is begun after a result that `is_last`.
        """
        # `import callscore` finds `evaluate` in this module, and loads no asyncio.
        from asyncio import create_task

        from callscore.runner.asking import Workers
        from callscore.runner.event_loop import run_until_done

        recorder = self.recorder
        workers = Workers(questions, jobs=jobs, limits=limits, recorder=recorder)

        def report(asked: Asked, result: Result) -> None:
            self.totals[asked.group].add(result, asked.order)
            if is_last(result):
                workers.start_no_more()
            self.hooks.on_done(asked.question, result)

        async def work() -> None:
            watcher = create_task(self._stop_on_request(workers))
            try:
                await workers.run(report, self.hooks.on_started)
            finally:
                watcher.cancel()

        try:
            run_until_done(work, workers.stop)
        except BaseException as error:  # also of a hook; the second Ctrl-C waits for nothing
            if recorder is not None and not isinstance(error, KeyboardInterrupt):
                recorder.close()
            raise
        return workers.is_interrupted

    async def _stop_on_request(self, workers: Workers) -> None:
        """Stop as after Ctrl-C when the history has a request to stop the run."""
        from asyncio import sleep, to_thread

        while self.store is not None and self.recorder is not None:
            await sleep(_SECONDS_BETWEEN_LOOKS)
            with suppress(CallscoreError):  # it cannot be read just now
                if await to_thread(self.store.is_stop_requested, self.recorder.run.id):
                    workers.stop()
                    return

    def warn(self, warning: str) -> None:
        """Warn once."""
        if warning not in self._warnings:
            self._warnings.append(warning)
            self.hooks.on_note(warning)

    def finish(
        self, planned: list[dict[str, Any]], *, is_interrupted: bool, unreadable: int = 0
    ) -> RunResults:
        """Store and return the results; `planned` is what was skipped and planned of each group."""
        found = []
        for totals, group, plan in zip(self.totals, self.groups, planned, strict=True):
            of = group.evaluation
            about = {"name": of.name, "place": of.place, "variant": group.variant}
            found.append(totals.evaluation(about, **plan))
        lang, recorder = self._report.lang, self.recorder
        for problem in self.judges.problems():
            self.warn(f"judgements could not be saved: {problem}")
        is_partial = any(each.not_run for each in found)
        unused = unused_rules(*[totals.seen for totals in self.totals])
        if unused and not is_partial:
            self.warn(unused_rules_text(unused, lang))
        if recorder is not None:
            recorder.finish_with(
                "interrupted" if is_interrupted or is_partial else "finished",
                dict(zip(recorder.numbers, found, strict=True)),
                unreadable=unreadable,
            )
            if recorder.known_answers is not None and recorder.known_answers.hidden:
                hidden = count_of(_ANSWERS, len(recorder.known_answers.hidden), lang)
                self.warn(say(_NOT_REUSED, lang, answers=hidden))
            for problem in recorder.problems:
                self.warn(f"the run was not saved completely: {problem}")
            if saved := recorder.saved(lang):
                self.warn(saved)
        return RunResults(
            id="" if recorder is None or recorder.is_aside else recorder.run.id,
            evaluations=tuple(found),
            judges=self.judges.counts(),
            is_interrupted=is_interrupted,
            is_stopped=is_partial and not is_interrupted,
            warnings=tuple(self._warnings),
            unreadable=unreadable,
        )


# --- from Python ------------------------------------------------------------------------------


def evaluate(  # noqa: PLR0913  (all are options)
    *what: Evaluation | str | PathLike[str],
    keyword: str = "",
    tags: str | tuple[str, ...] | list[str] = (),
    limit: int | None = None,
    trials: int | None = None,
    jobs: int = 8,
    rate: str | float | Rate | None = None,
    timeout: float | None = 60.0,
    retries: int = 2,
    fail_under: float | None = None,
    show: Show = "failing",
    max_shown: int | None = 10,
    save: bool | str | PathLike[str] = False,
    cache: bool = False,
    store: str | PathLike[str] | None = None,
) -> RunResults:
    """Run evaluations, and return their results.

    Args:
        what: evaluations, files of evaluations, and folders of such files.
        keyword: selects cases: words, `and`, `or`, `not`, as for `callscore run -k`.
        tags: selects cases with one of these tags.
        limit: the maximum number of cases per evaluation; None for all.
        trials: the number of trials per case; by default that of the evaluation.
        jobs: the maximum number of concurrent requests.
        rate: the rate limit: `"10/s"`, `"500/m"`, or a number per second.
        timeout: the time limit of an attempt in seconds; None for none.
        retries: the number of retries after a temporary error.
        fail_under: the lowest mean of each scorer without a `fail_under` of its own.
        show: which cases the results include.
        max_shown: the maximum number of these, per evaluation and variant; None for all.
        save: whether to save the run in the project's history; or the file of another history.
        cache: whether to reuse saved answers to identical questions.
        store: save the run in this history: a file, or `postgresql://...`.

    Returns:
        The results. Errors of agents and of files are part of them, and are not raised.

    Raises:
        InvalidSettings: an option has an invalid value, or a case needs a judge and there is none.
        MissingConsent: a suite names a server that the user did not allow.
        MissingKey: the judge has no key.
        UnusableStore: the history cannot be opened.
    """
    from callscore.evaluations.discovery import discover

    if store is not None and not isinstance(save, bool):
        raise InvalidSettings("save, store: both name a history. Pass one of them.")
    if cache and save is False and store is None:
        raise InvalidSettings("cache: saved answers are in the history. Pass save=True as well.")
    wanted = (tags,) if isinstance(tags, str) else tuple(tags)
    given: tuple[Any, ...] = what
    for one in given:
        if not isinstance(one, Evaluation | str | PathLike):
            problem = f"{mention(one)} is not an evaluation or the path of one"
            raise InvalidSettings(f"evaluate: {problem}")
    evaluations, unloaded = discover(what)
    selected = make_plan(
        evaluations, Selection(keyword=keyword, tags=wanted, limit=limit), trials=trials
    )
    if isinstance(rate, str):
        rate = parse_rate(rate)
    elif rate is not None and not isinstance(rate, Rate):
        rate = Rate(rate)
    options = RunOptions(
        jobs=jobs,
        limits=Limits(retries=retries, timeout=timeout, rate=rate),
        use_cache=cache,
        fail_under=fail_under,
        show=show,
        max_shown=max_shown,
        arguments={
            "paths": [one.name if isinstance(one, Evaluation) else fspath(one) for one in what],
            "keyword": keyword,
            "tags": wanted,
        },
    )
    if save is False and store is None:
        found = run(selected, options)
    else:
        from callscore.history.opening import open_store

        place = store if isinstance(save, bool) else save
        with open_store(None if place is None else fspath(place)) as opened:
            found = run(selected, options, store=opened)
    return replace(found, unloaded=(*unloaded, *found.unloaded))

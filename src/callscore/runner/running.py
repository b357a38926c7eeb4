"""Runs a plan: asks, keeps, scores, and says what all of it comes to."""

from __future__ import annotations

import gc
from collections.abc import Callable
from contextlib import ExitStack, contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from callscore.core.phrase import Language, say
from callscore.core.run import Result, RunResults, Unloaded
from callscore.core.totals import Show
from callscore.errors import CallscoreError, InvalidSettings, UnusableStore
from callscore.evaluations.evaluation import Question
from callscore.models.limits import DEFAULT, Limits
from callscore.runner.gathering import about, totals_for
from callscore.runner.judges import JudgesAtWork, require_judges
from callscore.runner.resuming import HeldRun

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callscore.evaluations.plan import Group, Plan
    from callscore.history.rescue import Rescue
    from callscore.history.store import Store
    from callscore.runner.recording import Recorder

__all__ = ["RunHooks", "RunOptions", "run"]


class RunOptions(Struct, frozen=True, kw_only=True):
    """How to run a plan.

    Attributes:
        jobs: how many questions to ask at once.
        limits: how long one may take, how often it is repeated, and how many may begin in a second.
        resume: whether to go on with the newest run of the same paths that did not end; or the run
            to go on with.
        use_cache: whether to take an answer from any run where just the same was asked.
        cache_since: from when on, in seconds since 1970, such an answer of code is good.
        fail_under: what the mean of each scorer must reach for which nobody has said it.
        show: which cases to keep in the results.
        most: how many of them at the most, by evaluation and variant; None for all.
        arguments: what was asked for, as it is kept; `paths` among it.
        lang: the language of warnings.
        name: what the run is called in the history; None for nothing, or what it was called before.
    """

    jobs: int = 8
    limits: Limits = DEFAULT
    resume: HeldRun | bool = False
    use_cache: bool = False
    cache_since: float = 0.0
    fail_under: float | None = None
    show: Show = "failing"
    most: int | None = 10
    arguments: dict[str, Any] = {}
    lang: Language = "en"
    name: str | None = None

    def __post_init__(self) -> None:
        jobs: Any = self.jobs
        if jobs.__class__ is not int or jobs < 1:
            raise InvalidSettings(f"jobs: {jobs!r} is not an integer from 1 on")


def _nothing(*_: Any) -> None:
    """Nobody wants to know."""


class RunHooks(Struct, frozen=True, kw_only=True):
    """What wants to be told while agents are asked; all are called in one thread.

    Attributes:
        on_plan: how many questions there are.
        on_started: of each question that is going to be asked.
        on_done: of each question, and of its result once it is kept.
        on_note: of what else should be known, in a sentence.
    """

    on_plan: Callable[[int], None] = _nothing
    on_started: Callable[[Question], None] = _nothing
    on_done: Callable[[Question, Result], None] = _nothing
    on_note: Callable[[str], None] = _nothing


_OPTIONS = RunOptions()
_HOOKS = RunHooks()


def run(
    plan: Plan,
    options: RunOptions = _OPTIONS,
    hooks: RunHooks = _HOOKS,
    store: Store | Rescue | None = None,
) -> RunResults:
    """Ask every question of a plan, and score the answers.

    Ctrl-C stops it: what is finished is kept, and the results so far are returned. A second Ctrl-C
    ends it at once.

    Args:
        plan: the questions.
        options: how to ask them.
        hooks: what wants to be told on the way.
        store: where everything is kept; a rescue, where that cannot be opened; None for nowhere.

    Raises:
        UnknownRun: a run is to go on, and there is none.
        InvalidSettings: a case needs a judge, and there is none.
        MissingKey: the judge has no key.
        UnusableStore: a run is to go on, and the history cannot be read.
    """
    started = perf_counter()
    try:
        running = _Running(plan, options, hooks)
        if store is not None:
            running.keep_in(store)
        try:
            found = running.results(is_interrupted=running.ask_all())
        finally:
            running.release()
    finally:
        if isinstance(options.resume, HeldRun):
            options.resume.lock.release()
    return replace(found, seconds=perf_counter() - started)


@contextmanager
def _settled_heap() -> Iterator[None]:
    """Spare the collector what is there already: it would look through all of it again and again."""
    if gc.get_freeze_count():  # somebody else has done so
        yield
        return
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


class _Running:
    """One run, from the plan to its results."""

    def __init__(self, plan: Plan, options: RunOptions, hooks: RunHooks) -> None:
        self._options = options
        self._hooks = hooks
        self._unloaded = list(plan.unloaded)
        self._warnings: list[str] = list(plan.warnings)
        self._recorder: Recorder | None = None
        self._groups = [group for group in plan.groups if self._can_be_asked(group)]
        self._totals = [
            totals_for(group.evaluation, options.fail_under, show=options.show, most=options.most)
            for group in self._groups
        ]
        require_judges(self._groups, can_remember=bool(options.resume) or options.use_cache)
        self._judges = JudgesAtWork(self._groups)

    def _can_be_asked(self, group: Group) -> bool:
        """Whether the model of a group can be asked: its key is there, and the SDK is installed."""
        if self._options.resume or self._options.use_cache or not group.questions:
            return True  # perhaps nothing has to be asked
        require = getattr(group.evaluation.task, "require", None)
        try:
            if callable(require):
                require()
        except CallscoreError as error:
            found = Unloaded(group.evaluation.place, str(error))
            if found not in self._unloaded:
                self._unloaded.append(found)
            return False
        return True

    def keep_in(self, store: Store | Rescue) -> None:
        """Keep everything there; where that cannot be, say so and go on."""
        from callscore.history.rescue import ASIDE, Rescue
        from callscore.runner.beginning import recorder_for

        options = self._options
        try:
            self._recorder, warnings = recorder_for(store, self._groups, options)
        except UnusableStore as error:
            if options.resume:  # everything would be asked again
                raise
            self._warn(say(ASIDE, options.lang, problem=error))
            rescue = Rescue(store.path, store.words)
            self._recorder, warnings = recorder_for(rescue, self._groups, options)
        if not self._recorder.is_aside and not isinstance(store, Rescue):
            self._judges.remember_in(store)
        for warning in warnings:
            self._warn(warning)

    def ask_all(self) -> bool:
        """Ask every question; whether somebody wanted it to stop."""
        from callscore.runner.looping import run_to_end
        from callscore.runner.working import Workers

        options, recorder = self._options, self._recorder
        total = sum(len(group.questions) for group in self._groups)
        jobs = max(1, min(options.jobs, total))
        self._hooks.on_plan(total)
        with ExitStack() as held:
            held.enter_context(_settled_heap())
            held.push(self._let_go)
            workers = Workers(self._groups, jobs=jobs, limits=options.limits, recorder=recorder)
            run_to_end(lambda: workers.run(self._report, self._hooks.on_started), workers.stop)
        return workers.is_interrupted

    def _let_go(self, kind: type[BaseException] | None, *_: Any) -> None:
        """End the keeping, also where a hook has raised; a second Ctrl-C waits for nothing."""
        is_order = kind is not None and issubclass(kind, KeyboardInterrupt)
        if self._recorder is not None and not is_order:
            self._recorder.close()

    def _report(self, group: int, position: int, question: Question, result: Result) -> None:
        self._totals[group].add(result, position)
        self._hooks.on_done(question, result)

    def results(self, *, is_interrupted: bool) -> RunResults:
        """What all of it came to, which is kept, too."""
        found = [
            totals.evaluation(
                about(group.evaluation, group.variant),
                skipped=group.skipped,
                cases=len({question.case.id for question in group.questions}),
                questions=len(group.questions),
            )
            for totals, group in zip(self._totals, self._groups, strict=True)
        ]
        for problem in self._judges.problems():
            self._warn(f"what the judge said is not kept: {problem}")
        recorder = self._recorder
        if recorder is not None:
            recorder.finish("interrupted" if is_interrupted else "finished", found)
            for problem in recorder.problems:
                self._warn(f"not everything is kept: {problem}")
            if saved := recorder.saved(self._options.lang):
                self._warn(saved)
        return RunResults(
            id="" if recorder is None or recorder.is_aside else recorder.run.id,
            evaluations=tuple(found),
            unloaded=tuple(self._unloaded),
            judges=self._judges.counts(),
            is_interrupted=is_interrupted,
            warnings=tuple(self._warnings),
        )

    def release(self) -> None:
        """Let other processes go on with the run, where it did not end."""
        if self._recorder is not None:
            self._recorder.release()

    def _warn(self, warning: str) -> None:
        self._warnings.append(warning)
        self._hooks.on_note(warning)

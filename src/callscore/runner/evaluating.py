"""Runs evaluations from Python: `callscore.evaluate(...)`."""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from callscore.errors import InvalidSettings
from callscore.evaluations.evaluation import Evaluation
from callscore.evaluations.plan import Selection, plan
from callscore.models.limits import Limits, Rate, rate_of
from callscore.runner.running import RunHooks, RunOptions, run

if TYPE_CHECKING:
    from collections.abc import Callable

    from callscore.core.run import Failure, RunResults, Unloaded
    from callscore.evaluations.evaluation import Question, Scored
    from callscore.runner.gathering import Show

__all__ = ["evaluate"]


def evaluate(  # noqa: PLR0913  (each is something to say about a run)
    *what: Evaluation | str | PathLike[str],
    keyword: str = "",
    tags: str | tuple[str, ...] | list[str] = (),
    trials: int | None = None,
    jobs: int = 8,
    rate: str | float | Rate | None = None,
    timeout: float | None = 60.0,
    retries: int = 2,
    fail_under: float | None = None,
    show: Show = "failing",
    limit: int | None = 10,
    keep: bool | str | PathLike[str] = False,
    cache: bool = False,
    on_done: Callable[[Question, Scored | Failure], None] | None = None,
) -> RunResults:
    """Run evaluations, and say what they come to.

    Args:
        what: evaluations, files of evaluations, and folders of such files.
        keyword: runs only the cases that fit it: words, `and`, `or`, `not`, as for `callscore run -k`.
        tags: runs only the cases with one of these.
        trials: how often each case is asked; by default as often as its evaluation says.
        jobs: how many are asked at once.
        rate: how many may begin in a time: `"10/s"`, `"500/m"`, or a number for a second.
        timeout: how many seconds one attempt may take; None for ever.
        retries: how often one is repeated after an error that may pass.
        fail_under: what the mean of each scorer must reach that has no threshold of its own.
        show: which cases to keep in the results.
        limit: how many of them at the most, by evaluation and variant; None for all.
        keep: whether to keep the run in the project's history; or the file of another history.
        cache: whether to take an answer from the history where just the same was asked before.
        on_done: is told of every question: its scores, or why there are none.

    Returns:
        The results. What goes wrong with an agent, or with a file, is in them and not raised.

    Raises:
        InvalidSettings: an option has a value that it cannot have.
        UnusableStore: the history cannot be opened.
    """
    if cache and keep is False:
        raise InvalidSettings("cache: kept answers are in the history; say keep=True, too")
    wanted = (tags,) if isinstance(tags, str) else tuple(tags)
    evaluations, unloaded = _evaluations(what)
    selected = plan(evaluations, Selection(keyword=keyword, tags=wanted), trials=trials)
    options = RunOptions(
        jobs=jobs,
        limits=Limits(retries=retries, timeout=timeout, rate=_rate(rate)),
        use_cache=cache,
        fail_under=fail_under,
        show=show,
        most=limit,
        arguments={"paths": [_named(one) for one in what], "keyword": keyword, "tags": wanted},
    )
    hooks = RunHooks() if on_done is None else RunHooks(on_done=on_done)
    if keep is False:
        found = run(selected, options, hooks)
    else:
        from callscore.history.opening import open_store

        with open_store(None if keep is True else Path(keep)) as store:
            found = run(selected, options, hooks, store)
    return replace(found, unloaded=(*unloaded, *found.unloaded))


def _evaluations(what: tuple[Any, ...]) -> tuple[list[Evaluation], list[Unloaded]]:
    """The evaluations that are handed over, and those in files, in the same order."""
    from callscore.evaluations.discovery import discover

    found: list[Evaluation] = []
    unloaded: list[Unloaded] = []
    for one in what:
        if isinstance(one, Evaluation):
            found.append(one)
        elif isinstance(one, str | PathLike):
            there, problems = discover([fspath(one)])
            found += there
            unloaded += problems
        else:
            problem = f"{one!r} is neither an evaluation nor the path of a file of evaluations"
            raise InvalidSettings(f"evaluate: {problem}")
    return found, unloaded


def _named(one: Evaluation | str | PathLike[str]) -> str:
    return one.name if isinstance(one, Evaluation) else fspath(one)


def _rate(rate: str | float | Rate | None) -> Rate | None:
    if rate is None or isinstance(rate, Rate):
        return rate
    return rate_of(rate) if isinstance(rate, str) else Rate(rate)

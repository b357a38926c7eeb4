"""Runs evaluations from Python: `callscore.evaluate(...)`."""

from __future__ import annotations

from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from callscore.errors import InvalidSettings
from callscore.evaluations.evaluation import Evaluation
from callscore.evaluations.plan import Selection, plan
from callscore.models.limits import Limits, Rate, rate_of
from callscore.runner.running import RunOptions, run

if TYPE_CHECKING:
    from callscore.core.run import RunResults, Unloaded
    from callscore.core.totals import Show

__all__ = ["evaluate"]


def evaluate(  # noqa: PLR0913  (each is something to say about a run)
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
    most: int | None = 10,
    keep: bool | str | PathLike[str] = False,
    cache: bool = False,
    store: str | PathLike[str] | None = None,
) -> RunResults:
    """Run evaluations, and say what they come to.

    Args:
        what: evaluations, files of evaluations, and folders of such files.
        keyword: runs only the cases that fit it: words, `and`, `or`, `not`, as for `callscore run -k`.
        tags: runs only the cases with one of these.
        limit: how many cases of each evaluation are asked; None for all.
        trials: how often each case is asked; by default as often as its evaluation says.
        jobs: how many are asked at once.
        rate: how many may begin in a time: `"10/s"`, `"500/m"`, or a number for a second.
        timeout: how many seconds one attempt may take; None for ever.
        retries: how often one is repeated after an error that may pass.
        fail_under: what the mean of each scorer must reach that has no threshold of its own.
        show: which cases to keep in the results.
        most: how many of them at the most, by evaluation and variant; None for all.
        keep: whether to keep the run in the project's history; or the file of another history.
        cache: whether to take an answer from the history where just the same was asked before.
        store: keeps the run in this history: a file, or `postgresql://...`.

    Returns:
        The results. What goes wrong with an agent, or with a file, is in them and not raised.

    Raises:
        InvalidSettings: an option has a value that it cannot have, or a case needs a judge, and
            there is none.
        MissingKey: the judge has no key.
        UnusableStore: the history cannot be opened.
    """
    if store is not None and not isinstance(keep, bool):
        raise InvalidSettings("keep, store: both name a history; say one of them")
    if cache and keep is False and store is None:
        raise InvalidSettings("cache: kept answers are in the history; say keep=True, too")
    wanted = (tags,) if isinstance(tags, str) else tuple(tags)
    evaluations, unloaded = _evaluations(what)
    selected = plan(
        evaluations, Selection(keyword=keyword, tags=wanted, limit=limit), trials=trials
    )
    options = RunOptions(
        jobs=jobs,
        limits=Limits(retries=retries, timeout=timeout, rate=_rate(rate)),
        use_cache=cache,
        fail_under=fail_under,
        show=show,
        most=most,
        arguments={"paths": [_named(one) for one in what], "keyword": keyword, "tags": wanted},
    )
    if keep is False and store is None:
        found = run(selected, options)
    else:
        from callscore.history.opening import open_store

        place = store if isinstance(keep, bool) else keep
        with open_store(None if place is None else fspath(place)) as opened:
            found = run(selected, options, store=opened)
    return replace(found, unloaded=(*unloaded, *found.unloaded))


def _evaluations(what: tuple[Any, ...]) -> tuple[list[Evaluation], list[Unloaded]]:
    """The evaluations that are handed over, and those in files, in the same order."""
    from callscore.evaluations.discovery import discover

    for one in what:
        if not isinstance(one, Evaluation | str | PathLike):
            problem = f"{one!r} is neither an evaluation nor the path of a file of evaluations"
            raise InvalidSettings(f"evaluate: {problem}")
    return discover(what)


def _named(one: Evaluation | str | PathLike[str]) -> str:
    return one.name if isinstance(one, Evaluation) else fspath(one)


def _rate(rate: str | float | Rate | None) -> Rate | None:
    if rate is None or isinstance(rate, Rate):
        return rate
    return rate_of(rate) if isinstance(rate, str) else Rate(rate)

"""Which questions a run asks: what the user selects, what failed before, or what was begun."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from callscore.cli.run_options import JOBS, RETRIES, TIMEOUT
from callscore.cli.store_option import shown_store
from callscore.core.phrase import Phrase, say
from callscore.evaluations.plan import Selection
from callscore.runner.resuming import HeldRun, unfinished_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from callscore.cli.run_options import RunRequest
    from callscore.history.store import Store
    from callscore.models.limits import Rate

__all__ = ["Chosen", "chosen", "go_on_command"]

_HOUR = 3600
_ALL_PASSED = Phrase(
    "nothing failed the last time: everything is run", "в прошлый раз всё прошло: запускается всё"
)
_NEVER_RUN = Phrase(
    "nothing was run before: everything is run", "раньше ничего не запускалось: запускается всё"
)


class Chosen(Struct, frozen=True, kw_only=True):
    """What is asked.

    Attributes:
        selection: which of the questions.
        trials: how often each; None for as often as its evaluation says.
        arguments: the same as it is kept with the run.
        resumed: the run that goes on, which no other process can take meanwhile.
    """

    selection: Selection
    trials: int | None
    arguments: dict[str, Any]
    resumed: HeldRun | None = None


def chosen(request: RunRequest, store: Store | None, on_note: Callable[[str], None]) -> Chosen:
    """What the user asks for; a run that goes on asks what it asked before.

    Args:
        request: what the user asked for.
        store: the runs before; None where there are none, and nobody asks for any.
        on_note: is told, in a sentence, what is otherwise than one might think.

    Raises:
        UnknownRun: a run is to go on, and there is none.
    """
    given: dict[str, Any] = {
        "keyword": request.keyword,
        "tags": list(request.tags),
        "limit": request.limit,
        "trials": request.trials,
        "fail_under": request.fail_under,
        "cases": None,
    }
    resumed = None
    if store is not None and request.resume:
        resumed = unfinished_run(store, {"paths": list(request.paths)})
        begun = resumed.record.arguments
        given = {
            name: begun.get(name, value) if value in (None, "", []) else value
            for name, value in given.items()
        }
    elif store is not None and request.last_failed:
        given["cases"] = _failed(request, store, on_note)
    cases = given["cases"]
    failed = None if cases is None else frozenset((str(a), b, str(c)) for a, b, c in cases)
    selection = Selection(
        keyword=given["keyword"] or "",
        tags=tuple(given["tags"] or ()),
        limit=given["limit"],
        last_failed=failed,
    )
    arguments = {"paths": list(request.paths), **given}
    return Chosen(selection=selection, trials=given["trials"], arguments=arguments, resumed=resumed)


def _failed(
    request: RunRequest, store: Store, on_note: Callable[[str], None]
) -> list[list[str | None]] | None:
    from callscore.runner.last_failed import failed_before

    failed = failed_before(store, request.paths)
    if not failed:
        on_note(say(_NEVER_RUN if failed is None else _ALL_PASSED, request.lang))
        return None
    return sorted([list(key) for key in failed], key=str)


def go_on_command(request: RunRequest) -> str:
    """What to type to go on with a run that did not come to its end."""
    return " ".join(
        ["callscore", "run", *map(shlex.quote, request.paths), "--resume", *_given(request)]
    )


def _rate_text(rate: Rate | None) -> str | None:
    """A rate as it is typed."""
    return None if rate is None else f"{rate.starts * _HOUR / rate.seconds:g}/h"


def _given(request: RunRequest) -> Iterator[str]:
    """The options that decide how it is asked and what is good enough; what is asked is kept."""
    limits = request.limits
    given = {
        "--jobs": (request.jobs, JOBS),
        "--rate": (_rate_text(limits.rate), None),
        "--timeout": (limits.timeout or 0, TIMEOUT),
        "--retries": (limits.retries, RETRIES),
        "--judge": (getattr(request.judge, "model", None), None),
        "--fail-under": (request.fail_under, None),
        "--store": (None if request.store is None else shown_store(request.store), None),
        "--lang": (request.lang, "en"),
    }
    for option, (value, default) in given.items():
        if value != default:
            yield f"{option} {shlex.quote(f'{value:g}' if isinstance(value, float) else str(value))}"

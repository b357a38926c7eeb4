"""Shell completion: runs, baselines, cases, tags, metrics and formats. It never raises."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import click
    from click.shell_completion import CompletionItem

    from callscore.history.store import Store

    _Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]
    _Found = Iterable[str | tuple[str, str]]


def _completing(find: Callable[[click.Context, str], _Found]) -> _Complete:
    """A callback for click that offers the values that start with what was typed."""

    @wraps(find)
    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        del param
        try:
            found = [
                (item, "") if isinstance(item, str) else item for item in find(ctx, incomplete)
            ]
        except Exception:  # noqa: BLE001  (an error would be printed into the command line)
            return []
        return [
            CompletionItem(value, help=about or None)
            for value, about in found
            if value.startswith(incomplete) and value.isprintable()
        ]

    return complete


_MAX_RUNS = 50
_MAX_RESULTS = 2_000
_CASES = (
    "SELECT DISTINCT case_id FROM (SELECT case_id FROM results WHERE run IN"
    " (SELECT number FROM runs WHERE id = ?) LIMIT ?)"
)
_TAGS = (
    "SELECT DISTINCT tags FROM (SELECT tags FROM results WHERE tags IS NOT NULL"
    " ORDER BY number DESC LIMIT ?)"
)


@contextmanager
def _history(ctx: click.Context) -> Iterator[Store]:
    """The history in a file: no server is asked at a keystroke."""
    from callscore.history.opening import open_existing, store_file_path

    place: str | None = ctx.params.get("store")
    if store_file_path(place) is None:
        raise LookupError(place)
    with open_existing(place) as store:
        yield store


@_completing
def complete_run(ctx: click.Context, incomplete: str) -> _Found:
    """What names a run: `latest`, baselines, names, and ids."""
    del incomplete
    with _history(ctx) as store:
        runs, baselines = store.runs(_MAX_RUNS), store.baselines()
    newest = [("latest", "newest run")] if runs else []
    bases = [(each.name, "baseline") for each in baselines]
    named = [(run.name, f"run {run.id}") for run in runs if run.name]
    ids = [(run.id, run.name or "") for run in runs]
    return dict([*ids, *named, *bases, *newest][::-1]).items()


def complete_run_or_file(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Like `complete_run`; or files, if no run fits."""
    from click.shell_completion import CompletionItem

    return complete_run(ctx, param, incomplete) or [CompletionItem(incomplete, type="file")]


@_completing
def complete_baseline(ctx: click.Context, incomplete: str) -> _Found:
    """Names of baselines."""
    del incomplete
    with _history(ctx) as store:
        return [each.name for each in store.baselines()]


@_completing
def complete_case(ctx: click.Context, incomplete: str) -> _Found:
    """Ids of the first cases of the run that was typed before."""
    del incomplete
    from callscore.history.database import fetch_all

    with _history(ctx) as store:
        run = store.find(ctx.params.get("run") or "latest", resolve=None)
        with store.reading() as connection:
            return [name for (name,) in fetch_all(connection, _CASES, (run.id, _MAX_RESULTS))]


@_completing
def complete_tag(ctx: click.Context, incomplete: str) -> _Found:
    """Tags of the newest results."""
    del incomplete
    from msgspec.json import decode

    from callscore.history.database import fetch_all

    with _history(ctx) as store, store.reading() as connection:
        rows = fetch_all(connection, _TAGS, (_MAX_RESULTS,))
    return sorted({str(tag) for (text,) in rows for tag in decode(text)})


@_completing
def complete_metric(ctx: click.Context, incomplete: str) -> _Found:
    """Names of tools; after `TOOL.`, the names of its metrics."""
    del ctx
    from callscore.metrics.registry import OWN_NAME, own_provider, provider_named
    from callscore.parity import TOOLS

    tool, dot, _ = incomplete.partition(".")
    if not dot:
        return [f"{name}." for name in (OWN_NAME, *TOOLS)]
    provider = own_provider() if tool == OWN_NAME else provider_named(tool)
    return [f"{tool}.{name}" for name in provider.metrics]


@_completing
def complete_input_format(ctx: click.Context, incomplete: str) -> _Found:
    """Names of formats of traces, with their titles."""
    del ctx, incomplete
    from callscore.formats.dialect import dialects

    return [(dialect.name, dialect.title) for dialect in dialects()]


@_completing
def complete_schema(ctx: click.Context, incomplete: str) -> _Found:
    """Names of JSON Schemas."""
    del ctx, incomplete
    return ["case", "suite"]

"""Shell completion: runs, baselines, cases, tags, metrics and formats. It never raises."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import click
    from click.shell_completion import CompletionItem

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


def _store(ctx: click.Context) -> str | None:
    place: str | None = ctx.params.get("store")
    return place


@_completing
def complete_run(ctx: click.Context, incomplete: str) -> _Found:
    """Names, baselines and ids of runs."""
    del incomplete
    from callscore.history.known_names import run_names

    return run_names(_store(ctx))


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
    from callscore.history.known_names import baseline_names

    return baseline_names(_store(ctx))


@_completing
def complete_case(ctx: click.Context, incomplete: str) -> _Found:
    """Ids of the cases of the run that was typed before."""
    del incomplete
    from callscore.history.known_names import case_ids

    return case_ids(_store(ctx), ctx.params.get("run") or "latest")


@_completing
def complete_tag(ctx: click.Context, incomplete: str) -> _Found:
    """Tags of recent results."""
    del incomplete
    from callscore.history.known_names import tag_names

    return tag_names(_store(ctx))


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

"""The options of `callscore run`, and what the user asked for by them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource
from msgspec import Struct

from callscore.cli.options import SHARE
from callscore.cli.run_name import RUN_NAME
from callscore.core.phrase import Language
from callscore.core.totals import Show
from callscore.errors import InvalidSettings
from callscore.models.limits import Limits, Rate, rate_of

if TYPE_CHECKING:
    from callscore.cli.options import AnyCommand

__all__ = [
    "FEW",
    "FORMATS",
    "JOBS",
    "RETRIES",
    "TIMEOUT",
    "RunRequest",
    "asking_options",
    "format_for",
    "most_option",
    "request_from",
    "show_option",
    "shown_from",
    "shown_options",
]

FORMATS = ["table", "json", "markdown", "junit"]
FEW = 10
JOBS = 8
TIMEOUT = 60.0
RETRIES = 2
_SUFFIXES = {".json": "json", ".md": "markdown", ".xml": "junit"}
_FOR_PEOPLE = ("table", "markdown")


class _Rate(click.ParamType[Rate]):
    """`10`, `10/s`, `500/m`, `1000/h`."""

    name = "rate"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Rate:
        try:
            return value if isinstance(value, Rate) else rate_of(value)
        except InvalidSettings as error:
            self.fail(f"{str(error).removeprefix('rate: ')}.", param, ctx)


class RunRequest(Struct, frozen=True, kw_only=True):
    """What the user asked for.

    Attributes:
        paths: files and folders of evaluations.
        keyword: which of them, and which cases, by words.
        tags: which cases, by their tags.
        limit: how many cases of each evaluation at the most.
        trials: how often each case is asked; None for as often as its evaluation says.
        jobs: how many are asked at once.
        limits: how patient to be with each.
        fail_under: what the mean of each scorer must reach that has no threshold of its own.
        last_failed: whether to ask only what did not pass before.
        watch: whether to begin again whenever a file changes.
        resume: whether to go on with the run that did not end.
        cache: whether to take answers from earlier runs.
        judge: the model that judges where an evaluation names none.
        show: which cases to show.
        most: how many of them at the most.
        output_format: what to write.
        output: where to write it; None for standard output.
        lang: the language.
        trusts_kept: whether kept answers are taken where all that decides them is known.
        cache_since: from when on, in seconds since 1970, kept answers of code are good.
        name: what the run is called in the history.
        store: where the history is; None for that of the project.
    """

    paths: tuple[str, ...]
    keyword: str
    tags: tuple[str, ...]
    limit: int | None
    trials: int | None
    jobs: int
    limits: Limits
    fail_under: float | None
    last_failed: bool
    watch: bool
    resume: bool
    cache: bool
    judge: Any
    show: Show
    most: int | None
    output_format: str
    output: str | None
    lang: Language
    trusts_kept: bool = False
    cache_since: float = 0.0
    name: str | None = None
    store: str | None = None


_ASKING = (
    click.option(
        "-k",
        "keyword",
        default="",
        metavar="WORDS",
        help="Only what has these words in the name of its evaluation, its variant or its case;"
        " with and, or, not, as in 'weather and not slow'.",
    ),
    click.option(
        "--tag",
        "tags",
        multiple=True,
        metavar="TAG",
        help="Only cases with this tag; may be given several times.",
    ),
    click.option(
        "--limit", type=click.IntRange(min=1), help="At most so many cases of each evaluation."
    ),
    click.option(
        "--trials",
        type=click.IntRange(min=1),
        help="Ask each case so often: pass@k, pass^k, flaky cases.  [default: as the evaluation"
        " says, or once]",
    ),
    click.option(
        "--jobs",
        type=click.IntRange(min=1),
        default=JOBS,
        show_default=True,
        help="Ask so many at once.",
    ),
    click.option("--rate", type=_Rate(), metavar="N[/s|/m|/h]", help="Begin at most so many."),
    click.option(
        "--timeout",
        type=click.FloatRange(min=0),
        default=TIMEOUT,
        show_default=True,
        metavar="SECONDS",
        help="Give an answer up after so long; 0 for never.",
    ),
    click.option(
        "--retries",
        type=click.IntRange(min=0),
        default=RETRIES,
        show_default=True,
        help="Repeat after an error that may pass: 429, 5xx, a lost connection. What --timeout has"
        " given up is repeated only where a ready model is asked.",
    ),
    click.option(
        "--last-failed", is_flag=True, help="Only what failed, or had an error, the last time."
    ),
    click.option("--watch", is_flag=True, help="Run again what changes, until Ctrl-C."),
    click.option("--resume", is_flag=True, help="Go on with the run that did not come to its end."),
    click.option("--name", type=RUN_NAME, metavar="NAME", help="Call the run so in the history."),
    click.option(
        "--cache", is_flag=True, help="Take kept answers where just the same was asked before."
    ),
)


def asking_options(function: AnyCommand) -> AnyCommand:
    """Add the options that say what is asked, and how."""
    for option in reversed(_ASKING):
        function = option(function)
    return function


show_option = click.option(
    "--show",
    type=click.Choice(["failing", "all", "none"]),
    help="Which cases to show.  [default: failing; all in json and junit]",
)
most_option = click.option(
    "--most",
    type=click.IntRange(min=0),
    help="Show at most so many of each evaluation.  [default: 10; all in json and junit]",
)
_SHOWN = (
    click.option(
        "--fail-under",
        type=SHARE,
        help="Exit with 1 if the mean of a scorer that has no threshold of its own is below.",
    ),
    show_option,
    most_option,
)


def shown_options(command: AnyCommand) -> AnyCommand:
    """Add the options that say which cases are shown, and what is good enough."""
    for option in reversed(_SHOWN):
        command = option(command)
    return command


def shown_from(options: dict[str, Any]) -> dict[str, Any]:
    """Take out of the options which cases to show, and how many; it depends on the format."""
    show, most = options.pop("show"), options.pop("most")
    for_people = options["output_format"] in _FOR_PEOPLE
    return {
        "show": show or ("failing" if for_people else "all"),
        "most": FEW if most is None and for_people else most,
    }


def format_for(ctx: click.Context, options: dict[str, Any]) -> str:
    """The format of the report: the one that is given, or else the one of the file's suffix."""
    given: str = options["output_format"]
    is_given = ctx.get_parameter_source("output_format") is not ParameterSource.DEFAULT
    if is_given or options["output"] is None:
        return given
    return _SUFFIXES.get(Path(options["output"]).suffix.lower(), given)


def request_from(options: dict[str, Any]) -> RunRequest:
    """What the user asked for, from the options of `callscore run`."""
    limits = Limits(
        retries=options.pop("retries"),
        timeout=options.pop("timeout") or None,
        rate=options.pop("rate"),
    )
    paths = options.pop("paths") or (".",)
    shown = shown_from(options)
    return RunRequest(paths=paths, limits=limits, **shown, **options)

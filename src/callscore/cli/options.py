"""The options that several commands share, and how their values are read."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import click
import msgspec
from click.core import ParameterSource
from msgspec.structs import replace

from callscore.api import tools_by_name
from callscore.cli.config import config_for
from callscore.comparing.gating import FAIL_ON
from callscore.core import settings as score_settings
from callscore.core.settings import DEFAULT, PRESETS, ArgumentRule, Settings, get_preset
from callscore.errors import CallscoreError, InvalidSettings, UnreadableInput
from callscore.formats.trace import DEFAULT_READ_OPTIONS as DEFAULT_READING
from callscore.formats.trace import Part, View, read_options_for
from callscore.history.postgres import STORE_VARIABLE
from callscore.history.run_metadata import name_problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from callscore.core.call import Tool
    from callscore.formats.trace import ReadOptions
    from callscore.history.store import Store
    from callscore.models.judging import Judge

__all__ = [
    "FORMATS",
    "KEYWORD_HELP",
    "SHARE",
    "SettingsCommand",
    "fail_on_option",
    "input_options",
    "json_option",
    "judge_from",
    "judge_option",
    "judged_settings_from",
    "keyword_option",
    "lang_option",
    "max_shown_changes_option",
    "max_shown_option",
    "measure_option",
    "metric_option",
    "new_file_options",
    "open_existing_store",
    "open_store_to_write",
    "output_format_for",
    "overrides_from",
    "parse_run_name",
    "reading_from",
    "reading_options",
    "report_options",
    "require_inputs",
    "require_new_file",
    "require_one_stdin",
    "settings_options",
    "show_option",
    "show_options",
    "show_options_from",
    "sides_options",
    "skip_bad_option",
    "stacked",
    "store_option",
    "tools_from",
    "tools_option",
]

AnyCommand = TypeVar("AnyCommand", bound="Callable[..., Any]")


def stacked(*options: Callable[[Any], Any]) -> Callable[[AnyCommand], AnyCommand]:
    """One decorator that adds several options, in this order."""

    def add(command: AnyCommand) -> AnyCommand:
        for option in reversed(options):
            command = option(command)
        return command

    return add


class _Share(click.FloatRange):
    """A number from 0 to 1, and not NaN."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value} is not a number from 0 to 1.", param, ctx)
        return number


SHARE = _Share(0, 1)


def _parse_effect(value: str) -> tuple[str, str]:
    """Parse `PATTERN=read` or `PATTERN=write`."""
    pattern, equals, effect = value.rpartition("=")
    if not equals:
        raise click.BadParameter(f"{value!r} is not like 'get_*=read'.")
    return pattern.strip(), effect.strip()


def _parse_argument(value: str) -> ArgumentRule:
    """Parse `TOOL.ARGUMENT=RULE`; the options of the rule may follow a colon, as JSON."""
    pattern, equals, rest = value.partition("=")
    rule, colon, options = rest.partition(":")
    if not equals:
        raise click.BadParameter(f"{value!r} is not like 'book_flight.date=date'.")
    try:
        known = msgspec.json.decode(options, type=dict[str, Any]) if colon else {}
    except (ValueError, RecursionError) as error:
        problem = f"the options in {value!r} are not JSON"
        example = """'*.query=text:{"similarity": 0.85}'"""
        raise click.BadParameter(f"{problem}, as in {example}.") from error
    return ArgumentRule(pattern.strip(), rule.strip(), known)


class _Setting(click.Option):
    """An option for a setting, or for the source of settings."""


class SettingsCommand(click.Command):
    """A command whose help has a section for the settings of a score."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, and then the settings."""
        sections: dict[str, list[tuple[str, str]]] = {"Options": [], "Settings": []}
        for parameter in self.get_params(ctx):
            row = parameter.get_help_record(ctx)
            if row is not None and isinstance(parameter, click.Option):
                title = "Settings" if isinstance(parameter, _Setting) else "Options"
                sections[title].append(row)
        for title, rows in sections.items():
            with formatter.section(title):
                formatter.write_dl(rows)


def _setting(*names: str, **attributes: Any) -> Callable[[AnyCommand], AnyCommand]:
    return click.option(*names, cls=_Setting, **attributes)


def _choice(name: str, kind: Any, text: str) -> Callable[[AnyCommand], AnyCommand]:
    """An option for a setting that is one of several words: of an enum, or of a `Literal`."""
    words = [str(word) for word in get_args(kind) or kind]
    default = getattr(DEFAULT, name.removeprefix("--").replace("-", "_"))
    choice = click.Choice(words, case_sensitive=False)
    return _setting(name, type=choice, help=f"{text}  [default: {default}]")


# Without defaults: a setting that is not given comes from the project, or from `DEFAULT`.
settings_options = stacked(
    _setting(
        "--config",
        metavar="FILE",
        help="Settings of a project.  [default: callscore.toml or"
        " pyproject.toml, in this folder or above]",
    ),
    _setting("--no-config", is_flag=True, help="Look for no such file."),
    _setting(
        "--preset",
        type=click.Choice(PRESETS, case_sensitive=False),
        help="Settings that go together; single ones override it.  [default: strict]",
    ),
    _choice("--mode", score_settings.Mode, "Want equal arguments, or enough of them."),
    _setting(
        "--argument-match-threshold",
        type=SHARE,
        help="The overlap from which a"
        f" flexible pair is correct.  [default: {DEFAULT.argument_match_threshold}]",
    ),
    _choice("--order", score_settings.Order, "Which pairings are allowed."),
    _choice(
        "--extra-arguments",
        score_settings.ExtraArguments,
        "Whether arguments that nobody expected lower a flexible overlap.",
    ),
    _setting(
        "--pass-mark",
        type=SHARE,
        help=f"The score from which a case passes.  [default: {DEFAULT.pass_mark}]",
    ),
    _setting(
        "--strip-prefix",
        multiple=True,
        metavar="PATTERN",
        help='Take this off the front of tools\' names, as in "mcp__*__".',
    ),
    _setting(
        "--normalize-name",
        multiple=True,
        type=click.Choice(get_args(score_settings.NamePart), case_sensitive=False),
        help="What not to mind in tools' names.",
    ),
    _choice(
        "--count-calls", score_settings.CountCalls, "All calls, or those that change something."
    ),
    _choice("--failed-calls", score_settings.FailedCalls, "Whether calls that failed count."),
    _choice(
        "--repeated-calls",
        score_settings.RepeatedCalls,
        "Whether calls that were made before, just so, count.",
    ),
    _choice("--arrays", score_settings.Arrays, "Whether the order of an array's items matters."),
    _choice(
        "--nested-objects",
        score_settings.NestedObjects,
        "Whether objects inside arguments may have more keys than expected.",
    ),
    _setting(
        "--effect",
        "effects",
        type=_parse_effect,
        multiple=True,
        metavar="PATTERN=read|write",
        help="What tools do, as in 'get_*=read'.",
    ),
    _setting(
        "--argument",
        "arguments",
        type=_parse_argument,
        multiple=True,
        metavar="TOOL.ARGUMENT=RULE",
        help="How an argument is compared, as in"
        """ 'book_flight.date=date' or '*.query=text:{"similarity": 0.85}'.""",
    ),
    _setting(
        "--top-k",
        type=click.IntRange(min=1),
        help="Of how many of the answers to the same"
        f" question the best counts.  [default: {DEFAULT.top_k}]",
    ),
)


def settings_from(options: dict[str, Any]) -> Settings:
    """Remove the settings from the options of a command, and merge them into those of the project."""
    path, no_config = _config_options(options)
    project = config_for(path, is_wanted=not no_config).values
    preset = options.pop("preset")
    chosen = {} if preset is None else get_preset(preset)
    given = _given_settings(options)
    for name in ("effects", "arguments"):  # the first that matches decides
        if name in given and name in project:
            given[name] = (*given[name], *getattr(score_settings.settings_from(project), name))
    return score_settings.settings_from({**project, **chosen, **given})


def overrides_from(options: dict[str, Any]) -> tuple[str | None, dict[str, Any]]:
    """Remove the settings to override from the options of a command: a preset, and single ones.

    A file of settings is read only if it is named.
    """
    path, _ = _config_options(options)
    project = {} if path is None else config_for(path).values
    preset = options.pop("preset")
    chosen = {} if preset is None else get_preset(preset)
    single = {name: value for name, value in project.items() if name not in chosen}
    overrides = {**single, **_given_settings(options)}
    score_settings.settings_from({**chosen, **overrides})  # raises if they are invalid
    return preset, overrides


def _config_options(options: dict[str, Any]) -> tuple[str | None, bool]:
    path, no_config = options.pop("config"), options.pop("no_config")
    if path is not None and no_config:
        raise click.UsageError("--config and --no-config exclude each other.")
    return path, no_config


def _given_settings(options: dict[str, Any]) -> dict[str, Any]:
    """The settings that were given on the command line."""
    named = {name: options.pop(name) for name in Settings.__struct_fields__ if name in options}
    return {name: value for name, value in named.items() if value not in (None, ())}


tools_option = click.option(
    "--tools",
    metavar="FILE",
    help="Tools' definitions, in any format: they tell what changes something, and by their"
    " schemas calls are checked.  [default: those of each case]",
)


def tools_from(options: dict[str, Any]) -> dict[str, Tool] | None:
    """Remove `--tools` from the options of a command: the tools by name; None without a file."""
    file = options.pop("tools")
    if file is None:
        return None
    tools = tools_by_name(Path(file))
    if not tools:
        raise UnreadableInput(file, "there is no definition of a tool in it.")
    return tools


metric_option = click.option(
    "--metric",
    multiple=True,
    metavar="NAME[:OPTION=VALUE,...]",
    help="Another tool's number, as in 'ragas.tool_call_f1': see `callscore metrics`; may be"
    " given several times.",
)


def report_options(formats: Sequence[str]) -> Callable[[AnyCommand], AnyCommand]:
    """Add the options for the format of a report, a table by default, and for its file."""
    return stacked(
        click.option(
            "--format",
            "output_format",
            type=click.Choice(formats),
            default="table",
            show_default=True,
            help="What to write.",
        ),
        click.option("-o", "--output", metavar="FILE", help="Write it there, not to the terminal."),
    )


lang_option = click.option(
    "--lang",
    type=click.Choice(["en", "ru"]),
    default="en",
    show_default=True,
    help="The language of the report.",
)


def _parse_field(value: str) -> tuple[str, str]:
    """Parse `FIELD=PATH`."""
    field, _, path = value.partition("=")
    if not path:
        raise click.BadParameter(f"{value!r} is not like id=$.metadata.task_id.")
    return field.strip(), path.strip()


_EXCLUDE_NOTHING = "none"
reading_options = stacked(
    click.option(
        "--view",
        type=click.Choice(get_args(View)),
        help="The calls that the model requested, or those that were executed."
        "  [default: the first of the two that are there]",
    ),
    click.option(
        "--candidate",
        type=click.IntRange(min=0),
        default=0,
        show_default=True,
        help="Which of several answers to the same question to read.",
    ),
    click.option(
        "--leave-out",
        type=click.Choice([*get_args(Part), _EXCLUDE_NOTHING]),
        multiple=True,
        help="Whose calls to leave out, besides those of a simulated user; none keeps all.",
    ),
    click.option(
        "--failure-pattern",
        metavar="REGEX",
        default=DEFAULT_READING.failure.pattern,
        show_default=True,
        help="What the text of a failed call's result matches, where nothing else tells.",
    ),
)
input_options = stacked(
    click.option(
        "--map",
        "fields",
        type=_parse_field,
        multiple=True,
        metavar="FIELD=PATH",
        help="Where id, expected, actual, trial or input stand in a record: id=$.metadata.task_id.",
    ),
    click.option(
        "--input-format",
        metavar="NAME",
        help="What the input is written in: see `callscore formats`.  [default: by content]",
    ),
    reading_options,
)


def reading_from(options: dict[str, Any], tools: Iterable[Tool] = ()) -> ReadOptions:
    """Remove the reading options from the options of a command."""
    left_out = options.pop("leave_out")
    if _EXCLUDE_NOTHING not in left_out:
        left_out = (*DEFAULT_READING.leave_out, *left_out)
    elif len(left_out) > 1:
        raise click.UsageError("--leave-out none goes with no other --leave-out.")
    else:
        left_out = ()
    return read_options_for(
        view=options.pop("view"),
        candidate=options.pop("candidate"),
        leave_out=left_out,
        failure=options.pop("failure_pattern"),
        tools=tools,
    )


def sides_options(*, multiple: bool = True) -> Callable[[AnyCommand], AnyCommand]:
    """Add the options for files that have one side of the cases each."""
    expected = "References, to be joined with --actual on id."
    actual = "Traces, to be joined with --expected on id."
    return stacked(
        click.option("--expected", metavar="FILE", multiple=multiple, help=expected),
        click.option("--actual", metavar="FILE", multiple=multiple, help=actual),
    )


def keyword_option(text: str) -> Callable[[AnyCommand], AnyCommand]:
    """Add the option that selects by a keyword expression."""
    return click.option("-k", "keyword", default="", metavar="WORDS", help=text)


KEYWORD_HELP = (
    "Only what has these words in the name of its evaluation, its variant or its case;"
    " with and, or, not"
)
json_option = click.option(
    "--json", "as_json", is_flag=True, help="Write an array of objects, for programs."
)


def skip_bad_option(verb: str = "Count") -> Callable[[AnyCommand], AnyCommand]:
    """Add the option that skips unreadable input."""
    return click.option("--skip-bad", is_flag=True, help=f"{verb} and skip what cannot be read.")


def require_one_stdin(*files: str | None) -> None:
    """Refuse standard input that is named twice."""
    if files.count("-") > 1:
        raise click.UsageError("Standard input can be read only once.")


def require_inputs(
    files: tuple[str, ...], expected: tuple[str, ...], actual: tuple[str, ...]
) -> None:
    """Require files of cases, or both sides of them."""
    is_joined = bool(expected or actual)
    if is_joined and not (expected and actual):
        raise click.UsageError("--expected and --actual go together: name both files.")
    if is_joined and files:
        raise click.UsageError("Name files of cases, or --expected and --actual, not both.")
    if not is_joined and not files:
        raise click.UsageError("Name a file of cases, or --expected and --actual.")
    require_one_stdin(*files, *expected, *actual)


store_option = click.option(
    "--store",
    metavar="PLACE",
    help=f"The history: a file, or postgresql://... for a team.  [default: {STORE_VARIABLE}, or"
    " .callscore/history.db of the project]",
)


def open_store_to_write(place: str | None) -> Store:
    """Open the history that `--store` names to write to it; it is created if it does not exist.

    Raises:
        UnusableStore: it cannot be used.
    """
    from callscore.history.opening import open_store

    return open_store(place or None)


def open_existing_store(place: str | None) -> Store:
    """Open the history that `--store` names to read from it.

    Raises:
        UnknownRun: there is no history.
        UnusableStore: it cannot be used.
    """
    from callscore.history.opening import open_existing

    return open_existing(place)


judge_option = click.option(
    "--judge",
    metavar="MODEL",
    help="The model that answers `$judge`, asked once about each value; the history keeps the"
    " answers. OPENAI_BASE_URL says where it is, and OPENAI_API_KEY holds its key.  [default:"
    " that of the project's settings]",
)


def judge_from(options: dict[str, Any]) -> Judge | None:
    """Remove the judge from the options of a command; by default, that of the project, or None.

    Its answers are stored in the history, which is opened for the first question. Call this before
    `settings_from`, which removes `--config` from the options.
    """
    named = options.pop("judge", None)
    config = config_for(options.get("config"), is_wanted=not options.get("no_config", False))
    given = dict(config.judge) if named is None else {"name": named}
    if not given:
        return None
    from callscore.history.opening import LazyJudgementStore
    from callscore.models.judging import judge

    try:
        found = judge(given.pop("name"), **given)
    except CallscoreError as error:
        place = "" if named is not None else f"{config.place}: "
        raise InvalidSettings(f"{place}{error}") from error
    if named is not None:  # the judge of a project may not be needed for these cases
        found.require()
    history = LazyJudgementStore(options.get("store") or None)
    found.remember_in(history)
    context = click.get_current_context(silent=True)
    if context is not None:
        context.call_on_close(found.close)
        context.call_on_close(history.close)
    return found


def judged_settings_from(options: dict[str, Any]) -> tuple[Settings, Judge | None]:
    """Remove the settings and the judge from the options of a command; the settings include it."""
    judge = judge_from(options)
    settings = settings_from(options)
    return settings if judge is None else replace(settings, judge=judge), judge


def parse_run_name(value: str) -> str:
    """A name that cannot be confused with another way to name a run."""
    name = value.strip()
    problem = name_problem(name)
    if problem is not None:
        raise click.BadParameter(f"nothing can be called {name!r}: {problem}.")
    return name


_JSONL_SUFFIXES = (".jsonl", ".ndjson", "")
new_file_options = stacked(
    click.option(
        "-o", "--output", metavar="FILE", help="Write them there, not to the terminal: JSON lines."
    ),
    click.option("--force", is_flag=True, help="Replace the file if it is there."),
)


def require_new_file(path: str | None, *, force: bool) -> None:
    """Refuse a file that exists, since people may have edited it, or whose suffix is not JSON lines."""
    if path is None or path == "-":
        return
    file = Path(path)
    if file.suffix.lower() not in _JSONL_SUFFIXES:
        name = file.with_suffix(_JSONL_SUFFIXES[0]).name
        raise click.UsageError(f"Cases are written as JSON lines: name the file {name}.")
    if file.is_file() and not force:
        raise click.UsageError(f"{path} is there already; --force replaces it.")


FORMATS = ["table", "json", "markdown", "junit"]
DEFAULT_MAX_SHOWN = 10
_SUFFIXES = {".json": "json", ".md": "markdown", ".xml": "junit"}
_FOR_PEOPLE = ("table", "markdown")


show_option = click.option(
    "--show",
    type=click.Choice(["failing", "all", "none"]),
    help="Which cases to show.  [default: failing; all in json and junit]",
)
max_shown_option = click.option(
    "--max-shown",
    type=click.IntRange(min=0),
    help="Show at most so many of each evaluation.  [default: 10; all in json and junit]",
)
show_options = stacked(
    click.option(
        "--fail-under",
        type=SHARE,
        help="Exit with 1 if the mean of a scorer without a fail_under of its own is below.",
    ),
    show_option,
    max_shown_option,
)


def show_options_from(options: dict[str, Any]) -> dict[str, Any]:
    """Remove `--show` and `--max-shown` from the options; their defaults depend on the format."""
    show, max_shown = options.pop("show"), options.pop("max_shown")
    for_people = options["output_format"] in _FOR_PEOPLE
    return {
        "show": show or ("failing" if for_people else "all"),
        "max_shown": DEFAULT_MAX_SHOWN if max_shown is None and for_people else max_shown,
    }


def output_format_for(ctx: click.Context, options: dict[str, Any]) -> str:
    """The format of the report: the given one, or the one of the file's suffix."""
    given: str = options["output_format"]
    is_given = ctx.get_parameter_source("output_format") is not ParameterSource.DEFAULT
    if is_given or options["output"] is None:
        return given
    return _SUFFIXES.get(Path(options["output"]).suffix.lower(), given)


measure_option = click.option(
    "--measure",
    default="passed",
    show_default=True,
    metavar="NAME",
    help="What is compared: passed, f1, or a scorer.",
)


max_shown_changes_option = click.option(
    "--max-shown",
    type=click.IntRange(min=0),
    default=DEFAULT_MAX_SHOWN,
    show_default=True,
    help="Show at most so many cases that went otherwise in the same way, and so many tools and"
    " tags; json has all.",
)


def fail_on_option(default: str | None) -> Callable[[AnyCommand], AnyCommand]:
    """Add the option that makes the command fail."""
    return click.option(
        "--fail-on",
        type=click.Choice(FAIL_ON),
        default=default,
        show_default=default is not None,
        help="Exit with 1 if the second run is worse; if any case broke; if anything is other than"
        " before.",
    )

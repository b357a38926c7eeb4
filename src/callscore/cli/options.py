"""The options that several commands share, and how their values are taken."""

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
from callscore.formats.trace import DEFAULT_WANTED as DEFAULT_READING
from callscore.formats.trace import Part, View, wanted_for
from callscore.history.postgres import STORE_VARIABLE
from callscore.history.run_metadata import name_problem

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from callscore.core.call import Tool
    from callscore.formats.trace import Wanted
    from callscore.history.store import Store
    from callscore.models.judging import Judge

__all__ = [
    "FORMATS",
    "RUN_NAME",
    "SHARE",
    "AnyCommand",
    "SettingsCommand",
    "fail_on_option",
    "input_format_option",
    "judge_from",
    "judge_option",
    "judged_settings_from",
    "lang_option",
    "map_option",
    "measure_option",
    "metric_option",
    "most_changes_option",
    "most_option",
    "new_file_options",
    "open_existing_store",
    "open_store_to_write",
    "output_format_for",
    "overrides_from",
    "reading_from",
    "reading_options",
    "report_options",
    "require_inputs",
    "require_new_file",
    "settings_from",
    "settings_options",
    "show_option",
    "show_options",
    "show_options_from",
    "sides_options",
    "store_option",
    "store_without_password",
    "tools_from",
    "tools_option",
]


# Settings, tools, metrics, reports and language.

AnyCommand = TypeVar("AnyCommand", bound="Callable[..., Any]")


class _Share(click.FloatRange):
    """A number from 0 to 1."""

    def __init__(self) -> None:
        super().__init__(0, 1)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value} is not a number from 0 to 1.", param, ctx)
        return number


SHARE = _Share()


class _Effect(click.ParamType[tuple[str, str]]):
    """`PATTERN=read` or `PATTERN=write`."""

    name = "effect"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        pattern, equals, effect = value.rpartition("=")
        if not equals:
            self.fail(f"{value!r} is not like 'get_*=read'.", param, ctx)
        return pattern.strip(), effect.strip()


class _Argument(click.ParamType[ArgumentRule]):
    """`TOOL.ARGUMENT=RULE`, with the rule's options behind a colon, as JSON."""

    name = "argument"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> ArgumentRule:
        pattern, equals, rest = value.partition("=")
        rule, colon, options = rest.partition(":")
        if not equals:
            self.fail(f"{value!r} is not like 'book_flight.date=date'.", param, ctx)
        try:
            known = msgspec.json.decode(options, type=dict[str, Any]) if colon else {}
        except (ValueError, RecursionError):
            example = """'*.query=text:{"similarity": 0.85}'"""
            self.fail(f"the options in {value!r} are not JSON, as in {example}.", param, ctx)
        return ArgumentRule(pattern.strip(), rule.strip(), known)


class _Setting(click.Option):
    """An option that is a setting, or that says where settings come from."""


class SettingsCommand(click.Command):
    """A command whose help shows the settings of a score apart from its other options."""

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


def _setting(*names: str, help: str, **attributes: Any) -> Callable[[AnyCommand], AnyCommand]:  # noqa: A002  (as click calls it)
    return click.option(*names, cls=_Setting, help=help, **attributes)


def _choice(name: str, kind: Any, help: str) -> Callable[[AnyCommand], AnyCommand]:  # noqa: A002  (likewise)
    """An option for a setting that is one of several words."""
    setting = name.removeprefix("--").replace("-", "_")
    default = getattr(DEFAULT, setting)
    return _setting(name, type=click.Choice(_choices(kind)), help=f"{help}  [default: {default}]")


def _choices(kind: Any) -> list[str]:
    return [str(word) for word in get_args(kind) or kind]


# None has a default of its own: what is not given is taken from the project, or from the defaults.
_OPTIONS = (
    _setting(
        "--config",
        metavar="FILE",
        help="Settings of a project.  [default: callscore.toml or"
        " pyproject.toml, in this folder or above]",
    ),
    _setting("--no-config", is_flag=True, help="Look for no such file."),
    _setting(
        "--preset",
        type=click.Choice(PRESETS),
        help="Settings that go together; single ones override it.  [default: strict]",
    ),
    _choice("--mode", score_settings.Mode, "Want equal arguments, or enough of them."),
    _setting(
        "--threshold",
        "argument_match_threshold",
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
        "--at-least",
        type=SHARE,
        help=f"The score from which a case passes.  [default: {DEFAULT.at_least}]",
    ),
    _setting(
        "--strip-prefix",
        multiple=True,
        metavar="PATTERN",
        help='Take this off the front of tools\' names, as in "mcp__*__".',
    ),
    _setting(
        "--normalise-name",
        multiple=True,
        type=click.Choice(_choices(score_settings.NamePart)),
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
        type=_Effect(),
        multiple=True,
        metavar="PATTERN=read|write",
        help="What tools do, as in 'get_*=read'.",
    ),
    _setting(
        "--argument",
        "arguments",
        type=_Argument(),
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


def settings_options(command: AnyCommand) -> AnyCommand:
    """Add one option for each setting."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def settings_from(options: dict[str, Any]) -> Settings:
    """Take the settings out of the options of a command, over those of the project.

    Raises:
        InvalidSettings: a setting has a value that it cannot have, here or in a file.
    """
    path, no_config = options.pop("config"), options.pop("no_config")
    if path is not None and no_config:
        raise click.UsageError("--config and --no-config exclude each other.")
    project = config_for(path, is_wanted=not no_config).values
    preset = options.pop("preset")
    chosen = {} if preset is None else get_preset(preset)
    given = _given_settings(options)
    for name in ("effects", "arguments"):  # the first that fits decides
        if name in given and name in project:
            given[name] = (*given[name], *getattr(score_settings.settings_from(project), name))
    return score_settings.settings_from({**project, **chosen, **given})


def overrides_from(options: dict[str, Any]) -> tuple[str | None, dict[str, Any]]:
    """Take the settings out of the options of a command that changes some: a preset, and single ones.

    A file of settings counts only where it is named: what is not said here stays as it is.

    Raises:
        InvalidSettings: a setting has a value that it cannot have, here or in the file.
    """
    path, no_config = options.pop("config"), options.pop("no_config")
    if path is not None and no_config:
        raise click.UsageError("--config and --no-config exclude each other.")
    project = {} if path is None else config_for(path, is_wanted=True).values
    preset = options.pop("preset")
    chosen = {} if preset is None else get_preset(preset)
    single = {name: value for name, value in project.items() if name not in chosen}
    overrides = {**single, **_given_settings(options)}
    score_settings.settings_from({**chosen, **overrides})  # which says what is wrong with them
    return preset, overrides


def _given_settings(options: dict[str, Any]) -> dict[str, Any]:
    """The settings that were given on the command line."""
    named = {name: options.pop(name) for name in Settings.__struct_fields__ if name in options}
    return {name: value for name, value in named.items() if value not in (None, ())}


def tools_option(command: AnyCommand) -> AnyCommand:
    """Add the option that names a file of tools' definitions."""
    return click.option(
        "--tools",
        metavar="FILE",
        help="Tools' definitions, in any format: they tell what changes something, and by their"
        " schemas calls are checked.  [default: those of each case]",
    )(command)


def tools_from(options: dict[str, Any]) -> dict[str, Tool] | None:
    """Take the tools by name out of the options of a command; None where no file was named.

    Raises:
        InvalidCall: there is no such format.
        UnreadableInput: the file cannot be read, or defines no tool.
    """
    file = options.pop("tools")
    if file is None:
        return None
    tools = tools_by_name(Path(file))
    if not tools:
        raise UnreadableInput(file, "there is no definition of a tool in it.")
    return tools


def metric_option(command: AnyCommand) -> AnyCommand:
    """Add the option that asks for metrics of other tools."""
    return click.option(
        "--metric",
        multiple=True,
        metavar="NAME[:OPTION=VALUE,...]",
        help="Another tool's number, as in 'ragas.tool_call_f1': see `callscore metrics`; may be"
        " given several times.",
    )(command)


def report_options(formats: Sequence[str]) -> Callable[[AnyCommand], AnyCommand]:
    """Add the options for what is written, a table by default, and where it goes."""

    def add(command: AnyCommand) -> AnyCommand:
        to_file = click.option(
            "-o", "--output", metavar="FILE", help="Write it there, not to the terminal."
        )
        as_format = click.option(
            "--format",
            "output_format",
            type=click.Choice(formats),
            default="table",
            show_default=True,
            help="What to write.",
        )
        return as_format(to_file(command))

    return add


def lang_option(command: AnyCommand) -> AnyCommand:
    """Add the option for the language of what is shown."""
    return click.option(
        "--lang",
        type=click.Choice(["en", "ru"]),
        default="en",
        show_default=True,
        help="The language of the report.",
    )(command)


# Reading documents.

_EXCLUDE_NOTHING = "none"


def reading_options(command: AnyCommand) -> AnyCommand:
    """Add the options that choose among what a document offers."""
    for option in reversed(
        (
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
    ):
        command = option(command)
    return command


def reading_from(options: dict[str, Any], tools: Any = ()) -> Wanted:
    """Take what is wanted out of the options of a command."""
    return wanted_for(
        view=options.pop("view"),
        candidate=options.pop("candidate"),
        leave_out=_excluded_parts(options.pop("leave_out")),
        failure=options.pop("failure_pattern"),
        tools=tools,
    )


def _excluded_parts(parts: tuple[str, ...]) -> tuple[str, ...]:
    if _EXCLUDE_NOTHING not in parts:
        return (*DEFAULT_READING.leave_out, *parts)
    if len(parts) > 1:
        raise click.UsageError("--leave-out none goes with no other --leave-out.")
    return ()


class _Field(click.ParamType[tuple[str, str]]):
    """`FIELD=PATH`."""

    name = "field"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        field, equals, path = value.partition("=")
        if not equals or not path:
            self.fail(f"{value!r} is not like id=$.metadata.task_id.", param, ctx)
        return field.strip(), path.strip()


def map_option(command: AnyCommand) -> AnyCommand:
    """Add the option that says where the fields of a case stand."""
    return click.option(
        "--map",
        "fields",
        type=_Field(),
        multiple=True,
        metavar="FIELD=PATH",
        help="Where id, expected, actual, trial or input stand in a record: id=$.metadata.task_id.",
    )(command)


def input_format_option(command: AnyCommand) -> AnyCommand:
    """Add the option that names the format of the input."""
    return click.option(
        "--input-format",
        metavar="NAME",
        help="What the input is written in: see `callscore formats`.  [default: by content]",
    )(command)


def sides_options(command: AnyCommand) -> AnyCommand:
    """Add the options that name the two sides of cases, in files of their own."""
    for name, what, other in (
        ("--actual", "Traces", "--expected"),
        ("--expected", "References", "--actual"),
    ):
        text = f"{what}, to be joined with {other} on id."
        command = click.option(name, metavar="FILE", multiple=True, help=text)(command)
    return command


def require_inputs(
    files: tuple[str, ...], expected: tuple[str, ...], actual: tuple[str, ...]
) -> None:
    """Refuse anything but files of cases, or both sides of them."""
    is_joined = bool(expected or actual)
    if is_joined and not (expected and actual):
        raise click.UsageError("--expected and --actual go together: name both files.")
    if is_joined and files:
        raise click.UsageError("Name files of cases, or --expected and --actual, not both.")
    if not is_joined and not files:
        raise click.UsageError("Name a file of cases, or --expected and --actual.")
    if [*files, *expected, *actual].count("-") > 1:
        raise click.UsageError("Standard input can be read only once.")


# The history.


def store_option(command: AnyCommand) -> AnyCommand:
    """Add the option that says where the history is; the command is given it as `store`."""
    return click.option(
        "--store",
        metavar="PLACE",
        help=f"The history: a file, or postgresql://... for a team.  [default: {STORE_VARIABLE}, or"
        " .callscore/history.db of the project]",
    )(command)


def open_store_to_write(place: str | None) -> Store:
    """Open the history to write to it; it is made where there is none.

    Args:
        place: what `--store` says; None where it says nothing.

    Raises:
        UnusableStore: it cannot be used.
    """
    from callscore.history.opening import open_store

    return open_store(place or None)


def open_existing_store(place: str | None) -> Store:
    """Open the history to look for something in it; a file is not made for that.

    Args:
        place: what `--store` says; None where it says nothing.

    Raises:
        UnknownRun: there is no history there.
        UnusableStore: it cannot be used.
    """
    from callscore.history.opening import open_existing

    return open_existing(place)


def store_without_password(place: str) -> str:
    """What `--store` says, as it may be shown: without the password in it."""
    from callscore.models.secrets import hide_secrets

    return hide_secrets(place)


# The judge: the model that answers the questions of `$judge`.


def judge_option(command: AnyCommand) -> AnyCommand:
    """Add the option that names the model that answers `$judge`."""
    return click.option(
        "--judge",
        metavar="MODEL",
        help="The model that answers `$judge`, asked once about each value; the history keeps the"
        " answers. OPENAI_BASE_URL says where it is, and OPENAI_API_KEY holds its key.  [default:"
        " that of the project's settings]",
    )(command)


def judge_from(options: dict[str, Any]) -> Judge | None:
    """Take the judge out of the options of a command, or of the project; None where none is named.

    It remembers in the history that `--store` names, or in that of the project, which is opened when
    the first question is asked. To be called before `settings_from`, which takes `--config` out of
    the options.

    Raises:
        InvalidSettings: the judge that a file names is not as it can be.
        MissingExtra: the SDK is not installed.
        MissingKey: there is no key in the environment.
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
    if named is not None:  # a project may name one that these cases do not need
        found.require()
    history = LazyJudgementStore(options.get("store") or None)
    found.remember_in(history)
    context = click.get_current_context(silent=True)
    if context is not None:
        context.call_on_close(found.close)
        context.call_on_close(history.close)
    return found


def judged_settings_from(options: dict[str, Any]) -> tuple[Settings, Judge | None]:
    """The settings of a command with the judge among them, and the judge.

    Raises:
        InvalidSettings: as `settings_from` and `judge_from`.
        MissingExtra: as `judge_from`.
        MissingKey: likewise.
    """
    judge = judge_from(options)
    settings = settings_from(options)
    return settings if judge is None else replace(settings, judge=judge), judge


# Names of runs and baselines.


class _RunName(click.ParamType[str]):
    """A name that can be typed again where a run is meant."""

    name = "name"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        name = str(value).strip()
        fault = name_problem(name)
        if fault is not None:
            self.fail(f"nothing can be called {name!r}: {fault}.", param, ctx)
        return name


RUN_NAME = _RunName()


# A new file of cases: an existing one, which may have been reviewed, is not replaced.

_JSONL_SUFFIXES = (".jsonl", ".ndjson", "")


def new_file_options(command: AnyCommand) -> AnyCommand:
    """Add the options for where cases go."""
    force = click.option("--force", is_flag=True, help="Replace the file if it is there.")
    output = click.option(
        "-o", "--output", metavar="FILE", help="Write them there, not to the terminal: JSON lines."
    )
    return output(force(command))


def require_new_file(path: str | None, *, force: bool) -> None:
    """Refuse a file that is there already, or whose name says that it holds no JSON lines."""
    if path is None or path == "-":
        return
    file = Path(path)
    if file.suffix.lower() not in _JSONL_SUFFIXES:
        name = file.with_suffix(_JSONL_SUFFIXES[0]).name
        raise click.UsageError(f"Cases are written as JSON lines: name the file {name}.")
    if file.is_file() and not force:
        raise click.UsageError(f"{path} is there already; --force replaces it.")


FORMATS = ["table", "json", "markdown", "junit"]
DEFAULT_MOST = 10
_SUFFIXES = {".json": "json", ".md": "markdown", ".xml": "junit"}
_FOR_PEOPLE = ("table", "markdown")


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
_SHOW_OPTIONS = (
    click.option(
        "--fail-under",
        type=SHARE,
        help="Exit with 1 if the mean of a scorer that has no threshold of its own is below.",
    ),
    show_option,
    most_option,
)


def show_options(command: AnyCommand) -> AnyCommand:
    """Add the options that say which cases are shown, and what is good enough."""
    for option in reversed(_SHOW_OPTIONS):
        command = option(command)
    return command


def show_options_from(options: dict[str, Any]) -> dict[str, Any]:
    """Take out of the options which cases to show, and how many; it depends on the format."""
    show, most = options.pop("show"), options.pop("most")
    for_people = options["output_format"] in _FOR_PEOPLE
    return {
        "show": show or ("failing" if for_people else "all"),
        "most": DEFAULT_MOST if most is None and for_people else most,
    }


def output_format_for(ctx: click.Context, options: dict[str, Any]) -> str:
    """The format of the report: the one that is given, or else the one of the file's suffix."""
    given: str = options["output_format"]
    is_given = ctx.get_parameter_source("output_format") is not ParameterSource.DEFAULT
    if is_given or options["output"] is None:
        return given
    return _SUFFIXES.get(Path(options["output"]).suffix.lower(), given)


# `callscore compare` and `callscore gate`.


def measure_option(command: AnyCommand) -> AnyCommand:
    """Add the option for the number that is compared."""
    return click.option(
        "--measure",
        default="passed",
        show_default=True,
        metavar="NAME",
        help="What is compared: passed, f1, or a scorer.",
    )(command)


def most_changes_option(command: AnyCommand) -> AnyCommand:
    """Add the option for how much is shown."""
    return click.option(
        "--most",
        type=click.IntRange(min=0),
        default=DEFAULT_MOST,
        show_default=True,
        help="Show at most so many cases that went otherwise in the same way, and so many tools and"
        " tags; json has all.",
    )(command)


def fail_on_option(default: str | None) -> Callable[[AnyCommand], AnyCommand]:
    """Add the option for what makes the command fail."""
    return click.option(
        "--fail-on",
        type=click.Choice(FAIL_ON),
        default=default,
        show_default=default is not None,
        help="Exit with 1 if the second run is worse; if any case broke; if anything is other than"
        " before.",
    )

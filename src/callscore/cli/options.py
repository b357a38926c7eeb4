"""The options that several commands share, and how their values are read."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import click
import msgspec

from callscore.cli.completion import complete_input_format, complete_metric, complete_tag
from callscore.cli.output import print_note
from callscore.cli.output_formats import ALL_IN_FORMATS, is_for_people
from callscore.cli.record_fields import id_from_option, map_option
from callscore.core import settings as score_settings
from callscore.core.phrases import Language, say
from callscore.core.settings import DEFAULT, PRESETS, ArgumentRule, Settings, get_preset
from callscore.errors import UnreadableInput
from callscore.evaluations.project_config import EMPTY, OWN_FILE, Config, config_for
from callscore.formats.callers import Caller
from callscore.formats.trace import DEFAULT_READ_OPTIONS as DEFAULT_READING
from callscore.formats.trace import Part, ReadOptions, View, read_options_for
from callscore.history.postgres import STORE_VARIABLE
from callscore.words.value_text import NO_EFFECT, TOOL_DEFINITIONS, unused_rules_text

if TYPE_CHECKING:
    from callscore.core.call import Tool
    from callscore.core.summary import Summary
    from callscore.core.unused_rules import UnusedRule
    from callscore.history.store import Store

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
        raise click.BadParameter(f"{value!r} is not of the form PATTERN=read, as in 'get_*=read'.")
    return pattern.strip(), effect.strip()


def _parse_argument(value: str) -> ArgumentRule:
    """Parse `TOOL.ARGUMENT=RULE`; the options of the rule may follow a colon, as JSON."""
    pattern, equals, rest = value.partition("=")
    rule, colon, options = rest.partition(":")
    if not equals:
        raise click.BadParameter(
            f"{value!r} is not of the form TOOL.ARGUMENT=RULE, as in 'book_flight.date=date'."
        )
    try:
        known = msgspec.json.decode(options, type=dict[str, Any]) if colon else {}
    except (ValueError, RecursionError) as error:
        example = """'*.query=text:{"similarity": 0.85}'"""
        problem = f"the options in {value!r} are not JSON. Example: {example}."
        raise click.BadParameter(problem) from error
    return ArgumentRule(pattern.strip(), rule.strip(), known)


class _Setting(click.Option):
    """An option for a setting, or for the source of settings."""


def is_setting(option: click.Parameter) -> bool:
    """Whether an option is a setting of a score, or the source of settings."""
    return isinstance(option, _Setting)


class SettingsCommand(click.Command):
    """A command whose help has a section for the settings of a score."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, and then the settings."""
        sections: dict[str, list[tuple[str, str]]] = {"Options": [], "Settings": []}
        for parameter in self.get_params(ctx):
            row = parameter.get_help_record(ctx)
            if row is not None and isinstance(parameter, click.Option):
                title = "Settings" if is_setting(parameter) else "Options"
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
    return _setting(
        name, type=click.Choice(words, case_sensitive=False), help=f"{text}  [default: {default}]"
    )


config_options = stacked(
    _setting(
        "--config",
        metavar="FILE",
        help="File with the settings of the project.  [default: callscore.toml or pyproject.toml, in"
        " this folder or above]",
    ),
    _setting("--no-config", is_flag=True, help="Ignore the settings of the project."),
)
# Without defaults: a setting that is not given comes from the project, or from `DEFAULT`.
settings_options = stacked(
    config_options,
    _setting(
        "--preset",
        type=click.Choice(PRESETS, case_sensitive=False),
        help="Settings that belong together; other options override them.  [default: strict]",
    ),
    _choice("--mode", score_settings.Mode, "How arguments match: all of them, or enough of them."),
    _setting(
        "--argument-match-threshold",
        "argument_match_threshold",
        type=SHARE,
        metavar="X",
        help="Share of the arguments that must match in mode flexible."
        f"  [default: {DEFAULT.argument_match_threshold}]",
    ),
    _choice("--order", score_settings.Order, "Which order of calls is required."),
    _choice(
        "--extra-arguments",
        score_settings.ExtraArguments,
        "Whether unexpected arguments count as mismatches in mode flexible.",
    ),
    _setting(
        "--pass-mark",
        type=SHARE,
        metavar="X",
        help=f"Score from which a case passes.  [default: {DEFAULT.pass_mark}]",
    ),
    _setting(
        "--strip-prefix",
        multiple=True,
        metavar="PATTERN",
        help='Prefix to remove from tool names, such as "mcp__*__".',
    ),
    _setting(
        "--normalize-name",
        multiple=True,
        type=click.Choice(get_args(score_settings.NamePart), case_sensitive=False),
        help="Differences in tool names to ignore.",
    ),
    _choice("--count-calls", score_settings.CountCalls, "Calls that count: all, or only writes."),
    _choice("--failed-calls", score_settings.FailedCalls, "Whether failed calls count."),
    _choice(
        "--repeated-calls",
        score_settings.RepeatedCalls,
        "Whether exact repeats of earlier calls count.",
    ),
    _choice("--arrays", score_settings.Arrays, "Whether the order of array items matters."),
    _choice(
        "--nested-objects",
        score_settings.NestedObjects,
        "Whether nested objects may have unexpected keys.",
    ),
    _choice(
        "--extra-calls",
        score_settings.ExtraCalls,
        "Whether calls that were not expected cost, are free, or are free if they only read.",
    ),
    _choice(
        "--schema-defaults",
        score_settings.SchemaDefaults,
        "Whether an argument with the default of the tool's schema equals one that is left out.",
    ),
    _choice(
        "--turns",
        score_settings.Turns,
        "Whether expected calls must be made in their turn, or in it or an earlier one.",
    ),
    _setting(
        "--effect",
        "effects",
        type=_parse_effect,
        multiple=True,
        metavar="PATTERN=read|write",
        help="Whether tools read or write, such as 'get_*=read'.",
    ),
    _setting(
        "--argument",
        "arguments",
        type=_parse_argument,
        multiple=True,
        metavar="TOOL.ARGUMENT=RULE",
        help="Rule for an argument, such as"
        """ 'book_flight.date=date' or '*.query=text:{"similarity": 0.85}'.""",
    ),
    _setting(
        "--top-k",
        type=click.IntRange(min=1),
        metavar="K",
        help=f"Score the best of the first K answers to a question.  [default: {DEFAULT.top_k}]",
    ),
)


def settings_from(options: dict[str, Any]) -> Settings:
    """Remove the settings from the options of a command, and merge them into those of the project."""
    path, no_config = _config_options(options)
    config = config_for(path, is_wanted=not no_config)
    project = config.values
    preset = options.pop("preset")
    chosen = {} if preset is None else get_preset(preset)
    given = _given_settings(options)
    named = list(given)
    for name in ("effects", "arguments"):  # the first that matches decides
        if name in given and name in project:
            given[name] = (*given[name], *getattr(score_settings.settings_from(project), name))
    settings = score_settings.settings_from({**project, **chosen, **given})
    lang = _language()
    warn_ineffective(_option_names(named), [settings], lang)
    if config.given:
        # Not those that only this command makes ineffective: the file need not change.
        in_file = {name: f"{config.place}: {name}" for name in config.given}
        warn_ineffective(in_file, [settings, score_settings.settings_from(project)], lang)
    return settings


def _language() -> Language:
    """The language of the command that is running."""
    context = click.get_current_context(silent=True)
    return "en" if context is None else context.params.get("lang", "en")


def warn_ineffective(
    labels: Mapping[str, str], all_settings: Sequence[Settings], lang: Language
) -> None:
    """Print which of some settings have no effect under any of these settings.

    `labels` are what to print for each name: the option, or the file and the name.
    """
    found = [score_settings.ineffective_settings(labels, each) for each in all_settings]
    for name, label in labels.items():
        if found and all(name in each for each in found):
            print_note(say(NO_EFFECT, lang, name=label, condition=found[0][name]))


def note_unused(rules: Sequence[UnusedRule]) -> None:
    """Print which rules of the settings match nothing."""
    print_note(unused_rules_text(rules, _language()))


def warn_unknown_defaults(summaries: Iterable[Summary], lang: Language) -> None:
    """Print that `--schema-defaults equal` had no effect, because no tool definitions were known.

    It is only known once all cases are read. The setting of a preset or of the project is meant for
    inputs of all kinds.
    """
    context = click.get_current_context(silent=True)
    if context is None or context.params.get("schema_defaults") != "equal":
        return
    scored = [summary for summary in summaries if summary.scored]
    if scored and not any(summary.checked_cases for summary in scored):
        name = _option_names(["schema_defaults"])["schema_defaults"]
        print_note(say(NO_EFFECT, lang, name=name, condition=say(TOOL_DEFINITIONS, lang)))


def _option_names(names: Iterable[str]) -> dict[str, str]:
    """The options of settings, by their names."""
    context = click.get_current_context(silent=True)
    known = {each.name: each.opts[0] for each in context.command.params} if context else {}
    return {name: known.get(name) or name for name in names}


def project_from(options: dict[str, Any]) -> Config:
    """Remove `--config` and `--no-config` from the options: the settings of the project."""
    path, no_config = _config_options(options)
    options.update(config=None, no_config=False)
    return config_for(path, is_wanted=not no_config)


def overrides_from(options: dict[str, Any]) -> tuple[str | None, dict[str, Any], dict[str, str]]:
    """Remove the settings to override from the options of a command: a preset, and single ones.

    The third value are the labels of the single ones for `warn_ineffective`. A file of settings is
    read only if it is named.
    """
    path, _ = _config_options(options)
    config = EMPTY if path is None else config_for(path)
    preset = options.pop("preset")
    chosen = {} if preset is None else get_preset(preset)
    single = {name: value for name, value in config.values.items() if name not in chosen}
    given = _given_settings(options)
    score_settings.settings_from({**chosen, **single, **given})  # raises if they are invalid
    in_file = {name: f"{config.place}: {name}" for name in config.given}
    return preset, {**single, **given}, {**in_file, **_option_names(given)}


def _config_options(options: dict[str, Any]) -> tuple[str | None, bool]:
    path, no_config = options.pop("config"), options.pop("no_config")
    if path is not None and no_config:
        raise click.UsageError("--config and --no-config exclude each other.")
    return path, no_config


def _given_settings(options: dict[str, Any]) -> dict[str, Any]:
    """The settings that were given on the command line."""
    named = {name: options.pop(name) for name in Settings.__struct_fields__ if name in options}
    return {name: value for name, value in named.items() if value not in (None, ())}


_TOOLS_HELP = "File with tool definitions, in any supported format."
tools_option = click.option(
    "--tools", metavar="FILE", help=f"{_TOOLS_HELP}  [default: those in the input]"
)
required_tools_option = click.option("--tools", required=True, metavar="FILE", help=_TOOLS_HELP)


def tools_from(options: dict[str, Any]) -> dict[str, Tool] | None:
    """Remove `--tools` from the options of a command: the tools by name; None without a file."""
    file = options.pop("tools")
    if file is None:
        return None
    from callscore.api import tools_by_name  # imports what scores

    tools = tools_by_name(Path(file))
    if not tools:
        raise UnreadableInput(file, "no tool definitions found.")
    return tools


metric_option = click.option(
    "--metric",
    multiple=True,
    metavar="NAME[:OPTION=VALUE,...]",
    shell_complete=complete_metric,
    help="Metric of another tool, such as 'ragas.tool_call_f1'; repeatable. 'callscore metrics' lists"
    " them.",
)
lang_option = click.option(
    "--lang",
    type=click.Choice(["en", "ru"]),
    default="en",
    show_default=True,
    help="Language of reports and notes.",
)


_EXCLUDE_NOTHING = "none"
_USER = "user"
reading_options = stacked(
    click.option(
        "--view",
        type=click.Choice(get_args(View)),
        help="Calls to read: those the model requested, or those that were executed."
        "  [default: requested, if the trace has them]",
    ),
    click.option(
        "--candidate",
        type=click.IntRange(min=0),
        default=0,
        show_default=True,
        metavar="N",
        help="Which of several answers to the same question to read.",
    ),
    click.option(
        "--leave-out",
        type=click.Choice([*get_args(Part), _EXCLUDE_NOTHING]),
        multiple=True,
        help="Ignore the calls of this caller, like those of a simulated user; none keeps all calls.",
    ),
    click.option(
        "--callers",
        metavar="NAMES",
        help="Whose calls count, on both sides: agent, user, subagent and code, with commas."
        " By default what the input says, or all but the user's.",
    ),
    click.option(
        "--failure-pattern",
        metavar="REGEX",
        default=DEFAULT_READING.failure.pattern,
        show_default=True,
        help="A call failed if its result matches this and the trace has no explicit flag.",
    ),
    click.option(
        "--strict-input",
        is_flag=True,
        help="Refuse a record with something that looks like calls and was not read."
        "  [default: report it]",
    ),
    id_from_option,
)
input_format_option = click.option(
    "--input-format",
    metavar="NAME",
    shell_complete=complete_input_format,
    help="Format of the input; 'callscore formats' lists them.  [default: detected]",
)
input_options = stacked(
    map_option,
    input_format_option,
    reading_options,
)


def reading_from(options: dict[str, Any], tools: Iterable[Tool] = ()) -> ReadOptions:
    """Remove the reading options from the options of a command."""
    left_out, listed = options.pop("leave_out"), options.pop("callers")
    callers = None if listed is None else [name.strip() for name in listed.split(",")]
    if callers is None and _USER in left_out:  # unlike the default, whatever the input says
        callers = [caller for caller in get_args(Caller) if caller != _USER]
    if _EXCLUDE_NOTHING not in left_out:
        left_out = (*DEFAULT_READING.leave_out, *left_out)
    elif len(left_out) > 1:
        raise click.UsageError("--leave-out none cannot be combined with another --leave-out.")
    else:
        left_out = ()
    return read_options_for(
        view=options.pop("view"),
        candidate=options.pop("candidate"),
        leave_out=left_out,
        callers=callers,
        failure=options.pop("failure_pattern"),
        strict=options.pop("strict_input"),
        tools=tools,
        id_from=options.pop("id_from"),
    )


def sides_options(*, multiple: bool = True) -> Callable[[AnyCommand], AnyCommand]:
    """Add the options for files that have one side of the cases each."""
    return stacked(
        expected_option(multiple=multiple),
        click.option(
            "--actual",
            metavar="FILE",
            multiple=multiple,
            help="File with the actual calls (traces); joined with --expected by id.",
        ),
    )


def expected_option(*, multiple: bool = False) -> Callable[[AnyCommand], AnyCommand]:
    """Add the option for files of references."""
    return click.option(
        "--expected",
        metavar="FILE",
        multiple=multiple,
        help="File with the expected calls (references); joined with the traces by id.",
    )


keyword_option = click.option(
    "-k",
    "keyword",
    default="",
    metavar="EXPRESSION",
    help="Only evaluations, variants and cases whose names match, such as 'weather and not slow'.",
)
limit_option = click.option(
    "--limit", type=click.IntRange(min=1), metavar="N", help="Use only the first N cases."
)


def tag_option(*, multiple: bool) -> Callable[[AnyCommand], AnyCommand]:
    """Add the option that selects cases by their tags."""
    return click.option(
        "--tag",
        "tags" if multiple else "tag",
        multiple=multiple,
        metavar="TAG",
        shell_complete=complete_tag,
        help="Use only cases with this tag.",
    )


trial_option = click.option("--trial", metavar="TRIAL", help="Use only this trial of each case.")
dry_run_option = click.option(
    "--dry-run", is_flag=True, help="Show what would change, and change nothing."
)


# The value of --write without a file.
PROJECT_FILE = "(project)"
write_settings_option = click.option(
    "--write",
    is_flag=False,
    flag_value=PROJECT_FILE,
    metavar="[FILE]",
    help="Add what was found to the settings in this file."
    f"  [default: the settings of the project, or {OWN_FILE}]",
)
proposals_option = click.option(
    "--proposals",
    metavar="FILE",
    help="File for alternatives to suspect references: advise writes it, bless accepts it.",
)
skip_bad_option = click.option(
    "--skip-bad", is_flag=True, help="Skip and report records that cannot be read."
)
max_skipped_option = click.option(
    "--max-skipped",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="N",
    help="Pass with at most N records that could not be read.",
)


def max_shown_option(default: str, minimum: int = 0) -> Callable[[AnyCommand], AnyCommand]:
    """Add the option that limits what a report shows; the default is text for the help."""
    return click.option(
        "--max-shown",
        type=click.IntRange(min=minimum),
        metavar="N",
        help=f"Show at most N cases, faults or runs.  [default: {default}]",
    )


def name_option(default: str | None = None) -> Callable[[AnyCommand], AnyCommand]:
    """Add the option that names a run: in the history, or as a baseline."""
    return click.option(
        "--name",
        type=parse_run_name,
        default=default,
        show_default=default is not None,
        metavar="NAME",
        help="Name that refers to the run.",
    )


fail_under_option = click.option(
    "--fail-under",
    type=SHARE,
    metavar="X",
    help="Exit with code 1 if the mean score is below X.",
)


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
        raise click.UsageError("--expected and --actual go together: pass both.")
    if is_joined and files:
        raise click.UsageError("Pass either files of cases, or --expected and --actual.")
    if not is_joined and not files:
        raise click.UsageError("Pass a file of cases, or --expected and --actual.")
    require_one_stdin(*files, *expected, *actual)
    refuse_evaluations(*files, *expected, *actual)


_SUITE_SUFFIXES = (".yaml", ".yml", ".toml")
_SUITE_TASKS = frozenset({"answers", "model", "task", "variants"})
_TOP_LEVEL_KEY = re.compile(r"^\[*(\w+)[ \]]*[:=\]]", re.MULTILINE)  # of YAML, or of TOML


def refuse_evaluations(*files: str | None) -> None:
    """Refuse evaluations in Python, and suites, which `callscore run` runs."""
    for file in filter(None, files):
        is_python = file.endswith(".py") and Path(file).is_file()
        if is_python or (file.endswith(_SUITE_SUFFIXES) and _is_suite(file)):
            instead = shlex.join(["callscore", "run", file])
            raise click.UsageError(f"{file} is an evaluation. Run it with: {instead}")


def _is_suite(file: str) -> bool:
    """Whether a file has cases beside what runs them."""
    try:
        text = Path(file).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return False
    keys = {match[1] for match in _TOP_LEVEL_KEY.finditer(text)}
    return "cases" in keys and not _SUITE_TASKS.isdisjoint(keys)


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


def parse_run_name(value: str) -> str:
    """A name that cannot be confused with another way to name a run."""
    from callscore.hiding.hider import Hider
    from callscore.history.run_metadata import name_problem

    name = value.strip()
    problem = name_problem(name)
    if problem is None and Hider().has_secret(name):
        problem = "it contains a secret of the environment"
    if problem is not None:
        raise click.BadParameter(f"{name!r} cannot be a name: {problem}.")
    return name


DEFAULT_MAX_SHOWN = 10
MAX_LISTED = 20
show_option = click.option(
    "--show",
    type=click.Choice(["failing", "all", "none"]),
    help=f"Cases to show.  [default: failing; {ALL_IN_FORMATS}]",
)
max_shown_cases_option = max_shown_option(f"{DEFAULT_MAX_SHOWN}; {ALL_IN_FORMATS}")
show_options = stacked(fail_under_option, show_option, max_shown_cases_option)


def show_options_from(options: dict[str, Any]) -> dict[str, Any]:
    """Remove `--show` and `--max-shown` from the options; their defaults depend on the format."""
    show, max_shown = options.pop("show"), options.pop("max_shown")
    if options["output_format"] == "junit":  # a build server counts the tests in it
        show, max_shown = "all", None
    for_people = is_for_people(options["output_format"])
    return {
        "show": show or ("failing" if for_people else "all"),
        "max_shown": DEFAULT_MAX_SHOWN if max_shown is None and for_people else max_shown,
        "max_listed": MAX_LISTED if show is None and for_people else 0,
    }


measure_option = click.option(
    "--measure",
    default="passed",
    show_default=True,
    metavar="NAME",
    help="What is compared: passed, f1, or the name of a scorer.",
)


removed_option = click.option(
    "--removed",
    "removed",
    multiple=True,
    metavar="CASE=REASON",
    help="Case that was removed on purpose, and why; repeatable.",
)


allow_looser_option = click.option(
    "--allow-looser",
    is_flag=True,
    help="Pass with looser settings, with fewer trials, or without the check of schemas.",
)


def removals_from(
    given: Sequence[str], config: str | None = None, *, no_config: bool = False
) -> dict[str, str]:
    """The removed cases of the options and of the project's file, with the reasons."""
    from callscore.comparing.removals import checked_removals

    pairs = dict(each.partition("=")[::2] for each in given)
    removals = checked_removals(
        {case.strip(): why for case, why in pairs.items()}, where="--removed"
    )
    return {**config_for(config, is_wanted=not no_config).removed, **removals}


def fail_on_option(
    choices: Sequence[str], *, default: str | None = None, multiple: bool = False
) -> Callable[[AnyCommand], AnyCommand]:
    """Add the option that makes the command fail."""
    return click.option(
        "--fail-on",
        type=click.Choice(choices),
        default=default,
        show_default=default is not None,
        multiple=multiple,
        help="Exit with code 1 if this is found.",
    )

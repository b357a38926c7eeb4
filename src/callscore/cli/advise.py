"""`callscore advise`: which settings tell success from failure, learned from labelled runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct

from callscore.cli.exits import add_how_to_skip
from callscore.cli.options import (
    PROJECT_FILE,
    SettingsCommand,
    config_options,
    input_options,
    lang_option,
    max_shown_option,
    proposals_option,
    reading_from,
    require_inputs,
    sides_options,
    skip_bad_option,
    tools_from,
    tools_option,
    write_settings_option,
)
from callscore.cli.output import open_output, print_note, write_report
from callscore.cli.output_formats import is_for_people, report_options
from callscore.cli.progress import counting_progress, progress
from callscore.cli.record_fields import note_all_unfound
from callscore.cli.unpacking import max_unpacked_option
from callscore.core.call import Tool
from callscore.core.phrases import Language, Phrase, Plural, count_of, say
from callscore.core.settings import DEFAULT, Settings, settings_from
from callscore.engines.inputs import InputOptions, input_options_for
from callscore.errors import InvalidSettings, UnreadableInput
from callscore.evaluations.project_config import (
    OWN_FILE,
    find_config_file,
    read_config,
    settings_table,
)
from callscore.reports.formatting import first_names
from callscore.sources.paths import display_paths, expand_paths

if TYPE_CHECKING:
    from callscore.advising.advice import Advice

_FORMATS = ["table", "json", "markdown"]
_FEW = 10
_WRITTEN = Phrase("settings written to {file}", "настройки записаны в {file}")
_UNMEASURED = Phrase(
    "{file} has other rules, which were not in force for the advice: {names}. Remove them, or repeat"
    " the command without --no-config",
    "в {file} есть другие правила, которые при выборе не действовали: {names}. Удалите их или повторите"
    " команду без --no-config",
)
_PROPOSALS = Plural(("proposal", "proposals"), ("вариант", "варианта", "вариантов"))
_PROPOSED = Phrase(
    "{proposals} written to {file}. To look at them: callscore bless --proposals {file} --dry-run",
    "{proposals}: записано в {file}. Посмотреть: callscore bless --proposals {file} --dry-run",
)
_HELP = """Recommend the settings under which the score tells success from failure.

FILEs have runs with expected and actual calls, as for callscore score, and a success label for each
run: true or false, 1 or 0, or a word: success or failure, pass or fail, yes or no. 30 labelled runs or more are needed.
The runs of one task have the same id.

\b
  callscore advise runs.jsonl --label success
  callscore advise results.json --label reward_info.reward --tools tools.json --write

It measures every preset, and changes of single settings, and learns which tools read, which arguments
never matter, and whether extra calls hurt. It recommends the simplest settings that are not clearly
worse than the best. Settings are checked on tasks that they were not chosen on. The pass mark
and the rules of the project stay as they are. It also lists runs whose score and label contradict each other, and
references that successful runs contradict.

\b
Exit codes: 3 if there are too few labels, or the input cannot be read.
"""


class _Request(Struct, frozen=True, kw_only=True):
    """The options of the command."""

    files: tuple[str, ...]
    expected: tuple[str, ...]
    actual: tuple[str, ...]
    label: str
    label_at_least: float | None
    inputs: InputOptions
    tools: dict[str, Tool] | None
    settings: Settings
    config_file: Path | None
    write: Path | None
    proposals: str | None
    max_shown: int | None
    output_format: str
    output: str | None
    skip_bad: bool
    lang: Language


@click.command(cls=SettingsCommand, help=_HELP)
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option(
    "--label",
    default="success",
    show_default=True,
    metavar="PATH",
    help="Field with the success label: of the record or of its metadata, or a path to it.",
)
@click.option(
    "--label-at-least",
    type=float,
    metavar="X",
    help="A number from X on is a success.  [default: 1 is a success, 0 is a failure]",
)
@write_settings_option
@proposals_option
@sides_options()
@input_options
@tools_option
@config_options
@max_shown_option(f"{_FEW}; all in json")
@report_options(_FORMATS)
@lang_option
@skip_bad_option
@max_unpacked_option
def command(**options: Any) -> int:
    """Measure, recommend, write the report, and what else was asked for."""
    tools = tools_from(options)
    read_options = reading_from(options, (tools or {}).values())
    fields, form = dict(options.pop("fields")), options.pop("input_format")
    inputs = input_options_for(fields, form, read_options, keeps_tools=tools is None)
    for side in ("files", "expected", "actual"):
        options[side] = tuple(expand_paths(options[side]))
    file = _project_file(options)
    settings = DEFAULT if file is None else settings_from(_own_values(file))
    options["write"] = _file_to_write(options["write"])
    request = _Request(inputs=inputs, tools=tools, settings=settings, config_file=file, **options)
    require_inputs(request.files, request.expected, request.actual)
    advice = _advise(request)
    note_all_unfound(inputs)
    for_people = is_for_people(request.output_format)
    shown = _FEW if request.max_shown is None and for_people else request.max_shown
    with open_output(request.output, request.output_format, request.lang) as output:
        about: dict[str, Any] = {"lang": request.lang, "max_shown": shown}
        write_report("advise", (advice,), output, request.output_format, **about)
    _write_files(advice, request)
    return 0


def _project_file(options: dict[str, Any]) -> Path | None:
    """The settings file of the project, of which is kept what no candidate varies."""
    path, no_config = options.pop("config"), options.pop("no_config")
    if path is not None and no_config:
        raise click.UsageError("--config and --no-config exclude each other.")
    if path is not None:
        return Path(path)
    try:
        return None if no_config else find_config_file(Path.cwd())
    except FileNotFoundError:  # the folder was deleted
        return None


def _own_values(file: Path) -> dict[str, Any]:
    """The settings in a file without the rules that an earlier advice has learned.

    If they were kept, numbers of tasks on which they were learned would be taken for held-out ones.
    """
    from callscore.rewriting.change import CannotRewrite
    from callscore.rewriting.settings_file import read_learned_rules

    values = dict(read_config(file).values)
    try:
        learned = read_learned_rules(file, settings_table(file))
    except CannotRewrite as error:
        problem = "cannot tell which rules callscore advise wrote"
        raise InvalidSettings(f"{file}: {problem}: {error}. Pass --no-config") from error
    for name, patterns in learned.items():
        if patterns:
            rules = values[name].items()
            values[name] = {key: rule for key, rule in rules if key not in patterns}
    return values


def _display(file: Path) -> str:
    """The path of a file, relative to the current folder if it is inside."""
    is_inside = file.is_absolute() and file.is_relative_to(Path.cwd())
    return str(file.relative_to(Path.cwd()) if is_inside else file)


def _file_to_write(write: str | None) -> Path | None:
    """The file into which the settings are written; None if they are not."""
    if write is None:
        return None
    if write == PROJECT_FILE:
        return find_config_file(Path.cwd()) or Path(OWN_FILE)
    if not write.endswith(".toml"):
        problem = f"--write {write}: not a .toml file"
        raise click.UsageError(f"{problem}. Put --write after the files of runs.")
    return Path(write)


def _advise(request: _Request) -> Advice:
    from callscore.advising.advice import advise_on
    from callscore.advising.labelled_runs import LabelledReader

    reader = LabelledReader(
        label=request.label,
        at_least=request.label_at_least,
        option="--label-at-least",
        tools=request.tools,
        skip_bad=request.skip_bad,
    )
    paths = request.files or (*request.expected, *request.actual)
    try:
        with progress(paths, "reading") as on_bytes:
            if request.files:
                reader.read_files(request.files, request.inputs, on_bytes)
            else:
                reader.read_joined(request.expected, request.actual, request.inputs, on_bytes)
        with counting_progress("measuring settings") as on_scored:
            file = None if request.config_file is None else _display(request.config_file)
            return advise_on(reader.found(), request.settings, base_file=file, on_scored=on_scored)
    except UnreadableInput as error:
        add_how_to_skip(error, "use")
        if error.place == "labels":
            error = UnreadableInput(display_paths(paths), error.problem)
        raise error from None


def _unmeasured_rules(file: Path, advice: Advice) -> list[str]:
    """The rules in a file that no measured settings have, as after `--no-config`."""
    written = settings_from(read_config(file).values)
    found = [each[0] for each in written.effects if each not in advice.settings.effects]
    known = {each.pattern for each in advice.settings.arguments}
    return [*found, *[each.pattern for each in written.arguments if each.pattern not in known]]


def _write_files(advice: Advice, request: _Request) -> None:
    if request.write is not None:
        from callscore.rewriting.settings_file import write_settings

        file = _display(request.write)
        write_settings(request.write, settings_table(request.write), advice)
        print_note(say(_WRITTEN, request.lang, file=file))
        others = _unmeasured_rules(request.write, advice)
        if others:
            names = first_names(others, len(others), request.lang)
            print_note(say(_UNMEASURED, request.lang, file=file, names=names))
    if request.proposals is not None:
        from callscore.rewriting.proposals import write_proposals

        files = request.files or request.expected
        count = write_proposals(Path(request.proposals), advice, files)
        about = {
            "file": request.proposals,
            "proposals": count_of(_PROPOSALS, count, request.lang),
        }
        print_note(say(_PROPOSED, request.lang, **about))

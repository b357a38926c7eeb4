"""`callscore.evaluation`: turns a function that asks an agent into an evaluation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from functools import cache, partial
from inspect import Parameter, currentframe, signature
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

from msgspec import structs

from callscore.core.rendering import mention
from callscore.core.settings import ALIASES, DEFAULT, ComparingOptions, Settings, settings_from
from callscore.core.suggestions import did_you_mean
from callscore.errors import CallscoreError, InvalidEvaluation, InvalidSettings
from callscore.evaluations.evaluation import (
    Evaluation,
    Scorer,
    Task,
    fail_under_from,
    named_settings,
    only_from,
    require_signature,
    skip_from,
    tags_from,
    tools_from,
    trials_from,
    variants_from,
)
from callscore.evaluations.fingerprints import code_digest, combined_digest
from callscore.evaluations.locations import Location, evaluation_key, location_of_frame
from callscore.evaluations.scorers import scorers_from

if TYPE_CHECKING:
    from callscore.core.call import Tool
    from callscore.core.case import Case

    Given = Iterable[Case | Mapping[str, Any] | str]
    Cases = Given | str | PathLike[str] | Callable[[], Given | str | PathLike[str]]
    Scorers = str | Scorer | Callable[..., Any] | Iterable[str | Scorer | Callable[..., Any]]
    Judge = str | Callable[[str, Any], Any]


class FileCollector(NamedTuple):
    """The file that is being loaded, and the evaluations it has defined so far."""

    file: Path
    evaluations: list[Evaluation]


current_collector: ContextVar[FileCollector | None] = ContextVar("made_here", default=None)


def evaluation(  # noqa: PLR0913  (one argument per property of an evaluation)
    bare: None = None,
    /,
    *,
    cases: Cases = (),
    tools: Any = None,
    scorers: Scorers = ("accuracy",),
    variants: Mapping[str, Mapping[str, Any]] | None = None,
    tags: str | Iterable[str] = (),
    only: bool = False,
    skip: bool | str = False,
    fail_under: float | Mapping[str, float] | None = None,
    name: str | None = None,
    trials: int = 1,
    preset: str | None = None,
    settings: Settings | None = None,
    judge: Judge | None = None,
    **options: Unpack[ComparingOptions],
) -> Callable[[Task], Evaluation]:
    """Make an evaluation of the function that asks an agent.

    The function is called with a `Case`, and with the keywords of a variant. It may be async. It
    returns the agent's answer in any format that callscore reads. `callscore run` finds evaluations
    in files named `eval_*.py`.

    Args:
        bare: not used: catches a decorator without parentheses.
        cases: the cases: `Case` values, objects as in a case file, or inputs as strings; the path of
            a case file, relative to the folder of this file; or a function that returns these.
        tools: the tools of the agent: functions, definitions in any format, or the path of a file.
            For `models.chat`, pass them either to the chat or here.
        scorers: how the answers are rated: `accuracy` (the F1 of the calls), `precision`,
            `recall`, `exact`, `tool_called`, `parameters_valid`, `tool_selection`,
            `argument_accuracy`, `turn_mean`, `turn_min`, `state`, the name of another tool's metric, or your own functions.
        variants: the keywords that the function is called with, by the name of the variant.
        tags: tags of all cases, to select by.
        only: whether evaluations without `only` are left out.
        skip: whether to skip it; or the reason.
        fail_under: the lowest mean of each scorer: one number, or a number per scorer.
        name: its name; by default that of the function.
        trials: the number of trials per case.
        preset: settings that belong together: `strict`, `flexible` or `outcome`; options override it.
        settings: all settings, instead of a preset and options.
        judge: answers the questions of `expect.judge`: the name of a model, or a function.
        **options: single settings, by their names in `Settings`.

    Raises:
        InvalidEvaluation: an argument is invalid; the message has its location.
    """
    frame = currentframe()
    place = location_of_frame(None if frame is None else frame.f_back)
    del frame  # it would keep the local variables of the caller alive
    try:
        _require_known(bare, options)
        chosen = scorers_from(scorers)
        asked = partial(
            Evaluation,
            cases=_cases(cases),
            tools=_tools(tools, place.folder),
            scorers=chosen,
            variants=variants_from(variants),
            tags=tags_from(tags),
            only=only_from(only),
            skip=skip_from(skip),
            fail_under=fail_under_from(fail_under, chosen),
            **_settings(preset, settings, {**options, **_judge_setting(judge)}),
            trials=trials_from(trials),
        )
    except CallscoreError as error:
        raise InvalidEvaluation(place.text, _with_full_stop(error)) from error

    return lambda task: _build_evaluation(asked, task, name, place)


def _require_known(bare: Any, options: Mapping[str, Any]) -> None:
    """Refuse a decorator without brackets, and keywords that it does not have."""
    if bare is not None:
        raise InvalidSettings(
            "the parentheses are missing. Write @callscore.evaluation(cases=[...])"
        )
    settings = Settings.__struct_fields__
    for name in options:
        if name not in settings and name not in ALIASES:
            parameters = signature(evaluation).parameters.values()
            own = [each.name for each in parameters if each.kind is Parameter.KEYWORD_ONLY]
            hint = did_you_mean(name, own) or did_you_mean(name, settings)
            raise InvalidSettings(f"unknown keyword {mention(name)}{hint}")


def _build_evaluation(
    asked: Callable[..., Evaluation], task: Task, name: str | None, place: Location
) -> Evaluation:
    """The evaluation of a task; the file that is being loaded collects it."""
    collector = current_collector.get()
    # A helper function may define the evaluation: it then belongs to the file being loaded.
    home = collector.file if collector is not None and place.is_within else place.file
    try:
        called = _name(task, name)
        made = _share_tools(
            asked(
                name=called,
                task=task,
                place=place.text,
                folder=place.folder,
                home="" if home is None else str(home),
                key=evaluation_key(home, called),
                source=_source_digest(task, place.file, home),
            )
        )
        require_signature(made.task, made.variants)
    except CallscoreError as error:
        raise InvalidEvaluation(place.text, _with_full_stop(error)) from error
    if collector is not None:
        collector.evaluations.append(made)
    return made


def _source_digest(task: Task, *files: Path | None) -> str:
    """The digest of the task's code; empty for a task that has an identity of its own."""
    if hasattr(task, "identity"):
        return ""
    return combined_digest(code_digest(task), *(code_digest(file) for file in files if file))


def _share_tools(made: Evaluation) -> Evaluation:
    """Copy the tools from a chat to its evaluation, or back, if only one of them has tools."""
    if not hasattr(made.task, "with_overrides"):
        return made
    from callscore.models import Chat

    task = made.task
    if not isinstance(task, Chat) or (task.offer is None) is (made.tools is None):
        return made
    if task.offer is None:  # only definitions: functions are run if they are given to the chat
        return structs.replace(made, task=task.with_overrides(tools=made.tools))
    return structs.replace(made, tools=_tools(list(task.offer.definitions), made.folder))


def _name(task: Task, name: str | None) -> str:
    if isinstance(task, Evaluation):
        raise InvalidSettings(
            f"{task.name} is already an evaluation. Decorate its function only once"
        )
    if not callable(task):
        raise InvalidSettings(
            f"{mention(task)} is not callable. Decorate a function that calls an agent"
        )
    called = getattr(task, "__name__", None) if name is None else name
    if not isinstance(called, str) or not called.strip() or called == "<lambda>":
        what = "this task" if name is None else repr(name)
        raise InvalidSettings(f'{what} has no name for the evaluation. Pass name="..."')
    return called


def _cases(given: Any) -> Any:
    """Check the cases; those of an iterator, which can be read only once, are kept."""
    if isinstance(given, Iterator):
        return cache(partial(list, given))
    if isinstance(given, str | PathLike):
        if not fspath(given).strip():
            raise InvalidSettings("cases: the path of the file is empty")
    elif isinstance(given, Mapping) or not (callable(given) or isinstance(given, Iterable)):
        raise InvalidSettings(f"cases: {mention(given)} is not a list, a path or a function")
    elif isinstance(given, list | tuple) and not given:
        raise InvalidSettings("cases: the list is empty")
    return given


def _tools(given: Any, folder: str) -> Mapping[str, Tool] | None:
    """The tools by name; text that is not JSON is the path of a file."""
    is_path = isinstance(given, str) and not given.lstrip().startswith(("[", "{"))
    return tools_from(Path(given) if is_path else given, folder)


def _judge_setting(given: Any) -> dict[str, Any]:
    if isinstance(given, str):
        from callscore.models import judge

        given = judge(given)
    return {} if given is None else {"judge": given}


def _settings(preset: str | None, settings: Any, options: dict[str, Any]) -> dict[str, Any]:
    """The settings, and the names of those that are given."""
    if settings is None:
        found = settings_from(options, preset=preset) if options or preset else DEFAULT
        return {"settings": found, "own_settings": named_settings(options, preset)}
    if options or preset is not None:
        raise InvalidSettings(
            "'settings' cannot be combined with a preset or single settings. Pass one of them"
        )
    if not isinstance(settings, Settings):
        raise InvalidSettings(f"settings: expected a callscore.Settings, got {mention(settings)}")
    return {"settings": settings, "own_settings": Settings.__struct_fields__}


def _with_full_stop(error: Exception) -> str:
    text = str(error)
    return text if text.endswith((".", "?", "!")) else f"{text}."

"""An evaluation and its questions, and the checks of their options."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from inspect import Parameter, Signature, signature
from os import PathLike
from pathlib import Path
from typing import Any

from msgspec import Struct, structs

from callscore.core.call import Tool
from callscore.core.case import Case
from callscore.core.rendering import mention
from callscore.core.settings import (
    DEFAULT,
    Settings,
    get_preset,
    resolve_aliases,
    settings_from,
)
from callscore.core.suggestions import did_you_mean
from callscore.errors import CallscoreError, InvalidSettings

# Takes a case, and the keywords of a variant; returns the answer in any dialect.
Task = Callable[..., Any]


class Scorer(Struct, frozen=True):
    """A function that gives a number for an answer, and its name in tables."""

    name: str
    function: Callable[..., Any]
    takes: tuple[str, ...]  # the names of its parameters, by which it is given values


class Evaluation(Struct, frozen=True, kw_only=True):
    """An agent, the cases that it is asked, and how its answers are scored.

    Attributes:
        task: asks the agent; async or not.
        cases: a list, the path of a file, or a function that returns them. They are read when they
            are needed.
        tools: the definitions of the tools by name; None if unknown.
        variants: the keywords that the task is given, by the name of the variant.
        tags: words to select by; every case has them, too.
        only: whether evaluations without `only` are left out.
        skip: whether it is left out; or the reason.
        fail_under: the lowest mean that is allowed, by the name of the scorer.
        own_settings: the names of the settings that it sets itself, with those of its preset; the
            settings of the project apply to the others.
        trials: how often each case is asked, unless the command says otherwise.
        place: the file that defines it, with the line if it is known.
        folder: the folder for relative paths.
        home: the absolute path of the file that it belongs to; empty if there is none.
        key: its key in the history, which does not depend on what else is run:
            `evals/eval_a.py::name`.
        source: the digest of the code of its task, which shows whether it was changed.
    """

    name: str
    task: Task
    cases: Any
    tools: Mapping[str, Tool] | None = None
    scorers: tuple[Scorer, ...] = ()
    variants: dict[str, dict[str, Any]] = {}
    tags: tuple[str, ...] = ()
    only: bool = False
    skip: bool | str = False
    fail_under: dict[str, float] = {}
    settings: Settings = DEFAULT
    own_settings: tuple[str, ...] = ()
    trials: int = 1
    place: str = ""
    folder: str = "."
    home: str = ""
    key: str = ""
    source: str = ""

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """Call the task as if it were not decorated."""
        return self.task(*arguments, **keywords)


class Question(Struct, frozen=True, kw_only=True):
    """One trial of a case, under a variant if the evaluation has variants."""

    evaluation: Evaluation
    case: Case  # with an id, and with the calls that are expected
    variant: str | None = None
    trial: int = 1  # counted from 1
    trials: int = 1  # how many there are


def with_settings(
    evaluation: Evaluation, preset: str | None, settings: Mapping[str, Any]
) -> Evaluation:
    """The evaluation with its settings overridden by a preset, and by single settings.

    Raises:
        InvalidSettings: there is no such preset or setting, or one has a value it cannot have.
    """
    own = {
        name: value
        for name, value in structs.asdict(evaluation.settings).items()
        if value != getattr(DEFAULT, name)
    }
    chosen = {} if preset is None else get_preset(preset)
    found = settings_from({**own, **chosen, **settings})
    return structs.replace(evaluation, settings=found)


def with_project_settings(evaluation: Evaluation, project: Mapping[str, Any]) -> Evaluation:
    """The evaluation with the settings of the project where it has none of its own.

    Of `effects` and `arguments`, those of the evaluation come first.
    """
    names = evaluation.own_settings
    if not project or len(names) == len(Settings.__struct_fields__):
        return evaluation
    own = {name: getattr(evaluation.settings, name) for name in names}
    base = settings_from(project)
    for name in ("effects", "arguments"):  # the first that matches decides
        if name in own:
            own[name] = (*own[name], *getattr(base, name))
    return structs.replace(evaluation, settings=settings_from({**project, **own}))


def named_settings(options: Mapping[str, Any], preset: str | None) -> tuple[str, ...]:
    """The names of the settings that a preset and single options set."""
    chosen = {} if preset is None else get_preset(preset)
    return tuple({**chosen, **resolve_aliases(options)})


def repeat_suffixes(names: Collection[str]) -> list[str]:
    """The suffix that makes each name unique: none for the first of a name, then -2, -3, ..."""
    taken = set(names)
    counts: dict[str, int] = defaultdict(int)
    suffixes = []
    for name in names:
        suffix = ""
        counts[name] += 1
        if counts[name] > 1:
            while f"{name}{(suffix := f'-{counts[name]}')}" in taken:
                counts[name] += 1
            taken.add(f"{name}{suffix}")
        suffixes.append(suffix)
    return suffixes


Variants = dict[str, dict[str, Any]]


def tags_from(given: Any) -> tuple[str, ...]:
    """The tags: one text, or several."""
    tags = [given] if isinstance(given, str) else given
    if not isinstance(tags, Iterable) or isinstance(tags, Mapping):
        raise InvalidSettings(f"tags: {mention(given)} is not a list of strings")
    tags = list(tags)
    for tag in tags:
        if not isinstance(tag, str) or not tag.strip():
            raise InvalidSettings(f"tags: {mention(tag)} is not a tag")
    return tuple(dict.fromkeys(tags))


def only_from(given: Any) -> bool:
    """Whether evaluations without `only` are left out."""
    if not isinstance(given, bool):
        raise InvalidSettings(f"only: {mention(given)} is not true or false")
    return given


def skip_from(given: Any) -> bool | str:
    """Whether to leave an evaluation out, or the reason."""
    if not isinstance(given, bool | str):
        raise InvalidSettings(f"skip: {mention(given)} is not true, false or a reason")
    return given


MAX_TRIALS = 10_000  # the questions of a run are planned in memory


def trials_from(given: Any) -> int:
    """How often each case is asked: an integer from 1 on."""
    is_whole = isinstance(given, int | float) and not isinstance(given, bool) and given % 1 == 0
    if not is_whole or given < 1:  # 2.0 is an integer to JSON, and so to the schema of a suite
        raise InvalidSettings(f"trials: {mention(given)} is not an integer ≥ 1")
    if given > MAX_TRIALS:
        raise InvalidSettings(f"trials: {mention(given)} is more than {MAX_TRIALS}")
    return int(given)


def fail_under_from(given: Any, scorers: tuple[Scorer, ...]) -> dict[str, float]:
    """The lowest means that are allowed: one number for all scorers, or numbers by scorer."""
    names = [scorer.name for scorer in scorers]
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        return dict.fromkeys(names, _lowest_mean_from(given))
    for name in given:
        if name not in names:
            hint = did_you_mean(name, names) or f". The scorers are {', '.join(names)}"
            raise InvalidSettings(f"fail_under: unknown scorer {mention(name)}{hint}")
    return {name: _lowest_mean_from(number, f".{name}") for name, number in given.items()}


def tools_from(given: Any, folder: str | Path) -> Mapping[str, Tool] | None:
    """The tools by name; a `PathLike` is a file, relative to the folder."""
    from callscore.engines.tool_definitions import ToolDefinitions

    try:
        return ToolDefinitions(
            Path(folder) / given if isinstance(given, PathLike) else given
        ).of_run
    except CallscoreError as error:
        raise InvalidSettings(f"tools: {error}") from error


def _lowest_mean_from(given: Any, where: str = "") -> float:
    is_number = isinstance(given, int | float) and not isinstance(given, bool)
    if not is_number or not 0 <= given <= 1:
        raise InvalidSettings(f"fail_under{where}: {mention(given)} is not a number from 0 to 1")
    return float(given)


def variants_from(given: Any) -> Variants:
    """The variants: for each name the keywords that the task is given."""
    if given is None:
        return {}
    example = '{"warm": {"temperature": 0.9}}'
    if not isinstance(given, Mapping):
        raise InvalidSettings(f"variants: {mention(given)} is not an object such as {example}")
    for name, keywords in given.items():
        if not isinstance(name, str) or not name.strip():
            raise InvalidSettings(f"variants: {mention(name)} is not a name")
        if not isinstance(keywords, Mapping) or not all(isinstance(key, str) for key in keywords):
            raise InvalidSettings(
                f"variants.{name}: {mention(keywords)} is not an object such as {example}"
            )
    return {name: dict(keywords) for name, keywords in given.items()}


def require_signature(task: Task, variants: Variants) -> None:
    """Check that the task accepts a case and the keywords of its variants."""
    with_overrides = getattr(task, "with_overrides", None)
    if with_overrides is not None:  # a chat checks its keywords itself
        for name, keywords in variants.items():
            try:
                with_overrides(**keywords)
            except InvalidSettings as error:
                raise InvalidSettings(f"variants.{name}: {error}") from error
        return
    try:
        taken = signature(task)
    except (TypeError, ValueError):  # a built-in function without a signature
        return
    try:
        taken.bind("a case")
    except TypeError:
        _require_case(taken)
        if not variants:
            raise InvalidSettings(_missing_arguments_text(taken, "no variant passes it")) from None
    for name, keywords in variants.items():
        _require_keywords(taken, name, keywords)


def _require_case(taken: Signature) -> None:
    kinds = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD, Parameter.VAR_POSITIONAL)
    if not any(parameter.kind in kinds for parameter in taken.parameters.values()):
        raise InvalidSettings(
            "the task has no parameter for the case. The first parameter is the case"
        )


def _require_keywords(taken: Signature, name: str, keywords: dict[str, Any]) -> None:
    try:
        taken.bind("a case", **keywords)
    except TypeError:
        parameters = list(taken.parameters.values())
        known = [each.name for each in parameters[1:] if each.kind is not Parameter.POSITIONAL_ONLY]
        for key in keywords:
            if key not in known:
                hint = did_you_mean(key, known)
                problem = f"variants.{name}: the task has no parameter {mention(key)}{hint}"
                raise InvalidSettings(problem) from None
        raise InvalidSettings(
            _missing_arguments_text(taken, f"variant {mention(name)} does not pass it")
        ) from None


def _missing_arguments_text(taken: Signature, why: str) -> str:
    required = [
        each.name
        for each in list(taken.parameters.values())[1:]
        if each.default is Parameter.empty
        and each.kind not in (Parameter.VAR_KEYWORD, Parameter.VAR_POSITIONAL)
    ]
    return f"the task requires {', '.join(required)} besides the case, and {why}"

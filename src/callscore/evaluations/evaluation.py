"""The values of a run: evaluation, question, answer; and the checks of their options."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from callscore.core.call import Tool
from callscore.core.case import Case
from callscore.core.settings import DEFAULT, Settings
from callscore.core.suggestions import did_you_mean
from callscore.errors import InvalidSettings

if TYPE_CHECKING:
    from inspect import Signature

__all__ = [
    "Evaluation",
    "Question",
    "Scorer",
    "Task",
    "bool_from",
    "require_signature",
    "skip_from",
    "tags_from",
    "thresholds_from",
    "trials_from",
    "variants_from",
]


# The nouns of a run: an evaluation, and a question that it asks.

# Takes a case, and what a variant says as keywords; returns the answer in any dialect.
Task = Callable[..., Any]


class Scorer(Struct, frozen=True):
    """Something that says how good an answer is.

    Attributes:
        name: what it is called in tables.
        function: what gives the number; its parameters say what it is given, by their names.
        takes: these names.
    """

    name: str
    function: Callable[..., Any]
    takes: tuple[str, ...]


class Evaluation(Struct, frozen=True, kw_only=True):
    """An agent, the cases that it is asked, and how its answers are scored.

    Attributes:
        name: its name.
        task: what asks the agent; it may be awaitable or not.
        cases: the cases: a list, the path of a file, or a function that gives them. They are read
            when they are needed.
        tools: the definitions of the tools by name; None if unknown.
        scorers: what the answers are worth.
        variants: ways to run the task: the keywords that it is given, by name.
        tags: words to select by; every case has them, too.
        only: whether evaluations that do not say so are left out.
        skip: whether it is left out; or why it is.
        thresholds: what the mean of a scorer must reach, by the scorer's name.
        settings: what decides the scores.
        trials: how often each case is asked, where the command does not say so.
        place: the file that it stands in, with the line where that is known.
        folder: where paths in it begin.
        home: the file that it belongs to, from the root on; empty if there is none.
        key: by what the history knows it, whatever else is run: `evals/eval_a.py::name`.
        source: the digest of the code of its task, by which a changed one is known.
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
    thresholds: dict[str, float] = {}
    settings: Settings = DEFAULT
    trials: int = 1
    place: str = ""
    folder: str = "."
    home: str = ""
    key: str = ""
    source: str = ""

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """Ask the task as if it had never been decorated."""
        return self.task(*arguments, **keywords)


class Question(Struct, frozen=True, kw_only=True):
    """One case to be asked, once.

    Attributes:
        evaluation: whose case it is.
        case: the case, read: with an id, and with the calls that are expected.
        variant: the variant under which it is asked; None if there is none.
        trial: which repetition it is, from 1.
        trials: how many there are.
    """

    evaluation: Evaluation
    case: Case
    variant: str | None = None
    trial: int = 1
    trials: int = 1


# What people ask of an evaluation beside its cases, checked: in Python and in suites alike.

Variants = dict[str, dict[str, Any]]


def tags_from(given: Any) -> tuple[str, ...]:
    """The tags: one text, or several.

    Raises:
        InvalidSettings: it is neither.
    """
    tags = [given] if isinstance(given, str) else given
    if not isinstance(tags, Iterable) or isinstance(tags, Mapping):
        raise InvalidSettings(f"tags: {given!r} is not a list of texts")
    tags = list(tags)
    for tag in tags:
        if not isinstance(tag, str) or not tag.strip():
            raise InvalidSettings(f"tags: {tag!r} is not a word")
    return tuple(dict.fromkeys(tags))


def bool_from(given: Any, name: str) -> bool:
    """A truth value.

    Raises:
        InvalidSettings: it is none.
    """
    if not isinstance(given, bool):
        raise InvalidSettings(f"{name}: {given!r} is neither true nor false")
    return given


def skip_from(given: Any) -> bool | str:
    """Whether to leave an evaluation out, or why.

    Raises:
        InvalidSettings: it is neither a truth value nor text.
    """
    if not isinstance(given, bool | str):
        raise InvalidSettings(f"skip: {given!r} is neither a truth value nor a reason")
    return given


def trials_from(given: Any) -> int:
    """How often each case is asked.

    Raises:
        InvalidSettings: it is no integer from 1 on.
    """
    is_whole = isinstance(given, int | float) and not isinstance(given, bool) and given % 1 == 0
    if not is_whole or given < 1:  # 2.0 is an integer to JSON, and so to the schema of a suite
        raise InvalidSettings(f"trials: {given!r} is not an integer from 1 on")
    return int(given)


def thresholds_from(given: Any, scorers: tuple[Scorer, ...]) -> dict[str, float]:
    """What the mean of each scorer must reach: one number for all, or numbers by scorer.

    Raises:
        InvalidSettings: it is neither, or there is no such scorer here.
    """
    names = [scorer.name for scorer in scorers]
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        return dict.fromkeys(names, _threshold_from(given))
    for name in given:
        if name not in names:
            hint = did_you_mean(name, names) or f". The scorers are {', '.join(names)}"
            raise InvalidSettings(f"thresholds: there is no scorer {name!r} here{hint}")
    return {name: _threshold_from(number, f".{name}") for name, number in given.items()}


def _threshold_from(given: Any, where: str = "") -> float:
    is_number = isinstance(given, int | float) and not isinstance(given, bool)
    if not is_number or not 0 <= given <= 1:
        raise InvalidSettings(f"thresholds{where}: {given!r} is not a number from 0 to 1")
    return float(given)


def variants_from(given: Any) -> Variants:
    """The variants: for each name what the task is given as keywords.

    Raises:
        InvalidSettings: it is not that.
    """
    if given is None:
        return {}
    example = '{"warm": {"temperature": 0.9}}'
    if not isinstance(given, Mapping):
        raise InvalidSettings(f"variants: {given!r} is not like {example}")
    for name, keywords in given.items():
        if not isinstance(name, str) or not name.strip():
            raise InvalidSettings(f"variants: {name!r} is not a name")
        if not isinstance(keywords, Mapping) or not all(isinstance(key, str) for key in keywords):
            raise InvalidSettings(f"variants.{name}: {keywords!r} is not what {example} has")
    return {name: dict(keywords) for name, keywords in given.items()}


def require_signature(task: Task, variants: Variants) -> None:
    """Check that the task accepts a case and the keywords of its variants.

    Raises:
        InvalidSettings: it does not.
    """
    try_out = getattr(task, "with_overrides", None)
    if try_out is not None:  # what asks a model knows itself what it can be told
        _require_overrides(try_out, variants)
        return
    try:
        taken = signature(task)
    except (TypeError, ValueError):  # something built in, which nobody can ask
        return
    try:
        taken.bind("a case")
    except TypeError:
        _require_case(taken)
        if not variants:
            raise InvalidSettings(_missing_arguments_text(taken, "no variant gives it")) from None
    for name, keywords in variants.items():
        _require_keywords(taken, name, keywords)


def _require_overrides(try_out: Callable[..., Any], variants: Variants) -> None:
    for name, keywords in variants.items():
        try:
            try_out(**keywords)
        except InvalidSettings as error:
            raise InvalidSettings(f"variants.{name}: {error}") from error


def _require_case(taken: Signature) -> None:
    kinds = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD, Parameter.VAR_POSITIONAL)
    if not any(parameter.kind in kinds for parameter in taken.parameters.values()):
        raise InvalidSettings("the task takes no case. Its first parameter is the case")


def _require_keywords(taken: Signature, name: str, keywords: dict[str, Any]) -> None:
    try:
        taken.bind("a case", **keywords)
    except TypeError:
        parameters = list(taken.parameters.values())
        known = [each.name for each in parameters[1:] if each.kind is not Parameter.POSITIONAL_ONLY]
        for key in keywords:
            if key not in known:
                hint = did_you_mean(key, known)
                problem = f"variants.{name}: the task does not take {key!r}{hint}"
                raise InvalidSettings(problem) from None
        raise InvalidSettings(
            _missing_arguments_text(taken, f"the variant {name!r} does not give it")
        ) from None


def _missing_arguments_text(taken: Signature, why: str) -> str:
    """What a task wants beside a case, and does not get."""
    wanted = [
        each.name
        for each in list(taken.parameters.values())[1:]
        if each.default is Parameter.empty
        and each.kind not in (Parameter.VAR_KEYWORD, Parameter.VAR_POSITIONAL)
    ]
    return f"the task wants {', '.join(wanted)} beside the case, and {why}"

"""What people ask of an evaluation beside its cases, checked: in Python and in suites alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any

from callscore.core.nearest import meant_by
from callscore.errors import InvalidSettings

if TYPE_CHECKING:
    from collections.abc import Callable
    from inspect import Signature

    from callscore.evaluations.evaluation import Scorer, Task

__all__ = [
    "require_fit",
    "skip_from",
    "tags_from",
    "thresholds_from",
    "trials_from",
    "truth_from",
    "variants_from",
]

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


def truth_from(given: Any, name: str) -> bool:
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
        return dict.fromkeys(names, _threshold(given))
    for name in given:
        if name not in names:
            hint = meant_by(name, names) or f". The scorers are {', '.join(names)}"
            raise InvalidSettings(f"thresholds: there is no scorer {name!r} here{hint}")
    return {name: _threshold(number, f".{name}") for name, number in given.items()}


def _threshold(given: Any, where: str = "") -> float:
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


def require_fit(task: Task, variants: Variants) -> None:
    """Refuse a task that does not take a case, and what its variants say.

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
            raise InvalidSettings(_wanting(taken, "no variant gives it")) from None
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
                hint = meant_by(key, known)
                problem = f"variants.{name}: the task does not take {key!r}{hint}"
                raise InvalidSettings(problem) from None
        raise InvalidSettings(_wanting(taken, f"the variant {name!r} does not give it")) from None


def _wanting(taken: Signature, why: str) -> str:
    """What a task wants beside a case, and does not get."""
    wanted = [
        each.name
        for each in list(taken.parameters.values())[1:]
        if each.default is Parameter.empty
        and each.kind not in (Parameter.VAR_KEYWORD, Parameter.VAR_POSITIONAL)
    ]
    return f"the task wants {', '.join(wanted)} beside the case, and {why}"

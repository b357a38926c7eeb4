"""What a suite asks: a model, or answers that were recorded; and its variants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.errors import InvalidSettings, UnreadableInput
from callscore.evaluations.wishes import variants_from

if TYPE_CHECKING:
    from collections.abc import Mapping

    from callscore.core.tool import Tool
    from callscore.evaluations.evaluation import Task
    from callscore.evaluations.suite_document import SuiteDocument

__all__ = ["MODEL_KEYS", "NO_PARAMETERS", "VARIANT_KEYS", "task_of", "variants_of"]

MODEL_KEYS = ("name", "base_url", "key_variable", "parameters")
VARIANT_KEYS = ("model", "system", "prompt", "parameters", "answers")
_TEXTS = ("system", "prompt", "answers")
_OF_MODEL = ("model", "system", "prompt", "parameters")
# What stands beside the parameters of a model, and not among them.
NO_PARAMETERS = ("model", "system", "prompt", "tools", "base_url", "key_variable", "messages")


def task_of(suite: SuiteDocument, tools: Mapping[str, Tool] | None) -> Task:
    """What asks, or answers in its place.

    Raises:
        InvalidEvaluation: the suite does not say whom to ask, or says two things.
    """
    if _is_recorded(suite):
        return _recorded(suite)
    if "model" not in suite.value:
        raise suite.wrong("a suite needs a `model` to ask, or recorded `answers`")
    model = _model(suite, suite.value["model"], "model")
    prompts = {key: _prompt(suite, key) for key in ("system", "prompt") if key in suite.value}

    def check(_: Any) -> Task:
        from callscore.models import chat

        return chat(tools=tools, **model, **prompts)

    task: Task = suite.checked(check, None, "model")
    return task


def _prompt(suite: SuiteDocument, key: str) -> Any:
    def check(given: Any) -> Any:
        from callscore.models.templates import require_template

        if not isinstance(given, str):
            raise InvalidSettings(f"{key}: {given!r} is not a text")
        if key == "prompt":
            require_template(given)
        return given

    return suite.checked(check, None, key)


def _is_recorded(suite: SuiteDocument) -> bool:
    variants = suite.value.get("variants")
    in_variants = isinstance(variants, dict) and any(
        isinstance(each, dict) and "answers" in each for each in variants.values()
    )
    if not in_variants and "answers" not in suite.value:
        return False
    for key in ("model", "system", "prompt"):
        if key in suite.value:
            problem = f"{key}: the answers are recorded, and nobody is asked. Keep one of the two"
            raise suite.wrong(problem, key)
    return True


def _recorded(suite: SuiteDocument) -> Task:
    """The files of recorded answers: of each variant, or of the suite."""
    from callscore.evaluations.recorded import Recorded

    folder = suite.path.resolve().parent
    files = [said["answers"] for said in variants_of(suite).values()]
    if files and "answers" in suite.value:
        raise suite.wrong("answers: the variants have theirs. Keep those", "answers")

    def check(given: Any) -> Task:
        if not files and not isinstance(given, str):
            raise InvalidSettings(f"answers: {given!r} is not the path of a file")
        try:
            return Recorded(files or [given], folder)
        except UnreadableInput as error:
            raise InvalidSettings(f"answers: {error}") from error

    task: Task = suite.checked(check, None, "variants" if files else "answers")
    return task


def _model(suite: SuiteDocument, given: Any, *keys: str) -> dict[str, Any]:
    """What is said of a model, as `models.chat` takes it."""
    said = {"name": given} if isinstance(given, str) else suite.require_keys(MODEL_KEYS, *keys)
    name = said.get("name")
    if not isinstance(name, str) or not name.strip():
        where = ".".join(keys)
        raise suite.wrong(f"{where}: the `name` of the model is missing", *keys, "name")
    server = {key: said[key] for key in ("base_url", "key_variable") if key in said}
    parameters = _parameters(suite, said.get("parameters", {}), *keys)
    return {"model": name, **server, **parameters}


def _parameters(suite: SuiteDocument, given: Any, *keys: str) -> dict[str, Any]:
    """What a model is told beside the question: `temperature` and the like."""
    where = ".".join((*keys, "parameters"))
    if not isinstance(given, dict):
        problem = f"{where}: {given!r} is not like {{temperature: 0}}"
        raise suite.wrong(problem, *keys, "parameters")
    for name in given:
        if name in NO_PARAMETERS:
            problem = f"{where}: {name!r} is none, and has a place of its own"
            raise suite.wrong(problem, *keys, "parameters", name)
    return given


def variants_of(suite: SuiteDocument) -> dict[str, dict[str, Any]]:
    """The variants of a suite, as keywords of its task.

    Raises:
        InvalidEvaluation: one of them says what no variant can.
    """
    given: dict[str, dict[str, Any]] = suite.checked(variants_from, None, "variants")
    is_recorded = _is_recorded(suite)
    return {name: _variant(suite, name, is_recorded=is_recorded) for name in given}


def _variant(suite: SuiteDocument, name: str, *, is_recorded: bool) -> dict[str, Any]:
    keys = ("variants", name)
    said = suite.require_keys(VARIANT_KEYS, *keys)
    for key, value in said.items():
        if (key in _OF_MODEL) is is_recorded:
            problem = f"variants.{name}.{key}: either all variants have `answers`, or none has"
            raise suite.wrong(problem, *keys, key)
        if key in _TEXTS and (not isinstance(value, str) or not value):
            raise suite.wrong(f"variants.{name}.{key}: {value!r} is not a text", *keys, key)
    if is_recorded and "answers" not in said:
        raise suite.wrong(f"variants.{name}: its `answers` are missing", *keys)
    texts = {key: value for key, value in said.items() if key in _TEXTS}
    model = _model(suite, said["model"], *keys, "model") if "model" in said else {}
    return {**texts, **model, **_parameters(suite, said.get("parameters", {}), *keys)}

"""Suites: evaluations without code, in a YAML or a TOML file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.core.run import Unloaded
from callscore.core.settings import Settings, settings_from
from callscore.errors import CallscoreError, InvalidEvaluation, InvalidSettings, UnreadableInput
from callscore.evaluations.evaluation import Evaluation
from callscore.evaluations.places import PREFIX, key_of, shown
from callscore.evaluations.scorers import scorers_from
from callscore.evaluations.secrets import named_secret_in, secret_in
from callscore.evaluations.suite_document import SuiteDocument, read_suite
from callscore.evaluations.suite_task import MODEL_KEYS, task_of, variants_of
from callscore.evaluations.wishes import (
    require_fit,
    skip_from,
    tags_from,
    thresholds_from,
    trials_from,
    truth_from,
)
from callscore.formats.cases import read_case
from callscore.formats.describing import describe

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.core.model import Case
    from callscore.core.tool import Tool

__all__ = ["JUDGE_KEYS", "KEYS", "load_suite"]

KEYS = (
    *("name", "model", "system", "prompt", "answers", "tools", "cases", "scorers", "thresholds"),
    *("settings", "variants", "tags", "trials", "judge", "only", "skip", "$schema"),
)
JUDGE_KEYS = tuple(key for key in MODEL_KEYS if key != "parameters")
# Where somebody may write down a key under its name; elsewhere names are people's own.
_OF_SERVERS = ("model", "judge", "variants")
_PYTHON_ONLY = ("similarity", "judge")
_SETTINGS = ("preset", *(name for name in Settings.__struct_fields__ if name not in _PYTHON_ONLY))


def load_suite(path: Path) -> list[Evaluation] | Unloaded:
    """The evaluation in a suite, or why there is none.

    Args:
        path: a file that ends in `.yaml`, `.yml` or `.toml`.
    """
    try:
        return [_evaluation(read_suite(path))]
    except (InvalidEvaluation, UnreadableInput) as error:
        return Unloaded(error.place, error.problem)
    except CallscoreError as error:
        return Unloaded(shown(path), str(error))


def _evaluation(suite: SuiteDocument) -> Evaluation:
    _refuse_settings(suite)
    suite.require_keys(KEYS)
    _refuse_secrets(suite)
    scorers = suite.checked(scorers_from, ("accuracy",), "scorers")
    tools = suite.checked(lambda given: _tools(given, suite.path.parent), None, "tools")
    task, variants = task_of(suite, tools), variants_of(suite)
    suite.checked(lambda _: require_fit(task, variants), None, "variants")
    name = suite.checked(_name, suite.path.stem.removeprefix(PREFIX), "name")
    home = suite.path.resolve()
    return Evaluation(
        name=name,
        task=task,
        cases=_cases(suite),
        tools=tools,
        scorers=scorers,
        variants=variants,
        tags=suite.checked(tags_from, (), "tags"),
        only=suite.checked(lambda given: truth_from(given, "only"), False, "only"),  # noqa: FBT003  (what is wrapped is a value)
        skip=suite.checked(skip_from, False, "skip"),  # noqa: FBT003  (likewise)
        thresholds=suite.checked(lambda given: thresholds_from(given, scorers), None, "thresholds"),
        settings=_settings(suite),
        trials=suite.checked(trials_from, 1, "trials"),
        place=shown(suite.path),
        folder=str(home.parent),
        home=str(home),
        key=key_of(home, name),
    )


def _refuse_settings(suite: SuiteDocument) -> None:
    for key in suite.value:
        if key in _SETTINGS and key not in KEYS:
            raise suite.wrong(f"{key}: it belongs into `settings`", key)


def _refuse_secrets(suite: SuiteDocument) -> None:
    for key, value in suite.value.items():
        found = None if key == "cases" else secret_in(value)  # what people ask is their own
        if found is None and key in _OF_SERVERS:
            found = named_secret_in(value)
        if found is not None:
            where = ".".join(map(str, (key, *found)))
            raise suite.wrong(
                f"{where}: this looks like a key, and keys are read from the environment alone."
                " Name the variable that holds it in model.key_variable, and make a new key: this"
                " one was written down",
                key,
                *found,
            )


def _name(given: Any) -> str:
    if not isinstance(given, str) or not given.strip():
        raise InvalidSettings(f"name: {given!r} is not a name")
    return given


def _tools(given: Any, folder: Path) -> dict[str, Tool] | None:
    from callscore.engines.definitions import Definitions

    if given is not None and not isinstance(given, str | list | dict):
        raise InvalidSettings(f"tools: the path of a file, or a list; got {describe(given)}")
    try:
        found = Definitions(folder / given if isinstance(given, str) else given).of_run
    except CallscoreError as error:
        raise InvalidSettings(f"tools: {error}") from error
    return None if found is None else dict(found)


def _settings(suite: SuiteDocument) -> Settings:
    judge = _judge(suite)
    if "settings" not in suite.value:
        return settings_from(judge)
    given = dict(suite.require_keys(_SETTINGS, "settings"))
    preset = given.pop("preset", None)

    def check(_: Any) -> Settings:
        try:
            return settings_from({**given, **judge}, preset=preset)
        except InvalidSettings as error:
            raise InvalidSettings(f"settings: {error}") from error

    settings: Settings = suite.checked(check, None, "settings")
    return settings


def _judge(suite: SuiteDocument) -> dict[str, Any]:
    """The setting for who judges, where the suite says so."""
    given = suite.value.get("judge")
    if given is None:
        return {}
    options = (
        {"name": given} if isinstance(given, str) else dict(suite.require_keys(JUDGE_KEYS, "judge"))
    )
    if "name" not in options:
        raise suite.wrong("judge: the `name` of the model is missing", "judge")

    def check(_: Any) -> Any:
        from callscore.models import judge

        return judge(options.pop("name"), **options)

    return {"judge": suite.checked(check, None, "judge")}


def _cases(suite: SuiteDocument) -> list[Case | Path]:
    given = suite.value.get("cases")
    if isinstance(given, str):
        return [_file(suite, given, "cases")]
    if not isinstance(given, list) or not given:
        got = "there are none" if given is None or given == [] else f"got {describe(given)}"
        raise suite.wrong(f"cases: a list of cases, or the path of a file of them; {got}", "cases")
    return [_case(suite, item, position) for position, item in enumerate(given)]


def _case(suite: SuiteDocument, item: Any, position: int) -> Case | Path:
    if isinstance(item, str):
        return _file(suite, item, "cases", position)
    place = suite.place("cases", position)
    try:
        return read_case(item, place=place)
    except UnreadableInput as error:
        raise InvalidEvaluation(place, f"cases[{position}]: {error.problem}") from error


def _file(suite: SuiteDocument, name: str, *keys: str | int) -> Path:
    path = suite.path.resolve().parent / name
    if not path.is_file():
        problem = f"cases: there is no file {name!r} beside the suite"
        hint = "" if len(keys) == 1 else f". A question is an object: `input: {name}`"
        raise suite.wrong(f"{problem}{hint}", *keys)
    return path

"""The real BFCL, as far as it checks calls: bfcl-eval, installed without its dependencies."""

from __future__ import annotations

import sys
from collections import defaultdict
from functools import cache
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

from tests.parity.bfcl_tasks import task_for

if TYPE_CHECKING:
    from tests.parity.configuration import Calls, Measure

__all__ = ["PACKAGE", "measures"]

PACKAGE = "bfcl-eval"

_PLAIN = {
    "parallel(no order)": "parallel",
    "multiple(first call only)": "multiple",
    "simple(one call)": "simple",
}
_WORDS = {
    bool: "boolean",
    int: "integer",
    float: "float",
    str: "string",
    list: "array",
    dict: "dict",
    type(None): "any",
}


@cache
def measures() -> dict[str, Measure]:
    """What the package says, by configuration."""
    found = {name: _plain(category) for name, category in _PLAIN.items()}
    for category in ("simple", "multiple", "parallel"):
        found[f"{category}, all params optional"] = _plain(category, left_out=("",))
        found[f"possible answers, {category}"] = _with_answers(category)
    return found


@cache
def _checker() -> Any:
    """The package's checker, without the table of models, which imports every provider's SDK."""
    models = ModuleType("bfcl_eval.constants.model_config")
    unchanged = SimpleNamespace(underscore_to_dot=False)
    models.MODEL_CONFIG_MAPPING = defaultdict(lambda: unchanged)  # type: ignore[attr-defined]  # as there
    sys.modules[models.__name__] = models
    from bfcl_eval.constants.enums import Language
    from bfcl_eval.eval_checker.ast_eval.ast_checker import ast_checker

    def check(functions: Any, calls: Calls, answers: Any, category: str) -> dict[str, Any]:
        outputs = [{call["name"]: call["arguments"]} for call in calls]
        result = ast_checker(functions, outputs, answers, Language.PYTHON, category, "a model")
        is_valid = result["valid"]
        return {"valid": is_valid, "error_type": None if is_valid else result["error_type"]}

    return check


def _with_answers(category: str) -> Measure:
    check = _checker()

    def measure(expected: Calls, actual: Calls) -> Any:
        functions, answers = task_for(expected, actual)
        return check(functions, actual, answers, category)

    return measure


def _plain(category: str, left_out: tuple[str, ...] = ()) -> Measure:
    check = _checker()

    def measure(expected: Calls, actual: Calls) -> Any:
        documents: dict[str, dict[str, Any]] = {}
        answers = []
        for call in expected:
            properties = documents.setdefault(call["name"], {})
            accepted = {}
            for key, value in call["arguments"].items():
                properties.setdefault(key, _description(value))
                accepted[key] = [_answer(value), *left_out]
            answers.append({call["name"]: accepted})
        functions = [
            {
                "name": name,
                "parameters": {
                    "properties": own,
                    "required": [] if left_out else _always_given(name, own, expected),
                },
            }
            for name, own in documents.items()
        ]
        return check(functions, actual, answers, category)

    return measure


def _always_given(name: str, keys: dict[str, Any], expected: Calls) -> list[str]:
    """The arguments that every expected call of a tool has."""
    calls = [call for call in expected if call["name"] == name]
    return [key for key in keys if all(key in call["arguments"] for call in calls)]


def _description(value: Any) -> dict[str, Any]:
    if isinstance(value, list):
        return {"type": "array", "items": {"type": _WORDS[type(value[0])] if value else "any"}}
    return {"type": _WORDS[type(value)]}


def _answer(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: [member] for key, member in value.items()}
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return [_answer(item) if isinstance(item, dict) else item for item in value]
    return value

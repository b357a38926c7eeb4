"""Whether BFCL accepts one argument: its type first, then its value among the possible answers.

The possible answers of an argument are a list. `""` in it says that the argument may be left out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["TYPES", "WITH_ITEMS", "argument_problem"]

# BFCL's words for types, and the types of Python that they stand for.
TYPES: dict[str, type] = {
    "string": str,
    "integer": int,
    "float": float,
    "boolean": bool,
    "array": list,
    "tuple": list,
    "dict": dict,
    "any": str,
}
WITH_ITEMS = ("array", "tuple")  # those whose items have a type, too

_IGNORED = re.compile(r"[ ,./\-_*^]")

_WRONG_TYPE = "type_error:simple"
_WRONG_ITEM_TYPE = "type_error:nested"
_WRONG_VALUE = "value_error:others"
_WRONG_STRING = "value_error:string"
_WRONG_LIST = "value_error:list/tuple"
_WRONG_KEY = "value_error:dict_key"
_WRONG_MEMBER = "value_error:dict_value"
_WRONG_COUNT = "value_error:list_dict_count"
_NO_OBJECT = "dict_checker:unclear"
_NO_OBJECTS = "list_dict_checker:unclear"


def argument_problem(value: Any, answers: Any, description: Mapping[str, Any]) -> str | None:
    """The type of error that BFCL finds in an argument; None where it accepts it.

    Args:
        value: what was passed.
        answers: what may be passed.
        description: the argument's own part of the function's document.
    """
    word = description["type"]
    kind, items = TYPES[word], None
    if word in WITH_ITEMS:
        items = TYPES[description["items"]["type"]]
    if word == "tuple" and type(value) is tuple:
        value = list(value)
    elif word == "float" and type(value) is int:
        value = float(value)
    return _typed_problem(value, answers, kind, items)


def _typed_problem(value: Any, answers: Any, kind: type, items: type | None) -> str | None:
    answered = _answered_type(answers)
    if type(value) is kind:
        if items is not None and not _has_items(value, answers, items):
            # What the answers say of the type counts once more, and only then is it a matter of
            # the items.
            return _WRONG_ITEM_TYPE if answered is kind else _WRONG_TYPE
        if answered is None or answered is kind:
            return (_objects_problem if items is dict else _CHECKS[kind])(value, answers)
    elif answered is None or type(value) is not answered:
        return _WRONG_TYPE
    # The answers have a type of their own, as they do where a variable is meant: no rules then.
    return _plain_problem(value, answers)


def _answered_type(answers: Any) -> type | None:
    """The type of the first possible answer that is one; None where there is none."""
    for answer in answers:
        if answer != "":
            return type(answer)
    return None


def _has_items(value: Any, answers: Any, items: type) -> bool:
    """Whether the items fit one of the answers by type; anything fits an answer that is no list."""
    for answer in answers:
        if type(answer) is not list:
            return True
        answered = _answered_type(answer)
        if all(type(item) is items or type(item) is answered for item in value):
            return True
    return False


def _plain_problem(value: Any, answers: Any) -> str | None:
    return None if value in answers else _WRONG_VALUE


def _string_problem(value: Any, answers: Any) -> str | None:
    for answer in answers:
        if answer == value:  # as nearly all are; the rules of spelling cost more
            return None
    standard = _standard(value)
    is_found = any(type(answer) is str and _standard(answer) == standard for answer in answers)
    return None if is_found else _WRONG_STRING


def _standard(text: str) -> str:
    return _IGNORED.sub("", text).lower().replace("'", '"')


def _standard_items(items: Sequence[Any]) -> list[Any]:
    """The items of an array; by position, which an object does not have."""
    places = range(len(items))
    return [_standard(items[at]) if type(items[at]) is str else items[at] for at in places]


def _list_problem(value: Any, answers: Any) -> str | None:
    standard = [_standard_items(answer) for answer in answers]
    return None if _standard_items(value) in standard else _WRONG_LIST


def _object_problem(value: Any, answers: Any) -> str | None:
    """What is wrong with an object by the last answer that it does not agree with."""
    problem: str | None = _NO_OBJECT
    for answer in answers:
        if answer == "":
            continue
        problem = _member_problem(value, answer)
        # Asked even where a member is wrong already, and more important than that.
        if any(key not in value and "" not in values for key, values in answer.items()):
            problem = _WRONG_KEY
        if problem is None:
            return None
    return problem


def _member_problem(value: Any, answer: Any) -> str | None:
    for key, member in value.items():
        if key not in answer:
            return _WRONG_KEY
        standard = _standard(member) if type(member) is str else member
        if standard not in _standard_items(answer[key]):
            return _WRONG_MEMBER
    return None


def _objects_problem(value: Any, answers: Any) -> str | None:
    """What is wrong with an array of objects by the last answer; they have to come in order."""
    problem: str | None = _NO_OBJECTS
    for answer in answers:
        if len(value) != len(answer):
            problem = _WRONG_COUNT
            continue
        problems = (_object_problem(item, [answer[at]]) for at, item in enumerate(value))
        problem = next((found for found in problems if found is not None), None)
        if problem is None:
            return None
    return problem


_CHECKS: dict[type, Callable[[Any, Any], str | None]] = {
    str: _string_problem,
    int: _plain_problem,
    float: _plain_problem,
    bool: _plain_problem,
    list: _list_problem,
    dict: _object_problem,
}

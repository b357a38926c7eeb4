"""Berkeley Function Calling Leaderboard (results, ground truth, test entries)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from callscore.core.call import Tool, ToolCall
from callscore.core.rendering import mention
from callscore.core.rules import Matcher
from callscore.errors import InvalidCall
from callscore.formats.definitions import read_definitions, with_json_types
from callscore.formats.families.answer_text import is_call_object, take_answer
from callscore.formats.families.model_text import take_values
from callscore.formats.families.python_calls import is_python_call_list, parse_calls, take_python
from callscore.formats.shape import as_list, describe, dicts, json_of, list_of, name_of
from callscore.formats.signs import Signs
from callscore.formats.trace import ReadOptions, Trace
from callscore.formats.transcript import Transcript

ORDER = 420
EXAMPLE = {"id": "simple_python_0", "result": [{"get_weather": '{"city": "Paris"}'}]}
_ID = re.compile(
    "(?:live_|multi_turn_|exec_|executable_)?(?:simple|multiple|parallel|irrelevance|relevance|java"
    "|rest|sql|chatable|base|miss_func|miss_param|long_context|composite|memory|web_search"
    "|format_sensitivity)"
)
_COUNTS = ("input_token_count", "output_token_count", "latency")
_SHORT_RESULT = {"id", "result"}  # of the first version, with a number for an id
# A call in a text that is not nothing but calls, or with its arguments beside its name.
_CALL_IN_TEXT = re.compile(
    r"""(?<!def )(?<![\w.\\])[A-Za-z_][\w.\\]*\(\s*(?:[A-Za-z_][\w\\]*\s*=(?!=)|\{|\*\*)"""
    r"""|["'](?:name|function|tool)["']\s*:\s*["'][\w.]+["']""",
)
# A call in code that is not all of an answer, except of what Python has.
_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_CALL_IN_CODE = re.compile(
    r"(?<!def )(?<!class )(?<![\w.])(?!(?:print|range|len|str|int|float|list|dict|set|tuple|sum|min|max|abs"
    r"|round|open|input|type|sorted|enumerate|zip|map|if|for|while|return|and|or|not|in)\b)"
    r"[A-Za-z_][\w.]*\((?!\))"
)
_FAILED = "Error during inference"
_LEFT_OUT = ""  # among the possible values of an argument: it is optional
_MAX_DEPTH = 3  # turns, their steps, and the calls of a step
_FUNCTION = re.compile(r"[A-Za-z_][\w.]*(?: [1-9]\d?)?")
# Names of parts of other documents.
_NO_FUNCTIONS = frozenset(
    (
        *("config", "data", "events", "headers", "messages", "metadata", "options", "output"),
        *("properties", "results", "settings", "spans", "state", "tools", "values"),
    )
)
_NUMBERED = re.compile(r"(?P<name>.+)(?P<mark>[_ ])(?P<number>[1-9]\d?)")
SIGNS = Signs(keys=("result", "ground_truth", "question"), value_types=(dict,), item_keys=())


def recognizes(document: Any) -> bool:
    """Whether it has an id, and a result, a ground truth, or a question with functions.

    In the first version, files of questions and of possible answers have no ids: such an answer is
    known by its form alone.
    """
    if isinstance(document, list):
        return any(map(joins_lines, document)) and all(
            _is_old_line(line) or (isinstance(line, dict) and recognizes(line)) for line in document
        )
    if not isinstance(document, dict):
        return False
    if _id(document) is None:
        return joins_lines(document) or _is_question(document)
    return _is_result(document) or _is_truth(document) or _is_question(document)


def joins_lines(line: Any) -> bool:
    """Whether a line is a possible answer without an id: its place in the file is its id."""
    return _is_old_line(line) and any(line.values())


def _is_old_line(line: Any) -> bool:
    return (
        isinstance(line, dict)
        and bool(line)
        and all(
            isinstance(name, str)
            and _FUNCTION.fullmatch(name)
            and name not in _NO_FUNCTIONS
            and _is_old_answer(arguments)
            for name, arguments in line.items()
        )
    )


def _is_old_answer(arguments: Any) -> bool:
    """Whether every argument has a list of possible values, none of which can be a record."""
    if not isinstance(arguments, dict):
        return False
    lists = list(arguments.values())
    if not all(isinstance(values, list) and values for values in lists):
        return False
    members = [item for values in lists for item in dicts(values)]
    return all(isinstance(value, list) for item in members for value in item.values())


def _id(document: dict[str, Any]) -> str | None:
    """The id, which was a number under another name in the first version."""
    given = document.get("id")
    if isinstance(given, str):
        return given
    number = document.get("idx", given)
    is_known = any(key in document for key in _COUNTS) or document.keys() == _SHORT_RESULT
    return name_of(number) if is_known and type(number) is int else None


def _is_question(document: dict[str, Any]) -> bool:
    functions = document.get("function")
    if not functions or not isinstance(document.get("question"), list | str):
        # A task without functions is one of a file in which others have some.
        is_known = functions == [] and _ID.match(_id(document) or "") is not None
        return isinstance(document.get("question"), list) and (
            is_known or isinstance(document.get("involved_classes"), list)
        )
    if isinstance(document.get("id"), str) and isinstance(document["question"], list):
        return True
    listed = as_list(json_of(functions))
    return all(
        isinstance(item, dict) and "name" in item and "parameters" in item for item in listed
    )


def _is_result(document: dict[str, Any]) -> bool:
    result = document.get("result", False)
    has_counts = any(key in document for key in _COUNTS)
    if result is not None and not isinstance(result, list | str):
        return has_counts and isinstance(result, dict)  # why the server did not answer
    if has_counts or _ID.match(_id(document) or ""):
        return True
    if isinstance(result, str):
        return type(document.get("id")) is int or is_python_call_list(result)
    return _has_call(result, _MAX_DEPTH)


def _has_call(items: list[Any] | None, depth: int) -> bool:
    """Whether the first item in a list of results is a call."""
    item = items[0] if items else None
    if isinstance(item, list):
        return depth > 1 and _has_call(item, depth - 1)
    return (
        isinstance(item, dict)
        and len(item) == 1
        and all(isinstance(arguments, str) for arguments in item.values())
    )


def _is_truth(document: dict[str, Any]) -> bool:
    truth = document.get("ground_truth")
    is_known = _ID.match(_id(document) or "") is not None
    if isinstance(truth, dict):
        return is_known and bool(truth)
    return (isinstance(truth, list) and bool(truth)) and (
        is_known or all(isinstance(turn, list) for turn in truth)
    )


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One task: the calls of the model, or the expected ones; other ground truth is an error."""
    if isinstance(document, list):
        return [
            trace
            for place, line in enumerate(document)
            for trace in _read_line(line, str(place), options)
        ]
    if not isinstance(document, dict):
        return []
    if _id(document) is None and joins_lines(document):
        return [Trace(expected=_answers(_listed(document)))]
    result = document.get("result")
    has_failed = isinstance(result, str) and result.startswith(_FAILED)
    transcript = Transcript(options)
    _take_turns(result, transcript, options)
    if not len(transcript) and not has_failed and options.is_searched:
        _note_text(result, options)
    return [
        Trace(
            calls=transcript.calls() if "result" in document and not has_failed else None,
            expected=_read_truth(document, options),
            id=_id(document),
            input=document.get("question"),
        )
    ]


def _read_line(line: Any, place: str, options: ReadOptions) -> list[Trace]:
    """The task of a line in a file of answers that have no ids, or not all of them."""
    if _is_old_line(line):
        return [Trace(expected=_answers(_listed(line)), id=place)]
    return read(line, options) if isinstance(line, dict) else []


def _take_turns(result: Any, transcript: Transcript, options: ReadOptions) -> None:
    """Add a result: of a task with several turns, it is a list of the steps of each."""
    if not _are_turns(result):
        _take(result, transcript, options)
        return
    for number, steps in enumerate(result):
        transcript.begin_turn(number)
        _take(steps, transcript, options, _MAX_DEPTH - 1)


def _are_turns(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(turn, list) for turn in value)


def _take(
    result: Any, transcript: Transcript, options: ReadOptions, depth: int = _MAX_DEPTH
) -> None:
    if isinstance(result, str):
        take_answer(result, transcript, options)
        return
    items = list_of(result)
    if dicts(items):
        transcript.step()
    for item in items:
        if isinstance(item, dict):
            _take_object(item, transcript)
        elif depth > 0:
            _take(item, transcript, options, depth - 1)


def _note_text(result: Any, options: ReadOptions) -> None:
    """Note what looks like a call in an answer from which none was read."""
    if isinstance(result, dict) and any(isinstance(item, dict) for item in result.values()):
        options.note_unread("'result' is an object with others in it.")
    for text in as_list(result):
        if not isinstance(text, str):
            continue
        code = "\n".join(_FENCE.findall(text))
        found = _CALL_IN_TEXT.search(text) or _CALL_IN_CODE.search(code)
        if found is not None:
            options.note_unread(f"{mention(found[0])} at $.result looks like a call.")
            return


def _take_object(item: dict[str, Any], transcript: Transcript) -> None:
    """Add a call that is the arguments by its name, or both by their usual keys."""
    if is_call_object(item):
        take_values([item], transcript)
        return
    for name, arguments in item.items():
        transcript.call(name, arguments)


def _read_truth(document: dict[str, Any], options: ReadOptions) -> Any:
    truth = document.get("ground_truth")
    if truth is None:
        return None
    items = _listed(truth) if isinstance(truth, dict) else list_of(truth)
    if items and all(map(_is_possible_answer, items)):
        return _answers(items)
    is_turns = _are_turns(truth)
    calls = [item for item in items if isinstance(item, str) and parse_calls(item)]
    if not is_turns and (not items or len(calls) < len(items)):
        problem = "is an answer in words, not calls"
        if dicts(items):
            problem = "has an argument, or a function, without a list of possible values"
        raise InvalidCall(f"the ground truth of {describe(document.get('id'))} {problem}.")
    transcript = Transcript(options)
    for number, turn in enumerate(items if is_turns else [calls]):
        transcript.begin_turn(number)
        transcript.step()
        for text in turn:
            if isinstance(text, str):
                take_python(text, transcript, options.tools)
    return transcript.expected()


def _listed(answers: dict[str, Any]) -> list[dict[str, Any]]:
    """The possible answers of the first version, by name: several calls of a tool are numbered."""
    numbered = {key: found for key in answers if (found := _NUMBERED.fullmatch(key))}
    numbers: dict[str, list[int]] = {}
    for found in numbered.values():
        numbers.setdefault(found["name"], []).append(int(found["number"]))
    listed = []
    for key, arguments in answers.items():
        if key in numbered:
            name = numbered[key]["name"]
            is_count = sorted(numbers[name]) == list(range(1, len(numbers[name]) + 1))
            # A tool may have a number at the end of its own name, but not after a space.
            if numbered[key]["mark"] == " " or (is_count and len(numbers[name]) > 1):
                key = name  # noqa: PLW2901  (the name without its number)
        listed.append({key: arguments})
    return listed


def _answers(items: Iterable[dict[str, Any]]) -> tuple[ToolCall, ...]:
    return tuple(
        ToolCall(name, {key: _one_of(values) for key, values in arguments.items()}, step=0)
        for item in items
        for name, arguments in item.items()
    )


def _is_possible_answer(item: Any) -> bool:
    """Whether it is the name of a function and, for each argument, the values that it may have."""
    if not isinstance(item, dict) or len(item) != 1:
        return False
    (arguments,) = item.values()
    return isinstance(arguments, dict) and all(
        isinstance(values, list) for values in arguments.values()
    )


def _one_of(values: list[Any], *, is_member: bool = False) -> Any:
    """The only possible value, or a rule: one of several, or optional if `""` is among them."""
    given = [value if is_member else _possible(value) for value in values if value != _LEFT_OUT]
    if not given:
        # Without any possible value, nothing is accepted.
        return Matcher("$optional", _LEFT_OUT) if values else Matcher("$schema", value=False)
    accepted = given[0] if len(given) == 1 else Matcher("$one_of", given)
    return accepted if len(given) == len(values) else Matcher("$optional", accepted)


def _possible(value: Any) -> Any:
    """A possible value, where each member of an object has possible values of its own.

    What is nested deeper is as it is.
    """
    if isinstance(value, list):
        return [_possible(item) if isinstance(item, dict) else item for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: _one_of(values, is_member=True) if isinstance(values, list) and values else values
        for key, values in value.items()
    }


def read_tools(document: Any) -> list[Tool]:
    """The functions of a test entry, with the types of JSON Schema."""
    functions = json_of(document.get("function")) if isinstance(document, dict) else None
    return read_definitions(
        [
            {**entry, "parameters": with_json_types(json_of(entry.get("parameters")))}
            for entry in dicts([functions] if isinstance(functions, dict) else functions)
        ]
    )

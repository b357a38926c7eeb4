"""Berkeley Function Calling Leaderboard: its check of calls against possible answers.

`ast_check` takes what BFCL takes: the documents of the functions and, for each expected call, a list
of possible answers per argument, with `""` if the argument may be left out. `valid` takes expected
calls. In place of a value they may have the rules as which BFCL's possible answers are read:
`$one_of` and `$optional`. Any other value is the only possible answer. Only the checks for Python
are reproduced, not the conversions from Java and JavaScript.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct

from callscore.core.call import NOT_CAPTURED, Tool, ToolCall
from callscore.core.rules import Matcher, contains_matchers
from callscore.errors import InvalidSettings, NotScorable
from callscore.parity.parameters import Arguments, Calls, option_value, pairs_of

__all__ = ["KNOWS_RULES", "METRICS", "TITLE", "VERSION", "Check", "ast_check", "check", "valid"]

# BFCL's names for types, and the Python types that they mean.
_TYPES: dict[str, type] = {
    "string": str,
    "integer": int,
    "float": float,
    "boolean": bool,
    "array": list,
    "tuple": list,
    "dict": dict,
    "any": str,
}
_TYPES_WITH_ITEMS = ("array", "tuple")  # those whose items have a type, too

_IGNORED = re.compile(r"[ ,./\-_*^]")

_WRONG_TYPE = "type_error:simple"
_WRONG_ITEM_TYPE = "type_error:nested"
_WRONG_VALUE = "value_error:others"
_WRONG_STRING = "value_error:string"
_WRONG_LIST = "value_error:list/tuple"
_WRONG_KEY = "value_error:dict_key"
_WRONG_MEMBER = "value_error:dict_value"
_WRONG_OBJECT_COUNT = "value_error:list_dict_count"
_NOT_AN_OBJECT = "dict_checker:unclear"
_NOT_OBJECTS = "list_dict_checker:unclear"


def _argument_problem(value: Any, answers: Any, description: Mapping[str, Any]) -> str | None:
    """The type of error that BFCL finds in an argument; None if it accepts the argument.

    The type is checked first, then the value. The description is from the function's document.
    """
    word = description["type"]
    kind, items = _TYPES[word], None
    if word in _TYPES_WITH_ITEMS:
        items = _TYPES[description["items"]["type"]]
    if word == "tuple" and type(value) is tuple:
        value = list(value)
    elif word == "float" and type(value) is int:
        value = float(value)
    return _typed_problem(value, answers, kind, items)


def _typed_problem(value: Any, answers: Any, kind: type, items: type | None) -> str | None:
    answered = _answered_type(answers)
    if type(value) is kind:
        if items is not None and not _has_items(value, answers, items):
            # The type of the answers is checked before an error of the items is reported.
            return _WRONG_ITEM_TYPE if answered is kind else _WRONG_TYPE
        if answered is None or answered is kind:
            return (_objects_problem if items is dict else _TYPE_CHECKS[kind])(value, answers)
    elif answered is None or type(value) is not answered:
        return _WRONG_TYPE
    # The answers have another type, as for a variable: only equality counts.
    return _plain_problem(value, answers)


def _answered_type(answers: Any) -> type | None:
    """The type of the first possible answer except `""`; None if there is none."""
    for answer in answers:
        if answer != "":
            return type(answer)
    return None


def _has_items(value: Any, answers: Any, items: type) -> bool:
    """Whether the items fit one of the answers by type; anything fits an answer that is not a list."""
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
        if answer == value:  # the usual case; normalizing is slower
            return None
    standard = _standard(value)
    is_found = any(type(answer) is str and _standard(answer) == standard for answer in answers)
    return None if is_found else _WRONG_STRING


def _standard(text: str) -> str:
    return _IGNORED.sub("", text).lower().replace("'", '"')


def _standard_items(items: Sequence[Any]) -> list[Any]:
    """The normalized items of an array; by position, so that an object raises an error as in BFCL."""
    places = range(len(items))
    return [_standard(items[at]) if type(items[at]) is str else items[at] for at in places]


def _list_problem(value: Any, answers: Any) -> str | None:
    standard = [_standard_items(answer) for answer in answers]
    return None if _standard_items(value) in standard else _WRONG_LIST


def _object_problem(value: Any, answers: Any) -> str | None:
    """The error of an object by the last answer that it does not match."""
    problem: str | None = _NOT_AN_OBJECT
    for answer in answers:
        if answer == "":
            continue
        problem = _member_problem(value, answer)
        # Checked even if a member is wrong already, and reported instead of that.
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
    """The error of an array of objects by the last answer; the objects must be in order."""
    problem: str | None = _NOT_OBJECTS
    for answer in answers:
        if len(value) != len(answer):
            problem = _WRONG_OBJECT_COUNT
            continue
        problems = (_object_problem(item, [answer[at]]) for at, item in enumerate(value))
        problem = next((found for found in problems if found is not None), None)
        if problem is None:
            return None
    return problem


_TYPE_CHECKS: dict[type, Callable[[Any, Any], str | None]] = {
    str: _string_problem,
    int: _plain_problem,
    float: _plain_problem,
    bool: _plain_problem,
    list: _list_problem,
    dict: _object_problem,
}


_TYPE_NAMES = {kind: word for word, kind in reversed(_TYPES.items())}
_ANY = "any"  # a value without a type in BFCL is compared with the answers as it is
# Types with another name in JSON Schema than in BFCL.
_TYPE_BY_SCHEMA = {"object": "dict", "number": "float"}


def _function_documents(
    answers: Sequence[Mapping[str, Mapping[str, Any]]],
    required: Mapping[str, list[str]],
    tools: Mapping[str, Tool],
) -> list[dict[str, Any]]:
    """The documents of the functions in the answers, in the order of their first answers.

    For a tool without a definition, each argument has the type of its first value.
    """
    by_name: dict[str, list[Mapping[str, Any]]] = {}
    for answer in answers:
        for name, values in answer.items():
            by_name.setdefault(name, []).append(values)
    return [
        _document(name, _described(given), required[name])
        if (tool := tools.get(name) or tools.get(_without_dots(name))) is None
        else _defined_function(name, tool, given)
        for name, given in by_name.items()
    ]


def _required(calls: Sequence[tuple[str, Arguments]]) -> dict[str, list[str]]:
    """The arguments that every call of a tool has, by the name of the tool."""
    required: dict[str, list[str]] = {}
    for name, arguments in calls:
        given = [
            key
            for key, value in (arguments or {}).items()
            if not (isinstance(value, Matcher) and value.key == "$optional")
        ]
        required[name] = [key for key in required.get(name, given) if key in given]
    return required


def _described(given: list[Mapping[str, Any]]) -> dict[str, Any]:
    described: dict[str, Any] = {}
    for answers in given:
        for key, values in answers.items():
            if key not in described:
                described[key] = _description(values)
    return described


def _document(name: str, properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    return {"name": name, "parameters": {"properties": properties, "required": required}}


def _description(answers: list[Any]) -> dict[str, Any]:
    """The type of the first answer that is not `""`; of integers and floats it is `float`."""
    given = [answer for answer in answers if answer != ""]
    word = _TYPE_NAMES.get(type(given[0]), _ANY) if given else "string"
    if word == "integer" and any(type(answer) is float for answer in given):
        word = "float"
    if word != "array":
        return {"type": word}
    first = _TYPE_NAMES.get(type(given[0][0]), _ANY) if given[0] else _ANY
    return {"type": word, "items": {"type": first}}


def _defined_function(name: str, tool: Tool, given: list[Mapping[str, Any]]) -> dict[str, Any]:
    """The document of a definition.

    If tasks define the tool in different ways, it is the definition that fits the answers best.
    """
    schema = tool.parameters or {}
    options = schema.get("anyOf")
    documents = [
        _schema_document(name, each)
        for each in (options if isinstance(options, list) else ())
        if isinstance(each, dict) and "properties" in each
    ]
    if not documents:
        return _schema_document(name, schema)
    return max(documents, key=lambda document: sum(map(_fit(document), given)))


def _schema_document(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    properties, required = schema.get("properties"), schema.get("required")
    if not isinstance(properties, dict):
        properties = {}
    described = {key: _bfcl_type(part) for key, part in properties.items()}
    return _document(name, described, required if isinstance(required, list) else [])


def _fit(document: dict[str, Any]) -> Callable[[Mapping[str, Any]], int]:
    """How well a document fits answers: it allows them all, and what may be left out, and no more."""
    name, parameters = document["name"], document["parameters"]

    def accepts(arguments: dict[str, Any], answers: Mapping[str, Any]) -> bool:
        try:
            return _call_problem(document, (name, arguments), {name: answers}) is None
        except _CRASHES:
            return False

    def fit(answers: Mapping[str, Any]) -> int:
        full = {key: _example(values) for key, values in answers.items()}
        short = {key: full[key] for key, values in answers.items() if "" not in values}
        same_names = set(parameters["properties"]) == set(answers)
        return 4 * accepts(full, answers) + 2 * accepts(short, answers) + same_names

    return fit


def _example(answers: Any) -> Any:
    """A value that is among possible answers; each member of an object has answers of its own."""
    answer = next((each for each in answers if each != ""), "")
    if isinstance(answer, list):
        return [_member_examples(item) if isinstance(item, dict) else item for item in answer]
    return _member_examples(answer) if isinstance(answer, dict) else answer


def _member_examples(answer: dict[str, Any]) -> dict[str, Any]:
    return {
        key: next((each for each in values if each != ""), "")
        if isinstance(values, list)
        else values
        for key, values in answer.items()
    }


def _bfcl_type(schema: Any) -> dict[str, Any]:
    """The first type in a schema that BFCL has; `any` if there is none."""
    if not isinstance(schema, dict):
        return {"type": _ANY}
    actual = schema.get("type")
    words = actual if isinstance(actual, list) else [actual]
    translated = [_TYPE_BY_SCHEMA.get(word, word) for word in words if isinstance(word, str)]
    word = next((word for word in translated if word in _TYPES), _ANY)
    if word in _TYPES_WITH_ITEMS:
        return {"type": word, "items": {"type": _bfcl_type(schema.get("items"))["type"]}}
    return {"type": word}


def _answers_for_calls(
    calls: Iterable[tuple[str, Arguments]], *, may_be_left_out: bool
) -> list[dict[str, dict[str, Any]]]:
    """Possible answers: those of a rule, or the value of a call as the only one."""
    or_none = ("",) if may_be_left_out else ()
    return [
        {name: {key: [*_answers(value), *or_none] for key, value in (arguments or {}).items()}}
        for name, arguments in calls
    ]


def _answers(value: Any) -> list[Any]:
    """The possible answers that a value or a rule stands for.

    Raises:
        NotScorable: BFCL has no such rule.
    """
    if not isinstance(value, Matcher):
        return [_answer(value)]
    if value.key == "$optional":
        return [*_answers(value.value), ""]
    if value.key == "$one_of":
        return [answer for item in value.value for answer in _answers(item)]
    if value.key == "$schema" and value.value is False:
        return []  # no answer is possible
    raise NotScorable(f"BFCL has possible answers and optional ones, but no rule {value.key}.")


def _answer(value: Any) -> Any:
    """A value as a possible answer: each member of an object has possible answers of its own."""
    if isinstance(value, dict):
        return _members(value)
    has_members = isinstance(value, list) and value and isinstance(value[0], dict)
    if has_members or (isinstance(value, list) and contains_matchers(value)):
        return [_members(item) if isinstance(item, dict) else item for item in value]
    return value


def _members(value: dict[str, Any]) -> dict[str, Any]:
    return {
        key: _answers(member) if isinstance(member, Matcher) else [member]
        for key, member in value.items()
    }


TITLE = "Berkeley Function Calling Leaderboard"
VERSION = "2026.3.23"
KNOWS_RULES = True  # those of possible answers

Category = Literal["simple", "multiple", "parallel"]

_WRONG_CALL_COUNT = {
    "simple": "simple_function_checker:wrong_count",
    "multiple": "multiple_function_checker:wrong_count",
    "parallel": "parallel_function_checker_no_order:wrong_count",
}
_UNDECODABLE = "ast_decoder:decoder_failed"
_NO_MATCH = "parallel_function_checker_no_order:cannot_find_match"
_WRONG_NAME = "simple_function_checker:wrong_func_name"
_MISSING_REQUIRED = "simple_function_checker:missing_required"
_MISSING_OPTIONAL = "simple_function_checker:missing_optional"
_UNEXPECTED = "simple_function_checker:unexpected_param"

# What a document or an answer in an invalid form raises, here as in BFCL.
_CRASHES = (
    *(LookupError, TypeError, AttributeError, StopIteration),
    *(OverflowError, RecursionError),
)

_Pair = tuple[str, "Arguments"]


class Check(Struct, frozen=True, gc=False):
    """The result of BFCL for the calls of one task.

    Attributes:
        valid: whether the calls are accepted.
        error_type: BFCL's name for the first error; None if the calls are accepted.
    """

    valid: bool
    error_type: str | None = None


_VALID = Check(valid=True)


def ast_check(
    functions: Sequence[Mapping[str, Any]],
    calls: Calls,
    possible_answers: Sequence[Mapping[str, Mapping[str, Any]]],
    *,
    test_category: str = "simple",
) -> Check:
    """`ast_checker`: whether calls are among the possible answers of a task.

    A call has the right name, all required parameters, no unknown one, and a possible value for
    each; one may be left out if `""` is among its values. An integer is a float, but no float is an
    integer. Texts are compared without case, spaces and the characters `,./-_*^`. Names with dots
    are compared as they are; BFCL writes `_` for the dot for models that cannot write one.

    Args:
        functions: the documents of the functions, with the types as BFCL calls them.
        calls: the actual calls.
        possible_answers: for each expected call, its name and its parameters' possible values.
        test_category: `simple` (one call, by the first function and the first answer), `multiple`
            (the first call, by the function that the first answer names), or `parallel` (as many
            calls as answers, in any order). A longer name counts as the word in it, as
            `live_parallel_multiple` is parallel.

    Defects:
        `simple` ignores the name in the answer, and `multiple` every call but the first. Calls are
        matched greedily: an earlier answer takes the first call that it accepts, though a later one
        accepts only that. An array that mixes types is refused even where it is the answer itself,
        unless `""` is among the answers: then its items may have any type. Nothing inside an object
        is checked for its type, and what is nested deeper must be equal as it is. An answer of
        another type than the document says is compared with `==`, so that 1 is true.

    Raises:
        NotScorable: a function, an answer or a type is missing or not of BFCL's form.
    """
    kind = next((word for word in ("parallel", "multiple") if word in test_category), "simple")
    pairs = pairs_of(calls)
    miscounted = _count_problem(kind, pairs, possible_answers)
    return miscounted or _checked(kind, functions, pairs, possible_answers)


def valid(  # noqa: PLR0913  (one argument per option)
    expected: Calls,
    actual: Calls,
    *,
    test_category: Category = "parallel",
    optional: bool = False,
    underscore_to_dot: bool | None = None,
    tools: Mapping[str, Tool] | None = None,
) -> bool:
    """Whether BFCL accepts the actual calls.

    An expected value is the only possible answer; `$one_of` has several, and `$optional` may be left
    out. Expected calls that are read from BFCL's own files have these rules.

    Args:
        expected: the expected calls.
        actual: the actual calls.
        test_category: `simple` (one call, by the first expected one), `multiple` (the first call,
            by the document of the first expected one), or `parallel` (as many calls as expected, in
            any order).
        optional: whether every argument may be left out. Added by callscore: in BFCL the answers
            say it of each argument.
        underscore_to_dot: whether the model cannot write dots, so that `math.gcd` is expected as
            `math_gcd`; BFCL looks it up in its table of models. If it is null, a call may have either
            name.
        tools: the definitions of the tools, by name. Of a tool that is not among them, those
            arguments are required that every expected call of it has, and each has the type of its
            first expected value.

    Defects:
        `multiple` looks at no call but the first. Calls are matched greedily: an earlier expected
        call takes the first call that it accepts, though a later one accepts only that. An array
        that mixes types is refused even where it is the answer itself. Nothing inside an object is
        checked for its type.

    Raises:
        InvalidSettings: the category is unknown, or the tools are invalid.
        NotScorable: there is no expected call, a rule that BFCL does not have, or a definition
            without such types.
    """
    return check(
        expected,
        actual,
        test_category=test_category,
        optional=optional,
        underscore_to_dot=underscore_to_dot,
        tools=tools,
    ).valid


def check(  # noqa: PLR0913  (one argument per option)
    expected: Calls,
    actual: Calls,
    *,
    test_category: Category = "parallel",
    optional: bool = False,
    underscore_to_dot: bool | None = None,
    tools: Mapping[str, Tool] | None = None,
) -> Check:
    """`valid`, with BFCL's name for the error.

    Raises:
        InvalidSettings: the category is unknown, or the tools are invalid.
        NotScorable: there is no expected call, or a definition has no such types.
    """
    option_value("test_category", test_category, _CATEGORY_CHECKS)
    is_known = isinstance(tools, Mapping) and all(isinstance(tool, Tool) for tool in tools.values())
    if tools is not None and not is_known:
        raise InvalidSettings("tools: expected callscore tools by name, or None.")
    if isinstance(actual, list | tuple) and any(map(_is_undecodable, actual)):
        return Check(valid=False, error_type=_UNDECODABLE)
    wanted, made = pairs_of(expected, with_rules=True), pairs_of(actual)
    miscounted = _count_problem(test_category, made, wanted)
    if miscounted is not None:
        return miscounted
    if test_category != "parallel":  # only the first expected call is looked at
        if not wanted:
            raise NotScorable(
                f"BFCL requires at least one expected call in the category {test_category}."
            )
        wanted = [call for call in wanted if call[0] == wanted[0][0]]
    answers = _answers_for_calls(wanted, may_be_left_out=optional)
    functions = _function_documents(answers, _required(wanted), tools or {})
    made = _renamed(made, [name for name, _ in wanted], underscore_to_dot=underscore_to_dot)
    if optional:
        for function in functions:
            function["parameters"]["required"] = []
    return _checked(test_category, functions, made, answers)


def _is_undecodable(call: Any) -> bool:
    """Whether a call has arguments that BFCL cannot decode: it refuses the whole answer."""
    return isinstance(call, ToolCall) and call.error not in (None, NOT_CAPTURED)


def _without_dots(name: str) -> str:
    return name.replace(".", "_")


def _renamed(
    calls: list[_Pair], names: Sequence[str], *, underscore_to_dot: bool | None
) -> list[_Pair]:
    """The calls by the expected names that theirs stand for."""
    if underscore_to_dot is False or not any("." in name for name in names):
        return calls
    meant = {_without_dots(name): name for name in names}
    if underscore_to_dot is None:
        meant |= {name: name for name in names}
    else:  # a name with dots is none that the model was given
        meant = dict.fromkeys(names, "") | meant
    return [(meant.get(name, name), arguments) for name, arguments in calls]


def _count_problem(kind: str, calls: Sequence[Any], answers: Sequence[Any]) -> Check | None:
    """The result for too many or too few calls; None if their number is right."""
    count = 1 if kind == "simple" else len(answers)
    return None if len(calls) == count else Check(valid=False, error_type=_WRONG_CALL_COUNT[kind])


def _checked(kind: str, functions: Any, calls: list[_Pair], answers: Any) -> Check:
    try:
        error = _CATEGORY_CHECKS[kind](functions, calls, answers)
    except _CRASHES as crash:
        problem = f"{type(crash).__name__}: {crash}"
        raise NotScorable(
            f"BFCL cannot check this case: it is not in its format ({problem})."
        ) from crash
    return _VALID if error is None else Check(valid=False, error_type=error)


def _parallel(functions: Any, calls: list[_Pair], answers: Any) -> str | None:
    left = list(calls)
    for answer in answers:
        function = _function_for(functions, answer)
        for place, call in enumerate(left):
            if _call_problem(function, call, answer) is None:
                del left[place]
                break
        else:
            return _NO_MATCH
    return None


_CATEGORY_CHECKS: dict[str, Callable[[Any, list[_Pair], Any], str | None]] = {
    "simple": lambda functions, calls, answers: _call_problem(functions[0], calls[0], answers[0]),
    "multiple": lambda functions, calls, answers: _call_problem(
        _function_for(functions, answers[0]), calls[0], answers[0]
    ),
    "parallel": _parallel,
}


def _function_for(functions: Any, answer: Any) -> Any:
    """The document of the function that an answer calls."""
    name = next(iter(answer))
    for function in functions:
        if function["name"] == name:
            return function
    raise NotScorable(f"BFCL checks calls of {name} against its definition, which is missing.")


def _call_problem(function: Any, call: _Pair, answer: Any) -> str | None:
    parameters, answers = function["parameters"], next(iter(answer.values()))
    properties, required = parameters["properties"], parameters["required"]
    if call[0] != function["name"]:
        return _WRONG_NAME
    arguments = call[1] or {}
    for key in required:
        if key not in arguments:
            return _MISSING_REQUIRED
    problem = _arguments_problem(arguments, properties, answers)
    if problem is not None:
        return problem
    is_missing = any(key not in arguments and "" not in answers[key] for key in answers)
    return _MISSING_OPTIONAL if is_missing else None


def _arguments_problem(arguments: dict[str, Any], properties: Any, answers: Any) -> str | None:
    for key, value in arguments.items():
        if key not in properties or key not in answers:
            return _UNEXPECTED
        problem = _argument_problem(value, answers[key], properties[key])
        if problem is not None:
            return problem
    return None


METRICS = (valid,)

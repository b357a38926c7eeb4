"""Berkeley Function Calling Leaderboard: its check of calls against possible answers.

`ast_check` takes what BFCL takes: the documents of the functions and, for each expected call, the
values that each argument may have. `valid` asks it about plain expected calls, each of whose values
is the only possible answer. Only Python is here: what BFCL converts from Java and JavaScript is not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from callscore.core.tool import Tool
from callscore.errors import InvalidSettings, NotScorable
from callscore.parity.bfcl_documents import answers_for, functions_for
from callscore.parity.bfcl_values import argument_problem
from callscore.parity.calls import pairs_of
from callscore.parity.choice import chosen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.parity.calls import Arguments, Calls

__all__ = ["METRICS", "TITLE", "VERSION", "Check", "ast_check", "check", "valid"]

TITLE = "Berkeley Function Calling Leaderboard"
VERSION = "2026.3.23"

Category = Literal["simple", "multiple", "parallel"]

_WRONG_COUNT = {
    "simple": "simple_function_checker:wrong_count",
    "multiple": "multiple_function_checker:wrong_count",
    "parallel": "parallel_function_checker_no_order:wrong_count",
}
_NO_MATCH = "parallel_function_checker_no_order:cannot_find_match"
_WRONG_NAME = "simple_function_checker:wrong_func_name"
_MISSING_REQUIRED = "simple_function_checker:missing_required"
_MISSING_OPTIONAL = "simple_function_checker:missing_optional"
_UNEXPECTED = "simple_function_checker:unexpected_param"

# What a document or an answer that is not of BFCL's form raises, here as in BFCL.
_CRASHES = (
    *(LookupError, TypeError, AttributeError, StopIteration),
    *(OverflowError, RecursionError),
)

_Pair = tuple[str, "Arguments"]


class Check(Struct, frozen=True, gc=False):
    """What BFCL says of the calls of one task.

    Attributes:
        valid: whether they are accepted.
        error_type: BFCL's name for the first thing that is wrong; None where they are accepted.
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
        calls: the calls that were made.
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
        is checked for its type, and what is nested deeper has to be equal as it is. An answer of
        another type than the document says is compared with `==`, so that 1 is true.

    Raises:
        NotScorable: a function, an answer or a type is missing or not of BFCL's form.
    """
    kind = next((word for word in ("parallel", "multiple") if word in test_category), "simple")
    pairs = pairs_of(calls)
    miscounted = _miscounted(kind, pairs, possible_answers)
    return miscounted or _checked(kind, functions, pairs, possible_answers)


def valid(
    expected: Calls,
    actual: Calls,
    *,
    test_category: Category = "parallel",
    optional: bool = False,
    tools: Mapping[str, Tool] | None = None,
) -> bool:
    """Whether BFCL accepts the actual calls, each expected value being the only possible answer.

    Args:
        expected: the calls that were expected.
        actual: the calls that were made.
        test_category: `simple` (one call, by the first expected one), `multiple` (the first call,
            by the document of the first expected one), or `parallel` (as many calls as expected, in
            any order).
        optional: whether every argument may be left out. This option is ours: in BFCL the answers
            say it of each argument.
        tools: the definitions of the tools, by name. Of a tool that is not among them, all expected
            arguments are required, and each has the type of its first expected value.

    Defects:
        `multiple` looks at no call but the first. Calls are matched greedily: an earlier expected
        call takes the first call that it accepts, though a later one accepts only that. An array
        that mixes types is refused even where it is the answer itself. Nothing inside an object is
        checked for its type. Where the definitions are not known, an argument of one call is
        required of every call of this tool, even of one that is expected without it.

    Raises:
        InvalidSettings: there is no such category, or the tools are none.
        NotScorable: there is no expected call to check against, or a definition has no such types.
    """
    return check(
        expected, actual, test_category=test_category, optional=optional, tools=tools
    ).valid


def check(
    expected: Calls,
    actual: Calls,
    *,
    test_category: Category = "parallel",
    optional: bool = False,
    tools: Mapping[str, Tool] | None = None,
) -> Check:
    """`valid`, and BFCL's name for what is wrong.

    Raises:
        InvalidSettings: there is no such category, or the tools are none.
        NotScorable: there is no expected call to check against, or a definition has no such types.
    """
    chosen("test_category", test_category, _CHECKS)
    _require_definitions(tools)
    wanted, made = pairs_of(expected), pairs_of(actual)
    miscounted = _miscounted(test_category, made, wanted)
    if miscounted is not None:
        return miscounted
    if test_category != "parallel":  # only the first expected call is looked at
        if not wanted:
            raise NotScorable(f"BFCL wants at least one expected call, if it is {test_category}.")
        wanted = [call for call in wanted if call[0] == wanted[0][0]]
    functions = functions_for(wanted, tools or {})
    if optional:
        for function in functions:
            function["parameters"]["required"] = []
    return _checked(test_category, functions, made, answers_for(wanted, may_be_left_out=optional))


def _require_definitions(tools: object) -> None:
    is_known = isinstance(tools, Mapping) and all(isinstance(tool, Tool) for tool in tools.values())
    if tools is not None and not is_known:
        problem = "give the tools that callscore.read_tools reads, by their names"
        raise InvalidSettings(f"tools: {problem}, or None.")


def _miscounted(kind: str, calls: Sequence[Any], answers: Sequence[Any]) -> Check | None:
    """What is said of too many calls, or too few; None where their number is right."""
    count = 1 if kind == "simple" else len(answers)
    return None if len(calls) == count else Check(valid=False, error_type=_WRONG_COUNT[kind])


def _checked(kind: str, functions: Any, calls: list[_Pair], answers: Any) -> Check:
    try:
        error = _CHECKS[kind](functions, calls, answers)
    except _CRASHES as crash:
        problem = f"{type(crash).__name__}: {crash}"
        raise NotScorable(f"BFCL cannot check this: it is not of its form ({problem}).") from crash
    return _VALID if error is None else Check(valid=False, error_type=error)


def _simple(functions: Any, calls: list[_Pair], answers: Any) -> str | None:
    return _call_problem(functions[0], calls[0], answers[0])


def _multiple(functions: Any, calls: list[_Pair], answers: Any) -> str | None:
    return _call_problem(_function_for(functions, answers[0]), calls[0], answers[0])


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


_CHECKS = {"simple": _simple, "multiple": _multiple, "parallel": _parallel}


def _function_for(functions: Any, answer: Any) -> Any:
    """The document of the function that an answer calls."""
    name = next(iter(answer))
    for function in functions:
        if function["name"] == name:
            return function
    raise NotScorable(f"BFCL checks calls of {name} by its document, and there is none.")


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
        problem = argument_problem(value, answers[key], properties[key])
        if problem is not None:
            return problem
    return None


METRICS = (valid,)

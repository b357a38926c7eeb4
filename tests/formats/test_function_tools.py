"""Python functions as tools, and what their docstrings say."""

from __future__ import annotations

from functools import partial, wraps
from typing import Annotated, Any, Literal, TypedDict

import pytest

from callscore import InvalidCall, Tool, read_tools, score
from callscore.api import tools_by_name
from callscore.core.schemas.validation import validation_errors
from callscore.formats.function_tools import (
    Documentation,
    documentation_of,
    function_tool,
    is_function,
    with_functions_read,
)


def get_weather(location: str, unit: Literal["C", "F"] = "C", day: int | None = None) -> str:
    """Get the weather of a city.

    Args:
        location: The city.
        unit: The unit.
        day: From today on.
    """
    return f"{location} {unit} {day}"


async def search(query: Annotated[str, "What to look for."], *more: str, **filters: int) -> None:
    """Search."""


class Account:
    """Has tools that are methods."""

    def close(self, reason: str) -> None:
        """Close the account."""

    @classmethod
    def open(cls, name: str) -> None:
        """Open one."""

    @staticmethod
    def count() -> int:
        """How many there are."""
        return 0


def _parameters(function: Any) -> dict[str, Any]:
    return function_tool(function).parameters or {}


def test_a_function_is_a_tool_by_its_signature_and_its_docstring() -> None:
    assert function_tool(get_weather) == Tool(
        "get_weather",
        "Get the weather of a city.",
        {
            "type": "object",
            "properties": {
                "location": {"description": "The city.", "type": "string"},
                "unit": {
                    "description": "The unit.",
                    "type": "string",
                    "enum": ["C", "F"],
                    "default": "C",
                },
                "day": {
                    "description": "From today on.",
                    "anyOf": [{"type": "integer"}, {"type": "null"}],
                    "default": None,
                },
            },
            "required": ["location"],
            "additionalProperties": False,
        },
    )


def test_kwargs_are_additional_properties_and_args_are_left_out_of_the_schema() -> None:
    schema = _parameters(search)

    assert list(schema["properties"]) == ["query"]
    assert schema["properties"]["query"]["description"] == "What to look for."
    assert not validation_errors(schema, {"query": "a", "year": 2024})
    assert validation_errors(schema, {"query": "a", "year": "2024"})


def test_others_without_an_annotation_may_be_anything() -> None:
    def function(**others) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN003  (what the test is about)
        """Take anything."""

    assert _parameters(function)["additionalProperties"] is True


@pytest.mark.parametrize(
    ("function", "names"),
    [
        (Account().close, ["reason"]),
        (Account.close, ["reason"]),
        (Account.open, ["name"]),
        (Account.count, []),
        (partial(get_weather, "Paris"), ["unit", "day"]),
        (partial(partial(get_weather, unit="F"), day=2), ["location"]),
    ],
    ids=["bound", "unbound", "class", "static", "positional", "filled"],
)
def test_only_what_a_call_can_give_is_a_parameter(function: Any, names: list[str]) -> None:
    assert list(_parameters(function)["properties"]) == names


def test_a_value_that_is_filled_in_is_shown_to_nobody() -> None:
    def fetch(url: str, password: str) -> None:
        """Fetch."""

    tool = function_tool(partial(fetch, password="hunter2"))  # noqa: S106  (none that is used)

    assert "hunter2" not in str(tool)


def test_a_decorated_function_is_what_it_wraps() -> None:
    @wraps(get_weather)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return get_weather(*args, **kwargs)

    assert function_tool(wrapper) == function_tool(get_weather)


def test_a_default_of_none_allows_null_whatever_the_annotation() -> None:
    def function(
        city: str = None,  # type: ignore[assignment]  # noqa: RUF013  (what the test is about)
        unit: Literal["C", "F"] = None,  # type: ignore[assignment]  # noqa: RUF013  (likewise)
        either: Literal["a", None] = None,  # noqa: PYI061  (likewise)
        free: Any = None,
    ) -> None:
        """Take nothing."""

    given = dict.fromkeys(("city", "unit", "either", "free"))

    assert not validation_errors(_parameters(function), given)
    assert validation_errors(_parameters(function), {**given, "unit": "K"})


def test_a_default_that_is_no_json_is_not_shown() -> None:
    def function(a: Any = object(), b: Any = (1, 2), c: Any = {1: object()}) -> None:  # noqa: B006, B008  (what the test is about)
        """Take anything."""

    assert _parameters(function)["properties"] == {"a": {}, "b": {"default": [1, 2]}, "c": {}}


@pytest.mark.parametrize("default", [float("nan"), float("inf"), float("-inf")])
def test_a_default_that_no_number_of_json_is_is_not_shown(default: float) -> None:
    def function(a: float = default) -> None:
        """Take a number."""

    assert _parameters(function)["properties"] == {"a": {"type": "number"}}


def test_a_function_without_a_signature_is_a_tool_of_which_only_the_name_is_known() -> None:
    assert function_tool(max).parameters is None
    assert function_tool(max).name == "max"


def test_a_lambda_needs_a_name() -> None:
    with pytest.raises(InvalidCall, match=r"a lambda has no name\. Define the tool with 'def'"):
        function_tool(lambda city: city)
    assert function_tool(lambda city: city, "weather").name == "weather"


def test_classes_and_values_are_no_functions() -> None:
    assert not any(map(is_function, (Account, "search", {}, Tool("search"), None)))


def test_functions_stand_beside_definitions_of_any_dialect() -> None:
    given = (get_weather, {"name": "f", "parameters": {"type": "object", "properties": {}}}, "bare")

    assert list(tools_by_name(given)) == ["get_weather", "f", "bare"]


@pytest.mark.parametrize("given", [[get_weather], (get_weather,), get_weather, iter([get_weather])])
def test_functions_are_taken_wherever_tools_are(given: Any) -> None:
    assert read_tools(given) == [function_tool(get_weather)]


def test_functions_can_be_given_by_name() -> None:
    assert [tool.name for tool in read_tools({"weather": get_weather})] == ["weather"]


def test_classes_that_a_signature_names_are_defined_in_the_schema() -> None:
    class Passenger(TypedDict):
        name: str

    def book(passengers: list[Passenger]) -> None:
        """Book seats."""

    book.__annotations__["passengers"] = list[Passenger]  # which is not to be found by its name

    schema = _parameters(book)

    assert schema["$defs"]["Passenger"] == {
        "type": "object",
        "properties": {"name": {"type": "string"}},
        "required": ["name"],
    }
    assert validation_errors(schema, {"passengers": [{"name": 5}]})


def test_definitions_without_functions_are_returned_unchanged() -> None:
    definitions = {"tools": [{"name": "f"}]}

    assert with_functions_read(definitions) is definitions
    assert with_functions_read({}) == {}
    assert with_functions_read("f") == "f"


def test_calls_are_checked_by_the_signature() -> None:
    call = {"name": "get_weather", "arguments": {"location": 5, "unit": "K", "city": "Paris"}}

    found = score([], [call], tools=[get_weather]).faults

    assert [fault.kind for fault in found or ()] == [
        "wrong_type",
        "invalid_value",
        "unknown_argument",
    ]


GOOGLE = """Get the weather.

    It may be old.

    Args:
        city: The city,
            or a town.
        unit (str): The unit.
        *others: More cities.

        an odd line

    Returns:
        The weather: in words.
    """
NUMPY = """Get the weather.

    It may be old.

    Parameters
    ----------
    city : str
        The city,
        or a town.
    unit
        The unit.
    others : list
        More cities.

    Returns
    -------
    str
        The weather.
    """
SPHINX = """Get the weather.

    It may be old.

    :param city: The city,
        or a town.
    :param str unit: The unit.
    :param others: More cities.
    :returns: The weather.
        In words.

    The end.
    """


@pytest.mark.parametrize("text", [GOOGLE, NUMPY, SPHINX], ids=["google", "numpy", "sphinx"])
def test_three_styles_say_the_same(text: str) -> None:
    arguments = {"city": "The city, or a town.", "unit": "The unit.", "others": "More cities."}

    assert documentation_of(text) == Documentation("Get the weather.\n\nIt may be old.", arguments)


@pytest.mark.parametrize("text", [None, "", "   \n"])
def test_without_a_docstring_nothing_is_said(text: str | None) -> None:
    assert documentation_of(text) == Documentation()


def test_a_description_alone_is_kept_whole() -> None:
    text = "Search: all of it.\n\nThe parameters are free.\nNotes"

    assert documentation_of(text).description == text


def test_a_section_without_a_body_says_nothing() -> None:
    assert documentation_of("Search.\n\nArgs:") == Documentation("Search.")


def test_an_argument_of_which_nothing_is_said_has_no_description() -> None:
    assert documentation_of("Search.\n\nArgs:\n    city:\n").arguments == {}

"""The purposes of tools, and arguments, in the words of a person."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from callscore import Tool, ToolCall
from callscore.datasets.phrasing import arguments_text, tool_purpose
from callscore.datasets.questions import question_for_calls, question_in_order

if TYPE_CHECKING:
    from collections.abc import Iterator

SAMPLES = Path(__file__).parents[1] / "samples"


@pytest.mark.parametrize(
    ("name", "description", "purpose"),
    [
        ("f", "Get the weather of a city. Uses a service.", "get the weather of a city"),
        ("f", "Adds two numbers.", "add two numbers"),
        ("f", "Searches the web", "search the web"),
        ("f", "Copies a file", "copy a file"),
        ("f", "Process a refund", "process a refund"),
        ("f", "Returns the users of a team", "give me the users of a team"),
        ("f", "Creates or updates a list", "create or update a list"),
        ("f", "Cancels a trip and refunds the fare", "cancel a trip and refund the fare"),
        ("f", "Use this tool to find a flight", "find a flight"),
        ("f", "This tool allows the user to cancel an order", "cancel an order"),
        ("f", "Used for getting the time (in UTC) of a place", "get the time of a place"),
        ("f", "Find a hotel, e.g. the Ritz", "find a hotel"),
        ("return_items", "Return some items of an order.", "return some items of an order"),
        ("search_flights", "Search direct flights by date", "search direct flights by date"),
        ("lookup_word", "Lookup a word", "look up a word"),
        ("book", "Booking of hotels", "book hotels"),
        ("f", "Updates of the order.", "update the order"),
        ("f", "Search of flights by date", "search flights by date"),
        ("get_user", "Booking of", "get the user"),
        ("f", "LIST ALL!!!", "list all"),
        ("f", "Get the time...", "get the time"),
        ("f", "Get the time?!", "get the time"),
        ("f", "Think of a number", "think of a number"),
        # The description does not say what to do.
        ("get_user", "The details of a user.", "get the user"),
        ("get_user", "Report generator", "get the user"),
        ("get_user", "Получить пользователя", "get the user"),
        ("get_user", "x" * 200, "get the user"),
        ("get_user", 'Find a "user. Or two."', "get the user"),
        ("getCurrentWeather", None, "get the current weather"),
        ("orders.cancel", None, "cancel"),
        ("order_cancel", None, "cancel the order"),
        ("web-search", None, "search the web"),
        ("account_get_balance", None, "get the balance"),
        ("transfer_to_human", None, "transfer to human"),
        ("is_prime", None, "check whether it is prime"),
        ("book_flight", None, "book the flight"),
        ("get_user_info", None, "get the user information"),
        ("weather", None, "use the weather tool"),
        ("book", None, "use the book tool"),
        ("weather_tool", None, "use the weather tool"),
        ("display_log", None, "display the log"),
        ("a-1b-2c-3d-4e-5f", None, "use the tool a-1b-2c-3d-4e-5f"),
        ("¡!", None, "use the tool ¡!"),
    ],
)
def test_a_purpose_begins_with_a_verb(name: str, description: str | None, purpose: str) -> None:
    assert tool_purpose(Tool(name, description)) == purpose


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({}, ""),
        ({"city": "Tokyo"}, "The city is Tokyo."),
        ({"city": "New York", "days": 3}, "The city is New York and the days are 3."),
        ({"userId": "x_1", "status": "new"}, "The user id is x_1 and the status is new."),
        (
            {"tags": ["a", "b"], "nums": [1, 2.5]},
            "The tags are a and b and the nums are 1 and 2.5.",
        ),
        ({"a": 1, "b": 2, "c": 3}, "The a is 1, the b is 2 and the c is 3."),
        ({"note": "a, b"}, 'The note is "a, b".'),
        ({"note": "It rains."}, 'The note is "It rains."'),
        ({"note": ""}, 'The note is "".'),
        ({"is_new": True, "include_tax": False}, "Is new: yes. Include tax: no."),
        ({"to": "Bo", "max_results": 5}, "To: Bo. Max results: 5."),
        ({"where": {"x": None}, "none": None}, 'Where: {"x":null}. None: null.'),
        ({"list": [], "options": {}, "all": [{}]}, "All: [{}]."),
        ({"options": {}}, ""),
        ({"¡": 1}, "¡: 1."),
    ],
)
def test_arguments_are_sentences(arguments: dict[str, Any], text: str) -> None:
    assert arguments_text(arguments) == text


def _tools(document: Any) -> Iterator[Tool]:
    """Whatever looks like the definition of a tool."""
    if isinstance(document, dict):
        name, about = document.get("name"), document.get("description")
        if isinstance(name, str) and isinstance(about, str):
            yield Tool(name, about)
            yield Tool(name)
    inner = document.values() if isinstance(document, dict) else document
    for each in inner if isinstance(document, dict | list) else ():
        yield from _tools(each)


def test_questions_for_the_tools_of_all_samples_are_sentences() -> None:
    documents = [msgspec.json.decode(file.read_bytes()) for file in SAMPLES.rglob("*.schemas.json")]
    documents += [
        msgspec.json.decode(file.read_bytes()) for file in SAMPLES.rglob("*request*.json")
    ]
    tools = list(dict.fromkeys((tool.name, tool.description) for tool in _tools(documents)))
    arguments = {"city": "Tokyo", "days": 3, "is_new": True}
    wrong = []
    for at, (name, description) in enumerate(tools):
        tool = Tool(name, description)
        call = ToolCall(name, arguments)
        asked = question_for_calls([call], {name: tool}, Random(at))
        ordered = question_in_order([call, call], {name: tool}, Random(at))
        for text in (asked, ordered):
            is_listed = re.search(r"\(city|city:|  |[.!?][.!?]", text)
            said = "The city is Tokyo and the days are 3. Is new: yes."
            if is_listed or not text.endswith(said) or not text[:1].isupper():
                wrong.append(text)

    assert len(tools) > 10
    assert wrong == []


def test_a_person_never_asks_to_do_a_noun() -> None:
    tools = {"weather": Tool("weather", "Weather forecasts")}
    texts = {
        question_for_calls([ToolCall("weather", {"city": "Tokyo"})], tools, Random(seed))
        for seed in range(40)
    }

    assert len(texts) == 6
    assert all("use the weather tool" in text.lower() for text in texts)
    assert all(text.endswith(" The city is Tokyo.") for text in texts)

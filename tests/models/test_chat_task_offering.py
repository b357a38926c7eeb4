"""Tools as a model is offered them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from callscore import InvalidCall, Tool
from callscore.models.chat_task import NO_TOOLS, make_tool_offer

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}
READY = {"type": "function", "function": {"name": "weather", "parameters": SCHEMA, "strict": True}}


def weather(city: str) -> str:
    """Tell the weather."""
    return f"It rains in {city}."


@pytest.mark.parametrize(
    "tools",
    [
        [{"name": "weather", "input_schema": SCHEMA}],
        [{"name": "weather", "inputSchema": SCHEMA}],
        ({"name": "weather", "input_schema": SCHEMA},),
        [Tool("weather", None, SCHEMA)],
        {"tools": [{"name": "weather", "parameters": SCHEMA}]},
    ],
)
def test_definitions_of_every_dialect_are_sent_in_openai_s_form(tools: Any) -> None:
    offer = make_tool_offer(tools)

    assert offer.definitions == (
        {"type": "function", "function": {"name": "weather", "parameters": SCHEMA}},
    )
    assert offer.names == ["weather"]
    assert offer.functions == {}


def test_definitions_may_stand_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "tools.json"
    path.write_bytes(msgspec.json.encode([READY]))

    assert make_tool_offer(path).names == ["weather"]


def test_what_is_in_openai_s_form_is_sent_as_it_is() -> None:
    assert make_tool_offer([READY, "other"]).definitions == (
        READY,
        {
            "type": "function",
            "function": {"name": "other", "parameters": {"type": "object", "properties": {}}},
        },
    )


@pytest.mark.parametrize("tools", [weather, [weather], (weather,), {"weather": weather}])
def test_a_function_is_a_tool_that_can_be_run(tools: Any) -> None:
    offer = make_tool_offer(tools)

    assert offer.functions == {"weather": weather}
    function = offer.definitions[0]["function"]
    assert function["description"] == "Tell the weather."
    assert function["parameters"]["properties"] == {"city": {"type": "string"}}


def test_functions_and_definitions_go_together() -> None:
    offer = make_tool_offer([weather, {"name": "news", "input_schema": SCHEMA}])

    assert offer.names == ["weather", "news"]
    assert list(offer.functions) == ["weather"]


def test_no_tools_are_no_offer() -> None:
    assert make_tool_offer(None) is NO_TOOLS
    assert make_tool_offer([]).definitions == NO_TOOLS.definitions == ()


def test_what_is_no_tool_is_refused() -> None:
    with pytest.raises(InvalidCall):
        make_tool_offer([{"nothing": 1}])


def test_a_function_is_known_by_what_it_does() -> None:
    plain = make_tool_offer([weather]).identity()
    in_paris = make_tool_offer([partial(weather, city="Paris")]).identity()
    in_oslo = make_tool_offer([partial(weather, city="Oslo")]).identity()

    assert "It rains in" in plain["functions"]["weather"]
    assert len({str(one) for one in (plain, in_paris, in_oslo)}) == 3
    assert make_tool_offer({"length": len}).identity()["functions"] == {"length": "len"}


def test_functions_of_one_text_that_were_made_with_other_values_differ() -> None:
    def made(currency: Any) -> Any:
        def price() -> str:
            """Tell the price."""
            return f"5 {currency}"

        return price

    euro, again, dollar = (
        make_tool_offer([made(name)]).identity() for name in ("hush", "hush", "USD")
    )

    assert euro == again
    assert euro != dollar
    assert "hush" not in str(euro["functions"])


def test_what_is_filled_in_tells_functions_apart_and_is_not_stored() -> None:
    one, other = (
        make_tool_offer([partial(weather, city=city)]).identity() for city in ("hush", "Oslo")
    )

    assert one != other
    assert "hush" not in str(one["functions"])

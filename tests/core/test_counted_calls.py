"""Whether a tool only reads, or may change something."""

from __future__ import annotations

import pytest

from callscore.core.call import Tool, ToolCall
from callscore.core.case import Group
from callscore.core.counted_calls import READ_VERBS, effect_of, effect_reason, select_counted
from callscore.core.settings import DEFAULT, Settings


@pytest.mark.parametrize(
    "name",
    [
        "get_user_details",
        "find_user_id_by_email",
        "search_direct_flight",
        "list_all_airports",
        "getWeather",
        "findUser",
        "searchWeb",
        "listFiles",
        "calculate",
        "think",
        "transfer_to_human",
        "transfer_to_human_agents",
        "transferToHumanAgent",
    ],
)
def test_the_shipped_patterns_know_lookups_by_their_names(name: str) -> None:
    assert effect_of(name, DEFAULT, {}) == "read"


@pytest.mark.parametrize(
    "name",
    [
        "book_reservation",
        "send_certificate",
        "transfer_to_bank",
        "get",
        "getaway_book",
        "listen",
        "budget_get_all",
        "GET_user",
        "calculate_and_pay",
        "rethink",
        "?",
        "",
    ],
)
def test_what_is_not_known_to_read_is_a_write(name: str) -> None:
    assert effect_of(name, DEFAULT, {}) == "write"


@pytest.mark.parametrize("verb", READ_VERBS)
def test_a_verb_that_asks_reads_in_every_spelling_of_names(verb: str) -> None:
    names = [f"{verb}_order", f"{verb}-order", f"{verb}Order", f"{verb.title()}Order"]
    others = [verb, f"{verb}er_delete", f"{verb}ing", f"{verb.title()}ed", f"set_{verb}_order"]

    assert {effect_of(name, DEFAULT, {}) for name in names} == {"read"}
    assert {effect_of(name, DEFAULT, {}) for name in others} == {"write"}


@pytest.mark.parametrize(
    "name",
    # Verbs that are reads too rarely, or were seen too rarely to know.
    ["check_order", "verify_email", "query_items", "validate_card", "run_speed_test", "is_open"],
)
def test_ambiguous_verbs_are_writes(name: str) -> None:
    assert effect_of(name, DEFAULT, {}) == "write"


def test_the_reason_names_what_decided() -> None:
    settings = Settings(effects=(("pay*", "read"),))
    tools = {"look": Tool("look", effect="read"), "pay": Tool("pay", effect="write")}

    assert effect_reason("pay", settings, tools) == ("read", "setting", "pay*")
    assert effect_reason("look", settings, tools) == ("read", "definition", None)
    assert effect_reason("get_order", settings, tools) == ("read", "name", "get_*")
    assert effect_reason("cancel", settings, tools) == ("write", "unknown", None)


def test_a_definition_counts_for_more_than_the_name() -> None:
    tools = {
        "get_lock": Tool("get_lock", effect="write"),
        "weather": Tool("weather", effect="read"),
    }

    assert effect_of("get_lock", DEFAULT, tools) == "write"
    assert effect_of("weather", DEFAULT, tools) == "read"


def test_a_definition_that_says_nothing_leaves_it_to_the_name() -> None:
    tools = {name: Tool(name) for name in ("get_user", "weather")}

    assert effect_of("get_user", DEFAULT, tools) == "read"
    assert effect_of("weather", DEFAULT, tools) == "write"


def test_the_settings_count_for_more_than_a_definition() -> None:
    settings = Settings(effects=(("weather", "write"), ("get_*", "write")))
    tools = {"weather": Tool("weather", effect="read")}

    assert effect_of("weather", settings, tools) == "write"
    assert effect_of("get_user", settings, {}) == "write"
    assert effect_of("find_user", settings, {}) == "read"


def test_of_the_settings_the_first_pattern_that_fits_decides() -> None:
    settings = Settings(effects=(("crm.delete_*", "write"), ("crm.*", "read")))

    assert effect_of("crm.delete_user", settings, {}) == "write"
    assert effect_of("crm.user", settings, {}) == "read"


def test_the_first_pattern_that_fits_any_of_the_names_decides() -> None:
    settings = Settings(
        strip_prefix=("mcp__*__",), effects=(("delete_*", "write"), ("mcp__*", "read"))
    )

    assert effect_of("mcp__s__delete_x", settings, {}) == "write"
    assert effect_of("mcp__s__put_x", settings, {}) == "read"


def test_a_turn_of_which_nothing_counts_keeps_its_place() -> None:
    turns = (Group("turn", (ToolCall("get_x"),)), Group("turn", (ToolCall("pay"),)))

    kept = select_counted(turns, (), Settings(count_calls="writes"), {})

    assert kept.expected == (Group("turn", ()), turns[1])


@pytest.mark.parametrize("settings", [DEFAULT, Settings(normalize_name=("namespace",))])
@pytest.mark.parametrize(
    ("name", "effect"),
    [
        ("search_server.delete_user", "write"),
        ("mcp__search_server__delete_user", "write"),
        ("get_things__delete_user", "write"),
        ("list_files/delete", "write"),
        ("admin.get_user", "read"),
        ("mcp__retail-tools__get_user", "read"),
        ("retail__getUser", "read"),
        ("crm/list_users", "read"),
        ("crm:search_users", "read"),
        ("functions.get_user:0", "read"),
        ("crm.get", "write"),
        ("get_user.", "read"),
    ],
)
def test_the_name_of_a_server_says_nothing_about_a_tool(
    name: str, effect: str, settings: Settings
) -> None:
    assert effect_of(name, settings, {}) == effect

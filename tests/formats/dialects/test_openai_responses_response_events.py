"""The events in which OpenAI's Responses and Realtime APIs send an answer."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.formats.dialects.openai_responses import _assemble_items, _event_of, _is_event


def event(kind: str, **more: Any) -> dict[str, Any]:
    return {"type": f"response.{kind}", "output_index": 0, **more}


def item(**more: Any) -> dict[str, Any]:
    return {"type": "function_call", "id": "fc_1", "call_id": "a", "name": "f", **more}


def test_fragments_are_put_together() -> None:
    (found,) = _assemble_items(
        [
            event("output_item.added", item=item(arguments="", status="in_progress")),
            event("function_call_arguments.delta", delta='{"x'),
            event("function_call_arguments.delta", delta='": 1}'),
        ]
    )

    assert found == item(arguments='{"x": 1}', status="incomplete")


def test_the_end_of_the_arguments_has_them_whole() -> None:
    (found,) = _assemble_items(
        [
            event("function_call_arguments.delta", delta="{"),
            event("function_call_arguments.done", arguments="{}", name="f"),
        ]
    )

    assert found == {
        "type": "function_call",
        "status": "completed",
        "arguments": "{}",
        "name": "f",
    }


def test_the_end_of_an_item_has_it_whole() -> None:
    whole = item(arguments="{}", status="completed")

    found = _assemble_items(
        [
            event("output_item.added", item=item()),
            event("function_call_arguments.delta", delta="{"),
            event("output_item.done", item=whole),
        ]
    )

    assert found == [whole]


def test_the_end_of_an_answer_has_all_of_it_unless_it_is_empty() -> None:
    sent = event("output_item.done", item=item(arguments="{}"))
    repeated = item(arguments="{ }")

    assert _assemble_items([sent, event("completed", response={"output": [repeated]})]) == [
        repeated
    ]
    assert _assemble_items([sent, event("completed", response={"output": []})]) == [sent["item"]]


def test_answers_follow_each_other() -> None:
    first, second = item(arguments="{}"), item(arguments='{"x": 1}')

    found = _assemble_items(
        [
            event("output_item.done", item=first),
            event("completed", response={}),
            event("output_item.done", item=second),
        ]
    )

    assert found == [first, second]


def test_items_without_a_place_go_by_their_id() -> None:
    found = _assemble_items(
        [
            {"type": "response.output_item.added", "item": item()},
            {"type": "response.output_item.added", "item": item(id="fc_2")},
            {"type": "response.function_call_arguments.delta", "item_id": "fc_1", "delta": "{}"},
            {"type": "response.custom_tool_call_input.delta", "item_id": None, "delta": "x"},
            {"type": "response.custom_tool_call_input.delta", "item_id": None, "delta": 3},
        ]
    )

    assert [(one.get("id"), one.get("arguments"), one.get("input")) for one in found] == [
        ("fc_1", "{}", None),
        ("fc_2", None, None),
        (None, None, "x"),
    ]


def test_what_a_client_hands_in_to_a_live_session_is_kept() -> None:
    output = {"type": "function_call_output", "call_id": "a", "output": "18C"}

    found = _assemble_items(
        [
            {"type": "conversation.item.create", "item": output},
            {"type": "conversation.item.created", "item": item()},
            "no event",
        ]
    )

    assert found == [output]


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {},
        {"type": 3},
        {"type": "message"},
        {"data": []},
        {"type": "x", "data": event("a")},
    ],
)
def test_what_is_no_event_is_none(value: Any) -> None:
    assert not _is_event(value)


def test_an_event_may_be_wrapped() -> None:
    assert _event_of({"event": "response.created", "data": event("created")}) == event("created")

"""Documents of a known dialect, and of one that the user names."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

from callscore.core.call import ToolCall
from callscore.errors import InvalidCall, UnknownFormat
from callscore.formats.dialect import dialect_named
from callscore.formats.reading import read_as, read_document, read_named
from callscore.formats.trace import Trace, Wanted

ANTHROPIC = dialect_named("anthropic")
MESSAGE = {
    "role": "assistant",
    "content": [{"type": "tool_use", "id": "1", "name": "f", "input": {}}],
}


@pytest.mark.parametrize(
    ("fields", "name", "trial"),
    [
        ({"id": "a"}, "a", None),
        ({"task_id": 7, "trial": 2}, "7", 2),
        ({"id": "a", "trial": []}, "a", None),
        ({"trial": 1}, None, None),
        ({"id": []}, None, None),
    ],
)
def test_a_record_that_keeps_messages_names_the_run(
    fields: dict[str, Any], name: str | None, trial: int | None
) -> None:
    (trace,) = read_as(ANTHROPIC, {**fields, "messages": [MESSAGE]})

    assert (trace.id, trace.trial) == (name, trial)


def test_the_id_of_an_answer_is_no_name_of_a_run() -> None:
    answer = {"id": "msg_1", "type": "message", "stop_reason": "tool_use", **MESSAGE}

    assert read_as(ANTHROPIC, answer)[0].id is None


def test_a_dialect_that_breaks_is_named() -> None:
    def broken(*_: Any) -> list[Trace]:
        raise KeyError("puffs")

    def bottomless(*_: Any) -> list[Trace]:
        raise RecursionError

    with pytest.raises(
        InvalidCall, match=r"the format anthropic broke on it \(KeyError: 'puffs'\)"
    ):
        read_as(structs.replace(ANTHROPIC, read=broken), {})
    with pytest.raises(InvalidCall, match="nested too deeply"):
        read_as(structs.replace(ANTHROPIC, read=bottomless), {})


def test_calls_that_are_not_wanted_are_left_out_on_both_sides() -> None:
    calls = (ToolCall("f", {}), ToolCall("g", {}, caller="user"), ToolCall("h", {}, kind="server"))
    both = structs.replace(ANTHROPIC, read=lambda *_: [Trace(calls=calls, expected=calls)])

    (trace,) = read_as(both, {})
    (without,) = read_as(both, {}, Wanted(leave_out=("server",)))
    (whole,) = read_as(both, {}, Wanted(leave_out=()))

    assert trace.calls == trace.expected == (calls[0], calls[2])
    assert without.calls == calls[:2]
    assert whole.calls == calls


def test_a_document_of_another_kind_is_refused_where_a_format_is_named() -> None:
    assert read_named(ANTHROPIC, [MESSAGE])[0].calls
    assert read_named(ANTHROPIC, {"tools": [{"name": "f", "input_schema": {}}]})[0].calls == ()
    with pytest.raises(UnknownFormat, match=r"this is not anthropic\. It looks like gemini\."):
        read_named(ANTHROPIC, {"candidates": [{"content": {"parts": [{"text": "x"}]}}]})
    with pytest.raises(UnknownFormat, match=r"this is not anthropic\. no format recognises 5"):
        read_named(ANTHROPIC, 5)


def test_of_a_list_of_documents_each_is_read() -> None:
    documents = [{"id": name, "messages": [MESSAGE]} for name in "ab"]

    assert [trace.id for trace in read_document(documents)] == ["a", "b"]
    with pytest.raises(UnknownFormat):
        read_document([*documents, {"colour": 1}])

"""Recorded server-sent events."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.core.call import Malformed
from callscore.sources.text_document import looks_like_events, read_events

STREAM = """\
: keep-alive

event: message_start
id: 1
data: {"type": "message_start"}

data:{"type": "content_block_delta"}

retry: 3000
event: ping

data: [DONE]

"""
EVENTS = [{"type": "message_start"}, {"type": "content_block_delta"}]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_the_data_of_each_event_is_decoded(line_end: str) -> None:
    assert read_events(STREAM.replace("\n", line_end)) == EVENTS


def test_the_last_event_needs_no_blank_line() -> None:
    assert read_events('data: {"a": 1}\n\ndata: {"a": 2}') == [{"a": 1}, {"a": 2}]


def test_data_on_several_lines_is_joined() -> None:
    assert read_events('data: {"a":\ndata: 1}\n\n') == [{"a": 1}]


def test_events_without_blank_lines_between_them_are_told_apart() -> None:
    assert read_events('data: {"a": 1}\ndata: {"a": 2}\ndata: [DONE]\n') == [{"a": 1}, {"a": 2}]


def test_a_separator_that_only_unicode_knows_is_not_the_end_of_a_line() -> None:
    assert read_events('data: {"a": "x\u2028y\x85z"}\n\n') == [{"a": "x\u2028y\x85z"}]


def test_data_that_is_not_json_is_text_and_data_that_was_cut_off_is_marked() -> None:
    events = read_events('data: hello\n\ndata: {"a": 1}\n\ndata: {"a": \n')

    problem = "the event ends in the middle of an object, was the file cut off?"
    assert events == ["hello", {"a": 1}, Malformed('{"a": ', problem)]


def test_what_is_malformed_in_the_data_is_marked() -> None:
    assert read_events('data: {"a": NaN}\n\n') == [
        {"a": Malformed("NaN", "NaN is not a JSON number")}
    ]
    assert read_events('data: ["caf\udce9"]\n\n') == [
        [Malformed('"caf\\xed\\xb3\\xa9"', "bytes that are not UTF-8")]
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Hello",
        'data: {"a": 1}\nexpected: []\n',
        'Here it is:\ndata: {"a": 1}\n',
        "id: a\nevent: b\n",
        "data: hello\n\n",
        "data: [DONE]\n\n",
    ],
)
def test_any_other_text_is_not_a_stream_of_events(text: str) -> None:
    assert read_events(text) is None


@pytest.mark.parametrize(
    ("data", "is_like_events"),
    [
        (b"data: {}", True),
        (b"event:x", True),
        (b"id: 5", True),
        (b"retry: 5", True),
        (b": comment", True),
        (b"expected: []", False),
        (b"data", False),
        (b"", False),
        (b"\xff\xff", False),
    ],
)
def test_the_first_field_tells_whether_events_may_follow(data: bytes, is_like_events: bool) -> None:
    assert looks_like_events(data) == is_like_events


@given(
    st.lists(
        st.sampled_from(["data: ", "event", ":", "{", "}", "[1]", "\n", "\r", '"a"', "\udce9"])
    )
)
def test_any_text_is_events_or_not(pieces: list[str]) -> None:
    events: Any = read_events("".join(pieces))

    assert events is None or isinstance(events, list)

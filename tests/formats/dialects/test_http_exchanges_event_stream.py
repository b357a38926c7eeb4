"""Texts that a server sent piece by piece."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.formats.dialects.http_exchanges import _read_body, _read_events


@pytest.mark.parametrize(
    ("text", "events"),
    [
        ('event: a\ndata: {"x": 1}\n\nevent: b\ndata: {"x": 2}\n\n', [{"x": 1}, {"x": 2}]),
        ('data: {"x": 1}\r\n\r\ndata: [DONE]\r\n\r\n', [{"x": 1}]),
        ('data: {"x":\ndata: 1}\n', [{"x": 1}]),
        ('data: {"x": 1}\ndata: {"x": 2}', [{"x": 1}, {"x": 2}]),
        ('data: {"x": "a\u2028b"}\n\n', [{"x": "a\u2028b"}]),
        ("data: \n\n", []),
        ("text", None),
        ("", None),
    ],
)
def test_the_values_of_a_stream_are_those_behind_data(text: str, events: Any) -> None:
    assert _read_events(text) == events


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"x": 1}', {"x": 1}),
        ('data: {"x": 1}\n\n', [{"x": 1}]),
        ('{"x": 1}\n\n{"x": 2}\n', [{"x": 1}, {"x": 2}]),
        ("<html>\n</html>", "<html>\n</html>"),
        ('{"x": 1}\ntext', '{"x": 1}\ntext'),
        ("", ""),
        ("[" * 100_000, "[" * 100_000),
    ],
)
def test_a_body_is_json_or_a_stream_or_lines_or_text(text: str, value: Any) -> None:
    assert _read_body(text) == value

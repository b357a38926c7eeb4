"""What a receiver writes: each accepted span once, in one line for each trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.receiving.made_up import (
    Clock,
    a_receiver,
    a_request,
    a_span,
    a_tool_span,
    lines_of,
    span_ids,
    trace_id,
)
from tests.receiving.serving import LIMITS, ask, serving

from callscore import InvalidSettings, read_calls, score_joined
from callscore.receiving.otlp import JSON
from callscore.receiving.traces import Limits

if TYPE_CHECKING:
    from pathlib import Path

AGENT: dict[str, Any] = {"gen_ai__operation__name": "invoke_agent"}
CASE: dict[str, Any] = {"callscore__case_id": "paris"}


def test_a_trace_is_a_line_with_its_calls_and_spans(tmp_path: Path) -> None:
    with serving(tmp_path) as running:
        running.send(a_tool_span(1, 2, 1, "get_weather", '{"city": "Paris"}'))
        running.send(a_span(1, 1, **AGENT, **CASE), a_span(2, 1, name="GET /health"))
        running.send(a_span(1, 3, 1), resource={"service.name": "other"})
        running.wait(0.9)
        assert lines_of(tmp_path / "t.jsonl") == []
        running.wait(0.1)
        line, other = lines_of(tmp_path / "t.jsonl")

    assert len(line["resourceSpans"]) == 2  # one for each service
    assert sorted(span_ids(line)) == [f"{number:016x}" for number in (1, 2, 3)]
    assert {name: line[name] for name in line if name != "resourceSpans"} == {
        "id": "paris",
        "trace_id": trace_id(1),
        "closed_by": "root",
        "actual": [{"name": "get_weather", "arguments": {"city": "Paris"}, "id": "call_2"}],
    }
    assert (other["id"], other["actual"]) == (trace_id(2), [])
    assert [call.name for call in read_calls(line)] == ["get_weather"]


@pytest.mark.parametrize(
    ("spans", "resource", "name"),
    [
        ([a_span(1, 1), a_span(1, 2, 1, **CASE)], None, "paris"),
        ([a_span(1, 1)], {"callscore.case_id": "rome"}, "rome"),
        ([a_span(1, 1, **CASE)], {"callscore.case_id": "rome"}, "paris"),
        ([a_span(1, 2, 1, callscore__case_id="b"), a_span(1, 1, **CASE)], None, "paris"),
        (
            [a_span(1, 2, 1, callscore__case_id="b"), a_span(1, 3, 1, callscore__case_id="c")],
            None,
            trace_id(1),
        ),
    ],
)
def test_the_root_names_the_case_before_others_do(
    tmp_path: Path, spans: list[dict[str, Any]], resource: dict[str, str] | None, name: str
) -> None:
    with serving(tmp_path) as running:
        running.send(*spans, resource=resource)

    (line,) = lines_of(tmp_path / "t.jsonl")
    assert line["id"] == name


def test_a_trace_is_complete_by_its_root_or_later_by_silence_age_size_or_the_end(
    tmp_path: Path,
) -> None:
    limits = Limits(settle=1, quiet=10, max_age=30, max_trace_bytes=20_000, max_body_bytes=100_000)
    with serving(tmp_path, limits=limits) as running:
        running.send(a_span(1, 1), a_span(2, 2, 1), a_span(3, 2, 1))
        running.send(a_span(4, 2, 1, text="x" * 20_000))
        for second in range(6):
            running.wait(6)
            running.send(a_span(3, second + 3, 1))
        running.send(a_span(5, 2, 1))

    lines = lines_of(tmp_path / "t.jsonl")
    found = {line["trace_id"]: line["closed_by"] for line in lines if "part" not in line}
    reasons = ["root", "quiet", "age", "size", "shutdown"]
    assert [found[trace_id(number)] for number in range(1, 6)] == reasons


@settings(max_examples=15)
@given(st.data())
def test_every_accepted_span_is_written_once_whatever_happens(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("run")
    accepted: set[tuple[str, str]] = set()
    pairs = st.tuples(st.integers(1, 4), st.integers(1, 5))
    for _ in range(data.draw(st.integers(1, 3))):  # restarts
        with serving(folder) as running:
            for _ in range(data.draw(st.integers(0, 5))):
                chosen = data.draw(st.lists(pairs, min_size=1, max_size=4))
                spans = [a_span(trace, span, None if span == 1 else 1) for trace, span in chosen]
                assert running.send(*spans) == 200
                accepted |= {(span["traceId"], span["spanId"]) for span in spans}
                running.wait(data.draw(st.sampled_from([0, 0.5, 1, 10])))

    lines = lines_of(folder / "t.jsonl")
    assert sorted((line["trace_id"], span) for line in lines for span in span_ids(line)) == sorted(
        accepted
    )
    names = [line["id"] for line in lines]
    assert len(set(names)) == len(names)  # what comes late is a part with an id of its own


def test_secrets_of_the_environment_are_hidden(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-3f9a77d1c2e84b06")
    with serving(tmp_path) as running:
        running.send(
            a_span(1, 1, **AGENT), a_tool_span(1, 2, 1, "login", '{"key": "sk-3f9a77d1c2e84b06"}')
        )

    text = (tmp_path / "t.jsonl").read_bytes()
    assert b"3f9a77d1c2e84b06" not in text
    assert text.count(b"[hidden ") == 2


def test_the_file_is_scored_as_traces(tmp_path: Path) -> None:
    references = tmp_path / "references.jsonl"
    expected = [
        {"id": name, "expected": [["f", {"x": name}]]} for name in ("paris", "rome", "oslo")
    ]
    references.write_bytes(msgspec.json.Encoder().encode_lines(expected))
    with serving(tmp_path) as running:
        for trace, (case, made) in enumerate([("paris", "paris"), ("rome", "?")], 1):
            running.send(
                a_span(trace, 1, **AGENT, callscore__case_id=case),
                a_tool_span(trace, 2, 1, "f", f'{{"x": "{made}"}}'),
            )

    results = score_joined(references, tmp_path / "t.jsonl", show="all")

    assert {case.id: case.required_score.f1 for case in results.cases} == {
        "paris": 1.0,
        "rome": 0.0,
    }
    assert results.not_run.names == ("oslo",)


def test_requests_that_cannot_be_read_change_nothing(tmp_path: Path) -> None:
    span = a_span(1, 1)
    wrong = [
        b"{",
        b"[]",
        b'{"resourceSpans": 5}',
        b'{"resourceSpans": [{"resource": [], "scopeSpans": []}]}',
        b'{"resourceSpans": [{"scopeSpans": [{"spans": [{"x": "\xff"}]}]}]}',
        b'{"x": ' + b"[" * 40_000 + b"]" * 40_000 + b"}",
    ]
    with serving(tmp_path, limits=LIMITS) as running:
        statuses = [ask(running.server, body, kind=JSON).status for body in wrong]
        for name, value in [("traceId", ""), ("spanId", "zz"), ("traceId", "0" * 32)]:
            body = msgspec.json.encode(a_request(span | {name: value}, a_span(2, 2)))
            refused = ask(running.server, body, kind=JSON).data["partialSuccess"]
            assert refused["rejectedSpans"] == "1"
            assert name in refused["errorMessage"]

    assert statuses == [400] * len(wrong)
    assert [span_ids(line) for line in lines_of(tmp_path / "t.jsonl")] == [[f"{2:016x}"]]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"# Notes\n", "the last line is not a JSON object"),
        (b'{"a":1}\n{"b": "and so on', "the last line is not a JSON object"),
        (b"\xff\n", "the last line is not a JSON object"),
    ],
)
def test_a_file_of_something_else_is_refused_and_stays_as_it_is(
    tmp_path: Path, content: bytes, problem: str
) -> None:
    (tmp_path / "t.jsonl").write_bytes(content)

    with pytest.raises(InvalidSettings, match=problem):
        a_receiver(tmp_path / "t.jsonl", Clock())

    assert (tmp_path / "t.jsonl").read_bytes() == content


def test_two_receivers_do_not_share_an_output(tmp_path: Path) -> None:
    with serving(tmp_path), pytest.raises(InvalidSettings, match="another receiver"):
        a_receiver(tmp_path / "t.jsonl", Clock())

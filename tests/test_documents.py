"""Documents from anywhere."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

import callscore
from callscore.documents import read_documents, to_document, tools_in, traces_in
from callscore.errors import (
    InvalidCall,
    InvalidSettings,
    UnknownFormat,
    UnreadableInput,
    UnreadCalls,
)
from callscore.formats.dialect import dialect_named

TOOL = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
CALL = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
MESSAGES: list[dict[str, Any]] = [
    {"role": "user", "content": "x"},
    {"role": "assistant", "tool_calls": [CALL]},
]
REQUEST = {"messages": MESSAGES, "tools": [TOOL]}
RPC = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "f"}}


def names(value: Any, **options: Any) -> list[str]:
    return [call.name for call in callscore.read_calls(value, **options)]


def lines(*values: Any) -> bytes:
    return b"\n".join(map(msgspec.json.encode, values)) + b"\n"


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def write(data: bytes, name: str = "log.jsonl") -> Path:
        (tmp_path / name).write_bytes(data)
        return tmp_path / name

    return write


@pytest.mark.parametrize(
    "value",
    [
        REQUEST,
        msgspec.json.encode(REQUEST).decode(),
        msgspec.json.encode(REQUEST),
        bytearray(msgspec.json.encode(REQUEST)),
        SimpleNamespace(messages=[SimpleNamespace(**message) for message in MESSAGES]),
        [REQUEST],
        lines(*MESSAGES).decode(),
    ],
)
def test_a_document_may_be_handed_over_in_any_shape(value: Any) -> None:
    assert names(value) == ["f"]


@pytest.mark.parametrize("value", [None, [], "[]", "null"])
def test_none_an_empty_list_and_json_null_hold_no_calls_and_no_tools(value: Any) -> None:
    assert names(value) == []
    assert callscore.read_tools(value) == []


def test_a_text_that_no_format_recognizes_is_refused() -> None:
    with pytest.raises(UnknownFormat, match=r"unknown format: 'Hello there\.'"):
        callscore.read_calls("Hello there.")


def test_tools_are_read_from_documents_lists_and_files(write: Any) -> None:
    tool = callscore.Tool("f", None, {"type": "object"})

    assert callscore.read_tools(REQUEST) == [tool]
    assert callscore.read_tools([TOOL]) == [tool]
    assert callscore.read_tools([REQUEST, REQUEST]) == [tool]
    assert callscore.read_tools(write(lines(REQUEST, REQUEST))) == [tool]
    assert tools_in(REQUEST, format="openai_chat") == [tool]


def test_a_format_can_be_named(write: Any) -> None:
    assert names(REQUEST, format="openai_chat") == ["f"]
    assert names(write(lines(REQUEST)), format="openai_chat") == ["f"]
    with pytest.warns(UnreadCalls, match="'tool_calls' .* Likely format: openai_chat"):
        assert names(REQUEST, format="gemini") == []
    with pytest.raises(InvalidSettings, match="unknown format 'openai'"):
        names(REQUEST, format="openai")


def test_a_file_may_hold_one_document_a_line(write: Any) -> None:
    file = write(lines(REQUEST, REQUEST))

    documents = list(read_documents(file))

    assert [document.place for document in documents] == [f"{file}:1", f"{file}:2"]
    assert {document.dialect.name for document in documents} == {"openai_chat"}


def test_a_file_may_hold_one_document_in_many_lines(write: Any) -> None:
    answer = {"jsonrpc": "2.0", "id": 1, "result": {"content": [], "isError": True}}
    file = write(lines(RPC, answer))

    (document,) = read_documents(file)
    (trace,) = traces_in(file)

    assert (document.place, document.value) == (str(file), [RPC, answer])
    assert trace.calls
    assert trace.calls[0].failed


def test_all_lines_together_tell_more_than_the_first(write: Any) -> None:
    answer = {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "1", "name": "f", "input": {}}],
    }

    (document,) = read_documents(write(lines(MESSAGES[0], answer)))

    assert document.dialect.name == "anthropic"
    assert names(write(lines(MESSAGES[0], answer))) == ["f"]


def test_the_first_lines_of_a_file_wait_for_one_that_tells(write: Any) -> None:
    file = write(lines({"colour": 1}, RPC))
    bad: list[str] = []

    (document,) = read_documents(file)
    (other,) = read_documents(
        write(lines({"colour": 1}, REQUEST)), on_bad=lambda place, _: bad.append(place)
    )

    assert document.value == [{"colour": 1}, RPC]
    assert other.value == REQUEST
    assert bad == [f"{file}:1"]


def test_lines_do_not_wait_for_ever(write: Any) -> None:
    bad: list[str] = []
    file = write(lines(*[{"colour": 1}] * 2_500))

    assert list(read_documents(file, on_bad=lambda place, _: bad.append(place))) == []
    assert len(bad) == 2_500


def test_a_list_may_be_one_document_or_many(write: Any) -> None:
    one = list(read_documents(write(msgspec.json.encode(MESSAGES), "one.json")))
    many = list(read_documents(write(msgspec.json.encode([REQUEST, REQUEST]), "many.json")))

    assert [document.value for document in one] == [MESSAGES]
    assert [document.value for document in many] == [REQUEST, REQUEST]


def test_a_named_format_takes_a_list_as_it_is(write: Any) -> None:
    file = write(msgspec.json.encode([5]), "x.json")

    (document,) = read_documents(file, dialect=dialect_named("gemini"))

    assert document.value == [5]


def test_an_unreadable_line_raises_or_is_passed_to_on_bad(write: Any) -> None:
    file = write(lines(REQUEST) + b"{oops\n" + lines({"colour": 1}, REQUEST))
    told: list[str] = []

    with pytest.raises(UnreadableInput, match=r"log.jsonl:2:2: not JSON"):
        list(read_documents(file))
    found = list(read_documents(file, on_bad=lambda place, _: told.append(place)))

    assert len(found) == 2
    assert [place.removeprefix(str(file)) for place in told] == [":2:2", ":3"]


def test_options_reach_the_reader() -> None:
    message = {"role": "assistant", "tool_calls": [CALL]}
    other = {"id": "2", "type": "function", "function": {"name": "g", "arguments": "{}"}}
    response = {
        "choices": [{"message": message}, {"message": {"role": "assistant", "tool_calls": [other]}}]
    }
    history = [*MESSAGES, {"role": "tool", "tool_call_id": "1", "content": "failed: x"}]

    assert names(response) == ["f"]
    assert names(response, candidate=1) == ["g"]
    assert callscore.read_calls(history)[0].failed is False
    assert callscore.read_calls(history, failure="^failed")[0].failed


def test_whose_calls_are_left_out_can_be_chosen() -> None:
    calls: list[dict[str, Any]] = [
        {"id": who, "name": who, "arguments": {}, "requestor": who} for who in ("assistant", "user")
    ]
    messages = [
        {"role": "assistant", "content": None, "tool_calls": calls[:1]},
        {"role": "user", "content": None, "tool_calls": calls[1:]},
    ]
    simulation = {"id": "s", "task_id": "t", "messages": messages, "reward_info": {}}

    assert names(simulation, format="tau2") == ["assistant"]
    assert names(simulation, format="tau2", leave_out=()) == ["assistant", "user"]


def test_text_is_decoded_only_as_far_as_it_is_json() -> None:
    assert to_document("plain words") == "plain words"
    assert to_document('{"a": 1}') == {"a": 1}
    assert to_document(5) == 5


def test_lines_that_do_not_belong_together_are_not_put_together(write: Any) -> None:
    part = {"functionCall": {"name": "g"}}
    gemini = {"candidates": [{"content": {"role": "model", "parts": [part]}}]}
    claude = {
        "type": "message",
        "role": "assistant",
        "stop_reason": "tool_use",
        "content": [{"type": "tool_use", "id": "1", "name": "h", "input": {}}],
    }

    assert names(write(lines(*MESSAGES, gemini, claude, REQUEST))) == ["f", "g", "h", "f"]
    assert names(write(lines(gemini, claude, *MESSAGES))) == ["g", "h", "f"]


def test_a_log_line_among_messages_is_no_call(write: Any) -> None:
    file = write(lines({"level": "info", "msg": "start"}, *MESSAGES))
    bad: list[str] = []

    found = list(read_documents(file, on_bad=lambda place, _: bad.append(place)))

    assert [document.value for document in found] == [MESSAGES]
    assert bad == [f"{file}:1"]


def test_the_name_of_a_file_as_text_gets_a_hint() -> None:
    with pytest.raises(UnknownFormat, match=r"If it is a file name, pass it as Path\(...\)"):
        names("run.json")


def test_a_format_that_a_document_is_not_in_is_refused() -> None:
    others: list[Any] = [MESSAGES, {"candidates": []}, {"colour": 1}]
    for document in others:
        with pytest.raises(UnknownFormat, match="the document is not in the format 'anthropic'"):
            names(document, format="anthropic")
    assert names("Sorry.", format="text_hermes") == []


def test_streams_and_sets_may_be_handed_over() -> None:
    assert names(iter(MESSAGES)) == ["f"]
    assert callscore.score(["f"], bytearray(msgspec.json.encode(MESSAGES))).f1 == 1
    assert callscore.score(["f"], {"f"}).f1 == 1


def test_files_may_be_scored_from_python(write: Any) -> None:
    golden = write(msgspec.json.encode([{"name": "f"}, {"name": "g"}]), "g.json")
    run = write(msgspec.json.encode(MESSAGES), "r.json")

    assert callscore.score(golden, run).recall == 0.5


def test_a_file_that_is_broken_cannot_be_scored(write: Any) -> None:
    with pytest.raises(UnreadableInput, match=r"log.jsonl:1:2: not JSON"):
        callscore.score([], write(b"{oops\n"))


def test_lines_that_nobody_knows_stay_with_their_neighbours(write: Any) -> None:
    note = {"colour": 1}
    answer = {"jsonrpc": "2.0", "id": 1, "result": {"content": []}}

    (document,) = read_documents(write(lines(RPC, note, note, answer)))

    assert document.value == [RPC, note, note, answer]


@pytest.mark.parametrize("as_bytes", [False, True])
def test_a_duplicate_key_in_the_text_of_an_expectation_is_refused(as_bytes: bool) -> None:
    text = '[{"name": "f", "name": "g"}]'

    with pytest.raises(InvalidCall, match="duplicate key 'name'"):
        callscore.score(text.encode() if as_bytes else text, [])
    with pytest.raises(InvalidCall, match="duplicate key 'name'"):
        callscore.score('{"id": 1}\n{"name": "f", "name": "g"}', [])
    assert callscore.score([], text).actual[0].name == "g"


def test_a_colon_in_a_text_is_no_duplicate() -> None:
    assert callscore.score('[{"name": "f", "arguments": {"a": "\\u003a"}}]', []).missed


def test_expected_arguments_as_text_have_no_duplicate_key() -> None:
    with pytest.raises(InvalidCall, match="the arguments of 'f' have a duplicate key"):
        callscore.score([{"name": "f", "arguments": '{"a": 1, "a": 2}'}], [])


def test_a_duplicate_key_in_the_definitions_of_tools_is_refused(write: Any) -> None:
    tools = b'[{"name": "f", "parameters": {"type": "object", "type": "array"}}]'
    for name, text in (("t.json", tools), ("t.jsonl", tools[1:-1]), ("golden.json", tools)):
        with pytest.raises(UnreadableInput, match=r"duplicate key 'type'"):
            callscore.score([], [], tools=write(text, name))
    with pytest.raises(UnreadableInput, match=r"g.json:1:\d+: duplicate key 'name'"):
        callscore.score(write(b'[{"name": "f", "name": "g"}]', "g.json"), [])


@pytest.mark.parametrize(
    "text",
    [
        '{"id": "a", "id": "b", "expected": ["f"], "actual": ["f"]}',
        '[{"id": "a", "expected": ["f"], "actual": [{"name": "f", "arguments": {"x": 1, "x": 2}}]}]',
        '[{"name": "f", "description": "d", "description": "e", "parameters": {"type": "object"}}]',
    ],
)
def test_a_duplicate_key_in_a_file_of_cases_or_tools_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.json").write_text(text)

    with pytest.raises(UnreadableInput, match="duplicate key"):
        list(read_documents(tmp_path / "a.json"))


def test_of_a_list_of_cases_only_those_with_a_duplicate_key_are_bad(tmp_path: Path) -> None:
    good = '{"id": "a", "expected": ["f"], "actual": ["f"]}'
    (tmp_path / "a.json").write_text(f"[{good}, {good.replace('actual', 'expected')}, {good}]")
    bad: list[str] = []

    found = list(read_documents(tmp_path / "a.json", on_bad=lambda _, problem: bad.append(problem)))

    assert len(found) == 2
    assert bad == ["duplicate key 'expected'. Remove one of them."]


def test_definitions_in_a_text_have_no_key_twice() -> None:
    text = '{"name": "f", "description": "d", "parameters": {"type": "object", "type": "object"}}'

    with pytest.raises(InvalidCall, match="duplicate key 'type'"):
        tools_in(text)


# --- the files of coding agents ----------------------------------------------------------------

SAMPLES = Path(__file__).parent / "samples/formats"
IN_LINES = [
    "claude_code/claude_code_session",
    "cline_ui/cline_ui_messages",
    "codex/codex_exec_messages",
    "codex/codex_first_rollouts",
    "codex/codex_rollout",
    "gemini_cli/gemini_cli_session_lines",
    "gemini_cli/gemini_cli_stream_json",
    "gemini_cli/gemini_cli_telemetry",
    "goose/goose_session_lines",
    "goose/goose_stream_json",
    "opencode/opencode_events",
    "opencode/opencode_run_lines",
    "openhands/openhands_events",
    "openhands_sdk/openhands_sdk_events",
]


@pytest.mark.parametrize("sample", IN_LINES)
def test_the_lines_that_an_agent_writes_are_one_document(sample: str, write: Any) -> None:
    document = msgspec.json.decode((SAMPLES / f"{sample}.json").read_bytes())

    [found] = read_documents(write(lines(*document)))

    assert (found.dialect.name, found.value) == (sample.partition("/")[0], document)


@pytest.mark.parametrize(
    "sample",
    [
        "gemini_cli/gemini_cli_session",
        "goose/goose_session_export",
        "mini_swe_agent/mini_swe_agent_tool_calls",
        "opencode/opencode_export",
        "openhands/openhands_output_line",
        "swe_agent/swe_agent_function_calling",
    ],
)
def test_a_line_may_be_a_whole_session(sample: str, write: Any) -> None:
    document = msgspec.json.decode((SAMPLES / f"{sample}.json").read_bytes())

    found = list(read_documents(write(lines(document, document))))

    assert [one.dialect.name for one in found] == [sample.partition("/")[0]] * 2


@pytest.mark.parametrize(
    ("name", "sample", "format_name"),
    [
        ("run.traj", "swe_agent/swe_agent_text_actions", "swe_agent"),
        ("run.traj.json", "mini_swe_agent/mini_swe_agent_first_version", "mini_swe_agent"),
        (".aider.chat.history.md", "aider/aider_chat_history", "aider"),
        (".aider.llm.history", "aider/aider_llm_history", "aider"),
        ("cline_task.md", "cline/cline_export_tags", "cline"),
    ],
)
def test_a_file_is_known_by_its_content_whatever_its_suffix(
    name: str, sample: str, format_name: str, write: Any
) -> None:
    data = (SAMPLES / f"{sample}.json").read_bytes()
    document = msgspec.json.decode(data)

    [found] = read_documents(write(document.encode() if isinstance(document, str) else data, name))

    assert found.dialect.name == format_name


def test_telemetry_is_a_row_of_indented_objects(write: Any) -> None:
    document = msgspec.json.decode((SAMPLES / "gemini_cli/gemini_cli_telemetry.json").read_bytes())
    data = b"".join(msgspec.json.format(msgspec.json.encode(one)) + b"\n" for one in document)

    [found] = read_documents(write(data, "telemetry.log"))

    assert (found.dialect.name, found.value) == ("gemini_cli", document)


def log(*values: Any) -> str:
    return "".join(
        f"2026-01-02T03:04:05Z [info] {msgspec.json.encode(value).decode()}\n" for value in values
    )


@pytest.mark.parametrize("name", ["x.log", "x.txt", "x", "x.jsonl", "x.log.1"])
def test_a_log_has_traces_behind_its_prefixes_and_other_values(write: Any, name: str) -> None:
    path = write(log({"note": 1}, REQUEST, {"note": 2}).encode(), name)

    assert names(path) == ["f"]


def test_a_log_in_a_text_is_read_like_its_file() -> None:
    answer = {"jsonrpc": "2.0", "id": 1, "result": {"content": []}}

    (call,) = callscore.read_calls(
        f"started\nSTDIN: {msgspec.json.encode(RPC).decode()}\n" + log(answer)
    )

    assert (call.name, call.result) == ("f", [])
    assert names(log({"note": 1}, *MESSAGES)) == ["f"]
    assert names(log({"note": 1}, *MESSAGES).encode()) == ["f"]
    with pytest.raises(InvalidCall, match="cut off"):
        names(log(RPC)[:-12])


def test_a_log_without_any_trace_is_an_error(write: Any) -> None:
    with pytest.raises(UnreadableInput, match="no value in this log is a trace"):
        names(write(log({"note": 1}).encode(), "x.log"))


def test_a_compressed_log_is_read_and_a_compressed_text_still_limited(write: Any) -> None:
    import gzip

    assert names(write(gzip.compress(log(REQUEST).encode()), "x.log.gz")) == ["f"]
    with pytest.raises(UnreadableInput, match="larger than 1M, unpacked"):
        names(write(gzip.compress(b"a: b\n" + b"# comment\n" * 200_000), "x.gz"))


@pytest.mark.parametrize("key", ["results", "data", "items", "rows", "traces"])
def test_traces_may_be_in_a_list_of_results(write: Any, key: str) -> None:
    page = {key: [REQUEST, REQUEST], "total": 2}

    assert names(page) == ["f", "f"]
    assert names(write(msgspec.json.encode(page), "x.json")) == ["f", "f"]
    assert names(write(lines(page, page))) == ["f"] * 4


def test_a_result_of_unknown_format_is_reported(write: Any) -> None:
    page = {"results": [REQUEST, {"note": 1}]}

    with pytest.raises(UnknownFormat, match="'note'"):
        names(page)
    with pytest.raises(UnreadableInput, match=r"x.json\[1\]: unknown format"):
        names(write(msgspec.json.encode(page), "x.json"))


def docker(text: str, stream: str = "stdout") -> dict[str, str]:
    return {"log": text, "stream": stream, "time": "2026-01-02T03:04:05Z"}


def test_lines_of_a_container_are_a_log(write: Any) -> None:
    text = msgspec.json.encode(REQUEST).decode()
    records = [
        docker("started\n"),
        docker(text[:9]),
        docker("x\n", "stderr"),
        docker(text[9:] + "\n"),
    ]

    assert names(write(lines(*records))) == ["f"]
    assert names(write(lines(*records, docker(text)))) == ["f", "f"]  # the last line does not end
    with pytest.raises(UnknownFormat):
        names(write(lines(*records)), format="openai_chat")

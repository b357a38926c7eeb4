"""`callscore mcp`, started as a client starts it and asked by the official client."""

from __future__ import annotations

import http.client
import os
import pty
import signal
import subprocess
import sys
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

import jsonschema_rs
import mcp_types
import msgspec
import pytest
from anyio.from_thread import start_blocking_portal
from mcp import Client, StdioServerParameters
from tests.e2e.histories import add_run
from tests.e2e.processes import is_running, wait_until

import callscore as library
from callscore.history.opening import open_store
from callscore.integrations.tools import explain_score, score_tool_calls

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from anyio.from_thread import BlockingPortal
    from tests.e2e.conftest import Program

SOURCE = str(Path(__file__).parents[2] / "src")
ENVIRONMENT = {**os.environ, "PYTHONPATH": SOURCE}
COMMAND = [sys.executable, "-m", "callscore", "mcp"]
WAIT = 300  # seconds, on a machine that is busy with other things

SEARCH = {"tool": "searchWeb", "args": {"query": "AI news"}}
SUMMARY = {"tool": "summarize", "args": {"text": "long article..."}}
OTHER = {"tool": "summarize", "args": {"text": "different text"}}
TRANSLATION = {"tool": "translateText", "args": {"text": "héllo 🙂", "to": None}}
EXAMPLE = {"expected": [SEARCH, SUMMARY], "actual": [SEARCH, OTHER, TRANSLATION]}
TOOLS = [{"name": "searchWeb", "parameters": {"type": "object", "required": ["query"]}}]


# The server, with workers in which a call that names a file works until that exists, and says so.
WORKER = """
import os, sys, time; sys.path[:] = sys.argv[1:]
from pathlib import Path
import callscore.integrations.mcp_workers as workers
from callscore.processes import answer_calls
def run_tool(tool, arguments, run=workers.run_tool):
    if "until" in arguments:
        Path(arguments["until"] + "-pid").write_text(f"{os.getpid()}\\n")
    while "until" in arguments and not Path(arguments["until"]).exists():
        time.sleep(0.01)
    return run(tool, {key: arguments[key] for key in arguments if key != "until"})
workers.run_tool = run_tool
answer_calls()
"""
PROGRAM = f"""
import callscore.integrations.mcp_workers as workers
import callscore.processes as processes
processes._PROGRAM = {WORKER!r}
workers.Workers.__init__.__defaults__ = ({2 * WAIT}.0,)  # seconds per call
workers.SECONDS_PER_CALL = {2 * WAIT}.0  # and of waiting for a place
from callscore.cli.main import main
main()
"""
WITH_SLOW_CALLS = [sys.executable, "-c", PROGRAM, "mcp"]


class Session(NamedTuple):
    """A client that is connected, for tests that wait for each answer."""

    portal: BlockingPortal
    client: Client

    def tools(self) -> dict[str, Any]:
        return {tool.name: tool for tool in self.portal.call(self.client.list_tools).tools}

    def call(self, name: str, arguments: Any) -> Any:
        return self.portal.call(self.client.call_tool, name, arguments)


@contextmanager
def connected(server: Any, mode: str) -> Iterator[Session]:
    client = Client(server, mode=mode, read_timeout_seconds=WAIT)
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(client):
        yield Session(portal, client)


@contextmanager
def listening(start: Sequence[str] = COMMAND) -> Iterator[str]:
    """The address of a server on a free port, which is ended as a person ends it."""
    command = [*start, "--http", "--port", "0"]
    with subprocess.Popen(command, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        try:
            assert line.startswith("callscore: listening on http://127.0.0.1:")
            yield line.split()[-1]
        finally:
            process.send_signal(signal.SIGINT)
            rest = process.communicate(timeout=WAIT)[1]
    assert process.returncode == 130
    assert "Traceback" not in rest


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with listening() as url:
        yield url


# Both transports, each with another of the ways in which a client can introduce itself.
@pytest.fixture(scope="module", params=["stdio legacy", "http auto"])
def session(request: pytest.FixtureRequest) -> Iterator[Session]:
    transport, mode = request.param.split()
    server: Any = (
        StdioServerParameters(command=COMMAND[0], args=COMMAND[1:], env=ENVIRONMENT)
        if transport == "stdio"
        else request.getfixturevalue("address")
    )
    with connected(server, mode) as made:
        yield made


def test_the_tools_are_listed_with_schemas_and_as_harmless(session: Session) -> None:
    tools = session.tools()

    assert list(tools)[:3] == ["score_tool_calls", "explain_score", "check_tool_calls"]
    assert tools["score_tool_calls"].input_schema["required"] == ["expected", "actual"]
    for tool in tools.values():
        assert tool.title
        assert tool.description
        jsonschema_rs.meta.validate(tool.input_schema)
        jsonschema_rs.meta.validate(tool.output_schema)
        assert tool.annotations.read_only_hint is True
        assert tool.annotations.destructive_hint is False
        assert tool.annotations.idempotent_hint is True
        assert tool.annotations.open_world_hint is False


def test_each_tool_answers_as_its_schema_says(session: Session) -> None:
    checked = {"actual": EXAMPLE["actual"], "tools": TOOLS}
    tools = session.tools()

    answers = {
        "score_tool_calls": session.call("score_tool_calls", EXAMPLE),
        "explain_score": session.call("explain_score", EXAMPLE),
        "check_tool_calls": session.call("check_tool_calls", checked),
    }

    for name, answer in answers.items():
        assert not answer.is_error
        jsonschema_rs.validate(tools[name].output_schema, answer.structured_content)
    score = answers["score_tool_calls"]
    assert score.structured_content == score_tool_calls(EXAMPLE)
    assert msgspec.json.decode(score.content[0].text) == score.structured_content
    assert answers["explain_score"].content[0].text == explain_score(EXAMPLE)["explanation"]
    faults = answers["check_tool_calls"].structured_content["faults"]
    assert [fault["tool"] for fault in faults] == ["summarize", "translateText"]


def test_calls_may_be_spelled_in_several_ways(session: Session) -> None:
    for name, arguments in (("name", "arguments"), ("toolName", "input")):
        respelled = {
            side: [{name: call["tool"], arguments: call["args"]} for call in calls]
            for side, calls in EXAMPLE.items()
        }

        answer = session.call("score_tool_calls", respelled).structured_content

        assert answer == score_tool_calls(EXAMPLE)


def test_options_count(session: Session) -> None:
    expected = [{"tool": "f", "args": {"a": 1, "b": {"$gt": 5}}}, {"one_of": [SEARCH, SUMMARY]}]
    actual = [SUMMARY, {"tool": "f", "args": {"a": 1, "b": 1}}]
    both = {"expected": expected, "actual": actual}

    strict = session.call("score_tool_calls", both).structured_content
    flexible = {**both, "mode": "flexible", "argument_match_threshold": 0.5}
    loose = session.call("score_tool_calls", flexible).structured_content
    ordered = session.call("score_tool_calls", {**flexible, "order": "in_order"}).structured_content

    assert strict["incorrectCalls"][0]["details"] == "b: $gt 5, got 1"
    assert (strict["score"], loose["score"], ordered["score"]) == (0.5, 1.0, 0.5)


def test_wrong_input_is_a_result_that_says_what_to_change(session: Session) -> None:
    deep: Any = 1
    for _ in range(120):
        deep = [deep]
    wrong = {
        "actual: missing. Send the actual calls: ": {"expected": []},
        "mode: unknown value 'fuzzy'. Choose from: strict, ": {**EXAMPLE, "mode": "fuzzy"},
        "unknown field 'expeted'. Did you mean 'expected'?": {**EXAMPLE, "expeted": []},
        "expected[0]: a call needs a tool, as in ": {"expected": [{"args": {}}], "actual": []},
        "expected: got 1,001 items, the limit is ": {"expected": ["f"] * 1001, "actual": []},
        "the input is too large: ": {"expected": ["x" * 1_000_001], "actual": []},
        "nested too deeply": {**EXAMPLE, "actual": [{"tool": "f", "args": {"a": deep}}]},
    }

    for told, arguments in wrong.items():
        answer = session.call("score_tool_calls", arguments)

        assert answer.is_error
        assert told in answer.content[0].text


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a baseline, and a newer run that is worse."""
    folder = tmp_path_factory.mktemp("project")
    first = add_run(folder, name="first")
    add_run(folder, name="second", wrong={"sum", "weather"})
    with open_store(folder / ".callscore/history.db") as store:
        store.set_baseline("main", first)
    return folder


@contextmanager
def in_project(folder: Path, *options: str) -> Iterator[Session]:
    """A client of a server that was started in a folder."""
    server = StdioServerParameters(
        command=COMMAND[0], args=[*COMMAND[1:], *options], env=ENVIRONMENT, cwd=folder
    )
    with connected(server, "auto") as session:
        yield session


def test_the_history_is_that_of_the_folder_and_the_answers_those_of_the_commands(
    project: Path, callscore: Program
) -> None:
    with in_project(project) as session:
        found = {
            "history": session.call("list_runs", {}).structured_content,
            "compare": session.call("compare_runs", {}).structured_content,
            "gate": session.call("gate", {}).structured_content,
            "show": session.call("get_case", {"case": "sum"}).structured_content,
        }
        schemas = session.tools()
        closed = session.call("gate", {"run": "first", "against": "nobody"})
        prompt: Any = session.portal.call(session.client.get_prompt, "review_failing_run")
        pages = session.portal.call(session.client.list_resources).resources
        page: Any = session.portal.call(session.client.read_resource, "callscore://docs/matchers")

    def printed(*words: str) -> Any:
        place = str(project / ".callscore/history.db")
        ran = callscore(*words, "--format", "json", "--store", place)
        return msgspec.json.decode(ran.stdout)

    for name, content in zip(
        ("list_runs", "compare_runs", "gate", "get_case"), found.values(), strict=True
    ):
        jsonschema_rs.validate(schemas[name].output_schema, content)
    assert found["history"]["runs"] == printed("history")
    assert found["compare"]["comparison"] == printed("compare", "main", "latest")
    gate = printed("gate")
    assert found["gate"]["is_open"] is gate["is_open"] is False
    assert found["gate"]["reasons"] == gate["reasons"]
    assert found["show"]["cases"] == printed("show", "latest", "sum")
    assert closed.is_error
    assert "unknown baseline or run 'nobody'" in closed.content[0].text
    assert '"case": "sum"' in prompt.messages[0].content.text
    assert "callscore://docs/teach-a-coding-agent" in [each.uri for each in pages]
    assert page.contents[0].text.startswith("# Matchers")


def test_the_history_can_be_named_and_can_be_left_out(project: Path, tmp_path: Path) -> None:
    place = str(project / ".callscore/history.db")

    with in_project(tmp_path, "--store", place) as session:
        named = session.call("list_runs", {"limit": 1}).structured_content
    with in_project(project, "--no-history") as session:
        tools = session.tools()

    assert [run["name"] for run in named["runs"]] == ["second"]
    assert list(tools) == ["score_tool_calls", "explain_score", "check_tool_calls"]


def test_over_http_the_history_is_served_only_if_it_is_asked_for(
    address: str, project: Path
) -> None:
    with connected(address, "auto") as session:
        without = session.tools()
    place = str(project / ".callscore/history.db")
    with (
        listening([*COMMAND, "--history", "--store", place]) as url,
        connected(url, "auto") as session,
    ):
        runs = session.call("list_runs", {}).structured_content["runs"]

    assert "list_runs" not in without
    assert [run["name"] for run in runs] == ["second", "first"]


def _posted(address: str, body: bytes, **headers: str) -> tuple[int, bytes]:
    place = urlsplit(address)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=WAIT)
    sent = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    connection.request("POST", place.path, body, {**sent, **headers})
    answer = connection.getresponse()
    found = answer.status, answer.read()
    connection.close()
    return found


def test_a_page_in_a_browser_cannot_reach_the_server(address: str) -> None:
    ping = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}'
    port = str(urlsplit(address).port)
    answers: list[tuple[dict[str, str], int]] = [
        ({}, 200),
        ({"Host": f"localhost:{port}", "Origin": f"http://localhost:{port}"}, 200),
        ({"Host": f"[::1]:{port}", "Origin": f"http://[::1]:{port}"}, 200),
        ({"Host": f"evil.example:{port}"}, 421),
        ({"Host": "127.0.0.1:evil.example"}, 421),
        ({"Host": f"127.0.0.1:{port}.evil.example"}, 421),
        ({"Host": "127.0.0.1:1"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "http://localhost:3000"}, 403),
        ({"Origin": f"http://localhost:{port}.evil.example"}, 403),
        ({"Origin": "null"}, 403),
    ]

    for headers, status in answers:
        assert _posted(address, ping, **headers)[0] == status, headers


def test_a_body_that_is_too_deep_or_too_large_does_no_harm(address: str) -> None:
    deep = b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": ' + b"[" * 100_000
    large = b'"' + b"x" * 5_000_000 + b'"'

    assert _posted(address, deep)[0] == 400
    assert _posted(address, large)[0] == 413
    assert _posted(address, b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}')[0] == 200


def _started(*options: str) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [*WITH_SLOW_CALLS, *options], env=ENVIRONMENT, stdin=pipe, stdout=pipe, stderr=pipe
    )


def _line(process: subprocess.Popen[bytes], message: Any) -> Any:
    assert process.stdout is not None
    _write(process, message)
    return msgspec.json.decode(process.stdout.readline())


def _write(process: subprocess.Popen[bytes], message: Any) -> None:
    assert process.stdin is not None
    sent = message if isinstance(message, bytes) else msgspec.json.encode(message)
    process.stdin.write(sent + b"\n")
    process.stdin.flush()


HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


CALL = {"jsonrpc": "2.0", "id": 2, "method": "tools/call"}


def _slow(folder: Path) -> dict[str, Any]:
    """A call that is never finished."""
    arguments = {**EXAMPLE, "until": str(folder / "never")}
    return {**CALL, "params": {"name": "score_tool_calls", "arguments": arguments}}


def _working(folder: Path) -> int:
    """The process that works on the slow call, as soon as it does."""
    file = folder / "never-pid"
    wait_until(lambda: file.exists() and file.read_text().endswith("\n"), "somebody works")
    return int(file.read_text())


def _wait_for_end(process: int) -> None:
    wait_until(lambda: not is_running(process), "the process that works has ended, too")


on_linux = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks into /proc")


@on_linux
@pytest.mark.parametrize("how", ["closed", signal.SIGINT, signal.SIGTERM])
def test_a_server_that_is_at_work_ends_at_once_with_all_that_works_for_it(
    how: Any, tmp_path: Path
) -> None:
    with _started() as process:
        _line(process, HELLO)
        _write(process, _slow(tmp_path))
        worker = _working(tmp_path)
        if how == "closed":
            assert process.stdin is not None
            process.stdin.close()
        else:
            process.send_signal(how)
        assert process.wait(timeout=WAIT) == (0 if how == "closed" else -how)
        _wait_for_end(worker)
        assert process.stderr is not None
        assert process.stderr.read() == b""


@pytest.mark.slow
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_a_quick_call_is_answered_while_four_slow_ones_work(transport: str, tmp_path: Path) -> None:
    slow = {**EXAMPLE, "until": str(tmp_path / "go-on")}

    with ExitStack() as stack:
        server: Any = StdioServerParameters(
            command=WITH_SLOW_CALLS[0], args=WITH_SLOW_CALLS[1:], env=ENVIRONMENT
        )
        if transport == "http":
            server = stack.enter_context(listening(WITH_SLOW_CALLS))
        session = stack.enter_context(connected(server, "auto"))
        calls = [
            session.portal.start_task_soon(session.client.call_tool, "score_tool_calls", slow)
            for _ in range(4)
        ]
        quick = session.call("score_tool_calls", EXAMPLE)
        at_work = sum(not call.done() for call in calls)
        (tmp_path / "go-on").touch()
        answers = [call.result(WAIT) for call in calls]

    assert quick.structured_content == score_tool_calls(EXAMPLE)
    assert at_work == 4
    assert all(each.structured_content == quick.structured_content for each in answers)


def test_a_message_that_is_too_large_is_refused_and_the_next_one_answered() -> None:
    with _started() as process:
        _line(process, HELLO)
        refused = _line(process, {**CALL, "params": {"name": "x" * 20_000_000}})
        pong = _line(process, b'{"jsonrpc": "2.0", "id": 3, "method": "ping"}')
        process.communicate(timeout=WAIT)

    assert (refused["id"], refused["error"]["code"]) == (CALL["id"], mcp_types.INVALID_REQUEST)
    assert "the message is too large" in refused["error"]["message"]
    assert pong["id"] == 3


@on_linux
def test_a_call_that_is_cancelled_costs_nothing_more(tmp_path: Path) -> None:
    cancelled = {"method": "notifications/cancelled", "params": {"requestId": CALL["id"]}}
    with _started() as process:
        _line(process, HELLO)
        _write(process, {"jsonrpc": "2.0", "method": "notifications/initialized"})
        _write(process, _slow(tmp_path))
        worker = _working(tmp_path)
        _write(process, {"jsonrpc": "2.0", **cancelled})
        _wait_for_end(worker)
        pong = _line(process, b'{"jsonrpc": "2.0", "id": 3, "method": "ping"}')
        process.communicate(timeout=WAIT)

    assert pong["id"] == 3


@on_linux
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_server_on_http_that_is_at_work_ends_at_once(how: signal.Signals, tmp_path: Path) -> None:
    body = msgspec.json.encode(_slow(tmp_path))
    with _started("--http", "--port", "0") as process:
        assert process.stderr is not None
        place = urlsplit(process.stderr.readline().split()[-1].decode())
        connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=WAIT)
        kinds = {"Content-Type": "application/json", "Accept": "application/json"}
        with closing(connection):
            connection.request("POST", place.path, body, kinds)
            worker = _working(tmp_path)
            process.send_signal(how)
            code = process.wait(timeout=WAIT)
            _wait_for_end(worker)
            rest = process.stderr.read()

    assert code == (130 if how == signal.SIGINT else -how)
    assert b"Traceback" not in rest


def test_a_message_that_cannot_be_read_is_answered_and_the_next_one_as_well() -> None:
    deep = (
        b'{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "f", "arguments":'
    )
    with _started() as process:
        hello = _line(process, HELLO)
        refused = _line(process, deep + b"[" * 100_000 + b"]" * 100_000 + b"}}")
        garbage = _line(process, b"garbage")
        text = {"name": "check_tool_calls", "arguments": '{"actual": []}'}
        checked = _line(process, {**CALL, "id": "a", "params": text})
        listed = _line(process, {**CALL, "id": "b", "params": {**text, "arguments": []}})
        pong = _line(process, b'{"jsonrpc": "2.0", "id": 3, "method": "ping"}')
        rest = process.communicate(timeout=WAIT)

    assert hello["result"]["serverInfo"]["version"] == library.__version__
    assert (refused["id"], refused["error"]["code"]) == (2, mcp_types.PARSE_ERROR)
    assert (garbage["id"], garbage["error"]["code"]) == (None, mcp_types.PARSE_ERROR)
    assert (checked["id"], checked["result"]["structuredContent"]["faults"]) == ("a", [])
    assert (listed["id"], listed["error"]["code"]) == ("b", mcp_types.INVALID_PARAMS)
    assert (pong["id"], pong["result"]) == (3, {})
    assert (process.returncode, rest) == (0, (b"", b""))


def test_ctrl_c_ends_it_quietly() -> None:
    with _started() as process:
        _line(process, HELLO)
        process.send_signal(signal.SIGINT)
        rest = process.communicate(timeout=WAIT)

    assert (process.returncode, rest) == (-signal.SIGINT, (b"", b""))


def test_a_person_who_starts_it_is_told_what_it_is_for() -> None:
    terminal, inner = pty.openpty()
    with subprocess.Popen(COMMAND, env=ENVIRONMENT, stdin=inner, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        told = process.stderr.readline()
        os.write(terminal, b"\x04")  # Ctrl-D, which closes the input
        rest = process.communicate(timeout=WAIT)[1]
    os.close(terminal)
    os.close(inner)

    assert told.startswith(b"callscore: this server is for MCP clients")
    assert (process.returncode, rest) == (0, b"")


@pytest.mark.parametrize("options", [[], ["--http"]])
def test_without_the_extra_it_is_named(
    callscore: Program, tmp_path: Path, options: list[str]
) -> None:
    (tmp_path / "mcp.py").write_text("raise ImportError('not installed')")

    ran = callscore("mcp", *options, PYTHONPATH=os.pathsep.join([str(tmp_path), SOURCE]))

    assert (ran.returncode, ran.stdout) == (3, "")
    assert ran.stderr == ("callscore: callscore mcp needs an extra: pip install 'callscore[mcp]'\n")

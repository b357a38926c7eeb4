"""`callscore receive` as a program: started, killed, started again, and stopped."""

from __future__ import annotations

import http.client
import os
import re
import resource
import signal
import socket
import sys
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.e2e.processes import started, wait_until
from tests.receiving.made_up import a_request, a_span, a_tool_span, field, in_protobuf, lines_of

from callscore.receiving.otlp import JSON, PROTOBUF
from callscore.receiving.receiver import spool_of

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator
    from pathlib import Path

    from tests.e2e.conftest import Program

ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)/v1/traces")
AGENT: dict[str, Any] = {"gen_ai__operation__name": "invoke_agent"}
WAIT = 300
REFERENCES = (
    '{"id": "paris", "expected": [{"name": "get_weather", "arguments": {"city": "Paris"}}]}\n'
    '{"id": "rome", "expected": [{"name": "get_weather", "arguments": {"city": "Rome"}}]}\n'
)


def a_run(trace: int, case: str, city: str) -> dict[str, Any]:
    return a_request(
        a_span(trace, 1, **AGENT, callscore__case_id=case),
        a_tool_span(trace, 2, 1, "get_weather", f'{{"city": "{city}"}}'),
    )


class Receiving:
    """A receiver that runs."""

    def __init__(self, process: subprocess.Popen[bytes], folder: Path) -> None:
        self._process = process
        self._folder = folder
        wait_until(lambda: ADDRESS.search(self.notes) or process.poll() is not None, "the address")
        found = ADDRESS.search(self.notes)
        assert found is not None, self.notes
        self.port = int(found[1])

    @property
    def notes(self) -> str:
        return (self._folder / "stderr").read_text(encoding="utf-8")

    @property
    def output(self) -> str:
        return (self._folder / "stdout").read_text(encoding="utf-8")

    def send(self, body: bytes, kind: str = PROTOBUF) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT)
        with closing(connection):
            connection.request("POST", "/v1/traces", body, {"Content-Type": kind})
            return connection.getresponse().status

    def wait_for(self, text: str) -> None:
        wait_until(lambda: text in self.output, text)

    def stop(self, number: int = signal.SIGTERM) -> int:
        self._process.send_signal(number)
        return self._process.wait(WAIT)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait(WAIT)


@contextmanager
def receiving(folder: Path, *options: str, **environment: str) -> Iterator[Receiving]:
    words = ("receive", "--port", "0", "--settle", "0", *options)
    with started(folder, *words, environment=environment) as process:
        yield Receiving(process, folder)


def test_traces_are_scored_as_they_come(tmp_path: Path, callscore: Program) -> None:
    (tmp_path / "refs.jsonl").write_text(REFERENCES, encoding="utf-8")
    with receiving(tmp_path, "--expected", "refs.jsonl", "--save", "live") as receiver:
        assert receiver.send(in_protobuf(a_run(1, "paris", "Paris"))) == 200
        receiver.wait_for("paris")
        assert receiver.send(msgspec.json.encode(a_run(2, "oslo", "Oslo")), JSON) == 200
        receiver.wait_for("oslo")
        code = receiver.stop()
        lines = receiver.output.splitlines()

    assert code == 0
    assert lines[0] == (
        "paris   passed       100.0% Excellent, perfect match   precision 100.0%, recall 100.0%"
    )
    assert lines[1] == "oslo    not scored   no reference has this id"
    assert "Macro F1 50.0%   Moderate" in lines
    assert "! 1 case without an answer: not passed, and 0 in the macro means (rome)" in lines
    again = callscore("score", "--expected", "refs.jsonl", "--actual", "traces.jsonl")
    assert "Macro F1 50.0%   Moderate" in again.stdout
    assert "paris" in callscore("show", "live", "--show", "all").stdout
    assert not spool_of(tmp_path / "traces.jsonl").exists()


def test_a_mean_below_the_required_one_fails(tmp_path: Path) -> None:
    (tmp_path / "refs.jsonl").write_text(REFERENCES, encoding="utf-8")
    options = ("--expected", "refs.jsonl", "--fail-under", "0.9")
    with receiving(tmp_path, *options, "--lang", "ru") as receiver:
        receiver.send(in_protobuf(a_run(1, "paris", "Paris")))
        receiver.wait_for("пройден")

        assert receiver.stop(signal.SIGINT) == 1
        assert "приём трасс" in receiver.notes


def test_a_receiver_in_the_background_of_a_script_can_be_stopped(tmp_path: Path) -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as a shell does for `&`
    try:
        with receiving(tmp_path) as receiver:
            assert receiver.stop(signal.SIGINT) == 0
    finally:
        signal.signal(signal.SIGINT, before)


def test_nothing_scored_is_not_a_success(tmp_path: Path) -> None:
    with receiving(tmp_path, "--check") as receiver:
        assert receiver.stop() == 3
        assert "callscore: no trace was received\n" in receiver.notes


def test_calls_are_checked(tmp_path: Path) -> None:
    tool = {"name": "get_weather", "parameters": {"type": "object", "required": ["unit"]}}
    (tmp_path / "tools.json").write_bytes(msgspec.json.encode([tool]))
    options = ("--check", "--tools", "tools.json", "--fail-on", "any", "-o", "checked.jsonl")
    with receiving(tmp_path, *options) as receiver:
        receiver.send(in_protobuf(a_run(1, "paris", "Paris")))
        receiver.wait_for("paris")

        assert receiver.stop() == 1
        name = "paris".ljust(32)
        assert receiver.output.startswith(f"{name}   1 fault: missing argument   1 call: ")
    (line,) = lines_of(tmp_path / "checked.jsonl")
    assert line["faults"][0]["tool"] == "get_weather"


def test_without_references_traces_are_written(tmp_path: Path) -> None:
    with receiving(tmp_path) as receiver:
        receiver.send(in_protobuf(a_run(1, "paris", "Paris")))
        receiver.send(in_protobuf(a_request(a_span(2, 1, name="GET /health"))))
        receiver.send(in_protobuf(a_request(a_span(3, 2, 1, **AGENT))))
        receiver.wait_for(f"{2:032x}")

        assert receiver.stop() == 0
        lines = receiver.output.splitlines()
        assert "3 traces, 4 spans in traces.jsonl" in receiver.notes
    assert lines[0] == f"{'paris':32}   1 call: get_weather"  # as wide as those that follow
    assert lines[1] == f"{2:032x}   no calls"
    assert lines[2] == f"{3:032x}   no calls   closed by the end"


@pytest.mark.parametrize("is_busy", [False, True])
def test_nothing_acknowledged_is_lost_after_kill(tmp_path: Path, *, is_busy: bool) -> None:
    sent = 0
    for round_ in range(3):
        settle = "0" if is_busy else "600"
        with receiving(tmp_path, "--settle", settle, "--close-after", "600") as receiver:
            for _ in range(40):
                sent += 1
                assert receiver.send(in_protobuf(a_run(sent, f"case-{sent}", "Paris"))) == 200
            again = a_run(sent, f"case-{sent}", "Paris")  # as an exporter that got no response
            assert receiver.send(in_protobuf(again)) == 200
            receiver.kill()
            if round_ and not is_busy:
                assert "read from its spool" in receiver.notes
    with receiving(tmp_path) as receiver:
        assert receiver.stop() == 0

    found = lines_of(tmp_path / "traces.jsonl")
    assert sorted(line["id"] for line in found) == sorted(f"case-{n}" for n in range(1, sent + 1))
    assert not spool_of(tmp_path / "traces.jsonl").exists()


def test_damage_of_the_spool_is_said_and_kept(tmp_path: Path, callscore: Program) -> None:
    with receiving(tmp_path, "--settle", "600") as receiver:
        for number in range(1, 11):
            assert receiver.send(in_protobuf(a_run(number, f"case-{number}", "Paris"))) == 200
        receiver.kill()
    spool = spool_of(tmp_path / "traces.jsonl")
    damaged = spool.read_bytes().replace(b"case-7", b"case-8", 1)
    spool.write_bytes(damaged)

    found = callscore("receive", "--port", "0")

    assert found.returncode == 3
    assert "requests that were acknowledged are lost" in found.stderr
    assert "Move the file away, and start again" in found.stderr
    assert spool.read_bytes() == damaged
    names = [line["id"] for line in lines_of(tmp_path / "traces.jsonl")]
    assert sorted(names) == sorted(f"case-{number}" for number in range(1, 11) if number != 7)


def test_traces_that_were_written_before_kill_count_in_the_report(
    tmp_path: Path, callscore: Program
) -> None:
    (tmp_path / "refs.jsonl").write_text(REFERENCES, encoding="utf-8")
    options = ("--expected", "refs.jsonl", "--save", "live", "--fail-under", "0.9")
    with receiving(tmp_path, *options) as receiver:
        receiver.send(in_protobuf(a_run(1, "paris", "Paris")))
        receiver.wait_for("paris")
        receiver.kill()
    with receiving(tmp_path, *options) as receiver:
        receiver.kill()
    with receiving(tmp_path, *options) as receiver:
        assert "1 trace of it in traces.jsonl: counted again" in receiver.notes
        receiver.send(in_protobuf(a_run(2, "rome", "Rome")))
        receiver.wait_for("rome")

        assert receiver.stop() == 0
        assert "Macro F1 100.0%" in receiver.output
        assert "without an answer" not in receiver.output
        assert "2 traces, 4 spans in traces.jsonl" in receiver.notes
    saved = callscore("show", "live", "--show", "all").stdout
    assert "paris" in saved
    assert "rome" in saved
    assert not spool_of(tmp_path / "traces.jsonl").exists()


def test_traces_of_a_receiver_that_ended_do_not_count_again(tmp_path: Path) -> None:
    (tmp_path / "refs.jsonl").write_text(REFERENCES, encoding="utf-8")
    for trace, case, city in ((1, "paris", "Paris"), (2, "rome", "Rome")):
        with receiving(tmp_path, "--expected", "refs.jsonl") as receiver:
            receiver.send(in_protobuf(a_run(trace, case, city)))
            receiver.wait_for(case)
            assert receiver.stop() == 0
            assert "1 case without an answer" in receiver.output
            assert "1 trace, 2 spans in traces.jsonl" in receiver.notes


@pytest.mark.skipif(sys.platform != "linux", reason="/proc says how much memory a process took")
def test_hostile_bodies_take_little_memory(tmp_path: Path) -> None:
    size = 15_900_000
    nested = b'{"resourceSpans":[{"scopeSpans":[{"spans":['
    bodies = {
        "empty batches": (b"\x0a\x00" * (size // 2), PROTOBUF),
        "empty spans": (field(1, field(2, b"\x12\x00" * (size // 2))), PROTOBUF),
        "empty attributes": (field(1, field(2, field(2, b"\x4a\x00" * (size // 2)))), PROTOBUF),
        "empty objects": (nested + b"{}," * (size // 3) + b"{}]}]}]}", JSON),
        "numbers": (nested + b'{"x":[' + b"1," * (size // 2) + b"1]}]}]}]}", JSON),
        "brackets": (b"[" * size, JSON),
        "keys": (b'{"a":' * (size // 5), JSON),
        "long text": (in_protobuf(a_request(a_span(1, 1, text="\x01" * size))), PROTOBUF),
    }
    with receiving(tmp_path, "--close-after", "0") as receiver:
        found = {name: receiver.send(*each) for name, each in bodies.items()}
        most = _peak_of(receiver._process.pid)

        assert receiver.stop() == 0
    assert found == dict.fromkeys(bodies, 400) | {"long text": 200}
    assert most < 600_000  # kB; each body would take gigabytes
    assert len(lines_of(tmp_path / "traces.jsonl")) == 1


def _peak_of(pid: int) -> int:
    with open(f"/proc/{pid}/status", encoding="ascii") as file:  # noqa: PTH123
        return int(next(line for line in file if line.startswith("VmHWM:")).split()[1])


def test_a_full_disk_refuses_requests_and_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COVERAGE_PROCESS_CONFIG", raising=False)  # its data would not fit, either
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, before[1]))  # for the program, too
    try:
        with receiving(tmp_path, "--settle", "600") as receiver:
            large = in_protobuf(a_request(a_span(1, 1, text="x" * 50_000)))
            small = in_protobuf(a_request(a_span(2, 1)))
            found = [receiver.send(large), receiver.send(small), receiver.send(large)]
            wait_until(lambda: "cannot write" in receiver.notes, "a note about the disk")
            code = receiver.stop()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)

    assert found == [503, 200, 503]
    assert code == 0
    assert [line["trace_id"] for line in lines_of(tmp_path / "traces.jsonl")] == [f"{2:032x}"]


def test_a_port_in_use_leaves_no_files(callscore: Program, tmp_path: Path) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        found = callscore("receive", "--port", str(taken.getsockname()[1]), "-o", "other.jsonl")

    assert found.returncode == 2
    assert "Pass another --port" in found.stderr
    assert os.listdir(tmp_path) == []  # noqa: PTH208  (nothing was created)


def test_refused_requests_are_said(tmp_path: Path) -> None:
    with receiving(tmp_path) as receiver:
        found = [receiver.send(b"garbage"), receiver.send(b"x", "text/plain"), receiver.send(b"y")]
        wait_until(lambda: "(415)" in receiver.notes, "a note about the type")
        receiver.stop()

        assert found == [400, 415, 400]
        assert receiver.notes.count("a request was refused (400): ") == 1
        assert "3 requests refused: 2 × 400, 1 × 415" in receiver.notes

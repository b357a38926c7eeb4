"""Load on `callscore receive` from the real exporter of OpenTelemetry, while the receiver is killed.

Usage: python benchmarks/receive.py [--rate 2000] [--seconds 60] [--kills 5] [--python PYTHON]

It needs `requirements/stacks/opentelemetry.txt`; PYTHON is an interpreter that has callscore, by default
this one. Each span whose export was reported as a success must be in the output exactly once. The exit code is
1 if one is not, or if one is there twice.
"""

from __future__ import annotations

import argparse
import socket
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from contextlib import closing, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

import msgspec
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult

if TYPE_CHECKING:
    from collections.abc import Sequence

_HOST = "127.0.0.1"
_TOOLS_OF_TRACE = 3
_SPANS_OF_TRACE = _TOOLS_OF_TRACE + 2  # with a model, and the agent around all
_QUEUE = 1_000_000  # spans that wait while the receiver is down: none is dropped by the SDK
_BATCH = 512
_SETTLE = 1.0
_WAIT = 60.0
_ARGUMENTS = '{"city": "Paris", "days": 3, "unit": "celsius"}'

_SpanId = tuple[str, str]


class CountingExporter(SpanExporter):  # type: ignore[misc]  # untyped where it is not installed
    """The real exporter, which notes the spans that it reports as sent."""

    def __init__(self, endpoint: str) -> None:
        self._exporter = OTLPSpanExporter(endpoint=endpoint)
        self.acknowledged: list[_SpanId] = []
        self.failed = 0

    def export(self, spans: Sequence[Any]) -> SpanExportResult:
        """Send spans, and note them if they were acknowledged."""
        result = self._exporter.export(spans)
        if result is SpanExportResult.SUCCESS:
            self.acknowledged += [
                (f"{span.context.trace_id:032x}", f"{span.context.span_id:016x}") for span in spans
            ]
        else:
            self.failed += len(spans)
        return result

    def shutdown(self) -> None:
        """End the exporter."""
        self._exporter.shutdown()


class ReceiverProcess:
    """A receiver that is started again when it was killed."""

    def __init__(self, python: str, folder: Path, port: int) -> None:
        self._command = [
            *(python, "-m", "callscore", "receive", "--port", str(port)),
            *("--output", str(folder / "traces.jsonl"), "--settle", str(_SETTLE)),
        ]
        self._port = port
        self._log = (folder / "receiver.log").open("ab")
        self._process: subprocess.Popen[bytes] | None = None
        self.max_rss = 0  # kB
        self.kills = 0
        self.exit_code: int | None = None

    def start(self) -> None:
        """Start it, and wait until it listens."""
        self._process = subprocess.Popen(
            self._command, stdout=subprocess.DEVNULL, stderr=self._log, start_new_session=True
        )
        until = monotonic() + _WAIT
        while monotonic() < until:
            with suppress(OSError), socket.create_connection((_HOST, self._port), timeout=1):
                return
            if self._process.poll() is not None:
                break
            sleep(0.05)
        raise SystemExit("the receiver did not start: see receiver.log")

    @property
    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise SystemExit("the receiver was not started")
        return self._process

    def kill(self) -> None:
        """Kill it without a warning."""
        self.measure()
        self._running.kill()
        self._running.wait()
        self.kills += 1

    def measure(self) -> None:
        """Note the memory that it took at most."""
        with suppress(OSError):
            for line in Path(f"/proc/{self._running.pid}/status").read_text().splitlines():
                if line.startswith("VmHWM:"):
                    self.max_rss = max(self.max_rss, int(line.split()[1]))

    def stop(self) -> None:
        """Ask it to end, which writes all that is open."""
        self.measure()
        self._running.terminate()
        self.exit_code = self._running.wait(_WAIT)
        self._log.close()


def send_trace(tracer: Any, number: int) -> None:
    """The spans of one run of an agent."""
    operation = "gen_ai.operation.name"
    about = {operation: "invoke_agent", "callscore.case_id": f"case-{number}"}
    with tracer.start_as_current_span("invoke_agent planner", attributes=about):
        model = {operation: "chat", "gen_ai.request.model": "m", "gen_ai.response.id": f"r{number}"}
        with tracer.start_as_current_span("chat m", attributes=model):
            pass
        for index in range(_TOOLS_OF_TRACE):
            tool = {
                operation: "execute_tool",
                "gen_ai.tool.name": f"tool_{index}",
                "gen_ai.tool.call.id": f"call_{number}_{index}",
                "gen_ai.tool.call.arguments": _ARGUMENTS,
                "gen_ai.tool.call.result": '{"celsius": 18}',
            }
            with tracer.start_as_current_span(f"execute_tool tool_{index}", attributes=tool):
                pass


def send(tracer: Any, rate: int, seconds: float) -> int:
    """Make spans at a rate; returns how many."""
    start, traces = monotonic(), 0
    while (elapsed := monotonic() - start) < seconds:
        due = int(elapsed * rate / _SPANS_OF_TRACE)
        while traces < due:
            send_trace(tracer, traces)
            traces += 1
        sleep(0.005)
    return traces * _SPANS_OF_TRACE


def kill_at_times(receiver: ReceiverProcess, kills: int, seconds: float) -> None:
    """Kill the receiver evenly over the time, and start it again at once."""
    for _ in range(kills):
        sleep(seconds / (kills + 1))
        receiver.kill()
        receiver.start()


def written_spans(output: Path) -> tuple[Counter[_SpanId], int]:
    """How often each span is in the output, and the number of lines."""
    found: Counter[_SpanId] = Counter()
    lines = 0
    with output.open("rb") as file:
        for line in file:
            lines += 1
            for batch in msgspec.json.decode(line)["resourceSpans"]:
                for scope in batch["scopeSpans"]:
                    found.update((span["traceId"], span["spanId"]) for span in scope["spans"])
    return found, lines


def load(receiver: ReceiverProcess, exporter: CountingExporter, options: Any) -> tuple[int, float]:
    """Send spans while the receiver is killed; returns how many were sent, and how long it took."""
    provider = TracerProvider()
    processor = BatchSpanProcessor(
        exporter,
        max_queue_size=_QUEUE,
        max_export_batch_size=_BATCH,
        schedule_delay_millis=100,
    )
    provider.add_span_processor(processor)
    killer = threading.Thread(target=kill_at_times, args=(receiver, options.kills, options.seconds))
    killer.start()
    started = monotonic()
    sent = send(provider.get_tracer("load"), options.rate, options.seconds)
    took = monotonic() - started
    killer.join()
    provider.force_flush(int(_WAIT * 1000))
    provider.shutdown()
    receiver.stop()
    return sent, took


def main() -> int:
    """Run the load, and print what became of the spans."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rate", type=int, default=2000, help="spans per second")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--python", default=sys.executable)
    options = parser.parse_args()
    with closing(socket.create_server((_HOST, 0))) as free:
        port = free.getsockname()[1]
    exporter = CountingExporter(f"http://{_HOST}:{port}/v1/traces")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        receiver = ReceiverProcess(options.python, folder, port)
        receiver.start()
        sent, took = load(receiver, exporter, options)
        found, lines = written_spans(folder / "traces.jsonl")
        log = (folder / "receiver.log").read_text(encoding="utf-8")
        is_clean = receiver.exit_code == 0 and not [*folder.glob("*.spool*")]
    acknowledged = exporter.acknowledged
    missing = [span for span in acknowledged if span not in found]
    twice = sum(count - 1 for count in found.values())
    print(f"spans sent                {sent:>9,}   {sent / took:,.0f} per second")
    print(f"acknowledged              {len(acknowledged):>9,}")
    print(f"not acknowledged          {exporter.failed:>9,}")
    print(f"written                   {found.total():>9,}   in {lines:,} lines")
    print(f"acknowledged, not written {len(missing):>9,}")
    print(f"written twice             {twice:>9,}")
    print(f"killed                    {receiver.kills:>9,}")
    print(f"memory at most            {receiver.max_rss / 1024:>9,.0f} MB")
    print(log, end="")
    return 0 if acknowledged and is_clean and not missing and not twice else 1


if __name__ == "__main__":
    sys.exit(main())

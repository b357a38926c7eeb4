"""The memory of a large local run does not grow with its input."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

# MB of input; of 5,000, the processes take as much as of 300.
SIZE = int(os.environ.get("CALLSCORE_ROWS_SIZE", "20"))
LIMIT = 300  # MB, of each process
PEAKS = """
import sys
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

from callscore.engines.batches import RowOptions
from callscore.engines.local_rows import score_to_rows

run = score_to_rows([sys.argv[1]], sys.argv[2], RowOptions(), jobs=2)
status = Path("/proc/self/status").read_text()
parent = int(status.partition("VmHWM:")[2].split()[0])
print(run.rows, parent // 1024, getrusage(RUSAGE_CHILDREN).ru_maxrss // 1024)
"""


@pytest.mark.slow
@pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="only Linux says how much it was"
)
def test_no_process_takes_more_than_its_share_of_memory(tmp_path: Path) -> None:
    path, rows = tmp_path / "cases.jsonl", 0
    with path.open("wb") as file:
        while file.tell() < SIZE << 20:
            calls = [
                [{"name": "search", "arguments": {"q": f"question {number}", "limit": number % 10}}]
                for number in range(rows, rows + 1000)
            ]
            records = [
                {"id": f"case {rows + position}", "expected": made, "actual": made * (position % 3)}
                for position, made in enumerate(calls)
            ]
            file.write(msgspec.json.Encoder().encode_lines(records))
            rows += 1000

    # Measuring coverage takes memory, too.
    environment = {name: os.environ[name] for name in os.environ if "COVERAGE" not in name}
    found = subprocess.run(
        [sys.executable, "-c", PEAKS, str(path), str(tmp_path / "rows.parquet")],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )

    scored, parent, worker = map(int, found.stdout.split())
    assert scored == rows
    assert parent < LIMIT
    assert worker < LIMIT

"""Records the snapshots anew: `python -m tests.snapshots.record`. Look at what has changed before you commit it."""

from __future__ import annotations

import os
import shutil
import sys
import time
from pathlib import Path

# First of all: what callscore imports from `time` must stand still. No test may import this module.
from tools.transcript import clock

EXPECTED = Path(__file__).parent / "expected"


def main() -> None:
    """Write the files, into `expected` or into the new or empty folder that is named."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else EXPECTED).absolute()
    if folder != EXPECTED.absolute() and folder.is_dir() and any(folder.iterdir()):
        sys.exit(f"{folder} is not empty")
    sys.path.insert(0, str(Path(__file__).parents[2] / "src"))  # this tree, whatever is installed
    os.urandom = bytes  # the key of the markers in place of secrets
    os.environ.clear()
    from tests.snapshots import python_values, recording

    os.environ.update(recording.ENVIRONMENT)
    os.environ[clock.VARIABLE] = "0"
    time.tzset()
    shutil.rmtree(folder, ignore_errors=True)
    for recorded in (recording.recorded(), python_values.recorded()):
        for name, text in recorded:
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

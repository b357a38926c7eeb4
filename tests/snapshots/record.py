"""Record the snapshots anew; look at what git shows before you commit it.

    python -m tests.snapshots.record [FOLDER]

They are written into `expected`, or into a new or empty folder.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import time
from pathlib import Path

# First of all: what callscore imports from `time` must stand still. No test may import this module.
from tools.transcript import clock

EXPECTED = Path(__file__).parent / "expected"


def main() -> None:
    """Write the files."""
    parser = argparse.ArgumentParser(prog="python -m tests.snapshots.record", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=EXPECTED)
    folder = parser.parse_args().folder.absolute()
    if folder != EXPECTED.absolute() and folder.is_dir() and any(folder.iterdir()):
        sys.exit(f"{folder} is not empty")
    sys.path.insert(0, str(Path(__file__).parents[2] / "src"))  # this tree, whatever is installed
    path = os.environ.get("PATH", os.defpath)
    os.environ.clear()
    os.environ["PATH"] = path  # where git is
    from tests.snapshots import python_values, recording

    os.environ.update(recording.ENVIRONMENT)
    os.environ[clock.VARIABLE] = "0"
    time.tzset()
    # All of them first: an error in the middle leaves what there is.
    texts = dict([*recording.recorded(), *python_values.recorded()])
    shutil.rmtree(folder, ignore_errors=True)
    for name, text in texts.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

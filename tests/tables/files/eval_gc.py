"""An agent that deletes old runs while its own is in progress; the first run fails, the next resumes it."""

import re
from pathlib import Path
from typing import Any

from callscore import Case, evaluation
from callscore.cli.program import cli

EXPORTED = Path("r.jsonl")
if EXPORTED.exists():  # noon in the past: for a day, a run is kept by its status alone
    text = re.sub(r'"started_at":\d+', '"started_at":1700049600', EXPORTED.read_text(), count=1)
    EXPORTED.write_text(text)


@evaluation(cases=[Case("x", id="a", expected=[]), Case("y", id="b", expected=[])])
def agent(case: Case) -> list[Any]:
    del case
    cli.main(["gc", "--keep", "0", "--dry-run"], standalone_mode=False)
    cli.main(["gc", "--keep", "0"], standalone_mode=False)
    if not EXPORTED.exists():
        raise ValueError("not yet")
    return []

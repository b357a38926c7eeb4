"""The progress of a run, and what is printed about a process that did not finish."""

from __future__ import annotations

import shlex
from typing import Any

import pytest
from msgspec.structs import replace

from callscore.cli.supervision import Progress, advice_text
from callscore.evaluations.plan import keyword_filter

BEGUN = Progress("callscore run --resume", "en")


@pytest.mark.parametrize(
    ("ended", "changes", "advice"),
    [
        (0, {"names": (("q4", ""),)}, "if q4 ends it again, leave it out: -k 'not q4'"),
        (-9, {"names": (("q4", "b"),)}, "if q4 ends it again, leave it out: -k 'not q4'"),
        (
            7,
            {"names": (("q 4", ""),), "keyword": "paris or oslo"},
            "if q 4 ends it again, leave it out: -k '(paris or oslo) and not \"q 4\"'",
        ),
        (
            7,
            {"names": (('say "no"', ""),)},
            """if say "no" ends it again, leave it out: -k 'not '"'"'say "no"'"'"''""",
        ),
        (7, {"names": (("\"'", ""),)}, None),
        (7, {"names": (("ask [hidden 5f2c91ab90c4]", ""),)}, None),
        (
            7,
            {"names": (("a", ""), ("b", "")), "current": 2},
            "if it ends again, find out which case ends it: --jobs 1",
        ),
        (7, {"names": (), "current": 0}, None),
        (7, {"names": (("q4", ""),), "command": ""}, None),
        (-15, {"names": (("q4", ""),)}, None),  # a user did it
    ],
)
def test_a_case_that_ends_each_run_can_be_found_and_left_out(
    ended: int, changes: dict[str, Any], advice: str | None
) -> None:
    progress = replace(BEGUN, **{"current": 1, **changes})

    assert advice_text(ended, progress) == advice
    if advice is not None and "-k" in advice:
        ((case, _),) = progress.names
        fits = keyword_filter(shlex.split(advice.partition("-k ")[2])[0])
        assert not fits(["assistant", case])
        assert fits(["assistant", "paris"])

"""`callscore rescore`, from the command line to the exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from tests.e2e.agents import add_file, asked

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Program


def test_functions_are_taken_from_the_file_of_their_evaluation(
    callscore: Program, tmp_path: Path
) -> None:
    text = """
    def brief(calls):
        print("measuring")
        return len(calls) < 1

    @evaluation(cases=CASES, scorers=["accuracy", brief], fail_under={"brief": 0.1})
    def agent(case):
        asking(case)
        return ANSWERS[case.id]
    """
    file = add_file(tmp_path, "evals/eval_agent.py", text)
    first = callscore("run", "evals")
    file.write_text(file.read_text().replace("< 1", "< 2"))
    changed = callscore("rescore", "--format", "json")
    file.write_text("import no_such_module\n")
    broken = callscore("rescore")
    file.unlink()
    gone = callscore("rescore")

    assert "brief      0.333      1/3    ≥ 0.100" in first.stdout
    report = msgspec.json.decode(changed.stdout, type=dict[str, Any])
    brief = report["evaluations"][0]["scorers"][1]
    assert (brief["name"], brief["mean"], brief["fail_under"]) == ("brief", 1.0, 0.1)
    assert "measuring" in changed.stderr
    missing = "! agent: the scorer brief is missing, and is left out: "
    assert f"{missing}evals/eval_agent.py:1: " in " ".join(broken.stdout.split())
    why = "it is a function in evals/eval_agent.py, which no longer exists"
    assert f"{missing}{why}" in " ".join(gone.stdout.split())
    assert len(asked(tmp_path)) == 3

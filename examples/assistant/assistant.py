"""Score the assistant twice: was the right tool called, and are its parameters valid?

Usage: python assistant.py [ANSWERS.jsonl]
"""

from __future__ import annotations

import sys
from pathlib import Path

import callscore

__all__ = ["main"]

FOLDER = Path(__file__).parent
ROW = "{:<10}{:>13}{:>18}"


def main(answers: str | Path = FOLDER / "answers.jsonl") -> int:
    """Print the result of each scorer for each case; the exit code is 1 if any of them fails."""
    results = callscore.score_joined(
        FOLDER / "cases.yaml",
        answers,
        tools=FOLDER / "tools.json",
        show="all",
        max_shown=None,
    )
    called = [case.required_score.tool_called == 1 for case in results.cases]
    valid = [case.required_score.parameters_valid == 1 for case in results.cases]

    print(ROW.format("case", "tool called", "parameters valid"))
    for case, *verdicts in zip(results.cases, called, valid, strict=True):
        print(ROW.format(case.label, *("yes" if verdict else "no" for verdict in verdicts)))
    print(ROW.format("passed", *(f"{sum(said)}/{len(said)}" for said in (called, valid))))
    return 0 if all(called + valid) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

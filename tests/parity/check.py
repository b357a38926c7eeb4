"""Hold `callscore.parity` against recorded answers: python -m tests.parity.check DIR.

The folder has a `cases.json`, and a file for each tool whose `results` are keyed by the id of the
case and the name of the configuration. Every disagreement is printed, and every configuration that
is not known; the exit code is 1 where something disagrees.
"""

from __future__ import annotations

import json  # noqa: TID251  (it reads NaN, which a tool may have returned)
import sys
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.parity.agreement import answer_of, same
from tests.parity.configuration import measure_for

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Finding", "check", "main"]

_CASES = "cases.json"
_NO_FOLDER = 2  # the exit code where there is nothing to check


class Finding(NamedTuple):
    """One recorded answer, and ours.

    Attributes:
        tool: the name of the file.
        configuration: as the file calls it.
        case: the id of the case.
        theirs: what was recorded.
        ours: what we say.
        is_known: whether the configuration is known here.
        has_case: whether there is such a case.
    """

    tool: str
    configuration: str
    case: str
    theirs: Any
    ours: Any
    is_known: bool = True
    has_case: bool = True

    @property
    def is_compared(self) -> bool:
        """Whether there is anything to compare."""
        return self.is_known and self.has_case

    @property
    def agrees(self) -> bool:
        """Whether both say the same."""
        return self.is_compared and same(self.theirs, self.ours)


def check(folder: Path) -> Iterator[Finding]:
    """Every recorded answer of a folder, and ours; files that record none are passed over."""
    cases = {case["id"]: case for case in json.loads((folder / _CASES).read_bytes())}
    for path in sorted(folder.glob("*.json")):
        for name, answers in _recorded(path).items():
            for configuration, theirs in answers.items():
                yield _finding(path.stem, configuration, name, theirs, cases.get(name))


def _recorded(path: Path) -> dict[str, dict[str, Any]]:
    content = json.loads(path.read_bytes())
    results = content.get("results") if isinstance(content, dict) else None
    return results if isinstance(results, dict) else {}


def _finding(tool: str, configuration: str, name: str, theirs: Any, case: Any) -> Finding:
    measure = measure_for(tool, configuration)
    if case is None:
        return Finding(tool, configuration, name, theirs, None, has_case=False)
    if measure is None:
        return Finding(tool, configuration, name, theirs, None, is_known=False)
    ours = answer_of(measure, case["expected"], case["actual"])
    return Finding(tool, configuration, name, theirs, ours)


def main(arguments: list[str]) -> int:
    """Print what disagrees and what is not known, and find the exit code."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # whatever names the folder has
    if len(arguments) != 1 or not (Path(arguments[0]) / _CASES).is_file():
        print(f"usage: python -m tests.parity.check DIR (a folder with a {_CASES})")
        return _NO_FOLDER
    try:
        findings = list(check(Path(arguments[0])))
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        print(f"{arguments[0]} is not such a folder: {type(error).__name__}: {error}")
        return _NO_FOLDER
    wrong = [found for found in findings if found.is_compared and not found.agrees]
    for found in wrong:
        print(f"{found.tool}  {found.configuration}  {found.case}")
        print(f"    theirs {found.theirs}\n    ours   {found.ours}")
    unknown = {(found.tool, found.configuration) for found in findings if not found.is_known}
    for tool, configuration in sorted(unknown):
        print(f"{tool}  {configuration}: not known here")
    for name in sorted({found.case for found in findings if not found.has_case}):
        print(f"{name}: there is no such case in {_CASES}")
    known = sum(found.is_compared for found in findings)
    tools = len({found.tool for found in findings})
    print(f"{tools} tools: {known - len(wrong)} of {known} answers agree", end="; ")
    print(f"{len(findings) - known} cannot be compared.")
    if not findings:
        return _NO_FOLDER
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Hold `callscore.parity` against recorded answers: python -m tests.parity.check DIR.

The folder has a `cases.json`, and a file for each tool whose `results` are keyed by the id of the
case and the name of the configuration. Every disagreement is printed, and every configuration that
is not known; the exit code is 1 where something disagrees.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from tests.parity.agreement import answer_of, same
from tests.parity.configuration import measure_for

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Finding", "check", "main"]

_CASES = "cases.json"


class Finding(NamedTuple):
    """One recorded answer, and ours.

    Attributes:
        tool: the name of the file.
        configuration: as the file calls it.
        case: the id of the case.
        theirs: what was recorded.
        ours: what we say.
        is_known: whether the configuration, and the case, are known here.
    """

    tool: str
    configuration: str
    case: str
    theirs: Any
    ours: Any
    is_known: bool = True

    @property
    def agrees(self) -> bool:
        """Whether both say the same."""
        return self.is_known and same(self.theirs, self.ours)


def check(folder: Path) -> Iterator[Finding]:
    """Every recorded answer of a folder, and ours."""
    cases = {case["id"]: case for case in _decode(folder / _CASES)}
    for path in sorted(folder.glob("*.json")):
        if path.name != _CASES:
            for name, answers in _decode(path)["results"].items():
                for configuration, theirs in answers.items():
                    yield _finding(path.stem, configuration, name, theirs, cases.get(name))


def _decode(path: Path) -> Any:
    # Numbers as every JSON decoder of Python gives them: long integers stay whole.
    return msgspec.json.decode(path.read_bytes())


def _finding(tool: str, configuration: str, name: str, theirs: Any, case: Any) -> Finding:
    measure = measure_for(tool, configuration)
    if measure is None or case is None:
        return Finding(tool, configuration, name, theirs, None, is_known=False)
    ours = answer_of(measure, case["expected"], case["actual"])
    return Finding(tool, configuration, name, theirs, ours)


def main(arguments: list[str]) -> int:
    """Print what disagrees and what is not known, and find the exit code."""
    if len(arguments) != 1 or not (Path(arguments[0]) / _CASES).is_file():
        print(f"usage: python -m tests.parity.check DIR (a folder with a {_CASES})")
        return 2
    findings = list(check(Path(arguments[0])))
    wrong = [found for found in findings if found.is_known and not found.agrees]
    for found in wrong:
        print(f"{found.tool}  {found.configuration}  {found.case}")
        print(f"    theirs {found.theirs}\n    ours   {found.ours}")
    unknown = {(found.tool, found.configuration) for found in findings if not found.is_known}
    for tool, configuration in sorted(unknown):
        print(f"{tool}  {configuration}: not known here")
    known = sum(found.is_known for found in findings)
    print(
        f"{known - len(wrong)} of {known} answers agree; {len(findings) - known} are not known here."
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Where the cases that a run has kept stand now, and what they expect there."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from callscore.core.run import Unloaded
from callscore.engines.inputs import CASES, cases_in, inputs_for
from callscore.errors import CallscoreError
from callscore.evaluations.case_reading import cases_of
from callscore.evaluations.discovery import load
from callscore.evaluations.places import file_of, shown
from callscore.rewriting import reasons
from callscore.rewriting.change import CannotRewrite
from callscore.rewriting.spots import Spot, spot_of_case
from callscore.sources import BadRecord

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from callscore.core.model import Case
    from callscore.core.phrase import Phrase
    from callscore.evaluations.evaluation import Evaluation
    from callscore.history.records import EvaluationRecord, ResultRecord

__all__ = ["Standing", "Standings"]

_NAMED = "::"  # between the file of an evaluation and its name


class Standing(NamedTuple):
    """Where a case stands.

    Attributes:
        spot: the place.
        case: the case as it is now; None where it is not known by its id, so that only the place tells
            whether it still expects the same.
    """

    spot: Spot
    case: Case | None = None


def _about(file: str, reason: Phrase, **values: Any) -> CannotRewrite:
    problem = CannotRewrite(reason, **values)
    return CannotRewrite(reasons.IN_FILE, file=file, problem=problem)


class Standings:
    """Finds the cases of a run again; each file is read once, when it is needed.

    Args:
        root: the folder of the project, from which the places of evaluations are told.
        files: the files that a run of `callscore score` took what is expected from, likewise.
    """

    def __init__(self, root: Path, files: Sequence[str] = ()) -> None:
        self._root = root
        self._files = files
        self._loaded: dict[Path, list[Evaluation] | Unloaded] = {}
        self._scored: dict[Path, dict[str, Case]] = {}
        self._cases: dict[int, dict[str, Case]] = {}  # by the id of the evaluation's value

    def find(self, record: EvaluationRecord, result: ResultRecord, label: str) -> Standing:
        """Where a case stands.

        Args:
            record: the evaluation as it is kept.
            result: what became of the case.
            label: what it is called where people see it.

        Raises:
            CannotRewrite: it is not there any more, or nobody knows where it was.
        """
        if _NAMED in record.place:
            evaluation = self._evaluation(record)
            case = self._cases_of(evaluation).get(result.case)
            if case is None:
                file = file_of(record.place)
                raise _about(file, reasons.NO_CASE, case=result.case)
            return Standing(spot_of_case(label, evaluation, case), case)
        files = [record.place] if record.place else list(self._files)
        if not files:
            raise CannotRewrite(reasons.UNKNOWN_FILE, name=record.name)
        paths = [self._path(file) for file in files]
        asked = result.payload.get("input")
        places = tuple(map(str, paths))
        spot = Spot(label, "case", places, case=result.case, input=asked)
        known = (self._cases_in(path).get(result.case) for path in paths)
        return Standing(spot, next((case for case in known if case is not None), None))

    def _cases_in(self, path: Path) -> dict[str, Case]:
        """The cases of a file that was scored, by id; none where it cannot be read so."""
        known = self._scored.get(path)
        if known is None:
            known = self._scored[path] = {}
            with suppress(CallscoreError):
                for found in cases_in(str(path), CASES, inputs_for()):
                    if not isinstance(found, BadRecord):
                        _, case = found
                        known.setdefault(case.id, case)
        return known

    def _path(self, file: str) -> Path:
        """The path of a file of the project; what others have kept may lead anywhere."""
        path = self._root / file
        if not path.resolve().is_relative_to(self._root.resolve()):
            raise _about(file, reasons.OUTSIDE, root=self._root)
        if not path.is_file():
            raise _about(file, reasons.NO_FILE)
        return path

    def _evaluation(self, record: EvaluationRecord) -> Evaluation:
        file = file_of(record.place)
        if not file:
            raise CannotRewrite(reasons.UNKNOWN_FILE, name=record.name)
        path = self._path(file)
        if path not in self._loaded:
            self._loaded[path] = load(path)
        found = self._loaded[path]
        if isinstance(found, Unloaded):
            raise CannotRewrite(f"{found.place}: {found.problem}")
        own = [each for each in found if each.key == record.place]
        if not own:
            raise _about(shown(path), reasons.NO_EVALUATION, name=record.name)
        return own[0]

    def _cases_of(self, evaluation: Evaluation) -> dict[str, Case]:
        known = self._cases.get(id(evaluation))
        if known is None:  # the evaluation is held by what was loaded
            try:
                known = {case.id: case for case in cases_of(evaluation)}
            except CallscoreError as error:
                raise CannotRewrite(str(error)) from error
            self._cases[id(evaluation)] = known
        return known

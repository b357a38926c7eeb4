"""Recorded answers in place of an agent: each is found by the id of its case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.core.suggestions import did_you_mean
from callscore.errors import InvalidSettings, UnreadableInput
from callscore.formats.case_fields import ACTUAL_FIELDS, EITHER_SIDE_FIELDS
from callscore.formats.shape import describe
from callscore.words.value_text import encode_json

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from callscore.core.case import Case

__all__ = ["ANSWER_FIELDS", "RecordedAnswers", "read_answers"]

# Where the answer stands in a record, beside its `id`.
ANSWER_FIELDS = ("answer", "output", "response", *ACTUAL_FIELDS, *EITHER_SIDE_FIELDS)

_MAX_UNUSED = 20

# The answers by the id of the case, and by the trial where the record says which it is.
_Answers = dict[tuple[str, str | None], Any]


class RecordedAnswers:
    """A task that answers with what was recorded.

    Args:
        files: the files of answers, by their paths: one, or one a variant.
        folder: where the paths begin.

    Raises:
        UnreadableInput: a file, or a record in it, cannot be read.
    """

    def __init__(self, files: Sequence[str], folder: Path) -> None:
        self._files = tuple(files)
        self._answers = {file: read_answers(folder / file) for file in files}

    def __call__(self, case: Case, *, answers: str | None = None) -> Any:
        """The answer to a case.

        Args:
            case: the case.
            answers: in which of the files to look; by default in the first.

        Raises:
            InvalidSettings: there is no answer to it.
        """
        file = answers or self._files[0]
        key = self._key(case, file)
        if key is not None:
            return self._answers[file][key]
        hint = did_you_mean(case.id, [name for name, _ in self._answers[file]])
        raise InvalidSettings(f"{file} has no answer to the case {case.id!r}{hint}")

    def _key(self, case: Case, file: str) -> tuple[str, str | None] | None:
        """Under which name the answer is kept: that of the trial, or else that of the case."""
        keys = ((case.id, _text(case.trial)), (case.id, None))
        return next((key for key in keys if key in self._answers[file]), None)

    def unused_answers(self, cases: Collection[str]) -> list[str]:
        """The recorded answers to what is none of the cases, in sentences.

        Args:
            cases: the ids of all cases.
        """
        known = set(cases)
        return [
            f"{file} has an answer to {name!r}, which is no case{did_you_mean(name, known)}"
            for file, answers in self._answers.items()
            for name in dict.fromkeys(name for name, _ in answers)
            if name not in known
        ][:_MAX_UNUSED]

    def identity(self) -> dict[str, Any]:
        """What with the case decides an answer: all of them, as a digest."""
        from hashlib import sha256

        listed = [[*key, said] for known in self._answers.values() for key, said in known.items()]
        return {"recorded": self._files, "digest": sha256(encode_json(listed)).hexdigest()}


def read_answers(path: Path) -> _Answers:
    """The recorded answers in a file: objects with an `id`, an `answer` and, it may be, a `trial`.

    Raises:
        UnreadableInput: the file cannot be read, or a record in it is none.
    """
    from callscore.sources import BadRecord, read_records

    answers: _Answers = {}
    for record in read_records(str(path)):
        if isinstance(record, BadRecord):
            raise UnreadableInput(record.place, record.problem)
        key, answer = _read(record.value, record.place)
        if key in answers:
            trial = "" if key[1] is None else f", trial {key[1]}"
            problem = f"the case {key[0]!r}{trial} has an answer already. Keep one of them."
            raise UnreadableInput(record.place, problem)
        answers[key] = answer
    if not answers:
        raise UnreadableInput(str(path), "there are no answers in it.")
    return answers


def _read(value: Any, place: str) -> tuple[tuple[str, str | None], Any]:
    if not isinstance(value, dict):
        problem = (
            f"a recorded answer is an object with an `id` and an `answer`; got {describe(value)}."
        )
        raise UnreadableInput(place, problem)
    name = value.get("id")
    fields = [field for field in ANSWER_FIELDS if field in value]
    if name is None or isinstance(name, bool) or not isinstance(name, str | int):
        raise UnreadableInput(place, f"the `id` of a case is missing; got {describe(name)}.")
    if len(fields) != 1:
        got = " and ".join(fields) or "none of them"
        all_fields = ", ".join(ANSWER_FIELDS)
        raise UnreadableInput(place, f"the answer stands under one of {all_fields}; got {got}.")
    return (str(name), _text(value.get("trial"))), value[fields[0]]


def _text(trial: Any) -> str | None:
    return None if trial is None else str(trial)

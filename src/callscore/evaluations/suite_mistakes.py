"""The mistakes of a suite, one for each of its keys and cases, where running it stops at the first.

After each mistake its key is taken out, or replaced by something sound, and the rest is read again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.core.results import Unloaded
from callscore.errors import CallscoreError, InvalidEvaluation, UnreadableInput
from callscore.evaluations.locations import display_path
from callscore.evaluations.suites import (
    SuiteDocument,
    read_suite,
    reading_of,
    suite_case,
    suite_evaluation,
)

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.evaluations.evaluation import Evaluation

_MOST = 100  # keys that are taken out
# What stands for the keys that a suite cannot do without. Nothing is sent to the model.
_SOUND_MODEL = "a-model"
_SOUND_CASE = {"id": "sound", "input": "", "expected": []}


def read_with_mistakes(path: Path) -> tuple[Evaluation | None, list[Unloaded]]:
    """The evaluation in a suite without what is wrong in it, and its mistakes in order.

    The evaluation is None if what is left cannot be read either.
    """
    found: dict[tuple[str, str], Unloaded] = {}
    evaluation = None
    try:
        with reading_of(path):
            suite = read_suite(path)
            while evaluation is None and len(found) < _MOST:
                suite.wrong_keys = None
                try:
                    evaluation = suite_evaluation(suite)
                except InvalidEvaluation as error:
                    found[error.place, error.problem] = Unloaded(error.place, error.problem)
                    if not _take_out(suite, found):
                        break
    except UnreadableInput as error:
        found[error.place, error.problem] = Unloaded(error.place, error.problem)
    except CallscoreError as error:
        found[display_path(path), str(error)] = Unloaded(display_path(path), str(error))
    return evaluation, list(found.values())


def _take_out(suite: SuiteDocument, found: dict[tuple[str, str], Unloaded]) -> bool:
    """Take the latest mistake out of a suite; whether that changes anything."""
    if suite.wrong_keys is None:
        return False
    before = suite.value
    key, *inner = suite.wrong_keys or ("model",)
    if key == "cases":
        suite.value = {**before, "cases": _sound_cases(suite, found)}
    elif key == "settings" and inner and isinstance(before[key], dict):
        kept = {name: value for name, value in before[key].items() if name != inner[0]}
        suite.value = {**before, key: kept}
    else:
        suite.value = _without(before, str(key))
    return suite.value != before


def _sound_cases(suite: SuiteDocument, found: dict[tuple[str, str], Unloaded]) -> list[Any]:
    """The cases, and files with cases, of a suite that can be read; the mistakes of others are noted."""
    given = suite.value.get("cases")
    sound: list[Any] = []
    for position, item in enumerate(given if isinstance(given, list) else ()):
        try:
            suite_case(suite, item, position)
        except InvalidEvaluation as error:
            found[error.place, error.problem] = Unloaded(error.place, error.problem)
        else:
            sound.append(item)
    return sound or [_SOUND_CASE]


def _without(value: dict[str, Any], key: str) -> dict[str, Any]:
    """A suite without a key, and without what only makes sense with it."""
    left = {name: inner for name, inner in value.items() if name != key}
    if key == "scorers" and isinstance(left.get("fail_under"), dict):
        del left["fail_under"]  # its keys are the names of scorers
    variants = left.get("variants")
    has_answers = "answers" in left or (
        isinstance(variants, dict)
        and any(isinstance(each, dict) and "answers" in each for each in variants.values())
    )
    return left if has_answers or "model" in left else {**left, "model": _SOUND_MODEL}

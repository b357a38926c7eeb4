"""Checks the files that people write, without running anything: case files, suites and settings.

One mistake hides no other: each record of a case file is read, and each key of a suite and of settings.
A file of evaluations in Python would have to be run, and is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from callscore.core.results import Unloaded
from callscore.errors import CallscoreError, UnreadableInput
from callscore.evaluations.discovery import evaluation_files, is_evaluation_file
from callscore.evaluations.locations import display_path
from callscore.evaluations.project_config import OWN_FILE, config_mistakes
from callscore.formats.cases import has_own_id
from callscore.sources.data_files import kind_by_name
from callscore.sources.reader import kind_by_head

if TYPE_CHECKING:
    from callscore.core.case import Case
    from callscore.core.phrases import Language
    from callscore.evaluations.evaluation import Evaluation

_SUITE_SUFFIXES = (".yaml", ".yml", ".toml")
_PLACE = re.compile(r"(?P<file>.+?):(?P<line>\d+)(?::\d+)?")
_KEYS_OF_SUITES = (
    re.compile(r"^cases:", re.MULTILINE),
    re.compile(r"^(model|answers|scorers|variants|fail_under):", re.MULTILINE),
)
_NO_CASES = "the file has no cases."
_NO_TEXT = "not a text file: it has bytes that no text has. Save it as UTF-8, or pass another file."
_TEXT_SUFFIXES = (".jsonl", ".ndjson", ".json", ".yaml", ".yml", ".csv", ".tsv")
# Of UTF-16, about which the reader has advice, and of what is compressed.
_BEGINNINGS = (b"\xff\xfe", b"\xfe\xff", b"\x1f\x8b", b"\x28\xb5\x2f\xfd")
_HEAD_BYTES = 8192
_NO_FILE = "it is a device or a pipe. Pass a file or a folder."
# Sentences about options that other commands have, which read traces, too.
_ABOUT_OPTIONS = re.compile(
    r" (?:[^.]|\.(?=\S))*--(?:map|input-format|id-from)\b(?:[^.]|\.(?=\S))*(?:\.(?=\s)|\.?$)"
)
_WHOLE_CASE = "a case must have 'id', 'expected' and 'actual'"
_CASE = "a case must have an 'id' and 'expected'"


class Problem(Struct, frozen=True):
    """A mistake, or a warning, at a place in a file."""

    place: str
    text: str
    is_warning: bool = False

    @property
    def file(self) -> str:
        """The file of the place."""
        found = _PLACE.fullmatch(self.place)
        return self.place if found is None else found["file"]

    @property
    def line(self) -> int | None:
        """The line of the place; None if it is unknown."""
        found = _PLACE.fullmatch(self.place)
        return None if found is None else int(found["line"])


class FileReport(Struct, frozen=True):
    """What was found in a file.

    Attributes:
        kind: `python` if it was not checked.
        cases: the number of its cases, also of those in files that a suite names.
    """

    path: str
    kind: Literal["cases", "suite", "settings", "python", "unknown"]
    cases: int = 0
    problems: tuple[Problem, ...] = ()


def validate_paths(paths: Iterable[Path], lang: Language = "en") -> Iterator[FileReport]:
    """Check files, and the suites in folders and their subfolders; each file once."""
    seen: set[Path] = set()
    for path in paths:
        for found in _files_at(path):
            if isinstance(found, FileReport):
                yield found
            elif found.resolve() not in seen:
                seen.add(found.resolve())
                yield _validate_file(found, lang)


def _files_at(path: Path) -> Iterator[Path | FileReport]:
    try:
        is_folder = path.is_dir()
        is_there = is_folder or path.is_file()
    except OSError as error:  # no permission, or the name is too long
        yield _unusable(str(path), f"it cannot be read ({error.strerror}).")
        return
    if not is_there:
        is_other = path.exists()
        yield _unusable(str(path), _NO_FILE if is_other else "file or folder not found.")
    elif not is_folder:
        yield path
    else:
        found = [*evaluation_files(path)]
        for each in found:
            yield _unusable(each.place, each.problem) if isinstance(each, Unloaded) else each
        if not found:
            expected = "eval_*.yaml, eval_*.yml or eval_*.toml. Case files are passed by name"
            yield _unusable(str(path), f"no suites found. Expected files named {expected}.")


def _unusable(place: str, problem: str) -> FileReport:
    return FileReport(place, "unknown", problems=(Problem(place, problem),))


def _validate_file(path: Path, lang: Language) -> FileReport:
    name = display_path(path)
    if path.suffix == ".py":
        found = FileReport(name, "python")
    elif path.name == OWN_FILE:
        found = _validate_settings(path, name)
    elif _is_suite(path):
        found = _validate_suite(path, name, lang)
    elif _is_binary(path):
        found = FileReport(name, "cases", problems=(Problem(name, _NO_TEXT),))
    elif kind_by_name(path.name) is None:
        expected = "a case file (.jsonl, .json, .yaml, .csv ...), a suite (.yaml, .toml)"
        found = _unusable(name, f"expected {expected} or {OWN_FILE}.")
    else:
        found = _validate_cases(path, name)
    return found


def _is_binary(path: Path) -> bool:
    """Whether a file with the name of a text has a byte that no text has; its lines say nothing then."""
    if path.suffix.lower() not in _TEXT_SUFFIXES:
        return False
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD_BYTES)
    except OSError:  # reported where it is read
        return False
    is_known = head.startswith(_BEGINNINGS) or kind_by_head(head) is not None
    return b"\0" in head and not is_known


def _is_suite(path: Path) -> bool:
    """Whether a file is a suite, by its name or by the keys that only a suite has."""
    if path.suffix not in _SUITE_SUFFIXES:
        return False
    if path.suffix == ".toml" or is_evaluation_file(path.name):
        return True
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:  # reported where it is read
        return False
    return all(pattern.search(text) for pattern in _KEYS_OF_SUITES)


def _validate_settings(path: Path, name: str) -> FileReport:
    problems = [Problem(*each) for each in config_mistakes(path, name)]
    problems.sort(key=lambda each: each.line or 0)
    return FileReport(name, "settings", problems=tuple(problems))


def _validate_suite(path: Path, name: str, lang: Language) -> FileReport:
    from callscore.evaluations.plan import cases_and_repeated_ids, warnings_about
    from callscore.evaluations.suite_mistakes import read_with_mistakes

    evaluation, mistakes = read_with_mistakes(path)
    broken = [Problem(each.place, each.problem) for each in mistakes]
    broken.sort(key=lambda each: each.line or 0)
    if evaluation is not None:
        broken += _broken_files(evaluation)
    if evaluation is None or broken:
        return FileReport(name, "suite", problems=tuple(broken))
    try:
        cases, repeated = cases_and_repeated_ids(evaluation)
    except UnreadableInput as error:
        return FileReport(name, "suite", problems=(Problem(error.place, error.problem),))
    warnings = warnings_about(evaluation, cases, repeated, lang)
    problems = [Problem(name, text, is_warning=True) for text in warnings]
    return FileReport(name, "suite", len(cases), (*problems, *_without_answer(evaluation, cases)))


def _broken_files(evaluation: Evaluation) -> Iterator[Problem]:
    """All mistakes in the case files that a suite names, at their own places."""
    given = evaluation.cases if isinstance(evaluation.cases, list) else []
    for file in [Path(evaluation.folder) / each for each in given if isinstance(each, Path)]:
        report = _validate_cases(file, display_path(file))
        yield from [each for each in report.problems if not each.is_warning]


def _without_answer(evaluation: Evaluation, cases: Iterable[Case]) -> Iterator[Problem]:
    """Cases to which no answer is recorded; with variants, each may have its own file."""
    if not hasattr(evaluation.task, "unused_answers") or evaluation.variants:
        return
    for case in cases:
        try:
            evaluation.task(case)
        except CallscoreError as error:
            yield Problem(evaluation.place, f"{error}.".replace("?.", "?"))


def _validate_cases(path: Path, name: str) -> FileReport:
    from callscore.engines.inputs import CASES, input_options_for, read_cases
    from callscore.sources import BadRecord

    problems: list[Problem] = []
    twins = _Twins()
    try:
        for each in read_cases(str(path), CASES, input_options_for()):
            if isinstance(each, BadRecord):
                problems.append(Problem(_shown(each.place, path, name), _of_cases(each.problem)))
            else:
                twins.add(_shown(each[0], path, name), each[1])
    except UnreadableInput as error:
        problems.append(Problem(_shown(error.place, path, name), _of_cases(error.problem)))
    except CallscoreError as error:
        problems.append(Problem(name, _of_cases(str(error))))
    if not twins.cases and not problems:
        problems.append(Problem(name, _NO_CASES))
    # Some records are recognized only at the end of the file.
    problems.sort(key=lambda each: each.line or 0)
    return FileReport(name, "cases", twins.cases, (*problems, *twins.warnings))


def _of_cases(problem: str) -> str:
    """A problem in a case file, without advice for commands that score traces."""
    text = _ABOUT_OPTIONS.sub("", problem).replace(_WHOLE_CASE, _CASE)
    if text.startswith("unknown format") and text != problem:
        return f"{text} {_CASE.capitalize()}."
    return text


def _shown(place: str, path: Path, name: str) -> str:
    """A place in a file, with the name of the file as it is shown."""
    given = str(path)
    return name + place.removeprefix(given) if place.startswith(given) else place


class _Twins:
    """Finds cases that have one id by mistake: trials of a case have the same input and expect the same.

    The second is a trial only if it has an answer or a number. Of each id only the first place and a digest are
    kept: a file may have a million cases.
    """

    def __init__(self) -> None:
        self._first: dict[str, tuple[str, bytes]] = {}
        self.cases = 0
        self.warnings: list[Problem] = []

    def add(self, place: str, case: Case) -> None:
        """Look at the next case of the file."""
        self.cases += 1
        if not case.id or not has_own_id(case):
            return
        content = repr((case.input, case.expected)).encode(errors="replace")
        digest = blake2b(content, digest_size=8).digest()
        if case.id not in self._first:
            self._first[case.id] = (place, digest)
            return
        where, first = self._first[case.id]
        if first != digest:
            difference = "which has another input or expects other calls. Rename one."
        elif case.actual is None and case.trial is None:
            difference = "which is the same case. Remove one."
        else:
            return
        text = f"the id {case.id!r} is also that of {where}, {difference}"
        self.warnings.append(Problem(place, text, is_warning=True))

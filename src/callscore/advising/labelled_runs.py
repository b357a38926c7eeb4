"""Reads runs with success labels, and advises on the settings that fit them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import UNSET
from msgspec.structs import replace

from callscore.advising.advice import Advice, advise_on
from callscore.advising.runs import LabelledInput, LabelledRun
from callscore.core.rendering import escape, mention
from callscore.core.settings import DEFAULT, Settings
from callscore.core.suggestions import did_you_mean
from callscore.core.totals import NameCounter
from callscore.engines.inputs import (
    CASES,
    REFERENCES,
    TRACES,
    FileContent,
    InputOptions,
    input_options_for,
    read_cases,
)
from callscore.engines.joining import join_traces
from callscore.engines.local import read_case_value
from callscore.engines.tool_definitions import ToolDefinitions
from callscore.errors import InvalidSettings, UnreadableInput
from callscore.formats.labels import LabelPath, field_names, is_success
from callscore.formats.shape import describe
from callscore.sources import BadRecord
from callscore.sources.paths import files_in_folder
from callscore.sources.remote import without_credentials

if TYPE_CHECKING:
    from callscore.core.case import Case

_MOST_FIELDS = 200
_LONGEST_FIELD = 80
_FIELDS_NAMED = 12


def advise(
    cases: Any,
    *,
    labels: str | Iterable[Any] = "success",
    label_at_least: float | None = None,
    tools: Any = None,
    settings: Settings = DEFAULT,
) -> Advice:
    """Measure which settings tell success from failure, and recommend the simplest that do.

    Args:
        cases: runs with expected and actual calls: `Case` values, the objects of a case file, or the
            paths of files that `score_files` reads. The runs of one task have the same id.
        labels: where the success label of a run is: the name of a field of its record or of its
            `metadata`, or a path such as `reward_info.reward`. Or the labels themselves, one for each
            case. A label is True or False, 1 or 0, or a word such as `success` or `failure`; a run
            whose label is None or absent is left out.
        label_at_least: the number from which a label that is a number means success; None if 1 is a
            success and 0 a failure, and no other number is a label.
        tools: the tool definitions, in any form that `read_tools` accepts, instead of those in the
            cases.
        settings: what is kept in all settings that are tried: the names of tools, the pass mark, and
            rules for arguments.

    Raises:
        UnreadableInput: a case cannot be read, a label is not clear, or there are too few labels to
            learn anything: fewer than 30 runs or 10 tasks, or only successes or only failures.
        InvalidCall: the tool definitions cannot be read.
        InvalidSettings: the path is invalid.
    """
    if not isinstance(labels, Iterable):
        raise InvalidSettings(
            f"labels: expected a field or a list of labels, got {mention(labels)}"
        )
    is_path = isinstance(labels, str)
    reader = LabelledReader(
        label=labels if isinstance(labels, str) else "success", at_least=label_at_least, tools=tools
    )
    items = [cases] if isinstance(cases, str | PathLike) else cases
    if not isinstance(items, Iterable):
        raise UnreadableInput("cases", f"expected a list of cases, got {describe(cases)}.")
    items = list(items)
    if is_path and items and all(isinstance(item, str | PathLike) for item in items):
        reader.read_files([fspath(item) for item in items])
    else:
        reader.take_values(items, None if isinstance(labels, str) else list(labels))
    return advise_on(reader.found(), settings)


class _Label(NamedTuple):
    """The label of a run, in the place of the metadata of its case."""

    value: Any


class LabelledReader:
    """Reads runs with their labels.

    Args:
        label: the path of the label.
        at_least: the number from which a numeric label is a success; None for 1 and 0 only.
        option: how this number is passed, for messages.
        tools: the tool definitions of all runs; None for those in the input.
        skip_bad: count and skip what cannot be read instead of raising.
    """

    def __init__(
        self,
        *,
        label: str,
        at_least: float | None = None,
        option: str = "label_at_least",
        tools: Any = None,
        skip_bad: bool = False,
    ) -> None:
        if at_least is not None and not isinstance(at_least, int | float):
            raise InvalidSettings(f"label_at_least: {mention(at_least)} is not a number")
        self._label = label
        self._path = LabelPath.parse(label)
        self._at_least = at_least
        self._option = option
        self._has_field = False
        self._fields: dict[str, None] = {}  # of the first records, for a hint
        self._definitions = ToolDefinitions(tools)
        self._skip_bad = skip_bad
        self._runs: list[LabelledRun] = []
        self._unlabelled = NameCounter()
        self._unscorable = NameCounter()
        self._skipped = NameCounter()
        self._unread = NameCounter()

    def found(self) -> LabelledInput:
        """Everything that was read."""
        return LabelledInput(
            tuple(self._runs),
            self._unlabelled.noted(),
            self._unscorable.noted(),
            self._skipped.noted(),
            self._unread.noted(),
            self._absent_label(),
        )

    def _absent_label(self) -> str:
        """That no record has the field of the label, and which it may be; empty if one has it."""
        if self._has_field or not self._fields:
            return ""
        hint = did_you_mean(self._label, self._fields) or (
            f". The records have: {', '.join(map(escape, [*self._fields][:_FIELDS_NAMED]))}."
        )
        return f"no record has the field {mention(self._label)}{hint}"

    def _find(self, document: Any, index: int = 0, count: int = 1) -> Any:
        """The label of a run in a document."""
        found = self._path.find(document, index, count)
        if not self._has_field:
            self._has_field = found is not None or self._path.is_in(document)
            if len(self._fields) < _MOST_FIELDS:
                names = [
                    name for name in field_names(document, count) if len(name) <= _LONGEST_FIELD
                ]
                self._fields |= dict.fromkeys(names[:_MOST_FIELDS])
        return found

    def take_values(self, cases: Sequence[Any], labels: Sequence[Any] | None) -> None:
        """Take cases as values, with labels in their records or beside them."""
        if labels is not None and len(labels) != len(cases):
            raise InvalidSettings(
                f"labels: {len(labels)} labels for {len(cases)} cases. Pass one label for each case"
            )
        for position, given in enumerate(cases):
            place = f"cases[{position}]"
            case = read_case_value(given, place, 1)
            if labels is not None:
                label, self._has_field = labels[position], True
            elif isinstance(given, Mapping):
                label = self._find(dict(given))
            else:
                label = self._find({"metadata": case.metadata})
            self._take(place, replace(case, metadata=_Label(label)))

    def read_files(
        self,
        files: Iterable[str],
        inputs: InputOptions | None = None,
        on_bytes: Callable[[int], None] | None = None,
    ) -> None:
        """Take the runs of files that have both sides."""
        for place, case in self._cases(files, CASES, inputs or input_options_for(), on_bytes):
            self._take(place, case)

    def read_joined(
        self,
        expected: Iterable[str],
        actual: Iterable[str],
        inputs: InputOptions,
        on_bytes: Callable[[int], None] | None = None,
    ) -> None:
        """Take the traces of files, joined with references by id; the labels are in the traces."""
        references = self._cases(expected, REFERENCES, inputs, on_bytes)
        traces = self._cases(actual, TRACES, inputs, on_bytes)
        for place, case, has_reference in join_traces(references, traces, self._refuse):
            self._take(place, case if has_reference else replace(case, expected=UNSET))

    def _cases(
        self,
        files: Iterable[str],
        part: FileContent,
        inputs: InputOptions,
        on_bytes: Callable[[int], None] | None,
    ) -> Iterator[tuple[str, Case]]:
        is_reference = part is REFERENCES
        keeps_tools = self._definitions.of_run is None and not is_reference
        mark = None if is_reference else self._marked
        inputs = replace(inputs, keeps_tools=keeps_tools, with_document=mark)
        for path in [file for name in files for file in files_in_folder(name)]:
            is_empty = True
            for found in read_cases(path, part, inputs, on_bytes=on_bytes, allow_remote=True):
                is_empty = False
                if isinstance(found, BadRecord):
                    self._refuse(found.place, found.problem)
                else:
                    yield found
            if is_empty:
                raise UnreadableInput(without_credentials(path), "the file is empty.")

    def _marked(self, case: Case, document: Any, index: int, count: int) -> Case:
        return replace(case, metadata=_Label(self._find(document, index, count)))

    def _take(self, place: str, case: Case) -> None:
        if case.unread is not None:
            self._unread.add(f"{place}: {case.unread}")
        if case.expected is UNSET or case.actual is None:
            self._unscorable.add(case.id or place)
            return
        value = case.metadata.value if isinstance(case.metadata, _Label) else None
        try:
            success = is_success(value, self._at_least, option=self._option)
        except InvalidSettings as error:
            self._refuse(place, f"{error}.")
            return
        if success is None:
            self._unlabelled.add(case.id or place)
            return
        tools = self._definitions.of(case.tools, place) or {}
        self._runs.append(LabelledRun(replace(case, metadata=None), success, place, tools))

    def _refuse(self, place: str, problem: str) -> None:
        if not self._skip_bad:
            error = UnreadableInput(place, problem)
            error.is_one_record = True
            raise error
        self._skipped.add(f"{place}: {problem}")

"""Reads the cases of a log once: each record is given to its stratum, which keeps it or not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from msgspec import UNSET, Struct, structs

from callscore.core.call import Tool
from callscore.core.case import Case, calls_in
from callscore.core.rendering import mention
from callscore.core.totals import InputCounter
from callscore.engines.inputs import (
    CASES,
    CaseReader,
    FileContent,
    Found,
    InputOptions,
    read_batch,
)
from callscore.errors import InvalidSettings, UnreadableInput
from callscore.formats.case_fields import (
    ACTUAL_FIELDS,
    EITHER_SIDE_FIELDS,
    EXPECTED_FIELDS,
    parse_json_path,
)
from callscore.formats.cases import (
    case_from_trace,
    case_record,
    expected_records,
    has_own_id,
    read_case,
    read_reference,
    read_trace,
)
from callscore.sources import Array, BadRecord, Batch, Lines, Record, read_batches
from callscore.sources.files import display_path
from callscore.sources.paths import display_paths
from callscore.sources.text_document import decode_line
from callscore.words.plain_data import call_to_dict, tool_to_dict
from callscore.words.value_text import encode_json

if TYPE_CHECKING:
    from callscore.engines.stratified_pool import StratifiedPool

_MAX_NAME = 200  # characters of the name of a stratum


# --- strata ------------------------------------------------------------------------------------


class Strata(Struct, frozen=True):
    """How the stratum of a case is found.

    Attributes:
        of_case: the name for a case and the value of its record, None if it has none of its own.
        path: the path to the name, if there is one.
    """

    of_case: Callable[[Case, Any], str | None]
    path: str | None = None


def parse_strata(by: str | None) -> Strata:
    """How cases are divided: by `tool`, by `tag`, by the value at a path, or by None not at all.

    Raises:
        InvalidSettings: it is none of these.
    """
    if by is None:
        return Strata(lambda *_: "")
    if by == "tool":
        return Strata(lambda case, _: _tool_of(case))
    if by == "tag":
        return Strata(lambda case, _: next(iter(case.tags), ""))
    if not by.startswith("$"):
        raise InvalidSettings(
            f"by: unknown value {mention(by)}. Choose from: tool, tag, or a path such as $.metadata.model."
        )
    find = parse_json_path(by).find

    def value_of(case: Case, value: Any) -> str | None:
        found = find(case_notation(case) if value is None else value)
        return _name_of_value(found[0]) if found else None

    return Strata(value_of, by)


def _tool_of(case: Case) -> str:
    """The first expected tool; only without a reference the first called one.

    The calls of trials differ, and these would be in different strata.
    """
    calls = case.actual or () if case.expected is UNSET else calls_in(case.expected or ())
    return next((call.name for call in calls), "")


def _name_of_value(value: Any) -> str:
    """A value as the name of a stratum; a long one is cut, and stays different from others."""
    text = value if isinstance(value, str) else encode_json(value).decode()
    if len(text) <= _MAX_NAME:
        return text
    from hashlib import blake2b

    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    return f"{text[:_MAX_NAME]}… {digest}"


# --- reading -----------------------------------------------------------------------------------


def _read_any_side(value: Any, *, place: str, **options: Any) -> Case:
    """A case, or one side of it: `calls` are the actual ones, or expected ones if they have groups."""
    keys = value if isinstance(value, dict) else ()
    if any(field in keys for field in EXPECTED_FIELDS + ACTUAL_FIELDS) or not any(
        field in keys for field in EITHER_SIDE_FIELDS
    ):
        return read_case(value, place=place, takes_trace=True, **options)
    try:
        return read_trace(value, place=place, is_alone=True, **options)
    except UnreadableInput:
        return read_reference(value, place=place, **options)


# A log may have both sides of its cases, or one of them.
ANY_SIDE = FileContent(_read_any_side, case_from_trace, "", is_compared=True)


class Taken(Struct, frozen=True, gc=False):
    """A record that may be in the sample.

    Attributes:
        position: its position in the log.
        line: its bytes, if it is one line of JSON lines.
        value: the value of a record that is not a line; None if the case has no record of its own.
    """

    position: int
    place: str
    case: Case
    line: bytes | None
    value: Any


class Log:
    """One pass over the log.

    With `unscored`, the log is read to be scored, and this takes the cases without expected calls. Without
    it, they are sampled like the others.
    """

    def __init__(
        self,
        inputs: InputOptions,
        strata: Strata,
        pool: StratifiedPool[Taken],
        refuse: Callable[[str, str], None],
        *,
        unscored: Callable[[Case, str], object] | None = None,
    ) -> None:
        self.pool = pool
        self._inputs = inputs
        self._strata = strata
        self._refuse = refuse
        self._unscored = unscored
        self._position = 0
        self._file = ""
        self._start = 0  # the position at which the file begins
        self._has_values = False
        self.inputs = InputCounter()

    def read(self, path: str, *, on_bytes: Callable[[int], None] | None) -> bool:
        """Read a file; returns whether it has any record."""
        self._file, self._start = display_path(path), self._position
        reader = None
        for batch in read_batches(path, on_bytes=on_bytes, allow_remote=True):
            if reader is None:
                reader = CaseReader(self._file, self._part_in(batch), self._inputs)
            values = _values_in(batch)
            for position, place, found in read_batch(batch, reader):
                if isinstance(batch, Lines):
                    self._take(found, {place: None}, batch.line_at(position))
                else:
                    self._take(found, values)
        for found in () if reader is None else reader.finish():
            self._take(found, {})
        if reader is not None:
            self.inputs.add(self._file, reader.formats)
        return self._position > self._start

    def _part_in(self, batch: Batch) -> FileContent:
        """What a file contains that begins with this batch: a list of lists may be an event stream."""
        is_list = isinstance(batch, Array) and not isinstance(next(iter(batch.items), None), dict)
        return CASES if is_list or self._unscored is not None else ANY_SIDE

    def require_values(self, paths: Sequence[str]) -> None:
        """Raise an error if there are records, but none has a value at the path of the strata."""
        if self._strata.path is not None and self._position and not self._has_values:
            problem = f"no record has a value at {self._strata.path}, the path of the strata."
            raise UnreadableInput(display_paths(paths), f"{problem} Check its spelling.")

    def _take(self, found: Found, known: Mapping[str, Any], line: bytes | None = None) -> None:
        """Take a case; one at a known place has a record of its own, and this line if it is one."""
        self._position += 1
        if isinstance(found, BadRecord):
            self._refuse(found.place, found.problem)
            return
        place, case = found
        if case.expected is UNSET and self._unscored is not None:
            self._unscored(case, place)
            return
        value = known.get(place)
        line = line if place in known else None
        if line is not None and self._strata.path is not None:
            value = cast("Record", decode_line(line, place)).value
        name = self._strata.of_case(case, value)
        self._has_values = self._has_values or name is not None
        records = self.pool.records_for(name or "", self._key(case))
        if records is not None:
            records.append(Taken(self._position, place, case, line, None if line else value))

    def _key(self, case: Case) -> int:
        """The key of a case; without an id, that of its position in its file."""
        if case.id and has_own_id(case):
            return self.pool.case_key(case.id)
        return self.pool.place_key(f"{self._file}:{self._position - self._start}")


def _values_in(batch: Batch) -> dict[str, Any]:
    """The values of records that are not lines, by their place."""
    if isinstance(batch, Record):
        return {batch.place: batch.value}
    if not isinstance(batch, Array):
        return {}
    records = list(batch.records())
    known = {batch.place: batch.items} | {record.place: record.value for record in records}
    # Of several on one line, it is not known which is which.
    return known if len(known) > len(records) else {}


def case_notation(case: Case) -> dict[str, Any]:
    """A case as a record of a case file; without the id that follows from its content."""
    record = case_record(structs.replace(case, others=()))
    for field in ("others", "only", "skip"):
        if not record.get(field):
            record.pop(field, None)
    if not has_own_id(case):
        record.pop("id")
    if case.expected is not UNSET:
        record["expected"] = expected_records(case.expected or ())
    if case.actual is not None:
        record["actual"] = [call_to_dict(call) for call in case.actual]
    if isinstance(case.tools, list):
        record["tools"] = [
            tool_to_dict(tool) if isinstance(tool, Tool) else tool for tool in case.tools
        ]
    return {field: value for field, value in record.items() if field != "tags" or value}

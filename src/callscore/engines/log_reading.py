"""Reads the cases of a log once: each record is given to its stratum, which keeps it or not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET, Struct, structs

from callscore.core.call import Tool
from callscore.core.case import Case, calls_in
from callscore.core.rendering import mention
from callscore.core.results import OWN_FORMAT
from callscore.core.totals import InputCounter
from callscore.engines.inputs import (
    CASES,
    CHECKED_BYTES,
    CaseReader,
    FileContent,
    Found,
    InputOptions,
    decoded_lines,
)
from callscore.errors import InvalidSettings, UnreadableInput
from callscore.formats.case_fields import (
    ACTUAL_FIELDS,
    EITHER_SIDE_FIELDS,
    EXPECTED_FIELDS,
    parse_json_path,
)
from callscore.formats.cases import (
    CONTENT_ID_PREFIX,
    case_from_trace,
    case_record,
    expected_records,
    has_own_id,
    read_case,
    read_reference,
    read_trace,
)
from callscore.formats.plain_cases import PlainCase, decode_plain
from callscore.sources import Array, BadRecord, Entry, Lines, Record, read_batches
from callscore.sources.files import display_path
from callscore.sources.paths import display_paths
from callscore.words.plain_data import call_to_dict, tool_to_dict
from callscore.words.value_text import encode_json

if TYPE_CHECKING:
    from callscore.engines.stratified_pool import StratifiedPool

# An id of the content: several cases may have the same.
_CONTENT_ID = f'"{CONTENT_ID_PREFIX}'.encode()
_MAX_NAME = 200  # characters of the name of a stratum
_decode_lines = msgspec.json.Decoder().decode_lines


# --- strata ------------------------------------------------------------------------------------


class Strata(Struct, frozen=True):
    """How the stratum of a case is found.

    Attributes:
        of_case: the name for a case and the value of its record, None if it has none of its own.
        of_plain: the same for a case whose arguments are not decoded; the value is None if it is not
            needed.
        path: the path to the name, if there is one.
    """

    of_case: Callable[[Case, Any], str | None]
    of_plain: Callable[[PlainCase, Any], str | None]
    path: str | None = None


def parse_strata(by: str | None) -> Strata:
    """How cases are divided: by `tool`, by `tag`, by the value at a path, or by None not at all.

    Raises:
        InvalidSettings: it is none of these.
    """
    if by is None:
        return Strata(lambda *_: "", lambda *_: "")
    if by == "tool":
        return Strata(lambda case, _: _tool_of(case), lambda case, _: _tool_of_plain(case))
    if by == "tag":
        return Strata(_tag_of, _tag_of)
    if not by.startswith("$"):
        raise InvalidSettings(
            f"by: unknown value {mention(by)}. Choose from: tool, tag, or a path such as $.metadata.model."
        )
    find = parse_json_path(by).find

    def value_of(case: Case, value: Any) -> str | None:
        found = find(case_notation(case) if value is None else value)
        return _name_of_value(found[0]) if found else None

    def value_of_plain(_: PlainCase, value: Any) -> str | None:
        found = find(value)
        return _name_of_value(found[0]) if found else None

    return Strata(value_of, value_of_plain, by)


def _tool_of(case: Case) -> str:
    """The first expected tool; only without a reference the first called one.

    The calls of trials differ, and these would be in different strata.
    """
    calls = case.actual or () if case.expected is UNSET else calls_in(case.expected or ())
    return next((call.name for call in calls), "")


def _tool_of_plain(case: PlainCase) -> str:
    return case.expected[0].name if case.expected else ""


def _tag_of(case: Case | PlainCase, _: Any) -> str:
    return next(iter(case.tags), "")


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
        case: its case; None if the line is in the simplest notation, and was not decoded.
        value: the value of a record that is not a line; None if the case has no record of its own.
    """

    position: int
    place: str
    line: bytes | None = None
    case: Case | None = None
    value: Any = None


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
        unscored: Callable[[Case, str], None] | None = None,
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
            if not isinstance(batch, Lines):
                self._take_batch(batch, reader)
            elif not self._take_plain(batch, reader):
                self._take_lines(batch, reader)
        if reader is not None:
            self._take(reader.finish(), {})
            self.inputs.add(self._file, reader.formats)
        return self._position > self._start

    def _part_in(self, batch: Lines | Array | Record | BadRecord | Entry) -> FileContent:
        """What a file contains that begins with this batch: a list of lists may be an event stream."""
        is_list = isinstance(batch, Array) and not isinstance(next(iter(batch.items), None), dict)
        return CASES if is_list or self._unscored is not None else ANY_SIDE

    def require_values(self, paths: Sequence[str]) -> None:
        """Raise an error if there are records, but none has a value at the path of the strata."""
        if self._strata.path is not None and self._position and not self._has_values:
            problem = f"no record has a value at {self._strata.path}, the path of the strata."
            raise UnreadableInput(display_paths(paths), f"{problem} Check its spelling.")

    def _take_plain(self, lines: Lines, reader: CaseReader) -> bool:
        """Take cases in the simplest notation; returns False if these lines may be in another one."""
        cases = self._decoded(lines, reader)
        if cases is None:
            return False
        values: Iterable[Any] = repeat(None)
        if self._strata.path is not None:
            values = _decode_lines(lines.data)
        names = list(map(self._strata.of_plain, cases, values))
        self._has_values = self._has_values or any(name is not None for name in names)
        keys = self.pool.case_keys([str(case.id) for case in cases])
        start, split = self._position + 1, list[bytes]()
        for place, records in self.pool.records_for_all([name or "" for name in names], keys):
            split = split or lines.data.split(b"\n")
            records.append(Taken(start + place, lines.place(place), line=split[place]))
        self._position += len(cases)
        reader.note_formats([OWN_FORMAT])
        return True

    def _decoded(self, lines: Lines, reader: CaseReader) -> list[PlainCase] | None:
        """The cases of lines that `score_files` counts without decoding them, too."""
        if (
            not self._inputs.says_nothing
            or self._inputs.top_k > 1
            or reader.is_joining
            or _CONTENT_ID in lines.data
        ):
            return None
        return decoded_lines(decode_plain, lines)

    def _take_lines(self, lines: Lines, reader: CaseReader) -> None:
        given = [line for line in lines.data.split(b"\n") if line.strip()]
        records = lines.records(checked_bytes=CHECKED_BYTES)
        for line, record in zip(given, records, strict=True):
            known = {} if isinstance(record, BadRecord) else {record.place: record.value}
            self._take(reader.take(record), known, line)

    def _take_batch(self, batch: Record | BadRecord | Array | Entry, reader: CaseReader) -> None:
        known: dict[str, Any] = {}
        if isinstance(batch, Array):
            records = list(batch.records())
            known = {batch.place: batch.items}
            known |= {record.place: record.value for record in records}
            if len(known) <= len(records):  # several are on one line, and cannot be told apart
                known = {}
        elif isinstance(batch, Record):
            known = {batch.place: batch.value}
        self._take(reader.take(batch), known)

    def _take(
        self, found: Iterator[Found], known: Mapping[str, Any], line: bytes | None = None
    ) -> None:
        """Take cases; those at a known place have a record of their own, and this line if it is one."""
        for item in found:
            self._position += 1
            if isinstance(item, BadRecord):
                self._refuse(item.place, item.problem)
                continue
            place, case = item
            if case.expected is UNSET and self._unscored is not None:
                self._unscored(case, place)
                continue
            value = known.get(place)
            name = self._strata.of_case(case, value)
            if name is not None:
                self._has_values = True
            records = self.pool.records_for(name or "", self._key(case))
            if records is not None:
                has_line = place in known and line is not None
                taken = Taken(
                    self._position,
                    place,
                    line=line if has_line else None,
                    case=case,
                    value=None if has_line else value,
                )
                records.append(taken)

    def _key(self, case: Case) -> int:
        """The key of a case; without an id, that of its position in its file."""
        if case.id and has_own_id(case):
            (key,) = self.pool.case_keys([case.id])
        else:
            (key,) = self.pool.place_keys([f"{self._file}:{self._position - self._start}"])
        return key


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

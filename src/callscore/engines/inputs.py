"""Reads the cases of files in any format, joins references with traces, reads tools once."""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct, structs

from callscore.core.case import Case
from callscore.core.results import OWN_FORMAT
from callscore.documents import UNKNOWN_LOG, Document, Documents, tools_of_document
from callscore.engines.pool import LOST_RECORD, is_suspected, mark_position
from callscore.errors import CallscoreError, InvalidCall, InvalidSettings, UnreadableInput
from callscore.formats.calls import NAME_KEYS
from callscore.formats.case_fields import (
    CASE_FIELDS,
    EXPECTED_STATE_FIELD,
    TRACE_FIELDS,
    TURNS_FIELD,
    FieldPaths,
    has_side_field,
    is_case,
    parse_field_paths,
)
from callscore.formats.case_sides import is_call_list
from callscore.formats.case_turns import actual_with_state, expected_with_state
from callscore.formats.cases import (
    NO_ID,
    actual_from_trace,
    case_from_trace,
    has_own_id,
    has_trace,
    is_question,
    read_case,
    read_reference,
    read_trace,
    reference_from_trace,
)
from callscore.formats.dialect import Dialect, dialect_named
from callscore.formats.expectations import has_groups
from callscore.formats.plain_cases import PlainCase, decode_cases
from callscore.formats.reading import (
    Recognizer,
    read_as,
    read_candidates,
    read_named,
    require_one_selection,
    trace_hint,
)
from callscore.formats.shape import first
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions, Trace
from callscore.sources import Array, BadRecord, Batch, Entry, Lines, Record, read_batches
from callscore.sources.data_files import STANDARD_INPUT, file_id
from callscore.sources.duplicate_keys import has_duplicate_sides
from callscore.sources.remote import name_in_url, without_credentials
from callscore.sources.text_document import read_line

if TYPE_CHECKING:
    from callscore.core.call import Tool
    from callscore.core.totals import InputCounter

# Smaller batches are decoded just as quickly.
_MANY_BYTES = 1 << 14
# The beginning of a file of JSON lines that is searched for all duplicate keys. The rest of a file of
# plain cases is not decoded, and searching it would take nearly as long as scoring: only the sides of
# cases are searched for there, whether the lines are decoded or not.
CHECKED_BYTES = 1 << 18
_Case = TypeVar("_Case", PlainCase, Case)


def decoded_lines(decode: Callable[[bytes], list[_Case]], lines: Lines) -> list[_Case] | None:
    """The cases of lines in the simplest notation; None if they are few, or may be in another one."""
    is_checked = lines.offset < CHECKED_BYTES
    if len(lines.data) < _MANY_BYTES or (is_checked and lines.may_have_duplicates):
        return None
    try:
        cases = decode(lines.data)
    except (ValueError, RecursionError):
        return None
    if not is_checked and has_duplicate_sides(lines.data, len(cases)):
        return None
    return cases


def file_title(path: str) -> str:
    """The title of a report about a file whose only case has no id."""
    return "stdin" if path == "-" else PurePath(name_in_url(path)).name


class InputOptions(Struct, frozen=True):
    """How input files are read.

    Attributes:
        fields: the paths of the fields of a case in a record.
        dialect: the format of the documents; None to recognize it.
        read_options: what to select from a document that offers a choice.
        top_k: how many answers to the same question to read.
        keeps_tools: whether cases keep the tools that their document defines.
        takes_trace: whether a case without actual calls has them in its trace, under a usual name.
        with_document: called with each case, the document that it was read from, and the number of
            the case among how many of this document; returns the case.
    """

    fields: FieldPaths | None = None
    dialect: Dialect | None = None
    read_options: ReadOptions = DEFAULT_READ_OPTIONS
    top_k: int = 1
    keeps_tools: bool = False
    takes_trace: bool = True
    with_document: Callable[[Case, Any, int, int], Case] | None = None

    @property
    def says_nothing(self) -> bool:
        """Whether a record in our own notation is one case, as it is: no option asks for something else."""
        options = self.read_options
        is_default = options.id_from is None and options.callers is None and self.top_k == 1
        is_own = self.fields is None and self.dialect is None and self.with_document is None
        return is_default and is_own


def input_options_for(  # noqa: PLR0913  (all are options)
    fields: Mapping[str, str] | None = None,
    format: str | None = None,  # noqa: A002  (as everywhere)
    read_options: ReadOptions = DEFAULT_READ_OPTIONS,
    *,
    top_k: int = 1,
    keeps_tools: bool = False,
    takes_trace: bool = True,
) -> InputOptions:
    """Check the options of a user about the input.

    Raises:
        InvalidSettings: a format, field or path is invalid, or both the first answers and a single
            one are selected.
    """
    require_one_selection(read_options, top_k)
    return InputOptions(
        fields=parse_field_paths(fields) if fields else None,
        dialect=None if format is None else dialect_named(format),
        read_options=read_options,
        top_k=top_k,
        keeps_tools=keeps_tools,
        # Where a user says where a side is, no other field is taken for one.
        takes_trace=takes_trace and (fields or {}).keys().isdisjoint(("expected", "actual")),
    )


class FileContent(Struct, frozen=True):
    """What a file contains: whole cases, only references, or only traces.

    Attributes:
        read: makes a case from a record in our own format.
        make: makes a case from a trace in another dialect.
        other: the field that such a file does not need.
        is_compared: whether calls are compared with what is expected, in turns if it has turns.
    """

    read: Callable[..., Case]
    make: Callable[..., Case]
    other: str
    is_compared: bool = False


CASES = FileContent(read_case, case_from_trace, "", is_compared=True)
REFERENCES = FileContent(read_reference, reference_from_trace, "actual")
TRACES = FileContent(read_trace, actual_from_trace, "expected", is_compared=True)

_HINT = "If the calls are elsewhere, pass their path: --map actual=$.path.to.calls."

_SMALL_BYTES = 1 << 24  # of a document that may be read once more
_SIDE_PATHS = frozenset(("expected", "actual", TURNS_FIELD))  # that make a record a case
# Plain calls are a format of their own, and the usual notation in a case.
_PLAIN_CALLS = "generic"
_OWN_FORMATS = (OWN_FORMAT, _PLAIN_CALLS)

# A case and its place, or why there is none.
Found = tuple[str, Case] | BadRecord


class CaseReader:
    """Reads the cases of one file."""

    def __init__(self, name: str, part: FileContent, inputs: InputOptions) -> None:
        self.part = part
        self.inputs = inputs
        self._name = name
        self._dialect = inputs.dialect
        self._inner = Recognizer()  # of nested documents
        self._unread: dict[str, None] = {}  # in the record at hand
        self._formats: dict[str, None] = {}
        self._read_options = structs.replace(
            inputs.read_options,
            inner=self._inner.find,
            on_unread=self._note_unread,
            on_format=self._formats.setdefault,
            numbers_turns=part.is_compared,
        )
        self._keeps_tools = inputs.keeps_tools
        self._takes_trace = inputs.takes_trace
        self._with_document = inputs.with_document
        self._latest: tuple[Document | None, list[Tool]] = (None, [])
        self._top_k = inputs.top_k
        self._fields = inputs.fields and inputs.fields.without(part.other)
        self._recognizer = Recognizer()
        # If a path names the case of each line, the lines of a case are one document.
        self._groups: dict[str, tuple[Documents, dict[str, Any]]] = {}
        self._is_own_file = False
        self._has_messages = False
        self._is_log = False
        self._has_cases = False  # of a log

    @property
    def state(self) -> tuple[Hashable, ...]:
        """What the cases of the next records depend on, apart from these records.

        Where it stays the same, the records of a file do not depend on each other.
        """
        return (
            self._recognizer.state,
            self._inner.state,
            self._is_own_file,
            self._has_messages,
            tuple([documents.state for documents, _ in self._groups.values()]),
        )

    @property
    def formats(self) -> list[str]:
        """The names of the formats so far; `cases` comes first, and needs no format of calls."""
        if OWN_FORMAT not in self._formats:
            return [*self._formats]
        return [OWN_FORMAT, *(name for name in self._formats if name not in _OWN_FORMATS)]

    def note_formats(self, names: Iterable[str]) -> None:
        """Note formats of records that were read without this reader."""
        self._formats.update(dict.fromkeys(names))

    def _note_unread(self, text: str) -> None:
        self._unread[text] = None

    def _with_unread(self, found: Found) -> Found:
        """What was found in a record, with what looks like calls in it and was not read."""
        if not self._unread:
            return found
        text = " ".join(self._unread)
        self._unread.clear()
        if isinstance(found, BadRecord):
            return found
        return found[0], structs.replace(found[1], unread=text)

    def plain_cases(self, lines: Lines) -> list[Case] | None:
        """The cases of lines in the simplest notation; None if they may be in another one."""
        if not self.inputs.says_nothing or self.part.other or self.is_joining:
            return None
        cases = decoded_lines(decode_cases, lines)
        if cases is not None:
            self.note_formats([OWN_FORMAT])
        return cases

    def take(self, batch: Record | BadRecord | Array | Entry) -> Iterator[Found]:
        """The cases in a batch of a file."""
        if isinstance(batch, Entry):
            self._has_cases = True
            yield from self._inner_cases(batch.place, batch.batches)
            return
        if isinstance(batch, BadRecord):
            yield batch
            return
        if batch.duplicate is not None and self.part is REFERENCES:
            yield batch.duplicate
            return
        yield from self._read_array(batch) if isinstance(batch, Array) else self._take_record(batch)

    def _take_record(self, batch: Record) -> Iterator[Found]:
        try:
            fields = self._fields.apply(batch.value, batch.place) if self._fields else {}
        except UnreadableInput as error:
            yield from self._read_carried(batch) or [BadRecord(error.place, error.problem)]
            return
        documents = self._documents_for(fields)
        dialect = None
        is_own = self._is_own_format(batch.value, fields, documents)
        if not is_own:
            dialect = documents.dialect_for(batch.value)
            if self._wraps_calls(dialect, batch.value):
                is_own = self._is_own_file = True  # under other names of the sides
        logged = None if is_own else documents.take_log(batch)
        if logged is not None:
            yield from self._read_array(logged)
        elif is_own:
            if fields and documents.is_unused:
                del self._groups[
                    _group_of(fields)
                ]  # or there would be one for each case of the file
            self._has_messages |= isinstance(batch.value, dict) and "role" in batch.value
            self._has_cases = True
            yield self.read_own_record(batch, fields)
        elif self._is_message_without_calls(batch.value) and not documents.is_joining:
            value = {**batch.value, "tool_calls": []}
            yield self.read_own_record(Record(batch.place, value, batch.duplicate), fields)
        else:
            yield from self._read_all(documents.take(batch, dialect), fields)

    def _read_carried(self, record: Record) -> Iterator[Found] | None:
        """The cases in an envelope; None if the record is none."""
        carried = self._documents_for({}).unwrap(record)
        if carried is None:
            return None
        return self._inner_cases(record.place, (carried,))

    def _inner_cases(self, place: str, batches: Iterable[Any]) -> Iterator[Found]:
        """The cases in batches that have nothing to do with the others of the file."""
        inner = CaseReader(place, self.part, self.inputs)
        yield from read_all(batches, inner)
        self.note_formats(inner.formats)

    def _file_id(self) -> str | None:
        """The id of the cases of the file, if it is named after them."""
        is_file = self._read_options.id_from is not None and self._name != STANDARD_INPUT
        return file_id(self._name) if is_file else None

    def _is_message_without_calls(self, value: Any) -> bool:
        """Whether it is an answer without calls, in a file in which each message is a trace."""
        is_message = isinstance(value, dict) and value.get("role") == "assistant"
        return self._has_messages and is_message and "id" in value and self._dialect is None

    @property
    def is_joining(self) -> bool:
        """Whether the next lines may be a part of a conversation, even if they look like cases."""
        return any(documents.is_joining for documents, _ in self._groups.values())

    def finish(self) -> Iterator[Found]:
        """The cases that are only complete at the end of the file."""
        if self._is_log:
            yield from self._read_array(self._documents_for({}).finish_log(self._name))
        for documents, fields in self._groups.values():
            yield from self._read_all(documents.finish(), fields)
        if self._is_log and not self._has_cases:
            yield BadRecord(self._name, UNKNOWN_LOG)

    def _read_array(self, array: Array) -> Iterator[Found]:
        array = self._documents_for({}).unwrap_list(array)
        self._is_log |= array.is_log
        if self.part is not CASES and self._spells_calls(array.items):
            record = Record(array.place, {"calls": array.items}, array.duplicate)
            yield self.read_own_record(record, {}, _PLAIN_CALLS)
            return
        is_list_of_records = self._fields is not None or any(map(is_case, array.items[:1]))
        whole = None if is_list_of_records else self._documents_for({}).take_whole(array)
        if whole is not None:
            self._has_cases = True
            yield from self._read_document(whole, {})
            return
        for record in array.records():
            yield from self.take(record)

    def _spells_calls(self, items: list[Any]) -> bool:
        """Whether a list is a run in our own format: no calls, names and pairs, or with groups."""
        # Event streams of other tools have lists that do not begin with a name.
        is_stream = any(
            isinstance(item, list) and not isinstance(next(iter(item), None), str)
            for item in items[:1]
        )
        is_spelled = is_call_list(items) and not is_stream
        if self.part is REFERENCES:
            return is_spelled or has_groups(items)
        return is_spelled and all(isinstance(item, str | list) for item in items[:1])

    def _documents_for(self, fields: dict[str, Any]) -> Documents:
        group = _group_of(fields)
        if group not in self._groups:
            documents = Documents(self._name, dialect=self._dialect, recognizer=self._recognizer)
            self._groups[group] = documents, fields
        return self._groups[group][0]

    def _read_all(
        self, found: Iterator[Document | Record], fields: dict[str, Any]
    ) -> Iterator[Found]:
        for item in found:
            if not isinstance(item, Record):
                self._has_cases = True
                yield from self._read_document(item, fields)
            elif not item.is_log:
                yield from self._read_carried(item) or [self.read_own_record(item, fields)]

    def _is_own_format(self, value: Any, fields: dict[str, Any], documents: Documents) -> bool:
        if not _SIDE_PATHS.isdisjoint(fields):
            return True
        if documents.is_joining:  # a message of a conversation may have an id, too
            return False
        return is_case(value) or (self._is_own_file and self._dialect is None)

    def _wraps_calls(self, dialect: Dialect | None, value: Any) -> bool:
        """Whether it is an object with calls under one of our keys."""
        if self._dialect is not None or not isinstance(value, dict):
            return False
        if dialect is None:
            return has_side_field(value) or self._has_trace(value)
        if "trace" in value and self._has_trace(value):
            # Spans are found anywhere in a record, also those in a trace of another format.
            inner = self._inner.find(value["trace"])
            return inner is not None and inner.order < dialect.order
        return dialect.name == "generic" and not dialect.joins_lines(value)

    def _has_trace(self, value: dict[str, Any]) -> bool:
        is_trace = self.part.other == "expected" and self._takes_trace and "id" in value
        return is_trace and has_trace(value)

    def read_own_record(
        self, record: Record, fields: dict[str, Any], own: str = OWN_FORMAT
    ) -> Found:
        """The case of a record in our own notation."""
        if record.duplicate is not None:
            return record.duplicate
        self._formats[own] = None
        (found,) = self._with_candidates(
            lambda read_options: [self._read_record(record, fields, read_options)]
        )
        return found

    def _read_record(
        self, record: Record, fields: dict[str, Any], read_options: ReadOptions
    ) -> Found:
        value, place = record.value, record.place
        if fields:
            given = value if isinstance(value, dict) else {}
            known = CASE_FIELDS + TRACE_FIELDS if self._takes_trace else CASE_FIELDS
            value = {**{key: given[key] for key in known if key in given}, **fields}
        try:
            options: dict[str, Any] = {"read_options": read_options, "dialect": self._dialect}
            if self.part is CASES:
                options["takes_trace"] = self._takes_trace
            case = self.part.read(value, place=place, **options)
        except UnreadableInput as error:
            is_unknown = isinstance(value, dict) and not fields and not has_side_field(value)
            is_typo = "Did you mean" in error.problem  # then this is what to do
            hint = f" {_HINT} {trace_hint(value)}" if is_unknown and not is_typo else ""
            return BadRecord(error.place, error.problem + hint)
        if self._with_document is not None:
            case = self._with_document(case, record.value, 0, 1)
        name = None if case.id != NO_ID and has_own_id(case) else self._file_id()
        return self._with_unread((place, case if name is None else structs.replace(case, id=name)))

    def _read_document(self, document: Document, fields: dict[str, Any]) -> Iterator[Found]:
        yield from self._with_candidates(
            lambda read_options: [*self._read_traces(document, fields, read_options)]
        )

    def _read_traces(
        self, document: Document, fields: dict[str, Any], read_options: ReadOptions
    ) -> Iterator[Found]:
        items = document.value if isinstance(document.value, list) else [document.value]
        is_generic = self.part is REFERENCES and document.dialect.name == "generic"
        if is_generic and all(first(item, *NAME_KEYS) for item in items):
            # Calls written by hand may contain rules.
            self._formats[_PLAIN_CALLS] = None
            yield self._read_record(Record(document.place, {"calls": items}), fields, read_options)
            return
        read = read_as if self._dialect is None else read_named
        try:
            traces = read(document.dialect, document.value, read_options)
        except (InvalidCall, UnreadableInput) as error:
            yield BadRecord(document.place, str(error))
            return
        is_unanswered = self.part is not REFERENCES and is_question(document.value)
        name = self._file_id()
        for index, trace in enumerate(traces):
            if is_unanswered and not trace.calls:
                trace = structs.replace(trace, calls=None)  # noqa: PLW2901  (the same, without an answer)
            if name is not None and (len(traces) == 1 or trace.id is None):
                trace = structs.replace(trace, id=name)  # noqa: PLW2901  (likewise)
            place = document.place if len(traces) == 1 else f"{document.place}[{index}]"
            try:
                named = _with_fields(trace, fields, place, is_reference=self.part is REFERENCES)
                case = self.part.make(named, place=place)
            except UnreadableInput as error:
                yield BadRecord(error.place, error.problem)
            else:
                case = self._of_document(case, document, index, len(traces))
                yield self._with_unread((place, case))

    def _of_document(self, case: Case, document: Document, index: int, count: int) -> Case:
        """A case with what its document says beside the calls; it is one of `count` cases."""
        if self._with_document is not None:
            case = self._with_document(case, document.value, index, count)
        if not self._keeps_tools:
            return case
        if document is not self._latest[0]:  # a document may hold many runs
            self._latest = document, tools_of_document(document)
        tools = self._latest[1]
        return structs.replace(case, tools=tools) if tools else case

    def _with_candidates(self, read: Callable[[ReadOptions], list[Found]]) -> list[Found]:
        """The cases that are read, each with the other answers that may count."""
        found, *others = read_candidates(read, self._read_options, self._top_k)
        others = [cases for cases in others if len(cases) == len(found)]
        if not others:
            return found
        return [
            _add_other_answers(item, further) for item, *further in zip(found, *others, strict=True)
        ]


def _group_of(fields: dict[str, Any]) -> str:
    return repr(fields.get("id"))


def _add_other_answers(found: Found, others: list[Found]) -> Found:
    if isinstance(found, BadRecord):
        return found
    place, case = found
    cases = [other[1] for other in others if not isinstance(other, BadRecord)]
    calls = [other.actual for other in cases if other.actual is not None]
    return place, structs.replace(case, others=tuple(calls))


def read_batch(
    batch: Batch, reader: CaseReader, first: int = 0, skipped: Sequence[int] = ()
) -> Iterator[tuple[int, str, Found]]:
    """What is found in a batch of a file, each with the position and the place of the record that ends it.

    The position of a line is the number of bytes before it.

    Args:
        batch: the lines, or one record.
        reader: reads the records, one after another.
        first: the position of the file, or of the record if it is one.
        skipped: the positions of records that end every process which reads them.
    """
    if isinstance(batch, Lines) and not skipped and not is_suspected():
        cases = reader.plain_cases(batch)
        if cases is not None:
            for case, (place, offset, _) in zip(cases, batch.lines(), strict=False):
                yield first + offset, place, (place, case)
            return
    for position, record in _records_in(batch, first, skipped):
        for found in reader.take(record):
            yield position, record.place, found


def _records_in(
    batch: Batch, first: int, skipped: Sequence[int]
) -> Iterator[tuple[int, Record | BadRecord | Array | Entry]]:
    """The records of a batch, each with its position, which is marked before it is decoded."""
    if not isinstance(batch, Lines):
        mark_position(first)
        yield first, BadRecord(batch.place, LOST_RECORD) if first in skipped else batch
        return
    for place, offset, line in batch.lines():
        if line.strip():
            position = first + offset
            mark_position(position)
            is_checked = offset < CHECKED_BYTES
            lost = BadRecord(place, LOST_RECORD) if position in skipped else None
            yield position, lost or read_line(line, place, only_sides=not is_checked)


def read_all(batches: Iterable[Batch], reader: CaseReader) -> Iterator[Found]:
    """What is found in the batches of a file."""
    for batch in batches:
        for _, _, found in read_batch(batch, reader):
            yield found
    yield from reader.finish()


def read_cases(  # noqa: PLR0913  (all are options)
    path: str,
    part: FileContent,
    inputs: InputOptions,
    *,
    on_bytes: Callable[[int], None] | None = None,
    on_formats: Callable[[str, list[str]], None] | None = None,
    allow_remote: bool = False,
) -> Generator[Found, None, None]:
    """The cases of one file, each with its place; and the records that cannot be read.

    A URL is fetched only if `allow_remote` is set: where a user passes the path. At the end,
    `on_formats` is called with the name of the file and the formats that were recognized in it.

    Raises:
        UnreadableInput: the file cannot be opened or decoded.
        MissingExtra: it needs an optional dependency.
    """
    name = without_credentials(path)
    reader = CaseReader(name, part, inputs)
    try:
        yield from read_all(
            read_batches(path, on_bytes=on_bytes, allow_remote=allow_remote), reader
        )
    finally:
        if on_formats is not None:
            on_formats(name, reader.formats)


def first_formats(
    paths: Iterable[str], part: FileContent, inputs: InputOptions, counter: InputCounter
) -> None:
    """Count the formats of files whose records are read elsewhere, by the first record of each.

    Large documents are left out, because the whole of one would be read for that.
    """
    for path in paths:
        if path == STANDARD_INPUT or not Path(path).is_file():
            continue  # a pipe cannot be read twice, and a URL should not be
        try:
            is_small = Path(path).stat().st_size <= _SMALL_BYTES
            if is_small or isinstance(next(read_batches(path), None), Lines):
                found = read_cases(path, part, inputs, on_formats=counter.add)
                next(found, None)
                found.close()
        except (CallscoreError, OSError):
            continue  # what cannot be read is reported where the file is scored


class CaseLimit:
    """Selects the first cases: those with the first different ids, and everything without a limit.

    Every record without an id is one case. Further records of a case are its trials.
    """

    def __init__(self, limit: int | None) -> None:
        if limit is not None and limit < 1:
            raise InvalidSettings(f"limit: {limit} is not a positive number")
        self._limit = limit
        self._ids: set[str] = set()
        self._cases = 0
        self._has_trials = False
        self._ends_file = False  # nothing further in this file is to be used

    @property
    def is_full(self) -> bool:
        """Whether all cases to use are known."""
        return self._limit is not None and self._cases >= self._limit

    def takes(self, case: Case) -> bool:
        """Whether a case is to be used."""
        name = case.id if has_own_id(case) else NO_ID
        is_known = name in self._ids
        self._has_trials |= is_known or case.trial is not None
        if is_known or self._limit is None:
            return True
        if self.is_full:
            self.see_other()
            return False
        self._cases += 1
        if name:
            self._ids.add(name)
        return True

    def see_other(self) -> None:
        """Note a record of another case; without trials so far, the file need not be read further."""
        self._ends_file = self.is_full and not self._has_trials

    def select(self, found: Iterable[Found]) -> Iterator[Found]:
        """What is to be used of a file, which is read no further than necessary."""
        for item in self.until_end(found):
            if isinstance(item, BadRecord) or self.takes(item[1]):
                yield item

    def until_end(self, found: Iterable[Found]) -> Iterator[Found]:
        """What is found in a file, until it need not be read further."""
        self._ends_file = False
        for item in found:
            if isinstance(item, BadRecord):
                self.see_other()
            if not self._ends_file:
                yield item
            if self._ends_file:
                return


def _with_fields(trace: Trace, fields: dict[str, Any], place: str, *, is_reference: bool) -> Trace:
    """The trace with the fields that the user's paths select."""
    if not fields:
        return trace
    named = read_case({"id": None, **fields}, place=place)
    expected = trace.any_calls if is_reference and trace.expected is None else trace.expected
    return structs.replace(
        trace,
        calls=actual_with_state(trace.calls, fields),
        # Of a run that is a reference, all calls are expected, and not only the state.
        expected=expected_with_state(expected, fields)
        if EXPECTED_STATE_FIELD in fields
        else trace.expected,
        id=named.id if "id" in fields else trace.id,
        trial=named.trial if "trial" in fields else trace.trial,
        input=fields.get("input", trace.input),
    )


NO_JOIN = (
    "the record has no id, and there are several cases it could belong to. Pass the path of the id:"
    " --map id=$.path.to.id, or --id-from filename"
)

"""The cases in a file, whatever its records are: cases, or documents of another dialect."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from msgspec import Struct, structs

from callscore.core.model import Case
from callscore.documents import Document, Documents
from callscore.errors import InvalidCall, UnreadableInput
from callscore.formats.calls import NAMES
from callscore.formats.candidates import read_candidates, require_one_wish
from callscore.formats.case_fields import is_case, names_a_side
from callscore.formats.cases import (
    case_of,
    read_case,
    read_reference,
    read_trace,
    reference_of,
    trace_of,
)
from callscore.formats.dialect import Dialect
from callscore.formats.expectations import holds_groups
from callscore.formats.fields import FIELDS, Fields, fields_from
from callscore.formats.reading import read_as, read_named
from callscore.formats.recognition import Recogniser, refusal, remembering
from callscore.formats.registry import dialect_named
from callscore.formats.shape import first
from callscore.formats.sides import are_calls
from callscore.formats.trace import DEFAULT, Trace, Wanted
from callscore.offered import brought_tools
from callscore.sources import Array, BadRecord, Lines, Record, read_batches

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from callscore.core.tool import Tool

__all__ = [
    "CASES",
    "REFERENCES",
    "TRACES",
    "CaseReader",
    "Found",
    "Inputs",
    "Part",
    "cases_in",
    "inputs_for",
    "with_others",
]


class Inputs(Struct, frozen=True):
    """What a user says about the input.

    Attributes:
        fields: where the fields of a case stand in a record.
        dialect: what the documents are written in.
        wanted: what to take from a document that offers a choice.
        top_k: how many of the answers to the same question to read.
        keeps_tools: whether the tools that a document defines are kept with its cases.
    """

    fields: Fields | None = None
    dialect: Dialect | None = None
    wanted: Wanted = DEFAULT
    top_k: int = 1
    keeps_tools: bool = False

    @property
    def says_nothing(self) -> bool:
        """Whether cases can be taken for what they are at first sight."""
        return self.fields is None and self.dialect is None


def inputs_for(
    fields: Mapping[str, str] | None = None,
    format: str | None = None,  # noqa: A002  (as everywhere)
    wanted: Wanted = DEFAULT,
    *,
    top_k: int = 1,
    keeps_tools: bool = False,
) -> Inputs:
    """What a user says about the input, once it is checked.

    Raises:
        InvalidSettings: there is no such format or field, a path is none, or both the first answers
            and a single one are asked for.
    """
    require_one_wish(wanted, top_k)
    return Inputs(
        fields=fields_from(fields) if fields else None,
        dialect=None if format is None else dialect_named(format),
        wanted=wanted,
        top_k=top_k,
        keeps_tools=keeps_tools,
    )


class Part(Struct, frozen=True):
    """What a file holds of the cases: all of them, or one side.

    Attributes:
        read: the case that a record spells in our own way.
        make: the case that a run of another dialect is.
        other: the field that such a file need not have.
    """

    read: Callable[..., Case]
    make: Callable[..., Case]
    other: str


CASES = Part(read_case, case_of, "")
REFERENCES = Part(read_reference, reference_of, "actual")
TRACES = Part(read_trace, trace_of, "expected")

_HINT = "Where the parts of a case stand elsewhere, say so: --map actual=$.path.to.it. As a trace:"

# A case and its place, or why there is none.
Found = tuple[str, Case] | BadRecord


class CaseReader:
    """Reads the cases of one file.

    Args:
        name: of the file.
        part: what it holds.
        inputs: what the user says about it.
    """

    def __init__(self, name: str, part: Part, inputs: Inputs) -> None:
        self._name = name
        self._part = part
        self._dialect = inputs.dialect
        self._wanted = remembering(inputs.wanted)
        self._keeps_tools = inputs.keeps_tools
        self._latest: tuple[Document | None, list[Tool]] = (None, [])
        self._top_k = inputs.top_k
        self._fields = inputs.fields and inputs.fields.without(part.other)
        self._recogniser = Recogniser()
        # Where the user says which case a line belongs to, the lines of each are a document.
        self._groups: dict[str, tuple[Documents, dict[str, Any]]] = {}
        self._is_ours = False

    def take(self, batch: Record | BadRecord | Array) -> Iterator[Found]:
        """The cases in a batch of a file."""
        if isinstance(batch, BadRecord):
            yield batch
        elif isinstance(batch, Record):
            yield from self._take(batch)
        else:
            yield from self._take_array(batch)

    def finish(self) -> Iterator[Found]:
        """The cases that could only be told at the end of the file."""
        for documents, fields in self._groups.values():
            yield from self._read_all(documents.finish(), fields)

    def _take_array(self, array: Array) -> Iterator[Found]:
        if self._part is not CASES and self._spells_calls(array.items):
            yield self._read_our_own(Record(array.place, {"calls": array.items}), {})
            return
        is_list_of_records = self._fields is not None or any(map(is_case, array.items[:1]))
        whole = None if is_list_of_records else self._documents_for({}).take_whole(array)
        if whole is not None:
            yield from self._read_document(whole, {})
            return
        for record in array.records():
            yield from self.take(record)

    def _spells_calls(self, items: list[Any]) -> bool:
        """Whether a list is a run in our own words: no calls, names and pairs, or with groups."""
        is_spelled = are_calls(items) and not any(map(_is_nameless, items[:1]))
        if self._part is REFERENCES:
            return is_spelled or holds_groups(items)
        return is_spelled and all(isinstance(item, str | list) for item in items[:1])

    def _documents_for(self, fields: dict[str, Any]) -> Documents:
        group = repr(fields.get("id"))
        if group not in self._groups:
            documents = Documents(self._name, dialect=self._dialect, recogniser=self._recogniser)
            self._groups[group] = documents, fields
        return self._groups[group][0]

    def _take(self, record: Record) -> Iterator[Found]:
        try:
            fields = self._fields.apply(record.value, record.place) if self._fields else {}
        except UnreadableInput as error:
            yield BadRecord(error.place, error.problem)
            return
        documents = self._documents_for(fields)
        if self._is_our_own(record.value, fields, documents):
            yield self._read_our_own(record, fields)
            return
        dialect = documents.dialect_for(record.value)
        if self._wraps_calls(dialect, record.value):
            self._is_ours = True  # it names its sides in another way
            yield self._read_our_own(record, fields)
            return
        yield from self._read_all(documents.take(record, dialect), fields)

    def _read_all(
        self, found: Iterator[Document | Record], fields: dict[str, Any]
    ) -> Iterator[Found]:
        for item in found:
            if isinstance(item, Record):
                yield self._read_our_own(item, fields)
            else:
                yield from self._read_document(item, fields)

    def _is_our_own(self, value: Any, fields: dict[str, Any], documents: Documents) -> bool:
        if "expected" in fields or "actual" in fields:
            return True
        if documents.is_joining:  # a message of a conversation may have an id, too
            return False
        return is_case(value) or (self._is_ours and self._dialect is None)

    def _wraps_calls(self, dialect: Dialect | None, value: Any) -> bool:
        """Whether it is an object with calls under a key of ours, for which no dialect is needed."""
        if self._dialect is not None or not isinstance(value, dict):
            return False
        if dialect is None:
            return names_a_side(value)
        return dialect.name == "generic" and not dialect.joins_lines(value)

    def _read_our_own(self, record: Record, fields: dict[str, Any]) -> Found:
        (found,) = self._offered(lambda wanted: [self._read_record(record, fields, wanted)])
        return found

    def _read_record(self, record: Record, fields: dict[str, Any], wanted: Wanted) -> Found:
        value, place = record.value, record.place
        if fields:
            given = value if isinstance(value, dict) else {}
            value = {**{key: given[key] for key in FIELDS if key in given}, **fields}
        try:
            read = self._part.read
            return place, read(value, place=place, wanted=wanted, dialect=self._dialect)
        except UnreadableInput as error:
            is_strange = isinstance(value, dict) and not fields and not names_a_side(value)
            hint = f" {_HINT} {refusal(value)}" if is_strange else ""
            return BadRecord(error.place, error.problem + hint)

    def _read_document(self, document: Document, fields: dict[str, Any]) -> Iterator[Found]:
        yield from self._offered(lambda wanted: [*self._read_traces(document, fields, wanted)])

    def _read_traces(
        self, document: Document, fields: dict[str, Any], wanted: Wanted
    ) -> Iterator[Found]:
        if self._part is REFERENCES and _are_own_calls(document):
            # What is written by hand may have rules in it, which a recording has not.
            items = document.value if isinstance(document.value, list) else [document.value]
            yield self._read_record(Record(document.place, {"calls": items}), fields, wanted)
            return
        read = read_as if self._dialect is None else read_named
        try:
            traces = read(document.dialect, document.value, wanted)
        except (InvalidCall, UnreadableInput) as error:
            yield BadRecord(document.place, str(error))
            return
        for index, trace in enumerate(traces):
            place = document.place if len(traces) == 1 else f"{document.place}[{index}]"
            try:
                case = self._part.make(_with_fields(trace, fields, place), place=place)
            except UnreadableInput as error:
                yield BadRecord(error.place, error.problem)
            else:
                yield place, self._with_tools(case, document)

    def _with_tools(self, case: Case, document: Document) -> Case:
        if not self._keeps_tools:
            return case
        if document is not self._latest[0]:  # which may hold many runs
            self._latest = document, brought_tools(document)
        tools = self._latest[1]
        return structs.replace(case, tools=tools) if tools else case

    def _offered(self, read: Callable[[Wanted], list[Found]]) -> list[Found]:
        """What a document holds, each case with the other answers that may count."""
        return with_others(read_candidates(read, self._wanted, self._top_k))


def _is_nameless(item: Any) -> bool:
    """Whether it is a list that no name begins, such as other stacks have in their streams."""
    return isinstance(item, list) and not isinstance(next(iter(item), None), str)


def _are_own_calls(document: Document) -> bool:
    """Whether it is calls, one a line or in a list, in no words but ours."""
    items = document.value if isinstance(document.value, list) else [document.value]
    return document.dialect.name == "generic" and all(first(item, *NAMES) for item in items)


def with_others(answers: list[list[Found]]) -> list[Found]:
    """The cases of a document's first answers, with the calls of its others beside them.

    Args:
        answers: for each answer what was found, in the same order.
    """
    found, *others = answers
    others = [cases for cases in others if len(cases) == len(found)]
    return [_with_other(item, further) for item, *further in zip(found, *others, strict=True)]


def _with_other(found: Found, others: list[Found]) -> Found:
    if isinstance(found, BadRecord) or not others:
        return found
    place, case = found
    cases = [other[1] for other in others if not isinstance(other, BadRecord)]
    calls = [other.actual for other in cases if other.actual is not None]
    return place, structs.replace(case, others=tuple(calls))


def cases_in(
    path: str, part: Part, inputs: Inputs, *, on_bytes: Callable[[int], None] | None = None
) -> Iterator[Found]:
    """The cases of one file, each with its place, and what cannot be read.

    Args:
        path: the file; `-` is standard input.
        part: what it holds of the cases.
        inputs: what the user says about it.
        on_bytes: is told how many more bytes of the file have been read.

    Raises:
        UnreadableInput: the file cannot be read as far as its text.
        MissingExtra: it needs an optional dependency.
    """
    reader = CaseReader(path, part, inputs)
    for batch in read_batches(path, on_bytes=on_bytes):
        for record in batch.records() if isinstance(batch, Lines) else (batch,):
            yield from reader.take(record)
    yield from reader.finish()


def _with_fields(trace: Trace, fields: dict[str, Any], place: str) -> Trace:
    """The run with what the user says stands elsewhere in the record."""
    if not fields:
        return trace
    named = read_case({"id": None, **fields}, place=place)
    return structs.replace(
        trace,
        id=named.id if "id" in fields else trace.id,
        trial=named.trial if "trial" in fields else trace.trial,
        input=fields.get("input", trace.input),
    )

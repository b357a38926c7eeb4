"""Documents from any source (a path, bytes, text, an SDK object, data), and the tools they define."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from os import PathLike, fspath
from pathlib import PurePath
from typing import Any, NoReturn, get_args

from msgspec import Struct

from callscore.core.call import Effect, Tool
from callscore.core.rendering import mention
from callscore.core.suggestions import suggestion_or_choices
from callscore.errors import InvalidCall, InvalidSettings, UnknownFormat, UnreadableInput
from callscore.formats.definitions import (
    combined_tools,
    read_definitions,
    unique_tools,
    unknown_effects,
)
from callscore.formats.dialect import Dialect, dialect_named
from callscore.formats.envelopes import LogRecords, is_log_record
from callscore.formats.openapi import is_openapi
from callscore.formats.reading import (
    Recognizer,
    carried_documents,
    find_dialect,
    read_as,
    read_definitions_in,
    read_document,
    read_named,
    unknown_format_text,
    with_cached_dialects,
)
from callscore.formats.shape import to_plain_data
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions, Trace, noted_at
from callscore.sources import Array, BadRecord, Entry, Lines, Record, read_batches
from callscore.sources.log_lines import may_be_log, read_log
from callscore.sources.text_document import decode_bytes, decode_text

_SUFFIXES = (
    *(".json", ".jsonl", ".ndjson", ".yaml", ".yml", ".txt", ".md", ".csv", ".parquet", ".eval"),
    ".traj",
)
_DATA_TYPES = (dict, list, bytes, str)  # most documents; what else they are takes longer to ask
_MAX_WAITING = 1_000  # lines
_MAX_UNREPEATED = 20  # documents of a file; then none will repeat another
# Dialects that recognize almost anything, also incomplete or invalid definitions.
_AMBIGUOUS_DIALECTS = ("generic", "tool_definitions")
# Formats that people write: a key that is given twice is a mistake.
_WRITTEN_DIALECTS = ("callscore_case", "tool_definitions")


UNKNOWN_LOG = (
    "no value in this log is a trace in a known format. 'callscore formats' lists all formats;"
    " --input-format selects one."
)


class Document(Struct, frozen=True):
    """One document of a file, and its dialect."""

    place: str
    value: Any
    dialect: Dialect


def to_document(value: Any) -> Any:
    """A Python value as the JSON value or the text that a dialect reads."""
    if value.__class__ is dict or value.__class__ is list:
        return to_plain_data(value)
    if isinstance(value, str):
        return _log_in(decode_text(value))
    if isinstance(value, bytes | bytearray):
        return _log_in(decode_bytes(bytes(value)))
    return to_plain_data(list(value) if isinstance(value, Iterator) else value)


def _log_in(content: Any) -> Any:
    """The values in a text that is a log; anything else as it is."""
    if not isinstance(content, str) or not may_be_log(content):
        return content
    values: list[Any] = []
    for batch in read_log(
        content.encode("utf-8", "replace"), "", is_named_log=False, is_prose=True
    ):
        if isinstance(batch, BadRecord):
            raise InvalidCall(batch.problem)
        is_whole = not batch.is_log or find_dialect(batch.items) is not None
        values += [item for item in batch.items if is_whole or find_dialect(item) is not None]
    return values or content


def load_content(value: Any, *, allow_duplicates: bool = False) -> Any:
    """As `to_document`, also for the path of a file; a file of many lines is a list.

    Raises:
        InvalidCall: JSON has a key twice, and `allow_duplicates` is not set; otherwise the last counts.
        UnreadableInput: likewise for a file, or it cannot be read.
    """
    if not isinstance(value, PathLike):
        document = to_document(value)
        if not allow_duplicates:
            _refuse_duplicate_keys(value, document)
        return document
    values: list[Any] = []
    for batch in _without_entries(read_batches(fspath(value))):
        for record in batch.records() if isinstance(batch, Lines) else (batch,):
            if isinstance(record, BadRecord):
                raise_unreadable(record.place, record.problem)
            if record.duplicate is not None and not allow_duplicates:
                raise_unreadable(record.duplicate.place, record.duplicate.problem)
            values.append(record.items if isinstance(record, Array) else record.value)
    return values[0] if len(values) == 1 else values


def _without_entries(
    batches: Iterable[Lines | Array | Record | BadRecord | Entry],
) -> Iterator[Lines | Array | Record | BadRecord]:
    """The batches of a file, or of all files in an archive."""
    for batch in batches:
        if isinstance(batch, Entry):
            yield from batch.batches
        else:
            yield batch


def _refuse_duplicate_keys(given: Any, document: Any) -> None:
    """Raise if a text or bytes have a key twice in one object."""
    if isinstance(given, str | bytes | bytearray) and isinstance(document, dict | list):
        from callscore.sources.duplicate_keys import duplicate_keys, may_have_duplicates

        data = given.encode("utf-8", "surrogatepass") if isinstance(given, str) else bytes(given)
        if may_have_duplicates(data, document):
            for line in [data, *data.split(b"\n")]:
                for key in duplicate_keys(line):
                    raise InvalidCall(key.problem)


class Documents:
    """Finds the documents in the records of one file.

    Some stacks write one document per line, others one document in many lines; some write a list
    that is one document, others a list of documents. The first record that is recognized decides.

    Args:
        dialect: by default it is recognized, once.
        recognizer: one that has recognized other documents of this file before.
    """

    def __init__(
        self, name: str, *, dialect: Dialect | None = None, recognizer: Recognizer | None = None
    ) -> None:
        self._name = name
        self._dialect = dialect
        self._recognizer = recognizer or Recognizer()
        self._joining: Dialect | None = None
        self._lines: list[Record] = []  # of a document in many lines, or not recognized yet
        self._neighbours: set[frozenset[str]] = (
            set()
        )  # keys of lines without a dialect of their own
        self._has_others = False
        self._log = LogRecords()
        self._latest: Document | None = None  # which the next one may repeat
        self._repeated = 0
        self._unrepeated = 0

    @property
    def is_joining(self) -> bool:
        """Whether lines are being joined to one document."""
        return self._joining is not None

    @property
    def state(self) -> tuple[object, ...]:
        """What the next records depend on: what waits for others, and whether others came before."""
        is_waiting = self.is_joining or bool(self._lines) or self._log.is_waiting
        return is_waiting, self._has_others, self._latest and self._latest.place

    @property
    def is_unused(self) -> bool:
        """Whether it has taken no record so far."""
        return not any(self.state)

    def take_log(self, record: Record) -> Array | None:
        """What a record of a log carries; None if it is another record."""
        is_log = self._dialect is None and not record.is_carried and is_log_record(record.value)
        return _carried(record, self._log.take(record.value), is_log=True) if is_log else None

    def finish_log(self, place: str) -> Array:
        """What the last lines of a log carry, which did not end."""
        return Array(place, self._log.finish(), is_log=True, is_carried=True)

    def unwrap(self, record: Record) -> Array | None:
        """What a record only carries that no dialect recognizes; None if it carries nothing."""
        if self._dialect is not None or record.is_carried:
            return None
        found = carried_documents(record.value, self._recognizer)
        return _carried(record, found) if found else None

    def unwrap_list(self, array: Array) -> Array:
        """A list of records of a log as a list of what they carry; any other list as it is."""
        if self._dialect is not None or not array.items or not all(map(is_log_record, array.items)):
            return array
        found = carried_documents(array.items, self._recognizer)
        return _carried(array, found, is_log=True)

    def dialect_for(self, value: Any) -> Dialect | None:
        """The dialect of a record; None if no dialect recognizes it."""
        if self._dialect is not None:
            return self._dialect
        joining = self._joining
        if joining is None:
            return self._recognizer.find(value)
        return joining if _belongs(value, joining) else self._other_dialect(value) or joining

    def _other_dialect(self, value: Any) -> Dialect | None:
        """The dialect of a line that does not belong to the lines before it; None if it may."""
        keys = frozenset(value) if isinstance(value, dict) else frozenset()
        if keys in self._neighbours:
            return None
        found = find_dialect(value)
        if found is None or found.name in _AMBIGUOUS_DIALECTS:
            self._neighbours.add(keys)
            return None
        return found

    def take_whole(self, array: Array) -> Document | None:
        """A list as one document; None if it is a list of documents."""
        dialect = self._dialect or find_dialect(array.items)
        return None if dialect is None else Document(array.place, array.items, dialect)

    def take(self, record: Record, dialect: Dialect | None) -> Iterator[Document | Record]:
        """Take a record with its dialect, and yield what is complete now.

        That is documents, and records that no dialect recognizes. A line that no dialect recognizes
        may belong to a document in many lines, so the first lines wait for one that is recognized.
        """
        if dialect is None:
            self._lines.append(record)
            if len(self._lines) > _MAX_WAITING:
                yield from self._pop_lines()
            return
        if self._joining not in (None, dialect):
            # The lines before may be of this dialect as well: many formats begin the same way.
            lines = [line.value for line in self._lines[:_MAX_WAITING]]
            if dialect.joins_lines(record.value) and dialect.recognizes([*lines, record.value]):
                self._joining = dialect
            else:
                yield from self.finish()
        if self._joining is not None or dialect.joins_lines(record.value):
            self._joining = dialect
            self._lines.append(record)
            return
        self._has_others = True
        lines = self._pop_lines()
        if lines:
            yield from self._pop_latest()
            yield from lines
        yield from self._take_document(Document(record.place, record.value, dialect))

    def _take_document(self, document: Document) -> Iterator[Document]:
        """A document, or the one before it, which a further one may repeat."""
        continues, latest = document.dialect.continues, self._latest
        if continues is None or (self._unrepeated > _MAX_UNREPEATED and not self._repeated):
            yield from self._pop_latest()
            yield document
            return
        if latest is not None and continues(latest.value, document.value):
            self._repeated += 1
        else:
            self._unrepeated += 1
            yield from self._pop_latest()
        self._latest = document

    def _pop_latest(self) -> list[Document]:
        latest, self._latest = self._latest, None
        return [] if latest is None else [latest]

    def finish(self) -> Iterator[Document | Record]:
        """The document that the waiting lines make together, if they do."""
        yield from self._pop_latest()
        joining, self._joining = self._joining, None
        lines = self._pop_lines()
        if not lines:  # recognizing nothing would import all dialects
            return
        dialect = self._dialect or find_dialect([record.value for record in lines])
        if dialect is None and joining is not None:
            yield from [record for record in lines if not _belongs(record.value, joining)]
            lines = [record for record in lines if _belongs(record.value, joining)]
            dialect = find_dialect([record.value for record in lines]) or joining
        if dialect is None:
            yield from lines
        elif lines:
            place = lines[0].place if self._has_others else self._name
            yield Document(place, [record.value for record in lines], dialect)
            self._has_others = True

    def _pop_lines(self) -> list[Record]:
        waiting, self._lines = self._lines, []
        return waiting


def _carried(envelope: Record | Array, values: list[Any], *, is_log: bool = False) -> Array:
    """The documents in an envelope; the place of the only one is that of the envelope."""
    if len(values) == 1 and isinstance(values[0], list):
        values = values[0]
    places = (envelope.place,) if len(values) == 1 else ()
    duplicate = envelope.duplicate
    duplicates = {} if duplicate is None else dict.fromkeys(range(len(values)), duplicate)
    return Array(envelope.place, values, places, duplicates, is_log=is_log, is_carried=True)


def _belongs(value: Any, dialect: Dialect) -> bool:
    return dialect.joins_lines(value) or dialect.recognizes(value)


def raise_unreadable(place: str, problem: str) -> NoReturn:
    """Raise `UnreadableInput`; a function, so that it can be a callback."""
    raise UnreadableInput(place, problem)


def read_documents(
    path: str | PathLike[str],
    *,
    dialect: Dialect | None = None,
    on_bytes: Callable[[int], None] | None = None,
    on_bad: Callable[[str, str], None] = raise_unreadable,
    allow_duplicates: bool = True,
) -> Iterator[Document]:
    """The documents in a file.

    Args:
        path: the file; `-` is standard input.
        dialect: by default it is recognized.
        on_bytes: called with the number of further bytes that have been read.
        on_bad: called with the place and the problem of a part that cannot be read.
        allow_duplicates: whether an object of a trace may have a key twice; the last one counts, as
            in the JSON readers of the stacks that write traces.

    Raises:
        UnreadableInput: the file cannot be read, or, without `on_bad`, a part of it.
    """
    reader = DocumentReader(fspath(path), dialect, on_bad, allow_duplicates=allow_duplicates)
    for batch in read_batches(fspath(path), on_bytes=on_bytes):
        yield from reader.take(batch)
    yield from reader.finish()


class DocumentReader:
    """Reads the documents in the batches of one file; the arguments are those of `read_documents`."""

    def __init__(
        self,
        name: str,
        dialect: Dialect | None,
        on_bad: Callable[[str, str], None],
        *,
        allow_duplicates: bool = True,
    ) -> None:
        self._recognizer = Recognizer()
        self._documents = Documents(name, dialect=dialect, recognizer=self._recognizer)
        self._name = name
        self._dialect = dialect
        self._on_bad = on_bad
        self._allow_duplicates = allow_duplicates
        self._is_log = False
        self._has_documents = False

    @property
    def state(self) -> tuple[object, ...]:
        """What the documents of the next batch depend on, apart from this batch."""
        return self._recognizer.state, self._documents.state

    def take(self, batch: Lines | Array | Record | BadRecord | Entry) -> Iterator[Document]:
        """The documents that are complete after a batch."""
        if isinstance(batch, Entry):
            yield from self._read_inner(batch.place, batch.batches)
            return
        self._is_log |= isinstance(batch, Array) and batch.is_log
        for document in self._take(batch):
            self._has_documents = True
            yield document

    def _take(self, batch: Lines | Array | Record | BadRecord) -> Iterator[Document]:
        if isinstance(batch, Array):
            batch = self._documents.unwrap_list(batch)
            duplicate = batch.duplicate
            if duplicate is not None and not self._allow_duplicates:
                self._on_bad(duplicate.place, duplicate.problem)
                return
            if not batch.items and not batch.is_log:  # no calls
                yield Document(batch.place, batch.items, dialect_named("generic"))
                return
            whole = self._documents.take_whole(batch)
            if whole is not None and (duplicate is None or not _is_written(whole.dialect)):
                yield whole
                return
        for record in batch.records() if isinstance(batch, Array | Lines) else (batch,):
            yield from self._take_record(record)

    def _take_record(self, record: Record | BadRecord) -> Iterator[Document]:
        if isinstance(record, BadRecord):
            self._on_bad(record.place, record.problem)
            return
        logged = self._documents.take_log(record)
        if logged is not None:
            self._is_log = True
            yield from self._take(logged)
            return
        dialect = self._documents.dialect_for(record.value)
        duplicate = record.duplicate
        if duplicate is not None and (not self._allow_duplicates or _is_written(dialect)):
            self._on_bad(duplicate.place, duplicate.problem)
        else:
            yield from self._recognized(self._documents.take(record, dialect))

    def finish(self) -> Iterator[Document]:
        """The documents that are complete only at the end of the file."""
        if self._is_log:
            yield from self.take(self._documents.finish_log(self._name))
        for document in self._recognized(self._documents.finish()):
            self._has_documents = True
            yield document
        if self._is_log and not self._has_documents:
            self._on_bad(self._name, UNKNOWN_LOG)

    def _read_inner(self, place: str, batches: Iterable[Any]) -> Iterator[Document]:
        """The documents in batches that have nothing to do with the others of the file."""
        inner = DocumentReader(
            place, self._dialect, self._on_bad, allow_duplicates=self._allow_duplicates
        )
        for batch in batches:
            yield from inner.take(batch)
        yield from inner.finish()

    def _recognized(self, found: Iterator[Document | Record]) -> Iterator[Document]:
        """The documents; those in envelopes, too."""
        for item in found:
            carried = None if isinstance(item, Document) else self._documents.unwrap(item)
            if isinstance(item, Document):
                yield item
            elif carried is not None:
                yield from self._read_inner(item.place, (carried,))
            elif not item.is_log:
                self._on_bad(item.place, unknown_format_text(item.value))


def _is_written(dialect: Dialect | None) -> bool:
    return dialect is not None and dialect.name in _WRITTEN_DIALECTS


def traces_in(
    value: Any,
    read_options: ReadOptions = DEFAULT_READ_OPTIONS,
    *,
    format: str | None = None,  # noqa: A002  (as the command line calls it)
) -> list[Trace]:
    """The runs in a file (given as a path object), in bytes, text, an object of an SDK, or data.

    `read_options` select what to take if there is a choice; the format is recognized by default.

    Raises:
        InvalidCall: it cannot be read, or is in no known dialect.
        UnreadableInput: it is a file that cannot be read.
    """
    dialect = None if format is None else dialect_named(format)
    if value.__class__ not in _DATA_TYPES and isinstance(value, PathLike):
        traces: list[Trace] = []
        read_options = with_cached_dialects(read_options)
        read = read_as if dialect is None else read_named
        for document in read_documents(value, dialect=dialect):
            placed = noted_at(read_options, document.place)
            traces += read(document.dialect, document.value, placed)
        return traces
    document = to_document(value)
    if document is None or (
        isinstance(document, list) and not document
    ):  # no dialect recognizes it: there are no calls
        return [Trace(calls=())]
    if dialect is not None:
        return read_named(dialect, document, read_options)
    try:
        return read_document(document, read_options)
    except UnknownFormat as error:
        if isinstance(document, str) and PurePath(document).suffix in _SUFFIXES:
            raise UnknownFormat(f"{error} If it is a file name, pass it as Path(...).") from error
        raise


def tools_in(value: Any, *, format: str | None = None) -> list[Tool]:  # noqa: A002  (likewise)
    """The tool definitions in a value as for `traces_in`, or in the signatures of functions.

    Each definition is given once. Errors are those of `traces_in`.
    """
    dialect = None if format is None else dialect_named(format)
    if isinstance(value, PathLike):
        found = [
            tool
            for document in read_documents(value, dialect=dialect)
            for tool in read_definitions_in(document.value, dialect=document.dialect)
        ]
        return unique_tools(found)
    from callscore.formats.function_tools import with_functions_read

    given = with_functions_read(value)
    if isinstance(given, list) and all(isinstance(item, Tool) for item in given):
        return unique_tools(given)
    document = to_document(given)
    if document is None:
        return []
    if _is_written(dialect or find_dialect(document)):
        _refuse_duplicate_keys(given, document)
    return read_definitions_in(document, dialect=dialect)


_NO_DEFINITIONS = "no tool definitions found."
_STANDARD_INPUT = "-"
_DIFFERING = {"parameters": "schemas", "effect": "effects"}
_EFFECTS = get_args(Effect)
_TASK_DIALECTS = frozenset(("bfcl",))
_LIST_KEYS = ("tools", "functions")
_WRAPPER_KEYS = ("function", "toolSpec", "tool_spec", "custom")
# Keys that only calls have.
_CALL_KEYS = frozenset(("arguments", "args", "input", "kwargs"))
# Keys of a definition besides its name: an object with such values has definitions by name.
_DEFINITION_KEYS = frozenset(("description", "effect", "parameters", "input_schema", "inputSchema"))


def read_tools_by_name(document: Any) -> dict[str, Tool]:
    """The tools by name, from what `read_tools` takes or returns, from names, or from functions.

    Raises:
        InvalidCall: there are no definitions in it.
        InvalidSettings: two definitions of the same name differ, or there is no such effect.
        UnreadableInput: it is a file of which the same is true, or that cannot be read.
    """
    if isinstance(document, dict) and all(isinstance(tool, Tool) for tool in document.values()):
        return document
    if isinstance(document, PathLike):
        try:
            return index_tools(_all_in_file(document))
        except (InvalidCall, InvalidSettings) as error:
            raise UnreadableInput(fspath(document), str(error)) from error
    from callscore.formats.function_tools import with_functions_read

    given = with_functions_read(document)
    is_read = isinstance(given, list) and all(
        isinstance(item, Tool) or (isinstance(item, str) and _is_name(item)) for item in given
    )
    return index_tools(tools_in_list(given) if is_read else _in_value(load_content(given)))


def tools_of_document(document: Document) -> list[Tool]:
    """The tools that a trace itself defines; empty if they cannot be read."""
    try:
        return read_definitions_in(document.value, dialect=document.dialect)
    except Exception:  # noqa: BLE001  (nested too deep, or in a dialect of another package)
        return []


def index_tools(tools: Iterable[Tool]) -> dict[str, Tool]:
    """The tools by name.

    Raises:
        InvalidSettings: two of the same name differ, or there is no such effect.
    """
    found: dict[str, Tool] = {}
    for tool in tools:
        if tool.effect is not None:
            _require_effect(tool.name, tool.effect)
        other = found.setdefault(tool.name, tool)
        for field, what in _DIFFERING.items():
            if getattr(other, field) != getattr(tool, field):
                problem = f"two definitions of the tool {tool.name!r} have different {what}."
                raise InvalidSettings(problem)
    return found


def tools_in_list(value: Any) -> list[Tool]:
    """The tools in a value that is known to contain only tools; empty if it contains anything else.

    It is a list of definitions, of tools or of names, an object with such a list, one definition, or
    an object of definitions by name. Elsewhere such a list could also be a list of calls.
    """
    tools: list[Tool] = []
    for entry in _entries(value):
        if isinstance(entry, Tool):
            found = [entry]
        elif isinstance(entry, str) and _is_name(entry):
            found = [Tool(entry)]
        else:
            found = [] if _is_call(entry) else read_definitions([entry])
        if not found:
            return []
        tools += found
    return tools


def _entries(value: Any) -> list[Any]:
    if not isinstance(value, dict):
        return value if isinstance(value, list) else []
    lists = [value[key] for key in _LIST_KEYS if isinstance(value.get(key), list)]
    if lists:
        return [*lists[0]]
    if "name" in value or any(key in value for key in _WRAPPER_KEYS):
        return [value]
    return [
        {"name": name, **entry}
        if isinstance(entry, dict) and not _DEFINITION_KEYS.isdisjoint(entry)
        else None
        for name, entry in value.items()
    ]


def _is_name(text: str) -> bool:
    return text.isprintable() and text[:1] not in ("", "{", "[")


def _is_call(entry: Any) -> bool:
    if not isinstance(entry, dict):
        return False
    inner = [entry, *[entry[key] for key in _WRAPPER_KEYS if isinstance(entry.get(key), dict)]]
    return any(not _CALL_KEYS.isdisjoint(item) for item in inner)


def _in_value(value: Any) -> list[Tool]:
    if isinstance(value, list | dict) and not value:
        return []
    found = _in_document(value, find_dialect(value)) or read_definitions_in(value)
    if not found:
        raise InvalidCall(_NO_DEFINITIONS)
    is_of_tasks = isinstance(value, list) and all(_is_task(find_dialect(item)) for item in value)
    return combined_tools(found) if is_of_tasks else found


def _is_task(dialect: Dialect | None) -> bool:
    """Whether the tools of such a document are those of one task, and others may differ."""
    return dialect is not None and dialect.name in _TASK_DIALECTS


def _in_document(value: Any, dialect: Dialect | None) -> list[Tool]:
    """The tools in a document; a document of tools alone must have valid effects."""
    found = [] if dialect is None else read_definitions_in(value, dialect=dialect)
    if dialect is None or dialect.name in _AMBIGUOUS_DIALECTS:
        found = found or tools_in_list(value)
        # An operation of an API declares its effect by its method; `effect` is a field of its own.
        for name, effect in unknown_effects(value) if found and not is_openapi(value) else ():
            _require_effect(name, effect)
    return found


def _require_effect(name: str, effect: Any) -> None:
    if effect not in _EFFECTS:
        hint = suggestion_or_choices(effect, _EFFECTS)
        raise InvalidSettings(
            f"the tool {mention(name)} has an unknown effect {mention(effect)}{hint}"
        )


def _all_in_file(path: PathLike[str]) -> list[Tool]:
    if fspath(path) == _STANDARD_INPUT:  # it cannot be read again
        return _in_value(load_content(path))
    tools: list[Tool] = []
    of_tasks: list[Tool] = []
    is_empty = False
    try:
        for document in read_documents(path, allow_duplicates=False):
            found = of_tasks if _is_task(document.dialect) else tools
            found += _in_document(document.value, document.dialect)
            is_empty = isinstance(document.value, list) and not document.value
    except UnreadableInput:
        tools = _in_document(load_content(path), None)
        if not tools:
            raise
    tools += combined_tools(of_tasks)
    if not tools and not is_empty:
        raise_unreadable(fspath(path), _NO_DEFINITIONS)
    return tools

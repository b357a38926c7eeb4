"""Finds what files of traces and definitions say about the effects of tools."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from callscore.checks.effects import EffectsFound, EvidenceCounter
from callscore.core.totals import NameCounter
from callscore.documents import (
    Document,
    DocumentReader,
    load_content,
    raise_unreadable,
    tools_in_list,
)
from callscore.errors import InvalidCall, UnreadableInput
from callscore.formats.definitions import declared_effects, unknown_effects
from callscore.formats.openapi import is_openapi, operations_in
from callscore.formats.reading import (
    Recognizer,
    find_dialect,
    read_as,
    read_definitions_in,
    read_named,
)
from callscore.sources import read_batches
from callscore.sources.remote import without_credentials

if TYPE_CHECKING:
    from callscore.core.call import Effect, Tool
    from callscore.core.settings import Settings
    from callscore.formats.dialect import Dialect
    from callscore.formats.trace import ReadOptions, Trace

_Sources = dict[str, list[tuple["Effect", str]]]


def find_effects(  # noqa: PLR0913  (all are options)
    paths: Sequence[str],
    settings: Settings,
    read_options: ReadOptions,
    *,
    tools: str | None = None,
    dialect: Dialect | None = None,
    skip_bad: bool = False,
    on_bytes: Callable[[int], None] | None = None,
) -> EffectsFound:
    """List the tools of files with what is known about their effects.

    Args:
        paths: files of traces or cases in any format, or URLs; `-` is standard input.
        settings: those of the scores, whose `effects` decide first.
        read_options: what to select from a document that offers a choice.
        tools: the file with the definitions; None for those in the traces.
        dialect: the format of the files; None to recognize it.
        skip_bad: whether to count and skip what cannot be read, instead of stopping.
        on_bytes: called with the number of bytes that were read since the last call.

    Raises:
        UnreadableInput: a file, or with `skip_bad` off a part of it, cannot be read.
        MissingExtra: a file needs an optional dependency.
    """
    counter = EvidenceCounter(settings)
    if tools is not None:
        _take_definitions(tools, counter)
    finder = _Finder(counter, read_options, dialect, takes_tools=tools is None, skip_bad=skip_bad)
    for path in paths:
        finder.read(path, on_bytes)
    return EffectsFound(
        files=len(paths) + (tools is not None),
        traces=finder.traces,
        tools=counter.tools(),
        skipped=finder.skipped.noted(),
        unread=finder.unread.noted(),
    )


def _take_definitions(path: str, counter: EvidenceCounter) -> None:
    """Take the definitions in a file; unlike those of a score, two of one name may differ."""
    document = load_content(Path(path))
    try:
        found = tools_in_list(document)
        if find_dialect(document) is not None:
            found = read_definitions_in(document) or found
        if not found and isinstance(document, list):
            found = read_definitions_in(document)
    except (InvalidCall, RecursionError) as error:
        raise UnreadableInput(path, str(error)) from error
    if not found:
        raise_unreadable(path, "no tool definitions found.")
    for name, effect in () if is_openapi(document) else unknown_effects(document):
        raise_unreadable(path, f"the tool {name!r} has an unknown effect {effect!r}.")
    _take_tools(found, document, counter)


def _take_tools(tools: list[Tool], document: Any, counter: EvidenceCounter) -> None:
    sources: _Sources = {}
    if any(tool.effect is not None for tool in tools):  # a large document is not searched in vain
        for name, declared in _declarations(document):
            sources.setdefault(name, []).append(declared)
    for tool in tools:
        counter.take_tool(tool, sources.get(tool.name, ()))


def _declarations(document: Any) -> Iterator[tuple[str, tuple[Effect, str]]]:
    if is_openapi(document):
        return ((operation.name, operation.effect) for operation in operations_in(document))
    return declared_effects(document)


class _Finder:
    """Reads files, one after the other, and hands their calls and definitions to the counter."""

    def __init__(
        self,
        counter: EvidenceCounter,
        read_options: ReadOptions,
        dialect: Dialect | None,
        *,
        takes_tools: bool,
        skip_bad: bool,
    ) -> None:
        self.traces = 0
        self.skipped = NameCounter()
        self.unread = NameCounter()
        self._counter = counter
        self._dialect = dialect
        self._takes_tools = takes_tools
        self._skip_bad = skip_bad
        self._notes: dict[str, None] = {}  # of the document at hand
        self._read_options = replace(
            read_options, inner=Recognizer().find, on_unread=self._notes.setdefault
        )
        self._latest: list[Tool] = []  # the documents of a file mostly have the same tools

    def read(self, path: str, on_bytes: Callable[[int], None] | None) -> None:
        name = without_credentials(path)
        reader = DocumentReader(name, self._dialect, self._note_bad)
        batches = read_batches(path, on_bytes=on_bytes, allow_remote=True)
        is_empty = True
        for document in chain(chain.from_iterable(map(reader.take, batches)), reader.finish()):
            is_empty = False
            self._take(document)
        if is_empty and not self.skipped.count:
            raise_unreadable(name, "the file is empty.")

    def _take(self, document: Document) -> None:
        for trace in self._traces(document):
            self.traces += trace.says_anything
            self._counter.take_calls(trace.calls or (), trace.expected or ())
        if self._notes:
            self.unread.add(f"{document.place}: {' '.join(self._notes)}")
            self._notes.clear()
        if self._takes_tools:
            self._take_defined(document)

    def _take_defined(self, document: Document) -> None:
        try:
            found = read_definitions_in(document.value, dialect=document.dialect)
        except (InvalidCall, RecursionError):  # its calls were read, or it was skipped
            return
        if found != self._latest:
            self._latest = found
            _take_tools(found, document.value, self._counter)

    def _traces(self, document: Document) -> list[Trace]:
        try:
            read = read_as if self._dialect is None else read_named
            return read(document.dialect, document.value, self._read_options)
        except (InvalidCall, UnreadableInput) as error:
            self._note_bad(document.place, str(error))
            return []

    def _note_bad(self, place: str, problem: str) -> None:
        if not self._skip_bad:
            raise_unreadable(place, problem)
        self.skipped.add(f"{place}: {problem}")

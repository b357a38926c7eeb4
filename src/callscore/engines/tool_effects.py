"""Finds what files of traces and definitions say about the effects of tools."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from callscore.checks.effects import EffectsFound, EvidenceCounter
from callscore.core.call import Tool
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
    from callscore.core.call import Effect
    from callscore.core.settings import Settings
    from callscore.formats.dialect import Dialect
    from callscore.formats.trace import ReadOptions, Trace


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
    skipped, unread, notes = NameCounter(), NameCounter(), dict[str, None]()
    count, latest = 0, list[Tool]()  # the documents of a file mostly have the same tools
    read = read_as if dialect is None else read_named
    read_options = replace(read_options, inner=Recognizer().find, on_unread=notes.setdefault)

    def refuse(place: str, problem: str) -> None:
        if not skip_bad:
            raise_unreadable(place, problem)
        skipped.add(f"{place}: {problem}")

    for document in _documents(paths, dialect, refuse, skipped, on_bytes):
        for trace in _traces(document, read, read_options, refuse):
            count += trace.says_anything
            counter.take_calls(trace.calls or (), trace.expected or ())
        if notes:
            unread.add(f"{document.place}: {' '.join(notes)}")
            notes.clear()
        if tools is None:
            latest = _take_defined(document, counter, latest)
    return EffectsFound(
        files=len(paths) + (tools is not None),
        traces=count,
        tools=counter.tools(),
        skipped=skipped.noted(),
        unread=unread.noted(),
    )


def _documents(
    paths: Iterable[str],
    dialect: Dialect | None,
    refuse: Callable[[str, str], None],
    skipped: NameCounter,
    on_bytes: Callable[[int], None] | None,
) -> Iterator[Document]:
    """The documents of files, none of which may be empty."""
    for path in paths:
        name, is_empty = without_credentials(path), True
        reader = DocumentReader(name, dialect, refuse)
        batches = read_batches(path, on_bytes=on_bytes, allow_remote=True)
        for document in chain(chain.from_iterable(map(reader.take, batches)), reader.finish()):
            is_empty = False
            yield document
        if is_empty and not skipped.count:
            raise_unreadable(name, "the file is empty.")


def _traces(
    document: Document,
    read: Callable[[Dialect, Any, ReadOptions], list[Trace]],
    options: ReadOptions,
    refuse: Callable[[str, str], None],
) -> list[Trace]:
    try:
        return read(document.dialect, document.value, options)
    except (InvalidCall, UnreadableInput) as error:
        refuse(document.place, str(error))
        return []


def _take_defined(document: Document, counter: EvidenceCounter, latest: list[Tool]) -> list[Tool]:
    """Take the definitions in a document, unless they are the latest; returns them."""
    try:
        found = read_definitions_in(document.value, dialect=document.dialect)
    except (InvalidCall, RecursionError):  # its calls were read, or it was skipped
        return latest
    if found != latest:
        _take_tools(found, document.value, counter)
    return found


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
    sources: dict[str, list[tuple[Effect, str]]] = {}
    if any(tool.effect is not None for tool in tools):  # a large document is not searched in vain
        declared: Iterable[tuple[str, tuple[Effect, str]]] = declared_effects(document)
        if is_openapi(document):
            declared = [(each.name, each.effect) for each in operations_in(document)]
        for name, effect in declared:
            sources.setdefault(name, []).append(effect)
    for tool in tools:
        counter.take_tool(tool, sources.get(tool.name, ()))

"""The one place where the tests of formats enter the program: all that it reads from a document."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import structs

from callscore.core.call import Tool
from callscore.documents import read_documents
from callscore.errors import CallscoreError
from callscore.formats.dialect import dialect_named
from callscore.formats.reading import find_dialect, read_definitions_in, read_document, read_named
from callscore.formats.trace import ReadOptions, Trace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MOST_ANSWERS = 4  # to one question, that are read
# What can be asked for. Each is recorded if something else is read then.
OTHERWISE: dict[str, dict[str, Any]] = {
    "requested": {"view": "requested"},
    "executed": {"view": "executed"},
    "everyone": {"leave_out": []},
}

# What depends on the examples of other formats, or is always the same.
_ADVICE = re.compile(r" Most similar: [\w, ]*\.| 'callscore formats' lists .*")

Json = dict[str, Any]


def recognized(document: Any) -> str | None:
    """The name of the format of a document."""
    found = find_dialect(document)
    return found.name if found else None


def documents_in(path: Path) -> list[Any]:
    """The documents of a file."""
    return [document.value for document in read_documents(path)]


def continues(name: str, before: Any, document: Any) -> bool:
    """Whether a document of a format repeats the one before it, and goes on."""
    asked = dialect_named(name).continues
    return asked is not None and asked(before, document)


def read_once(document: Any, name: str | None = None) -> Json:
    """The runs in a document, or why it is refused: what takes least time."""
    return _reader(document, name)(ReadOptions())


def read_whole(document: Any, name: str | None = None, options: Json | None = None) -> Json:
    """All that is read from a document, as data without what is empty or as always.

    With a name, the document is read in this format, whatever it looks like.
    """
    wished = options or {}
    found = recognized(document)
    read = _reader(document, None if name == found else name)
    unread: list[str] = []
    inner: list[str] = []
    whole = read(_options(wished, on_unread=unread.append, on_format=inner.append))
    others = {
        kind: read(_options({**wished, **other}))
        for kind, other in OTHERWISE.items()
        if not wished.keys() & other.keys()
    }
    name = name or found
    tools = _tools(document, name)
    return _without_empty(
        {
            "format": found,
            **whole,
            **{kind: _answer(other) for kind, other in others.items() if other != whole},
            "answers": _other_answers(read, wished),
            "unread": unread,
            "inner": sorted({*inner} - {name}),
            "tools": tools if tools != whole.get("error") else None,
            "is_line": name is not None and dialect_named(name).joins_lines(document),
        }
    )


def _reader(document: Any, name: str | None) -> Callable[[ReadOptions], Json]:
    dialect = None if name is None else dialect_named(name)

    def read(options: ReadOptions) -> Json:
        try:
            if dialect is None:
                return {"traces": [*map(_plain, read_document(document, options))]}
            return {"traces": [*map(_plain, read_named(dialect, document, options))]}
        except CallscoreError as error:
            return {"error": _message(error)}

    return read


def _options(wished: Json, **notes: Any) -> ReadOptions:
    """The options as a file has them: texts and lists."""
    given = dict(wished)
    for name in ("leave_out", "callers"):
        if name in given:
            given[name] = tuple(given[name])
    if "failure" in given:
        given["failure"] = re.compile(given["failure"])
    if "tools" in given:
        given["tools"] = {tool["name"]: Tool(**tool) for tool in given["tools"]}
    if given.pop("counts_answers", False):
        given["on_answers"] = _ignore
    return ReadOptions(**given, **notes)


def _ignore(_: int) -> None:
    pass


def _other_answers(read: Callable[[ReadOptions], Json], wished: Json) -> list[Any]:
    """What is read if another than the first answer is chosen."""
    if wished.keys() & {"candidate", "counts_answers"}:
        return []
    counts = [1]
    read(_options(wished, on_answers=counts.append))
    numbers = range(1, min(MOST_ANSWERS, max(counts)))
    return [_answer(read(_options({**wished, "candidate": number}))) for number in numbers]


def _answer(read: Json) -> Any:
    return read.get("traces", read)


def _tools(document: Any, name: str | None) -> Any:
    try:
        if name is None:
            return [*map(_tool, read_definitions_in(document))]
        return [*map(_tool, read_definitions_in(document, dialect=dialect_named(name)))]
    except CallscoreError as error:
        return _message(error)


def _message(error: CallscoreError) -> str:
    return _ADVICE.sub("", f"{type(error).__name__}: {error}")


def _tool(tool: Tool) -> Any:
    return msgspec.to_builtins(tool, enc_hook=repr)


def _plain(trace: Trace) -> Json:
    fields = structs.asdict(trace)
    given = {name: value for name, value in fields.items() if value != getattr(Trace(), name)}
    plain: Json = _with_rules(msgspec.to_builtins(given, enc_hook=repr))
    return plain


def _with_rules(value: Any) -> Any:
    """The same with rules as a case file has them: `{"$one_of": [1, 2]}`."""
    if isinstance(value, list | tuple):
        return [*map(_with_rules, value)]
    if not isinstance(value, dict):
        return value
    if value.keys() == {"key", "value", "options"} and str(value["key"]).startswith("$"):
        value = {value["key"]: value["value"], **value["options"]}
    return {key: _with_rules(item) for key, item in value.items()}


def _without_empty(whole: Json) -> Json:
    """What was read, as JSON has it."""
    kept = {name: value for name, value in whole.items() if value or name in ("format", "traces")}
    plain: Json = msgspec.json.decode(msgspec.json.encode(kept))
    return plain

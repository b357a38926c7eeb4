"""OpenAI chat completion streams.

The calls come in fragments that belong together by their index. Some servers number every call 0;
then a new id begins a new call. Some send a whole message in place of a fragment. Fragments are
joined and never completed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.calls import is_empty_call
from callscore.formats.dialects.openai_chat import take_call, take_executed
from callscore.formats.families.written_calls import take_written_calls
from callscore.formats.shape import as_list, at, dicts, integer_of
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 715
_EXAMPLE_BEGINNING = {
    "index": 0,
    "id": "call_1",
    "type": "function",
    "function": {"name": "get_weather", "arguments": '{"city": '},
}
_EXAMPLE_END = {"index": 0, "function": {"arguments": '"Paris"}'}}
EXAMPLE = [
    {
        "object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": {"tool_calls": [_EXAMPLE_BEGINNING]}}],
    },
    {
        "object": "chat.completion.chunk",
        "choices": [
            {"index": 0, "delta": {"tool_calls": [_EXAMPLE_END]}, "finish_reason": "tool_calls"}
        ],
    },
]
_MAX_SAMPLED = 20
_MAX_DIGITS = 20
_MARKS = frozenset(("object", "choices", "chunk"))  # every chunk has one of them
SIGNS = Signs(keys=tuple(_MARKS))


def recognizes(document: Any) -> bool:
    """Whether it is a chunk, or a list of them."""
    if isinstance(document, list):
        # The first and the last chunks may have no choices.
        return any(map(joins_lines, document[:_MAX_SAMPLED])) and all(
            joins_lines(item) or (isinstance(item, dict) and not item.get("choices"))
            for item in document
        )
    return joins_lines(document)


def _chunk_of(value: Any) -> Any:
    """The chunk that a value is, or that an event of the SDK's own helper for streams wraps."""
    is_wrapped = isinstance(value, dict) and "chunk" in value and value.get("type") == "chunk"
    return value["chunk"] if is_wrapped else value


def joins_lines(line: Any) -> bool:
    """Whether a line is one chunk of an answer."""
    if not isinstance(line, dict) or _MARKS.isdisjoint(line):
        return False
    chunk = _chunk_of(line)
    return isinstance(chunk, dict) and (
        chunk.get("object") == "chat.completion.chunk"
        or isinstance(at(chunk, "choices", 0, "delta"), dict)
        or _is_of_filter(chunk)
    )


def _is_of_filter(chunk: dict[str, Any]) -> bool:
    """Whether it is a chunk of Azure's content filter: the first one, or one about earlier text."""
    choice = at(chunk, "choices", 0)
    if choice is None:
        return chunk.get("choices") == [] and "prompt_filter_results" in chunk
    return isinstance(choice, dict) and "content_filter_offsets" in choice


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: the fragments of the chosen answer, put together."""
    transcript = Transcript(options)
    message = Fragments()
    choices = [
        choice for item in as_list(document) for choice in dicts(at(_chunk_of(item), "choices"))
    ]
    indices = [index_of(choice.get("index")) or 0 for choice in choices]
    number = options.choose(indices)
    for choice, index in zip(choices, indices, strict=True):
        if index != number:
            continue
        message.take(fragment_in(choice))
        finish = choice.get("finish_reason")
        if finish:
            message.write(transcript, is_cut=finish == "length")
            message = Fragments()
    message.write(transcript, is_cut=True)
    return [transcript.trace()]


def index_of(value: Any) -> int | None:
    """The index in a chunk; some servers write it as text."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < _MAX_DIGITS:
        return int(value)
    return integer_of(value)


def fragment_in(choice: dict[str, Any]) -> Any:
    """What a chunk adds to an answer."""
    delta = choice.get("delta")
    return delta if isinstance(delta, dict) else choice.get("message")


class Fragments:
    """One answer, put together from fragments."""

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._at: dict[int, _Call] = {}  # the call that is being sent, by its index
        self._last: _Call | None = None  # the call of the last fragment
        self._texts: list[str] = []
        self._executed: dict[Any, dict[str, Any]] = {}  # by their index, as the server ran them

    def take(self, delta: Any) -> None:
        """Add the fragments of a chunk."""
        if not isinstance(delta, dict):
            return
        for fragment in dicts(delta.get("tool_calls")):
            self._add(fragment)
        text = delta.get("content")
        if isinstance(text, str):
            self._texts.append(text)
        for entry in dicts(delta.get("executed_tools")):
            given = {key: value for key, value in entry.items() if value not in (None, "")}
            self._executed.setdefault(index_of(entry.get("index")), {}).update(given)
        legacy = delta.get("function_call")
        # A fragment may be empty, and so may be the field for a call that there is none of.
        is_begun = self._last is not None
        if isinstance(legacy, dict) and (
            is_begun or not is_empty_call(legacy.get("name"), legacy.get("arguments"))
        ):
            self._add({"index": 0, "function": legacy})

    def _add(self, fragment: dict[str, Any]) -> None:
        index = index_of(fragment.get("index"))
        call = self._last if index is None else self._at.get(index)
        if call is None or call.is_another(fragment):
            # A call without an index follows the one before it.
            place = index if index is not None else self._last.place if self._last else 0
            call = _Call(place)
            self._calls.append(call)
        if index is not None:
            self._at[index] = call
        self._last = call
        call.take(fragment)

    def write(self, transcript: Transcript, *, is_cut: bool) -> None:
        """Add the calls, after the last fragment."""
        if not self._calls and not self._executed:
            take_written_calls("".join(self._texts), transcript, has_results=False)
        if self._executed:
            transcript.step()
            take_executed(list(self._executed.values()), transcript)
        if self._calls:
            transcript.step()
        for call in self._in_order():
            take_call(call.whole(), transcript, is_cut=is_cut and call is self._last)

    def calls(self) -> list[dict[str, Any]]:
        """The calls, in the format of an answer that is not streamed."""
        return [call.whole() for call in self._in_order()]

    def _in_order(self) -> list[_Call]:
        return sorted(self._calls, key=lambda call: call.place)


class _Call:
    """One call, put together from fragments, and its place in the answer."""

    def __init__(self, place: int) -> None:
        self.place = place
        self._id: Any = None
        self._name: Any = None
        self._kind: Any = None
        self._is_custom = False
        self._texts: list[str] = []
        self._object: Any = None  # some servers send the arguments at once, as an object

    def is_another(self, fragment: dict[str, Any]) -> bool:
        """Whether a fragment at the place of this call is the beginning of another one."""
        id_ = fragment.get("id")
        if id_ or self._id:
            return bool(id_ and self._id and id_ != self._id)
        # Without ids, only a second name after arguments begins another call.
        return bool(at(fragment, "function", "name") and self._texts)

    def take(self, fragment: dict[str, Any]) -> None:
        self._id = fragment.get("id") or self._id
        self._kind = fragment.get("type") or self._kind
        self._is_custom = self._is_custom or isinstance(fragment.get("custom"), dict)
        part = fragment.get("custom" if self._is_custom else "function")
        self._name = _longer(self._name, at(part, "name"))
        text = at(part, "input" if self._is_custom else "arguments")
        if isinstance(text, str):
            if text:
                self._texts.append(text)
        elif text is not None:
            self._object = text

    def whole(self) -> dict[str, Any]:
        text = "".join(self._texts)
        if self._is_custom:
            return {"id": self._id, "custom": {"name": self._name, "input": text}}
        if self._name is None and self._kind not in (None, "function"):
            return {"id": self._id, "type": self._kind}
        arguments = text if self._texts or self._object is None else self._object
        return {"id": self._id, "function": {"name": self._name, "arguments": arguments}}


def _longer(name: Any, piece: Any) -> Any:
    """A name with its next piece; most servers send it whole, and some repeat it."""
    if not isinstance(name, str) or not isinstance(piece, str):
        return piece or name
    return piece if piece.startswith(name) else name + piece

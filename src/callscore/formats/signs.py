"""The signs of each dialect: what every document of it has, so that few dialects have to be asked.

There are many dialects, and a document is small: asking each of them would take longer than to read
it. Signs only say who cannot recognize a document. A dialect without signs is always asked.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any

from msgspec import Struct

if TYPE_CHECKING:
    from callscore.formats.dialect import Dialect


class Signs(Struct, frozen=True, kw_only=True):
    """What a document must have at least one of for a dialect to recognize it.

    Attributes:
        keys: of an object.
        item_keys: of any of the objects in a list; by default the same as `keys`.
        message_keys: of any of the objects in a list under the key `messages` of an object, which
            most formats have.
        value_types: of the first value of an object, or of the first object in a list, if their keys
            can be any: `dict`, `list` or the type of None.
        has_other_items: whether anything but objects in a list is enough.
        is_text: whether a text is enough.
        reads_plain_chat: whether the dialect may recognize messages in the plain notation of OpenAI
            chat, which most conversations have. Where it never does, it is not asked about them.
        kind: a function of an object or a list, and its answer for documents that the dialect
            recognizes. Dialects that have the same function are told apart by one call of it.
    """

    keys: tuple[str, ...] = ()
    item_keys: tuple[str, ...] | None = None
    message_keys: tuple[str, ...] = ()
    value_types: tuple[type, ...] = ()
    has_other_items: bool = False
    is_text: bool = False
    reads_plain_chat: bool = True
    kind: tuple[Callable[[Any], Hashable], Hashable] | None = None


TEXT_SIGNS = Signs(is_text=True)
_TEXT_OR_NONE = (str, type(None))


class SignIndex:
    """Finds the dialects whose signs a document has, in their order.

    A set of dialects is an integer with one bit per dialect, the first one lowest.
    """

    def __init__(self, dialects: tuple[Dialect, ...]) -> None:
        self.dialects = dialects
        self._always = 0
        self._of_text = 0
        self._by_key: dict[str, int] = {}
        self._by_item_key: dict[str, int] = {}
        self._by_message_key: dict[str, int] = {}
        self._with_messages = 0
        self._by_value_type: dict[type, int] = {}
        self._with_other_items = 0
        self._not_plain_chat = 0
        self._by_kind: dict[Callable[[Any], Hashable], dict[Hashable, int]] = {}
        for place, dialect in enumerate(dialects):
            self._add(dialect.signs, 1 << place)

    def _add(self, signs: Signs | None, bit: int) -> None:
        if signs is None:
            self._always |= bit
            return
        self._of_text |= bit if signs.is_text else 0
        self._with_other_items |= bit if signs.has_other_items else 0
        _add_to(self._by_key, signs.keys, bit)
        _add_to(self._by_item_key, signs.keys if signs.item_keys is None else signs.item_keys, bit)
        _add_to(self._by_message_key, signs.message_keys, bit)
        self._with_messages |= bit if signs.message_keys else 0
        self._not_plain_chat |= 0 if signs.reads_plain_chat else bit
        _add_to(self._by_value_type, signs.value_types, bit)
        if signs.kind is not None:
            kind_of, answer = signs.kind
            _add_to(self._by_kind.setdefault(kind_of, {}), (answer,), bit)

    def find(
        self,
        document: Any,
        among: frozenset[str] | None = None,
        known: tuple[int, int] | None = None,
    ) -> Dialect | None:
        """The first dialect, in their order, that recognizes a document; `among` limits the choice.

        `known` is what `possible` has found for the document.
        """
        possible, certain = known or self.possible(document)
        while possible:
            lowest = possible & -possible
            dialect = self.dialects[lowest.bit_length() - 1]
            possible ^= lowest
            if among is not None and dialect.name not in among:
                continue
            if lowest & certain or dialect.recognizes(document):
                return dialect
        return None

    def dialects_for(self, document: Any) -> list[Dialect]:
        """The dialects that may recognize a document, in their order."""
        possible, _ = self.possible(document)
        return [dialect for place, dialect in enumerate(self.dialects) if possible >> place & 1]

    def possible(self, document: Any) -> tuple[int, int]:
        """The dialects whose signs a document has, and those of them that recognize it."""
        if isinstance(document, dict):
            found = self._of_object(document)
        elif isinstance(document, list):
            found = self._of_list(document)
        else:
            return (self._always | self._of_text if isinstance(document, str) else self._always), 0
        certain = 0
        for kind_of, by_kind in self._by_kind.items():
            certain |= by_kind.get(kind_of(document), 0)
        return self._always | found | certain, certain

    def _of_object(self, document: dict[Any, Any]) -> int:
        found = 0
        by_key = self._by_key
        for key in by_key.keys() & document.keys():
            found |= by_key[key]
        messages = document.get("messages")
        if messages is not None:
            found |= self._of_messages(messages)
        for value in document.values():  # the first one
            return found if value.__class__ is str else found | self._of_value(value)
        return found

    def _of_messages(self, messages: Any) -> int:
        if not isinstance(messages, list):
            return self._with_messages
        items = [item for item in messages if isinstance(item, dict)]
        if len(items) < len(messages):
            return self._with_messages
        found = 0
        by_key = self._by_message_key
        for key in by_key.keys() & set().union(*items):
            found |= by_key[key]
        return self._asked_about(items, found)

    def _asked_about(self, messages: list[dict[Any, Any]], found: int) -> int:
        """Those of the found dialects that are to be asked about messages."""
        is_skipped = found & self._not_plain_chat and _is_plain_chat(messages)
        return found & ~self._not_plain_chat if is_skipped else found

    def _of_list(self, document: list[Any]) -> int:
        items = [item for item in document if isinstance(item, dict)]
        found = self._with_other_items if len(items) < len(document) else 0
        by_key = self._by_item_key
        for key in by_key.keys() & set().union(*items):
            found |= by_key[key]
        found = self._asked_about(items, found)
        for value in items[0].values() if items else ():  # the first one
            return found if value.__class__ is str else found | self._of_value(value)
        return found

    def _of_value(self, value: Any) -> int:
        # Objects and lists with something malformed in them have types of their own.
        kind = dict if isinstance(value, dict) else list if isinstance(value, list) else type(value)
        return self._by_value_type.get(kind, 0)


_CHAT_KEYS = frozenset(("role", "content", "tool_calls", "tool_call_id", "name"))


def _is_plain_chat(messages: list[dict[Any, Any]]) -> bool:
    """Whether all messages have a role and a text, or calls of functions with JSON as arguments."""
    for message in messages:
        if not (
            _CHAT_KEYS.issuperset(message)
            and message.get("role").__class__ is str
            and message.get("content").__class__ in _TEXT_OR_NONE
            and _are_plain_calls(message.get("tool_calls"))
        ):
            return False
    return bool(messages)


def _are_plain_calls(calls: Any) -> bool:
    if calls is not None and calls.__class__ is not list:
        return False
    for call in calls or ():
        function = call.get("function") if call.__class__ is dict else None
        if function.__class__ is not dict or function.get("arguments").__class__ is not str:
            return False
    return True


def found_signs(signs: Signs | None, document: Any) -> list[str]:
    """The signs of a dialect that a document has, in words: `the key "choices"`."""
    if signs is None:
        return []
    if isinstance(document, str):
        return ["marks in the text"] if signs.is_text else []
    items = document if isinstance(document, list) else [document]
    keys = (
        signs.item_keys
        if isinstance(document, list) and signs.item_keys is not None
        else signs.keys
    )
    found = [f'the key "{key}"' for key in _keys_of(items) if key in keys]
    messages = document.get("messages") if isinstance(document, dict) else None
    if isinstance(messages, list):
        inner = _keys_of(messages)
        found += [f'the key "{key}" of a message' for key in inner if key in signs.message_keys]
    if signs.kind is not None and signs.kind[0](document) == signs.kind[1]:
        found.append(f"its shape ({signs.kind[1]})")
    return found


def _keys_of(items: list[Any]) -> dict[Any, None]:
    """The keys of the objects in a list, in their order."""
    return {key: None for item in items if isinstance(item, dict) for key in item}


def _add_to(index: dict[Any, int], keys: tuple[Any, ...], bit: int) -> None:
    for key in keys:
        index[key] = index.get(key, 0) | bit

"""Mutations of JSON trees: values are swapped, deleted, duplicated, retyped, renamed and moved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from tools.fuzz.hostile import KEYS, NUMBERS, RULES, STRINGS, raw_number, raw_string

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

__all__ = ["encode", "mutate_tree"]

_Slot = tuple[Any, Any]  # a container, and a key or index in it


def mutate_tree(tree: Any, random: Random, donor: Any = None) -> Any:
    """The tree after some mutations; it is changed in place.

    `donor` is another tree; parts of it are moved in.
    """
    root = [tree]
    for _ in range(_how_many(random)):
        slot = _random_slot(root, random)
        random.choice(_OPERATIONS)(root, slot, random, donor)
        if not root:
            root = [None]
    return root[0]


def encode(tree: Any, random: Random | None = None) -> bytes:
    """The tree as JSON, sometimes with indents."""
    data = msgspec.json.encode(tree)
    if random is not None and random.random() < 0.1:
        try:
            return msgspec.json.format(data, indent=2)
        except (msgspec.DecodeError, RecursionError):
            return data
    return data


def _how_many(random: Random) -> int:
    many = 1
    while many < 12 and random.random() < 0.45:
        many += 1
    return many


def _random_slot(root: list[Any], random: Random) -> _Slot:
    """A place in the tree: deep ones are as likely as those near the root."""
    container: Any = root
    key: Any = 0
    while True:
        value = container[key]
        stops = 0.03 if container is root else 0.15
        if value.__class__ not in (dict, list) or not value or random.random() < stops:
            return container, key
        container = value
        key = (
            random.choice(list(value)) if value.__class__ is dict else random.randrange(len(value))
        )


def _delete(_root: Any, slot: _Slot, _random: Random, _donor: Any) -> None:
    container, key = slot
    del container[key]


def _duplicate(_root: Any, slot: _Slot, random: Random, _donor: Any) -> None:
    container, key = slot
    value = _copy(container[key])
    if container.__class__ is list:
        container.insert(random.randrange(len(container) + 1), value)
    else:
        container[random.choice((*KEYS, f"{key}2", str(key).upper()))] = value


def _swap(root: Any, slot: _Slot, random: Random, _donor: Any) -> None:
    container, key = slot
    other, other_key = _random_slot(root, random)
    first, second = _copy(container[key]), _copy(other[other_key])
    container[key] = second
    other[other_key] = first


def _move(root: Any, slot: _Slot, random: Random, _donor: Any) -> None:
    container, key = slot
    value = _copy(container[key])
    if container is not root:
        del container[key]
    target, target_key = _random_slot(root, random)
    if target.__class__ is list:
        target.insert(target_key, value)
    else:
        target[random.choice((*KEYS, key if isinstance(key, str) else "x"))] = value


def _rename(_root: Any, slot: _Slot, random: Random, _donor: Any) -> None:
    container, key = slot
    if container.__class__ is not dict:
        return
    value = container.pop(key)
    new = random.choice((random.choice(KEYS), key[1:], key + "s", key.upper(), f"${key}", ""))
    if random.random() < 0.1:
        new = random.choice([text for text in STRINGS if text.isprintable()])
    container[new] = value


def _retype(_root: Any, slot: _Slot, random: Random, _donor: Any) -> None:
    container, key = slot
    value = container[key]
    changes: tuple[Callable[[], Any], ...] = (
        lambda: None,
        lambda: random.random() < 0.5,
        lambda: [value],
        lambda: {random.choice(KEYS): value},
        lambda: msgspec.json.encode(value).decode("utf-8", "replace"),
        dict,
        list,
        lambda: random.randrange(-3, 300),
        lambda: list(value.values()) if isinstance(value, dict) else {"0": value},
        lambda: list(value.items()) if isinstance(value, dict) else str(type(value)),
    )
    container[key] = random.choice(changes)()


def _hostile_string(_root: Any, slot: _Slot, random: Random, _donor: Any) -> None:
    container, key = slot
    container[key] = raw_string(random.choice(STRINGS))


def _hostile_part(_root: Any, slot: _Slot, random: Random, _donor: Any) -> None:
    container, key = slot
    value = container[key]
    if not isinstance(value, str):
        value = "ab"
    at = random.randrange(len(value) + 1)
    container[key] = raw_string(value[:at] + random.choice(STRINGS) + value[at:])


def _hostile_number(_root: Any, slot: _Slot, random: Random, _donor: Any) -> None:
    container, key = slot
    container[key] = raw_number(random.choice(NUMBERS))


def _rule(_root: Any, slot: _Slot, random: Random, _donor: Any) -> None:
    container, key = slot
    text = random.choice(RULES)
    try:
        container[key] = msgspec.json.decode(text)
    except msgspec.DecodeError:  # it contains a number that only text can hold
        container[key] = msgspec.Raw(text.encode())


def _nest(_root: Any, slot: _Slot, random: Random, _donor: Any) -> None:
    container, key = slot
    depth = random.choice((3, 30, 90, 300, 900, 3000, 9000))
    inner = msgspec.json.encode(container[key])
    before, after = random.choice(((b"[", b"]"), (b'{"a":', b"}"), (b'[{"a":', b"}]")))
    container[key] = msgspec.Raw(before * depth + inner + after * depth)


def _repeat(_root: Any, slot: _Slot, random: Random, _donor: Any) -> None:
    """The same value many times: what is done for each pair of items gets slow."""
    container, key = slot
    value = container[key]
    inner = msgspec.json.encode(value)
    most = max(1, 60_000 // (len(inner) + 1))
    many = min(most, random.choice((2, 10, 50, 300, 3000, 20_000)))
    if isinstance(value, str):
        container[key] = value * many
    elif isinstance(value, dict) and value and random.random() < 0.3:
        pairs = [b'"%d":%s' % (number, inner) for number in range(min(many, most // 2 + 1))]
        container[key] = msgspec.Raw(b"{" + b",".join(pairs) + b"}")
    else:
        container[key] = msgspec.Raw(b"[" + b",".join([inner] * many) + b"]")


def _double_nest(_root: Any, slot: _Slot, random: Random, _donor: Any) -> None:
    """A list of two equal lists of two equal lists: small, and large in its number of pairs."""
    container, key = slot
    inner = msgspec.json.encode(container[key])
    for _ in range(random.choice((2, 4, 8))):
        if len(inner) > 20_000:
            break
        inner = b"[" + b",".join([inner] * random.choice((2, 3))) + b"]"
    container[key] = msgspec.Raw(inner)


def _graft(_root: Any, slot: _Slot, random: Random, donor: Any) -> None:
    container, key = slot
    source, source_key = _random_slot([donor], random)
    container[key] = _copy(source[source_key])


def _shuffle(_root: Any, slot: _Slot, random: Random, _donor: Any) -> None:
    container, _ = slot
    if container.__class__ is list:
        random.shuffle(container)
    else:
        pairs = list(container.items())
        random.shuffle(pairs)
        container.clear()
        container.update(pairs)


def _twice_the_key(_root: Any, slot: _Slot, random: Random, _donor: Any) -> None:
    """An object with the same key twice."""
    container, key = slot
    value = container[key]
    if not isinstance(value, dict) or not value:
        return
    name = random.choice(list(value))
    inner = msgspec.json.encode(value)
    pair = msgspec.json.encode(name) + b":" + msgspec.json.encode(random.choice((value[name], 1)))
    container[key] = msgspec.Raw(inner[:-1] + b"," + pair + b"}")


def _copy(value: Any) -> Any:
    """A deep copy; parts that are JSON text stay text."""
    if value.__class__ is dict:
        return {key: _copy(item) for key, item in value.items()}
    if value.__class__ is list:
        return [_copy(item) for item in value]
    return value


_OPERATIONS: tuple[Callable[[Any, _Slot, Random, Any], None], ...] = (
    *(_delete, _delete, _duplicate, _swap, _move, _rename, _rename, _retype, _retype, _retype),
    *(_hostile_string, _hostile_string, _hostile_part, _hostile_number, _hostile_number, _rule),
    *(_nest, _repeat, _double_nest, _graft, _shuffle, _twice_the_key),
)

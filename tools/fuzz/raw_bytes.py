"""Mutations of bytes: bits flip, parts are cut, spliced and repeated, encodings change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.fuzz.hostile import TOKENS
from tools.fuzz.inputs import MAX_SIZE

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

__all__ = ["mutate_bytes"]


def mutate_bytes(data: bytes, random: Random, donor: bytes = b"") -> bytes:
    """The bytes after some mutations; parts of `donor` are spliced in."""
    while True:
        data = random.choice(_OPERATIONS)(data, random, donor)[:MAX_SIZE]
        if random.random() < 0.5:
            return data


def _flip(data: bytes, random: Random, _donor: bytes) -> bytes:
    changed = bytearray(data or b"x")
    for _ in range(random.choice((1, 1, 2, 8))):
        at = random.randrange(len(changed))
        changed[at] ^= 1 << random.randrange(8)
    return bytes(changed)


def _overwrite(data: bytes, random: Random, _donor: bytes) -> bytes:
    changed = bytearray(data or b"x")
    at = random.randrange(len(changed))
    changed[at] = random.choice((0, 1, 0x7F, 0x80, 0xFF, 0x22, 0x2C, random.randrange(256)))
    return bytes(changed)


def _cut_end(data: bytes, random: Random, _donor: bytes) -> bytes:
    return data[: random.randrange(len(data) + 1)]


def _cut_out(data: bytes, random: Random, _donor: bytes) -> bytes:
    start, end = _part(data, random)
    return data[:start] + data[end:]


def _repeat(data: bytes, random: Random, _donor: bytes) -> bytes:
    start, end = _part(data, random)
    most = MAX_SIZE // max(1, end - start)
    return data[:start] + data[start:end] * min(most, random.choice((2, 3, 50, 2000))) + data[end:]


def _splice(data: bytes, random: Random, donor: bytes) -> bytes:
    start, end = _part(donor, random)
    at = random.randrange(len(data) + 1)
    return data[:at] + donor[start:end] + data[at:]


def _insert(data: bytes, random: Random, _donor: bytes) -> bytes:
    at = random.randrange(len(data) + 1)
    return data[:at] + random.choice(TOKENS) + data[at:]


def _insert_at_start(data: bytes, random: Random, _donor: bytes) -> bytes:
    return random.choice(TOKENS) + data


def _swap_lines(data: bytes, random: Random, _donor: bytes) -> bytes:
    lines = data.split(b"\n")
    first, second = random.randrange(len(lines)), random.randrange(len(lines))
    lines[first], lines[second] = lines[second], lines[first]
    return b"\n".join(lines)


def _encode(data: bytes, random: Random, _donor: bytes) -> bytes:
    text = data.decode("utf-8", "replace")
    encoding = random.choice(
        ("utf-16", "utf-16-le", "utf-32", "latin-1", "utf-8-sig", "cp1251", "utf-7")
    )
    return text.encode(encoding, "replace")


def _line_ends(data: bytes, random: Random, _donor: bytes) -> bytes:
    return data.replace(
        b"\n", random.choice((b"\r\n", b"\r", b"\n\n", b"\xc2\x85", b"\xe2\x80\xa8"))
    )


def _part(data: bytes, random: Random) -> tuple[int, int]:
    start = random.randrange(len(data) + 1)
    return start, min(len(data), start + random.choice((1, 2, 5, 20, 200, 2000)))


_OPERATIONS: tuple[Callable[[bytes, Random, bytes], bytes], ...] = (
    *(_flip, _flip, _overwrite, _cut_end, _cut_out, _cut_out, _repeat, _splice, _insert, _insert),
    *(_insert_at_start, _swap_lines, _encode, _line_ends),
)

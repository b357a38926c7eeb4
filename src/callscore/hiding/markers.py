"""Markers in place of secrets: `[hidden 5f2c91ab90c4]`. Equal secrets have equal markers, different ones do not.

A marker is a keyed digest. The key is random: one per history, or one per process without a history. The digest is slow
on purpose, so that guesses cannot be tested cheaply by those who have the key, and is computed once per secret.
"""

from __future__ import annotations

import re
from functools import lru_cache
from os import urandom
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "KEY_SIZE",
    "MARKER",
    "OPENING",
    "Markers",
    "current_markers",
    "has_marker",
    "new_key",
    "secrets_of_markers",
    "use_markers",
]

KEY_SIZE = 32
OPENING = "[hidden "
# The digest of the secret, a check, the digest of its encoding, and whether it was a number.
MARKER = re.compile(r"\[hidden ([0-9a-f]{8})([0-9a-f]{4})(?:\.[0-9a-f]{6})?(?: number)?\]")
_COST = 2**13  # about 20 ms and 8 MB
_BLOCK = 8
_ROUNDS = 100_000


def new_key() -> bytes:
    """A random key."""
    return urandom(KEY_SIZE)


def has_marker(text: str) -> bool:
    """Whether a text contains a marker, or what looks like one."""
    return OPENING in text and MARKER.search(text) is not None


# The secrets for which this process has made markers, by the first part of these.
_made: dict[str, str] = {}


def secrets_of_markers() -> dict[str, str]:
    """The secrets for which this process has made markers, by the first eight digits of the markers."""
    return dict(_made)


class Markers:
    """The markers under one key."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def of(self, secret: str, written: str) -> str:
        """The marker of a secret, as it is written in a text: encoded in some way, or as it is."""
        digest = self._digest_of(secret)
        form = "" if written == secret else f".{_digest(digest, written, 3)}"
        return self._marker(digest[:4].hex(), form)

    def of_number(self, secret: str, written: str) -> str:
        """The marker of a number in which a secret is."""
        digest = self._digest_of(secret)
        form = "" if written == secret else f".{_digest(digest, written, 3)}"
        return self._marker(digest[:4].hex(), f"{form} number")

    def of_literal(self, text: str) -> str:
        """The marker in place of a text that looks like a marker, and is not one."""
        return self._marker(_digest(self._key, text, 4), "")

    def _digest_of(self, secret: str) -> bytes:
        digest = _slow_digest(self._key, secret)
        _made[digest[:4].hex()] = secret
        return digest

    def _marker(self, digest: str, rest: str) -> str:
        return f"{OPENING}{digest}{self._check(digest)}{rest}]"

    def is_own(self, marker: re.Match[str]) -> bool:
        """Whether a marker was made with this key."""
        return self._check(marker[1]) == marker[2]

    def _check(self, digest: str) -> str:
        return _digest(self._key, f"check {digest}", 2)


@lru_cache(maxsize=4096)
def _slow_digest(key: bytes, secret: str) -> bytes:
    text = secret.encode("utf-8", "surrogatepass")
    try:
        from hashlib import scrypt

        return scrypt(text, salt=key, n=_COST, r=_BLOCK, p=1, dklen=KEY_SIZE)
    except (ImportError, ValueError):  # not in every build of OpenSSL
        from hashlib import pbkdf2_hmac

        return pbkdf2_hmac("sha256", text, key, _ROUNDS)


def _digest(key: bytes, text: str, size: int) -> str:
    from hashlib import blake2b  # mostly there is no secret to hide

    encoded = text.encode("utf-8", "surrogatepass")
    return blake2b(encoded, key=key, digest_size=size).hexdigest()


@lru_cache(maxsize=1)
def _markers_of_process() -> Markers:
    return Markers(new_key())


# The last item finds the markers of the history that was opened last.
_sources: list[Callable[[], Markers]] = [_markers_of_process]


def use_markers(of_history: Callable[[], Markers]) -> None:
    """Use the markers of a history from now on; its key is read when the first secret is hidden."""
    _sources[:] = [of_history]


def current_markers() -> Markers:
    """The markers in everything that this process shows: those of its history, or random ones."""
    return _sources[-1]()

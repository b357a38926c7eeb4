"""BLAKE2b without `hashlib`, which loads OpenSSL: that takes longer than to verify a thousand rows."""

from __future__ import annotations

try:
    from _blake2 import blake2b  # the same function
except ImportError:  # pragma: no cover  (not CPython)
    from hashlib import blake2b

__all__ = ["blake2b"]

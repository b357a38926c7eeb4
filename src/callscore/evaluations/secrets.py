"""Finds what must not stand in a file: keys and passwords, by what they are called or look like."""

from __future__ import annotations

import re
from typing import Any

__all__ = ["secret_in"]

# What holds a secret is called so; written small, without hyphens and underscores.
_NAMES = frozenset({"key", "token", "secret", "password", "passwd", "authorization", "cookie"})
_ENDS = ("apikey", "secretkey", "accesstoken", "authtoken", "apitoken", "clientsecret", "password")
# Long, with a digit in it: no word of a prompt looks so.
_SECRET = re.compile(
    r"\b(?:sk|pk|rk|gsk|hf|xai|gh[pousr]|nvapi|pplx|xox[abprs])[-_](?=[\w\-]*\d)[\w\-]{16,}"
    r"|\bAIza[\w\-]{30,}"
    r"|\bAKIA[0-9A-Z]{16}\b"
    r"|\beyJ[\w\-]{10,}\.[\w\-]{10,}\.[\w\-]{10,}"
    r"|\bBearer\s+(?=\S*\d)\S{16,}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----"
    r"|://[^/\s:@]+:[^/\s@]+@",
    re.ASCII,
)

_Path = tuple[str | int, ...]


def secret_in(value: Any) -> _Path | None:
    """Where a value holds what is a key or a password by its name or by its look; None if nowhere.

    Args:
        value: plain data. What an environment variable is called is no secret.
    """
    pending: list[tuple[_Path, Any]] = [((), value)]
    while pending:
        path, inner = pending.pop()
        if isinstance(inner, str) and _SECRET.search(inner):
            return path
        if isinstance(inner, dict):
            for key, member in inner.items():
                if _SECRET.search(str(key)) or (member and _is_secret_name(str(key))):
                    return (*path, key)
            pending += [((*path, key), member) for key, member in inner.items()]
        elif isinstance(inner, list):
            pending += [((*path, index), member) for index, member in enumerate(inner)]
    return None


def _is_secret_name(name: str) -> bool:
    plain = name.lower().replace("-", "").replace("_", "")
    return plain in _NAMES or plain.endswith(_ENDS)

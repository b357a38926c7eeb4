"""Keys: read from the environment alone, and shown to nobody."""

from __future__ import annotations

import os
import re
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from callscore.errors import InvalidSettings, MissingKey

__all__ = [
    "KEY_VARIABLE",
    "NO_KEY",
    "key_for",
    "require_no_secret",
    "require_url",
    "require_variable",
    "scrubbed",
    "server_of",
]

KEY_VARIABLE = "OPENAI_API_KEY"
NO_KEY = "no-key"  # what servers on this machine are given, which mind no key
_BASE_VARIABLE = "OPENAI_BASE_URL"
_HIDDEN = "***"
_SHORTEST = 4  # a shorter text says nothing, and is a part of many words
_VARIABLE = re.compile(r"[A-Z_a-z][A-Z_a-z0-9]*", re.ASCII)
_SECRET = re.compile(
    r"\b(?:sk|pk|rk|gsk|hf|xai|ghp|tgp|nvapi|pplx|fw|r8)[-_][A-Za-z0-9_*.\-]{6,}"
    r"|\bAIza[A-Za-z0-9_\-]{20,}"
    r"|(?<=Bearer )[^\s'\"]+",
    re.ASCII,
)
_SECRET_NAMES = ("api_key", "key", "token", "secret", "password")
_SECRET_HEADERS = ("authorization", "api-key", "x-api-key", "proxy-authorization", "cookie")


def server_of(base_url: str | None) -> str | None:
    """Where requests go: what was given, or what the environment says; None for OpenAI's own."""
    return base_url or os.environ.get(_BASE_VARIABLE) or None


def key_for(base_url: str | None, variable: str) -> str:
    """The key in the environment; a server on this machine needs none.

    Raises:
        MissingKey: there is none.
    """
    key = os.environ.get(variable, "").strip()
    if key:
        return key
    server = server_of(base_url)
    if server is not None and _is_here(server):
        return NO_KEY
    raise MissingKey(variable)


def _is_here(url: str) -> bool:
    """Whether a server runs on this machine."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def require_variable(name: Any) -> None:
    """Refuse what cannot be the name of a variable, for it may be the key; it is not shown.

    Raises:
        InvalidSettings: it is no such name.
    """
    if not isinstance(name, str) or _VARIABLE.fullmatch(name) is None:
        raise InvalidSettings(
            "key_variable: name the variable of the environment that holds the key, as in"
            f" {KEY_VARIABLE!r}; the key itself is never written down"
        )


def require_url(base_url: Any) -> None:
    """Refuse what is no address of a server, and one with a password in it.

    Raises:
        InvalidSettings: it is no such address.
    """
    if base_url is None:
        return
    try:
        url = urlsplit(base_url if isinstance(base_url, str) else "")
        is_address = url.scheme in ("http", "https") and bool(url.hostname) and url.port != 0
    except ValueError:  # of a port, or of brackets
        url, is_address = urlsplit(""), False
    if "@" in url.netloc:
        raise InvalidSettings(
            "base_url: there is a password in it; put the key into the environment"
        )
    if not is_address:
        raise InvalidSettings(f"base_url: {base_url!r} is not like 'http://localhost:8080/v1'")


def require_no_secret(parameters: dict[str, Any]) -> None:
    """Refuse keys among the parameters of a model; they are not shown.

    Raises:
        InvalidSettings: there is one.
    """
    headers = parameters.get("extra_headers")
    names = [name for name in _SECRET_NAMES if name in parameters]
    if isinstance(headers, dict):
        names += [str(name) for name in headers if str(name).lower() in _SECRET_HEADERS]
    if names:
        raise InvalidSettings(
            f"{names[0]}: keys are read from the environment alone; name the variable that holds it"
            " in key_variable"
        )


def scrubbed(text: str, key: str = NO_KEY) -> str:
    """A text without the key, and without what looks like one."""
    if key != NO_KEY and len(key) >= _SHORTEST:
        text = text.replace(key, _HIDDEN)
    return _SECRET.sub(_HIDDEN, text)

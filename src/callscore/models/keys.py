"""Keys: read from the environment alone, and shown to nobody."""

from __future__ import annotations

import os
import re
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from callscore.errors import InvalidSettings, MissingKey
from callscore.models.secrets import is_secret_name, looks_secret, scrubbed

__all__ = [
    "KEY_VARIABLE",
    "NO_KEY",
    "key_for",
    "require_no_secret",
    "require_url",
    "require_variable",
    "server_of",
]

KEY_VARIABLE = "OPENAI_API_KEY"
NO_KEY = "no-key"  # what servers on this machine are given, which mind no key
_BASE_VARIABLE = "OPENAI_BASE_URL"
# A name; a key may look like one, but has a digit and no underscore in all its length.
_VARIABLE = re.compile(r"(?!(?=\D*\d)[A-Za-z0-9]{20,}\Z)[A-Z_a-z][A-Z_a-z0-9]*", re.ASCII)
_BESIDE = ("extra_headers", "extra_query")  # what goes with a request and is no part of its body


def server_of(base_url: str | None) -> str | None:
    """Where requests go: what was given, or what the environment says; None for OpenAI's own.

    Raises:
        InvalidSettings: what the environment says is no address, or holds a password.
    """
    server = _tidy(base_url)
    if server is None:
        server = _tidy(os.environ.get(_BASE_VARIABLE))
        require_url(server, _BASE_VARIABLE)
    return server


def _tidy(url: str | None) -> str | None:
    """An address as it is compared, for a slash at the end says nothing; None for an empty one."""
    return (url or "").strip().rstrip("/") or None


def key_for(base_url: str | None, variable: str) -> str:
    """The key in the environment; a server on this machine needs none.

    Raises:
        MissingKey: there is none.
        InvalidSettings: what is there cannot be sent as one.
    """
    key = os.environ.get(variable, "").strip()
    if key:
        if not (key.isascii() and key.isprintable()):
            raise InvalidSettings(
                f"{variable}: it holds characters that no key has, and that cannot be sent"
            )
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


def require_url(base_url: Any, name: str = "base_url") -> None:
    """Refuse what is no address of a server, and one with a password or a query in it.

    Args:
        base_url: what was given; None where nothing was.
        name: what it was given as.

    Raises:
        InvalidSettings: it is no such address; a secret in it is not shown.
    """
    if base_url is None:
        return
    text = base_url.strip() if isinstance(base_url, str) else ""
    try:
        url = urlsplit(text)
        is_address = url.scheme in ("http", "https") and bool(url.hostname) and url.port != 0
    except ValueError:  # of a port, or of brackets
        url, is_address = urlsplit(""), False
    if "@" in url.netloc or ("@" in text and not is_address):
        raise InvalidSettings(
            f"{name}: there is a password in it; put the key into the environment"
        )
    if not is_address:
        shown = scrubbed(repr(base_url))
        raise InvalidSettings(f"{name}: {shown} is not like 'http://localhost:8080/v1'")
    if "?" in text or "#" in text:
        raise InvalidSettings(
            f"{name}: an address ends before the '?' or '#'; what a chat sends with every request"
            " is given as extra_query={...}"
        )


def require_no_secret(parameters: dict[str, Any]) -> None:
    """Refuse keys among the parameters of a model; they are not shown.

    Raises:
        InvalidSettings: there is one.
    """
    names = [name for name in parameters if is_secret_name(name)]
    for place in _BESIDE:
        given = parameters.get(place)
        if isinstance(given, dict):
            names += [f"{place}: {name}" for name, value in given.items() if _is_key(name, value)]
    if names:
        raise InvalidSettings(
            f"{scrubbed(names[0])}: keys are read from the environment alone; name the variable that"
            " holds it in key_variable"
        )


def _is_key(name: Any, value: Any) -> bool:
    return is_secret_name(str(name)) or looks_secret(str(value))

"""Keys, tokens and passwords: read from the environment, hidden in what is shown or stored."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from callscore.errors import InvalidSettings, MissingKey
from callscore.hiding.environment import mark_as_secret
from callscore.hiding.hider import hide_text

MASK = "***"
_MIN_KNOWN_LENGTH = 4  # of a value that is known to be a secret
# Long, with a digit or with the stars of a half hidden key, unlike any word. Every repetition is
# bounded, so that a hostile text cannot make the search slow.
_SECRET_PATTERN = re.compile(
    r"\b(?:sk|pk|rk|gsk|hf|xai|gh[pousr]|github_pat|glpat|tgp|nvapi|pplx|fw|r8|xox[a-z])[-_]"
    r"(?=[\w*.\-]{0,200}[\d*])[\w*.\-]{11,}[\w*]"
    r"|\bAIza[\w\-]{20,}"
    r"|\bA[KS]IA[0-9A-Z]{16}\b"
    r"|\beyJ[\w\-]{10,4000}\.[\w\-]{10,4000}\.[\w\-]{10,4000}"
    r"|\bBearer\s{1,9}(?=\S{0,200}\d)[^\s'\"]{16,}"
    r"|-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:.*?-----END [A-Z ]{0,40}-----|.*)"
    r"|(?<=://)[^/\s:@]{0,200}:[^/\s\"'<>]{1,400}(?=@)",
    re.ASCII | re.DOTALL,
)
# Words before a secret. In error messages, hiding a word too many does no harm.
_LABELLED_SECRET = re.compile(
    r"(\b(?-i:Bearer)\s{1,9}"
    r"|\bauthorization[\"']?\s{0,9}[:=]\s{0,9}[\"']?(?:[a-z]{1,20}\s{1,9})?"
    r"|[?&][\w.\-]{0,40}(?:key|token|secret|password|signature|sig)=)"
    r"(?!\[hidden )[^\s'\"&]+",
    re.ASCII | re.IGNORECASE,
)
# Names of fields with secrets, in lower case without hyphens and underscores.
_SECRET_NAMES = frozenset({"key", "token", "secret", "password", "passwd", "cookie", "credentials"})
_SECRET_SUFFIXES = (
    *("apikey", "secretkey", "accesskey", "subscriptionkey", "accesstoken", "authtoken"),
    *("apitoken", "sessiontoken", "clientsecret", "password", "authorization"),
)


def hide_secrets(text: str, also: Iterable[str] = ()) -> str:
    """Hide what looks like a secret, the secrets in the environment, and `also` (the key sent).

    Hide secrets before a text is clipped: half a secret is not recognized.
    """
    text = hide_text(text)
    for secret in also:
        if len(secret) >= _MIN_KNOWN_LENGTH:
            text = text.replace(secret, MASK)
    text = _SECRET_PATTERN.sub(MASK, text)
    return _LABELLED_SECRET.sub(rf"\1{MASK}", text)


def contains_secret(text: str) -> bool:
    """Whether something in a text looks like a key or a password."""
    return _SECRET_PATTERN.search(text) is not None


def is_secret_name(name: str) -> bool:
    """Whether a field, a header or a parameter of this name holds a secret."""
    plain = name.lower().replace("-", "").replace("_", "")
    return plain in _SECRET_NAMES or plain.endswith(_SECRET_SUFFIXES)


KEY_VARIABLE = "OPENAI_API_KEY"
NO_KEY = "no-key"  # sent to local servers, which ignore the key
_BASE_VARIABLE = "OPENAI_BASE_URL"
# A key may look like a name, but it is long, has a digit, and no underscore.
_VARIABLE_NAME = re.compile(r"(?!(?=\D*\d)[A-Za-z0-9]{20,}\Z)[A-Z_a-z][A-Z_a-z0-9]*", re.ASCII)
_EXTRA_PARAMETERS = ("extra_headers", "extra_query")  # sent with a request, outside its body


def resolve_server(base_url: str | None) -> str | None:
    """The base URL: the given one, or OPENAI_BASE_URL; None for OpenAI's default.

    Raises:
        InvalidSettings: the variable is not an address, or contains a password.
    """
    server = _normalized_url(base_url)
    if server is None:
        server = _normalized_url(os.environ.get(_BASE_VARIABLE))
        require_url(server, _BASE_VARIABLE)
    return server


def _normalized_url(url: str | None) -> str | None:
    """A URL without a trailing slash, for comparison; None if it is empty."""
    return (url or "").strip().rstrip("/") or None


def key_for(base_url: str | None, variable: str, file: str = "") -> str:
    """The key in the environment; a server on this machine needs none.

    `file` is the file that names the variable, for the message.

    Raises:
        MissingKey: there is none.
        InvalidSettings: it has characters that cannot be sent.
    """
    key = os.environ.get(variable, "").strip()
    mark_as_secret(variable)
    if key:
        if not (key.isascii() and key.isprintable()):
            raise InvalidSettings(f"{variable}: the key contains characters that cannot be sent")
        return key
    server = resolve_server(base_url)
    if server is not None and _is_local(server):
        return NO_KEY
    raise MissingKey(variable, file)


def _is_local(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def require_variable_name(name: Any) -> None:
    """Refuse what is not the name of a variable; it may be the key itself, so it is not shown."""
    if not isinstance(name, str) or _VARIABLE_NAME.fullmatch(name) is None:
        raise InvalidSettings(
            "key_variable: expected the name of an environment variable, such as"
            f" {KEY_VARIABLE!r}, not the key itself"
        )


def require_url(base_url: Any, name: str = "base_url") -> None:
    """Refuse what is not an address, and one with a password or a query; secrets are not shown.

    Args:
        base_url: the address; None is allowed.
        name: the name of the setting in messages.
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
            f"{name}: the address contains a password. Put the key into the environment."
        )
    if not is_address:
        shown = hide_secrets(repr(base_url))
        raise InvalidSettings(
            f"{name}: expected an address such as 'http://localhost:8080/v1', got {shown}"
        )
    if "?" in text or "#" in text:
        raise InvalidSettings(
            f"{name}: remove the part from '?' or '#' on. Pass query parameters as"
            " extra_query={...}."
        )


def require_no_secret(parameters: dict[str, Any]) -> None:
    """Refuse keys among the parameters of a model; they are not shown."""
    names = [name for name in parameters if is_secret_name(name)]
    for place in _EXTRA_PARAMETERS:
        given = parameters.get(place)
        if isinstance(given, dict):
            names += [
                f"{place}: {name}"
                for name, value in given.items()
                if is_secret_name(str(name)) or contains_secret(str(value))
            ]
    if names:
        raise InvalidSettings(
            f"{hide_secrets(names[0])}: keys are only read from the environment. Pass the name of the"
            " variable as key_variable."
        )

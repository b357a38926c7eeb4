"""What nobody is to see: keys, tokens and passwords, taken out of what is shown or kept."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = [
    "HIDDEN",
    "cleaned",
    "hiding_known",
    "holds",
    "is_secret_name",
    "looks_secret",
    "scrubbed",
    "without_known",
]

HIDDEN = "***"
_SHORTEST = 8  # a shorter value is a part of many words
_SHORTEST_GIVEN = 4  # of what is known to be a secret
# Long, with a digit in it, or with stars as of a key that is half hidden: no word looks so. Every
# repetition has an end, so that a hostile text cannot keep us busy.
_LOOK = re.compile(
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
# Words that a secret follows. In a text that tells what went wrong, a word too much may be hidden.
_FOLLOWED = re.compile(
    r"(\b(?-i:Bearer)\s{1,9}"
    r"|\bauthorization[\"']?\s{0,9}[:=]\s{0,9}[\"']?(?:[a-z]{1,20}\s{1,9})?"
    r"|[?&][\w.\-]{0,40}(?:key|token|secret|password|signature|sig)=)"
    r"[^\s'\"&]+",
    re.ASCII | re.IGNORECASE,
)
# Names of variables of the environment that hold secrets; who wrote something is none.
_VARIABLE = re.compile("KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|AUTH(?!OR(?!I))", re.IGNORECASE)
# What holds a secret is called so, written small and without hyphens and underscores.
_NAMES = frozenset({"key", "token", "secret", "password", "passwd", "cookie", "credentials"})
_ENDS = (
    *("apikey", "secretkey", "accesskey", "subscriptionkey", "accesstoken", "authtoken"),
    *("apitoken", "sessiontoken", "clientsecret", "password", "authorization"),
)
_APART = re.compile(r"[^A-Za-z0-9_\-]")


def scrubbed(text: str, also: Iterable[str] = ()) -> str:
    """A text without secrets: without what looks like one, and without those in the environment.

    To be called before a text is clipped, for half a secret is not known as one.

    Args:
        text: whatever somebody is to read, or what is to be kept.
        also: more secrets, as they are: the key that was sent.
    """
    text = _without(text, (*_given(also), *_in_environment(text)))
    text = _LOOK.sub(HIDDEN, text)
    return _FOLLOWED.sub(rf"\1{HIDDEN}", text)


def _given(also: Iterable[str]) -> Iterator[str]:
    return (secret for secret in also if len(secret) >= _SHORTEST_GIVEN)


def _in_environment(text: str | None) -> list[str]:
    """The secrets of the environment that a text holds, or all of them, the longest first."""
    found = [
        value
        for name, set_to in os.environ.items()
        if len(value := set_to.strip()) >= _SHORTEST
        and (text is None or value in text)
        and _VARIABLE.search(name)
    ]
    return sorted(found, key=len, reverse=True)


def without_known(value: Any) -> Any:
    """Plain data without the secrets of the environment, exactly as they are there.

    What only looks like one may be what an agent was asked for.

    Args:
        value: the data; it is not changed.
    """
    return hiding_known()(value)


def hiding_known() -> Callable[[Any], Any]:
    """What takes the secrets of the environment, as it is now, out of plain data: for much of it."""
    known = _in_environment(None)

    def hide(value: Any) -> Any:
        return cleaned(value, lambda text: _without(text, known)) if known else value

    return hide


def _without(text: str, secrets: Iterable[str]) -> str:
    for secret in secrets:
        text = text.replace(secret, HIDDEN)
    return text


def looks_secret(text: str) -> bool:
    """Whether there is something in a text that looks like a key or a password."""
    return _LOOK.search(text) is not None


def is_secret_name(name: str) -> bool:
    """Whether what is called so, a field, a header or a parameter, holds a secret."""
    plain = name.lower().replace("-", "").replace("_", "")
    return plain in _NAMES or plain.endswith(_ENDS)


def holds(content: bytes, key: str) -> bool:
    """Whether a document may hold a key, as a glance at its bytes tells.

    A short one is none that anybody would steal, and a word of many answers: `ollama`.
    """
    if len(key) < _SHORTEST:
        return False
    return _telling(key) in content


@lru_cache(maxsize=16)
def _telling(key: str) -> bytes:
    """The longest part of a key without characters that writers of JSON escape, such as a slash."""
    return max(_APART.split(key), key=len).encode()


def cleaned(value: Any, clean: Callable[[str], str]) -> Any:
    """Plain data with every text in it cleaned, the names of fields too.

    Args:
        value: the data; it is not changed.
        clean: what a text becomes.
    """
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [cleaned(item, clean) for item in value]
    if isinstance(value, dict):
        return {cleaned(key, clean): cleaned(item, clean) for key, item in value.items()}
    return value

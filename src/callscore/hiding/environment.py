"""Which environment variables hold secrets, and the values to hide.

A variable holds a secret if its name has a secret word as a whole part, or a password at the end of one: `MY_TOKEN` and
`PGPASSWORD` do, `KEYBOARD_LAYOUT` does not.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache
from typing import Any, get_args

import msgspec

MIN_LENGTH = 8  # a shorter value is part of many words
_MIN_PART_LENGTH = 16  # of a line, or of a field, of a longer secret

# Parts of names, in upper case. Those in the second set count only after another part: PWD is a folder.
_SECRET_WORDS = frozenset(
    (
        *("KEY", "KEYS", "APIKEY", "ACCESSKEY", "SECRETKEY", "PRIVATEKEY"),
        *("TOKEN", "TOKENS", "APITOKEN", "ACCESSTOKEN", "AUTHTOKEN", "BEARER", "JWT"),
        *("SECRET", "SECRETS", "CLIENTSECRET", "CREDENTIAL", "CREDENTIALS", "CREDS"),
        *("PASSWORD", "PASSWORDS", "PASSWD", "PASSPHRASE", "AUTH", "AUTHORIZATION"),
    )
)
_SECRET_LAST_WORDS = frozenset(("PASS", "PWD", "PAT"))
# At the end of a part, too: PGPASSWORD.
_SECRET_ENDS = ("PASSWORD", "PASSWD", "PASSPHRASE", "APIKEY", "SECRETKEY", "PRIVATEKEY")
_HARMLESS_VARIABLES = frozenset(("SSH_AUTH_SOCK",))  # the path of a socket
# `dbPassword`, `APIKey`, `API_KEY_2`: separators, changes of case, and digits divide a name.
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_LONGEST_OWN_WORD = 24

_named: set[str] = set()


def mark_as_secret(variable: str) -> None:
    """Hide the value of a variable from now on, whatever its name: a key is read from it."""
    _named.add(variable)


@lru_cache(maxsize=4096)
def is_secret_variable(name: str) -> bool:
    """Whether the name of a variable says that its value is secret."""
    parts = [part.upper() for part in _PART.findall(name)]
    if name in _HARMLESS_VARIABLES:
        return False
    is_last = len(parts) > 1 and parts[-1] in _SECRET_LAST_WORDS
    has_end = any(part.endswith(_SECRET_ENDS) for part in parts)
    return is_last or has_end or not _SECRET_WORDS.isdisjoint(parts)


def secret_values() -> tuple[tuple[str, str], ...]:
    """The names of variables and the texts to hide, as they are set now, the longest first."""
    return _hidden_texts(
        tuple(
            [
                (name, value)
                for name, value in os.environ.items()
                if len(value) >= MIN_LENGTH and (is_secret_variable(name) or name in _named)
            ]
        )
    )


@lru_cache(maxsize=16)
def _hidden_texts(variables: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """The values and the secrets inside them, each with the first variable that has it."""
    found: dict[str, str] = {}
    for name, value in sorted(variables):
        for text in _texts_in(value.strip()):
            if len(text) >= MIN_LENGTH and not is_own_word(text):
                found.setdefault(text, name)
    return tuple([(found[text], text) for text in sorted(found, key=len, reverse=True)])


def _texts_in(value: str) -> list[str]:
    """A value, its lines, and the secrets among its fields if it is JSON."""
    found = [value]
    if value[:1] == value[-1:] and value[:1] in ("'", '"'):
        found.append(value[1:-1])
    if "\\n" in value:  # a private key on one line, as in a file of variables
        found.append(value.replace("\\r", "").replace("\\n", "\n").strip())
    for text in tuple(found):
        lines = text.splitlines()
        if len(lines) > 1:
            found += [
                line.strip()
                for line in lines
                if len(line.strip()) >= _MIN_PART_LENGTH and "-----" not in line
            ]
    if value[:1] in ("{", "["):
        found += _secret_fields(value)
    return found


def _secret_fields(value: str) -> list[str]:
    """The long texts under secret names in a JSON document, such as the key of a service account."""
    try:
        pending: list[tuple[str, Any]] = [("", msgspec.json.decode(value))]
    except (ValueError, RecursionError):
        return []
    found: list[str] = []
    while pending:
        name, item = pending.pop()
        if isinstance(item, dict):
            pending += [(str(key), member) for key, member in item.items()]
        elif isinstance(item, list):
            pending += [(name, member) for member in item]
        elif isinstance(item, str) and len(item) >= _MIN_PART_LENGTH and is_secret_variable(name):
            found += _texts_in(item.strip())
    return found


def is_own_word(text: str) -> bool:
    """Whether a value is a word of callscore's own formats, or a part of one: it hides nothing."""
    if len(text) > _LONGEST_OWN_WORD or not text.lstrip("$").replace("_", "").isalpha():
        return False
    return any(text in word for word in _own_words())


@lru_cache(maxsize=1)
def _own_words() -> frozenset[str]:
    """The names and the fixed values in saved records and reports."""
    from callscore.core import call, results
    from callscore.core.arguments import Difference, DifferenceKind
    from callscore.core.call import Tool, ToolCall
    from callscore.core.case import Case, GroupKind
    from callscore.core.rules import comparators
    from callscore.core.score import Fault, FaultKind

    own = [
        each
        for each in vars(results).values()
        if getattr(each, "__module__", "") == results.__name__
    ]
    structs = [*own, Difference, Tool, ToolCall, Case, Fault]
    fields = [name for each in structs for name in getattr(each, "__struct_fields__", ())]
    constants = [
        word for name, word in vars(call).items() if name.isupper() and isinstance(word, str)
    ]
    fixed = [*get_args(DifferenceKind), *get_args(FaultKind), *get_args(GroupKind)]
    rules = [word for each in comparators() for word in (*each.keys, *each.options)]
    fixed += [*get_args(results.FailureKind), *get_args(results.Status)]
    return frozenset([*fields, *constants, *fixed, *rules, *_OTHER_WORDS])


_OTHER_WORDS = (
    *("accuracy", "precision", "recall", "tool_called", "tool_selection", "parameters_valid"),
    # JSON Schema.
    *("parameters", "properties", "required", "description", "additionalProperties", "multipleOf"),
    *("minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "prefixItems", "contains"),
    *(
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "minProperties",
        "maxProperties",
    ),
    *("patternProperties", "propertyNames", "dependentRequired", "dependentSchemas", "definitions"),
    *("unevaluatedProperties", "unevaluatedItems", "additionalItems", "minContains", "maxContains"),
    *("duplicate_keys", "double_encoded", "python_repr", "subagent", "python"),
    *("captured", "at_least", "at_most", "forbidden", "optional", "settings", "argument_accuracy"),
)

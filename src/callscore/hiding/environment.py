"""Which environment variables hold secrets, and the values to hide.

A variable holds a secret if its name has a secret word as a whole part, or a password at the end of one: `MY_TOKEN` and
`PGPASSWORD` do, `KEYBOARD_LAYOUT` does not.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache
from typing import Any

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
    return text.lstrip("$").replace("_", "").isalpha() and text in _OWN_WORDS


# The names and the fixed values in saved records, in reports and in JSON Schema.
_OWN_WORDS = """
$absent $any $approx $contains $date $gte $judge $lte $one_of $optional $regex $schema $subset
$text $type $unordered actual additionalItems additionalProperties answered any_order
argument_accuracy arguments asked at_least at_most attempts callers cases closeness
concatenated_json counts definitions dependentRequired dependentSchemas description details
document double_encoded duplicate_keys effect empty_files errors evaluations exclusiveMaximum
exclusiveMinimum exited fail_under failed failures faults first_wrong_turn forbidden formats
hides_calls ignore in_order index input_tokens inputs invalid_json invalid_value is_broken
is_interrupted is_reused is_stopped judged judges keyword kind listed loop malformed matcher
maxContains maximum maxItems maxLength maxProperties mean metadata metrics minContains minimum
minItems minLength minProperties missing_argument model multipleOf names nested_too_deeply
not_an_object not_captured not_run not_scorable not_scored not_shown note number only origin
others output_tokens parameters_valid pass_mark passed_trials path patternProperties place
positional precision prefixItems problem properties propertyNames python_repr questions raised
reason recall refused repeated requests required results retry_unchanged sample saved scorers
seconds settings similarity since skipped status step subagent summary tags timeout title
tool_called tool_selection tools truncated_json turns undecided unevaluatedItems
unevaluatedProperties unexpected uniqueItems unknown_argument unknown_tool unloaded unreadable
unscored usage values variant version warnings without_reference wrong_type
"""

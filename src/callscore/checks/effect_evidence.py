"""What descriptions and results say about the effects of tools: evidence to show, never to score by.

Words can be wrong, and others write them. So they decide nothing: they are shown and proposed, and
count once a person has written the proposal into the settings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import msgspec

from callscore.core.counted_calls import WRITE_VERBS

if TYPE_CHECKING:
    from callscore.core.call import Effect

# `certain` is declared, `high` was right in at least 95 % of the tools that we measured.
Confidence = Literal["certain", "high", "low"]


class Words(NamedTuple):
    """The words that tell an effect, and how clear they are."""

    effect: Effect
    words: str
    confidence: Confidence


_MAX_TEXT: Final = 4_000  # characters of a description; the effect is said early
_MAX_WORDS: Final = 40  # characters of the words to show

# --- descriptions --------------------------------------------------------------------------------

_READ_VERBS: Final = (
    *("browse", "check", "count", "describe", "fetch", "find", "get", "inspect", "list", "query"),
    *("read", "retrieve", "search", "show", "view"),
)


def _forms(verb: str) -> tuple[str, ...]:
    """A verb as descriptions begin with it: `create`, `creates`; `modify`, `modifies`."""
    if verb.endswith("y") and verb[-2] not in "aeo":
        return verb, f"{verb[:-1]}ies"
    return verb, f"{verb}es" if verb.endswith(("ch", "sh", "s")) else f"{verb}s"


_WRITING = {form for verb in WRITE_VERBS for form in _forms(verb)}
# `Return` may mean to send something back; `returns` tells what a tool answers.
_READING = {form for verb in _READ_VERBS for form in _forms(verb)} | {"returns"}
_ANY_WRITING = "|".join(sorted(_WRITING))
_READ_STATEMENTS: Final = re.compile(
    r"\bread[- ]only\b(?! (?:mode|field|propert|replica|token|user|flag))"
    r"|\b(?:does|do|will)(?: not|n't) (?:change|modify|alter|mutate)\b"
    r"|\bwithout (?:changing|modifying|altering) (?:anything|any|data|state)\b"
    r"|\bno side[- ]effects?\b|\bside[- ]effect[- ]free\b|\bmakes? no changes?\b"
    r"|\bchanges? nothing\b",
    re.IGNORECASE,
)
_WRITE_STATEMENTS: Final = re.compile(
    rf"\b(?:this|the) (?:tool|function|action|operation|call|endpoint) (?:{_ANY_WRITING})\b"
    r"|\b(?:permanently|irreversibly) \w+|\bcannot be undone\b"
    r"|\bdestructive (?:operation|action|tool)\b",
    re.IGNORECASE,
)
_NEGATED = re.compile(r"\b(?:not|never|isn't|non)[- ]+(?:\w+ )?$", re.IGNORECASE)
# What may stand before the verb: a mark such as `[Beta]`, `Use this tool to`, `Allows you to`.
_BEFORE_VERB = re.compile(
    r"(?:\[[^\]]{0,40}\]|\([^)]{0,40}\)|[^\w\[(]+|"
    r"(?:use|call) (?:this|it)(?: (?:tool|function))? to |(?:a |this )?(?:tool|function) (?:to |that |for )?|"
    r"(?:this )?(?:allows?|lets?) (?:you|users?|the (?:user|agent|model)) (?:to )?|used to )",
    re.IGNORECASE,
)
_WORD = re.compile(r"[a-z]+", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?](?:\s|$)|\n\s*\n|\n\s*[-*]")
_AND_WRITES = re.compile(
    rf"\b(?:and|or|then|also|optionally|,)\s+(?:{_ANY_WRITING})\b", re.IGNORECASE
)
_NOT_READING = re.compile(r"check(?:s)? (?:in|out)\b|reads? (?:and|or) write", re.IGNORECASE)


def described_effect(description: str | None) -> Words | None:
    """What a description says about the effect; None if it says nothing, or both."""
    text = (description or "")[:_MAX_TEXT]
    found = [*_statements(text), *_first_verb(text)]
    if len({words.effect for words in found}) != 1:
        return None
    return found[0]


def _statements(text: str) -> Iterator[Words]:
    """Whole statements, such as `read-only`, unless they are negated."""
    patterns: tuple[tuple[re.Pattern[str], Effect], ...] = (
        (_READ_STATEMENTS, "read"),
        (_WRITE_STATEMENTS, "write"),
    )
    for pattern, effect in patterns:
        for match in pattern.finditer(text):
            if _NEGATED.search(text[max(match.start() - _MAX_WORDS, 0) : match.start()]) is None:
                yield Words(effect, match[0][:_MAX_WORDS], "high")
                break


def _first_verb(text: str) -> Iterator[Words]:
    """The verb that a description begins with."""
    at = 0
    for _ in range(5):  # marks and phrases before the verb
        before = _BEFORE_VERB.match(text, at)
        at = at if before is None else before.end()
    word = _WORD.match(text, at)
    if word is None:
        return
    end = _SENTENCE_END.search(text, at)
    sentence = text[at : len(text) if end is None else end.start()]
    verb = word[0].lower()
    is_lookup = verb in ("look", "looks") and sentence[len(verb) :].startswith(" up")
    if verb in _WRITING:
        yield Words("write", word[0], "high")
    elif (verb in _READING and _NOT_READING.match(sentence) is None) or is_lookup:
        yield Words("read", word[0], "high")
        if _AND_WRITES.search(sentence) is not None:  # `Get or create a user`
            yield Words("write", word[0], "high")


# --- results -------------------------------------------------------------------------------------

_DONE_WORDS: Final = (
    *("added", "approved", "assigned", "booked", "cancelled", "canceled", "changed", "charged"),
    *("created", "deleted", "disabled", "enabled", "inserted", "modified", "moved", "placed"),
    *(
        "processed",
        "published",
        "refunded",
        "registered",
        "removed",
        "renamed",
        "replaced",
        "reset",
    ),
    *("resumed", "saved", "scheduled", "sent", "submitted", "suspended", "updated", "uploaded"),
)
_DONE = "|".join(_DONE_WORDS)
_MAX_RESULT: Final = 400  # characters; a record that was looked up is longer than a confirmation
_MAX_FIELDS: Final = 6  # likewise, of an object
# Participles that are also told of things that were only looked up: `roaming is enabled`.
_STATES: Final = frozenset(
    (
        *("approved", "assigned", "booked", "canceled", "cancelled", "disabled", "enabled"),
        *("published", "registered", "scheduled", "suspended"),
    )
)
_LASTING = "|".join([word for word in _DONE_WORDS if word not in _STATES])
_SWITCHED: Final = ("enabled", "disabled")  # `Roaming enabled` is the answer to a question
# When or by whom something was created is told of what was looked up.
_LOOKED_UP = r"(?!\s*(?:at|on|by|in|since|ago)\b|:\s*\d|\s*\d{4}-\d)"
_END = r"(?=\s*(?:[.!;]|$)|\s+with\b)"  # of the sentence
# A participle confirms a change if the sentence states it: the sentence begins or ends with it, or it
# follows `successfully`, `has been`, or, at the end, `was`. Before a noun it only describes, as in
# `the created orders`.
_CONFIRMATION: Final = re.compile(
    rf"^\W*(?:ok\b\W*|done\b\W*|success\b\W*)?(?:successfully )?(?P<first>{_DONE})\b{_LOOKED_UP}"
    rf"|\bsuccessfully (?P<after>{_DONE})\b|\b(?P<before>{_DONE}) successfully\b"
    rf"|\b(?:has|have) been (?:successfully )?(?P<passive>{_DONE})\b"
    rf"|(?<!\bthat )(?<!\bwhich )\b(?:was|were|is now|are now) (?P<past>{_DONE})\b{_END}"
    rf"|\b(?:is|are) (?P<present>{_LASTING})\b{_END}",
    re.IGNORECASE,
)
_ENDING: Final = re.compile(
    rf"(?:^|[.!;]\s+)(?P<subject>[^.!;:=\n]{{1,60}}?)\s(?P<last>{_DONE})\b{_END}", re.IGNORECASE
)
# Not the subject of a change: `status cancelled`, `last updated`, `to be approved`, `emails that were`.
_NO_SUBJECT = re.compile(
    r"\b(?:status|state|last|latest|date|recently|previously|newly|when|if|who|which|that|until|unless)\b"
    r"|\b(?:be|being|is|are|was|were|been|to|as|a|an|the|of|and|or|for|by|must|can|will|get|gets)$",
    re.IGNORECASE,
)
_NOTHING_DONE = re.compile(
    r"\b(?:no|not|nothing|none|never|cannot|can't|unable|fail(?:ed|ure)?|error|without|already)\b|n't\b"
    r"|\b0 ",
    re.IGNORECASE,
)
_OF_JSON: Final = ("{", "[")
_MESSAGE_FIELDS: Final = ("message", "result", "status", "detail", "info", "msg", "output", "text")


def result_change(result: Any) -> str | None:
    """The word in a result that confirms a change, such as `created`; None if it confirms none.

    Only short confirmations tell: in a record that was looked up, `cancelled` is its status.
    """
    if isinstance(result, str) and result[:1] not in _OF_JSON:
        return _confirmed(result)
    content = _decoded(result) if isinstance(result, str) else result
    if isinstance(content, list) and len(content) == 1:  # content blocks
        content = content[0]
    if not isinstance(content, dict) or len(content) > _MAX_FIELDS:
        return None
    return _confirmed_in(content)


def _decoded(text: str) -> Any:
    try:
        return msgspec.json.decode(text[: _MAX_RESULT + 1])
    except (ValueError, RecursionError):
        return None


def _confirmed_in(content: dict[Any, Any]) -> str | None:
    """The word that confirms a change in the message of an object, or as a flag of it."""
    for field, value in content.items():
        if value is True and isinstance(field, str) and field.lower() in _DONE_WORDS:
            return field.lower()
        if field in _MESSAGE_FIELDS and isinstance(value, str):
            word = _confirmed(value)
            if word is not None:
                return word
    return None


def _confirmed(text: str) -> str | None:
    if len(text) > _MAX_RESULT or _NOTHING_DONE.search(text) is not None:
        return None
    stated = _CONFIRMATION.search(text)
    if stated is not None:
        return str(next(filter(None, stated.groups()))).lower()
    for match in _ENDING.finditer(text):
        word = match["last"].lower()
        if _NO_SUBJECT.search(match["subject"]) is None and word not in _SWITCHED:
            return word
    return None

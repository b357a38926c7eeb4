"""Phrases the purpose of a tool, and the arguments of a call, as a person would say them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from callscore.datasets.scalars import split_words
from callscore.words.value_text import encode_json

if TYPE_CHECKING:
    from callscore.core.call import Tool

# --- the purpose: a request without "please", in the imperative -------------------------------


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Verbs at the beginning of a name or of a description.
_VERBS = _words(
    """
    accept activate add adjust align allocate allow analyse analyze answer append apply approve
    archive arrange ask assess assign attach authenticate authorize become begin block bookmark bring
    browse build buy calculate cancel capture categorize change check choose classify clean clear
    click clone close collect combine compare complete compose compress compute configure confirm
    connect consolidate construct contact convert copy correct create crop decode decrease decrypt
    deduct delete deliver deploy describe detect determine diagnose disable disconnect discover
    display divide do download draft drag draw duplicate edit eject email enable encode encrypt
    enhance enroll ensure enter erase escalate estimate evaluate examine execute expand explain
    explore export extract fetch fill find fit fix flip follow forecast forward gather generate get
    give go grant greet hide highlight honk identify implement import improve include increase index
    inform initialize initiate insert inspect install integrate invite invoke join keep launch learn
    leave let list listen load locate lock log login logout look lookup make manage mark maximize
    measure merge minimize modify monitor move multiply mute navigate normalize notify obtain
    open optimize organize pair parse pause pay perform pick ping place plot post predict prepare
    press preview print process produce provide publish pull purchase push put query raise read reboot
    receive recognize recommend reconnect redeem reduce refine refresh refuel refund register reject
    release remind remove rename render renew reorder repeat replace reply reschedule reseat reserve
    reset resize resolve respond restart restore resume retrieve retweet revert review rewrite rotate
    round run save say scan schedule scrape scroll search select sell send serve set show shuffle sign
    simplify simulate skip solve sort specify split start stop store stream submit subscribe subtract
    suggest summarize suspend swap switch sync synchronize take tell terminate think toggle track
    trade train transcode transcribe transfer transform translate trigger truncate turn type unfollow
    uninstall unlock unmute unsubscribe untag unzip update upgrade upload use validate verify view
    visit visualize wait warn watch withdraw write zip
    """
)
# Words that are verbs only before other words: `book_flight`, but `book`; `order_food`, but `order`.
_NOUNS_OR_VERBS = _words(
    """
    book call chat comment count date design exchange filter format fund group like map match mention message order
    plan play process queue quote rank rate record report request return ride sample score share ship
    stock tag test text tweet
    """
)
# Nouns as well: a description that begins with one needs a word after it that follows a verb.
_ALSO_NOUNS = _NOUNS_OR_VERBS | _words(
    """
    answer block change check click clone contact copy display do draft estimate export fit fix
    forecast forward go import index join list load lock log login logout look lookup mark measure
    move open pair pause place plot post press preview print purchase push query read release repeat
    reserve reset review run save scan schedule search set show sign split start stop store stream
    switch take track trade train transfer trigger turn type update upgrade upload use view visit
    watch zip
    """
)
_AFTER_VERBS = _words(
    """
    a about all an and another any as at based between both by each every existing for from if in
    information into multiple new of on one or out over several some specific that the their these
    this through to two up using whether which with your
    """
)
_SHORT_FORMS = {"calc": "calculate", "del": "delete", "exec": "execute", "gen": "generate"}
_SHORT_FORMS |= {"info": "information", "config": "configuration", "params": "parameters"}
# What a person says instead.
_SPOKEN_VERBS = {"return": "give me", "provide": "give me"}
_SPLIT_VERBS = {"lookup": "look up", "login": "log in", "logout": "log out"}
# Verbs at the end of a name: `order_cancel`, `web_search`.
_LAST_VERBS = (_VERBS - _ALSO_NOUNS) | {"query", "search", "lookup", "update", "upload", "reset"}
_MAX_NAME_WORDS = 7
_QUESTIONS = ("is", "has", "can", "should", "does", "are", "was")
_WITHOUT_ARTICLE = _AFTER_VERBS | {"me", "my", "it", "them", "not", "off", "down"}

_SENTENCE = re.compile(r"[.!?](?:\s|$)|\n|;|:(?:\s|$)")
_ASIDE = re.compile(r"\s*[(\[][^()\[\]]*[)\]]|,?\s+(?:e\.g\.|i\.e\.|for example|such as\b).*|`")
# What stands before the verb in many descriptions.
_PREAMBLE = re.compile(
    r"(?:(?:this|the|a|an)\s+)?(?:simple\s+|useful\s+)?(?:tool|function|method|api|endpoint|utility)?\s*"
    r"(?:(?:that|which)\s+)?(?:(?:is|can be|should be)\s+)?"
    r"(?:use\s+(?:this|the|it)(?:\s+(?:tool|function))?\s+(?:to|for|when you (?:need|want) to)\s+"
    r"|used\s+(?:to|for)\s+|useful\s+(?:to|for)\s+|(?:lets?|allows?|enables?|helps?)\s+"
    r"(?:you|users?|the user|the agent|the model|agents?|an agent)\s+(?:to\s+)?|to\s+)?",
    re.IGNORECASE,
)
_LATER_VERB = re.compile(r"(,|,? and|,? or|, then) ([a-z]+)(?= (?:a|an|the|its?|all|their|them)\b)")
_MAX_PURPOSE_LENGTH = 120
_END_MARKS = " ,.!?…;:"


def tool_purpose(tool: Tool) -> str:
    """The purpose of a tool, in words that follow "please": `get the weather of a city`."""
    words = _name_words(tool.name)
    return _described_purpose(tool.description or "", words[0]) or _named_purpose(tool.name, words)


def _name_words(name: str) -> list[str]:
    """The words of the last part of a name, such as `cancel_order` of `orders.cancel_order`."""
    words = split_words(re.split(r"[./]|::", name)[-1])
    return [_SHORT_FORMS.get(word, word) for word in words] or [""]


def _described_purpose(description: str, name_start: str) -> str:
    """The first sentence of a description, if it says what to do."""
    text = _SENTENCE.split(_ASIDE.sub("", description.strip()), maxsplit=1)[0]
    text = " ".join(text.split()).rstrip(_END_MARKS)
    text = text[_match_end(text) :]
    if text.isupper():
        text = text.lower()
    first, _, rest = text.partition(" ")
    verb = _base_form(first.lower())
    if not verb or not rest or len(text) > _MAX_PURPOSE_LENGTH or text.count('"') % 2:
        return ""
    second = rest.partition(" ")[0].lower()
    is_changed, is_name = verb != first.lower(), verb == name_start
    if verb in _ALSO_NOUNS and not is_changed and not is_name and second not in _AFTER_VERBS:
        return ""
    if second == "of" and (is_changed or verb in _ALSO_NOUNS):  # "booking of hotels"
        rest = rest.partition(" ")[2]
    elif is_changed or second in ("and", "or"):  # "creates or updates a list"
        rest = _with_base_forms(second, rest)
    if not rest:
        return ""
    spoken = verb if is_name else _SPOKEN_VERBS.get(verb, verb)
    return f"{_SPLIT_VERBS.get(spoken, spoken)} {rest}"


def _match_end(text: str) -> int:
    found = _PREAMBLE.match(text)
    return found.end() if found else 0


def _with_base_forms(second: str, rest: str) -> str:
    """The rest of a sentence, with the verbs in it as in a request: `updates` is `update`."""
    if second in ("and", "or", "and/or"):
        word, verb, *others = [*rest.split(" ", 2), ""]
        rest = " ".join([word, _base_form(verb) or verb, *others]).rstrip()
    return _LATER_VERB.sub(lambda found: f"{found[1]} {_base_form(found[2]) or found[2]}", rest)


def _base_form(word: str) -> str:
    """A verb as in a request: `searches` is `search`, `getting` is `get`; empty for other words."""
    known = _VERBS | _NOUNS_OR_VERBS
    forms = [word, word.removesuffix("s"), word.removesuffix("es")]
    if word.endswith("ies"):
        forms.append(f"{word[:-3]}y")
    if word.endswith("ing"):
        stem = word[:-3]
        forms += [stem, f"{stem}e", stem[:-1]]
    return next((form for form in forms if form in known), "")


def _named_purpose(name: str, words: list[str]) -> str:
    """The purpose that a name says: `cancel the order` of `cancel_order` or `order_cancel`."""
    first, *rest = words
    if not first or len(words) > _MAX_NAME_WORDS:
        return f"use the tool {name}"
    if first in _QUESTIONS and rest:
        return f"check whether it {' '.join(words)}"
    if rest and first not in _VERBS - _ALSO_NOUNS:
        first, *rest = _verb_first(words)
    if first in _VERBS or (first in _NOUNS_OR_VERBS and rest):
        article = ["the"] if rest and rest[0] not in _WITHOUT_ARTICLE else []
        return " ".join([_SPLIT_VERBS.get(first, first), *article, *rest])
    label = " ".join(words)
    return f"use the {label}" if words[-1] == "tool" else f"use the {label} tool"


def _verb_first(words: list[str]) -> list[str]:
    """The words of a name that has its verb at the end or in the middle: `account_get_balance`."""
    if words[-1] in _LAST_VERBS:
        return [words[-1], *words[:-1]]
    verbs = [at for at, word in enumerate(words) if word in _VERBS - _ALSO_NOUNS]
    return words[verbs[0] :] if verbs else words


# --- the arguments: a sentence for each, or one for several ------------------------------------

_PLAIN_TEXT = re.compile(r"[\w@#+/][\w@#+./:'-]*(?: [\w@#+/][\w@#+./:'-]*){0,2}")
_NOT_SUBJECTS = _VERBS - _ALSO_NOUNS | set(_QUESTIONS) | {"max", "min", "num", "to", "from", "by"}


def arguments_text(arguments: Mapping[str, Any]) -> str:
    """The arguments of a call in sentences: `The city is Tokyo and the days are 3.`, for example.

    Empty lists and objects are left out: people do not mention them.
    """
    clauses: list[str] = []
    entries: list[str] = []
    for name, value in arguments.items():
        if value in ([], {}):
            continue
        words = split_words(name)
        label = " ".join(words) or name
        is_subject = bool(words) and words[0] not in _NOT_SUBJECTS
        if is_subject and _is_said(value):
            verb = "are" if _is_plural(label) else "is"
            clauses.append(f"the {label} {verb} {_value_text(value)}")
        else:
            entries.append(f"{label}: {_value_text(value)}")
    return " ".join(map(_sentence, [*([_joined(clauses)] if clauses else []), *entries]))


def _is_said(value: Any) -> bool:
    """Whether a value is a text, a number or some of these, which follow "is"."""
    values = value if isinstance(value, list) and value else [value]
    return all(
        isinstance(each, str | int | float) and not isinstance(each, bool) for each in values
    )


def _is_plural(label: str) -> bool:
    return label.endswith("s") and not label.endswith(("ss", "us", "is", "news"))


def _sentence(text: str) -> str:
    is_ended = text.endswith(('."', '!"', '?"'))
    return f"{text[:1].upper()}{text[1:]}{'' if is_ended else '.'}"


def _joined(parts: list[str]) -> str:
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last


def _value_text(value: Any) -> str:
    """A value as people write it, or as JSON if that would be ambiguous."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        is_plain = _PLAIN_TEXT.fullmatch(value) is not None and not value.endswith((".", ":"))
        return value if is_plain else encode_json(value).decode()
    if isinstance(value, list) and value and _is_said(value):
        return _joined([_value_text(each) for each in value])
    return encode_json(value).decode()

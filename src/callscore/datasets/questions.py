"""Plain questions for calls: every value that a call needs is said in so many words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from callscore.core.plain import encode_json
from callscore.datasets.vocabulary import words_in

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from random import Random

    from callscore.core.call import ToolCall
    from callscore.core.tool import Tool

__all__ = ["ask_for", "ask_for_nothing", "ask_in_order", "ask_without", "purpose_of"]

_REQUESTS = (
    "Please {purpose}{details}.",
    "Could you {purpose}{details}?",
    "I would like you to {purpose}{details}.",
    "Can you {purpose}{details}, please?",
    "I need you to {purpose}{details}.",
    "{Purpose}{details}, please.",
)
_SMALL_TALK = (
    "Hi!",
    "Good morning!",
    "Thank you, that is all for today.",
    "Thanks, that helped a lot.",
    "How are you?",
    "Who are you?",
    "What can you do?",
    "Sorry, wrong window. Never mind.",
    "Wait a moment, I have to find my notes first.",
    "That was funny.",
    "I will come back to you tomorrow.",
    "Let me think about it.",
    "Please answer in short sentences from now on.",
    "Could you repeat your last sentence in other words?",
    "Why is the sky blue?",
    "Tell me a short riddle.",
    "What does the word 'serendipity' mean?",
    "Write two lines about autumn.",
    "Which is larger, a whale or an elephant?",
    "Ok.",
)
_ABOUT = (
    "Do not do anything yet. What would you need to know to {purpose}?",
    "Without doing it: are you able to {purpose}?",
    "I may ask you later to {purpose}, but not now. Just say that you have understood.",
    "In one sentence, when should somebody {purpose}?",
)
_SENTENCE = re.compile(r"[.!?](?:\s|$)|\n")
_LONGEST = 120
# Words with which a description begins that does not say what to do.
_NOT_VERBS = frozenset(
    ("a", "an", "the", "this", "these", "tool", "use", "used", "function", "for")
)
_SIMPLE = re.compile(r"[^\s,;:\"'()\[\]{}][^,;:\"()\[\]{}\n]*")


def purpose_of(tool: Tool) -> str:
    """What a tool is for, as words that follow "please": `get the weather of a city`."""
    text = " ".join(_SENTENCE.split((tool.description or "").strip(), maxsplit=1)[0].split())
    first, _, rest = text.partition(" ")
    if not first.isalpha() or first.lower() in _NOT_VERBS or len(text) > _LONGEST:
        return " ".join(words_in(tool.name)) or tool.name
    return f"{_verb(first.lower())} {rest}".strip()


def _verb(word: str) -> str:
    """A verb as it is in a request: `gets` and `searches` are `get` and `search`."""
    if word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def ask_for(calls: Sequence[ToolCall], tools: Mapping[str, Tool], rng: Random) -> str:
    """What somebody may say who wants these calls to be made, in any order."""
    first, *others = (_request(call, tools[call.name], rng) for call in calls)
    return " ".join([first, *(f"Also: {_lowered(text)}" for text in others)])


def ask_in_order(calls: Sequence[ToolCall], tools: Mapping[str, Tool], rng: Random) -> str:
    """What somebody may say who wants these calls to be made one after the other."""
    first, *others = (_request(call, tools[call.name], rng) for call in calls)
    return " ".join([f"First: {_lowered(first)}", *(f"Then: {_lowered(text)}" for text in others)])


def ask_without(question: str, tool: Tool) -> str:
    """The same question, and what must not be done."""
    return f"{question} You must not {purpose_of(tool)}.".strip()


def ask_for_nothing(tools: Sequence[Tool], rng: Random) -> str:
    """What somebody may say for which no tool is needed; a part of it sounds as if one were."""
    about = [(text, tool) for text in _ABOUT for tool in tools]
    if about and rng.random() < 0.5:  # noqa: PLR2004  (one half)
        text, tool = rng.choice(about)
        return text.format(purpose=purpose_of(tool))
    return rng.choice(_SMALL_TALK)


def _request(call: ToolCall, tool: Tool, rng: Random) -> str:
    purpose = purpose_of(tool)
    arguments = call.arguments or {}
    listed = ", ".join(f"{_label(name)}: {_shown(value)}" for name, value in arguments.items())
    details = f" ({listed})" if listed else ""
    template = rng.choice(_REQUESTS)
    capital = purpose[:1].upper() + purpose[1:]
    return template.format(purpose=purpose, Purpose=capital, details=details)


def _lowered(text: str) -> str:
    is_acronym = text[1:2].isupper() or text[:2] == "I "
    return text if is_acronym else text[:1].lower() + text[1:]


def _label(name: str) -> str:
    return " ".join(words_in(name)) or name


def _shown(value: Any) -> str:
    """A value as people write it, and as JSON where that would leave a doubt."""
    if isinstance(value, str) and _SIMPLE.fullmatch(value):
        return value
    return encode_json(value).decode()

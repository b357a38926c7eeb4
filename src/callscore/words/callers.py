"""Who makes a call, in words: said only where it is not the agent."""

from __future__ import annotations

from callscore.core.call import AGENT, ToolCall
from callscore.core.phrases import Language, Phrase, say
from callscore.core.rendering import clip, escape

_LONGEST_NAME = 20
_SPACE = "  "
# Beside a call. A trace may name other callers, too.
_BY = {
    "user": Phrase("by user", "от пользователя"),
    "subagent": Phrase("by subagent", "от субагента"),
    "code": Phrase("by code", "от кода"),
}
_BY_ANOTHER = Phrase("by {caller}", "от {caller}")
_MADE_BY = {
    AGENT: Phrase("the agent", "агентом"),
    "user": Phrase("the user", "пользователем"),
    "subagent": Phrase("a subagent", "субагентом"),
    "code": Phrase("code", "кодом"),
}
_EXPECTED_OF = {
    AGENT: Phrase("the agent", "агента"),
    "user": Phrase("the user", "пользователя"),
    "subagent": Phrase("a subagent", "субагента"),
    "code": Phrase("code", "кода"),
}
_OTHER_CALLER = Phrase(
    "made by {made}, expected of {expected}", "сделан {made}, ожидался от {expected}"
)


def caller_suffix(call: ToolCall, lang: Language) -> str:
    """What follows a call that the agent does not make: two spaces and its caller; else nothing."""
    caller = call.caller
    if caller is None or caller == AGENT:
        return ""
    phrase = _BY.get(caller, _BY_ANOTHER)
    return _SPACE + say(phrase, lang, caller=_name(caller))


def other_caller_text(made: ToolCall, expected: ToolCall, lang: Language) -> str:
    """That a call was made by another than who should have made it."""
    by, of = made.caller or AGENT, expected.caller or AGENT
    return say(
        _OTHER_CALLER,
        lang,
        made=say(_MADE_BY[by], lang) if by in _MADE_BY else _name(by),
        expected=say(_EXPECTED_OF[of], lang) if of in _EXPECTED_OF else _name(of),
    )


def _name(caller: str) -> str:
    return clip(escape(caller[: _LONGEST_NAME + 1]), _LONGEST_NAME)

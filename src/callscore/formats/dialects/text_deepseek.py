"""DeepSeek text (V3, R1, V3.1, V3.2 DSML and later)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from callscore.core.call import TRUNCATED, Malformed, Tool, excerpt
from callscore.formats.families.model_text import make_markup, read_marked, typed_value
from callscore.formats.shape import json_of
from callscore.formats.signs import TEXT_SIGNS

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace
    from callscore.formats.transcript import Transcript

ORDER = 110
_BAR = "\uff5c"
_CALL, _DSML = f"<{_BAR}tool▁call▁begin{_BAR}>", f"<{_BAR}DSML{_BAR}invoke"
EXAMPLE = (
    f"<{_BAR}tool▁calls▁begin{_BAR}>{_CALL}get_weather<{_BAR}tool▁sep{_BAR}>"
    f'{{"city": "Paris"}}<{_BAR}tool▁call▁end{_BAR}><{_BAR}tool▁calls▁end{_BAR}>'
)
_PARAMETER = re.compile(
    rf'<{_BAR}DSML{_BAR}parameter\s+name="([^"]*)"(?:\s+string="(\w+)")?\s*>(.*?)'
    rf"(?:</{_BAR}DSML{_BAR}parameter>|\Z)",
    re.DOTALL,
)
_FENCE = re.compile(r"```(?:json)?\s*(.*?)\s*(?:```)?\s*", re.DOTALL)
SIGNS = TEXT_SIGNS


def recognizes(document: Any) -> bool:
    """Whether it is text with a call in DeepSeek's tokens."""
    return isinstance(document, str) and (_CALL in document or _DSML in document)


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: the calls in the text, with the tools' outputs, if it has them."""
    return read_marked(document, options, _MARKUP)


def _take(match: re.Match[str], transcript: Transcript, tools: Mapping[str, Tool]) -> None:
    if match["dsml"] is not None:
        _take_dsml(match, transcript, tools)
        return
    head, body = match["head"].strip(), (match["body"] or "").strip()
    if body and body[0] not in "{`":  # V3 says that it is a function, and then which
        head, _, body = (part.strip() for part in body.partition("\n"))
    fenced = _FENCE.fullmatch(body)
    arguments = fenced[1] if fenced else body
    is_cut = not arguments and not match["end"]
    transcript.call(head, Malformed("", TRUNCATED) if is_cut else arguments)


def _take_dsml(match: re.Match[str], transcript: Transcript, tools: Mapping[str, Tool]) -> None:
    name, body = match["dsml"], match["parameters"]
    tool = tools.get(name)
    arguments: Any = {}
    for parameter, is_text, text in _PARAMETER.findall(body):
        if is_text:
            arguments[parameter] = text if is_text == "true" else json_of(text)
        else:
            arguments[parameter] = typed_value(text, tool and tool.parameters, parameter)
    if not match["dsml_end"]:
        arguments = Malformed(excerpt(body.strip()), TRUNCATED)
    elif body.lstrip().startswith("{"):  # as JSON, all at once
        arguments = body
    transcript.call(name, arguments)


_MARKUP = make_markup(
    rf"{_CALL}(?P<head>.*?)(?:<{_BAR}tool▁sep{_BAR}>(?P<body>.*?))?"
    rf"(?P<end><{_BAR}tool▁calls?▁end{_BAR}>|(?={_CALL})|\Z)"
    rf'|{_DSML}\s+name="(?P<dsml>[^"]*)"\s*>(?P<parameters>.*?)'
    rf"(?:(?P<dsml_end></{_BAR}DSML{_BAR}invoke>)|(?={_DSML})|\Z)",
    _take,
    result=rf"<{_BAR}tool▁output▁begin{_BAR}>(?P<result>.*?)(?:<{_BAR}tool▁output▁end{_BAR}>|\Z)",
)

"""What Python prints and notebooks show of scores, results, runs and comparisons."""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING, Any

from rich.console import Console
from tests.snapshots.opened_html import json_text
from tests.snapshots.recording import VALUES
from tests.snapshots.recording import visible as visible_text

import callscore
from callscore import Case, evaluation, expect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from callscore import Result

__all__ = ["recorded"]

_FILES = ("cases.jsonl", "rules.jsonl", "conversations.jsonl", "hostile.jsonl")


def recorded() -> Iterator[tuple[str, str]]:
    """The name of each file, and its text."""
    os.chdir(VALUES)
    scored = callscore.score_files(_FILES)
    cases = callscore.score_files(_FILES[2:], show="all", max_shown=None).cases
    for name, shown in _SCORES.items():
        yield f"python/score.{name}", visible(_sections(cases, shown))
    compared = callscore.compare("before.jsonl", "after.jsonl")
    advice = callscore.advise("labelled.jsonl")
    for name, value in {"results": scored, "comparison": compared, "advice": advice}.items():
        yield f"python/{name}.str.txt", visible(f"{value!r}\n\n{value}\n")
    ran = callscore.evaluate(_answer, save=False)
    yield "python/run.str.txt", visible(f"{ran!r}\n\n{ran}\n")
    nothing = callscore.score_files("effects.jsonl")
    pages: dict[str, Any] = {
        "results": scored,
        "comparison": compared,
        "run": ran,
        "nothing": nothing,
    }
    for name, value in pages.items():
        yield f"python/{name}.html.txt", visible(_markup(value._repr_html_()))
    yield "python/run.json", visible(json_text(ran.to_dict()))
    [first, *_] = [case.required_score for case in cases if not case.required_score.passed]
    yield "python/camel.json", visible(json_text(first.to_dict(style="camel")))


def visible(text: str) -> str:
    """The text as it is kept, without the path of this module."""
    return visible_text(text.replace(str(VALUES.parent), "<folder>"))


def _sections(cases: Iterable[Result], shown: Callable[[Any], str]) -> str:
    return "".join(f"=== {case.label}\n{shown(case.required_score)}\n" for case in cases)


def _printed(width: int) -> Callable[[Any], str]:
    def printed(value: object) -> str:
        console = Console(
            file=io.StringIO(), width=width, force_terminal=True, color_system="standard"
        )
        with console.capture() as capture:
            console.print(value)
        return capture.get()

    return printed


def _markup(text: str) -> str:
    """Markup with a line for each element that has one in a browser."""
    for tag in ("<tr", "<p", "<table", "<details", "<div"):
        text = text.replace(tag, f"\n{tag}")
    return text


_SCORES: dict[str, Callable[[Any], str]] = {
    "repr.txt": lambda score: f"{score!r}\n{score.summary}",
    "en.explain.txt": lambda score: str(score.explain()),
    "ru.explain.txt": lambda score: str(score.explain(lang="ru")),
    "60.rich.txt": _printed(60),
    "120.rich.txt": _printed(120),
    "json": lambda score: json_text(score.to_dict()),
    "html.txt": lambda score: _markup(score._repr_html_()),
}


@evaluation(
    cases=[
        Case("one", id="one", expected=[expect.call("f", a=1)]),
        Case("two", id="two", expected=["g"]),
        Case("three", id="three", expected=["g"]),
    ],
    name="python",
    fail_under=0.9,
)
def _answer(case: Case) -> list[Any]:
    if case.id == "three":
        raise ValueError(case.id)
    return [("f", {"a": 1})] if case.id == "one" else ["h", "g\x1b[31m"]

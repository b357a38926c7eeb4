"""An agent that fails at times: what each case does is its input, a word per attempt or trial."""

from pathlib import Path
from typing import Any

from callscore import Case, evaluation

WORDS = {
    "good": "ok",
    "bad": "no",
    "shaky": "ok no ok",
    "late": "busy busy ok",
    "down": "busy busy busy busy",
    "broken": "bug",
}


class Busy(Exception):
    status_code = 503


def expected() -> list[Any]:
    return [{"name": "f", "arguments": {}}]


@evaluation(cases=[Case(words, id=name, expected=expected()) for name, words in WORDS.items()])
def agent(case: Case) -> list[Any]:
    log = Path("asked.log")
    asked = log.read_text().split() if log.exists() else []
    log.write_text(" ".join([*asked, case.id]))
    words = case.input.split()
    word = words[asked.count(case.id) % len(words)]
    if word == "busy":
        raise Busy("try again")
    if word == "bug":
        raise ValueError("no such city")
    return expected() if word == "ok" else []

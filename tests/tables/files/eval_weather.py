"""An agent whose mistakes are in a file: what it answers in place of the city, or what it raises."""

from pathlib import Path
from typing import Any

import msgspec

from callscore import Case, evaluation


def expected(city: str) -> list[Any]:
    return [{"name": "get_weather", "arguments": {"city": city}}]


CASES = [
    Case("Is it cold in Oslo?", id="oslo", expected=expected("oslo"), tags=["north"]),
    Case("Is it hot in Rome?", id="rome", expected=expected("rome"), tags=["south", "warm"]),
    Case("And in Lima?", id="lima", expected=expected("lima"), tags=["south"]),
    Case("Hi!", id="hi", expected=[]),
]


@evaluation(cases=CASES)
def weather(case: Case) -> list[Any]:
    with Path("asked.log").open("a") as log:
        log.write(f"{case.id}\n")
    mistakes = Path("mistakes.json")
    city = msgspec.json.decode(mistakes.read_bytes()).get(case.id) if mistakes.exists() else None
    if city == "raise":
        raise RuntimeError("the model is down")
    if city is None:
        return [] if case.id == "hi" else expected(case.id)
    return expected(city)

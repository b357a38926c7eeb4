from __future__ import annotations

import msgspec

from callscore.core.export import case_to_dict
from callscore.core.model import Score, ToolCall
from callscore.core.results import CaseScore
from callscore.core.scoring import score_calls
from callscore.core.settings import Settings
from callscore.reports.jsonl import case_line


def test_a_case_is_one_line(failing: Score) -> None:
    case = CaseScore(id="two\nlines", trial=1, score=failing)

    line = case_line(case)

    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert msgspec.json.decode(line) == case_to_dict(case)


def test_the_sentences_can_be_had_in_russian(failing: Score) -> None:
    line = case_line(CaseScore(id="a", score=failing), lang="ru")

    assert msgspec.json.decode(line)["rating"] == "Плохо"


def test_integers_beyond_64_bits_keep_all_their_digits() -> None:
    score = score_calls((), (ToolCall("f", {"n": 10**30}),), Settings())

    assert b'"n":1000000000000000000000000000000}' in case_line(CaseScore(id="a", score=score))

"""What is said of one case of a run."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from tests.reports.saved_cases import (
    AS_KEPT,
    ATTACKED,
    COMPARISON,
    FAILED,
    REPEATED,
    SILENT,
    a_trial,
)

from callscore import score
from callscore.core.call import ToolCall
from callscore.core.rendering import display_width
from callscore.core.results import Answer, SavedScore
from callscore.reports.case import (
    cost_text,
    full_call_lines,
    lines_width,
    outcome_text,
    stored_call_lines,
    text_lines,
    trials_passed_text,
    wrapped_calls,
    write_json,
    write_markdown,
)
from callscore.words.diff_rows import plain_text


def test_what_became_of_a_trial_is_said_in_a_word() -> None:
    assert outcome_text(a_trial(passed=True), "en") == ("passed", "green")
    assert outcome_text(a_trial(passed=False), "en") == ("failed", "red")
    assert outcome_text(a_trial(passed=None), "en") == ("no score", "dim")
    assert outcome_text(a_trial(failure=("exited", "")), "en") == ("error: exited", "red")


def test_trials_are_counted_where_there_are_several() -> None:
    assert trials_passed_text(FAILED, "en") == ""
    assert trials_passed_text(REPEATED, "en") == "1 of 3 trials passed"


def test_what_cost_nothing_is_not_mentioned() -> None:
    assert cost_text(a_trial(), "en") == ""
    assert cost_text(FAILED.trials[0], "ru") == (
        "1.2 с, 2 запуска, 3 запроса, токены: 1\N{NO-BREAK SPACE}204 на входе, 33 на выходе"
    )


@pytest.mark.parametrize(
    ("value", "lines"),
    [
        ("one\ntwo", ["one", "two"]),
        ("", [""]),
        ([{"role": "user", "content": "Hi\nyou"}], ["user: Hi", "you"]),
        ([{"role": "user", "content": ["Hi"]}], None),
        ({"city": "Paris"}, ["{", '  "city": "Paris"', "}"]),
        (7, ["7"]),
        ("\x1b[31m", ["\\u001b[31m"]),
    ],
)
def test_what_was_asked_is_shown_as_people_read_it(value: object, lines: list[str] | None) -> None:
    found = text_lines(value, 80)

    assert found == lines if lines is not None else found[0] == "["


def test_long_lines_are_broken_at_blanks_and_none_is_too_wide() -> None:
    lines = text_lines("word " * 30 + "x" * 50 + "城市" * 20, 40)

    assert max(display_width(line) for line in lines) <= 40
    assert lines[0] == "word word word word word word word word"
    assert "".join(lines).count("x") == 50
    assert "".join(lines).count("城市") == 20


def test_a_very_long_text_is_shown_to_its_end() -> None:
    assert text_lines("\n".join(map(str, range(100))), 80) == [*map(str, range(100))]


def test_a_trial_that_was_reused_says_so() -> None:
    reused = a_trial(answer=Answer(seconds=1.0, is_reused=True))

    assert cost_text(reused, "en").endswith(", reused")


# Calls as they are, however long.

LONG = ToolCall("write", {"text": "word " * 60})


def test_calls_that_columns_have_room_for_are_not_repeated() -> None:
    assert full_call_lines(score(expected=["f"], actual=["g"]), width=40, lang="en") == []


def test_both_sides_are_shown_to_their_end() -> None:
    found = score(expected=["f"], actual=[LONG])

    lines = full_call_lines(found, width=40, lang="ru")

    assert lines[0] == "Ожидаемые вызовы полностью"
    assert "Фактические вызовы полностью" in lines
    assert " ".join(line.strip() for line in lines).count("word") == 60
    assert max(map(display_width, lines)) <= 40
    alone = full_call_lines(score(expected=[], actual=[LONG]), width=40, lang="en")
    assert alone[0] == "Actual, in full"


def test_hostile_calls_are_harmless() -> None:
    assert wrapped_calls([ToolCall("\x1b[31m", {"a": "\x00"})], 80) == [
        '  \\u001b[31m(a="\\u0000")'
    ]


def test_nothing_has_no_width() -> None:
    assert lines_width([]) == 0
    assert lines_width([(("城", ""), ("a", ""))]) == 3


# One case of a run, for programs.


def test_a_case_is_an_object_with_all_that_was_kept() -> None:
    (case,) = msgspec.json.decode(write_json([FAILED]))

    (trial,) = case.pop("trials")
    assert case == {
        "run": "20261115-184354-k3f9",
        "evaluation": "assistant",
        "place": "evals/eval_assistant.py",
        "id": "weather",
        "tags": ["smoke", "short"],
        "input": "What is the weather in Paris?",
        "expected": [{"name": "getWeather", "arguments": {"location": "Paris"}}],
        "metadata": None,
    }
    assert list(trial) == [
        *("trial", "status", "passed", "f1", "values", "calls", "score", "comparison", "answer"),
        *("failure", "seconds", "usage", "attempts", "is_reused"),
    ]
    assert trial["score"]["incorrect"][0]["differences"][0]["path"] == "$.location"
    assert trial["usage"] == {"requests": 3, "input_tokens": 1204, "output_tokens": 33}


def test_a_trial_without_an_answer_says_why() -> None:
    (case,) = msgspec.json.decode(write_json([REPEATED]))

    assert case["trials"][1]["failure"] == {
        "kind": "timeout",
        "problem": "no answer within 60 seconds",
    }
    assert case["trials"][0]["failure"] is None


def test_what_cannot_be_scored_is_there_as_it_was_kept() -> None:
    (case,) = msgspec.json.decode(write_json([AS_KEPT]))

    assert case["trials"][0]["score"] is None
    assert case["trials"][0]["comparison"] == COMPARISON


def test_hostile_texts_stay_text() -> None:
    (case,) = msgspec.json.decode(write_json([ATTACKED]))

    assert case["id"] == ATTACKED.id


# Pairs and differences as a run has kept them.

TRIAL = AS_KEPT.trials[0]


def lines_of(comparison: Any, expected: list[Any] | None = None) -> list[str]:
    trial = replace(TRIAL, saved=SavedScore(comparison=comparison))
    lines = [*stored_call_lines(trial, expected, width=60, lang="en")]
    return plain_text(lines).splitlines()


def test_every_call_has_its_mark() -> None:
    assert [line[0] for line in lines_of(COMPARISON, AS_KEPT.expected)] == [*"~  =-+!"]


def test_calls_that_the_comparison_tells_itself_are_taken() -> None:
    told = {
        "pairs": [[0, 0, True]],
        "missed": [1],
        "expected": [{"name": "a"}, {"name": "b", "arguments": {"x": 1}}],
        "actual": [{"name": "a", "arguments": {}}],
    }

    assert lines_of(told) == ["= a()", "- b(x=1)"]


@pytest.mark.parametrize(
    ("item", "text"),
    [
        ({"name": "b"}, "- b(any arguments)"),
        ({"any_order": [{"name": "b"}]}, '- {"any_order": [{"name": "b"}]}'),
        ("b", '- "b"'),
    ],
)
def test_what_is_expected_is_shown_as_it_is_spelled(item: Any, text: str) -> None:
    assert lines_of({"missed": [0]}, [item]) == [text]


def test_positions_that_lead_nowhere_are_no_error() -> None:
    nowhere = {"pairs": [[0, 9, True]], "missed": [7, -1], "extra": [8]}

    assert lines_of(nowhere) == ["= ?", "- ?", "- ?", "+ ?"]


@pytest.mark.parametrize("comparison", [None, {}, {"pairs": 7}, {"differences": [1]}])
def test_what_nobody_can_read_has_no_lines(comparison: Any) -> None:
    assert lines_of(comparison) == []


# One case of a run, for an issue or a pull request.

FAILED_REPORT = """\
## `weather`: failed

`assistant`\x20\x20
run `20261115-184354-k3f9`\x20\x20
tags: `smoke`, `short`\x20\x20
1.2 s, 2 attempts, 3 requests, 1,204 tokens in, 33 out

### Input

```text
What is the weather in Paris?
```

`accuracy` 0.000, `polite` 1.000

- `polite`: `it says please`

```diff
  Expected              Actual
~ getWeather            getWeather
  ~ location: "Paris"     location: "Lyon"
+                       log()
```
"""


def test_a_case_is_a_headline_the_input_and_a_diff() -> None:
    assert write_markdown([FAILED]) == FAILED_REPORT


def test_every_trial_has_a_headline() -> None:
    report = write_markdown([REPEATED])

    assert report.startswith("## `weather`: 1 of 3 trials passed\n")
    assert "### Trial 2: error: timeout\n\n```text\nno answer within 60 seconds\n```" in report


def test_what_was_kept_stands_where_nothing_can_be_scored() -> None:
    assert "```diff\n~ getWeather(location=" in write_markdown([AS_KEPT])
    assert "```diff\nNo calls.\n```" in write_markdown([SILENT])


def test_hostile_texts_leave_no_fence() -> None:
    report = write_markdown([ATTACKED])

    assert "\x1b" not in report
    assert report.count("\n````") % 2 == 0
    assert "\n</details>" in report.partition("````text")[2].partition("\n````\n")[0]

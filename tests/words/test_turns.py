"""How turns of the user, the state at the end and free calls are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore import ToolCall, expect, score
from callscore.core.rendering import display_width
from callscore.words.diff import call_lines, calls_text, score_text
from callscore.words.diff_rows import plain_text
from callscore.words.explanation import explain
from callscore.words.turns import call_blocks, first_wrong_text, has_blocks, joined_note
from callscore.words.value_text import summary_line

if TYPE_CHECKING:
    from callscore.core.phrases import Language
    from callscore.core.score import Score


def call(name: str, turn: int | None = None, **arguments: Any) -> ToolCall:
    return ToolCall(name, arguments, turn=turn)


def state(**fields: Any) -> ToolCall:
    return ToolCall("end_state", fields, kind="state")


EXPECTED = [
    expect.turn(call("login", user="ann"), call("look")),
    expect.turn(call("move", file="a", to="/home"), call("copy", n=2)),
    expect.turn(),
]
ACTUAL = [
    call("login", 0, user="ann"),
    call("look", 0),
    call("think", 1),
    call("move", 1, file="a", to="/root"),
    call("stop", 1),
]
WRONG = score(EXPECTED, ACTUAL)
JOINED = score(EXPECTED, [call("login", user="ann"), call("look")])
FORBIDDEN = score(
    [expect.turn(call("a")), expect.turn(call("b")), expect.forbid("drop*")],
    [call("a", 0), call("b", 1), call("drop_all", 1)],
)


def test_calls_are_shown_turn_by_turn_and_extra_calls_in_their_turn() -> None:
    assert score_text(WRONG) == (
        "Score 44.4%   Precision 40.0%   Recall 50.0%   Poor   first wrong turn 2 of 3\n"
        "\n"
        "  Expected            Actual\n"
        "Turn 1\n"
        '= login(user="ann")   login(user="ann")\n'
        "= look()              look()\n"
        "Turn 2   0.0%\n"
        "+                     think()\n"
        "~ move                move\n"
        '  ~ to: "/home"         to: "/root"\n'
        "    … 1 equal argument\n"
        "- copy(n=2)\n"
        "+                     stop()\n"
        "Turn 3   no calls"
    )


@pytest.mark.parametrize("lang", ["en", "ru"])
@pytest.mark.parametrize("scored", [WRONG, JOINED, FORBIDDEN])
def test_on_a_narrow_terminal_no_line_is_longer(scored: Score, lang: Language) -> None:
    lines = plain_text(call_lines(scored, width=40, lang=lang)).split("\n")

    assert max(map(display_width, lines)) <= 40
    assert "\n".join(lines) == calls_text(scored, width=40, lang=lang)


def test_a_turn_that_passes_is_quiet_and_another_is_not() -> None:
    styles = {
        line[0][0]: [style for _, style in line]
        for line in call_lines(FORBIDDEN)
        if "Turn" in line[0][0]
    }

    assert styles == {"Turn 1": ["muted"], "Turn 2": ["changed", "", "forbidden"]}
    assert "Turn 2   0.0%   1 forbidden call" in calls_text(FORBIDDEN)


def test_a_turn_that_passes_below_1_says_its_score() -> None:
    lenient = score(EXPECTED[:2], ACTUAL[:2], pass_mark=0.0)

    assert "Turn 1\n" in calls_text(lenient)
    assert "Turn 2   0.0%\n" in calls_text(lenient)
    assert first_wrong_text(lenient, "en") == ""


def test_a_call_made_in_another_turn_is_explained_on_both_sides() -> None:
    scored = score([expect.turn(call("a")), expect.turn(call("b"))], [call("b", 0), call("a", 1)])

    assert calls_text(scored).count("called, but in another turn") == 2
    text = explain(scored)
    assert "expected 1 a: missed, called in another turn" in text
    assert "actual 1 b: extra, expected in another turn" in text


def test_in_order_within_a_turn_a_call_out_of_order_is_not_one_of_another_turn() -> None:
    expected = [expect.turn(call("a"), call("b")), expect.turn()]
    scored = score(expected, [call("b", 0), call("a", 0)], order="in_turns")

    assert "called, but not in this order" in calls_text(scored)
    assert "another turn" not in calls_text(scored)


def test_turns_that_a_trace_does_not_tell_apart_are_never_silent() -> None:
    note = "The trace does not say where a turn begins: the turns were compared as one."

    assert joined_note(JOINED, "en") == note
    assert note in calls_text(JOINED).replace("\n  ", " ")
    assert note in explain(JOINED)
    assert summary_line(JOINED).endswith(" | Turns compared as one")
    assert "Turn 1" not in calls_text(JOINED)
    assert joined_note(WRONG, "en") is joined_note(score(["a"], ["a"]), "en") is None


def test_without_any_call_the_turns_are_known() -> None:
    scored = score(EXPECTED, [])

    assert (scored.first_wrong_turn, joined_note(scored, "en")) == (1, None)


@pytest.mark.parametrize(
    ("actual", "block"),
    [
        ([state(n=1, to="Oslo")], "End state   as expected"),
        ([state(n=2, to="Oslo")], "End state   differs\n  ~ n: 1       n: 2\n    … 1 equal value"),
        ([], "End state   the run has none"),
    ],
)
def test_the_state_at_the_end_is_a_block_of_its_own(actual: list[ToolCall], block: str) -> None:
    scored = score([call("a"), state(n=1, to="Oslo")], [call("a"), *actual])

    assert calls_text(scored) == f"  Expected   Actual\n= a()        a()\n{block}"
    assert plain_text(call_lines(scored)) == calls_text(scored)
    assert "end_state" not in calls_text(scored)


def test_a_state_that_a_rule_accepts_shows_what_differs() -> None:
    scored = score(
        [state(n=1, m=1)], [state(n=1, m=2)], mode="flexible", argument_match_threshold=0.5
    )

    assert "End state   accepted\n  ~ m: 1" in calls_text(scored)


def test_the_state_comes_after_all_turns() -> None:
    scored = score([*EXPECTED, state(n=1)], [*ACTUAL, state(n=2)])

    *_, last = call_blocks(scored, [])
    assert (last.is_state, last.rows, has_blocks(scored)) == (True, [4], True)
    assert calls_text(scored).split("\n")[-2:] == [
        "End state   differs",
        "  ~ n: 1                n: 2",
    ]


def test_free_calls_are_counted_below_the_calls() -> None:
    scored = score([call("a")], [call("a"), call("b")], extra_calls="free")

    assert calls_text(scored).endswith("… 1 actual call not counted: 1 extra")
    assert calls_text(scored, lang="ru").endswith("… не учтено: 1 фактический вызов (1 лишний)")
    assert "- actual b: extra, and free under these settings" in explain(scored)


def test_a_free_call_explains_what_was_missed_as_one_that_counts_does() -> None:
    expected = [expect.turn(call("a", n=1)), expect.turn(call("b"), call("c"), call("d"))]
    actual = [call("b", 0), call("a", 1, n=1), call("c", 1), call("d", 1), call("b", 1)]
    scored = score(expected, actual, preset="coverage")

    assert "- a(n=1)\n    called, but in another turn\n" in calls_text(scored)
    assert "- b()\n    called, but not in this order\n" in calls_text(scored)
    assert "- expected 1 a(n=1): missed, called in another turn\n" in explain(scored)
    assert "- expected 2 b: missed, no actual call to pair with in this order\n" in explain(scored)
    assert "  - turn 2: 2 correct, 3 expected, 2 counted: F1 0.800\n" in explain(scored)
    assert "  - turn 1: 0 correct, 1 expected, 0 counted: F1 0.000\n" in explain(scored)
    assert "учтено 2: F1" in explain(scored, lang="ru")


def test_a_free_call_with_other_arguments_is_shown_in_the_note() -> None:
    expected = [expect.turn(call("a", n=1)), expect.turn()]
    other = score(expected, [call("a", 1, n=2)], preset="coverage")
    both = score(expected, [call("a", 1, n=2), call("a", 1, n=1)], preset="coverage")
    any_arguments = score([expect.turn("a"), expect.turn()], [call("a", 1, n=2)], preset="coverage")

    assert "    called, but in another turn: a(n=2)\n" in calls_text(other)
    assert "missed, called in another turn; the call was a(n=2)\n" in explain(other)
    assert "    called, but in another turn\n" in calls_text(both)
    assert "    called, but in another turn\n" in calls_text(any_arguments)


def test_the_same_call_in_another_turn_explains_more_than_another_one() -> None:
    expected = [expect.turn(call("a")), expect.turn(call("b", n=1), call("c"))]
    actual = [call("a", 0), call("b", 0, n=1), call("c", 1), call("b", 1, n=2)]

    scored = score(expected, actual, preset="coverage")

    assert "    called, but in another turn\n" in calls_text(scored)


def test_a_free_call_is_compared_by_its_name_as_the_settings_have_it() -> None:
    scored = score(
        [expect.turn(call("a")), expect.turn()],
        [call("mcp__x__a", 1)],
        preset="coverage",
        strip_prefix=("mcp__*__",),
    )

    assert "called, but in another turn" in calls_text(scored)


def test_each_missed_call_has_its_own_reason() -> None:
    expected = [expect.turn(call("a")), expect.turn(call("a"), call("b"), call("c"))]

    scored = score(expected, [call("b", 1), call("c", 1), call("a", 1)], order="in_turns")

    first, second = calls_text(scored).split("Turn 2")
    assert "called, but in another turn" in first
    assert "called, but not in this order" in second


def test_in_cumulative_turns_a_call_of_an_earlier_turn_is_not_in_another_one() -> None:
    expected = [expect.turn(), expect.turn(call("a"), call("b"))]

    scored = score(expected, [call("b", 0), call("a", 1)], order="in_turns", turns="cumulative")

    assert "called, but not in this order" in calls_text(scored)
    assert "another turn" not in calls_text(scored)


def test_the_explanation_has_the_score_of_each_turn() -> None:
    text = explain(WRONG)

    assert (
        "The case has 3 turns. A call counts in the turn in which it is expected: it must be made"
        in text
    )
    assert (
        "  By turn:\n"
        "  - turn 1: 2 correct, 2 expected, 2 made: F1 1.000\n"
        "  - turn 2: 0 correct, 2 expected, 3 made: F1 0.000\n"
        "  - turn 3: no calls\n"
        "  The mean of the turns is 0.667, the lowest 0.000.\n"
        "  The first turn that went wrong is turn 2.\n"
    ) in text
    assert "F1 0.000, a forbidden call was made" in explain(FORBIDDEN)
    assert "No turn went wrong." in explain(score(EXPECTED[:1], ACTUAL[:2]))


def test_the_explanation_names_the_rules_that_differ() -> None:
    text = explain(score(EXPECTED, ACTUAL, preset="coverage", turns="cumulative"))

    for rule in (
        "it may be made in that turn or in an earlier one.",
        "Within a turn, the calls must be made in the expected order.",
        "Extra calls do not count, unless they are forbidden.",
        "An argument that equals the default in the schema of its tool may be given or left out.",
    ):
        assert rule in text
    plain = explain(score(["a"], ["a"], order="in_turns", extra_calls="reads_free"))
    assert "There are no turns, so the order of the calls does not matter." in plain
    assert "Extra calls of tools that only read do not count" in plain


def test_many_turns_are_listed_in_part() -> None:
    many = [expect.turn(call("a")) for _ in range(25)]

    assert "… 5 more" in explain(score(many, [call("a", at) for at in range(25)]))


@pytest.mark.parametrize(
    ("actual", "words"),
    [
        ([state(n=1)], "end state: correct, it is equal to the expected one"),
        ([state(n=2)], "end state: incorrect, it differs from the expected one"),
        ([], "end state: missed, the run has none"),
    ],
)
def test_the_explanation_compares_the_states(actual: list[ToolCall], words: str) -> None:
    text = explain(score([state(n=1)], actual))

    assert words in text
    assert "The end state counts as one call on each side." in text


def test_without_turns_nothing_is_said_about_them() -> None:
    scored = score(["a", "b"], ["a"])

    for text in (score_text(scored), explain(scored), summary_line(scored)):
        assert "turn" not in text.lower()

"""What should be known of a comparison beside its numbers."""

# ruff: noqa: RUF001  (Russian letters that look like Latin ones are meant)

from __future__ import annotations

from msgspec.structs import replace
from tests.reports.comparisons import HOSTILE, NOT_ENOUGH, NOTHING_NEW, REGRESSED

from callscore.core.phrases import Note, Phrase
from callscore.core.results import Noted
from callscore.reports.compare import alarm_notes, below_notes, comparison_notes, note_text

LOST = Noted(1, ("assistant::b",))


def test_a_comparison_without_surprises_has_no_notes() -> None:
    assert comparison_notes(NOTHING_NEW, "en") == []
    assert alarm_notes(NOTHING_NEW, "en") == []
    assert below_notes(NOTHING_NEW, "en") == []


def test_what_only_one_run_has_and_what_is_other_is_counted_and_named() -> None:
    assert comparison_notes(REGRESSED, "en") == [
        ("3 cases only before: main", "a, b, c"),
        ("2 cases only after: latest", "d, e"),
        ("1 case without a number before or after, left out", "without-a-number"),
        ("1 case expects something else than before", "hello"),
        ("7 cases ask something else than before", "one, two, three, four, five, … 2 more"),
        ("2 trials without an answer did not pass", ""),
    ]


def test_the_notes_can_be_had_in_russian() -> None:
    sentences = [sentence for sentence, _ in comparison_notes(REGRESSED, "ru")]

    assert sentences == [
        "только раньше, main: 3 случая",
        "только теперь, latest: 2 случая",
        "без оценки раньше или теперь, не учтено: 1 случай",
        "1 случай с другим эталоном, чем раньше",
        "7 случаев с другим вопросом, чем раньше",
        "попытки без ответа (2) не пройдены",
    ]


def test_what_no_statistics_makes_good_is_told_apart() -> None:
    assert alarm_notes(REGRESSED, "en") == [
        ("1 case with a new forbidden call", "assistant::refund-order-17 0 → 1"),
        ("1 case with a new schema error", "assistant::refund-order-17 0 → 2"),
    ]


def test_forbidden_tools_are_named() -> None:
    alarm = replace(REGRESSED.alarms[0], tools=("refund", "delete"))

    assert alarm_notes(replace(REGRESSED, alarms=(alarm,)), "en") == [
        ("1 case with a new forbidden call", "assistant::refund-order-17 refund, delete 0 → 1")
    ]


def test_a_number_that_was_lost_is_told_from_one_that_never_was() -> None:
    comparison = replace(
        NOTHING_NEW, undecided=Noted(3, ("assistant::a", "assistant::b", "x::c")), lost=LOST
    )

    assert comparison_notes(comparison, "en") == [
        ("1 case with a number before and none after, left out", "b"),
        ("2 cases without a number before or after, left out", "a, x::c"),
    ]
    assert len(comparison_notes(comparison, "en", said={"missing"})) == 1


def test_a_run_that_is_compared_with_itself_is_pointed_out_once() -> None:
    comparison = replace(NOTHING_NEW, is_same_run=True)

    assert comparison_notes(comparison, "en") == [
        ("both are the same run: 20261114-120000-aaaa", "")
    ]
    assert comparison_notes(comparison, "en", said={"same run"}) == []


def test_a_missed_threshold_is_a_sentence_of_its_own() -> None:
    assert below_notes(NOT_ENOUGH, "ru") == [("accuracy 0.667 ниже порога 0.900", "")]


def test_only_the_values_of_a_note_are_made_safe() -> None:
    note = Note(
        Phrase("{name}: {count} *times*", "{name}: {count} *раз*"), {"name": HOSTILE, "count": 2}
    )

    assert note_text(note, "en", lambda text: f"<{len(text)}>") == f"<{len(HOSTILE)}>: 2 *times*"

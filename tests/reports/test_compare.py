"""What is said of two runs that were compared."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from tests.reports.comparisons import (
    ATTACKED,
    HOSTILE,
    LATEST,
    MAIN,
    NOT_ENOUGH,
    NOTHING_COMMON,
    NOTHING_NEW,
    REGRESSED,
)

from callscore.comparing.changes import CaseChange, ChangeReason
from callscore.comparing.comparison import SideSummary
from callscore.comparing.differences import Difference, Slice
from callscore.core.phrases import Note, Phrase
from callscore.core.results import Noted
from callscore.core.statistics import Interval
from callscore.reports.compare import (
    certainty_line,
    certainty_texts,
    change_interval_text,
    change_line,
    change_rows,
    changed_slices,
    flip_counts,
    holm_line,
    measure_cells,
    measure_name,
    p_text,
    points_text,
    power_line,
    reason_text,
    share_text,
    side_parts,
    slice_heading,
    slice_name,
    slices_by_kind,
    write_json,
    write_markdown,
)
from callscore.reports.compare_notes import (
    alarm_notes,
    below_notes,
    case_names,
    comparison_notes,
    has_several_evaluations,
    note_text,
)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (None, "–"),
        (0.0, "0.0"),
        (0.034, "+3.4"),
        (-0.08, "−8.0"),
        (1.0, "+100.0"),
        (0.00001, "+0.1"),  # 0.0 is said only of none at all
        (-0.00001, "−0.1"),
    ],
)
def test_a_difference_is_in_points_with_its_sign(change: float | None, said: str) -> None:
    assert points_text(change) == said


@pytest.mark.parametrize(
    ("p_value", "said"),
    [
        (None, "–"),
        (0.0, "< 0.001"),
        (0.00195, "0.002"),
        (0.0496, "0.049"),
        (0.05, "0.050"),
        (0.0504, "0.050"),
        (1.0, "1.000"),
    ],
)
def test_a_p_value_never_looks_as_if_it_were_on_the_other_side(
    p_value: float | None, said: str
) -> None:
    assert p_text(p_value) == said


def test_shares_and_intervals_have_a_dash_for_nothing() -> None:
    assert (share_text(None), share_text(0.9203)) == ("–", "92.0%")
    assert change_interval_text(None, "en") == "–"
    assert change_interval_text(Interval(-0.125, 0.01), "en") == "−12.5 to +1.0"
    assert change_interval_text(Interval(-0.125, 0.01), "ru") == "от −12.5 до +1.0"


def test_means_are_rounded_to_their_side_of_the_required_mean() -> None:
    difference = Difference(
        measure="accuracy", cases=3, before=2 / 3, after=2 / 3, required=(0.66, 0.667)
    )

    assert measure_cells(difference, "en")[:2] == ["66.7%", "66.6%"]


def test_a_measure_is_a_word_of_ours_or_the_name_of_a_scorer() -> None:
    names = [measure_name(name, "ru") for name in ("passed", "f1", "to\x1bne")]

    assert names == ["пройдено", "F1", "to\\u001bne"]
    assert measure_name("tone", "en", write=str.upper) == "TONE"


def test_the_change_is_said_with_both_numbers() -> None:
    assert change_line(REGRESSED, "en") == "passed 92.0% → 84.0%, −8.0 points"
    assert change_line(REGRESSED, "ru") == "пройдено 92.0% → 84.0%, −8.0 п. п."
    assert change_line(NOTHING_COMMON, "en") == "the runs have no cases in common"


def test_cases_without_numbers_are_told_from_no_cases() -> None:
    comparison = replace(NOTHING_COMMON, same=2)

    assert change_line(comparison, "en") == "no case has a value of passed in both runs"
    assert change_line(comparison, "ru").endswith(" нет значения «пройдено» в обоих прогонах")


def test_slices_stand_under_what_they_are_compared_by() -> None:
    (tool, _), (tag, _) = REGRESSED.tools, REGRESSED.tags

    assert slice_heading(tool, "en") == "Tools, by the F1 of their calls"
    assert slice_heading(tag, "en") == "Tags, by passed"
    assert slice_heading(tag, "ru") == "Теги по показателю «пройдено»"


def test_how_sure_it_is_depends_on_what_is_known() -> None:
    assert certainty_line(REGRESSED.main, "en") == (
        "95% interval −12.5 to −3.5, p = 0.002, exact McNemar, 197 cases in both"
    )
    assert certainty_line(REGRESSED.others[0], "ru") == (
        "95%-й интервал от −8.1 до −1.6, p = 0.049, парный бутстреп, 197 общих случаев"
    )
    assert certainty_line(Difference(measure="f1", cases=1), "en") == "1 case in both"


def test_the_detectable_difference_is_said_only_without_a_verdict() -> None:
    assert power_line(REGRESSED.main, "en") == ""
    assert power_line(replace(REGRESSED.main, verdict="improved"), "en") == ""
    undecided = replace(REGRESSED.main, verdict="no evidence")
    assert power_line(undecided, "en") == "detectable with 80% power: ≥ 6.1 points"
    assert power_line(undecided, "ru") == "при мощности 80% обнаружима разница ≥ 6.1 п. п."
    assert power_line(NOT_ENOUGH.main, "en") == "no difference is detectable with 80% power"


def test_a_verdict_is_said_in_a_sentence() -> None:
    assert certainty_texts(REGRESSED.main, "en") == [
        "A difference of this size is unlikely to be chance.",
        certainty_line(REGRESSED.main, "en"),
    ]
    assert certainty_texts(NOT_ENOUGH.main, "en") == [
        "Too few cases to tell a difference from chance. Add cases, or trials per case.",
        certainty_line(NOT_ENOUGH.main, "en"),
        power_line(NOT_ENOUGH.main, "en"),
    ]
    assert certainty_texts(NOTHING_COMMON.main, "en") == []


def test_flips_are_counted_and_what_there_is_none_of_is_left_out() -> None:
    words = [word for word, _ in flip_counts(REGRESSED, "en")]

    assert words == ["3 broken", "1 fixed", "1 changed", "192 unchanged"]
    assert flip_counts(NOTHING_NEW, "ru") == [("без изменений 200", None)]
    assert flip_counts(NOTHING_COMMON, "en") == []


def test_a_run_is_said_in_a_few_words_and_a_file_in_fewer() -> None:
    assert side_parts(LATEST, "en") == [
        "latest",
        "run 20261115-120000-bbbb",
        "commit 9d1b191 with uncommitted changes",
        "2026-11-15 12:00 UTC",
        "199 cases",
        "167 of 199 passed",
        "30 failed",
        "2 errors",
    ]
    often = replace(LATEST, trials=398, is_repeated=True, passed=366)
    assert side_parts(often, "en")[4] == "199 cases, 398 trials"
    variants = replace(LATEST, trials=398, variants=2, passed=366)
    assert side_parts(variants, "en")[4:6] == ["199 cases, 2 variants", "366 of 398 passed"]
    assert "366 of 398 trials passed" in side_parts(often, "en")
    assert side_parts(MAIN, "ru")[1:3] == ["прогон 20261114-120000-aaaa", "коммит 02f0cce"]
    assert side_parts(SideSummary(label="a.jsonl", cases=1), "en") == ["a.jsonl", "1 case"]
    assert side_parts(replace(MAIN, label=MAIN.run), "en")[0:2] == [MAIN.run, "commit 02f0cce"]


def test_p_values_are_corrected_for_as_many_slices_as_have_one() -> None:
    assert holm_line(REGRESSED, "en") == "p with Holm's correction for 3 tools and tags"
    assert holm_line(NOTHING_NEW, "en") == ""


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        (ChangeReason(kind="forbidden call"), "запрещённый вызов"),
        (ChangeReason(kind="schema error"), "ошибка по схеме"),
        (ChangeReason(kind="no answer"), "нет ответа"),
        (ChangeReason(kind="no answer", text="timeout: 60 s"), "нет ответа: timeout: 60 s"),
        (
            ChangeReason(kind="no answer before", text="it \x1braised"),
            "раньше не было ответа: it \\u001braised",
        ),
    ],
)
def test_what_is_to_be_known_of_a_case_is_said_in_the_language(
    reason: ChangeReason, said: str
) -> None:
    assert reason_text(reason, "ru") == said


def test_a_long_reason_is_cut() -> None:
    assert len(reason_text(ChangeReason(kind="no answer", text="x" * 500), "en")) == 160


# Two runs compared, as JSON.


def test_the_document_has_everything_whatever_is_shown_elsewhere() -> None:
    document = msgspec.json.decode(write_json(REGRESSED, max_shown=0), type=dict[str, Any])

    assert document == REGRESSED.to_dict()
    assert len(document["changes"]) == 5


def test_sentences_are_in_the_language_and_keys_are_not() -> None:
    document = msgspec.json.decode(write_json(REGRESSED, lang="ru"), type=dict[str, Any])

    assert document["verdict"] == "regressed"
    assert document["notes"] == ["попытки без ответа (2) не пройдены"]


def test_names_are_as_they_are() -> None:
    document = msgspec.json.decode(write_json(ATTACKED), type=dict[str, Any])

    assert document["changes"][1]["case"] == HOSTILE


# Two runs compared, as Markdown.


def test_the_verdict_is_the_heading() -> None:
    assert write_markdown(REGRESSED).startswith(
        "## Regressed: passed 92.0% → 84.0%, −8.0 points\n\n"
    )
    assert write_markdown(NOTHING_COMMON).startswith(
        "## Not enough data: the runs have no cases in common\n\nbefore: "
    )


def test_a_quiet_comparison_is_short() -> None:
    assert write_markdown(NOTHING_NEW).splitlines() == [
        "## No evidence: passed 92.0% → 92.0%, 0.0 points",
        "",
        "The two means are equal.  ",
        "95% interval −1.9 to +1.9, p = 1.000, exact McNemar, 200 cases in both  ",
        "detectable with 80% power: ≥ 3.0 points  ",
        "200 unchanged",
        "",
        (
            "before: `main`, run `20261114-120000-aaaa`, commit `02f0cce`, 2026-11-14 12:00 UTC,"
            " 200 cases  "
        ),
        (
            "after: `main`, run `20261114-120000-aaaa`, commit `02f0cce`, 2026-11-14 12:00 UTC,"
            " 200 cases"
        ),
    ]


def test_what_is_grave_is_in_bold_and_comes_first() -> None:
    text = write_markdown(REGRESSED)

    grave = text.index("- **1 case with a new forbidden call** (<code>assistant&#58;&#58;refund")
    assert grave < text.index("- 3 cases only before, in `main` (`a, b, c`)")


def test_all_measures_stand_in_a_table() -> None:
    assert (
        "| measure | before | after | difference | 95% interval | p |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: |\n"
        "| passed | 92.0% | 84.0% | −8.0 | −12.5 to −3.5 | 0.002 |\n"
        "| F1 | 95.1% | 90.3% | −4.8 | −8.1 to −1.6 | 0.049 |\n"
        "| `tone` | – | – | – | – | – |\n"
    ) in write_markdown(REGRESSED)


def test_cases_stand_in_a_table_for_each_way_without_empty_columns() -> None:
    text = write_markdown(REGRESSED)

    assert (
        "### Broken: 3 cases\n\n"
        "| case | trials passed | F1 | notes |\n"
        "| --- | --- | ---: | --- |\n"
        "| `assistant::what-is-the-weather-in-oslo` |  | 100.0% → 50.0% |  |\n"
    ) in text
    assert (
        "### Changed: 1 case\n\n| case | notes |\n| --- | --- |\n"
        "| `assistant::convert-5-miles-to-km` | different calls |\n"
    ) in text


def test_slices_come_last_and_say_for_how_many_they_are_corrected() -> None:
    text = write_markdown(REGRESSED)

    assert (
        "### Tools, by the F1 of their calls\n\n"
        "| tool | cases | before | after | difference | p | verdict |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: | --- |\n"
        "| `get_weather` | 61 | 98.0% | 83.0% | −15.0 | 0.004 | regressed |\n"
    ) in text
    assert "### Tags, by passed\n\n| tag | cases | " in text
    assert text.endswith("\n\np with Holm's correction for 3 tools and tags\n")


def test_what_is_not_shown_is_counted() -> None:
    one, none = write_markdown(REGRESSED, max_shown=1), write_markdown(REGRESSED, max_shown=0)

    assert "\n\n… 2 more; --max-shown shows more\n\n### Fixed: 1 case\n" in one
    assert one.endswith(
        "\n\n… 1 more; --max-shown shows more\n\np with Holm's correction for 3 tools and tags\n"
    )
    assert "###" not in none


def test_a_report_can_be_had_in_russian() -> None:
    text = write_markdown(REGRESSED, lang="ru")

    assert text.startswith("## Стало хуже: пройдено 92.0% → 84.0%, −8.0 п. п.\n")
    assert "| случай | пройдено попыток | F1 | примечания |" in text


def test_nothing_in_the_data_becomes_markdown_or_html() -> None:
    text = write_markdown(ATTACKED)

    assert "<b>" not in text
    assert "\x1b" not in text
    assert "[red]" not in text
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert {row.count("|") for row in rows} == {7, 4, 3, 8}


# What should be known of a comparison beside its numbers.

LOST = Noted(1, ("assistant::b",))


def test_a_comparison_without_surprises_has_no_notes() -> None:
    assert [*comparison_notes(NOTHING_NEW, "en")] == []
    assert alarm_notes(NOTHING_NEW, "en") == []
    assert below_notes(NOTHING_NEW, "en") == []


def test_what_only_one_run_has_and_what_is_other_is_counted_and_named() -> None:
    assert [*comparison_notes(REGRESSED, "en")] == [
        ("3 cases only before, in main", "a, b, c"),
        ("2 cases only after, in latest", "d, e"),
        ("not compared, without a value before or after: 1 case", "without-a-number"),
        ("1 case whose expected calls changed", "hello"),
        ("7 cases whose input changed", "one, two, three, four, five, … 2 more"),
        ("2 trials without an answer did not pass", ""),
    ]


def test_the_notes_can_be_had_in_russian() -> None:
    sentences = [sentence for sentence, _ in comparison_notes(REGRESSED, "ru")]

    assert sentences == [
        "только раньше, в main: 3 случая",
        "только теперь, в latest: 2 случая",
        "не сравнивается, раньше или теперь нет значения: 1 случай",
        "1 случай с изменённым эталоном",
        "7 случаев с изменёнными входными данными",
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

    assert [*comparison_notes(comparison, "en")] == [
        ("not compared, with a value only before: 1 case", "b"),
        ("not compared, without a value before or after: 2 cases", "a, x::c"),
    ]
    assert len([*comparison_notes(comparison, "en", said={"missing"})]) == 1


def test_a_run_that_is_compared_with_itself_is_pointed_out_once() -> None:
    comparison = replace(NOTHING_NEW, is_same_run=True)

    assert [*comparison_notes(comparison, "en")] == [
        ("both sides are the same run: 20261114-120000-aaaa", "")
    ]
    assert [*comparison_notes(comparison, "en", said={"same run"})] == []


def test_a_mean_below_fail_under_is_a_sentence_of_its_own() -> None:
    assert below_notes(NOT_ENOUGH, "ru") == [("accuracy 0.667, требуется ≥ 0.900", "")]


def test_only_the_values_of_a_note_are_made_safe() -> None:
    note = Note(
        Phrase("{name}: {count} *times*", "{name}: {count} *раз*"), {"name": HOSTILE, "count": 2}
    )

    assert note_text(note, "en", lambda text: f"<{len(text)}>") == f"<{len(HOSTILE)}>: 2 *times*"


# The parts of a comparison as every report shows them.


def test_a_case_that_was_asked_once_says_nothing_of_trials() -> None:
    oslo, refund, hello = change_rows(REGRESSED.changed("broken"), "en")

    assert (oslo.trials, oslo.f1, oslo.remarks) == ("", "100.0% → 50.0%", "")
    assert refund.remarks == "forbidden call, schema error"
    assert hello.trials == "3/3 → 1/3"
    assert (
        hello.remarks == "no answer: timeout: no answer within 60 seconds, expected calls changed"
    )


def test_an_f1_that_is_the_same_is_not_said() -> None:
    (row,) = change_rows(REGRESSED.changed("changed"), "en")
    (gone,) = change_rows([CaseChange(kind="broken", evaluation="", case="", f1=(1.0, None))], "en")

    assert (row.f1, row.remarks) == ("", "different calls")
    assert gone.f1 == "100.0% → –"


def test_evaluations_are_named_where_there_are_several() -> None:
    assert has_several_evaluations(REGRESSED)
    assert not has_several_evaluations(NOTHING_NEW)
    several = replace(REGRESSED, changes=REGRESSED.changed("fixed"))  # of one evaluation alone
    assert has_several_evaluations(several)
    (row,) = change_rows(several.changes, "en", has_evaluation=True)
    assert row.case == "assistant::book-a-table"


def test_where_one_evaluation_was_compared_its_name_is_not_repeated() -> None:
    names = ["assistant::a", "other::b", "c"]

    assert case_names(names, NOTHING_NEW) == ["a", "other::b", "c"]
    assert case_names(names, REGRESSED) == names


def test_tools_and_tags_stand_apart() -> None:
    slices = (*REGRESSED.tags, *REGRESSED.tools)

    kinds = [[part.kind for part in group] for group in slices_by_kind(slices)]

    assert kinds == [["tool", "tool"], ["tag", "tag"]]
    assert slices_by_kind(REGRESSED.tags) == [list(REGRESSED.tags)]


def test_slices_that_moved_come_the_surest_first() -> None:
    names = [slice_name(part, "en") for part in changed_slices(REGRESSED)]

    assert names == ["tool get_weather", "tag weather", "tag smoke"]
    assert slice_name(REGRESSED.tags[0], "ru") == "тег smoke"


def test_of_slices_that_are_as_sure_the_larger_difference_comes_first() -> None:
    def part(name: str, after: float | None) -> Slice:
        found = Difference(measure="passed", cases=3, before=0.5, after=after, down=1)
        return Slice(kind="tag", name=name, difference=found)

    comparison = replace(NOTHING_NEW, tags=(part("a", None), part("b", 0.4), part("c", 0.1)))

    assert [each.name for each in changed_slices(comparison)] == ["c", "b", "a"]

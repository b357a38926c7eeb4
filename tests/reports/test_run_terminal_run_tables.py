"""The tables of a run."""

from __future__ import annotations

from msgspec.structs import replace
from tests.reports.runs import FINE, MIXED, VARIANTS

from callscore.core.results import CaseTrials, ScorerResult, Usage
from callscore.reports.formatting import NO_NUMBER
from callscore.reports.run import threshold_text, trial_rows, variant_columns
from callscore.reports.run_terminal import scorer_table, trial_table, variant_table


def test_a_threshold_says_whether_it_is_met() -> None:
    assert threshold_text(ScorerResult(name="a", mean=0.9, threshold=0.9)) == "≥ 0.900"
    assert threshold_text(ScorerResult(name="a", mean=0.8, threshold=0.9)) == "< 0.900"
    assert threshold_text(ScorerResult(name="a", threshold=0.0)) == "< 0.000"
    assert threshold_text(ScorerResult(name="a", mean=0.8)) == ""


def test_without_thresholds_there_is_no_column_for_them() -> None:
    assert "threshold" not in scorer_table(FINE.evaluations[0], 80, "en").plain
    assert "threshold" in scorer_table(MIXED.evaluations[0], 80, "en").plain


def test_a_share_is_coloured_by_how_much_it_is() -> None:
    scorers = tuple(ScorerResult(name="a", mean=0.5, scored=3, passed=part) for part in (0, 1, 3))
    table = scorer_table(replace(FINE.evaluations[0], scorers=scorers), 80, "en")

    styles = {table.plain[span.start : span.end]: span.style for span in table.spans}
    assert (styles["0/3"], styles["1/3"], styles["3/3"]) == ("red", "yellow", "green")


def test_on_a_narrower_terminal_what_else_is_known_gives_way() -> None:
    headers = {
        width: table.plain.split("\n", 1)[0].split()
        for width in (120, 90, 80, 75)
        if (table := variant_table(VARIANTS.evaluations, width, "en")) is not None
    }

    assert headers[120][-3:] == ["errors", "median", "tokens"]
    assert headers[80][-2:] == ["errors", "median"]
    assert headers[75][-1:] == ["errors"]


def test_the_names_of_scorers_are_broken_before_the_table_is_given_up() -> None:
    table = variant_table(VARIANTS.evaluations, 60, "en")

    assert table is not None
    assert [line.split() for line in table.plain.split("\n")[:2]] == [
        ["tool_", "parameters_"],
        ["variant", "called", "valid", "accuracy", "passed"],
    ]
    assert variant_table(VARIANTS.evaluations, 40, "en") is None


def test_columns_are_there_for_what_is_known() -> None:
    plain = [replace(each, errors=0, seconds=None, usage=Usage()) for each in VARIANTS.evaluations]
    some = [replace(plain[0], seconds=1.0), *plain[1:]]

    names = [name for name, _ in variant_columns(plain, "en")]
    assert names == ["tool_called", "parameters_valid", "accuracy", "passed"]
    name, cells = variant_columns(some, "en")[-1]
    assert (name, [text for text, _ in cells]) == ("median", ["1.0 s", NO_NUMBER, NO_NUMBER])


def test_without_thresholds_variants_have_no_row_for_them() -> None:
    free = [
        replace(each, scorers=tuple(replace(one, threshold=None) for one in each.scorers))
        for each in VARIANTS.evaluations
    ]

    table = variant_table(free, 100, "en")
    assert table is not None
    assert "threshold" not in table.plain


def test_variants_are_named_once_beside_their_rates() -> None:
    table = trial_table(VARIANTS.evaluations, 80)

    assert table is not None
    assert [line.split()[0] for line in table.plain.split("\n")[1:4]] == [
        "gpt-4.1",
        "pass^k",
        "claude-sonnet-4",
    ]


def test_without_repetitions_there_is_no_table_of_rates() -> None:
    assert trial_table(FINE.evaluations, 80) is None
    assert trial_rows(FINE.evaluations, 80) == ([], [])


def test_where_errors_left_a_variant_fewer_trials_all_have_as_few_columns() -> None:
    first, second, third = VARIANTS.evaluations
    fewer = replace(second, trials=(CaseTrials("weather", 2, 1),))
    none = replace(third, trials=(CaseTrials("weather", 0, 0),))

    labels, rows = trial_rows([first, fewer, none], 80)

    assert labels == ["k=1", "k=2"]
    assert [row[:2] for row in rows] == [
        ("gpt-4.1", "pass@k"),
        ("gpt-4.1", "pass^k"),
        ("claude-sonnet-4", "pass@k"),
        ("claude-sonnet-4", "pass^k"),
    ]
    assert {len(row) for row in rows} == {4}


def test_trials_of_one_evaluation_stand_at_the_left() -> None:
    table = trial_table([replace(VARIANTS.evaluations[0], variant=None)], 80)

    assert table is not None
    assert table.plain.split("\n")[1].startswith("pass@k   1.000")


def test_a_long_name_gives_way_to_the_rates_of_trials() -> None:
    table = trial_table(VARIANTS.evaluations, 30)

    assert table is not None
    lines = table.plain.splitlines()
    assert len(lines) == 7
    assert lines[3] == "cl…-4   pass@k   0.833   1.000"
    assert max(map(len, lines)) == 30

"""What a run gave, for people."""

from __future__ import annotations

from functools import partial
from io import StringIO
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from rich.console import Console
from tests.reports.histories import a_run, at
from tests.reports.runs import ATTACKED, FINE, MIXED, NOTHING, VARIANTS, WEATHER

from callscore.api import score
from callscore.core.call import ToolCall
from callscore.core.rendering import display_width
from callscore.core.results import (
    CaseScore,
    CaseTrials,
    CaseValues,
    Failure,
    ListedCase,
    MetricValue,
    RunResults,
    ScorerResult,
    Usage,
)
from callscore.reports.formatting import NO_NUMBER
from callscore.reports.run import required_text, trial_rows, variant_columns
from callscore.reports.run_terminal import (
    render,
    render_saved_run,
    render_summary,
    scorer_table,
    trial_table,
    variant_table,
)
from callscore.reports.terminal import printed_text

if TYPE_CHECKING:
    from callscore.core.phrases import Language

write_kept_run = partial(printed_text, render_saved_run)
write_text = partial(printed_text, render)

FINE_REPORT = """\
assistant   examples/assistant/eval_assistant.py:12
3 cases, strict, any order, median < 1 ms

scorer              mean   passed
tool_called        1.000      3/3
parameters_valid   1.000      3/3

All 3 passed
3 cases in 31 ms
run 20261115-184354-k3f9
"""

MIXED_REPORT = """\
assistant   evals/eval_assistant.py:12
11 cases, strict, any order, median 1.2 s

scorer              mean   passed   required
tool_called        1.000      5/5
parameters_valid   0.950      4/5    ≥ 0.900
accuracy           0.667      2/5    ≥ 0.900
polite                 –        –    ≥ 0.500

! accuracy 0.667, required ≥ 0.900
! polite has no score, required ≥ 0.500
! polite has no score for 5 cases (the scorer raised KeyError: 'text')
! 1 case skipped (say-goodbye: the service is down on Sundays)

router   evals/router.yaml
3 cases, strict, any order, median 230 ms

scorer         mean   passed
no_promises   0.500      1/2

what-is-the-weather-in-paris   failed   assistant
  1.000 tool_called   1.000 parameters_valid   0.000 accuracy
  Expected              Actual
~ getWeather            getWeather
  ~ location: "Paris"     location: "Lyon"
    … 1 equal argument
+                       calculator(operation="multiply", a=12, b=7)

promise-me-a-refund   failed   router
  0.000 no_promises
  no_promises: it says “at once”
  getWeather(location="Paris", unit="celsius")
  reply(text="Of course, at once!")

… 2 cases not shown; --max-shown shows more

convert-5-miles-to-km   error: timeout   3 attempts   assistant
  no answer within 60 seconds

book-a-table, book-another-table   error: raised   assistant
  ValueError: there is no table for 0 people
  File "evals/eval_assistant.py", line 31, in assistant
      raise ValueError(problem)

… 1 error more

evals/eval_broken.py:3   cannot be used
  ModuleNotFoundError: No module named 'wether'
  File "evals/eval_broken.py", line 3, in <module>
      import wether

! Nothing was kept: the disk is full (.callscore/history.db).

3 of 11 passed, 4 failed, 4 errors, 1 without a score, 1 skipped, interrupted: 2 not run
14 cases (2 reused) in 1 min 15 s, 9 requests, 12,345 tokens in, 678 out
judge gpt-4.1-mini: 12 values, 4 requests
run 20261115-184354-k3f9
"""

VARIANTS_REPORT = """\
assistant   evals/eval_assistant.py:12
2 cases, 3 variants, 19 trials, strict, any order

variant           tool_called   parameters_valid   accuracy   passed   errors   median   tokens
gpt-4.1                 1.000              1.000      1.000      6/6        0    3.0 s    7,503
claude-sonnet-4         1.000              0.917      0.833      5/6        0    2.5 s    6,269
small                   0.833              0.750      0.667      4/7        1    2.0 s    5,035
required                                            ≥ 0.800

Repeated trials
                             k=1     k=2     k=3
gpt-4.1           pass@k   1.000   1.000   1.000
                  pass^k   1.000   1.000   1.000
claude-sonnet-4   pass@k   0.833   1.000   1.000
                  pass^k   0.833   0.667   0.500
small             pass@k   0.667   0.833   1.000
                  pass^k   0.667   0.500   0.500

! claude-sonnet-4: 1 flaky case (weather 2/3)
! small: accuracy 0.667, required ≥ 0.800
! small: 1 flaky case (weather 1/3)

what-is-the-weather-in-paris   failed   assistant [small]
  1.000 tool_called   1.000 parameters_valid   0.000 accuracy
  Expected              Actual
~ getWeather            getWeather
  ~ location: "Paris"     location: "Lyon"
    … 1 equal argument
+                       calculator(operation="multiply", a=12, b=7)

… 1 error more

15 of 19 trials passed, 3 failed, 1 error
2 cases, 3 variants, 19 trials in 12.3 s, 18,510 tokens in, 297 out
run 20261115-184354-k3f9
"""


def rendered(run: RunResults, *, width: int, lang: Language = "en", colour: bool = False) -> str:
    console = Console(
        file=StringIO(),
        width=width,
        force_terminal=colour,
        color_system="truecolor" if colour else None,
    )
    with console.capture() as capture:
        render(run, console=console, lang=lang)
    return capture.get()


def test_a_run_that_is_fine_is_reported_in_a_few_lines() -> None:
    assert write_text(FINE) == FINE_REPORT


def test_everything_that_can_happen_has_its_place() -> None:
    assert write_text(MIXED) == MIXED_REPORT


def test_variants_stand_side_by_side_in_one_table() -> None:
    assert write_text(VARIANTS) == VARIANTS_REPORT


def test_nothing_run_is_said_in_one_sentence() -> None:
    assert write_text(NOTHING) == "No case was run.\n"
    assert write_text(NOTHING, lang="ru") == "Ни один случай не запущен.\n"


def test_a_report_can_be_had_in_russian() -> None:
    text = write_text(MIXED, lang="ru")

    assert "метрика            среднее   пройдено   требуется" in text
    assert "! polite: 5 случаев без оценки (the scorer raised KeyError: 'text')" in text
    assert "what-is-the-weather-in-paris   не пройден   assistant" in text
    assert "convert-5-miles-to-km   ошибка: истекло время   3 запуска   assistant" in text
    assert "evals/eval_broken.py:3   не удалось использовать" in text
    assert "пройдено 3 из 11, не пройдено 4, 4 ошибки, без оценки 1, исключено 1, прервано" in text
    assert "14 случаев (из истории 2) за 1 мин 15 с, 9 запросов" in text
    assert "судья gpt-4.1-mini: 12 значений, 4 запроса" in text
    assert "passed" not in text


@pytest.mark.parametrize("lang", ["en", "ru"])
@pytest.mark.parametrize("width", [40, 60, 80, 120])
@pytest.mark.parametrize("run", [FINE, MIXED, VARIANTS], ids=["fine", "mixed", "variants"])
def test_the_report_fits_the_terminal(run: RunResults, width: int, lang: Language) -> None:
    lines = rendered(run, width=width, lang=lang).split("\n")

    assert max(map(display_width, lines)) <= width


def test_where_there_is_no_room_for_all_scorers_each_variant_has_a_table() -> None:
    text = rendered(VARIANTS, width=40)

    assert "claude-sonnet-4\nscorer            mean passed required" in text


def test_what_a_summary_shows_are_the_tables_and_the_footer() -> None:
    console = Console(file=StringIO(), width=100)
    with console.capture() as capture:
        render_summary(MIXED, console=console)

    text = capture.get()
    assert text.startswith("assistant   evals/eval_assistant.py:12\n")
    assert "parameters_valid   0.950      4/5    ≥ 0.900" in text
    assert text.rstrip().endswith("run 20261115-184354-k3f9")
    assert "Expected" not in text
    assert "error: timeout" not in text


def test_what_is_good_is_green_and_what_is_not_is_red() -> None:
    assert "\x1b[1;32mAll 3 passed" in rendered(FINE, width=80, colour=True)
    mixed = rendered(MIXED, width=80, colour=True)
    assert "\x1b[1;31m4 failed" in mixed
    assert "\x1b[31merror: timeout" in mixed
    assert "\x1b[1;31m0.667" in mixed


def test_what_stands_in_the_data_is_shown_and_not_obeyed() -> None:
    text = rendered(ATTACKED, width=140, colour=True)

    assert "\\u001b[31m[red]|`<b>:smile:\\u0000" in text
    assert "\x1b[31m[red]" not in text
    assert "\x00" not in text


def test_a_forbidden_call_is_said_beside_the_case() -> None:
    score = replace(WEATHER.score, forbidden=(1,))
    each = MIXED.evaluations[0]
    cases = (replace(WEATHER, score=score),)
    run = RunResults(evaluations=(replace(each, results=replace(each.results, cases=cases)),))

    assert "what-is-the-weather-in-paris   failed   1 forbidden call\n" in write_text(run)


def test_cases_that_pass_or_have_no_number_can_be_shown_too() -> None:
    calls = tuple(ToolCall("f", {"n": number}) for number in range(25))
    each = replace(
        MIXED.evaluations[1],
        unreferenced=(
            CaseValues(id="fine", trial=2, values=(MetricValue("no_promises", 1.0),)),
            CaseValues(id="unknown", calls=calls, values=(MetricValue("no_promises"),)),
            CaseValues(id="unasked"),
        ),
    )

    text = write_text(RunResults(evaluations=(each,)))

    assert "fine #2   passed\n  1.000 no_promises\n  No calls.\n" in text
    assert "unknown   no score\n      – no_promises\n  f(n=0)\n" in text
    assert "  f(n=19)\n  … 5 more\n\nunasked   no score\n  No calls.\n" in text


def test_a_long_place_has_lines_of_its_own() -> None:
    long = replace(FINE.evaluations[0], place="folder/" * 12 + "eval_assistant.py")

    first, second, third, *_ = rendered(RunResults(evaluations=(long,)), width=60).split("\n")

    assert first == "assistant"
    assert second == "  " + "folder/" * 8
    assert third == "  " + "folder/" * 4 + "eval_assistant.py"


def test_an_evaluation_without_a_place_has_none() -> None:
    here = replace(FINE.evaluations[0], place="")

    assert write_text(RunResults(evaluations=(here,))).startswith("assistant\n3 cases")


def test_a_long_reason_is_cut() -> None:
    values = (MetricValue("x", 0.0, "why " * 200),)
    each = replace(MIXED.evaluations[1], unreferenced=(CaseValues(id="a", values=values),))

    said = write_text(RunResults(evaluations=(each,)))

    assert "…" in said
    assert said.count("why") == 75


def test_that_there_are_no_calls_stands_under_its_case() -> None:
    case = CaseScore(id="greeting", score=score([], []))
    each = FINE.evaluations[0]
    run = RunResults(evaluations=(replace(each, results=replace(each.results, cases=[case])),))

    assert "\n  No calls expected, none made.\n" in write_text(run)


# The tables of a run.


def test_the_required_mean_is_shown() -> None:
    assert required_text(ScorerResult(name="a", mean=0.9, fail_under=0.9)) == "≥ 0.900"
    assert required_text(ScorerResult(name="a", mean=0.8, fail_under=0.9)) == "≥ 0.900"
    assert required_text(ScorerResult(name="a", fail_under=0.0)) == "≥ 0.000"
    assert required_text(ScorerResult(name="a", mean=0.8)) == ""


def test_without_fail_under_there_is_no_column_for_them() -> None:
    assert "required" not in scorer_table(FINE.evaluations[0], 80, "en").plain
    assert "required" in scorer_table(MIXED.evaluations[0], 80, "en").plain


def test_a_share_is_coloured_by_how_much_it_is() -> None:
    scorers = tuple(ScorerResult(name="a", mean=0.5, scored=3, passed=part) for part in (0, 1, 3))
    table = scorer_table(replace(FINE.evaluations[0], scorers=scorers), 80, "en")

    styles = {table.plain[span.start : span.end]: span.style for span in table.__rich__().spans}
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


def test_without_fail_under_variants_have_no_row_for_them() -> None:
    free = [
        replace(each, scorers=tuple(replace(one, fail_under=None) for one in each.scorers))
        for each in VARIANTS.evaluations
    ]

    table = variant_table(free, 100, "en")
    assert table is not None
    assert "required" not in table.plain


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


# A run of the history, for people.


def test_a_run_has_a_heading_and_then_what_it_gave() -> None:
    row = a_run(
        "20261115-184354-k3f9",
        3,
        name="fast",
        baselines=("main",),
        started_at=at(14, 9, year=2025),
        git_commit="c21b609aaaa",
    )

    report = write_kept_run(row, FINE)

    heading = "20261115-184354-k3f9   ◆ main, fast\n14 Nov 2025, commit c21b609\n\n"
    assert report == heading + write_text(FINE)


def test_what_is_unusual_about_a_run_is_said() -> None:
    row = a_run("a", 3, command="rescore", status="interrupted", is_partial=True, started_at=0.0)

    report = write_kept_run(row, FINE)

    assert report.startswith("a\n")
    assert report.splitlines()[1].endswith(", rescored, interrupted, some cases")


def test_a_saved_run_has_the_report_of_the_run() -> None:
    row = a_run("a", 3)

    assert write_kept_run(row, MIXED).endswith(write_text(MIXED))


def test_a_quiet_report_is_the_summary() -> None:
    assert write_text(FINE, is_quiet=True) == (
        "All 3 passed\n3 cases in 31 ms\nrun 20261115-184354-k3f9\n"
    )
    assert "! Nothing was kept" in write_text(MIXED, is_quiet=True)


# The list of all cases.

LISTED = (
    ListedCase(id="weather", passed=True, value=1.0, seconds=0.25, passed_trials=1),
    ListedCase(id="sum", passed=False, value=0.5, seconds=1.5),
    ListedCase(id="tired", passed=False, value=0.0, errors=1),
    ListedCase(id="open", passed=None, seconds=0.1),
)


def test_every_case_of_a_small_evaluation_has_a_line() -> None:
    run = RunResults(evaluations=(replace(FINE.evaluations[0], listed=LISTED),))

    report = write_text(run)

    assert (
        "  case      score     time\n"
        "✓ weather   1.000   250 ms\n"
        "✗ sum       0.500    1.5 s\n"
        "! tired     error\n"
        "· open          –   100 ms\n"
    ) in report
    assert "! tired     ошибка" in write_text(run, lang="ru")


def test_a_repeated_case_has_a_line_with_the_number_of_trials_that_passed() -> None:
    trials = ListedCase(id="weather", passed=False, value=0.5, trials=4, passed_trials=2)
    run = RunResults(evaluations=(replace(FINE.evaluations[0], listed=(trials,)),))

    assert "  case      score   passed\n✗ weather   0.500      2/4\n" in write_text(run)


def test_each_variant_has_its_list_unless_they_are_long() -> None:
    few = [replace(each, listed=LISTED[:2]) for each in VARIANTS.evaluations]
    many = [replace(each, listed=LISTED[:1] * 7) for each in VARIANTS.evaluations]

    assert "gpt-4.1\n  case      score" in write_text(replace(VARIANTS, evaluations=tuple(few)))
    assert "✓" not in write_text(replace(VARIANTS, evaluations=tuple(many)))


def test_a_required_mean_of_0_has_no_column() -> None:
    each = replace(FINE.evaluations[0], scorers=(ScorerResult(name="a", mean=0.5, fail_under=0.0),))

    assert "required" not in scorer_table(each, 80, "en").plain


CARETS = """\
  File "eval.py", line 3, in assistant
    raise ValueError("a long sentence that does not fit")
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"""


@pytest.mark.parametrize(("width", "has_carets"), [(80, True), (50, False)])
def test_carets_of_a_traceback_are_shown_only_below_whole_lines(
    width: int, has_carets: bool
) -> None:
    failure = Failure(case="a", kind="raised", problem="boom", details=CARETS)
    each = replace(FINE.evaluations[0], failures=(failure,), errors=1)

    text = rendered(RunResults(evaluations=(each,)), width=width)

    assert ("^^^" in text) == has_carets
    assert "    raise ValueError(" in text

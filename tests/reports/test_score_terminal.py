from __future__ import annotations

from functools import partial
from io import StringIO
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from rich.console import Console

from callscore.core.call import ToolCall
from callscore.core.counted_calls import Ignored
from callscore.core.rendering import display_width
from callscore.core.results import CaseScore, MetricResult, MetricValue, Noted, Results
from callscore.core.scoring import score_calls
from callscore.core.settings import Mode, Settings
from callscore.core.summary import Summary
from callscore.reports.score_terminal import render
from callscore.reports.terminal import printed_text

if TYPE_CHECKING:
    from callscore.core.phrases import Language
    from callscore.core.score import Score

write_text = partial(printed_text, render)

REPORT = """\
Most tool calls are correct.
1 case, 2 trials, strict, any order

                            F1   precision   recall
macro, mean over cases   70.0%       66.7%    75.0%
micro, calls pooled      57.1%       50.0%    66.7%

trials passed   1 of 2, 50.0%
trials exact    1 of 2, 50.0%   95% interval 5.5% – 94.5%
calls           3 expected, 4 actual
                2 correct, 1 incorrect, 0 missed, 1 extra

! 1 case not scored: no expected calls given (draft)
! 7 cases without an answer: not passed, and 0 in the macro means (r1, r2, r3, r4, r5, … 2 more)
! 2 traces not scored: no reference (t1, t2)
! 1 case with a repeated id and trial, also scored (news #0)
! 1 record skipped: unreadable (traces.jsonl:812)

Repeated trials
           k=1     k=2
pass@k   0.500   1.000
pass^k   0.500   0.000

Tools
tool            expected   correct   incorrect   missed   extra
summarize              1         0           1        0       0
translateText          0         0           0        0       1
searchWeb              2         2           0        0       0

Arguments most often wrong
tool        argument   times
summarize   text           1

news #0   failed   40.0% Poor   precision 33.3%, recall 50.0%
  Expected                Actual
= searchWeb(query="AI")   searchWeb(query="AI")
~ summarize               summarize
  ~ text: "long"            text: "short"
+                         translateText(to="ru")

… 2 trials not shown; --max-shown shows more
"""


def rendered(results: Results, *, width: int, lang: Language = "en", colour: bool = False) -> str:
    console = Console(
        file=StringIO(),
        width=width,
        force_terminal=colour,
        color_system="truecolor" if colour else None,
    )
    with console.capture() as capture:
        render(results, console=console, lang=lang)
    return capture.get()


def test_a_report_in_a_file_is_plain_text(results: Results) -> None:
    incomplete, text = write_text(results).split("\n\n", 1)
    headline, rest = text.split("\n", 1)

    assert incomplete == (
        "! Incomplete: stopped at 1 record that cannot be read; the rest of the input is not in this report\n"
        "  (traces.jsonl:900: not JSON)"
    )
    assert headline == "Macro F1 70.0%   Good"
    assert rest == REPORT


def test_the_headline_of_enough_cases_has_an_interval(many: Results) -> None:
    headline = write_text(many).split("\n", 1)[0]

    assert headline == "Macro F1 0.0%   Poor   95% interval 0.0% – 16.1%"


def test_a_report_can_be_had_in_russian(results: Results) -> None:
    text = write_text(results, lang="ru")

    assert text.startswith("! Отчёт неполный: чтение остановлено")
    assert "\n\nMacro F1 70.0%   Хорошо\n" in text
    assert "1 случай, 2 попытки, режим strict, любой порядок" in text
    assert (
        "! нет ответа: 7 случаев; не пройдено, в средних (macro) — 0 (r1, r2, r3, r4, r5, … ещё 2)"
        in text
    )
    assert "! не удалось прочитать: 1 запись (traces.jsonl:812)" in text
    assert "чтение остановлено, не удалось прочитать: 1 запись" in text
    assert "… не показано: 2 попытки; --max-shown покажет больше" in text
    assert "expected" not in text


FORBIDDING = """\
Macro F1 50.0%   Moderate
Some tool calls are incorrect, missing or extra.
2 cases, strict, any order, writes only

                            F1   precision   recall
macro, mean over cases   50.0%       66.7%    75.0%
micro, calls pooled      57.1%       50.0%    66.7%

cases passed   1 of 2, 50.0%
cases exact    1 of 2, 50.0%   95% interval 9.5% – 90.5%
calls          3 expected, 4 actual
               2 correct, 1 incorrect, 0 missed, 1 extra

! 1 forbidden call in 1 case, scored 0 (translateText)

Tools
                                                                                unknown
tool            expected   correct   incorrect   missed   extra   forbidden   arguments
translateText          0         0           0        0       1           1           0
summarize              1         0           1        0       0           0           1
searchWeb              2         2           0        0       0           0           0

Arguments most often wrong
tool        argument   times
summarize   text           1

Schema checks
valid calls   2 of 4, 50.0%
tool            fault              times
summarize       unknown argument       1
translateText   unknown tool           1

news   failed   0.0% Poor   1 forbidden call   precision 33.3%, recall 50.0%
  Expected                Actual
= searchWeb(query="AI")   searchWeb(query="AI")
~ summarize               summarize
  ~ text: "long"            text: "short"
! forbidden               translateText(to="ru")
  … 1 actual call not counted: 1 read
  Schema errors:
    call 2 of the trace, summarize: n: not in the schema (value 5)
    call 3 of the trace, translateText: unknown tool
"""


def test_forbidden_calls_and_faults_have_their_places(forbidding: Results) -> None:
    assert write_text(forbidding) == FORBIDDING


def test_forbidden_calls_and_faults_are_reported_in_russian(forbidding: Results) -> None:
    text = write_text(forbidding, lang="ru")

    assert "2 случая, режим strict, любой порядок, только изменяющие вызовы" in text
    assert "! 1 запрещённый вызов (1 случай), оценка 0 (translateText)" in text
    assert "неизвестные" in text
    assert "соответствуют схеме   2 из 4, 50.0%" in text
    assert "summarize       неизвестный аргумент" in text


def test_schemas_that_accept_every_call_are_reported_in_one_line(passing: Score) -> None:
    summary = Summary()
    summary.add(replace(passing, faults=()))

    text = write_text(Results(settings=Settings(), summary=summary))

    assert text.endswith("\n\nSchema checks\nvalid calls   1 of 1, 100.0%\n")


@pytest.mark.parametrize("lang", ["en", "ru"])
@pytest.mark.parametrize("width", [60, 70, 80, 120])
def test_more_columns_move_closer_before_they_are_cut(
    forbidding: Results, width: int, lang: Language
) -> None:
    lines = rendered(forbidding, width=width, lang=lang).split("\n")

    assert max(map(display_width, lines)) <= width
    assert any(line.startswith("tra") and " 1" in line for line in lines)
    headers = [word for line in lines for word in line.split()]
    assert ("аргументы" in headers or "arguments" in headers) == (
        width > {"en": 60, "ru": 70}[lang]
    )


def test_nothing_scored_is_said_in_one_sentence(nothing: Results) -> None:
    assert write_text(nothing) == "No case was scored.\n"


def test_a_long_table_is_cut_and_says_how_much_is_left(many: Results) -> None:
    text = write_text(many)

    assert text.count("… 45 more") == 1  # 60 tools, 15 of them shown
    assert text.count("… 10 more") == 2  # 20 confusions and 20 arguments, 10 of each
    assert (
        "Missed calls, and the extra calls made in the same cases\nexpected    called instead"
        in text
    )
    assert "wanted_09   got_09" in text
    assert "wanted_10   got_10" not in text


def test_the_settings_are_named(many: Results) -> None:
    settings = Settings(mode=Mode.FLEXIBLE, argument_match_threshold=0.75, order="in_order")
    results = Results(settings=settings, summary=many.summary)

    assert "20 cases, flexible (≥ 0.75), in order" in write_text(results)


@pytest.mark.parametrize("width", [80, 120])
def test_the_report_fits_the_terminal(results: Results, width: int) -> None:
    assert max(map(display_width, rendered(results, width=width).split("\n"))) <= width


def test_the_report_is_coloured_on_a_terminal(results: Results) -> None:
    plain, coloured = rendered(results, width=100), rendered(results, width=100, colour=True)

    assert "\x1b[" not in plain
    assert "\x1b[1;32mGood" in coloured


@pytest.mark.parametrize(
    ("fixture", "colour_and_score"),
    [("passing", "\x1b[32m100.0% Perfect match"), ("failing", "\x1b[31m40.0% Poor")],
)
def test_a_case_is_coloured_by_its_score(
    fixture: str, colour_and_score: str, request: pytest.FixtureRequest
) -> None:
    case = CaseScore(id="case", score=request.getfixturevalue(fixture))
    results = Results(settings=Settings(), summary=Summary(), cases=(case,))

    assert colour_and_score in rendered(results, width=80, colour=True)


def test_what_stands_in_the_data_is_shown_and_not_obeyed(hostile: Results) -> None:
    text = rendered(hostile, width=140, colour=True)

    assert "\\u001b[31m[red]|`<b>:smile:\\u0000" in text
    assert "\x1b[31m[red]" not in text
    assert "\x00" not in text


def test_however_narrow_the_terminal_there_is_something_of_every_name(forbidding: Results) -> None:
    text = rendered(forbidding, width=30)

    assert max(map(display_width, text.split("\n"))) <= 30


def test_on_a_narrow_terminal_long_names_give_way_to_the_numbers() -> None:
    wanted, called = ToolCall("wanted_" + "x" * 60, {}), ToolCall("called_" + "y" * 60, {})
    summary = Summary()
    summary.add(score_calls((wanted,), (called,), Settings()))

    text = rendered(Results(settings=Settings(), summary=summary), width=80)

    tools = text[text.index("\nTools\n") : text.index("\nMissed calls")]
    assert all(f"\n{call.name}\n" in tools for call in (wanted, called))
    assert " times" in text
    assert max(map(display_width, text.split("\n"))) <= 80


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("trials", [8, 12, 200])
def test_however_many_trials_there_are_their_table_can_be_read(
    passing: Score, width: int, trials: int
) -> None:
    summary = Summary()
    for _ in range(trials):
        summary.add(passing, trial_of="news")

    text = rendered(Results(settings=Settings(), summary=summary), width=width)

    table = text.split("Repeated trials\n")[1].split("\n\n")[0]
    assert f" k={trials}" in table
    assert "…" not in table
    assert max(map(display_width, table.split("\n"))) <= width


def test_where_faults_are_in_cases_that_are_not_shown_it_is_said_how_to_find_them(
    forbidding: Results,
) -> None:
    hidden = replace(forbidding, cases=())

    assert "details:" not in write_text(forbidding)
    assert write_text(hidden).endswith("unknown tool           1\ndetails: callscore check\n")


METRICS = """\
Metrics of other tools
                                               not
metric                    mean   scored   scorable
callscore, macro F1      0.700        2          0
ragas.tool_call_f1       0.700        2          0
tool_scorer.score        1.000        2          0
azure.navigation_match       –        0          2
! azure.navigation_match: 2 cases not scorable (Azure wants else)

"""


def test_what_other_tools_say_stands_below_the_totals(asked: Results) -> None:
    text = write_text(asked)

    assert METRICS in text
    assert text.index(METRICS) < text.index("\nTools\n")


def test_what_other_tools_say_of_a_case_stands_beside_its_own_score(asked: Results) -> None:
    assert (
        "news   failed   40.0% Poor   precision 33.3%, recall 50.0%\n"
        "  0.400 ragas.tool_call_f1   1.000 tool_scorer.score       – azure.navigation_match\n"
        "  Expected  "
    ) in write_text(asked)


def test_on_a_narrow_terminal_the_numbers_of_a_case_stand_in_columns(asked: Results) -> None:
    text = rendered(asked, width=60)

    assert (
        "  0.400 ragas.tool_call_f1\n  1.000 tool_scorer.score\n      – azure.navigation_match\n"
    ) in "\n".join(line.rstrip() for line in text.splitlines())


def test_with_other_settings_it_is_said_that_other_tools_know_none(asked: Results) -> None:
    text = write_text(replace(asked, settings=Settings(mode=Mode.FLEXIBLE)))

    assert "callscore, macro F1, settings as above   0.700        2          0\n" in text
    assert "\nThe settings apply only to the first row. The other metrics get all calls" in text
    assert "The settings are those" not in write_text(asked)


def test_on_a_narrow_terminal_no_header_and_no_name_of_a_metric_is_cut(asked: Results) -> None:
    long = "deepeval.tool_correctness:input_parameters=true,should_consider_ordering=true"
    values = (MetricValue(long, 0.5), MetricValue("ragas.tool_call_f1", 1.0))
    metrics = (MetricResult(long, 0.5, 2), MetricResult("ragas.tool_call_f1", 1.0, 2))
    cases = (replace(asked.cases[0], metrics=values),)

    text = rendered(replace(asked, metrics=metrics, cases=cases), width=78)
    narrow = rendered(replace(asked, metrics=metrics, cases=cases), width=30)

    assert "metric                 mean   scored   scorable\n" in text
    assert f"\n{long}\n                      0.500        2          0\n" in text
    assert "metric  mean scored scorable\n" in narrow
    assert f"\n  0.500\n  {long}\n".replace("\n", "") in narrow.replace("\n", "")
    assert "ragas.tool_call_f1\n       1.000      2        0\n" in narrow
    assert "tool_call_f1 \n" not in narrow


def test_what_other_tools_say_can_be_read_in_russian(asked: Results) -> None:
    text = write_text(asked, lang="ru")

    assert "Метрики других фреймворков" in text
    assert "! azure.navigation_match: 2 случая без оценки (Azure wants else)" in text


SINGLE = """\
trace.json   failed   40.0% Poor   precision 33.3%, recall 50.0%
Many tool calls are incorrect, missing or extra.
1 correct, 1 incorrect, 0 missed, 1 extra
strict, any order

  Expected                Actual
= searchWeb(query="AI")   searchWeb(query="AI")
~ summarize               summarize
  ~ text: "long"            text: "short"
+                         translateText(to="ru")

! 1 case not scored: no expected calls given (draft)
"""


def single(score: Score) -> Results:
    """A report about one case, which has no id."""
    summary = Summary()
    summary.add(score)
    return Results(
        settings=score.settings,
        summary=summary,
        only=CaseScore(id="sha-0", score=score),
        title="trace.json",
    )


def test_a_single_case_has_a_compact_report_with_the_title_of_its_file(failing: Score) -> None:
    assert write_text(replace(single(failing), not_scored=Noted(1, ("draft",)))) == SINGLE


def test_a_single_case_is_marked_in_russian(passing: Score) -> None:
    text = write_text(single(passing), lang="ru")

    assert text.startswith("trace.json   пройден   100.0% Полное совпадение   ")
    assert "Все вызовы инструментов точно совпадают с ожидаемыми.\n" in text


def test_a_single_case_without_calls_that_count_has_no_rating() -> None:
    ignored = (Ignored(ToolCall("get", {}), "actual", "read"),)
    score = replace(score_calls((), (), Settings()), ignored=ignored)

    assert write_text(single(score)) == (
        "trace.json   passed   no rating\n"
        "strict, any order\n\n"
        "No call counts under these settings.\n"
        "… 1 actual call not counted: 1 read\n"
    )


def test_every_case_is_marked_as_passed_or_failed(failing: Score, passing: Score) -> None:
    summary = Summary()
    cases = []
    for name, score in (("bad", failing), ("good", passing)):
        summary.add(score)
        cases.append(CaseScore(id=name, score=score))
    text = write_text(Results(settings=Settings(), summary=summary, cases=tuple(cases)))

    assert "\nbad   failed   40.0% Poor   " in text
    assert "\ngood   passed   100.0% Perfect match   " in text


def test_tools_that_look_the_same_are_noted_below_the_tables() -> None:
    summary = Summary()
    expected, actual = ToolCall("search", {}), ToolCall("se\u0430rch", {})
    summary.add(score_calls((expected,), (actual,), Settings()))

    text = rendered(Results(settings=Settings(), summary=summary), width=80)

    note = "looks the same, differs at character 3: U+0061 / U+0430"
    assert text.count(f"search / se\u0430rch: {note}") == 2  # Tools, Missed calls


def test_a_tool_has_one_short_form_in_a_report() -> None:
    summary = Summary()
    names = [f"customer_orders_refund_partial_amount_{place}" for place in ("eu", "us", "uk")]
    calls = [ToolCall(name, {"amount": 1}) for name in names]
    summary.add(score_calls((calls[0],), (calls[1],), Settings()))
    summary.add(score_calls((calls[2],), (ToolCall(names[2], {"amount": 2}),), Settings()))

    text = rendered(Results(settings=Settings(), summary=summary), width=60)

    assert "customer…partial_amount_eu customer…partial_amount_us" in text

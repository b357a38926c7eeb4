"""Reports of scores: JSON, JSON Lines, JUnit and Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from callscore import score_cases
from callscore.core.call import ToolCall
from callscore.core.counted_calls import Ignored
from callscore.core.results import CaseScore, InputFiles, MetricResult, MetricValue, Noted, Results
from callscore.core.score import Fault, Score
from callscore.core.scoring import score_calls
from callscore.core.settings import DEFAULT, Settings
from callscore.core.statistics import Interval
from callscore.core.summary import Summary, ToolCounts
from callscore.reports import score as wording
from callscore.reports.formatting import (
    code,
    forbidden_line,
    metric_cells,
    number_text,
    settings_text,
    turn_notes,
)
from callscore.reports.score import (
    FIXED_TOOL_COLUMNS,
    MOST_TRIAL_COLUMNS,
    MetricRow,
    check_hint,
    count_shown_faults,
    count_text,
    inputs_text,
    interval_text,
    metric_rows,
    not_scorable_notes,
    note_lines,
    rankings,
    rate_table,
    settings_note,
    shown_trials,
)
from callscore.reports.score_junit import write_junit
from callscore.reports.score_markdown import write_markdown
from callscore.words.plain_data import results_to_dict

if TYPE_CHECKING:
    from callscore.core.phrases import Language

NONE = Noted()


def noted(
    *, not_run: Noted = NONE, skipped: Noted = NONE, inputs: tuple[InputFiles, ...] = ()
) -> Results:
    return Results(
        settings=Settings(), summary=Summary(), not_run=not_run, skipped=skipped, inputs=inputs
    )


def test_nothing_out_of_the_ordinary_needs_no_note() -> None:
    assert note_lines(noted(), "en") == []


@pytest.mark.parametrize(
    ("lang", "names"),
    [("en", "a, b, c, d, e, … 95 more"), ("ru", "a, b, c, d, e, … ещё 95")],
)
def test_a_note_names_the_first_few_and_counts_the_rest(lang: Language, names: str) -> None:
    results = noted(not_run=Noted(100, tuple("abcdefgh")))

    assert [line[1] for line in note_lines(results, lang)] == [names]


def test_a_note_without_names_is_a_count_alone() -> None:
    assert note_lines(noted(skipped=Noted(3)), "en") == [("3 records skipped: unreadable", "")]


def test_a_name_in_a_note_is_short_and_on_one_line() -> None:
    results = noted(skipped=Noted(1, ("x\n" * 100,)))

    (line,) = note_lines(results, "en")

    assert len(line[1]) == 100
    assert "\n" not in line[1]


def test_intervals_and_shares_are_given_in_percent() -> None:
    assert interval_text(Interval(0.25, 0.9999)) == "25.0% – 99.9%"
    assert count_text(1, 4, "en") == "1 of 4, 25.0%"
    assert count_text(1, 4, "ru") == "1 из 4, 25.0%"


def alike(left: str, right: str) -> float:
    return float(left == right)


CHANGES: dict[str, tuple[object, str]] = {
    "mode": ("flexible", "flexible (≥ 0.8), any order"),
    "argument_match_threshold": (0.7, "strict, any order"),  # which strict does not look at
    "order": ("exact", "strict, exact order"),
    "extra_arguments": ("count", "strict, any order, extra arguments count"),
    "pass_mark": (0.8, "strict, any order, pass mark 0.8"),
    "strip_prefix": (("mcp__*__",), "strict, any order, prefixes stripped"),
    "normalize_name": (("case",), "strict, any order, names normalized"),
    "count_calls": ("writes", "strict, any order, writes only"),
    "failed_calls": ("ignore", "strict, any order, failed calls ignored"),
    "repeated_calls": ("collapse", "strict, any order, repeats counted once"),
    "arrays": ("unordered", "strict, any order, arrays in any order"),
    "nested_objects": ("subset", "strict, any order, extra keys in objects allowed"),
    "extra_calls": ("reads_free", "strict, any order, extra calls: reads_free"),
    "schema_defaults": ("equal", "strict, any order, schema defaults equal"),
    "turns": ("cumulative", "strict, any order, turns cumulative"),
    "effects": ((("get_*", "read"),), "strict, any order, effects (get_* read)"),
    "arguments": ({"*.query": "text"}, "strict, any order, rules for arguments (*.query text)"),
    "top_k": (3, "strict, any order, best of 3 answers"),
    "similarity": (alike, "strict, any order, custom similarity"),
    "judge": (alike, "strict, any order, with a judge"),
}


@pytest.mark.parametrize("name", Settings.__struct_fields__)
def test_a_setting_is_named_where_it_is_not_as_by_default(name: str) -> None:
    value, text = CHANGES[name]
    settings = Settings(**{name: value})  # type: ignore[arg-type]  # each of its own type

    assert settings_text(DEFAULT, "en") == "strict, any order"
    assert settings_text(settings, "en") == text
    assert settings_text(settings, "ru") != text


def test_forbidden_calls_are_noted_with_their_tools() -> None:
    summary = Summary()
    made = tuple(ToolCall(name, {}) for name in ("drop", "delete", "drop"))
    summary.add(Score((), made, 0, forbidden=(0, 1, 2)))
    summary.add(Score((), made[:1], 0, forbidden=(0,)))
    results = Results(settings=DEFAULT, summary=summary)

    line = ("4 forbidden calls in 2 cases, scored 0", "drop, delete")
    assert forbidden_line(summary, "en") == line
    assert note_lines(results, "en") == [line]
    assert forbidden_line(Summary(), "en") is None


def test_of_many_rules_the_first_are_named_and_the_rest_counted() -> None:
    rules = {f"*.a{number}": "text" for number in range(6)}
    settings = Settings(arguments=rules, effects=(("x" * 50 + "\n", "read"),))  # type: ignore[arg-type]  # a mapping will do

    text = settings_text(settings, "en", write=lambda name: f"<{name}>")

    names = ", ".join(f"<*.a{number} text>" for number in range(4))
    assert f"rules for arguments ({names}, … 2 more)" in text
    assert text.endswith("xxxx\\n read>)")
    assert len(text) < 200
    assert "правила для аргументов (*.a0 text" in settings_text(settings, "ru")


@pytest.mark.parametrize(
    ("cases", "en", "ru"),
    [
        (
            1,
            "1 case without calls that count: passed, no rating",
            "1 случай без учитываемых вызовов: пройден, без уровня",
        ),
        (
            59,
            "59 cases without calls that count: passed, no rating",
            "59 случаев без учитываемых вызовов: пройдены, без уровня",
        ),
    ],
)
def test_cases_in_which_no_call_counts_are_noted(cases: int, en: str, ru: str) -> None:
    summary = Summary()
    for _ in range(cases):
        summary.add(Score((), (), 0, ignored=(Ignored(ToolCall("get", {}), "actual", "read"),)))
    results = Results(settings=DEFAULT, summary=summary)

    assert summary.passed == cases
    assert note_lines(results, "en") == [(en, "")]
    assert note_lines(results, "ru") == [(ru, "")]


def test_faults_in_cases_that_are_not_shown_can_be_found() -> None:
    calls = (ToolCall("f", {}),)
    score = Score(calls, calls, 1, faults=(Fault("unknown_tool", "f", 0),))
    summary = Summary()
    summary.add(score)
    shown = CaseScore(id="a", score=score)

    results = Results(settings=DEFAULT, summary=summary, cases=(shown,))
    faults = count_shown_faults(results)
    assert check_hint(Results(settings=DEFAULT, summary=Summary()), 0, "en") is None
    assert check_hint(results, faults, "en") is None
    summary.add(score)
    assert check_hint(results, faults, "en") == "details: callscore check"
    assert check_hint(results, faults, "ru") == "подробности: callscore check"


TABLES = """\

|  | F1 | precision | recall |
| --- | ---: | ---: | ---: |
| macro, mean over cases | 70.0% | 66.7% | 75.0% |
| micro, calls pooled | 57.1% | 50.0% | 66.7% |

- trials passed: 1 of 2, 50.0%
- trials exact: 1 of 2, 50.0% (95% interval 5.5% – 94.5%)
- calls: 3 expected, 4 actual; 2 correct, 1 incorrect, 0 missed, 1 extra

- **1 case not scored: no expected calls given** (`draft`)
- **7 cases without an answer: not passed, and 0 in the macro means** (`r1, r2, r3, r4, r5, … 2 more`)
- **2 traces not scored: no reference** (`t1, t2`)
- **1 case with a repeated id and trial, also scored** (`news #0`)
- **1 record skipped: unreadable** (`traces.jsonl:812`)

### Repeated trials

|  | k=1 | k=2 |
| --- | ---: | ---: |
| pass@k | 0.500 | 1.000 |
| pass^k | 0.500 | 0.000 |

### Tools

| tool | expected | correct | incorrect | missed | extra |
| --- | ---: | ---: | ---: | ---: | ---: |
| `summarize` | 1 | 0 | 1 | 0 | 0 |
| `translateText` | 0 | 0 | 0 | 0 | 1 |
| `searchWeb` | 2 | 2 | 0 | 0 | 0 |

### Arguments most often wrong

| tool | argument | times |
| --- | --- | ---: |
| `summarize` | `text` | 1 |

<details><summary><code>news &#35;0</code> failed. \
Accuracy Score: 40.0% | Correct: 1/2 | Incorrect: 1 | Missed: 0 | Extra: 1</summary>

```diff
  Expected                Actual
= searchWeb(query="AI")   searchWeb(query="AI")
~ summarize               summarize
  ~ text: "long"            text: "short"
+                         translateText(to="ru")
```

</details>

… 2 trials not shown; --max-shown shows more
"""


def test_the_report_is_headline_totals_tables_and_folded_cases(results: Results) -> None:
    incomplete, text = write_markdown(results).split("\n\n", 1)

    assert incomplete == (
        "- **Incomplete: stopped at 1 record that cannot be read; the rest of the input is not in this"
        " report** (`traces.jsonl:900: not JSON`)"
    )
    assert text.startswith(
        "## Macro F1 70.0%: Good\n\nMost tool calls are correct.\n\n"
        "1 case, 2 trials, strict, any order\n"
    )
    assert text.split("\n", 5)[5] == TABLES


FORBIDDING = """\
- **1 forbidden call in 1 case, scored 0** (`translateText`)

### Tools

| tool | expected | correct | incorrect | missed | extra | forbidden | unknown arguments |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| `translateText` | 0 | 0 | 0 | 0 | 1 | 1 | 0 |
| `summarize` | 1 | 0 | 1 | 0 | 0 | 0 | 1 |
| `searchWeb` | 2 | 2 | 0 | 0 | 0 | 0 | 0 |

### Arguments most often wrong

| tool | argument | times |
| --- | --- | ---: |
| `summarize` | `text` | 1 |

### Schema checks

- valid calls: 2 of 4, 50.0%

| tool | fault | times |
| --- | --- | ---: |
| `summarize` | unknown argument | 1 |
| `translateText` | unknown tool | 1 |

<details><summary><code>news</code> failed. Accuracy Score: 0.0% | Correct: 1/2 | Incorrect: 1 | Missed: 0 \
| Extra: 1 | Forbidden: 1</summary>

```diff
  Expected                Actual
= searchWeb(query="AI")   searchWeb(query="AI")
~ summarize               summarize
  ~ text: "long"            text: "short"
! forbidden               translateText(to="ru")
  … 1 actual call not counted: 1 read
  Schema errors:
    call 2 of the trace, summarize: n: not in the schema (value 5)
    call 3 of the trace, translateText: unknown tool
```

</details>
"""


def test_forbidden_calls_and_faults_have_their_places(forbidding: Results) -> None:
    text = write_markdown(forbidding)

    assert text.startswith(
        "## Macro F1 50.0%: Moderate\n\nSome tool calls are incorrect, missing or extra.\n\n"
        "2 cases, strict, any order, writes only\n"
    )
    assert text.endswith(FORBIDDING)


def test_the_headline_of_enough_cases_has_an_interval(many: Results) -> None:
    assert write_markdown(many).startswith(
        "## Macro F1 0.0%: Poor\n\nMany tool calls are incorrect, missing or extra.\n\n"
        "20 cases, strict, any order, 95% interval 0.0% – 16.1%\n"
    )


def test_a_report_can_be_had_in_russian(results: Results) -> None:
    incomplete, text = write_markdown(results, lang="ru").split("\n\n", 1)

    assert incomplete.startswith("- **Отчёт неполный: чтение остановлено")
    assert text.startswith(
        "## Macro F1 70.0%: Хорошо\n\nБольшинство вызовов инструментов корректны.\n\n1 случай, 2 попытки, "
    )
    assert "| инструмент | ожидалось | верно | неверно | пропущено | лишних |" in text


def test_nothing_scored_is_said_in_one_sentence(nothing: Results) -> None:
    assert write_markdown(nothing) == "## No case was scored.\n"


def test_a_long_table_is_cut_and_says_how_much_is_left(many: Results) -> None:
    text = write_markdown(many)

    assert text.count("\n… 45 more\n") == 1
    assert "| expected | called instead | times |" in text
    assert "| `wanted_09` | `got_09` | 1 |" in text
    assert "`wanted_10` |" not in text.split("### Missed calls, and the extra calls")[1]


def test_what_stands_in_the_data_can_not_break_out_of_its_cell(hostile: Results) -> None:
    text = write_markdown(hostile)
    rows = [line for line in text.split("\n") if line.startswith("| <code>")]

    name = "&#92;u001b&#91;31m&#91;red&#93;&#124;&#96;&#60;b&#62;&#58;smile&#58;&#92;u0000"
    assert rows[0] == f"| <code>{name}</code> | 1 | 0 | 1 | 0 | 0 |"
    assert "\x1b" not in text
    assert text.split("\n").count("</details>") == 1


def test_a_fence_is_longer_than_any_run_of_backticks_inside(hostile: Results) -> None:
    lines = write_markdown(hostile).split("\n")

    fences = [line for line in lines if line.startswith("`" * 4)]

    assert fences == ["````diff", "````"]


def test_an_empty_name_is_still_a_cell(failing: Score) -> None:
    summary = Summary()
    summary.tool("").extra += 1
    summary.add(failing)
    summary.add(failing)
    results = Results(
        settings=Settings(), summary=summary, cases=(CaseScore(id="", score=failing),)
    )

    assert "| `''` | 0 | 0 | 0 | 0 | 1 |" in write_markdown(results)


def test_patterns_in_the_settings_are_no_markup(passing: Score) -> None:
    rules = {"*.date": "date", "*.<b>": "text"}
    settings = Settings(arguments=rules)  # type: ignore[arg-type]  # a mapping will do
    summary = Summary()
    summary.add(passing)

    text = write_markdown(Results(settings=settings, summary=summary))

    assert "(`*.date date`, <code>&#42;&#46;&#60;b&#62; text</code>)" in text


def test_of_many_trials_only_some_are_shown(passing: Score) -> None:
    summary = Summary()
    for _ in range(20):
        summary.add(passing, trial_of="news")

    text = write_markdown(Results(settings=Settings(), summary=summary))

    assert "|  | k=1 | k=2 | k=3 | k=4 | k=5 | k=8 | k=16 | k=20 |" in text


def test_where_faults_are_in_cases_that_are_not_shown_it_is_said_how_to_find_them(
    forbidding: Results,
) -> None:
    assert "details:" not in write_markdown(forbidding)
    assert write_markdown(replace(forbidding, cases=())).endswith(
        "\n\ndetails: `callscore check`\n"
    )


def test_what_other_tools_say_is_a_table_and_a_line_of_each_case(asked: Results) -> None:
    text = write_markdown(asked)

    assert (
        "### Metrics of other tools\n\n"
        "| metric | mean | scored | not scorable |\n"
        "| --- | ---: | ---: | ---: |\n"
        "| callscore, macro F1 | 0.700 | 2 | 0 |\n"
        "| `ragas.tool_call_f1` | 0.700 | 2 | 0 |\n"
        "| `tool_scorer.score` | 1.000 | 2 | 0 |\n"
        "| `azure.navigation_match` | – | 0 | 2 |\n\n"
        "- **`azure.navigation_match`: 2 cases not scorable** (`Azure wants else`)\n\n"
    ) in text
    assert (
        "</summary>\n\n`ragas.tool_call_f1` 0.400, `tool_scorer.score` 1.000,"
        " `azure.navigation_match` –\n\n```diff\n"
    ) in text


def test_with_other_settings_it_is_said_that_other_tools_know_none(asked: Results) -> None:
    settings = Settings(count_calls="writes")

    text = write_markdown(replace(asked, settings=settings))
    assert "The settings apply only to the first row" in text
    assert "| callscore, macro F1, settings as above | 0.700 |" in text
    assert "not scorable**" not in write_markdown(replace(asked, metrics=asked.metrics[:1]))


# What other tools say, in rows and lines.


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (1.0, "1.000"),
        (0.9999999999999999, "1.000"),
        (0.99999, "0.999"),
        (1 - 1e-11, "0.999"),
        (0.00001, "0.001"),
        (1e-17, "0.000"),
        (2 / 3, "0.667"),
        (-0.25, "-0.250"),
    ],
)
def test_a_number_is_1_or_0_only_where_it_is(value: float | None, text: str) -> None:
    assert number_text(value) == text


def test_our_own_mean_is_the_first_row(asked: Results) -> None:
    own, *others = metric_rows(asked, "en")

    assert own == MetricRow("callscore, macro F1", "0.700", 2, 0)
    assert [row.name for row in others] == [metric.name for metric in asked.metrics]


def test_without_metrics_there_are_no_rows(results: Results) -> None:
    assert metric_rows(results, "en") == []


def test_metrics_that_refuse_the_same_cases_are_named_together() -> None:
    why = Noted(3, ("one.", "two.", "three."))
    metrics = [MetricResult(f"m{number}", None, 0, why) for number in range(6)]

    assert not_scorable_notes([*metrics, MetricResult("fine", 1.0, 3)], "en") == [
        ("m0, m1, m2, m3, … 2 more: 3 cases not scorable", "one; two; … 1 more")
    ]


def test_the_numbers_of_a_case_stand_in_one_line_where_there_is_room() -> None:
    values = [MetricValue("a.b", 0.5), MetricValue("c.defg", None, "why")]

    cells = [("0.500", "a.b"), ("    –", "c.defg")]
    assert metric_cells(values, 24) == [cells]
    assert metric_cells(values, 23) == [[cells[0]], [cells[1]]]


def test_in_several_lines_they_stand_in_columns() -> None:
    values = [MetricValue("a" * length, 1.0) for length in (3, 5, 4)]

    lines = metric_cells(values, 30)

    assert lines == [[("1.000", "aaa  "), ("1.000", "aaaaa")], [("1.000", "aaaa")]]


def test_a_name_that_is_longer_than_the_line_stays_whole() -> None:
    ((cell,),) = metric_cells([MetricValue("a" * 20 + "b", 1.0)], 12)

    assert cell == ("1.000", "a" * 20 + "b")


def test_with_other_settings_the_first_row_says_so(asked: Results) -> None:
    changed = replace(asked, settings=Settings(count_calls="writes"))

    assert metric_rows(changed, "en")[0].name == "callscore, macro F1, settings as above"
    assert metric_rows(changed, "ru")[0].name == "callscore, macro F1, настройки как выше"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (Settings(), ""),
        (Settings(count_calls="writes"), "The other metrics get all calls as they were read."),
        (Settings(top_k=2), "all calls of the first answer, as they were read."),
    ],
)
def test_it_is_said_what_other_tools_are_given(
    asked: Results, settings: Settings, said: str
) -> None:
    line = settings_note(replace(asked, settings=settings), "en")

    assert line == said or (said and line.endswith(said))


# The columns of the table of tools.


def test_the_columns_that_are_always_there_come_first() -> None:
    counts = ToolCounts(correct=1, incorrect=2, missed=3, extra=4)

    ranking = rankings(Summary(tools={"f": counts, "g": ToolCounts()}), "en")[0]
    columns = ranking.columns

    assert ranking.names == [("f",), ("g",)]
    assert [column.counts for column in columns] == [[6, 0], [1, 0], [2, 0], [3, 0], [4, 0]]
    assert len(columns) == FIXED_TOOL_COLUMNS


def test_what_there_seldom_is_has_a_column_only_where_there_is_any() -> None:
    summary = Summary(
        tools={"f": ToolCounts(extra=2, forbidden=2), "g": ToolCounts(correct=1)},
        faults={("g", "unknown_argument"): 3, ("g", "wrong_type"): 5},
        checked_cases=1,
    )

    columns = rankings(summary, "en")[0].columns

    seldom = [(column.label, column.counts) for column in columns[FIXED_TOOL_COLUMNS:]]
    assert seldom == [(wording.FORBIDDEN, [2, 0]), (wording.UNKNOWN_ARGUMENTS, [0, 3])]


def test_schemas_without_unknown_arguments_need_no_column() -> None:
    summary = Summary(tools={"f": ToolCounts(correct=1)}, checked_cases=1, checked_calls=1)

    assert len(rankings(summary, "en")[0].columns) == FIXED_TOOL_COLUMNS


# The table of repeated trials.

CALLS = (ToolCall("f", {}),)
RIGHT, WRONG = Score(CALLS, CALLS, 1), Score(CALLS, (), 0)


def tried(trials: int) -> Summary:
    """One case, of which all trials but one pass."""
    summary = Summary()
    for number in range(trials):
        summary.add(WRONG if number == 0 else RIGHT, trial_of="case")
    return summary


def test_without_trials_there_is_no_table() -> None:
    assert rate_table([], []) == ([], [])


def test_few_trials_are_all_shown() -> None:
    summary = tried(2)

    labels, rows = rate_table(summary.pass_at_k(), summary.pass_hat_k())

    assert labels == ["k=1", "k=2"]
    assert rows == [("pass@k", "0.500", "1.000"), ("pass^k", "0.500", "0.000")]


def test_of_many_trials_each_column_has_its_own_number() -> None:
    summary = tried(12)

    labels, (_, (_, *rates)) = rate_table(summary.pass_at_k(), summary.pass_hat_k())

    assert labels == ["k=1", "k=2", "k=3", "k=4", "k=5", "k=6", "k=8", "k=12"]
    assert rates[-2] == f"{summary.pass_hat_k()[7]:.3f}"
    assert rates[-1] == "0.000"


@pytest.mark.parametrize(
    ("trials", "most", "shown"),
    [
        (8, 8, [1, 2, 3, 4, 5, 6, 7, 8]),
        (64, 8, [1, 2, 3, 4, 8, 16, 32, 64]),
        (12, 6, [1, 2, 3, 4, 8, 12]),
        (1000, 8, [1, 3, 9, 27, 81, 243, 729, 1000]),
        (5, 0, [1, 5]),
    ],
)
def test_the_first_ones_then_ever_greater_steps_and_the_last(
    trials: int, most: int, shown: list[int]
) -> None:
    assert shown_trials(trials, most=most) == shown


@given(st.integers(1, 3000), st.integers(2, MOST_TRIAL_COLUMNS))
def test_the_first_and_the_last_are_always_among_those_shown(trials: int, most: int) -> None:
    shown = shown_trials(trials, most=most)

    assert shown == sorted(set(shown))
    assert (shown[0], shown[-1]) == (1, trials)
    assert len(shown) == min(trials, most) or len(shown) > most // 2
    assert len(shown) <= most


def test_a_single_case_has_a_compact_report(failing: Score) -> None:
    summary = Summary()
    summary.add(failing)
    case = CaseScore(id="sha-0", score=failing)
    results = Results(
        settings=Settings(), summary=summary, cases=(case,), only=case, title="trace.json"
    )

    text = write_markdown(results)

    assert text.startswith(
        "## `trace.json` failed: 40.0% Poor\n\nMany tool calls are incorrect, missing or extra.\n\n"
        "1 correct, 1 incorrect, 0 missed, 1 extra\n\n"
        "precision 33.3%, recall 50.0%; strict, any order\n\n```diff\n"
    )
    assert "macro" not in text
    assert "interval" not in text
    assert '<testcase classname="callscore" name="trace.json">' in write_junit(results)


def test_cases_without_calls_that_count_have_no_rating() -> None:
    ignored = (Ignored(ToolCall("get", {}), "actual", "read"),)
    score = replace(score_calls((), (), Settings()), ignored=ignored)
    summary = Summary()
    summary.add(score)
    summary.add(score)
    results = Results(settings=Settings(), summary=summary)

    assert write_markdown(results).startswith(
        "## Macro F1 100.0%: no rating\n\nNo call counts under these settings.\n\n2 cases"
    )
    assert results_to_dict(results)["totals"]["rating"] is None
    assert score.rating is None


def test_trials_are_counted_as_trials(results: Results) -> None:
    summary = results.summary
    summary.uncounted_cases = 2
    ignored = Noted(3, ("Azure wants else.",))
    metrics = (MetricResult("azure.navigation_match", None, 0, ignored),)

    text = write_markdown(replace(results, metrics=metrics))

    assert "1 case, 2 trials, " in text
    assert "2 trials without calls that count: passed, no rating" in text
    assert "`azure.navigation_match`: 3 trials not scorable" in text
    assert str(results) == (
        "Macro F1: 70.0% | Cases: 1 | Trials: 2 | Passed: 1 | Exact: 1 | Unreadable: 1"
    )


def read_from(*inputs: tuple[tuple[str, ...], Noted]) -> Results:
    return noted(inputs=tuple([InputFiles(formats, files) for formats, files in inputs]))


def test_the_format_of_each_input_is_named() -> None:
    golden, run = Noted(1, ("golden.jsonl",)), Noted(1, ("run.json",))
    mixed = ("cases", "openai_chat", "gemini")
    many = (("openai_chat", "anthropic"), Noted(42, ("a", "b")))

    assert inputs_text(read_from(), "en") == ""
    assert inputs_text(read_from((("generic",), golden), (("anthropic",), run)), "en") == (
        "read golden.jsonl as generic, run.json as anthropic"
    )
    assert inputs_text(read_from((mixed, golden)), "en", write=code) == (
        "read `golden.jsonl` as cases with openai_chat + gemini"
    )
    assert inputs_text(read_from(many), "en") == "read 42 files as openai_chat + anthropic"
    assert inputs_text(read_from(many, (mixed, run)), "ru") == (
        "прочитано: 42 файла как openai_chat + anthropic, run.json как cases с openai_chat + gemini"
    )


def test_the_formats_of_a_mixed_input_are_limited() -> None:
    inputs = [((name,), Noted(1, (f"{name}.json",))) for name in "abcdefgh"]

    assert inputs_text(read_from(*inputs), "en") == (
        "read a.json as a, b.json as b, c.json as c, d.json as d, e.json as e, f.json as f, … 2 more"
    )


def test_the_first_wrong_turns_are_noted_with_those_compared_as_one() -> None:
    summary = Summary(turn_cases=12, joined_turn_cases=1, wrong_turns={2: 5, 1: 3})

    assert turn_notes(summary, "en") == [
        ("a turn went wrong in 8 of 12 cases with turns", "first in turn 1: 3, turn 2: 5"),
        ("1 case with turns compared as one: the trace does not say where a turn begins", ""),
    ]
    assert turn_notes(summary, "ru")[0] == (
        "неверный ход есть в 8 из 12 случаев с ходами",
        "первый: ход 1 — 3, ход 2 — 5",
    )
    assert turn_notes(Summary(turn_cases=3), "en") == []
    only = Summary(turn_cases=1, wrong_turns={2: 1})
    assert turn_notes(only, "en")[0][0] == "a turn went wrong in the only case with turns"
    assert turn_notes(only, "ru")[0][0] == "неверный ход есть в единственном случае с ходами"
    many = Summary(turn_cases=20, wrong_turns=dict.fromkeys(range(1, 13), 1))
    assert turn_notes(many, "en")[0][1].endswith("turn 10: 1, … 2 more")


def test_precision_is_left_out_if_it_is_1_whatever_was_called() -> None:
    cases = [{"id": name, "expected": [["f", {"n": 1}]], "actual": [["f", {}]]} for name in "ab"]
    free, counted = score_cases(cases, settings=Settings(extra_calls="free")), score_cases(cases)

    assert wording.rate_rows(free, "en")[0][1:] == ["0.0%", "–", "0.0%"]
    assert wording.rate_rows(counted, "en")[0][1:] == ["0.0%", "0.0%", "0.0%"]
    assert wording.score_parts(free.cases[0].score, "en") == ("0.0% Poor", "recall 0.0%")
    assert "precision 1" not in write_markdown(free)


def test_the_end_state_is_not_named_like_a_tool() -> None:
    state = ToolCounts(incorrect=1)
    summary = Summary(
        tools={"end_state": state, "f": ToolCounts(correct=1)},
        wrong_arguments={("end_state", "n"): 1},
        confusion={("end_state", "f"): 1},
    )

    names = [ranking.names for ranking in rankings(summary, "en")]

    assert names == [[("End state",), ("f",)], [("End state", "f")], [("End state", "n")]]
    assert rankings(summary, "ru")[0].names[0] == ("Конечное состояние",)

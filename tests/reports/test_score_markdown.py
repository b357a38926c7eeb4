from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from callscore.core.results import CaseScore, Results
from callscore.core.settings import Settings
from callscore.core.summary import Summary
from callscore.reports.score import write_markdown

if TYPE_CHECKING:
    from callscore.core.score import Score

TABLES = """\

|  | F1 | precision | recall |
| --- | ---: | ---: | ---: |
| macro, mean over cases | 70.0% | 66.7% | 75.0% |
| micro, calls pooled | 57.1% | 50.0% | 66.7% |

- cases passed: 1 of 2, 50.0%
- cases exact: 1 of 2, 50.0% (95% interval 5.5% – 94.5%)
- calls: 3 expected, 4 actual; 2 correct, 1 incorrect, 0 missed, 1 extra

- **1 case not scored: no expected calls are given** (`draft`)
- **7 references not run: there is no trace** (`r1, r2, r3, r4, r5, … 2 more`)
- **2 traces not scored: there is no reference** (`t1, t2`)
- **1 case with an id and trial seen before, scored all the same** (`news #0`)
- **1 record skipped: not readable** (`traces.jsonl:812`)
- **stopped early, at 1 record that cannot be read; what follows is not in this report** \
(`traces.jsonl:900: not JSON`)

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

<details><summary><code>news &#35;0</code> \
Accuracy Score: 40.0% | Correct: 1/2 | Incorrect: 1 | Missed: 0 | Extra: 1</summary>

```diff
  Expected                Actual
= searchWeb(query="AI")   searchWeb(query="AI")
~ summarize               summarize
  ~ text: "long"            text: "short"
+                         translateText(to="ru")
```

</details>

… 2 cases not shown; --limit shows more
"""  # noqa: RUF001  (a range takes an en dash)


def test_the_report_is_headline_totals_tables_and_folded_cases(results: Results) -> None:
    text = write_markdown(results)

    assert text.startswith("## Macro F1 70.0%: Good\n\n2 cases, strict, any order\n")
    assert text.split("\n", 3)[3] == TABLES


FORBIDDING = """\
- **1 forbidden call, in 1 case: such a case scores 0** (`translateText`)

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

### Checks by the tools' schemas

- calls valid: 2 of 4, 50.0%

| tool | failure | times |
| --- | --- | ---: |
| `summarize` | unknown argument | 1 |
| `translateText` | unknown tool | 1 |

<details><summary><code>news</code> Accuracy Score: 0.0% | Correct: 1/2 | Incorrect: 1 | Missed: 0 \
| Extra: 1 | Forbidden: 1</summary>

```diff
  Expected                Actual
= searchWeb(query="AI")   searchWeb(query="AI")
~ summarize               summarize
  ~ text: "long"            text: "short"
! forbidden               translateText(to="ru")
  … 1 actual call not counted: 1 read
  By the tools' schemas:
    call 2 of the trace, summarize: n: not known to the schema (value 5)
    call 3 of the trace, translateText: there is no such tool
```

</details>
"""


def test_forbidden_calls_and_faults_have_their_places(forbidding: Results) -> None:
    text = write_markdown(forbidding)

    assert text.startswith(
        "## Macro F1 50.0%: Moderate\n\n2 cases, strict, any order, writes only\n"
    )
    assert text.endswith(FORBIDDING)


def test_the_headline_of_enough_cases_has_an_interval(many: Results) -> None:
    assert write_markdown(many).startswith(
        "## Macro F1 0.0%: Poor\n\n20 cases, strict, any order, 95% interval 0.0% – 16.1%\n"  # noqa: RUF001  (a range)
    )


def test_a_report_can_be_had_in_russian(results: Results) -> None:
    text = write_markdown(results, lang="ru")

    assert text.startswith("## Macro F1 70.0%: Хорошо\n\n2 случая, ")
    assert "| инструмент | эталон | верно | неверно | пропущено | лишние |" in text


def test_nothing_scored_is_said_in_one_sentence(nothing: Results) -> None:
    assert write_markdown(nothing) == "## No case was scored.\n"


def test_a_long_table_is_cut_and_says_how_much_is_left(many: Results) -> None:
    text = write_markdown(many)

    assert text.count("\n… 45 more\n") == 1
    assert "| expected | made instead | times |" in text
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
    results = Results(
        settings=Settings(), summary=summary, cases=(CaseScore(id="", score=failing),)
    )

    assert "| <code></code> | 0 | 0 | 0 | 0 | 1 |" in write_markdown(results)


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
    assert "shows where" not in write_markdown(forbidding)
    assert write_markdown(replace(forbidding, cases=())).endswith(
        "\n\n`callscore check` shows where\n"
    )


def test_what_other_tools_say_is_a_table_and_a_line_of_each_case(asked: Results) -> None:
    text = write_markdown(asked)

    assert (
        "### Other tools' numbers\n\n"
        "| metric | mean | cases scored | not scorable |\n"
        "| --- | ---: | ---: | ---: |\n"
        "| callscore, macro F1 | 0.700 | 2 | 0 |\n"
        "| `ragas.tool_call_f1` | 0.700 | 2 | 0 |\n"
        "| `tool_scorer.score` | 1.000 | 2 | 0 |\n"
        "| `azure.navigation_match` | – | 0 | 2 |\n\n"  # noqa: RUF001  (a dash)
        "- **`azure.navigation_match`: 2 cases not scorable** (`Azure wants else`)\n\n"
    ) in text
    assert (
        "</summary>\n\n`ragas.tool_call_f1` 0.400, `tool_scorer.score` 1.000,"
        " `azure.navigation_match` –\n\n```diff\n"  # noqa: RUF001  (a dash)
    ) in text


def test_with_other_settings_it_is_said_that_other_tools_know_none(asked: Results) -> None:
    settings = Settings(count_calls="writes")

    text = write_markdown(replace(asked, settings=settings))
    assert "The settings are those of the first row alone" in text
    assert "| callscore, macro F1, settings as above | 0.700 |" in text
    assert "not scorable**" not in write_markdown(replace(asked, metrics=asked.metrics[:1]))

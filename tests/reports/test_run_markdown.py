"""What a run gave, as Markdown."""

from __future__ import annotations

import re

from msgspec.structs import replace
from tests.reports.runs import ATTACKED, FINE, MIXED, NOTHING, VARIANTS

from callscore.core.call import ToolCall
from callscore.core.results import CaseValues, MetricValue, RunResults
from callscore.reports.run import write_markdown

FINE_REPORT = """\
## All 3 passed

3 answers in 31 ms\x20\x20
run `20261115-184354-k3f9`

### `assistant`

`examples/assistant/eval_assistant.py:12`\x20\x20
3 cases, strict, any order, median < 1 ms

| scorer | mean | passed |
| --- | ---: | ---: |
| `tool_called` | 1.000 | 3/3 |
| `parameters_valid` | 1.000 | 3/3 |
"""


def test_a_run_that_is_fine_is_a_headline_and_a_table() -> None:
    assert write_markdown(FINE) == FINE_REPORT


def test_the_verdict_is_the_headline() -> None:
    first, *_ = write_markdown(MIXED).split("\n")

    assert first == (
        "## 3 of 7 passed, 4 failed, 4 errors, 1 without a number, 1 skipped, interrupted: 2 unanswered"
    )
    assert write_markdown(NOTHING) == "## Nothing was run.\n"
    assert write_markdown(VARIANTS, lang="ru").startswith(
        "## пройдено 15 из 18, не пройдено 3, 1 ошибка\n"
    )


def test_a_table_says_which_thresholds_are_missed() -> None:
    text = write_markdown(MIXED)

    assert "| scorer | mean | passed | threshold |" in text
    assert "| `parameters_valid` | 0.950 | 4/5 | ≥ 0.900 |" in text
    assert "| `accuracy` | 0.667 | 2/5 | < 0.900 |" in text
    assert "- **`polite` has no number for 5 cases** (`the scorer raised KeyError: 'text'`)" in text


def test_cases_and_errors_are_folded_in() -> None:
    text = write_markdown(MIXED)

    assert "paris</code> failed, assistant</summary>\n\n`tool_called` 1.000" in text
    assert '  ~ location: "Paris"     location: "Lyon"' in text
    assert "km</code> error: timeout, 3 attempts, assistant</summary>" in text
    assert "```text\nno answer within 60 seconds\n```" in text
    assert 'File "evals/eval_assistant.py", line 31, in assistant\n    raise' in text
    assert "</code> cannot be used</summary>\n\n```text\nModuleNotFoundError" in text
    assert "\n… 2 cases not shown; --most shows more\n" in text
    assert "\n… 1 error more\n" in text
    assert text.count("<details>") == text.count("</details>") == 5


def test_what_scorers_say_stands_in_the_case_with_the_reasons() -> None:
    text = write_markdown(MIXED)

    assert "`no_promises` 0.000\n\n- `no_promises`: <code>it says &#8220;at once" in text
    assert '```text\ngetWeather(location="Paris", unit="celsius")\nreply(text="Of cou' in text


def test_variants_stand_side_by_side() -> None:
    text = write_markdown(VARIANTS)

    assert (
        "| variant | `tool_called` | `parameters_valid` | `accuracy` | passed | errors | median"
        " | tokens |" in text
    )
    assert "| `small` | 0.833 | 0.750 | 0.667 | 4/6 | 1 | 2.0 s | 5,035 |" in text
    assert "| threshold |  |  | 0.800 |  |  |  |  |" in text
    assert "- **`small`: `accuracy` 0.667 is below 0.800**" in text
    assert "#### Repeated trials\n\n|  | k=1 | k=2 | k=3 |" in text
    assert "| `claude-sonnet-4 pass^k` | 0.833 | 0.667 | 0.500 |" in text


def test_a_long_reason_is_cut() -> None:
    values = (MetricValue("x", 0.0, "why " * 200),)
    each = replace(MIXED.evaluations[1], unreferenced=(CaseValues(id="a", values=values),))

    line = next(
        x for x in write_markdown(RunResults(evaluations=(each,))).split("\n") if "why" in x
    )

    assert "…" in line
    assert len(line) < 320


def test_trials_of_an_evaluation_without_variants_have_no_name_before_them() -> None:
    alone = replace(VARIANTS.evaluations[0], variant=None)

    assert "| `pass@k` | 1.000 |" in write_markdown(RunResults(evaluations=(alone,)))


def test_a_long_list_of_calls_is_cut_and_none_is_said() -> None:
    calls = tuple(ToolCall("f", {"n": number}) for number in range(25))
    each = replace(
        MIXED.evaluations[1],
        unreferenced=(
            CaseValues(id="many", calls=calls, values=(MetricValue("x", 1.0),)),
            CaseValues(id="none"),
        ),
        place="",
    )

    text = write_markdown(RunResults(evaluations=(each,)))

    assert "many</code> passed</summary>" in text
    assert "f(n=19)\n… 5 more\n```" in text
    assert "none</code> no number</summary>\n\n```text\nNo calls were made.\n```" in text


def test_names_from_the_data_stay_plain_text() -> None:
    text = write_markdown(ATTACKED)

    assert "\x1b" not in text
    outside = re.sub(r"^(`{3,})\w+\n.*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL)
    assert "<b>" not in outside
    for row in re.findall(r"^\|.*\|$", outside, re.MULTILINE):
        assert "red" not in row or "&#124;" in row  # their bar is not one of the table's

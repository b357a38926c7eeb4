"""One case of a run, for an issue or a pull request."""

from __future__ import annotations

from tests.reports.kept_cases import AS_KEPT, ATTACKED, FAILED, REPEATED, SILENT

from callscore.reports.case import write_markdown

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

    assert report.startswith("## `weather`: 1/3 trials passed\n")
    assert "### Trial 2: error: timeout\n\n```text\nno answer within 60 seconds\n```" in report


def test_what_was_kept_stands_where_nothing_can_be_scored() -> None:
    assert "```diff\n~ getWeather(location=" in write_markdown([AS_KEPT])
    assert "```diff\nNo calls were made.\n```" in write_markdown([SILENT])


def test_hostile_texts_leave_no_fence() -> None:
    report = write_markdown([ATTACKED])

    assert "\x1b" not in report
    assert report.count("\n````") % 2 == 0
    assert "\n</details>" in report.partition("````text")[2].partition("\n````\n")[0]

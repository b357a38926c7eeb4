"""Where metrics disagree, as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from callscore.core.results import Noted
from callscore.metrics.disagreement import Disagreement, Disagreements, MetricOpinion
from callscore.reports.disagreement import write_markdown

if TYPE_CHECKING:
    from callscore.core.results import Results

REPORT = """\
## 4 cases, 3 metrics: all agree on 2, mean spread 0.500

- **`x.named`: 1 case not scorable** (`nothing is expected`)

### How often each metric is blind to a difference that is there

| metric | mean | extra | arguments |
| --- | ---: | ---: | ---: |
| `callscore.f1` | 0.417 | 0% | 0% |
| `x.named` | 1.000 | 100% | 100% |
| `x.same` | 0.250 | 0% | 0% |
| cases with such a difference |  | 3 | 1 |

blind to: the difference costs nothing. +0.333: what its repair alone adds. masked: it would cost, \
but here others hide it.

### `both #0` spread 1.000   differences: extra, arguments

```diff
  Expected   Actual
~ f          f
  ~ a: 1       a: 2
+            x()
```

|  | metric |  |
| ---: | --- | --- |
| 1.000 | `x.named` | blind to extra, arguments |
| 0.000 | `callscore.f1` | +0.667 arguments; masked: extra |
| 0.000 | `x.same` | +1.000 if repaired together: extra, arguments |

… 1 case not shown on which they disagree; --limit shows more
"""


def test_the_report_is_made_of_tables(disagreements: Disagreements, nothing: Results) -> None:
    assert write_markdown(disagreements, nothing) == REPORT


def test_where_nothing_could_be_compared_it_is_said_why(nothing: Results) -> None:
    found = Disagreements(not_compared=Noted(1, ("there are rules.",)))

    assert write_markdown(found, nothing) == (
        "## No case could be compared.\n\n"
        "- **1 case not compared: fewer than two metrics have a number** (`there are rules`)\n"
    )


def test_without_cases_to_show_there_is_nothing_to_be_read(
    disagreements: Disagreements, nothing: Results
) -> None:
    text = write_markdown(replace(disagreements, shown=()), nothing)

    assert "blind to:" not in text
    assert text.endswith("… 2 cases not shown on which they disagree; --limit shows more\n")


def test_without_notes_the_table_follows_the_headline(
    disagreements: Disagreements, nothing: Results
) -> None:
    metrics = tuple(replace(metric, not_scorable=Noted()) for metric in disagreements.metrics)

    text = write_markdown(replace(disagreements, metrics=metrics), nothing)

    assert "mean spread 0.500\n\n### How often" in text


def test_a_reason_is_no_markup(disagreements: Disagreements, nothing: Results) -> None:
    shown = disagreements.shown[0]
    hostile = Disagreement(
        shown.case, (MetricOpinion("x", None, "<b> | `"),), shown.faults, 1.0, 0.25
    )

    text = write_markdown(replace(disagreements, shown=(hostile,)), nothing)

    assert "| `x` | <code>&#60;b&#62; &#124; &#96;</code> |" in text

"""Where metrics disagree, for people."""

from __future__ import annotations

from functools import partial
from io import StringIO
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from rich.console import Console

from callscore.core.rendering import display_width
from callscore.core.results import MetricResult, Noted
from callscore.metrics.disagreement import Disagreements
from callscore.reports.disagreement_terminal import render
from callscore.reports.terminal import printed_text

if TYPE_CHECKING:
    from callscore.core.phrases import Language
    from callscore.core.results import Results

write_text = partial(printed_text, render)

REPORT = """\
4 cases, 3 metrics: all agree on 2, mean spread 0.500

! x.named: 1 case not scorable (nothing is expected)

How often each metric is blind to a difference
metric                       mean  extra  arguments
cases with this difference             3          1
callscore.f1                0.417     0%         0%
x.named                     1.000   100%       100%
x.same                      0.250     0%         0%

blind to: the difference does not change the number. +0.333: gain if only this difference is
repaired. masked: hidden here by another difference.

both #0   spread 1.000   differences: extra, arguments
  Expected   Actual
~ f          f
  ~ a: 1       a: 2
+            x()
1.000  x.named       blind to extra, arguments
0.000  callscore.f1  +0.667 arguments; masked: extra
       x.same        +1.000 if repaired together: extra, arguments

… 1 case with disagreements not shown; --max-shown shows more
"""


def rendered(found: Disagreements, results: Results, width: int, lang: Language = "en") -> str:
    console = Console(file=StringIO(), width=width, color_system=None)
    with console.capture() as capture:
        render(found, results, console=console, lang=lang)
    return capture.get()


def test_a_report_in_a_file_is_plain_text(disagreements: Disagreements, nothing: Results) -> None:
    assert write_text(disagreements, nothing) == REPORT


@pytest.mark.parametrize("lang", ["en", "ru"])
@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_a_report_keeps_to_the_width_of_the_terminal(
    disagreements: Disagreements, nothing: Results, width: int, lang: Language
) -> None:
    lines = rendered(disagreements, nothing, width, lang).splitlines()

    assert max(map(display_width, lines)) <= width


def test_on_a_narrow_terminal_the_means_give_way(
    disagreements: Disagreements, nothing: Results
) -> None:
    assert "0.417     0%         0%" in rendered(disagreements, nothing, 80)
    assert "\ncallscore.f1 0.417    0%        0%\n" in rendered(disagreements, nothing, 36)
    assert "\ncallscore.f1     0%         0%\n" in rendered(disagreements, nothing, 30)


def test_no_name_of_a_metric_is_cut(disagreements: Disagreements, nothing: Results) -> None:
    long = "x.named:" + "o" * 25
    (shown,) = disagreements.shown
    opinions = tuple(
        replace(opinion, name=opinion.name.replace("x.named", long)) for opinion in shown.opinions
    )
    metrics = tuple(
        replace(metric, name=metric.name.replace("x.named", long))
        for metric in disagreements.metrics
    )
    found = replace(disagreements, metrics=metrics, shown=(replace(shown, opinions=opinions),))

    text = "\n".join(line.rstrip() for line in rendered(found, nothing, 50).splitlines())
    silent = replace(opinions[1], value=1.0, effects=(), perfect=1.0)
    without = replace(found, shown=(replace(shown, opinions=(silent, silent)),))

    assert f"\n{long}\n{' ' * 27}1.000  100%      100%\n" in text
    assert f"\n1.000  {long}\n                     blind to extra, arguments\n" in text
    assert "0.000  callscore.f1  +0.667 arguments; masked:\n" in text
    assert rendered(without, nothing, 50).count("\n\n\n") == 0


def test_the_report_can_be_in_russian(disagreements: Disagreements, nothing: Results) -> None:
    text = write_text(disagreements, nothing, lang="ru")

    assert "4 случая, 3 метрики: все согласны в 2 из 4, средний разброс 0.500" in text
    assert "не видит: лишние, аргументы" in text


def test_where_nothing_could_be_compared_it_is_said_why(nothing: Results) -> None:
    found = Disagreements(not_compared=Noted(1, ("there are rules.",)))

    assert write_text(found, nothing) == (
        "No case could be compared.\n\n"
        "! 1 case not compared: fewer than two metrics have a number (there are rules)\n"
    )


def test_where_all_is_right_there_is_nothing_to_be_blind_to(nothing: Results) -> None:
    metrics = (MetricResult("x.y", 1.0, 2), MetricResult("x.z", 1.0, 2))
    found = Disagreements(cases=2, agreed=2, mean_spread=0.0, metrics=metrics, sights=({}, {}))

    assert write_text(found, nothing) == (
        "2 cases, 2 metrics: all agree on 2, mean spread 0.000\n\n"
        "Metrics of other tools\nmetric   mean\nx.y     1.000\nx.z     1.000\n"
    )

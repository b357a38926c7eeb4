"""The runs of a history, for people."""

from __future__ import annotations

from functools import partial
from io import StringIO
from typing import TYPE_CHECKING

import msgspec
import pytest
from rich.console import Console
from tests.reports.histories import NOW, RUNS, a_run, at

from callscore.core.rendering import display_width
from callscore.reports.history import BaselineRow, timelines_of, write_baselines_json
from callscore.reports.history_terminal import (
    History,
    render,
    render_baselines,
    write_text,
)
from callscore.reports.terminal import printed_text

if TYPE_CHECKING:
    from callscore.core.phrases import Language

write_baselines = partial(printed_text, render_baselines)

HOSTILE = "\x1b[31m[red]|`<b>:smile:\x00"
HISTORY = History(timelines_of(RUNS), has_more=True, now=NOW)
REPORT = """\
router [mini]   evals/eval_router.py
run                            when   passed     interval      F1   cases   commit
20261114-093000-rtr1   14 Nov 12:05    55.0%       40–69%   0.550      40

assistant   ▆█▁   70.0% – 92.5%
run                            when   passed     interval      F1   cases   commit
20261114-090500-e5f6   14 Nov 09:05    70.0% ▼     61–77%   0.700     120   c21b609*   2 errors
20261113-090500-d4e5   13 Nov 09:05    97.6%       87–99%   0.976      41              some cases
20261112-090500-c3d4   12 Nov 09:05    92.5% ▲     86–96%   0.925     120              ◆ main, fast
20261111-090500-b2c3   11 Nov 09:05    64.5%       47–79%   0.645      31              interrupted
20261109-090500-a0b1    9 Nov 09:05    90.0%       83–94%   0.900     120              rescored
20251101-090500-z9y8     1 Nov 2025    86.7%       79–92%   0.867     120

Older runs are not shown; --max-shown shows more.
"""


def shown(history: History, width: int, lang: Language = "en", *, colour: bool = False) -> str:
    console = Console(
        file=StringIO(),
        width=width,
        force_terminal=colour,
        color_system="standard" if colour else None,
        legacy_windows=False,
    )
    with console.capture() as capture:
        render(history, console=console, lang=lang)
    return capture.get()


def test_every_run_has_a_line_under_what_it_evaluated() -> None:
    assert write_text(HISTORY) == REPORT


def test_the_arrow_is_bright_only_where_the_step_is_no_small_one() -> None:
    lines = shown(HISTORY, 120, colour=True).splitlines()

    (fallen,) = [line for line in lines if "e5f6" in line]
    (risen,) = [line for line in lines if "c3d4" in line]
    assert "\x1b[31m▼\x1b[0m" in fallen
    assert "\x1b[32m▲\x1b[0m" in risen
    close = History(timelines_of([a_run("b", 61), a_run("a", 60)]), now=NOW)
    assert "\x1b[2m▲\x1b[0m" in shown(close, 120, colour=True)


def test_a_narrow_terminal_loses_columns_and_never_the_runs() -> None:
    wide, narrow, tiny = (shown(HISTORY, width) for width in (140, 72, 30))

    assert "commit" in wide
    assert "F1" not in narrow
    assert "when" not in narrow
    assert "interval" in narrow
    assert "2 errors" in narrow
    assert "when" not in tiny
    for run in RUNS:
        assert run.id in tiny


@pytest.mark.parametrize("width", [40, 60, 72, 80, 100, 120, 140])
@pytest.mark.parametrize("lang", ["en", "ru"])
def test_no_line_is_wider_than_the_terminal(width: int, lang: Language) -> None:
    lines = shown(HISTORY, width, lang).splitlines()

    assert max(display_width(line) for line in lines) <= width
    assert sum(line.startswith("202") for line in lines) == len(RUNS)


def test_a_history_is_told_in_russian() -> None:
    report = write_text(HISTORY, lang="ru")

    assert "прогон                        когда   пройдено     интервал" in report
    assert "14 ноя 09:05" in report
    assert "2 ошибки" in report
    assert "прерван" in report
    assert "оценён заново" in report
    assert report.endswith("Более старые прогоны не показаны; --max-shown покажет больше.\n")


def test_an_empty_history_says_how_to_begin() -> None:
    assert write_text(History([])) == "No runs yet. Start with: callscore run\n"
    assert write_text(History([], tag="slow")) == "No run has cases with the tag slow.\n"


def test_trials_are_counted_where_a_case_has_several() -> None:
    once, often = a_run("a", 3, of=4), a_run("b", 3, of=4, trials=12)

    assert "trials" not in write_text(History(timelines_of([once]), now=NOW))
    header, *rows = write_text(History(timelines_of([often, once]), now=NOW)).splitlines()[1:3]
    assert header.split()[-2:] == ["cases", "trials"]
    assert rows[0].split()[-2:] == ["4", "12"]


def test_a_tag_is_told_first() -> None:
    report = write_text(History(timelines_of([a_run("a", 3, of=4)]), tag="smoke", now=NOW))

    assert report.startswith("cases with the tag smoke\n\nassistant\nrun ")


def test_a_run_of_which_nothing_is_known_is_shown_all_the_same() -> None:
    run = a_run("a", 0, share=None, interval=None, f1=None, evaluation=None, status="running")

    report = write_text(History(timelines_of([run]), now=NOW))

    assert report.startswith("no evaluations\n")
    assert "14 Nov 09:05        –       120   running" in report


def test_shares_that_never_change_are_told_once() -> None:
    report = write_text(History(timelines_of([a_run("b", 60), a_run("a", 60)]), now=NOW))

    assert report.startswith("assistant   ▅▅   50.0%\n")
    assert "50.0% =" in report


def test_nothing_is_cut_in_a_file() -> None:
    run = a_run("a", 1, evaluation="e" * 200, place="p" * 200, name="n" * 200, baselines=("main",))

    report = write_text(History(timelines_of([run]), now=NOW))

    for text in ("e" * 200, "p" * 200, "n" * 200):
        assert text in report


def test_other_cases_have_a_mark_that_is_told() -> None:
    runs = [a_run("b", 60, of=121), a_run("a", 60)]

    report = write_text(History(timelines_of(runs), now=NOW))

    assert "49.6% ≠" in report
    assert report.endswith(
        "\n\n≠ The number of cases differs from the run before. callscore compare compares the cases that both runs have.\n"
    )
    assert "▲" not in report
    assert (
        max(map(display_width, shown(History(timelines_of(runs), now=NOW), 60).splitlines())) <= 60
    )


def test_a_run_whose_process_was_ended_did_not_end() -> None:
    run = a_run("a", 1, status="abandoned")

    assert "did not finish" in write_text(History(timelines_of([run]), now=NOW))
    assert "не завершён" in write_text(History(timelines_of([run]), now=NOW), lang="ru")


def test_words_that_nothing_fits_are_told() -> None:
    assert (
        write_text(History([], keyword="nope")) == "No run has an evaluation that matches 'nope'.\n"
    )


def test_hostile_names_are_harmless() -> None:
    run = a_run(
        HOSTILE,
        1,
        name=HOSTILE,
        evaluation=HOSTILE,
        variant=HOSTILE,
        place=HOSTILE,
        baselines=(HOSTILE,),
        git_commit="\x1b",
    )

    report = shown(History(timelines_of([run]), tag=HOSTILE, now=NOW), 200)

    assert "\x1b" not in report
    assert "\x00" not in report
    assert "[red]" in report


# Which names mean which runs.

FOUND = [
    BaselineRow(
        name="main",
        run="20261114-090500-e5f6",
        started_at=at(14, 9, year=2025),
        set_at=at(15, 9, year=2025),
        git_commit="c21b609aaaa",
        git_dirty=True,
    ),
    BaselineRow(name="\x1b[31m", run="r", called="nightly", started_at=0.0, set_at=0.0),
]


def test_every_baseline_has_a_line() -> None:
    first, second, third = write_baselines(FOUND).splitlines()

    assert first.split() == ["baseline", "run", "when", "commit", "set"]
    assert second.startswith("◆ main")
    assert second.endswith("20261114-090500-e5f6    14 Nov 2025   c21b609*    15 Nov 2025")
    assert "\x1b" not in third
    assert write_baselines(FOUND, lang="ru").startswith("базовый")


@pytest.mark.parametrize("width", [20, 50, 80])
def test_a_narrow_terminal_loses_columns(width: int) -> None:
    console = Console(file=StringIO(), width=width, color_system=None)
    with console.capture() as capture:
        render_baselines(FOUND, console=console)

    assert max(display_width(line) for line in capture.get().splitlines()) <= width
    assert "◆ main" in capture.get()


def test_programs_are_told_everything() -> None:
    first, second = msgspec.json.decode(write_baselines_json(FOUND))

    assert first == {
        "name": "main",
        "run": "20261114-090500-e5f6",
        "called": None,
        "started_at": FOUND[0].started_at,
        "set_at": FOUND[0].set_at,
        "git_commit": "c21b609aaaa",
        "git_dirty": True,
    }
    assert second["called"] == "nightly"


def test_a_pipe_is_as_wide_as_columns_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")

    assert max(map(display_width, write_text(HISTORY).splitlines())) <= 60

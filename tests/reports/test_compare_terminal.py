"""Two runs compared, for people."""

from __future__ import annotations

import re
from functools import partial
from io import StringIO
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from rich.console import Console
from tests.reports.comparisons import ATTACKED, NOT_ENOUGH, NOTHING_COMMON, NOTHING_NEW, REGRESSED

from callscore.core.rendering import display_width
from callscore.reports.compare import ChangeRow, change_rows, changed_slices
from callscore.reports.compare_terminal import (
    change_lines,
    measure_table,
    render,
    slice_table,
)
from callscore.reports.terminal import printed_text

if TYPE_CHECKING:
    from callscore.comparing.comparison import Comparison
    from callscore.core.phrases import Language

write_text = partial(printed_text, render)

REGRESSED_REPORT = """\
Regressed   passed 92.0% → 84.0%, −8.0 points
A difference of this size is unlikely to be chance.
95% interval −12.5 to −3.5, p = 0.002, exact McNemar, 197 cases in both

before   main, run 20261114-120000-aaaa, commit 02f0cce, 2026-11-14 12:00 UTC, 200 cases
after    latest, run 20261115-120000-bbbb, commit 9d1b191 with uncommitted changes, 2026-11-15 12:00
         UTC, 199 cases, 167 of 199 passed, 30 failed, 2 errors

! 1 case with a new forbidden call (assistant::refund-order-17 0 → 1)
! 1 case with a new schema error (assistant::refund-order-17 0 → 2)
! 3 cases only before, in main (a, b, c)
! 2 cases only after, in latest (d, e)
! not compared, without a value before or after: 1 case (without-a-number)
! 1 case whose expected calls changed (hello)
! 7 cases whose input changed (one, two, three, four, five, … 2 more)
! 2 trials without an answer did not pass

measure   before   after   difference    95% interval       p
passed     92.0%   84.0%         −8.0   −12.5 to −3.5   0.002
F1         95.1%   90.3%         −4.8    −8.1 to −1.6   0.049
tone           –       –            –               –       –

Broken: 3 cases
- assistant::what-is-the-weather-in-oslo               F1 100.0% → 50.0%
- assistant::refund-order-17                           F1 100.0% → 0.0%
    forbidden call, schema error
- router [small]::hello                    3/3 → 1/3   F1 100.0% → 66.7%
    no answer: timeout: no answer within 60 seconds, expected calls changed

Fixed: 1 case
+ assistant::book-a-table   F1 66.7% → 100.0%

Changed: 1 case
~ assistant::convert-5-miles-to-km   different calls

Tools, by the F1 of their calls   p with Holm's correction for 3 tools and tags
tool          cases   before   after   difference       p     verdict
get_weather      61    98.0%   83.0%        −15.0   0.004   regressed

Tags, by passed
tag       cases   before   after   difference       p           verdict
weather      60    90.0%   85.0%         −5.0   0.250       no evidence
smoke         4   100.0%   75.0%        −25.0       –   not enough data

3 broken, 1 fixed, 1 changed, 192 unchanged
"""

RUSSIAN_REPORT = """\
Стало хуже   пройдено 92.0% → 84.0%, −8.0 п. п.
Такая разница вряд ли случайна.
95%-й интервал от −12.5 до −3.5, p = 0.002, точный критерий Макнемара, 197 общих случаев

было    main, прогон 20261114-120000-aaaa, коммит 02f0cce, 2026-11-14 12:00 UTC, 200 случаев
стало   latest, прогон 20261115-120000-bbbb, коммит 9d1b191 с незафиксированными изменениями,
        2026-11-15 12:00 UTC, 199 случаев, пройдено 167 из 199, не пройдено 30, 2 ошибки

! 1 случай с новым запрещённым вызовом (assistant::refund-order-17 0 → 1)
! 1 случай с новой ошибкой по схеме (assistant::refund-order-17 0 → 2)
! только раньше, в main: 3 случая (a, b, c)
! только теперь, в latest: 2 случая (d, e)
! не сравнивается, раньше или теперь нет значения: 1 случай (without-a-number)
! 1 случай с изменённым эталоном (hello)
! 7 случаев с изменёнными входными данными (one, two, three, four, five, … ещё 2)
! попытки без ответа (2) не пройдены

показатель    было   стало   разница     95%-й интервал       p
пройдено     92.0%   84.0%      −8.0   от −12.5 до −3.5   0.002
F1           95.1%   90.3%      −4.8    от −8.1 до −1.6   0.049
tone             –       –         –                  –       –

Сломано: 3 случая
- assistant::what-is-the-weather-in-oslo               F1 100.0% → 50.0%
- assistant::refund-order-17                           F1 100.0% → 0.0%
    запрещённый вызов, ошибка по схеме
- router [small]::hello                    3/3 → 1/3   F1 100.0% → 66.7%
    нет ответа: timeout: no answer within 60 seconds, эталон изменился

Исправлено: 1 случай
+ assistant::book-a-table   F1 66.7% → 100.0%

Изменилось: 1 случай
~ assistant::convert-5-miles-to-km   другие вызовы

Инструменты по F1 их вызовов   p с поправкой Холма на 3 среза
инструмент    случаев    было   стало   разница       p        вывод
get_weather        61   98.0%   83.0%     −15.0   0.004   стало хуже

Теги по показателю «пройдено»
тег       случаев     было   стало   разница       p                 вывод
weather        60    90.0%   85.0%      −5.0   0.250   разница не доказана
smoke           4   100.0%   75.0%     −25.0       –           мало данных

сломано 3, исправлено 1, изменилось 1, без изменений 192
"""

QUIET_REPORT = """\
No evidence   passed 92.0% → 92.0%, 0.0 points
The two means are equal.
95% interval −1.9 to +1.9, p = 1.000, exact McNemar, 200 cases in both
detectable with 80% power: ≥ 3.0 points

before   main, run 20261114-120000-aaaa, commit 02f0cce, 2026-11-14 12:00 UTC, 200 cases
after    main, run 20261114-120000-aaaa, commit 02f0cce, 2026-11-14 12:00 UTC, 200 cases

200 unchanged
"""

SMALL_REPORT = """\
Not enough data   accuracy 75.0% → 50.0%, −25.0 points
Too few cases to tell a difference from chance. Add cases, or trials per case.
p = 0.500, exact McNemar, 8 cases in both
no difference is detectable with 80% power

before   before.jsonl, 8 cases
after    20261115-120000-bbbb, 2026-11-15 12:00 UTC, 8 cases

! accuracy 0.667, required ≥ 0.900

Broken: 2 cases
- one   F1 100.0% → 0.0%
- two   F1 100.0% → 0.0%

2 broken, 6 unchanged
"""

EMPTY_REPORT = """\
Not enough data   the runs have no cases in common

before   before.jsonl, 2 cases
after    after.jsonl, 2 cases

! 2 cases only before, in before.jsonl (a, b)
! 2 cases only after, in after.jsonl (c, d)
"""


def rendered(
    comparison: Comparison, *, width: int, lang: Language = "en", colour: bool = False
) -> str:
    console = Console(
        file=StringIO(),
        width=width,
        force_terminal=colour,
        color_system="truecolor" if colour else None,
    )
    with console.capture() as capture:
        render(comparison, console=console, lang=lang)
    return capture.get()


def test_the_verdict_comes_first_and_everything_has_its_place() -> None:
    assert write_text(REGRESSED) == REGRESSED_REPORT


def test_a_report_can_be_had_in_russian() -> None:
    assert write_text(REGRESSED, lang="ru") == RUSSIAN_REPORT


def test_two_runs_that_are_the_same_take_a_few_lines() -> None:
    assert write_text(NOTHING_NEW) == QUIET_REPORT


def test_too_few_cases_are_said_to_be_too_few() -> None:
    assert write_text(NOT_ENOUGH) == SMALL_REPORT


def test_nothing_in_common_is_said_without_numbers() -> None:
    assert write_text(NOTHING_COMMON) == EMPTY_REPORT


def test_cases_and_slices_beyond_the_most_are_counted() -> None:
    text = write_text(REGRESSED, max_shown=1)

    assert "\n… 2 more; --max-shown shows more\n\nFixed: 1 case\n" in text
    assert "\n… 1 more; --max-shown shows more\n\n3 broken," in text  # of the tags, too
    assert "Broken" not in write_text(REGRESSED, max_shown=0)
    assert "get_weather" not in write_text(REGRESSED, max_shown=0)


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_a_very_narrow_terminal_has_tables_that_can_be_read(lang: Language) -> None:
    text = rendered(REGRESSED, width=40, lang=lang)

    tables = [
        line for line in text.splitlines() if re.match(r"passed|пройдено|get_weather|smoke", line)
    ]
    assert len(tables) == 3
    assert all(len(line) <= 40 and "−" in line for line in tables)
    assert "- assistant::refund-order-17\n" in text


def test_a_long_name_of_a_slice_is_shown_whole() -> None:
    name = "get_" + "weather_" * 8
    part = replace(REGRESSED.tools[0], name=name)
    text = write_text(replace(REGRESSED, tools=(part,)))

    assert name in text
    assert max(map(len, text.splitlines())) <= 100


def test_holms_correction_is_mentioned_only_beside_p_values() -> None:
    assert "Holm" in rendered(REGRESSED, width=100)
    assert "Holm" not in rendered(REGRESSED, width=44)
    name = "get_" + "weather_" * 8
    wide = replace(REGRESSED.tools[0].difference, cases=10**70)
    tools = (replace(REGRESSED.tools[0], name=name, difference=wide),)
    text = rendered(replace(REGRESSED, tools=tools), width=100)
    assert text.index("Holm") > text.index("Tags, by")  # no room for p in the table of tools


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_a_narrow_terminal_has_all_of_it(lang: Language) -> None:
    text = rendered(REGRESSED, width=80, lang=lang)

    assert all(len(line) <= 80 for line in text.splitlines() if "get_weather" not in line)
    for word in ("what-is-the-weather-in-oslo", "12:00 UTC", "−12.5", "router [small]"):
        assert word in text


def test_verdicts_have_colours() -> None:
    assert "\x1b[1;31mRegressed\x1b[0m" in rendered(REGRESSED, width=100, colour=True)
    assert "\x1b[1;33mNot enough data\x1b[0m" in rendered(NOT_ENOUGH, width=100, colour=True)
    assert "\x1b[1mNo evidence\x1b[0m" in rendered(NOTHING_NEW, width=100, colour=True)


@pytest.mark.parametrize("colour", [False, True])
def test_nothing_in_the_data_reaches_the_terminal_as_it_is(colour: bool) -> None:
    text = rendered(ATTACKED, width=200, colour=colour)

    assert "\x1b[31m[red]" not in text
    assert "\x00" not in text
    assert "[red]|`<b>:smile:" in text  # neither markup nor an emoji


# The tables of a comparison.


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_no_line_of_cases_is_wider_than_the_terminal(width: int) -> None:
    rows = change_rows((*REGRESSED.changes, *ATTACKED.changes), "en")

    lines = change_lines(rows, "broken", width)

    assert max(display_width(line.plain) for line in lines) <= width
    assert "- hello" in "".join([line.plain for line in lines])


def test_remarks_stand_at_the_end_where_there_is_room_and_else_below() -> None:
    rows = change_rows(REGRESSED.changed("broken"), "en")

    wide = [line.plain for line in change_lines(rows, "broken", 140)]
    narrow = [line.plain for line in change_lines(rows, "broken", 80)]

    assert wide[1] == (
        "- refund-order-17                           F1 100.0% → 0.0%    forbidden call, schema error"
    )
    assert len(wide) == 3
    assert narrow[1:3] == [
        "- refund-order-17                           F1 100.0% → 0.0%",
        "    forbidden call, schema error",
    ]


def test_a_column_that_is_empty_takes_no_room() -> None:
    rows = change_rows(REGRESSED.changed("changed"), "en")

    (line,) = change_lines(rows, "changed", 80)

    assert line.plain == "~ convert-5-miles-to-km   different calls"


def test_a_sure_difference_has_the_colour_of_its_verdict() -> None:
    text = measure_table((REGRESSED.main,), 80, "en")
    styles = {text.plain[span.start : span.end]: span.style for span in text.__rich__().spans}

    assert styles["−8.0"] == "red"


def test_a_slice_that_is_not_sure_has_none() -> None:
    text = slice_table(changed_slices(REGRESSED), 80, "en")
    styles = {text.plain[span.start : span.end]: span.style for span in text.__rich__().spans}

    assert styles["regressed"] == "red"
    assert styles["not enough data"] == "dim"


def test_long_names_are_shown_whole_in_60_columns() -> None:
    start = "the-customer-asks-for-a-refund-of-an-order-that-was-delivered-late"
    rows = [ChangeRow(f"{start}-{name}", "3/3 → 0/3", "", "") for name in ("oslo", "rome")]

    lines = [line.plain for line in change_lines(rows, "broken", 60)]

    assert lines == [
        "- the-customer-asks-for-a-refund-of-an-order-that-was-",
        "  delivered-late-oslo",
        "    3/3 → 0/3",
        "- the-customer-asks-for-a-refund-of-an-order-that-was-",
        "  delivered-late-rome",
        "    3/3 → 0/3",
    ]

"""Two runs compared, as Markdown."""

# ruff: noqa: RUF001  (minus signs and dashes are meant)

from __future__ import annotations

from tests.reports.comparisons import ATTACKED, NOTHING_COMMON, NOTHING_NEW, REGRESSED

from callscore.reports.compare import write_markdown


def test_the_verdict_is_the_heading() -> None:
    assert write_markdown(REGRESSED).startswith(
        "## Regressed: passed 92.0% → 84.0%, −8.0 points\n\n"
    )
    assert write_markdown(NOTHING_COMMON).startswith(
        "## Not enough data: no case is in both\n\nbefore: "
    )


def test_a_quiet_comparison_is_short() -> None:
    assert write_markdown(NOTHING_NEW).splitlines() == [
        "## No evidence: passed 92.0% → 92.0%, 0.0 points",
        "",
        "95% interval −1.9 to +1.9, p = 1.000, exact McNemar, 200 cases in both  ",
        "a difference of 3.0 points or more would show, four times in five  ",
        "200 as before",
        "",
        (
            "before: `main`, run `20261114-120000-aaaa`, commit `02f0cce`, 2026-11-14 12:00 UTC,"
            " 200 cases  "
        ),
        (
            "after: `main`, run `20261114-120000-aaaa`, commit `02f0cce`, 2026-11-14 12:00 UTC,"
            " 200 cases"
        ),
    ]


def test_what_is_grave_is_in_bold_and_comes_first() -> None:
    text = write_markdown(REGRESSED)

    grave = text.index("- **1 case with a new forbidden call** (<code>assistant&#58;&#58;refund")
    assert grave < text.index("- 3 cases only before: `main` (`a, b, c`)")


def test_all_measures_stand_in_a_table() -> None:
    assert (
        "| measure | before | after | difference | 95% interval | p |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: |\n"
        "| passed | 92.0% | 84.0% | −8.0 | −12.5 to −3.5 | 0.002 |\n"
        "| F1 | 95.1% | 90.3% | −4.8 | −8.1 to −1.6 | &lt; 0.050 |\n"
        "| `tone` | – | – | – | – | – |\n"
    ) in write_markdown(REGRESSED)


def test_cases_stand_in_a_table_for_each_way_without_empty_columns() -> None:
    text = write_markdown(REGRESSED)

    assert (
        "### Broken: 3 cases\n\n"
        "| case | trials passed | F1 | remarks |\n"
        "| --- | --- | ---: | --- |\n"
        "| `assistant::what-is-the-weather-in-oslo` |  | 100.0% → 50.0% |  |\n"
    ) in text
    assert (
        "### Changed: 1 case\n\n| case | remarks |\n| --- | --- |\n"
        "| `assistant::convert-5-miles-to-km` | other calls |\n"
    ) in text


def test_slices_come_last_and_say_for_how_many_they_are_corrected() -> None:
    text = write_markdown(REGRESSED)

    assert (
        "### Tools, by the F1 of their calls\n\n"
        "| tool | cases | before | after | difference | p | verdict |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: | --- |\n"
        "| `get_weather` | 61 | 98.0% | 83.0% | −15.0 | 0.004 | regressed |\n"
    ) in text
    assert "### Tags, by passed\n\n| tag | cases | " in text
    assert text.endswith("\n\np is corrected after Holm for 3 tools and tags\n")


def test_what_is_not_shown_is_counted() -> None:
    one, none = write_markdown(REGRESSED, most=1), write_markdown(REGRESSED, most=0)

    assert "\n\n… 2 more; --most shows more\n\n### Fixed: 1 case\n" in one
    assert one.endswith(
        "\n\n… 1 more; --most shows more\n\np is corrected after Holm for 3 tools and tags\n"
    )
    assert "###" not in none


def test_a_report_can_be_had_in_russian() -> None:
    text = write_markdown(REGRESSED, lang="ru")

    assert text.startswith("## Стало хуже: пройдено 92.0% → 84.0%, −8.0 п. п.\n")
    assert "| случай | попыток пройдено | F1 | примечания |" in text


def test_nothing_in_the_data_becomes_markdown_or_html() -> None:
    text = write_markdown(ATTACKED)

    assert "<b>" not in text
    assert "\x1b" not in text
    assert "[red]" not in text
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert {row.count("|") for row in rows} == {7, 4, 3, 8}

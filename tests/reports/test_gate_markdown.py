"""What a gate says, as Markdown."""

# ruff: noqa: RUF001  (Russian letters that look like Latin ones, and minus signs, are meant)

from __future__ import annotations

from tests.reports.comparisons import ATTACKED_GATE, CLOSED, DOUBTFUL, EMPTY, IN_DOUBT, OPEN, SLICED

from callscore.reports.gate import write_markdown

NEXT = "callscore show 20261115-120000-bbbb refund-order-17"


def test_a_closed_gate_gives_its_reasons_at_once() -> None:
    text = write_markdown(CLOSED, next_command=NEXT)

    assert text.startswith(
        "## Gate closed: regressed, `main` → `latest`\n\n"
        "- **regressed: passed 92.0% → 84.0%, −8.0 points**\n"
        "- **3 cases broken** (`assistant::what-is-the-weather-in-oslo, assistant::"
        "refund-order-17, router [small]::hello`)\n"
    )
    assert text.count("−8.0 points") == 1
    assert text.endswith(f"\n\nNext: `{NEXT}` (`--fail-on any`)\n")


def test_the_cases_are_folded_in() -> None:
    text = write_markdown(CLOSED, next_command=NEXT)

    folded = text.partition("<details><summary>3 broken&#44; 1 fixed&#44; 1 changed&#44; ")[2]
    assert "### Broken: 3 cases" in folded.partition("</details>")[0]
    assert "<details>" not in write_markdown(OPEN, next_command=NEXT)


def test_tools_that_regressed_are_shown_and_a_doubt_is_said() -> None:
    sliced, doubtful = (
        write_markdown(SLICED, next_command=NEXT),
        write_markdown(DOUBTFUL, next_command=NEXT),
    )

    assert "- **1 tool or tag regressed** (`tool get_weather`)\n" in sliced
    assert "\n| `get_weather` | 61 | 98.0% | 83.0% | −15.0 | 0.004 | regressed |\n" in sliced
    assert "### Tags" not in sliced
    assert "\n- too few cases to tell: 1 worse, 0 better, −5.0 points; " in doubtful


def test_how_many_cases_are_shown_can_be_chosen() -> None:
    assert "… 2 more; --most shows more" in write_markdown(CLOSED, next_command=NEXT, most=1)
    assert "<details>" not in write_markdown(CLOSED, next_command=NEXT, most=0)


def test_an_open_gate_gives_its_numbers() -> None:
    text = write_markdown(OPEN, next_command=NEXT)

    assert text.startswith(
        "## Gate open: no evidence, `main` → `main`\n\n"
        "**passed 92.0% → 92.0%, 0.0 points**\n\n"
        "95% interval −1.9 to +1.9, p = 1.000, exact McNemar, 200 cases in both  \n"
    )


def test_a_gate_can_be_had_in_russian_and_without_numbers() -> None:
    doubtful, empty = (
        write_markdown(IN_DOUBT, next_command=NEXT, lang="ru"),
        write_markdown(EMPTY, next_command=NEXT),
    )

    assert "- **`accuracy` `0.667` ниже порога `0.900`**\n" in doubtful
    assert "**accuracy" not in doubtful
    assert "points" not in empty


def test_nothing_in_the_data_becomes_markdown_or_html() -> None:
    text = write_markdown(ATTACKED_GATE, next_command="callscore show '<b>`'")

    assert "<b>" not in text
    assert "\x1b" not in text
    assert "[red]" not in text

"""The options of `callscore run`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
import pytest
from click.testing import CliRunner

from callscore.cli.options import FORMATS, lang_option, report_options, show_options
from callscore.cli.run import RunRequest, run_options, run_request_from

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def ask() -> Callable[..., RunRequest]:
    """What is asked for by some arguments."""

    @click.command()
    @click.argument("paths", nargs=-1)
    @run_options
    @show_options
    @report_options(FORMATS)
    @lang_option
    def command(**options: Any) -> RunRequest:
        return run_request_from({"judge": None, **options})

    def invoke(*arguments: str) -> RunRequest:
        ran = CliRunner().invoke(command, arguments, standalone_mode=False)
        if ran.exception:
            raise ran.exception
        found: RunRequest = ran.return_value
        return found

    return invoke


def test_without_options_everything_here_is_run(ask: Callable[..., RunRequest]) -> None:
    request = ask()

    assert request.paths == (".",)
    assert (request.jobs, request.trials, request.limit, request.keyword) == (8, None, None, "")
    assert (request.limits.retries, request.limits.timeout, request.limits.rate) == (2, 60.0, None)
    assert not any((request.resume, request.cache, request.watch, request.last_failed))


def test_for_people_a_few_failing_cases_are_shown_and_for_programs_all(
    ask: Callable[..., RunRequest],
) -> None:
    requests = {name: ask("--format", name) for name in FORMATS}
    shown = {name: (request.show, request.most) for name, request in requests.items()}

    assert shown == {
        "table": ("failing", 10),
        "markdown": ("failing", 10),
        "json": ("all", None),
        "junit": ("all", None),
    }


def test_what_is_shown_can_be_chosen(ask: Callable[..., RunRequest]) -> None:
    few, programs = ask("--show", "all", "--most", "3"), ask("--format", "json", "--show", "none")

    assert (few.show, few.most) == ("all", 3)
    assert (programs.show, programs.most) == ("none", None)


@pytest.mark.parametrize(
    ("text", "starts", "seconds"), [("10", 10, 1), ("2.5/s", 2.5, 1), ("500/m", 500, 60)]
)
def test_a_rate_is_so_many_in_a_time(
    ask: Callable[..., RunRequest], text: str, starts: float, seconds: float
) -> None:
    rate = ask("--rate", text).limits.rate

    assert rate is not None
    assert (rate.starts, rate.seconds) == (starts, seconds)


@pytest.mark.parametrize("text", ["fast", "10/y", "0", "-1"])
def test_what_is_no_rate_is_wrong_usage(ask: Callable[..., RunRequest], text: str) -> None:
    with pytest.raises(click.BadParameter, match=r"is not like '10/s'|is no rate"):
        ask("--rate", text)


def test_no_time_at_all_means_that_there_is_no_limit(ask: Callable[..., RunRequest]) -> None:
    assert ask("--timeout", "0").limits.timeout is None
    assert ask("--timeout", "0.5").limits.timeout == 0.5


def test_a_run_may_have_a_name(ask: Callable[..., RunRequest]) -> None:
    assert ask().name is None
    assert ask("--name", "main").name == "main"
    with pytest.raises(click.UsageError, match="nothing can be called"):
        ask("--name", "latest")

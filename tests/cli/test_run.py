"""The options of `callscore run`."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import click
import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from callscore import UnknownRun
from callscore.cli.exit_codes import INTERRUPTED
from callscore.cli.options import lang_option, settings_options, show_options
from callscore.cli.output_formats import FORMATS, report_options
from callscore.cli.run import (
    RunRequest,
    choose_questions,
    request_after_change,
    resume_command,
    run_options,
    run_request_from,
    watch,
)
from callscore.errors import InvalidSettings
from callscore.evaluations.plan import Selection
from callscore.history.opening import open_store
from callscore.history.records import EvaluationRecord, ResultRecord, RunRecord
from callscore.models.limits import Limits, Rate
from callscore.sources.files import MAX_UNPACKED, set_max_unpacked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from callscore.history.store import Store


@pytest.fixture
def ask() -> Callable[..., RunRequest]:
    """What is asked for by some arguments."""

    @click.command()
    @click.argument("paths", nargs=-1)
    @run_options
    @show_options
    @settings_options
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
    shown = {name: (request.show, request.max_shown) for name, request in requests.items()}

    assert shown == {
        "table": ("failing", 10),
        "markdown": ("failing", 10),
        "json": ("all", None),
        "junit": ("all", None),
        "html": ("all", None),
    }


def test_what_is_shown_can_be_chosen(ask: Callable[..., RunRequest]) -> None:
    few, programs = (
        ask("--show", "all", "--max-shown", "3"),
        ask("--format", "json", "--show", "none"),
    )

    assert (few.show, few.max_shown) == ("all", 3)
    assert (programs.show, programs.max_shown) == ("none", None)


def test_all_cases_are_listed_unless_the_user_chooses(ask: Callable[..., RunRequest]) -> None:
    assert (ask().max_listed, ask("--format", "markdown").max_listed) == (20, 20)
    assert (ask("--show", "failing").max_listed, ask("--format", "json").max_listed) == (0, 0)


def test_pytest_options_mean_what_they_mean_in_pytest(ask: Callable[..., RunRequest]) -> None:
    request = ask("-x", "-q", "-j", "3", "--lf", "--collect-only")
    verbose = ask("-v")

    assert (request.stop_on_failure, request.is_quiet, request.jobs) == (True, True, 3)
    assert (request.last_failed, request.collect_only) == (True, True)
    assert (verbose.show, verbose.max_listed) == ("all", 0)
    assert verbose.max_shown is not None
    assert verbose.max_shown > 10**6
    assert ask("-v", "--max-shown", "3").max_shown == 3


@pytest.mark.parametrize(
    "options", [("-q", "-v"), ("-v", "--show", "none"), ("-q", "--show", "all")]
)
def test_contradictory_verbosity_is_wrong_usage(
    ask: Callable[..., RunRequest], options: tuple[str, ...]
) -> None:
    with pytest.raises(click.UsageError, match="exclude each other"):
        ask(*options)


def test_settings_override_those_of_evaluations(ask: Callable[..., RunRequest]) -> None:
    given = (
        *("--preset", "flexible", "--argument-match-threshold", "0.5", "--effect", "get_*=read"),
        *("--argument", '*.q=text:{"similarity":0.85}', "--strip-prefix", "mcp__"),
    )
    request = ask(*given)

    assert request.preset == "flexible"
    assert request.settings["argument_match_threshold"] == 0.5
    assert request.settings["effects"] == (("get_*", "read"),)
    command = resume_command(request)
    assert ask(*shlex.split(command)[2:]) == replace(request, paths=(".",), resume=True)


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
    with pytest.raises(
        click.BadParameter, match=r"expected a rate such as '10/s'|expected two numbers"
    ):
        ask("--rate", text)


def test_no_time_at_all_means_that_there_is_no_limit(ask: Callable[..., RunRequest]) -> None:
    assert ask("--timeout", "0").limits.timeout is None
    assert ask("--timeout", "0.5").limits.timeout == 0.5


def test_a_run_may_have_a_name(ask: Callable[..., RunRequest]) -> None:
    assert ask().name is None
    assert ask("--name", "main").name == "main"
    with pytest.raises(click.UsageError, match="cannot be a name"):
        ask("--name", "latest")


# Which questions a run asks.

REQUEST = RunRequest(
    paths=("evals", "more evals"),
    keyword="",
    tags=(),
    limit=None,
    trials=None,
    jobs=8,
    limits=Limits(),
    fail_under=None,
    last_failed=False,
    watch=False,
    resume=False,
    cache=False,
    judge=None,
    show="failing",
    max_shown=10,
    output_format="table",
    output=None,
    lang="en",
)
PATHS = list(REQUEST.paths)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "history.db") as opened:
        yield opened


def begin(store: Store, **arguments: Any) -> str:
    """A run that did not finish, with a case that failed and one that passed."""
    run = store.begin(
        RunRecord(id="r", command="run", started_at=1.0, arguments={"paths": PATHS, **arguments})
    )
    store.add_evaluation(
        EvaluationRecord(run=run.id, number=0, name="agent", place="eval_a.py::agent")
    )
    store.save_results(
        ResultRecord(run=run.id, evaluation=0, case=case, status="scored", passed=passed)
        for case, passed in (("a", False), ("b", True))
    )
    return run.id


def test_what_the_user_selects_is_asked_and_kept_with_the_run(store: Store) -> None:
    request = replace(REQUEST, keyword="weather", tags=("smoke",), limit=3, trials=2)

    choice = choose_questions(request, store, pytest.fail)

    assert choice.selection == Selection(keyword="weather", tags=("smoke",), limit=3)
    assert choice.trials == 2
    assert choice.arguments == {
        "paths": PATHS,
        "keyword": "weather",
        "tags": ["smoke"],
        "limit": 3,
        "fail_under": None,
        "preset": None,
        "settings": None,
        "trials": 2,
        "cases": None,
    }


def test_a_run_that_goes_on_asks_what_it_asked_before(store: Store) -> None:
    begin(
        store,
        keyword="weather",
        tags=["smoke"],
        limit=3,
        trials=2,
        cases=[["e", None, "c"]],
        settings={"order": "exact"},
    )

    request = replace(REQUEST, resume=True, trials=5, preset="outcome")

    choice = choose_questions(request, store, pytest.fail)

    assert choice.selection == Selection(
        keyword="weather", tags=("smoke",), limit=3, last_failed=frozenset({("e", None, "c")})
    )
    assert choice.trials == 5  # what is given now counts
    assert (choice.arguments["preset"], choice.arguments["settings"]) == (
        "outcome",
        {"order": "exact"},
    )


def test_without_a_run_to_go_on_with_it_says_so(store: Store) -> None:
    with pytest.raises(UnknownRun, match="no unfinished run of 'evals', 'more evals'"):
        choose_questions(replace(REQUEST, resume=True), store, pytest.fail)


def test_what_failed_before_is_asked_alone(store: Store) -> None:
    begin(store)

    choice = choose_questions(replace(REQUEST, last_failed=True), store, pytest.fail)

    assert list(choice.selection.last_failed or ()) == [("eval_a.py::agent", None, "a")]
    assert choice.arguments["cases"] == [["eval_a.py::agent", None, "a"]]


def test_where_nothing_failed_or_nothing_was_run_everything_is(store: Store) -> None:
    request, notes = replace(REQUEST, last_failed=True), list[str]()

    never = choose_questions(request, store, notes.append)
    run = begin(store)
    store.save_results(
        [ResultRecord(run=run, evaluation=0, case="a", status="scored", passed=True)]
    )
    fine = choose_questions(replace(request, lang="ru"), store, notes.append)

    assert never.selection.last_failed is fine.selection.last_failed is None
    assert notes == [
        "there is no earlier run: running all cases",
        "при последних запусках не было непройденных случаев: запускаются все",
    ]


def test_what_to_type_to_go_on_can_be_copied_into_a_shell() -> None:
    assert resume_command(REQUEST) == "callscore run evals 'more evals' --resume"


def test_what_to_type_to_go_on_keeps_the_gate_and_the_pace() -> None:
    limits = Limits(retries=0, timeout=None, rate=Rate(500, 60))
    given = replace(REQUEST, paths=(".",), jobs=4, limits=limits, fail_under=0.9, lang="ru")

    assert resume_command(given) == (
        "callscore run . --resume --jobs 4 --rate 30000/h --timeout 0 --retries 0 --fail-under 0.9"
        " --lang ru"
    )


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ("-o r.md", "-o r.md"),
        ("-o 'my report.md' --format markdown", "-o 'my report.md'"),
        ("-o report --format junit", "--format junit -o report"),
        ("--json", "--format json"),
        ("-q --cache", "--cache -q"),
        ("-v --max-shown 3", "--max-shown 3 -v"),
        ("--show none -o r.txt", "-o r.txt --show none"),
        ("-x", ""),  # the run is to go on behind the failure
    ],
)
def test_what_to_type_to_go_on_keeps_the_report(
    ask: Callable[..., RunRequest], options: str, kept: str
) -> None:
    request = ask(*shlex.split(options))
    command = resume_command(request)

    assert command == " ".join(filter(None, ["callscore run . --resume", kept]))
    again = ask(*shlex.split(command)[2:])
    assert again == replace(request, paths=(".",), resume=True, stop_on_failure=False)


def test_what_to_type_to_go_on_keeps_what_may_be_unpacked() -> None:
    set_max_unpacked(1 << 30)
    try:
        command = resume_command(replace(REQUEST, paths=(".",)))
    finally:
        set_max_unpacked(MAX_UNPACKED)

    assert command == "callscore run . --resume --max-unpacked 1073741824"


def test_what_to_type_to_go_on_names_the_history_but_no_password() -> None:
    given = replace(REQUEST, paths=(".",), store="postgresql://me:secret-42@host/runs")

    assert resume_command(replace(given, store="my runs.db")) == (
        "callscore run . --resume --store 'my runs.db'"
    )
    assert "--store" in resume_command(given)
    assert "secret-42" not in resume_command(given)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("eval_a.py", "eval_b.yaml", "agent.py", "cases.json", "mine.py"):
        (tmp_path / name).write_text("")
    return tmp_path.resolve()


def again(folder: Path, *names: str, paths: tuple[str, ...] = (".",)) -> RunRequest:
    return request_after_change(replace(REQUEST, paths=paths), [folder / name for name in names])


def test_files_of_evaluations_are_run_by_themselves_with_kept_answers(folder: Path) -> None:
    request = again(folder, "eval_a.py", "eval_b.yaml")

    assert request.paths == ("eval_a.py", "eval_b.yaml")
    assert request.cache


def test_a_file_that_was_named_is_one_of_evaluations_whatever_it_is_called(folder: Path) -> None:
    assert again(folder, "mine.py", paths=("mine.py", "eval_a.py")).paths == ("mine.py",)


def test_a_file_elsewhere_is_named_in_full(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "inner").mkdir()
    monkeypatch.chdir(folder / "inner")

    assert again(folder, "eval_a.py").paths == (str(folder / "eval_a.py"),)


def test_where_a_file_of_evaluations_is_gone_the_others_are_run(folder: Path) -> None:
    assert again(folder, "eval_gone.py").paths == (".",)
    assert again(folder, "eval_gone.py", "eval_a.py").paths == ("eval_a.py",)


def test_other_code_runs_everything_and_trusts_no_kept_answer(folder: Path) -> None:
    request = again(folder, "agent.py", "eval_a.py")

    assert request.paths == (".",)
    assert not request.cache
    assert not request.trusts_saved


def test_other_data_runs_everything_and_trusts_what_is_known_by_its_content(folder: Path) -> None:
    request = again(folder, "cases.json")

    assert request.paths == (".",)
    assert not request.cache
    assert request.trusts_saved


@pytest.mark.parametrize("cache", [False, True])
def test_answers_are_good_from_the_last_change_of_another_file_on(
    folder: Path, *, cache: bool
) -> None:
    rounds: list[RunRequest] = []
    changes = ["eval_a.py", "agent.py", "eval_a.py"]

    def run(request: RunRequest) -> int:
        rounds.append(request)
        if len(rounds) > len(changes):
            return INTERRUPTED
        (folder / changes[len(rounds) - 1]).write_text(f"changed {len(rounds)}")
        return 0

    watch(replace(REQUEST, paths=(".",), cache=cache), run)

    began, same, other, again = [request.cache_since for request in rounds]
    assert began == 0.0
    assert (same == 0.0) is cache  # those of other days were asked for
    assert other > same
    assert again == other


def test_an_error_in_a_later_round_is_said_and_the_watch_goes_on(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rounds: list[RunRequest] = []

    def run(request: RunRequest) -> int:
        rounds.append(request)
        if len(rounds) == 1:
            (folder / "eval_a.py").write_text("changed")
        if len(rounds) == 2:
            (folder / "agent.py").write_text("changed")
            raise InvalidSettings("nothing is selected")
        return INTERRUPTED if len(rounds) == 3 else 0

    code = watch(replace(REQUEST, paths=(".",)), run)

    assert code == INTERRUPTED
    assert [request.paths for request in rounds] == [(".",), ("eval_a.py",), (".",)]
    err = capsys.readouterr().err
    assert "callscore: changed: eval_a.py\n" in err
    assert "callscore: nothing is selected\n" in err


def test_what_a_run_writes_itself_starts_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rounds: list[RunRequest] = []

    def run(request: RunRequest) -> int:
        rounds.append(request)
        if len(rounds) == 1:
            (folder / "report.json").write_text("{}")
            (folder / "thoughts.json").write_text("{}")
            (folder / ".hidden").mkdir()
            (folder / ".hidden/eval_x.py").write_text("")
            (folder / "eval_b.yaml").write_text("changed")
            return 0
        return INTERRUPTED

    watch(replace(REQUEST, paths=(str(folder),), output=str(folder / "report.json")), run)

    assert [request.paths for request in rounds] == [(str(folder),), ("eval_b.yaml",)]
    assert "callscore: changed: eval_b.yaml\n" in capsys.readouterr().err


def test_a_run_cannot_go_on_and_be_watched() -> None:
    with pytest.raises(click.UsageError, match="--watch and --resume exclude each other"):
        watch(replace(REQUEST, resume=True), lambda _: 0)

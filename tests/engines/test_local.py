"""The whole path from files to results."""

from __future__ import annotations

import gzip
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.core.call import ToolCall
from callscore.core.case import Case
from callscore.core.results import MetricResult, MetricValue, Noted
from callscore.core.score import UNANSWERED
from callscore.core.settings import Settings
from callscore.engines import local
from callscore.engines.collector import ScoreHooks
from callscore.engines.local import score_cases, score_files, score_joined
from callscore.errors import InvalidSettings, ModelFailed, UnreadableInput
from callscore.parity import strands

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from callscore.core.score import Outcome
    from callscore.formats.plain_cases import PlainCase

F: dict[str, Any] = {"name": "f", "arguments": {"a": 1}}
G: dict[str, Any] = {"name": "g", "arguments": {}}


@pytest.fixture(autouse=True, scope="module")
def short_files_the_quick_way() -> Iterator[None]:
    """Take files of any length the quick way, which short ones do not need."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local, "MANY_BYTES", 0)
        yield


def write(path: Path, *records: Any) -> Path:
    path.write_bytes(msgspec.json.Encoder().encode_lines(records))
    return path


def test_cases_can_be_values_or_the_objects_of_a_file() -> None:
    value = Case(id="a", expected=(ToolCall("f", {}),), actual=())
    record = {"id": "b", "expected": ["f"], "actual": ["f"]}

    results = score_cases([value, record])

    assert results.summary.outcomes == {(0, 1, 0, 0): 1, (1, 1, 1, 0): 1}
    assert [case.id for case in results.cases] == ["a"]


def test_the_calls_of_a_case_may_be_spelled_in_any_way() -> None:
    spelled: Any = ["f", {"tool": "g", "args": {}}]

    results = score_cases([Case(id="a", expected=spelled, actual=spelled)])

    assert results.summary.outcomes == {(2, 2, 2, 0): 1}


def test_a_case_without_a_side_is_not_scored() -> None:
    results = score_cases([Case(id="a", actual=()), Case(id="b", expected=())])

    assert (results.not_scored.names, results.not_run.names) == (("a",), ("b",))


def test_an_object_that_is_no_case_is_refused_with_its_position() -> None:
    with pytest.raises(UnreadableInput, match=r"cases\[1\]: .*'id' must be text"):
        score_cases([{"id": "a"}, {"id": []}])


def test_cases_that_are_not_a_list_are_refused() -> None:
    with pytest.raises(UnreadableInput, match=r"cases: expected a list of cases, got 7\."):
        score_cases(7)  # type: ignore[arg-type]


def test_a_file_of_cases_is_scored(tmp_path: Path) -> None:
    file = write(
        tmp_path / "cases.jsonl",
        {"id": "a", "expected": [F], "actual": [F]},
        {"id": "b", "expected": [F], "actual": [G]},
        {"id": "c", "actual": [G]},
        {"id": "d", "expected": [G]},
        {"id": "e", "expected": None, "actual": []},
    )

    results = score_files(file)

    assert results.summary.outcomes == {
        (1, 1, 1, 0): 1,
        (0, 1, 1, 0): 1,
        (0, 0, 0, 0): 1,
        UNANSWERED: 1,
    }
    assert results.not_scored == Noted(1, ("c",))
    assert results.not_run == Noted(1, ("d",))
    assert [case.id for case in results.cases] == ["b"]


def test_a_single_case_is_in_the_results_with_its_id_or_the_name_of_its_file(
    tmp_path: Path,
) -> None:
    passing = {"expected": [F], "actual": [F]}
    named = write(tmp_path / "named.jsonl", {"id": "a", "trial": 2, **passing})
    unnamed = write(tmp_path / "unnamed.jsonl", passing)
    failing = write(tmp_path / "failing.jsonl", {**passing, "actual": []})
    two = write(tmp_path / "two.jsonl", {"id": "a", **passing}, {"id": "b", **passing})

    assert [score_files(file).title for file in (named, unnamed, failing, two)] == [
        *("a #2", "unnamed.jsonl", "failing.jsonl"),
        "",
    ]
    only = score_files(named).only
    assert only is not None
    assert only.score.passed
    assert [
        score_files(named, **options).hides_calls
        for options in ({}, {"show": "none"}, {"max_shown": 0})
    ] == [False, True, True]
    assert score_files(two).only is None


def test_several_files_add_up(tmp_path: Path) -> None:
    first = write(tmp_path / "1.jsonl", {"id": "a", "expected": [F], "actual": [F]})
    second = tmp_path / "2.yaml"
    second.write_text("- {id: b, expected: [f], actual: []}\n")

    results = score_files([str(first), second])

    assert results.summary.outcomes == {(1, 1, 1, 0): 1, (0, 1, 0, 0): 1}


def test_a_bad_line_stops_with_its_place_and_keeps_what_came_before(tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text('{"id": "a", "expected": [], "actual": []}\n{"id": "b", \n')

    with pytest.raises(UnreadableInput, match=r"cases\.jsonl:2:") as caught:
        score_files(file)

    assert caught.value.results is not None
    assert caught.value.results.summary.cases == 1
    assert caught.value.results.stopped == Noted(1, (str(caught.value),))


def test_a_bad_line_can_be_counted_and_skipped(tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text('oops\n{"id": "a", "expected": [], "actual": []}\n{"id": []}\n')

    results = score_files(file, skip_bad=True)

    assert results.summary.cases == 1
    assert results.skipped.count == 2
    assert results.skipped.names[0].startswith(f"{file}:1:1: not JSON")
    problem = f"{file}:3: 'id' must be text or an integer; got an empty list."
    assert results.skipped.names[1].startswith(problem)


def test_a_line_that_is_not_utf_8_costs_one_call_and_not_the_case(tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    good = b'{"id": "a", "expected": [], "actual": [{"name": "f", "arguments": {"a": "\xff"}}]}'
    file.write_bytes(good + b"\n")

    results = score_files(file)

    assert results.summary.outcomes == {(0, 0, 1, 0): 1}
    assert results.cases[0].score.extra[0].error is not None


@pytest.mark.parametrize(
    "arguments", ['{"a": NaN}', r'{"a": "\ud800"}', "[" * 100_000 + "]" * 100_000]
)
def test_what_the_fast_decoder_refuses_is_one_malformed_call(
    tmp_path: Path, arguments: str
) -> None:
    file = tmp_path / "cases.jsonl"
    call = f'{{"name": "f", "arguments": {arguments}}}'
    file.write_text(
        f'{{"id": "a", "expected": [{{"name": "f", "arguments": {{}}}}], "actual": [{call}]}}\n'
        '{"id": "b", "expected": [], "actual": []}\n'
    )

    results = score_files(file)

    assert results.summary.outcomes == {(0, 1, 1, 0): 1, (0, 0, 0, 0): 1}
    assert results.cases[0].score.incorrect[0].actual.error is not None


def test_an_expectation_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    broken = {"name": "f", "arguments": [1]}
    write(file, {"id": "a", "expected": [broken], "actual": [broken]})

    with pytest.raises(UnreadableInput, match=r"cases\.jsonl:1: expected\[0\]"):
        score_files(file)


def test_after_an_expectation_that_cannot_be_read_nothing_is_in_the_results(
    tmp_path: Path,
) -> None:
    broken = {"name": "f", "arguments": [1]}
    file = write(
        tmp_path / "cases.jsonl",
        {"id": "a", "trial": 0, "expected": [F], "actual": [F]},
        {"id": "b", "trial": 0, "expected": [{**F, "arguments": "{}"}], "actual": []},
        {"id": "c", "trial": 0, "expected": [broken], "actual": []},
        {"id": "d", "trial": 0, "expected": [F], "actual": [G]},
    )

    with pytest.raises(UnreadableInput, match=r"cases\.jsonl:3") as caught:
        score_files(file)

    assert caught.value.results is not None
    assert caught.value.results.summary.outcomes == {(1, 1, 1, 0): 1, (0, 1, 0, 0): 1}
    assert sorted(caught.value.results.summary.trials) == ["a", "b"]


def test_a_file_that_ends_in_the_middle_keeps_what_came_before(tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl.gz"
    lines = b'{"id": 1, "expected": [], "actual": []}\n' * 5000
    file.write_bytes(gzip.compress(lines)[:-20])

    with pytest.raises(UnreadableInput, match="is truncated") as caught:
        score_files(file)

    assert caught.value.results is not None
    assert caught.value.results.summary.cases > 1000


def test_the_bytes_that_were_read_can_be_listened_to(tmp_path: Path) -> None:
    file = write(tmp_path / "cases.jsonl", *[{"id": n, "expected": [], "actual": []} for n in "ab"])
    heard: list[int] = []

    score_files(file, hooks=ScoreHooks(on_bytes=heard.append))

    assert sum(heard) == file.stat().st_size


def test_references_and_traces_are_joined_on_their_id(tmp_path: Path) -> None:
    references = write(
        tmp_path / "references.jsonl",
        {"id": "a", "expected": [F]},
        {"id": 2, "expected": []},
        {"id": "never", "expected": [G]},
        {"id": "open"},
    )
    traces = write(
        tmp_path / "traces.jsonl",
        {"id": "2", "actual": [G]},
        {"id": "a", "trial": 0, "actual": [F]},
        {"id": "a", "trial": 1, "actual": []},
        {"id": "unknown", "actual": []},
        {"id": "open", "actual": []},
    )

    results = score_joined(references, traces)

    assert results.summary.outcomes == {
        (0, 0, 1, 0): 1,
        (1, 1, 1, 0): 1,
        (0, 1, 0, 0): 1,
        UNANSWERED: 1,
    }
    assert results.summary.trials == {"a": {(1, 1, 1, 0): 1, (0, 1, 0, 0): 1}}
    assert results.not_run == Noted(1, ("never",))
    assert results.without_reference == Noted(1, ("unknown",))
    assert results.not_scored == Noted(1, ("open",))


def test_two_references_of_one_id_are_a_mistake(tmp_path: Path) -> None:
    references = write(tmp_path / "r.jsonl", *[{"id": "a", "expected": []}] * 2)
    traces = write(tmp_path / "t.jsonl", {"id": "a", "actual": []})

    with pytest.raises(UnreadableInput, match=r"r\.jsonl:2: .*'a', first used at .*r\.jsonl:1"):
        score_joined(references, traces)

    assert score_joined(references, traces, skip_bad=True).skipped.count == 1


# What a case file may hold: plain lines, and lines that only the careful reader takes.
values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from(["", "1", "é", 1.0, 0.5, 2.5]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner),
    max_leaves=4,
)
arguments = st.dictionaries(st.sampled_from("abc"), values, max_size=3)
calls = st.fixed_dictionaries(
    {"name": st.sampled_from("fgh"), "arguments": arguments},
    optional={"id": st.just("x"), "failed": st.booleans()},
)
loose_calls = calls | st.fixed_dictionaries({"tool": st.sampled_from("fg"), "args": arguments})
cases = st.fixed_dictionaries(
    {"expected": st.lists(calls, max_size=4), "actual": st.lists(loose_calls, max_size=4)},
    optional={"trial": st.integers(0, 1), "tags": st.just(["t"])},
)


def outcomes_by_name(
    cases: Sequence[Case | PlainCase], outcomes: Sequence[Outcome]
) -> dict[tuple[str, int | str | None], Outcome]:
    names = [(str(case.id), case.trial) for case in cases]
    return dict(zip(names, outcomes, strict=True))


@given(st.lists(cases, max_size=6), st.sampled_from([0.5, 1.0]))
def test_the_quick_way_and_the_careful_way_give_the_same_results(
    tmp_path_factory: pytest.TempPathFactory, records: list[dict[str, Any]], pass_mark: float
) -> None:
    numbered = [{"id": f"c{number}", **record} for number, record in enumerate(records)]
    file = write(tmp_path_factory.mktemp("lane") / "cases.jsonl", *numbered)
    quick: dict[tuple[str, int | str | None], Outcome] = {}
    careful: dict[tuple[str, int | str | None], Outcome] = {}
    settings = Settings(pass_mark=pass_mark)

    hooks = ScoreHooks(on_outcomes=lambda *heard: quick.update(outcomes_by_name(*heard)))
    one = score_files(file, settings=settings, max_shown=1000, hooks=hooks)
    hooks = ScoreHooks(on_outcomes=lambda *heard: careful.update(outcomes_by_name(*heard)))
    other = score_files(file, settings=settings, max_shown=None, hooks=hooks)

    assert quick == careful
    assert one.summary == other.summary
    assert [case.id for case in one.cases] == [case.id for case in other.cases]
    assert one == other


def test_what_contradicts_itself_is_refused_at_its_place(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text('{"id": "a", "expected": ["f", {"forbid": "f*"}], "actual": []}\n')

    with pytest.raises(
        UnreadableInput, match=r"cases.jsonl:1: expected: 'f' is both expected and forbidden"
    ):
        score_files(path)
    assert score_files(path, skip_bad=True).skipped.count == 1


def test_a_setting_that_does_not_go_with_a_case_is_refused_at_its_place(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text('{"id": "a", "expected": [{"optional": "f"}], "actual": ["f"]}\n')

    with pytest.raises(InvalidSettings, match=r"cases.jsonl:1: order: 'exact' compares"):
        score_files(path, settings=Settings(order="exact"))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("calls.json", '[{"name": "f", "arguments": {"a": {"$any": true}}}]'),
        ("calls.json", '[{"name": "f", "arguments": {"a": {"$any": true}}}, {"forbid": "g"}]'),
        ("calls.jsonl", '{"name": "f", "arguments": {"a": {"$any": true}}}\n'),
    ],
)
def test_a_file_that_is_only_what_is_expected_may_have_rules_in_it(
    tmp_path: Path, name: str, text: str
) -> None:
    expected, actual = tmp_path / name, tmp_path / "actual.json"
    expected.write_text(text)
    actual.write_text('[{"name": "f", "arguments": {"a": 1}}]')

    assert score_joined(expected, actual).summary.macro_f1 == 1


@pytest.mark.parametrize(
    "expected",
    [
        '[{"name": "f", "arguments": {"a": {"$any": true}}}]',
        r'[{"name": "f", "arguments": {"a": {"\u0024any": true}}}]',
        '[{"name": "f", "arguments": {"a": 1}, "times": {"max": 2}}]',
        '[{"optional": {"name": "f", "arguments": {"a": 1}}}]',
    ],
)
@pytest.mark.parametrize("show", ["none", "all"])
def test_rules_and_groups_count_in_a_file_of_plain_cases(
    tmp_path: Path, expected: str, show: Any
) -> None:
    plain = '{"id": "p", "expected": [], "actual": []}\n'
    line = f'{{"id": "a", "expected": {expected}, "actual": [{{"name": "f", "arguments": {{"a": 1}}}}]}}\n'
    path = tmp_path / "cases.jsonl"
    path.write_text(plain + line)

    assert score_files(path, show=show).summary.exact == 2


@pytest.mark.parametrize("word", ["optional", "forbid"])
def test_a_word_beside_a_call_is_refused_in_a_file_of_plain_cases(
    tmp_path: Path, word: str
) -> None:
    call = f'{{"name": "f", "arguments": {{}}, "{word}": true}}'
    path = tmp_path / "cases.jsonl"
    path.write_text(f'{{"id": "a", "expected": [{call}], "actual": []}}\n')

    with pytest.raises(UnreadableInput, match=f"'{word}' is not a field of a call"):
        score_files(path, show="none")


@pytest.mark.parametrize("metrics", ["strands.any_order", ["strands.any_order"]])
def test_other_tools_are_asked_in_every_way_of_scoring(tmp_path: Path, metrics: Any) -> None:
    case = {"id": "a", "expected": [F, F], "actual": [F, G]}
    cases = write(tmp_path / "cases.jsonl", case)
    references = write(tmp_path / "e.jsonl", {"id": "a", "expected": case["expected"]})
    traces = write(tmp_path / "a.jsonl", {"id": "a", "actual": case["actual"]})

    for results in (
        score_cases([case], metrics=metrics),
        score_files(cases, metrics=metrics),
        score_joined(references, traces, metrics=metrics),
    ):
        assert results.metrics == (
            MetricResult("strands.any_order", 0.5, 1, version=strands.VERSION),
        )
        assert results.cases[0].metrics == (MetricValue("strands.any_order", 0.5),)


def test_an_option_that_a_metric_refuses_is_no_fault_of_a_case(tmp_path: Path) -> None:
    case = {"id": "a", "expected": [F], "actual": [F]}
    cases = write(tmp_path / "cases.jsonl", case)
    name = "mcpjam.passed:max_extra_tool_calls=-1"

    for score in (partial(score_cases, [case]), partial(score_files, cases)):
        with pytest.raises(
            InvalidSettings, match=f"^the metric {name}: max_extra_tool_calls: expected"
        ):
            score(metrics=name)


def test_of_several_answers_other_tools_are_given_the_first() -> None:
    f = ToolCall("f", {})
    case = Case(id="a", expected=(f,), actual=(ToolCall("g", {}),), others=((f,),))

    results = score_cases([case], settings=Settings(top_k=2), metrics=["callscore.f1"])

    assert (results.summary.macro_f1, results.metrics[0].mean) == (1.0, 0.0)


def test_other_tools_know_nothing_of_the_settings() -> None:
    failed = {"name": "f", "arguments": {}, "failed": True}
    settings = Settings(failed_calls="ignore")

    results = score_cases(
        [{"id": "a", "expected": ["f"], "actual": [failed]}],
        settings=settings,
        metrics=["strands.exact"],
    )

    assert (results.summary.macro_f1, results.metrics[0].mean) == (0.0, 1.0)


def test_a_metric_that_there_is_not_is_refused_before_anything_is_read() -> None:
    with pytest.raises(InvalidSettings, match="Did you mean 'strands'"):
        score_files("no-such-file.jsonl", metrics=["strand.exact"])


def test_a_judge_that_gives_no_answer_costs_the_one_case_where_somebody_listens(
    tmp_path: Path,
) -> None:
    def judge(question: str, _: Any) -> bool:
        if question == "b?":
            raise ModelFailed("m", "no answer")
        return True

    path = tmp_path / "cases.jsonl"
    path.write_bytes(
        msgspec.json.Encoder().encode_lines(
            {
                "id": name,
                "expected": [{"name": "f", "arguments": {"x": {"$judge": f"{name}?"}}}],
                "actual": [{"name": "f", "arguments": {"x": 1}}],
            }
            for name in "abc"
        )
    )
    told: list[Any] = []
    hooks = ScoreHooks(
        on_unjudged=lambda place, case, error: told.append((place, case.id, error.model))
    )

    results = score_files(path, settings=Settings(judge=judge), hooks=hooks)
    with pytest.raises(ModelFailed) as raised:
        score_files(path, settings=Settings(judge=judge))

    assert results.summary.cases == 2
    assert told == [(f"{path}:2", "b", "m")]
    assert raised.value.results is not None
    assert raised.value.results.summary.cases == 1


def test_the_files_are_told_before_their_cases(tmp_path: Path) -> None:
    told: list[str] = []
    for name in ("one", "two"):
        text = f'{{"id": "{name}", "expected": ["f"], "actual": ["f"]}}\n'
        (tmp_path / name).write_text(text, encoding="utf-8")
    hooks = ScoreHooks(
        on_file=lambda path: told.append(path.rpartition("/")[2]),
        on_score=lambda case, *_: told.append(case.id),
    )

    score_files([tmp_path / "one", tmp_path / "two"], hooks=hooks)

    assert told == ["one", "one", "two", "two"]


# --- how many cases are used ----------------------------------------------------------------------


def cases_of(count: int) -> list[dict[str, Any]]:
    return [{"id": str(number), "expected": [F], "actual": [F]} for number in range(count)]


@pytest.mark.parametrize("settings", [Settings(), Settings(mode="flexible")])
@pytest.mark.parametrize("limit", [1, 3, 5, 9, None])
def test_only_the_first_cases_are_used(
    tmp_path: Path, settings: Settings, limit: int | None
) -> None:
    cases = cases_of(5)
    files = [write(tmp_path / "a.jsonl", *cases[:3]), write(tmp_path / "b.jsonl", *cases[3:])]

    results = score_files(files, settings=settings, limit=limit)

    assert results.summary.cases == min(limit or 5, 5)


@pytest.mark.parametrize("settings", [Settings(), Settings(mode="flexible")])
def test_what_follows_the_last_case_is_not_read(tmp_path: Path, settings: Settings) -> None:
    path = write(tmp_path / "a.jsonl", *cases_of(2))
    path.write_bytes(path.read_bytes() + b"not JSON\n")

    assert score_files(path, settings=settings, limit=2).summary.cases == 2


@pytest.mark.parametrize("settings", [Settings(), Settings(mode="flexible")])
@pytest.mark.parametrize("padding", [0, 100])
@pytest.mark.parametrize("order", ["by trial", "by case"])
def test_a_limit_counts_cases_and_not_trials(
    tmp_path: Path, settings: Settings, padding: int, order: str
) -> None:
    """Short files are decoded, and long ones counted as text."""
    cases = cases_of(5 + padding)
    trials = [dict(case, trial=trial) for trial in (1, 2) for case in cases]
    if order == "by case":
        trials.sort(key=lambda case: int(case["id"]))
    path = write(tmp_path / "a.jsonl", *trials)

    summary = score_files(path, settings=settings, limit=3).summary

    assert (summary.cases, summary.distinct_cases) == (6, 3)


@pytest.mark.parametrize("settings", [Settings(), Settings(mode="flexible")])
def test_the_trials_of_the_first_cases_may_be_in_several_files(
    tmp_path: Path, settings: Settings
) -> None:
    files = [write(tmp_path / f"{name}.jsonl", *cases_of(4)) for name in "ab"]

    assert score_files(files, settings=settings, limit=2).summary.cases == 4
    assert score_joined(files[0], files, settings=settings, limit=2).summary.cases == 4


def test_every_case_without_an_id_counts_for_the_limit(tmp_path: Path) -> None:
    cases = [{"expected": [F], "actual": [F]} for _ in range(4)]

    assert score_files(write(tmp_path / "a.jsonl", *cases), limit=3).summary.cases == 3


def test_a_limit_applies_to_arrays_and_to_traces(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(msgspec.json.encode(cases_of(4)))

    assert score_files(tmp_path / "a.json", limit=3).summary.cases == 3


def test_of_joined_files_the_first_pairs_are_used(tmp_path: Path) -> None:
    references = [{"id": name, "expected": [F]} for name in "abcd"]
    traces = [{"id": name, "actual": [F]} for name in "xcbd"]
    path = write(tmp_path / "t.jsonl", *traces)
    path.write_bytes(path.read_bytes() + b"not JSON\n")

    results = score_joined(write(tmp_path / "r.jsonl", *references), path, limit=2)

    assert results.summary.cases == 2
    assert results.without_reference.names == ("x",)
    assert results.not_run.count == 0  # the rest is not used
    with pytest.raises(UnreadableInput, match="not JSON"):
        score_joined(tmp_path / "r.jsonl", path, limit=4)


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_is_a_positive_number(tmp_path: Path, limit: int) -> None:
    with pytest.raises(InvalidSettings, match="limit"):
        score_files(write(tmp_path / "a.jsonl", *cases_of(1)), limit=limit)


def test_expected_calls_in_a_text_have_no_key_twice() -> None:
    text = '[{"name": "f", "arguments": {"x": 1, "x": 2}}]'

    with pytest.raises(UnreadableInput, match="duplicate key"):
        score_cases([{"id": "a", "expected": text, "actual": []}])
    assert score_cases([{"id": "a", "expected": [], "actual": text}]).summary.cases == 1

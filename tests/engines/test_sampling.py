"""A sample of a log: which records, as which lines, and what their scores say about the log."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from callscore.core.results import Noted
from callscore.core.settings import Settings
from callscore.engines.collector import ScoreHooks
from callscore.engines.inputs import CASES, InputOptions, read_cases
from callscore.engines.local import score_files
from callscore.engines.log_reading import case_notation
from callscore.engines.sampling import Sample, StratumCount, sample_files, score_sample
from callscore.errors import InvalidSettings, ModelFailed, UnreadableInput
from callscore.sources import BadRecord

if TYPE_CHECKING:
    from callscore.core.case import Case
    from callscore.core.score import Outcome

ROOT = Path(__file__).parents[2]
AIRLINE = ROOT / "src/callscore/data/airline-gpt-4o.jsonl.gz"
MESSAGES: list[dict[str, Any]] = [
    {"role": "user", "content": "Weather?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": "c1",
                "type": "function",
                "function": {"name": "get_weather", "arguments": '{"city": "Paris"}'},
            }
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "sunny"},
]


def case(number: int, tool: str = "f", *, passes: bool = True, **others: Any) -> dict[str, Any]:
    call = {"name": tool, "arguments": {"n": number}}
    made = {"name": tool, "arguments": {"n": number if passes else -1}}
    return {"id": f"case-{number}", "expected": [call], "actual": [made], **others}


def write(path: Path, records: list[Any]) -> Path:
    path.write_bytes(msgspec.json.Encoder().encode_lines(records))
    return path


def ids(sample: Sample) -> list[str]:
    return [msgspec.json.decode(line)["id"] for line in sample.lines]


def cases_in(path: Path) -> list[Case]:
    found = read_cases(str(path), CASES, InputOptions())
    return [item[1] for item in found if not isinstance(item, BadRecord)]


def cases_of(sample: Sample, folder: Path) -> list[Case]:
    """The cases that a file of the sample has."""
    path = folder / "sample.jsonl"
    path.write_bytes(b"".join(line + b"\n" for line in sample.lines))
    return cases_in(path)


# --- which cases -------------------------------------------------------------------------------


def test_lines_stay_as_they_are_and_in_their_order(tmp_path: Path) -> None:
    lines = [
        b'{"id":"a", "expected": ["f"],"actual": [ ] }',
        '{"actual": ["f"], "id": "b", "input": "Привет\\u0021", "expected": []}'.encode(),
        b'  {"id": 3, "expected": ["f"], "actual": ["f"], "unknown": 1e3}\r',
    ]
    log = tmp_path / "log.jsonl"
    log.write_bytes(b"\n\n".join(lines))

    sample = sample_files(log, n=3)

    assert list(sample.lines) == lines
    assert (sample.rewritten, sample.sampled, sample.population) == (0, 3, 3)


def test_plain_lines_and_others_are_sampled_alike(tmp_path: Path) -> None:
    records = [case(number, "fgh"[number % 3]) for number in range(200)]
    plain = write(tmp_path / "plain.jsonl", records)
    other = write(tmp_path / "other.jsonl", [{**each, "tools": None} for each in records])

    for by in (None, "tool", "$.expected[0].name"):
        assert ids(sample_files(plain, n=20, by=by)) == ids(sample_files(other, n=20, by=by))


def test_the_order_and_the_number_of_files_do_not_matter(tmp_path: Path) -> None:
    records = [
        case(number, "fg"[number % 2], trial=trial) for number in range(90) for trial in (1, 2)
    ]
    whole = write(tmp_path / "whole.jsonl", records)
    parts = [write(tmp_path / f"{part}.jsonl", records[part::4]) for part in range(4)]

    found = [sample_files(paths, n=20, by="tool") for paths in (whole, parts, parts[::-1])]

    assert len({frozenset(sample.lines) for sample in found}) == 1
    assert {sample.strata for sample in found} == {found[0].strata}
    assert [len(sample.lines) for sample in found] == [40, 40, 40]


def test_another_seed_gives_another_sample(tmp_path: Path) -> None:
    log = write(tmp_path / "log.jsonl", [case(number) for number in range(100)])

    assert sample_files(log, n=10, seed=1).lines != sample_files(log, n=10).lines
    assert sample_files(log, n=10, seed=1) == sample_files(str(log), n=10, seed=1)


def test_all_trials_of_a_real_case_are_taken_together() -> None:
    sample = sample_files(AIRLINE, n=20, by="tool")

    found = ids(sample)
    assert len(found) == 80
    assert {found.count(name) for name in found} == {4}
    assert (sample.population, sample.divided) == (50, 0)


def test_cases_without_an_id_are_told_apart_by_their_place(tmp_path: Path) -> None:
    same = [{"expected": ["f"], "actual": ["f"]}] * 50
    one, other = (write(tmp_path / f"{name}.jsonl", same) for name in "ab")

    found, again = sample_files([one, other], n=10), sample_files([other, one], n=10)

    assert (found.population, found.sampled) == (100, 10)
    assert found.lines == again.lines


def test_fewer_cases_than_asked_for_are_all_taken(tmp_path: Path) -> None:
    log = write(tmp_path / "log.jsonl", [case(number) for number in range(5)])

    sample = sample_files(log, n=100, by="tool")

    assert sample.sampled == 5
    assert sample.strata == (StratumCount("f", 5, 5, 5),)


# --- strata ------------------------------------------------------------------------------------


def strata_of(log: Path, by: str) -> dict[str, int]:
    return {stratum.name: stratum.cases for stratum in sample_files(log, n=100, by=by).strata}


def test_the_tool_of_a_case_is_the_first_expected_one(tmp_path: Path) -> None:
    records: list[dict[str, Any]] = [
        {"id": "a", "expected": ["f", "g"], "actual": ["h"]},
        {"id": "b", "expected": [{"any_order": ["g", "f"]}], "actual": []},
        {"id": "c", "expected": [], "actual": ["h"]},
        {"id": "d", "expected": [{"forbid": "x_*"}], "actual": ["h"]},
        {"id": "e", "actual": ["h"]},
        {"id": "f", "actual": []},
        {"id": "g", "input": "?"},
    ]
    log = write(tmp_path / "log.jsonl", records)

    assert strata_of(log, "tool") == {"f": 1, "g": 1, "h": 1, "": 4}


@pytest.mark.parametrize("plain", [True, False])
def test_strata_can_be_the_first_tag_or_a_value(tmp_path: Path, *, plain: bool) -> None:
    more: dict[str, Any] = {} if plain else {"tools": None}
    long = "x" * 300
    records = [
        case(1, tags=["a", "b"], model="m", **more),
        case(2, tags=["b"], model={"name": "m"}, **more),
        case(3, tags=[], model=2, **more),
        case(4, model=long, **more),
        case(5, model=long + "y", **more),
        case(6, **more),
    ]
    log = write(tmp_path / "log.jsonl", records)

    assert strata_of(log, "tag") == {"a": 1, "b": 1, "": 4}
    by_value = strata_of(log, "$.model")
    cut = [name for name in by_value if name.startswith("xxx")]
    assert len(cut) == 2
    assert all(len(name) < 220 for name in cut)
    assert {"m", '{"name":"m"}', "2", "", *cut} == set(by_value)


def test_a_value_of_a_case_without_a_record_is_that_of_its_case(tmp_path: Path) -> None:
    log = write(tmp_path / "log.jsonl", MESSAGES)

    assert strata_of(log, "$.actual[0].name") == {"get_weather": 1}


def test_trials_in_several_strata_are_counted(tmp_path: Path) -> None:
    records = [{"id": "a", "trial": trial, "actual": [tool]} for trial, tool in enumerate("fg")]
    log = write(tmp_path / "log.jsonl", records)

    assert sample_files(log, n=10, by="tool").divided == 1


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"n": 0}, "n: 0 is not a positive number"),
        ({"n": 1, "by": "tols"}, "by: unknown value 'tols'. Choose from: tool, tag, or a path"),
        ({"n": 1, "by": "$.a b"}, "invalid path"),
        ({"n": 1, "format": "no"}, "no"),
    ],
)
def test_invalid_options_are_refused(options: dict[str, Any], problem: str, tmp_path: Path) -> None:
    log = write(tmp_path / "log.jsonl", [case(1)])

    with pytest.raises(InvalidSettings) as caught:
        sample_files(log, **options)

    assert problem in str(caught.value)


def test_a_path_that_leads_nowhere_is_refused(tmp_path: Path) -> None:
    log = write(tmp_path / "log.jsonl", [case(1)])
    problem = "no record has a value at $.modle, the path of the strata. Check its spelling."

    for function in (sample_files, score_sample):
        with pytest.raises(UnreadableInput) as caught:
            function(log, n=1, by="$.modle")
        assert str(caught.value) == f"{log}: {problem}"


# --- lines of other kinds ----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["log.json", "log.jsonl.gz", "log.yaml", "log.csv"])
def test_records_of_other_files_become_lines(tmp_path: Path, name: str) -> None:
    records = [case(number) for number in range(30)]
    path = tmp_path / name
    if name == "log.csv":
        header = "id,expected,actual\n"
        rows = [f'{number},"[""f""]","[""f""]"\n' for number in range(30)]
        path.write_text(header + "".join(rows))
    elif name.endswith(".gz"):
        path.write_bytes(gzip.compress(msgspec.json.Encoder().encode_lines(records)))
    else:
        path.write_bytes(msgspec.json.format(msgspec.json.encode(records)))
    all_cases = cases_in(path)

    sample = sample_files(path, n=10, by="tool")

    found = cases_of(sample, tmp_path)
    assert len(found) == 10
    assert found == [each for each in all_cases if each in found]
    assert sample.rewritten == 0


def test_a_conversation_in_many_lines_becomes_one_case(tmp_path: Path) -> None:
    log = write(tmp_path / "log.jsonl", MESSAGES)

    sample = sample_files(log, n=10, by="tool")

    assert (len(sample.lines), sample.rewritten) == (1, 1)
    assert sample.strata == (StratumCount("get_weather", 1, 1, 1),)
    record = msgspec.json.decode(sample.lines[0])
    assert record["actual"][0]["arguments"] == {"city": "Paris"}
    assert "id" not in record
    assert cases_of(sample, tmp_path) == cases_in(log)


def test_a_line_that_depends_on_others_is_written_as_a_case(tmp_path: Path) -> None:
    # A message without calls is an answer only in a file of answers.
    with_calls = {**MESSAGES[1], "id": "a"}
    without = [
        {"id": f"b{number}", "role": "assistant", "content": "Hello"} for number in range(20)
    ]
    log = write(tmp_path / "log.jsonl", [with_calls, *without])

    sample = sample_files(log, n=5, seed=3)

    assert len(sample.lines) == sample.rewritten == 5
    assert {each.actual for each in cases_of(sample, tmp_path)} == {()}
    assert set(ids(sample)) < {f"b{number}" for number in range(20)}


def test_records_on_one_line_are_different_cases(tmp_path: Path) -> None:
    path = tmp_path / "log.yaml"
    path.write_text('[{"expected": ["f"], "actual": []}, {"expected": ["g"], "actual": []}]')

    sample = sample_files(path, n=10, by="$.expected[0].name")

    assert [stratum.name for stratum in sample.strata] == ["f", "g"]
    assert cases_of(sample, tmp_path) == cases_in(path)


def test_a_log_may_have_one_side_of_its_cases(tmp_path: Path) -> None:
    log = write(
        tmp_path / "log.jsonl",
        [
            {"id": "a", "calls": ["f"]},
            {"id": "b", "tool_calls": MESSAGES[1]["tool_calls"], "role": "assistant"},
            {"calls": [{"any_order": ["g", "h"]}]},
            {"calls": [{"any_order": ["g", "h"]}]},
        ],
    )

    sample = sample_files(log, n=10, by="tool")

    assert b"".join(line + b"\n" for line in sample.lines) == log.read_bytes()
    assert strata_of(log, "tool") == {"f": 1, "g": 2, "get_weather": 1}


def test_malformed_arguments_are_kept(tmp_path: Path) -> None:
    line = b'{"id": "a", "expected": ["f"], "actual": [{"name": "f", "arguments": {"a": NaN}}]}'
    log, array = tmp_path / "log.jsonl", tmp_path / "log.json"
    log.write_bytes(line)
    array.write_bytes(b"[" + line + b"," + line.replace(b'"a",', b'"b",') + b"]")

    assert sample_files(log, n=1).lines == (line,)
    sample = sample_files(array, n=2)
    assert sample.rewritten == 2
    assert [each.actual for each in cases_of(sample, tmp_path)] == [
        each.actual for each in cases_in(array)
    ]


def test_every_format_is_read_from_the_sample_as_before(tmp_path: Path) -> None:
    folders = [ROOT / "tests/samples/formats", ROOT / "tests/samples/files"]
    found = [file for folder in folders for file in sorted(folder.rglob("*.*"))]
    files = [file for file in found if not file.match("*.expected.json")]
    tried, wrong = 0, []
    for file in files:
        try:
            before = cases_in(file)
        except UnreadableInput:
            continue
        if before:
            tried += 1
            after = cases_of(sample_files(file, n=10_000, skip_bad=True), tmp_path)
            if [(each.id, each.trial, each.expected, each.actual) for each in before] != [
                (each.id, each.trial, each.expected, each.actual) for each in after
            ]:
                wrong.append(file.name)

    assert tried > 300
    assert wrong == []


def test_tools_of_a_trace_are_kept(tmp_path: Path) -> None:
    file = ROOT / "tests/samples/formats/promptfoo/promptfoo_eval_v3.json"

    sample = sample_files(file, n=1)

    assert msgspec.json.decode(sample.lines[0])["tools"][0]["name"] == "get_weather"
    assert {tuple(each.tools[0]) for each in cases_of(sample, tmp_path)} == {
        ("name", "description", "parameters")
    }


def test_paths_of_fields_are_used(tmp_path: Path) -> None:
    records = [{"task": number, "wanted": ["f"], "done": ["f"]} for number in range(10)]
    log = write(tmp_path / "log.jsonl", records)
    fields = {"id": "$.task", "expected": "$.wanted", "actual": "$.done"}

    sample = sample_files(log, n=3, by="tool", fields=fields)

    assert sample.strata == (StratumCount("f", 10, 3, 10),)
    assert all(msgspec.json.decode(line) in records for line in sample.lines)


# --- what cannot be read -----------------------------------------------------------------------


def test_unreadable_records_are_refused_or_counted(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_bytes(b"".join(msgspec.json.encode(case(n)) + b"\n" for n in range(3)) + b"{broken\n")

    with pytest.raises(UnreadableInput) as caught:
        sample_files(log, n=10)
    sample = sample_files(log, n=10, skip_bad=True)

    assert caught.value.is_one_record
    assert caught.value.place.startswith(f"{log}:4")
    assert (sample.sampled, sample.skipped.count) == (3, 1)


def test_a_side_that_is_given_twice_is_refused_far_into_the_file(tmp_path: Path) -> None:
    lines = [msgspec.json.encode(case(number, padding="x" * 500)) for number in range(1_000)]
    twice = b'{"id": "x", "expected": [], "actual": [], "actual": ["f"]}'
    log = tmp_path / "log.jsonl"
    log.write_bytes(b"\n".join([*lines, twice]))

    sample = sample_files(log, n=10, skip_bad=True)

    assert sample.skipped.count == 1
    assert sample.population == 1_000


@pytest.mark.parametrize(
    ("content", "problem"), [(b"", "no cases found."), (b"{x\n{y\n", "no cases found. Skipped, ")]
)
def test_a_log_without_cases_is_refused(tmp_path: Path, content: bytes, problem: str) -> None:
    log = tmp_path / "log.jsonl"
    log.write_bytes(content)

    with pytest.raises(UnreadableInput) as caught:
        sample_files(log, n=10, skip_bad=True)

    assert str(caught.value).startswith(f"{log}: {problem}")


def test_progress_is_reported(tmp_path: Path) -> None:
    log = write(tmp_path / "log.jsonl", [case(1)])
    read: list[int] = []

    sample_files(log, n=1, on_bytes=read.append)

    assert sum(read) == log.stat().st_size


# --- scoring -----------------------------------------------------------------------------------


@pytest.mark.parametrize("by", [None, "tool"])
def test_a_sample_of_everything_has_the_results_of_the_log(by: str | None) -> None:
    whole = score_files(AIRLINE)

    sampled = score_sample(AIRLINE, n=50, by=by)

    macro_f1 = whole.summary.macro_f1
    assert sampled.results == whole
    assert sampled.estimate == pytest.approx(macro_f1)
    assert sampled.interval == pytest.approx((macro_f1, macro_f1))
    assert (sampled.population, sampled.population_trials) == (50, 200)
    assert (sampled.sampled, sampled.sampled_trials) == (50, 200)


def test_the_estimate_is_about_the_log_and_not_about_the_sample(tmp_path: Path) -> None:
    common = [case(number, "common") for number in range(5_000)]
    rare = [case(number, "rare", passes=False) for number in range(5_000, 5_100)]
    log = write(tmp_path / "log.jsonl", common + rare)

    sampled = score_sample(log, n=200, by="tool")

    assert sampled.results.summary.macro_f1 == 0.5
    assert sampled.estimate == pytest.approx(50 / 51)
    assert sampled.interval is not None
    assert sampled.interval.low < 50 / 51 <= sampled.interval.high
    assert sampled.strata == (
        StratumCount("common", 5_000, 100, 5_000),
        StratumCount("rare", 100, 100, 100),
    )


def test_an_interval_mostly_holds_the_score_of_the_log(tmp_path: Path) -> None:
    records = [
        case(number, "fgh"[number % 7 % 3], passes=number % 11 > 0, trial=trial)
        for number in range(800)
        for trial in range(1 + number % 3)
    ]
    log = write(tmp_path / "log.jsonl", records)
    truth = score_files(log).summary.macro_f1
    assert truth is not None

    found = [score_sample(log, n=90, by="tool", seed=seed).interval for seed in range(40)]

    assert sum(each is not None and each.low <= truth <= each.high for each in found) >= 35


def test_cases_without_an_answer_count_as_zero(tmp_path: Path) -> None:
    records = [case(1), {"id": "b", "expected": ["f"]}]
    log = write(tmp_path / "log.jsonl", records)

    sampled = score_sample(log, n=10)

    assert sampled.estimate == 0.5
    assert sampled.results.not_run == Noted(1, ("b",))


def test_cases_without_a_reference_are_named_and_not_part_of_the_estimate(tmp_path: Path) -> None:
    records = [case(1), *[{"id": f"x{number}", "actual": ["f"]} for number in range(20)]]
    log = write(tmp_path / "log.jsonl", records)

    sampled = score_sample(log, n=5)

    assert sampled.results.not_scored.count == 20
    assert (sampled.population, sampled.estimate) == (1, 1.0)


def test_without_a_scored_case_there_is_no_estimate(tmp_path: Path) -> None:
    log = write(tmp_path / "log.jsonl", [{"id": "a", "actual": ["f"]}])
    empty = tmp_path / "empty.jsonl"
    empty.write_bytes(b"")

    sampled = score_sample([log, empty], n=5)

    assert (sampled.estimate, sampled.interval, sampled.population) == (None, None, 0)
    assert sampled.results.empty_files == (str(empty),)


def test_options_of_scoring_are_used(tmp_path: Path) -> None:
    log = write(tmp_path / "log.jsonl", [case(number, passes=number > 2) for number in range(10)])
    seen: list[Outcome] = []
    files: list[str] = []
    hooks = ScoreHooks(on_outcomes=lambda _, found: seen.extend(found), on_file=files.append)

    sampled = score_sample(
        log, n=10, show="all", max_shown=None, metrics="callscore.f1", hooks=hooks,
        settings=Settings(pass_mark=0.5),
    )  # fmt: skip

    assert len(sampled.results.cases) == len(seen) == 10
    assert sampled.results.metrics[0].mean == sampled.estimate == pytest.approx(0.7)
    assert files == [str(log)]


def test_sampled_cases_that_cannot_be_scored_are_refused_or_skipped(tmp_path: Path) -> None:
    bad = {"id": "b", "expected": ["f"], "actual": ["f"], "tools": [{"x": 1}]}
    log = write(tmp_path / "log.jsonl", [case(1), bad])

    with pytest.raises(UnreadableInput, match="has no tool definitions"):
        score_sample(log, n=5)
    sampled = score_sample(log, n=5, skip_bad=True)

    assert (sampled.estimate, sampled.sampled, sampled.population) == (1.0, 1, 2)
    assert sampled.results.skipped.count == 1


def test_sampled_cases_that_contradict_themselves_are_skipped_like_unreadable_ones(
    tmp_path: Path,
) -> None:
    many = [{"name": "f", "arguments": {"n": number}} for number in range(4_000)]
    deep = "{" + '"a":{' * 900 + "}" * 901
    lines = [
        msgspec.json.encode(case(1)),
        b'{"id": "b", "expected": ["f", {"forbid": "f"}], "actual": ["f"]}',
        msgspec.json.encode({"id": "c", "expected": many, "actual": many[::-1]}),
        b'{"id": "d", "expected": [{"name": "f", "arguments": %b}], "actual": []}' % deep.encode(),
    ]
    settings = Settings(order="in_order")
    for number, line in enumerate(lines[1:]):
        log = tmp_path / f"{number}.jsonl"
        log.write_bytes(lines[0] + b"\n" + line)

        with pytest.raises(UnreadableInput) as caught:
            score_sample(log, n=5, settings=settings)
        sampled = score_sample(log, n=5, settings=settings, skip_bad=True)

        assert caught.value.place == f"{log}:2"
        assert (sampled.sampled, sampled.results.skipped.count) == (1, 1)
        assert sampled.results.skipped == score_files(log, settings=settings, skip_bad=True).skipped


def test_settings_that_do_not_go_with_a_sampled_case_are_refused(tmp_path: Path) -> None:
    log = write(
        tmp_path / "log.jsonl", [{"id": "a", "expected": [{"optional": "f"}], "actual": []}]
    )

    with pytest.raises(InvalidSettings, match=r"log.jsonl:1: order: 'exact' compares"):
        score_sample(log, n=5, settings=Settings(order="exact"))


def test_a_judge_without_an_answer_leaves_out_one_case(tmp_path: Path) -> None:
    def judge(question: str, _: Any) -> bool:
        if question == "b?":
            raise ModelFailed("m", "no answer")
        return True

    records = [
        {
            "id": name,
            "expected": [{"name": "f", "arguments": {"x": {"$judge": f"{name}?"}}}],
            "actual": [{"name": "f", "arguments": {"x": 1}}],
        }
        for name in "abc"
    ]
    log = write(tmp_path / "log.jsonl", records)
    unjudged: list[str] = []
    hooks = ScoreHooks(on_unjudged=lambda place, found, _: unjudged.append(f"{place} {found.id}"))

    sampled = score_sample(log, n=5, settings=Settings(judge=judge), hooks=hooks)
    with pytest.raises(ModelFailed):
        score_sample(log, n=5, settings=Settings(judge=judge))

    assert unjudged == [f"{log}:2 b"]
    assert (sampled.sampled, sampled.population, sampled.estimate) == (2, 3, 1.0)


def test_what_is_not_read_into_a_case_is_kept_in_its_notation(tmp_path: Path) -> None:
    # The record of a document with several cases has no line of its own.
    file = write(
        tmp_path / "log.jsonl",
        [{"id": "a", "expected": ["f"], "actual": ["f"], "skip": "later", "tags": ["t"]}],
    )
    (found,) = cases_in(file)

    assert case_notation(found) == {
        "id": "a",
        "expected": [{"name": "f"}],
        "actual": [{"name": "f", "arguments": {}}],
        "skip": "later",
        "tags": ("t",),
    }


def test_a_file_that_is_not_json_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    path.write_text('{"id": "a", ')

    with pytest.raises(UnreadableInput):
        sample_files(path, n=1)

"""Files of cases, where rows of `tests/tables/files.jsonl` cannot say it: long files, and all samples."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore import (
    Case,
    ModelFailed,
    Settings,
    ToolCall,
    UnreadableInput,
    score_cases,
    score_files,
    score_joined,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

SAMPLES = Path(__file__).parents[1] / "samples/formats"


def write(path: Path, *records: Any) -> Path:
    path.write_bytes(msgspec.json.Encoder().encode_lines(records))
    return path


def made_calls(results: Any) -> list[Sequence[Any]]:
    return [case.score.actual for case in results.cases]


def documents() -> list[tuple[str, Any, Any]]:
    """The samples that can be a side of a case and have an answer, with their calls."""
    found = []
    for path in sorted(SAMPLES.glob("*/*.json")):
        if path.name.count(".") > 1 or path.parent.name in {"callscore_case", "tool_definitions"}:
            continue
        document = msgspec.json.decode(path.read_bytes())
        with suppress(UnreadableInput):
            results = score_cases([{"id": "a", "expected": [], "actual": document}], show="all")
            found.append((path.name, document, made_calls(results)))
    assert len(found) > 60
    return found


@pytest.mark.slow
def test_a_trace_of_any_format_may_stand_in_place_of_actual_calls_or_beside_its_id(
    tmp_path: Path,
) -> None:
    references = write(tmp_path / "references.jsonl", {"id": "a", "expected": []})
    of_several_runs = {"openinference_span_to_json.json", "otlp_batches_of_two_runs.json"}
    differing = []
    for number, (name, document, calls) in enumerate(documents()):
        field = ("trace", "messages", "output")[number % 3]
        record = {"id": "a", "expected": [], field: document}
        found = [
            score_files(write(tmp_path / "cases.jsonl", record), show="all"),
            score_cases([record], show="all"),
        ]
        if name not in of_several_runs:
            traces = write(tmp_path / "traces.jsonl", {"id": "a", "trace": document})
            found.append(score_joined(references, traces, show="all"))
        if any(made_calls(results) != calls for results in found):
            differing.append(name)
    assert not differing


VALUES = st.sampled_from(
    [0, 1, 1.0, True, None, "x", "é\u200b", "$5", [], [1], {"b": 1}, 2**70, 1e300, 10**4_000]
)
CALL = st.fixed_dictionaries(
    {
        "name": st.sampled_from("fgh"),
        "arguments": st.dictionaries(st.sampled_from("abc"), VALUES, max_size=2),
    },
    optional={"id": st.just("x"), "failed": st.booleans()},
)
ODD_CALL: st.SearchStrategy[Any] = st.sampled_from(
    [{"tool": "f", "args": {"a": 1}}, {"name": "f", "arguments": "{"}, {"name": "f"}, "f"]
)
RECORD = st.fixed_dictionaries(
    {
        "id": st.sampled_from(["a", "b", "##[x]", 7]),
        "expected": st.lists(CALL, max_size=3),
        "actual": st.lists(CALL | ODD_CALL, max_size=3),
    },
    optional={
        "trial": st.sampled_from([1, "x"]),
        "tags": st.lists(st.sampled_from("xy"), max_size=2),
        "input": st.just("what?"),
        "other": st.just(1),
    },
)
PADDING: list[dict[str, Any]] = [  # long files are counted without decoding each case
    {"id": f"p{n}", "expected": ["f"], "actual": [{"name": "f", "arguments": {"n": n}}]}
    for n in range(300)
]


@given(
    st.lists(RECORD, min_size=1, max_size=5),
    st.sampled_from([{}, {"show": "all", "max_shown": None}, {"max_shown": 1}, {"limit": 2}]),
    st.sampled_from([0.5, 1.0]),
)
def test_the_cases_of_a_long_file_are_scored_as_the_same_cases_in_memory(
    tmp_path_factory: pytest.TempPathFactory,
    records: list[dict[str, Any]],
    options: dict[str, Any],
    pass_mark: float,
) -> None:
    cases = [*PADDING, *records, *PADDING] if "limit" not in options else [*records, *PADDING]
    settings = Settings(pass_mark=pass_mark)
    file = write(tmp_path_factory.mktemp("long") / "cases.jsonl", *cases)
    if "limit" in options:
        names = [*dict.fromkeys(str(case["id"]) for case in cases)][: options["limit"]]
        cases = [case for case in cases if str(case["id"]) in names]
    shown = {name: options[name] for name in options if name != "limit"}

    in_file = score_files(file, settings=settings, **options).to_dict()
    in_memory = score_cases(cases, settings=settings, **shown).to_dict()

    del in_file["inputs"], in_memory["inputs"]
    assert in_file == in_memory


@pytest.mark.parametrize("options", [{}, {"show": "all", "max_shown": None}, {"limit": 30_000}])
def test_duplicate_sides_are_found_anywhere_in_a_long_file(
    tmp_path: Path, options: dict[str, Any]
) -> None:
    lines = [f'{{"id": "{number}", "expected": [], "actual": []}}' for number in range(22_000)]
    lines[20_000] = r'{"id": "a", "expected": [], "actual": [], "\u0061ctual": []}'
    (tmp_path / "a.jsonl").write_text("\n".join(lines))

    with pytest.raises(UnreadableInput, match=r"a.jsonl:20001:43: duplicate key 'actual'"):
        score_files(tmp_path / "a.jsonl", **options)


def test_cases_may_be_values_with_calls_in_any_spelling() -> None:
    spelled: Any = ["f", {"tool": "g", "args": {}}]
    cases: list[Any] = [
        Case(id="a", expected=(ToolCall("f", {}),), actual=()),
        Case(id="b", expected=spelled, actual=spelled),
        {"id": "c", "expected": ["f"], "actual": ["f"]},
        Case(id="d", actual=()),
        Case(id="e", expected=()),
    ]

    results = score_cases(cases, show="all")

    assert {case.id: case.required_score.f1 for case in results.cases} == {
        "a": 0.0,
        "b": 1.0,
        "c": 1.0,
    }
    assert (results.not_scored.names, results.not_run.names) == (("d",), ("e",))
    with pytest.raises(UnreadableInput, match=r"cases\[1\]: .*'id' must be text"):
        score_cases([{"id": "a"}, {"id": []}])
    with pytest.raises(UnreadableInput, match=r"cases: expected a list of cases, got 7\."):
        score_cases(7)  # type: ignore[arg-type]


def test_of_several_answers_other_tools_are_given_the_first_and_no_settings() -> None:
    f = ToolCall("f", {})
    case = Case(id="a", expected=(f,), actual=(ToolCall("g", {}),), others=((f,),))
    failed = {"id": "b", "expected": ["f"], "actual": [{"name": "f", "failed": True}]}

    best = score_cases([case], settings=Settings(top_k=2), metrics=["callscore.f1"])
    ignored = score_cases(
        [failed], settings=Settings(failed_calls="ignore"), metrics=["strands.exact"]
    )

    assert (best.summary.macro_f1, best.metrics[0].mean) == (1.0, 0.0)
    assert (ignored.summary.macro_f1, ignored.metrics[0].mean) == (0.0, 1.0)


def test_a_judge_that_gives_no_answer_ends_the_scoring_after_what_came_before(
    tmp_path: Path,
) -> None:
    def judge(question: str, _: Any) -> bool:
        if question == "b?":
            raise ModelFailed("m", "no answer")
        return True

    path = write(
        tmp_path / "cases.jsonl",
        *[
            {
                "id": name,
                "expected": [{"name": "f", "arguments": {"x": {"$judge": f"{name}?"}}}],
                "actual": [{"name": "f", "arguments": {"x": 1}}],
            }
            for name in "abc"
        ],
    )

    with pytest.raises(ModelFailed) as raised:
        score_files(path, settings=Settings(judge=judge))

    assert raised.value.results is not None
    assert raised.value.results.summary.cases == 1

"""Changes are written into their files: each place that is sure, and no other."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import structs
from tests.rewriting.texts import LONDON, PARIS, change

from callscore import ToolCall, expect, score
from callscore.engines.inputs import CASES as CASES_PART
from callscore.engines.inputs import input_options_for, read_cases
from callscore.evaluations.evaluation import Evaluation
from callscore.evaluations.plan import evaluation_cases
from callscore.formats.cases import read_case
from callscore.rewriting.applying import (
    CorrectExpectation,
    VariantChange,
    display_name,
    find_conflicts,
    find_location_key,
    open_source,
    refusal_of,
    replace_source,
    rewrite,
)
from callscore.rewriting.change import CannotRewrite, Change
from callscore.rewriting.observed import (
    Location,
    as_case_data,
    change_at,
    location_key,
    observe_expectation,
)

if TYPE_CHECKING:
    from callscore import Case

CASES = """\
- {id: a, input: hi, expected: [{name: getWeather, arguments: {location: Paris}}]}
- {id: b, input: hi, expected: [{name: getWeather, arguments: {location: Paris}}]}
"""
ROME = [{"name": "getWeather", "arguments": {"location": "Rome"}}]


def test_several_changes_of_a_file_are_written_at_once(tmp_path: Path) -> None:
    file = tmp_path / "x.yaml"
    file.write_text(CASES)
    changes = [
        change(file, PARIS[:1], LONDON[:1], case="a", input="hi"),
        change(file, PARIS[:1], ROME, case="b", input="hi"),
    ]

    written, refused = rewrite(changes, tmp_path)

    assert [each.place for each in written] == ["x.yaml:1", "x.yaml:2"]
    assert not refused
    assert file.read_text() == CASES.replace("Paris", "London", 1).replace("Paris", "Rome")


def test_the_same_change_twice_is_one(tmp_path: Path) -> None:
    file = tmp_path / "x.yaml"
    file.write_text(CASES)
    wish = change(file, PARIS[:1], LONDON[:1], case="a", input="hi")

    written, refused = rewrite([wish, wish], tmp_path)

    assert (len(written), len(refused)) == (1, 0)


def test_two_changes_of_one_place_that_differ_are_both_refused(tmp_path: Path) -> None:
    file = tmp_path / "x.yaml"
    file.write_text(CASES)
    changes = [
        change(file, PARIS[:1], actual, case="a", input="hi") for actual in (LONDON[:1], ROME)
    ]

    written, refused = rewrite(changes, tmp_path)

    assert not written
    assert {each.problem for each in refused} == {
        "x.yaml:1: the actual calls differ between tests or trials."
    }
    assert file.read_text() == CASES


def test_two_that_want_calls_and_none_at_one_place_are_both_refused(tmp_path: Path) -> None:
    file = tmp_path / "x.yaml"
    block = "- id: a\n  input: hi\n  expected:\n    - name: f\n"
    file.write_text(block)
    changes = [
        structs.replace(change(file, [], actual, case="a", input="hi"), expected=[{"name": "f"}])
        for actual in ([], ROME)
    ]

    written, refused = rewrite(changes, tmp_path)

    assert (len(written), len(refused)) == (0, 2)
    assert file.read_text() == block


def test_a_place_is_the_same_whatever_is_written_there(tmp_path: Path) -> None:
    file = tmp_path / "x.yaml"
    file.write_text(CASES)
    places = [
        find_location_key(change(file, PARIS[:1], actual, case=case, input="hi"), tmp_path)
        for case, actual in (("a", ROME), ("a", []), ("b", []), ("z", []))
    ]

    assert places == [*[f"{file}:('records', {row}, 'expected')" for row in (0, 0, 1)], ""]


def test_a_change_that_cannot_be_made_does_not_hinder_another(tmp_path: Path) -> None:
    file = tmp_path / "x.yaml"
    file.write_text(CASES)
    changes = [
        change(file, PARIS[:1], ROME, case="z", input="hi"),
        change(file, PARIS[:1], ROME, case="b", input="hi"),
    ]

    written, refused = rewrite(changes, tmp_path)

    assert [each.change.case for each in written] == ["b"]
    assert [each.problem for each in refused] == [
        "x.yaml: the expected calls were not found. They are computed, or in another file."
    ]


def test_a_case_may_stand_in_one_of_several_files(tmp_path: Path) -> None:
    suite, cases = tmp_path / "eval_x.yaml", tmp_path / "cases.jsonl"
    suite.write_text("name: x\ncases: cases.jsonl\n")
    cases.write_text('{"input": "hi", "expected": ["f"]}\n')
    wish = structs.replace(
        change(cases, [], ROME, input="hi"),
        files=(str(suite), str(cases), str(cases)),
        expected=[{"name": "f"}],
    )

    written, _ = rewrite([wish], tmp_path)

    assert [each.place for each in written] == ["cases.jsonl:1"]


def test_what_would_change_more_than_is_meant_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "x.yaml"
    anchored = (
        "- {id: a, input: hi, expected: [&f {name: getWeather, arguments: {location: Paris}}]}\n"
        "- {id: b, other: *f}\n"
    )
    file.write_text(anchored)
    wish = change(file, PARIS[:1], ROME, case="a", input="hi")

    assert refusal_of(wish, tmp_path) == (
        "x.yaml: the update would change more than the expected calls."
    )
    assert rewrite([wish], tmp_path)[0] == []
    assert file.read_text() == anchored


def test_whether_a_change_can_be_made_is_told_without_making_it(tmp_path: Path) -> None:
    file = tmp_path / "x.yaml"
    file.write_text(CASES)

    assert refusal_of(change(file, PARIS[:1], ROME, case="a", input="hi"), tmp_path) is None
    assert file.read_text() == CASES


def test_a_kind_of_file_that_is_not_known_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "cases.csv"
    file.write_text("id,expected\n")

    refusal = refusal_of(change(file, PARIS[:1], ROME, case="a"), tmp_path)

    assert refusal is not None
    assert refusal.startswith("cases.csv: files of this type are not updated. Supported: .yaml,")


KEYS = st.one_of(
    st.sampled_from(["$any", "$literal", "$ref", "args", "arguments", "name", "__debug__", "a b"]),
    st.text(),
)
VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.integers(-(2**80), 2**80),
        st.floats(),
        st.text(),
        st.sampled_from(["no", "~", "1e5", "2024-01-01", "'", '"', "\\", "a\nb", " #", "\u2028"]),
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
CALLS = st.lists(
    st.fixed_dictionaries(
        {
            "name": st.sampled_from(["f", "g.h", "a b"]) | st.text(min_size=1),
            "arguments": st.dictionaries(KEYS, VALUES, max_size=4),
        }
    ),
    max_size=3,
)
OLD = '{"name": "old", "arguments": {"x": {"$gt": 0}}}, {"name": "gone"}'
BEFORE = {
    "x.json": f'[{{"id": "a", "input": "hi", "expected": [{OLD}]}}]',
    "x.jsonl": f'{{"id": "a", "input": "hi", "expected": [{OLD}]}}\n',
    "flow.yaml": f"- id: a\n  input: hi\n  expected: [{OLD}]\n",
    "block.yaml": """\
- id: a
  input: hi
  expected:
    - name: old
      arguments: {x: {$gt: 0}}
    - gone
""",
    "line.toml": """\
[[cases]]
id = "a"
input = "hi"
expected = [{ name = "old", arguments = { x = { "$gt" = 0 } } }, { name = "gone" }]
""",
    "tables.toml": """\
[[cases]]
id = "a"
input = "hi"
[[cases.expected]]
name = "old"
arguments.x."$gt" = 0
[[cases.expected]]
name = "gone"
""",
    "case.py": """\
from callscore import Case, expect
CASES = [
    Case("hi", id="a", expected=[expect.call("old", x=expect.gt(0)), expect.call("gone")]),
]
""",
    "object.py": f"""\
CASES = [{{"id": "a", "input": "hi", "expected": [{OLD}]}}]
""",
}
OLD_CALLS = [expect.call("old", x=expect.gt(0)), expect.call("gone")]


def _case_in(file: Path) -> Case:
    """The one case of a file, as evaluations read it."""
    cases: Any = file
    if file.suffix == ".py":
        space: dict[str, Any] = {}
        exec(file.read_text(encoding="utf-8"), space)  # noqa: S102  (our own text)
        cases = space["CASES"]
    elif file.suffix == ".toml":
        cases = tomllib.loads(file.read_text(encoding="utf-8"))["cases"]
    evaluation = Evaluation(name="x", task=print, cases=cases, folder=str(file.parent))
    (case,) = evaluation_cases(evaluation)
    return case


@pytest.mark.parametrize("name", BEFORE)
@given(calls=CALLS, keeps=st.booleans())
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_was_called_is_right_when_the_file_is_read_again(
    name: str, calls: list[Any], keeps: bool, tmp_path: Path
) -> None:
    file = tmp_path / name
    file.write_text(BEFORE[name], encoding="utf-8")
    actual = [{"name": "old", "arguments": {"x": 7}}, *calls] if keeps else calls
    assert _case_in(file).expected == tuple(OLD_CALLS)
    made = score(OLD_CALLS, actual)
    try:
        observed = observe_expectation(OLD_CALLS, made)
    except CannotRewrite as problem:
        why = str(problem)
        assert "a value that a file cannot contain" in why or "has no name" in why
        return
    wish = Change(
        label="x",
        files=(str(file),),
        case="a",
        input="hi",
        expected=as_case_data(OLD_CALLS),
        items=observed.items,
        patches=observed.patches,
    )

    _, refused = rewrite([wish], tmp_path)

    if refused:
        assert "an argument is null" in refused[0].problem
        assert file.read_text(encoding="utf-8") == BEFORE[name]
        return
    case = _case_in(file)
    assert (case.id, case.input) == ("a", "hi")
    assert score(case.expected, actual).is_exact
    if keeps:
        assert OLD_CALLS[0] in (case.expected or ())


def test_a_packed_file_is_of_a_kind_that_is_not_rewritten(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl.gz"
    file.write_bytes(b"\x1f\x8b\x00")

    assert "files of this type are not updated" in (
        refusal_of(change(file, [], ROME, case="a", input="hi"), tmp_path) or ""
    )


# Where those who expect something at the same place do not agree, nothing is rewritten.


def _wish(made: str, variant: str | None = None, case: str = "a") -> VariantChange:
    change = Change(label="x", files=("f.yaml",), case=case, items=({"name": made},))
    return VariantChange(change, variant)


def _content(variant: str | None = None, case: str = "a") -> CorrectExpectation:
    return CorrectExpectation(location_key(_wish("", case=case).change), variant)


@pytest.mark.parametrize(
    ("wishes", "content", "problems"),
    [
        ([_wish("g"), _wish("g")], [], []),
        ([_wish("g"), _wish("h", case="b")], [_content(case="c")], []),
        ([_wish("g"), _wish("h")], [], ["the actual calls differ between tests or trials."] * 2),
        ([_wish("g", "z"), _wish("h", "y")], [], ["the actual calls differ between the variants y and z."] * 2),
        ([_wish("g")], [_content()], ["the expected calls are correct in another test or trial."]),
        ([_wish("g", "z")], [_content("y")], ["the expected calls are correct for the variant y."]),
        (
            [_wish("g", "z")],
            [_content("y"), _content("x")],
            ["the expected calls are correct for the variants x and y."],
        ),
        (
            [_wish("g", "z")],
            [_content("z"), _content("y")],
            ["the expected calls are correct in another test or trial."],
        ),
    ],
)  # fmt: skip
def test_changes_are_refused_where_somebody_else_would_be_wrong(
    wishes: list[VariantChange], content: list[CorrectExpectation], problems: list[str]
) -> None:
    assert [each.problem for each in find_conflicts(wishes, content)] == problems


# Files that are rewritten: only below a folder, whole or not at all.


def test_a_file_is_replaced_with_its_mode_its_mark_and_its_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes("\ufeffa\r\nb\r\n".encode())
    path.chmod(0o640)

    file = open_source(path, tmp_path)
    replace_source(file, file.text.replace("a\n", "c\nd\n"))

    assert file.text == "a\nb\n"
    assert path.read_bytes() == "\ufeffc\r\nd\r\nb\r\n".encode()
    assert path.stat().st_mode & 0o777 == 0o640
    assert [each.name for each in tmp_path.iterdir()] == ["x.txt"]


def test_mixed_line_ends_stay_mixed(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(b"a\r\nb\n")

    file = open_source(path, tmp_path)
    replace_source(file, file.text.replace("b", "c"))

    assert path.read_bytes() == b"a\r\nc\n"


def test_a_link_stays_one(tmp_path: Path) -> None:
    path, link = tmp_path / "x.txt", tmp_path / "link.txt"
    path.write_text("a")
    link.symlink_to(path)

    replace_source(open_source(link, tmp_path), "b")

    assert link.is_symlink()
    assert path.read_text() == "b"


def test_a_file_outside_of_the_folder_is_not_touched(tmp_path: Path) -> None:
    inside, outside = tmp_path / "project", tmp_path / "outside.txt"
    inside.mkdir()
    outside.write_text("a")
    link = inside / "link.txt"
    link.symlink_to(outside)

    for path in (outside, link):
        with pytest.raises(CannotRewrite, match="the file is outside of"):
            open_source(path, inside)


def test_what_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes(b"\xe9")

    with pytest.raises(CannotRewrite, match="latin: the file is not UTF-8"):
        open_source(tmp_path / "latin", tmp_path)
    with pytest.raises(CannotRewrite, match="missing: cannot read the file: No such file"):
        open_source(tmp_path / "missing", tmp_path)


def test_a_file_that_has_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text("a")
    file = open_source(path, tmp_path)
    path.write_text("by somebody else")

    with pytest.raises(CannotRewrite, match="the file was changed by another program meanwhile"):
        replace_source(file, "b")

    assert path.read_text() == "by somebody else"


def test_what_cannot_be_written_is_said_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.txt"
    path.write_text("a")
    file = open_source(path, tmp_path)

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", refuse)

    with pytest.raises(CannotRewrite, match=r"x.txt: cannot write the file: No space left"):
        replace_source(file, "b")

    assert path.read_text() == "a"
    assert [each.name for each in tmp_path.iterdir()] == ["x.txt"]


def test_a_file_is_called_by_its_path_from_the_folder_on(tmp_path: Path) -> None:
    assert display_name(tmp_path / "a/b.txt", tmp_path) == "a/b.txt"
    assert display_name(Path("/elsewhere/b.txt"), tmp_path) == "/elsewhere/b.txt"


def test_a_file_that_is_write_protected_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "x.yaml"
    file.write_text("a")
    file.chmod(0o444)

    with pytest.raises(CannotRewrite, match=r"x\.yaml: the file is write-protected"):
        open_source(file, tmp_path)


# --- turns and states -------------------------------------------------------------------------

TURNS_JSON = (
    '{"id": "a", "turns": [["f"], {"input": "go", "expected": [{"tool": "g", "args": {"n": 1}}]}],'
    ' "expected_state": {"x": {"$any": true}}}\n'
)
TURNS_YAML = """\
- id: a  # the refund
  turns:
    - [f]
    - input: go
      expected:
        - {tool: g, args: {n: 1}}
  expected_state: {x: {$any: true}}
"""
TURNS_TOML = """\
[[cases]]
id = "a"
turns = [["f"], {input = "go", expected = [{tool = "g", args = {n = 1}}]}]
expected_state = {x = {"$any" = true}}
"""
GROUPS_JSON = (
    '{"id": "a", "input": [null, "go"], "expected": [{"turn": ["f"]},'
    ' {"turn": [{"tool": "g", "args": {"n": 1}}]}], "expected_state": {"x": {"$any": true}}}\n'
)


def observed(text: str, actual: list[ToolCall], file: Path) -> Change:
    """The change of a case after which these calls are right."""
    file.write_text(text, encoding="utf-8")
    if file.suffix == ".toml":  # a suite
        case = read_case(tomllib.loads(text)["cases"][0], place=file.name)
    else:
        case = next(each[1] for each in read_cases(str(file), CASES_PART, input_options_for()))  # type: ignore[index]
    location = Location("a", "case", (str(file),), case="a", input=case.input)
    found = score(
        list(case.expected or ()), [*actual, ToolCall("end_state", {"x": 1}, kind="state")]
    )
    return change_at(location, case.expected, found, width=80)


@pytest.mark.parametrize(
    ("name", "text", "before", "after"),
    [
        ("x.jsonl", TURNS_JSON, '{"n": 1}', '{"n": 2}'),
        ("x.yaml", TURNS_YAML, "{n: 1}", "{n: 2}"),
        ("x.toml", TURNS_TOML, "{n = 1}", "{n = 2}"),
        ("x.jsonl", GROUPS_JSON, '{"n": 1}', '{"n": 2}'),
    ],
)
def test_arguments_in_turns_are_written_where_they_are(
    tmp_path: Path, name: str, text: str, before: str, after: str
) -> None:
    file = tmp_path / name
    calls = [ToolCall("f", {}, turn=0), ToolCall("g", {"n": 2}, turn=1)]

    written, refused = rewrite([observed(text, calls, file)], tmp_path)

    assert (len(written), refused) == (1, [])
    assert file.read_text() == text.replace(before, after)


@pytest.mark.parametrize(
    "calls",
    [
        [ToolCall("f", {}, turn=0)],
        [ToolCall("f", {}, turn=0), ToolCall("g", {"n": 1}, turn=1), ToolCall("h", {}, turn=1)],
    ],
)
def test_other_calls_in_a_turn_are_written_by_hand(tmp_path: Path, calls: list[ToolCall]) -> None:
    with pytest.raises(CannotRewrite, match="turn 2 has other calls than expected"):
        observed(TURNS_JSON, calls, tmp_path / "x.jsonl")


def test_a_call_is_added_beside_a_state_with_a_field_of_its_own(tmp_path: Path) -> None:
    text = '{"id": "a", "expected": ["f"], "expected_state": {"x": 1}}\n'
    file = tmp_path / "x.jsonl"
    change = observed(text, [ToolCall("f", {}), ToolCall("g", {})], file)

    rewrite([change], tmp_path)

    assert file.read_text() == text.replace('["f"]', '["f", {"name": "g", "arguments": {}}]')


def test_another_state_is_written_by_hand(tmp_path: Path) -> None:
    text = '{"id": "a", "expected": ["f"], "expected_state": {"x": 2}}\n'

    with pytest.raises(CannotRewrite, match="Update the expected state by hand"):
        observed(text, [ToolCall("f", {})], tmp_path / "x.jsonl")


def test_a_state_that_is_expected_beside_the_list_is_no_call_to_add() -> None:
    found = score(["f"], ["f", "g"], expected_state=1, actual_state=1)

    assert observe_expectation((ToolCall("f"),), found).items == (0, {"name": "g", "arguments": {}})

from __future__ import annotations

from copy import deepcopy
from itertools import compress
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from callscore.core.call import ToolCall
from callscore.core.fast_strict import PlainCall, StrictCounter
from callscore.core.scoring import score_calls
from callscore.core.settings import DEFAULT
from callscore.core.summary import Summary, add_strict_counts

if TYPE_CHECKING:
    from callscore.core.score import Outcome

# One side of a case as a file has it: the text of a list of calls.
Text = str

_read = msgspec.json.Decoder(tuple[PlainCall, ...]).decode

Calls = tuple[PlainCall, ...]


def written(name: str, arguments: str, rest: str = "") -> str:
    return f'{{"name": "{name}", "arguments": {arguments}{rest}}}'


@st.composite
def objects(draw: st.DrawFn, depth: int = 1) -> str:
    """An object in one of its many spellings; few different ones, so that many are the same."""
    values = st.sampled_from(
        ["1", "1.0", "10e-1", "true", "null", '"1"', '"é"', r'"\u00e9"', "[1, 2]", "[1,2.0]", "2"]
    )
    if depth:
        values |= objects(depth=0)
    keys = draw(st.lists(st.sampled_from(["a", "b", r"\u0061"]), max_size=3))  # may repeat
    colon, comma = draw(st.sampled_from([(":", ","), (": ", ", "), (" :\t", "\n,")]))
    return "{" + comma.join(f'"{key}"{colon}{draw(values)}' for key in keys) + "}"


NOT_OBJECTS = st.sampled_from(["null", "[]", '"{}"', "7", '"city"', "true"])
ARGUMENTS = st.sampled_from(['{"a": 1}', '{"a": 1.0}', '{"a": 2}', "{}"]) | objects()
FIELDS = st.sampled_from(["", "", "", ', "id": "call_1"', ', "result": [1], "failed": false'])
PLAIN = st.builds(written, st.sampled_from("ffgh"), ARGUMENTS, FIELDS)
STRANGE = st.builds(written, st.sampled_from("fg"), NOT_OBJECTS)
# The same few calls again and again: which copy is paired with which then decides what is counted.
SPELLINGS = [
    *('{"a": 1, "b": 1}', '{"a": 1, "b": 2}', '{"a": 2, "b": 1}', '{"b": 1.0, "a": 1}'),
]
REPEATED = st.lists(
    st.sampled_from(
        [written(name, "{}") for name in "fghk"] + [written("f", text) for text in SPELLINGS]
    ),
    max_size=6,
)
# Mostly as they should be: one strange call is enough to hand the case over.
SIDES = st.lists(PLAIN, max_size=5) | st.lists(PLAIN | STRANGE, max_size=4)
CASES = st.tuples(SIDES, SIDES) | st.tuples(SIDES, st.randoms(use_true_random=False)).map(
    lambda drawn: (drawn[0], drawn[1].sample(drawn[0], len(drawn[0])))
)
Case = tuple[list[Text], list[Text]]


def tool_call(call: PlainCall) -> ToolCall:
    arguments: Any = msgspec.json.decode(call.arguments)
    if isinstance(arguments, dict):
        return ToolCall(call.name, arguments)
    return ToolCall(call.name, raw=str(arguments), error="not an object")


def read(calls: list[Text]) -> Calls:
    return _read("[" + ",".join(calls) + "]")


def count(summary: Summary, expected: Calls, actual: Calls) -> Outcome | None:
    """Count a single case."""
    return count_all(summary, [expected], [actual])[0]


def count_all(summary: Summary, expected: list[Calls], actual: list[Calls]) -> list[Outcome | None]:
    counter = StrictCounter()
    outcomes = counter.examine(expected, actual)
    counter.count(expected, outcomes)
    add_strict_counts(summary, counter)
    return outcomes


def summarized(*cases: tuple[Calls, Calls]) -> Summary:
    """What the careful way comes to."""
    summary = Summary()
    for expected, actual in cases:
        sides = tuple(map(tool_call, expected)), tuple(map(tool_call, actual))
        summary.add(score_calls(*sides, DEFAULT))
    return summary


@examples(max_examples=1000)
@given(st.lists(CASES | st.tuples(REPEATED, REPEATED), max_size=3))
def test_the_fast_strict_counts_equal_the_counts_of_scores(
    cases: list[Case],
) -> None:
    sides = [(read(expected), read(actual)) for expected, actual in cases]
    summary = Summary()

    outcomes = count_all(summary, [case[0] for case in sides], [case[1] for case in sides])

    counted = list(compress(sides, outcomes))
    assert [one for case in counted for one in summarized(case).outcomes] == list(
        filter(None, outcomes)
    )
    assert summary == summarized(*counted)


@examples(max_examples=300)
@given(CASES, CASES)
def test_a_case_that_needs_more_care_is_not_counted_at_all(before: Case, case: Case) -> None:
    summary = Summary()
    count(summary, *map(read, before))
    unchanged = deepcopy(summary)

    outcome = count(summary, *map(read, case))

    assert (summary == unchanged) is (outcome is None)


@examples(max_examples=300)
@given(SIDES, SIDES)
def test_cases_of_plain_objects_are_counted_and_strange_expectations_are_not(
    expected: list[Text], actual: list[Text]
) -> None:
    sides = [read(expected), read(actual)]
    are_objects = [all(bytes(c.arguments).startswith(b"{") for c in side) for side in sides]

    outcome = count(Summary(), *sides)

    if all(are_objects):
        assert outcome is not None
    if not are_objects[0]:
        assert outcome is None


def test_a_case_of_very_many_calls_counts_as_its_score() -> None:
    numbers = [written("f", f'{{"a": {number % 50}}}') for number in range(80)]
    expected, actual = read(numbers), read([*numbers[10:], written("g", "{}")])
    summary = Summary()

    assert count(summary, expected, actual) == (70, 80, 71, 0)

    assert summary == summarized((expected, actual))


@pytest.mark.parametrize("arguments", ["null", "[1]", '"text"', "7"])
def test_arguments_that_are_no_object_need_more_care(arguments: str) -> None:
    strange, plain = read([written("f", arguments)]), read([written("f", "{}")])
    other = read([written("g", "{}"), written("f", "{}")])

    for expected, actual in (
        *[(strange, strange), (strange, plain), (plain, strange), (strange, ())],
        *[(strange + plain, plain + strange), (strange, other), (strange + strange, plain)],
    ):
        assert count(Summary(), expected, actual) is None


@pytest.mark.parametrize("number", ["1e999", "-1e999"])
def test_a_number_out_of_range_that_must_be_compared_needs_more_care(number: str) -> None:
    huge, plain = read([written("f", f'{{"a": {number}}}')]), read([written("f", '{"a": 1}')])

    assert count(Summary(), huge, plain) is None
    assert count(Summary(), plain, huge) is None


def test_which_of_two_copies_is_missed_is_the_same_as_in_a_score() -> None:
    # Both f are equal to the last call; the first has it, so the last is missed, after g.
    expected = read([written(name, "{}") for name in "fgf"])
    actual = read([written(name, "{}") for name in "hkf"])
    summary = Summary()

    assert count(summary, expected, actual) == (1, 3, 3, 0)

    assert summary.confusion == {("g", "h"): 1, ("f", "k"): 1}


def test_one_strange_case_among_others_is_the_only_one_that_needs_more_care() -> None:
    strange, plain = read([written("f", "[]")]), read([written("f", "{}")])
    summary = Summary()

    outcomes = count_all(summary, [plain, strange, plain], [plain, strange, ()])

    assert outcomes == [(1, 1, 1, 0), None, (0, 1, 0, 0)]
    assert summary == summarized((plain, plain), (plain, ()))


def test_which_of_two_copies_is_extra_is_the_same_as_in_a_score() -> None:
    # The second expected call has two equals. The first expected call takes the earlier of them,
    # for both are as close to it as the third call is; so what differs is `b` and not `a`.
    one, two, three = '{"a": 1.0, "b": 1}', '{"a": 1, "b": 2}', '{"a": 2, "b": 1}'
    expected = read([written("f", text) for text in (one, two)])
    actual = read([written("f", text) for text in (two, three, two)])
    summary = Summary()

    assert count(summary, expected, actual) == (1, 2, 3, 0)

    assert summary.wrong_arguments == {("f", "b"): 1}


def test_arguments_that_only_one_side_has_are_wrong_on_both() -> None:
    summary = Summary()
    wanted = read([written("f", '{"a": 1, "b": 2}')])
    given = read([written("f", '{"b": 2.0, "c": 3}')])

    assert count(summary, wanted, given) == (0, 1, 1, 0)

    assert summary.wrong_arguments == {("f", "a"): 1, ("f", "c"): 1}


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("", ""),
        ("", "g"),
        ("g", ""),
        ("gh", "gh"),
        ("gh", "hg"),
        ("gh", "gk"),
        ("gh", "k"),
        ("ghk", "hk"),
        ("1", "2"),
        ("1", "4"),
        ("1g", "4"),
        ("1g", "h2"),
        ("g1h", "2kg"),
        ("12", "34"),
        ("12", "21"),
        ("12", "2"),
        ("1g2", "31"),
        ("gg", "ghg"),
        ("gg1", "h"),
        ("4g1", "1hk"),
        ("1gh", "41k"),
    ],
)
def test_each_kind_of_case_counts_as_its_score(expected: str, actual: str) -> None:
    texts = {str(number): text for number, text in enumerate(SPELLINGS, 1)}
    sides = [
        read([written("f", texts[c]) if c in texts else written(c, "{}") for c in side])
        for side in (expected, actual)
    ]
    summary = Summary()

    assert count(summary, sides[0], sides[1]) is not None

    assert summary == summarized((sides[0], sides[1]))

"""The pairing with groups against the rule it follows, tried out over everything that is allowed."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from typing import TYPE_CHECKING, NamedTuple

from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from msgspec.structs import replace

from callscore.core.arguments import Grade, grade_calls
from callscore.core.budget import Budget
from callscore.core.call import ToolCall
from callscore.core.call_index import CallIndex
from callscore.core.case import Expected, Group, Times
from callscore.core.groups.solver import GroupPairing, match_groups
from callscore.core.pairing import match_calls
from callscore.core.settings import Mode, Settings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

Calls = tuple[ToolCall, ...]
Path = tuple[int, ...]


class Place(NamedTuple):
    """Where a call may go: its path, of which the last number counts its repeats."""

    path: Path
    call: ToolCall
    is_due: bool


class World(NamedTuple):
    """What is left to pair when everything has been chosen that can be."""

    places: tuple[Place, ...] = ()
    choices: tuple[tuple[Path, int], ...] = ()
    taken: tuple[Path, ...] = ()  # the optional groups of which one call must be correct


def worlds(item: Expected, path: Path, most: int) -> Iterator[World]:
    if isinstance(item, Group):
        yield from worlds_of_group(item, path, most)
    else:
        assert isinstance(item, ToolCall | Times)
        times = item if isinstance(item, Times) else Times(item)
        last = max(times.least, most) if times.most is None else times.most
        yield World(tuple(Place((*path, n), times.call, n < times.least) for n in range(last)))


def worlds_of_group(group: Group, path: Path, most: int) -> Iterator[World]:
    members = [list(worlds(m, (*path, n), most)) for n, m in enumerate(group.members)]
    if group.kind == "optional" and isinstance(group.members[0], ToolCall):
        yield from worlds(Times(group.members[0], 0, 1), (*path, 0), most)
    elif group.kind == "optional":
        yield World()
        yield from [world._replace(taken=(*world.taken, path)) for world in members[0]]
    elif group.kind == "one_of":
        for number, member in enumerate(members):
            chosen = ((path, number),)
            yield from [world._replace(choices=chosen + world.choices) for world in member]
    else:
        for together in product(*members):
            yield World(*[sum(parts, ()) for parts in zip(World(), *together, strict=True)])


def kind_at(root: Group, path: Path) -> str:
    """The kind of the group at a path; of repeats, nothing in particular."""
    item: Expected = root
    for step in path:
        assert isinstance(item, Group)
        item = item.members[step]
    return item.kind if isinstance(item, Group) else "any_order"


def is_allowed(root: Group, pairing: list[tuple[Place, int]]) -> bool:
    for (left, early), (right, late) in combinations(pairing, 2):
        shared = next(
            n for n, (a, b) in enumerate(zip(left.path, right.path, strict=False)) if a != b
        )
        if early > late and kind_at(root, left.path[:shared]) == "in_order":
            return False
    return True


def pairings(places: tuple[Place, ...], grades: Grades) -> Iterator[list[tuple[Place, int]]]:
    """Every one-to-one pairing, and of what is not due only correct pairs."""
    if not places:
        yield []
        return
    place, rest = places[0], places[1:]
    for others in pairings(rest, grades):
        yield others
        used = {position for _, position in others}
        for position, found in grades[place.path].items():
            if position not in used and (place.is_due or found[0]):
                yield [(place, position), *others]


Grades = dict[Path, dict[int, Grade]]
Worth = tuple[object, ...]
NOWHERE = 10**9


def made_and_counted(
    actual: Calls, free: int, pairing: list[tuple[Place, int]], grades: Grades
) -> int:
    """How many actual calls count: those that are not free, and the free ones that are correct."""
    right = {position for place, position in pairing if grades[place.path][position][0]}
    return sum(position in right or not free >> position & 1 for position in range(len(actual)))


def by_brute_force(
    expected: tuple[Expected, ...], actual: Calls, settings: Settings, free: int
) -> GroupPairing:
    """The best of everything that is allowed, by the order of preference as it is written down.

    Free calls, a bit set, count only if they are correct.
    """
    root = Group("in_order" if settings.order == "in_order" else "any_order", expected)
    every_world = list(worlds(root, (), len(actual)))
    all_places = sorted({place.path for world in every_world for place in world.places})
    all_choices = sorted({path for world in every_world for path, _ in world.choices})
    best: tuple[Worth, World, list[tuple[Place, int]]] | None = None
    for world in every_world:
        grades: Grades = {
            place.path: {
                position: grade_calls(place.call, call, settings)
                for position, call in enumerate(actual)
                if place.call.name == call.name
            }
            for place in world.places
        }
        chosen = dict(world.choices)
        for pairing in pairings(world.places, grades):
            found = [(place, grades[place.path][position]) for place, position in pairing]
            right = [place.path for place, (is_correct, *_) in found if is_correct]
            is_made = all(any(p[: len(o)] == o for p in right) for o in world.taken)
            if not is_made or not is_allowed(root, pairing):
                continue
            taken = {place.path: position for place, position in pairing}
            wanted = len({p.path for p in world.places if p.is_due} | set(taken))
            whole = wanted + made_and_counted(actual, free, pairing, grades)
            worth: Worth = (
                Fraction(2 * len(right), whole) if whole else Fraction(1),
                len(right),
                sum(is_equal for _, (_, is_equal, _, _) in found),
                sum(Fraction(part, total) for _, (_, _, part, total) in found),
                len(pairing),
                [-chosen.get(path, 0) for path in all_choices],
                [-taken.get(path, NOWHERE) for path in all_places],
            )
            if best is None or worth > best[0]:
                best = worth, world, pairing
    assert best is not None
    _, world, pairing = best
    taken = {place.path: position for place, position in pairing}
    calls: list[ToolCall] = []
    matches: list[tuple[int, int, bool]] = []
    for place in world.places:
        if place.path in taken:
            position = taken[place.path]
            is_right = grade_calls(place.call, actual[position], settings)[0]
            matches.append((len(calls), position, is_right))
        if place.path in taken or place.is_due:
            calls.append(place.call)
    return GroupPairing(tuple(calls), matches)


def matched(
    expected: tuple[Expected, ...], actual: Calls, settings: Settings, free: int = 0
) -> GroupPairing:
    budget = Budget()
    grades = CallIndex(actual, settings, budget).grades
    free &= (1 << len(actual)) - 1
    return match_groups(expected, actual, settings, grades, budget, free=free)


NAMES = st.sampled_from(["search", "search", "search", "book"])
ARGUMENTS = st.fixed_dictionaries({"a": st.integers(0, 1)}, optional={"b": st.integers(0, 2)})
ACTUAL = st.builds(ToolCall, NAMES, ARGUMENTS)
CALLS = ACTUAL | st.builds(ToolCall, NAMES)
TIMES = st.builds(
    lambda call, least, more: Times(call, least, None if more is None else least + more),
    CALLS,
    st.integers(0, 2),
    st.sampled_from([0, 1, None]),
)


def groups(inner: st.SearchStrategy[Expected]) -> st.SearchStrategy[Expected]:
    several = st.lists(inner, min_size=1, max_size=3).map(tuple)
    kinds = st.sampled_from(["in_order", "any_order", "one_of"])
    return st.builds(Group, kinds, several) | st.builds(
        Group, st.just("optional"), st.tuples(inner)
    )


LEAVES = CALLS | CALLS | CALLS | TIMES
EXPECTED = st.lists(
    LEAVES | groups(LEAVES | groups(LEAVES | groups(LEAVES))), min_size=1, max_size=3
).map(tuple)
SETTINGS = st.sampled_from(
    [
        Settings(mode=mode, argument_match_threshold=threshold, order=order)
        for mode, threshold in ((Mode.STRICT, 0.8), (Mode.FLEXIBLE, 0.8), (Mode.FLEXIBLE, 0.5))
        for order in ("any", "in_order")
    ]
)


def effort(expected: tuple[Expected, ...], actual: Calls) -> int:
    """About how many pairings there are in all worlds together."""
    root = Group("any_order", expected)
    return sum(
        (len(actual) + 1) ** min(len(world.places), len(actual) + 1)
        for world in worlds(root, (), len(actual))
    )


ACTUALS = st.lists(ACTUAL, min_size=2, max_size=5).map(tuple) | st.lists(ACTUAL, max_size=1).map(
    tuple
)
PUZZLES = st.tuples(EXPECTED, ACTUALS).filter(lambda puzzle: effort(*puzzle) < 3000)


# None, all, or some.
FREE = st.sampled_from([0, 0, -1]) | st.integers(0, 31)


@examples(max_examples=300)
@given(PUZZLES, SETTINGS, FREE)
def test_the_pairing_equals_brute_force_over_all_choices_and_pairings(
    puzzle: tuple[tuple[Expected, ...], Calls], settings: Settings, free: int
) -> None:
    assert matched(*puzzle, settings, free) == by_brute_force(*puzzle, settings, free)


@given(
    st.lists(CALLS, max_size=6).map(tuple), st.lists(ACTUAL, max_size=6).map(tuple), SETTINGS, FREE
)
def test_without_groups_the_pairing_is_that_of_a_plain_list(
    expected: Calls, actual: Calls, settings: Settings, free: int
) -> None:
    free &= (1 << len(actual)) - 1

    grouped = matched(expected, actual, settings, free)

    assert grouped.calls == expected
    assert grouped.matches == match_calls(expected, actual, 0, settings, Budget(), free=free)


@given(st.lists(CALLS, min_size=1, max_size=5).map(tuple), ACTUALS, SETTINGS)
def test_a_group_without_order_counts_like_its_members_in_a_list_without_order(
    expected: Calls, actual: Calls, settings: Settings
) -> None:
    any_order = replace(settings, order="any")

    grouped = matched((Group("any_order", expected),), actual, settings)

    assert grouped == matched(expected, actual, any_order)


@given(st.lists(CALLS, min_size=1, max_size=5).map(tuple), ACTUALS, SETTINGS)
def test_a_group_in_order_counts_like_its_members_in_a_list_in_order(
    expected: Calls, actual: Calls, settings: Settings
) -> None:
    in_order = replace(settings, order="in_order")

    grouped = matched((Group("in_order", expected),), actual, settings)

    assert grouped == matched(expected, actual, in_order)


def f1_of(grouped: GroupPairing, actual: Calls) -> float:
    correct = sum(is_correct for _, _, is_correct in grouped.matches)
    whole = len(grouped.calls) + len(actual)
    return 2 * correct / whole if whole else 1.0


@given(EXPECTED, CALLS, ACTUALS, SETTINGS)
def test_one_more_optional_call_never_lowers_the_f1(
    expected: tuple[Expected, ...], call: ToolCall, actual: Calls, settings: Settings
) -> None:
    more = (*expected, Group("optional", (call,)))

    assert f1_of(matched(more, actual, settings), actual) >= f1_of(
        matched(expected, actual, settings), actual
    )


@given(EXPECTED, ACTUALS, SETTINGS, st.randoms(use_true_random=False))
def test_the_f1_does_not_depend_on_the_order_of_the_alternatives(
    expected: tuple[Expected, ...], actual: Calls, settings: Settings, random: Random
) -> None:
    shuffled = tuple(random.sample(expected, len(expected)))

    grouped = matched((Group("one_of", expected),), actual, settings)

    other = matched((Group("one_of", shuffled),), actual, settings)
    assert f1_of(grouped, actual) == f1_of(other, actual)

"""Computes a score from the expected calls, the actual calls and the settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from msgspec import structs

from callscore.core.arguments import ArgumentsWithDefaults, Grade, apply_settings
from callscore.core.budget import Budget
from callscore.core.call import AGENT, Tool, ToolCall
from callscore.core.call_index import CallIndex
from callscore.core.case import (
    STATE_KIND,
    Expected,
    Forbidden,
    Group,
    Times,
    calls_in,
    has_turns,
    is_state,
    with_calls,
)
from callscore.core.equality import equal_objects
from callscore.core.pairing import is_correct_pair, match_calls
from callscore.core.rules import contains_matchers
from callscore.core.score import Pair, Positions, Score
from callscore.core.settings import DEFAULT, Order, Settings
from callscore.errors import InvalidCall, InvalidSettings

if TYPE_CHECKING:
    from callscore.core.counted_calls import Ignored, PreparedCalls
    from callscore.core.in_order import Match
    from callscore.core.rates import Counts

    _Apply = Callable[[ToolCall, Settings, Budget], ToolCall]

_Calls = tuple[ToolCall, ...]
_NO_TOOLS: Mapping[str, Tool] = {}


class _Part(NamedTuple):
    """What is known of the case if its calls are only a part of it.

    Attributes:
        beside: of what is not in this part, how many are correct, and how many count on both sides.
        has_defaults: whether expected calls have the defaults of their tools with them.
    """

    beside: Counts = (0, 0)
    has_defaults: bool = False


def score_calls(
    expected: tuple[Expected, ...],
    actual: _Calls,
    settings: Settings,
    tools: Mapping[str, Tool] = _NO_TOOLS,
) -> Score:
    """Pair the calls: each is then correct, incorrect, missed or extra.

    The tool definitions, by name, say which calls change something.

    Raises:
        InvalidCall: a call is both expected and forbidden, or the comparison takes too much work.
        InvalidSettings: groups with the order `exact`, or `$judge` without a judge.
    """
    score = _score(expected, actual, settings, tools)
    if settings is DEFAULT or not settings.uses_effects:
        return score
    from callscore.core.counted_calls import assumed_writes

    correct = {column for _, column in score.correct_places}
    no_cost = correct.union(score.forbidden, score.free)
    costing = [call for at, call in enumerate(score.actual) if at not in no_cost]
    if settings.count_calls == "writes":
        costing += score.missed
    costing = [call for call in costing if not is_state(call)]
    calls = (*calls_in(expected), *actual)
    found = assumed_writes(calls, costing, settings, tools)
    return structs.replace(score, assumed_writes=found) if found else score


def _score(  # noqa: C901  (hot: most cases end in the first half of it)
    expected: tuple[Expected, ...],
    actual: _Calls,
    settings: Settings,
    tools: Mapping[str, Tool],
    part: _Part | None = None,
) -> Score:
    """The score of a case, or of a part of one, in which extra calls that are free are not left out."""
    ignored: tuple[Ignored, ...] = ()
    prepared: PreparedCalls | None = None
    has_costs, is_plain = False, True
    if part is None and (
        _ends_with_state(expected)
        or _ends_with_state(actual)
        or (settings is not DEFAULT and _has_parts(expected, settings))
    ):
        return _score_in_parts(expected, actual, settings, tools)
    if settings is not DEFAULT:
        from callscore.core.counted_calls import prepare_calls

        prepared = prepare_calls(expected, actual, settings, tools)
        expected, actual, ignored = prepared[:3]
        # Where all calls cost the same, or all are free, the most correct pairs are the best.
        has_costs = prepared.free != 0 and prepared.free.bit_count() < len(actual)
        is_plain = not (has_costs or settings.has_rules or (part and part.has_defaults))
    calls: Any = expected  # a group has no name, which ends the loop
    start = 0
    # Leading calls that are equal one by one are always paired: most calls, in practice.
    for wanted, made in zip(calls, actual):  # noqa: B905  (hot, and one side may be longer)
        if wanted.name != made.name or made.error is not None or wanted.caller is not None:
            break
        left, right = wanted.arguments, made.arguments
        if left is None or right is None or not equal_objects(left, right):
            break
        start += 1
    if start == len(expected) and not has_costs:
        return Score(calls, actual, start, (), (), settings, (), ignored)
    if settings.mode != "strict" and settings.order == "any" and start < len(actual):
        start = 0  # in flexible mode, two close pairs are better than one equal pair
    pairs = _pair_plain(calls, actual, start, settings) if is_plain else None
    if pairs is None:
        from callscore.core.counted_calls import prepare_calls

        prepared = prepared or prepare_calls(expected, actual, settings, tools)
        return _score_expectation(prepared, settings, tools, part)
    correct, incorrect = pairs
    return Score(calls, actual, start, correct, incorrect, settings, (), ignored)


# The positions of the correct pairs, and the incorrect pairs, both in the order of the expected calls.
_Pairs = tuple[tuple[Positions, ...], tuple[Pair, ...]]
# Beyond this many pairs, looking every name up among the others takes too long.
_MAX_LOOKUPS = 4096


def _pair_plain(expected: _Calls, actual: _Calls, start: int, settings: Settings) -> _Pairs | None:
    """The best pairing from `start` on; None if the expected calls have rules or groups.

    Most cases have few calls, and a tool is called once: then there is only one pairing.
    """
    # A group has no name; a call that says who makes it is paired by more than its name.
    names: list[Any] = [call.name if call.caller is None else None for call in expected[start:]]
    others = [call.name for call in actual[start:]]
    is_long = len(names) * len(others) > _MAX_LOOKUPS
    if settings.order != "any" or is_long or None in names:
        return _pair_any_plain(expected, actual, start, settings)
    correct: list[Positions] = []
    incorrect: list[Pair] = []
    row = start - 1
    for name in names:
        row += 1
        times = others.count(name)
        if not times:
            continue
        if times > 1 or names.count(name) > 1:
            return _pair_any_plain(expected, actual, start, settings)
        column = start + others.index(name)
        wanted, made = expected[row], actual[column]
        is_correct = is_correct_pair(wanted, made, settings)
        if is_correct:
            correct.append((row, column))
        elif contains_matchers(wanted.arguments):
            return None  # rules only matter where values are not equal
        else:
            incorrect.append(Pair(wanted, made, row, column, is_correct, settings))
    return tuple(correct), tuple(incorrect)


def _pair_any_plain(
    expected: _Calls, actual: _Calls, start: int, settings: Settings
) -> _Pairs | None:
    """The same for calls of which there may be several pairings."""
    is_open = start < len(actual)  # where nothing is left to pair, rules do not matter
    for item in expected[start:]:
        is_plain = item.__class__ is ToolCall and item.caller is None
        if not is_plain or (is_open and contains_matchers(item.arguments)):
            return None
    matches = match_calls(expected, actual, start, settings, Budget())
    return _split_matches(matches, expected, actual, settings)


def _split_matches(
    matches: list[Match], expected: _Calls, actual: _Calls, settings: Settings
) -> _Pairs:
    """The positions of the correct pairs, and the incorrect pairs."""
    correct: list[Positions] = []
    incorrect: list[Pair] = []
    for row, column, is_right in matches:
        if is_right:
            correct.append((row, column))
        else:
            incorrect.append(Pair(expected[row], actual[column], row, column, is_right, settings))
    return tuple(correct), tuple(incorrect)


def _has_parts(expected: tuple[Expected, ...], settings: Settings) -> bool:
    """Whether the calls are not simply paired with one another."""
    return (
        settings.extra_calls != "cost"
        or settings.order == "in_turns"
        or settings.schema_defaults != "differ"
        or has_turns(expected)
    )


def _ends_with_state(items: tuple[Expected, ...]) -> bool:
    """Whether there is a state at the end of a side; readers put it there."""
    return bool(items) and items[-1].kind == STATE_KIND


def _score_in_parts(
    expected: tuple[Expected, ...], actual: _Calls, settings: Settings, tools: Mapping[str, Tool]
) -> Score:
    """The score of a case with turns, free calls, defaults of schemas or a state at its end."""
    from callscore.core.turns import have_turns

    wanted = tuple([item for item in expected if not is_state(item)])
    made = tuple([call for call in actual if not is_state(call)])
    state = _compare_states(expected, actual, settings)
    if settings.schema_defaults == "equal" and tools:
        from callscore.core.schema_defaults import with_schema_defaults

        wanted = with_schema_defaults(wanted, made, settings, tools)
    compared = settings
    if state is not None and all(isinstance(item, Forbidden) for item in wanted):
        compared = structs.replace(settings, extra_calls="free")  # nothing is said about calls
    if has_turns(expected) and (have_turns(made) or not made):
        score, places = _score_turns(wanted, made, compared, tools, state)
    else:
        score, places = _score_as_one(wanted, made, compared, tools, state)
    if compared.extra_calls != "cost":
        from callscore.core.extra_calls import without_free_calls

        score = without_free_calls(score, [made[place] for place in places], tools)
    pairs = [structs.replace(pair, settings=settings) for pair in score.incorrect]
    score = structs.replace(score, settings=settings, incorrect=tuple(pairs))
    if score.turns:
        from callscore.core.turns import turn_scores

        score = structs.replace(score, turns=turn_scores(score))
    if state is not None:  # a state that nothing is expected of is not compared
        score = _with_state(score, state)
    return score if score.expectation is None else structs.replace(score, expectation=expected)


def _score_turns(
    wanted: tuple[Expected, ...],
    made: _Calls,
    settings: Settings,
    tools: Mapping[str, Tool],
    state: _StatePair | None,
) -> tuple[Score, list[int]]:
    """The score of the calls, turn by turn, and the places of those that count."""
    from callscore.core.counted_calls import free_positions
    from callscore.core.turns import score_turns

    if _has_callers(wanted):
        wanted = tuple([with_calls(item, _with_caller) for item in wanted])  # in every turn
    plain = _with_order(settings, "in_order")
    has_defaults = _has_defaults(wanted, settings)

    def score_part(items: tuple[Expected, ...], calls: _Calls, beside: Counts) -> Score:
        return _score(items, calls, plain, tools, _Part(beside, has_defaults))

    free = frozenset(free_positions(made, (), settings, tools))
    return score_turns(wanted, made, settings, score_part, free=free, beside=_beside(state))


def _score_as_one(
    wanted: tuple[Expected, ...],
    made: _Calls,
    settings: Settings,
    tools: Mapping[str, Tool],
    state: _StatePair | None,
) -> tuple[Score, list[int]]:
    """The same without turns, or if it is not known in which turns the calls were made."""
    from callscore.core.turns import counted_places, without_turns

    part = _Part(_beside(state), _has_defaults(wanted, settings))
    score = _score(without_turns(wanted), made, _with_order(settings, "any"), tools, part)
    places = counted_places(score, made)
    if has_turns(wanted):  # reports say that the turns were compared as one
        score = structs.replace(score, expectation=wanted)
    return score, places


def _beside(state: _StatePair | None) -> Counts:
    """What the state at the end adds to the counts of the calls."""
    return (0, 0) if state is None else (int(state.is_correct), 1 + state.counts_as_made)


def _with_order(settings: Settings, in_turns: Order) -> Settings:
    """The settings, with this order in place of the one within turns."""
    return structs.replace(settings, order=in_turns) if settings.order == "in_turns" else settings


def _has_defaults(expected: tuple[Expected, ...], settings: Settings) -> bool:
    return settings.schema_defaults == "equal" and any(
        isinstance(call.arguments, ArgumentsWithDefaults) for call in calls_in(expected)
    )


def _with_caller(call: ToolCall) -> ToolCall:
    return structs.replace(call, caller=call.caller or AGENT)


class _StatePair(NamedTuple):
    """The expected state at the end, and the actual one if it is known."""

    expected: ToolCall
    actual: ToolCall | None
    is_correct: bool
    is_free: bool

    @property
    def counts_as_made(self) -> bool:
        """Whether it is one of the actual calls that count."""
        return self.actual is not None and (self.is_correct or not self.is_free)


def _compare_states(
    expected: tuple[Expected, ...], actual: _Calls, settings: Settings
) -> _StatePair | None:
    """The states at the end; None if none is expected."""
    if not _ends_with_state(expected):
        return None
    wanted = cast("ToolCall", expected[-1])
    made = next((call for call in reversed(actual) if is_state(call)), None)
    is_correct = made is not None and is_correct_pair(
        apply_settings(wanted, settings, Budget()), made, settings
    )
    return _StatePair(wanted, made, is_correct, settings.extra_calls == "free")


def _with_state(score: Score, state: _StatePair) -> Score:
    """The score with the state at the end, which is compared as the last call of both sides."""
    expected, made, is_correct, _ = state
    rows, columns = len(score.expected), len(score.actual)
    score = structs.replace(
        score,
        expected=(*score.expected, expected),
        actual=score.actual if made is None else (*score.actual, made),
        equal_start=0,
        other_correct=score.correct_places,
    )
    if made is None:
        return score
    if is_correct:
        return structs.replace(score, other_correct=(*score.other_correct, (rows, columns)))
    pair = Pair(expected, made, rows, columns, is_correct, score.settings)
    free = score.free if state.counts_as_made else (*score.free, columns)
    return structs.replace(score, incorrect=(*score.incorrect, pair), free=free)


def _score_expectation(
    prepared: PreparedCalls, settings: Settings, tools: Mapping[str, Tool], part: _Part | None
) -> Score:
    """The score for an expectation with rules, groups or forbidden calls, or with free calls."""
    if has_turns(prepared.expected):  # with the default settings
        return _score_in_parts(prepared.expected, prepared.actual, settings, tools)
    expected = tuple([item for item in prepared.expected if not isinstance(item, Forbidden)])
    try:
        pair = _pair_by_caller if _has_callers(expected) else _pair_with
        calls, matches = pair(apply_settings, expected, prepared, settings, part or _Part())
    except RecursionError as error:
        raise InvalidCall("expected: matchers or groups are nested too deeply.") from error
    correct, incorrect = _split_matches(matches, calls, prepared.actual, settings)
    return Score(
        calls,
        prepared.actual,
        0,
        correct,
        incorrect,
        settings,
        forbidden=prepared.forbidden,
        ignored=prepared.ignored,
        expectation=None if calls == prepared.expected else prepared.expected,
    )


def _has_callers(expected: tuple[Expected, ...]) -> bool:
    return any(call.caller is not None for call in calls_in(expected))


def _pair_with(
    apply: _Apply,
    expected: tuple[Expected, ...],
    prepared: PreparedCalls,
    settings: Settings,
    part: _Part,
) -> tuple[_Calls, list[Match]]:
    """The expected calls that count, and the best pairing of them.

    `apply` says what is demanded of an expected call under the settings.
    """
    actual, free = prepared.actual, prepared.free
    budget = Budget()
    if not any(isinstance(item, Group | Times) for item in expected):
        calls = cast("_Calls", expected)
        demands = [apply(call, settings, budget) for call in calls]
        return calls, match_calls(
            demands, actual, 0, settings, budget, free=free, beside=part.beside
        )
    if settings.order == "exact":
        problem = "order: 'exact' compares position by position, and a group has no position"
        raise InvalidSettings(f"{problem}. Use 'in_order', or expect plain calls.")
    from callscore.core.groups.solver import match_groups

    budget.calls = len(expected), len(actual)
    index = CallIndex(actual, settings, budget)

    def grade(call: ToolCall) -> dict[Grade, int]:
        return index.grades(apply(call, settings, budget))

    grouped = match_groups(expected, actual, settings, grade, budget, free=free, beside=part.beside)
    return grouped.calls, grouped.matches


# Between the caller and the name of a tool, in names that are only compared.
_CALLER_END = "\x1f"


def _pair_by_caller(
    apply: _Apply,
    expected: tuple[Expected, ...],
    prepared: PreparedCalls,
    settings: Settings,
    part: _Part,
) -> tuple[_Calls, list[Match]]:
    """The best pairing in which both calls of a pair have the same caller.

    Where an expected call says who makes it, one that does not is the agent's.
    """

    def add(call: ToolCall) -> ToolCall:
        name = f"{call.caller or AGENT}{_CALLER_END}{call.name}"
        return structs.replace(call, name=name, caller=None)

    def remove(call: ToolCall) -> ToolCall:
        caller, _, name = call.name.partition(_CALLER_END)
        return structs.replace(call, name=name, caller=None if caller == AGENT else caller)

    def apply_by_name(call: ToolCall, settings: Settings, budget: Budget) -> ToolCall:
        demand = apply(remove(call), settings, budget)  # rules are for the tool's own name
        return structs.replace(demand, name=call.name, caller=None)

    named = tuple([with_calls(item, add) for item in expected])
    made = prepared._replace(actual=tuple(map(add, prepared.actual)))
    calls, matches = _pair_with(apply_by_name, named, made, settings, part)
    return tuple(map(remove, calls)), matches

"""Toolscore (the package tool-scorer): a weighted score of calls, and the metrics it is made of.

It refuses a call whose tool has no name: every function raises `NotScorable` for one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import eq
from typing import Any

from msgspec import Struct

from callscore.core.assignment import assign, levels_of
from callscore.core.budget import Budget
from callscore.errors import NotScorable
from callscore.parity.parameters import Arguments, Calls, names_of, pairs_of
from callscore.parity.value_comparison import common_count, has_members, python_json_text

__all__ = [
    "METRICS",
    "RATES_OF_FAULT",
    "TITLE",
    "VERSION",
    "ArgumentScores",
    "Evaluation",
    "SequenceScores",
    "argument_f1",
    "evaluate",
    "identical_rate",
    "invocation_accuracy",
    "partial_trajectory",
    "path_efficiency",
    "redundant_rate",
    "required_call_recall",
    "score",
    "selection_accuracy",
    "sequence_accuracy",
    "step_match_rate",
    "tool_correctness",
    "tool_correctness_with_args",
    "trajectory_accuracy",
]

_Names = list[str]


class SequenceScores(Struct, frozen=True, gc=False):
    """How far the order of the names is from the expected one.

    Attributes:
        edit_distance: the names to insert, remove or replace.
        normalized_distance: the same per name of the longer side.
        sequence_accuracy: 1 less that.
    """

    edit_distance: float
    normalized_distance: float
    sequence_accuracy: float


_SAME_SEQUENCE = SequenceScores(0.0, 0.0, 1.0)


def _selected_share(expected: _Names, actual: _Names) -> float:
    if not expected or not actual:
        return float(not expected and not actual)
    known = set(expected)
    return sum([name in known for name in actual]) / len(actual)


def _invoked_share(expected: _Names, actual: _Names) -> float:
    wanted, given = set(expected), set(actual)
    if not wanted:
        return float(not actual)
    wrong = len(wanted ^ given)
    return max(0.0, (len(wanted & given) - 0.5 * wrong) / len(wanted))


def _tools_share(expected: _Names, actual: _Names) -> float:
    wanted = set(expected)
    if not wanted:
        return float(not actual)
    return len(wanted.intersection(actual)) / len(wanted)


def _found_share(expected: _Names, actual: _Names) -> float:
    if not expected:
        return float(not actual)
    return common_count(expected, actual) / len(expected)


def _sequence_scores(expected: _Names, actual: _Names) -> SequenceScores:
    if expected == actual:
        return _SAME_SEQUENCE
    if not expected or not actual:
        return SequenceScores(float(len(expected or actual)), 1.0, 0.0)
    from rapidfuzz.distance import Levenshtein

    distance = Levenshtein.distance(expected, actual)
    normalized = distance / max(len(expected), len(actual))
    return SequenceScores(float(distance), normalized, 1.0 - normalized)


def _redundant_share(expected: _Names, actual: _Names) -> float:
    return (len(actual) - common_count(expected, actual)) / len(actual) if actual else 0.0


def _efficiency(expected: Sequence[object], actual: Sequence[object]) -> float:
    if not expected:
        return 1.0
    return min(1.0, len(expected) / len(actual)) if actual else 0.0


_MAX_PAIRED_EXACTLY = 12  # actual calls of one tool; more are paired greedily
_Pairs = list[tuple[str, "Arguments"]]
_ArgumentMap = dict[str, Any]
_Weights = list[list[int]]


class ArgumentScores(Struct, frozen=True, gc=False):
    """How many of the arguments are right.

    Attributes:
        precision: of the arguments of the actual calls that were paired, the share that is right.
        recall: the same share of all expected arguments.
        f1: the harmonic mean of both.
    """

    precision: float
    recall: float
    f1: float


_NONE_RIGHT = ArgumentScores(0.0, 0.0, 0.0)
_ALL_RIGHT = ArgumentScores(1.0, 1.0, 1.0)


def _argument_scores(expected: _Pairs, actual: _Pairs, *, strict: bool) -> ArgumentScores:
    """Pair the calls of each tool, and count the arguments over all of them.

    Raises:
        NotScorable: a value is too large, or nested too deeply, to be compared.
    """
    if not expected or not actual:
        return _NONE_RIGHT if expected or actual else _ALL_RIGHT
    try:
        return _scores(expected, actual, strict=strict)
    except (OverflowError, RecursionError) as error:
        raise NotScorable(f"Toolscore cannot compare a value: {error}.") from error


def _scores(expected: _Pairs, actual: _Pairs, *, strict: bool) -> ArgumentScores:
    wanted, given = _by_name(expected), _by_name(actual)
    comparable = _strictly_comparable if strict else _leniently_comparable
    total_right = total_wanted = total_given = 0
    is_any_paired = False
    for name, calls in wanted.items():
        total_wanted += sum([len(arguments) for arguments in calls if arguments])
        if name in given:
            is_any_paired = True
            right, count = _counts(calls, given[name], comparable)
            total_right += right
            total_given += count
    if not total_wanted and not total_given and is_any_paired:
        return _ALL_RIGHT
    precision = total_right / total_given if total_given else 0.0
    recall = total_right / total_wanted if total_wanted else 0.0
    if not total_right:
        return ArgumentScores(precision, recall, 0.0)
    return ArgumentScores(precision, recall, 2 * (precision * recall) / (precision + recall))


def _by_name(calls: _Pairs) -> dict[str, list[Arguments]]:
    found: dict[str, list[Arguments]] = {}
    for name, arguments in calls:
        if name in found:
            found[name].append(arguments)
        else:
            found[name] = [arguments]
    return found


def _counts(
    expected: list[Arguments], actual: list[Arguments], comparable: Callable[[Any], Any]
) -> tuple[int, int]:
    """How many arguments are right, and how many there are in the paired actual calls."""
    # Converted once per call, because each is compared with many.
    lefts = [_all_comparable(arguments, comparable) for arguments in expected]
    rights = [_all_comparable(arguments, comparable) for arguments in actual]
    weights = [[_count_equal(left, right) for right in rights] for left in lefts]
    if len(actual) > _MAX_PAIRED_EXACTLY:
        partners = _greedy_pairs(weights, len(actual))
    else:
        partners = _best_for_each(weights, len(actual)) or _max_weight_pairs(weights, len(actual))
    correct = count = 0
    for row, column in enumerate(partners):
        if column is not None and expected[row] is not None:
            correct += weights[row][column]
            count += len(rights[column])
    return correct, count


def _all_comparable(arguments: Arguments, comparable: Callable[[Any], Any]) -> _ArgumentMap:
    return {key: comparable(value) for key, value in arguments.items()} if arguments else {}


def _count_equal(expected: _ArgumentMap, actual: _ArgumentMap) -> int:
    count = 0
    for key, value in expected.items():
        if key in actual and actual[key] == value:
            count += 1
    return count


class _LargeInteger:
    """An integer too large for a float, which cannot be compared with another number."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        if isinstance(other, _LargeInteger) and other.value == self.value:
            return True
        if isinstance(other, _LargeInteger | float):
            raise OverflowError("an integer is too large for a float")
        return False

    __hash__ = None  # type: ignore[assignment]  # as it is only ever compared


def _leniently_comparable(value: Any) -> Any:
    """A value that equals another one if Toolscore takes the two for the same."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, int | float):
        try:
            return float(value)
        except OverflowError:
            return _LargeInteger(value)  # type: ignore[arg-type]  # no float is too great for one
    return value


def _strictly_comparable(value: Any) -> Any:
    """A value that equals another one if the two are equal and of the same types, at all depths."""
    kind = value.__class__
    if kind is dict:
        return {key: _strictly_comparable(member) for key, member in value.items()}
    if kind is list or kind is tuple:
        return (kind, [_strictly_comparable(member) for member in value])
    # A container with NaN equals itself in Python, although NaN does not.
    return (kind, value) if value == value else object()  # noqa: PLR0124  (false of NaN alone)


def _best_for_each(weights: _Weights, width: int) -> list[int | None]:
    """Give each expected call the earliest of its best actual calls; [] if that is not possible.

    No pairing is heavier than that, and none of the same weight is earlier.
    """
    partners: list[int | None] = []
    if len(weights) > width:
        return partners
    for row in weights:
        best = max(row)
        for column, weight in enumerate(row):
            if weight == best and column not in partners:
                partners.append(column)
                break
        else:
            return []
    return partners


def _max_weight_pairs(weights: _Weights, width: int) -> list[int | None]:
    """As many pairs as possible, with the greatest weight.

    Of several such pairings, it is the one in which the first expected call has no partner, or else
    the earliest actual call; then the second, and so on. The choice matters, because the arguments
    of unpaired actual calls are not counted.
    """
    # Columns of weight zero mean "no partner"; they come first, so that they are preferred.
    spare = max(0, len(weights) - width)
    rows = [levels_of(found for found in enumerate(row, spare) if found[1]) for row in weights]
    columns = assign(rows, spare + width, Budget())
    return [
        column - spare if column is not None and column >= spare else None for column in columns
    ]


def _greedy_pairs(weights: _Weights, width: int) -> list[int | None]:
    """Each expected call, in order, takes the best actual call that is left, the earliest of those."""
    left = list(range(width))
    partners: list[int | None] = []
    for row in weights:
        if not left:
            partners.append(None)
            continue
        best = max(left, key=row.__getitem__)  # the first of those that are equally good
        left.remove(best)
        partners.append(best)
    return partners


def _steps_share(expected: _Pairs, actual: _Pairs) -> float:
    if not expected:
        return float(not actual)
    found = 0
    try:
        for (name, wanted), (other, given) in zip(expected, actual, strict=False):
            if name == other and (not wanted or has_members(given or {}, wanted)):
                found += 1
    except RecursionError as error:
        raise NotScorable(f"Toolscore cannot compare a value: {error}.") from error
    return found / len(expected)


def _repeated_share(calls: _Pairs) -> float:
    if not calls:
        return 0.0
    different = {
        (name, python_json_text(arguments or {}, sort_keys=True)) for name, arguments in calls
    }
    return (len(calls) - len(different)) / len(calls)


TITLE = "Toolscore"
VERSION = "1.10.0"

_GRADES = ((0.9, "A"), (0.8, "B"), (0.7, "C"), (0.6, "D"))


class Evaluation(Struct, frozen=True, gc=False):
    """All numbers of a case; the functions of this module describe them."""

    score: float
    grade: str
    invocation_accuracy: float
    selection_accuracy: float
    argument: ArgumentScores
    sequence: SequenceScores
    tool_correctness: float
    trajectory_accuracy: float
    step_match_rate: float
    path_efficiency: float
    redundant_rate: float
    identical_rate: float
    required_call_recall: float | None


def evaluate(expected: Calls, actual: Calls, *, strict: bool = False) -> Evaluation:
    """All numbers that the function of this name returns.

    Args:
        expected: the expected calls; the arguments of one without any are not checked.
        actual: the actual calls.
        strict: whether values must be of the same type: 1 is not 1.0, and spaces count.

    Defects:
        Those of `score`, and of the other functions. What adds up to 0.9 or 0.8 can be a bit less
        as a float, and then has the lower grade.

    Raises:
        NotScorable: a value cannot be compared or written as JSON.
    """
    wanted, given = _pairs(expected), _pairs(actual)
    names, given_names = [name for name, _ in wanted], [name for name, _ in given]
    selection = _selected_share(names, given_names)
    argument = _argument_scores(wanted, given, strict=strict)
    sequence = _sequence_scores(names, given_names)
    redundant = _redundant_share(names, given_names)
    steps, efficiency = _steps_share(wanted, given), _efficiency(wanted, given)
    total = 0.4 * selection + 0.3 * argument.f1
    total = total + 0.2 * sequence.sequence_accuracy + 0.1 * (1.0 - redundant)
    return Evaluation(
        score=total,
        grade=next((grade for least, grade in _GRADES if total >= least), "F"),
        invocation_accuracy=_invoked_share(names, given_names),
        selection_accuracy=selection,
        argument=argument,
        sequence=sequence,
        tool_correctness=_tools_share(names, given_names),
        trajectory_accuracy=steps * efficiency,
        step_match_rate=steps,
        path_efficiency=efficiency,
        redundant_rate=redundant,
        identical_rate=_repeated_share(given),
        required_call_recall=_completed_share(names, given_names, actual),
    )


def score(expected: Calls, actual: Calls, *, strict: bool = False) -> float:
    """The weighted sum of four metrics.

    Selection counts for 0.4, the F1 of the arguments for 0.3, the sequence for 0.2, and what is
    not redundant for 0.1.

    Args:
        expected: the expected calls; the arguments of one without any are not checked.
        actual: the actual calls.
        strict: whether values must be of the same type: 1 is not 1.0, and spaces count.

    Defects:
        A perfect case has 0.9999999999999999, as the parts are added up as floats. A call with wrong
        arguments has 0.7. Without any actual call there is nothing redundant, which gives 0.1.

    Raises:
        NotScorable: a value cannot be compared or written as JSON.
    """
    return evaluate(expected, actual, strict=strict).score


def argument_f1(expected: Calls, actual: Calls, *, strict: bool = False) -> float:
    """The F1 of single arguments, counted over all calls.

    The calls of a tool are paired so that as many as possible have a partner, and then as many
    arguments as possible are right.

    Args:
        expected: the expected calls; the arguments of one without any are not checked.
        actual: the actual calls.
        strict: whether values must be of the same type: 1 is not 1.0, and spaces count.

    Defects:
        The arguments of extra calls are not counted, and so cost no precision. With more than 12
        actual calls of a tool each expected call takes the best that is left. Unless `strict`,
        true is 1, numbers are compared as floats, so that large integers that differ are the
        same, and spaces around a text do not count, but only if it is not within a list or object.

    Raises:
        NotScorable: a value cannot be compared.
    """
    return _argument_scores(_pairs(expected), _pairs(actual), strict=strict).f1


def selection_accuracy(expected: Calls, actual: Calls) -> float:
    """The share of the actual calls whose tool is expected at all.

    Defects:
        Missing calls cost nothing, and neither does calling a tool too often.
    """
    return _selected_share(_names(expected), _names(actual))


def invocation_accuracy(expected: Calls, actual: Calls) -> float:
    """The share of the expected tools that are called, less half of each one missing or extra.

    Defects:
        A missing tool is counted twice, and the number of calls of a tool does not matter.
    """
    return _invoked_share(_names(expected), _names(actual))


def sequence_accuracy(expected: Calls, actual: Calls) -> float:
    """One less the edit distance of the names, per name of the longer side.

    Defects:
        Arguments do not count.
    """
    return _sequence_scores(_names(expected), _names(actual)).sequence_accuracy


def tool_correctness(expected: Calls, actual: Calls, *, strict_order: bool = False) -> float:
    """The share of the expected tools that are called at least once.

    Args:
        expected: the expected calls.
        actual: the actual calls.
        strict_order: the share of the expected calls that have their name at the same position.

    Defects:
        A tool that is expected twice must be called once. In strict order, one extra call in
        front makes all others wrong. Extra calls are free, unless none is expected.
    """
    wanted, given = _names(expected), _names(actual)
    if not strict_order or not wanted:
        return _tools_share(wanted, given)
    placed: int = sum(map(eq, wanted, given))
    return placed / len(wanted)


def tool_correctness_with_args(expected: Calls, actual: Calls) -> float:
    """The share of the expected calls that find an equal call of their own.

    Defects:
        Each takes the first that fits, so that an expected call without arguments, which fits any,
        can take the only one that fits a later one. Extra calls cost nothing. A call without
        arguments is not one with none.

    Raises:
        NotScorable: a value is nested too deeply.
    """
    wanted, left = _pairs(expected), _pairs(actual)
    if not wanted:
        return float(not left)
    found = 0
    try:
        for name, arguments in wanted:
            for place, (other, given) in enumerate(left):
                if name == other and (arguments is None or arguments == given):
                    del left[place]
                    found += 1
                    break
    except RecursionError as error:
        raise NotScorable(f"Toolscore cannot compare a value: {error}.") from error
    return found / len(wanted)


def partial_trajectory(
    expected: Calls, actual: Calls, *, allow_tool_name_variations: bool = False
) -> float:
    """The share of the expected calls that find a call of the same tool.

    Args:
        expected: the expected calls.
        actual: the actual calls.
        allow_tool_name_variations: whether case, underscores and hyphens do not count.

    Defects:
        Arguments, order and extra calls do not matter.
    """
    wanted, given = _names(expected), _names(actual)
    if allow_tool_name_variations:
        wanted, given = (
            [name.lower().replace("_", "").replace("-", "") for name in names]
            for names in (wanted, given)
        )
    return _found_share(wanted, given)


def trajectory_accuracy(expected: Calls, actual: Calls) -> float:
    """`step_match_rate` times `path_efficiency`.

    Defects:
        Those of both.

    Raises:
        NotScorable: a value is nested too deeply.
    """
    wanted, given = _pairs(expected), _pairs(actual)
    return _steps_share(wanted, given) * _efficiency(wanted, given)


def step_match_rate(expected: Calls, actual: Calls) -> float:
    """The share of the expected calls that have their name and arguments at the same position.

    Defects:
        One extra call in front makes all others wrong. Extra arguments do not matter.

    Raises:
        NotScorable: a value is nested too deeply.
    """
    return _steps_share(_pairs(expected), _pairs(actual))


def path_efficiency(expected: Calls, actual: Calls) -> float:
    """The number of expected calls per actual call, at most 1.

    Defects:
        If nothing is expected it is 1, whatever is called.
    """
    return _efficiency(_names(expected), _names(actual))


def redundant_rate(expected: Calls, actual: Calls) -> float:
    """The share of the actual calls that are more than expected of their tool.

    Defects:
        Arguments do not count.
    """
    return _redundant_share(_names(expected), _names(actual))


def identical_rate(expected: Calls, actual: Calls) -> float:
    """The share of the actual calls that repeat an earlier one, by their JSON text.

    Defects:
        A call that is expected twice, and made twice, is a repetition.

    Raises:
        NotScorable: a value cannot be written as JSON.
    """
    _names(expected)
    return _repeated_share(_pairs(actual))


def required_call_recall(expected: Calls, actual: Calls) -> float | None:
    """The share of the expected calls that find a call of the same tool that did not fail.

    None if nothing is expected.

    Defects:
        Arguments, order and extra calls do not matter.
    """
    return _completed_share(_names(expected), _names(actual), actual)


def _completed_share(expected: list[str], actual: list[str], calls: Calls) -> float | None:
    both = zip(actual, calls, strict=True)
    completed = [name for name, call in both if not getattr(call, "failed", None)]
    return _found_share(expected, completed) if expected else None


def _pairs(calls: Calls) -> list[tuple[str, Arguments]]:
    pairs = pairs_of(calls)
    _all_named([name for name, _ in pairs])
    return pairs


def _names(calls: Calls) -> list[str]:
    return _all_named(names_of(calls))


def _all_named(names: list[str]) -> list[str]:
    if "" in names:
        raise NotScorable("Toolscore does not accept a call without a tool name.")
    return names


METRICS = (
    *(score, argument_f1, selection_accuracy, invocation_accuracy, sequence_accuracy),
    *(tool_correctness, tool_correctness_with_args, trajectory_accuracy, step_match_rate),
    *(path_efficiency, partial_trajectory, redundant_rate, identical_rate, required_call_recall),
)
RATES_OF_FAULT = (redundant_rate, identical_rate)  # of which less is better

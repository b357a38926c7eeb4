"""How Toolscore counts arguments: which calls it pairs, and which values it takes for the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from callscore.core.assignment import Levels, assign
from callscore.errors import NotScorable
from callscore.parity.json_text import json_text
from callscore.parity.tool_scorer_names import for_nothing_expected

if TYPE_CHECKING:
    from collections.abc import Callable

    from callscore.parity.calls import Arguments

__all__ = ["ArgumentScores", "argument_scores", "equal_share", "repeated_share", "steps_share"]

_MOST_PAIRED_EXACTLY = 12  # actual calls of one tool; beyond, they are paired greedily
_Pairs = list[tuple[str, "Arguments"]]
_Given = dict[str, Any]
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


def argument_scores(expected: _Pairs, actual: _Pairs, *, strict: bool) -> ArgumentScores:
    """Pair the calls of each tool, and count the arguments over all of them.

    Args:
        expected: names and arguments; those of a call without arguments are not checked.
        actual: names and arguments.
        strict: whether a value has to be of the same type.

    Raises:
        NotScorable: a value is too great, or nested too deep, to be compared.
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
    wanted: list[Arguments], given: list[Arguments], comparable: Callable[[Any], Any]
) -> tuple[int, int]:
    """How many arguments are right, of how many in the calls that are paired with a checked one."""
    # Once for each call, as each is compared with many.
    lefts = [_all_comparable(arguments, comparable) for arguments in wanted]
    rights = [_all_comparable(arguments, comparable) for arguments in given]
    weights = [[_agreeing(left, right) for right in rights] for left in lefts]
    correct = count = 0
    for row, column in enumerate(_partners(weights, len(given))):
        if column is not None and wanted[row] is not None:
            correct += weights[row][column]
            count += len(rights[column])
    return correct, count


def _all_comparable(arguments: Arguments, comparable: Callable[[Any], Any]) -> _Given:
    return {key: comparable(value) for key, value in arguments.items()} if arguments else {}


def _agreeing(wanted: _Given, given: _Given) -> int:
    count = 0
    for key, value in wanted.items():
        if key in given and given[key] == value:
            count += 1
    return count


class _Great:
    """An integer that is too great for a float, and so for a comparison with another number."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        if isinstance(other, _Great) and other.value == self.value:
            return True
        if isinstance(other, _Great | float):
            raise OverflowError("an integer is too great for a float")
        return False

    __hash__ = None  # type: ignore[assignment]  # as it is only ever compared


def _leniently_comparable(value: Any) -> Any:
    """What is equal for values that the tool takes for the same."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, int | float):
        try:
            return float(value)
        except OverflowError:
            return _Great(value)  # type: ignore[arg-type]  # no float is too great for one
    return value


def _strictly_comparable(value: Any) -> Any:
    """What is equal for values that are equal and of the same types, all the way down."""
    kind = value.__class__
    if kind is dict:
        return {key: _strictly_comparable(member) for key, member in value.items()}
    if kind is list or kind is tuple:
        return (kind, [_strictly_comparable(member) for member in value])
    # What holds NaN is equal to itself in Python, though NaN is not.
    return (kind, value) if value == value else object()  # noqa: PLR0124  (false of NaN alone)


def _partners(weights: _Weights, width: int) -> list[int | None]:
    """Which actual call each expected one is paired with."""
    if width > _MOST_PAIRED_EXACTLY:
        return _first_come(weights, width)
    return _each_its_best(weights, width) or _heaviest(weights, width)


def _each_its_best(weights: _Weights, width: int) -> list[int | None]:
    """Let each expected call have the earliest of its best actual calls; nothing if it cannot.

    Nothing can be heavier than that, and nothing as heavy is earlier.
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


def _heaviest(weights: _Weights, width: int) -> list[int | None]:
    """As many pairs as can be, with the greatest weight.

    Of several such pairings it is the one in which the first expected call goes without, if it can,
    or else has the earliest actual call; then the second, and so on. Which one it is matters: the
    arguments of the actual calls that nobody takes are not counted.
    """
    # To go without is to have a column that weighs nothing; as these come first, they are preferred.
    spare = max(0, len(weights) - width)
    rows: list[Levels] = []
    for row in weights:
        having: dict[int, int] = {}
        for column, weight in enumerate(row, spare):
            if weight:
                having[weight] = having.get(weight, 0) | 1 << column
        rows.append(sorted(having.items(), reverse=True))
    columns = assign(rows, spare + width)
    return [
        column - spare if column is not None and column >= spare else None for column in columns
    ]


def _first_come(weights: _Weights, width: int) -> list[int | None]:
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


def equal_share(expected: _Pairs, actual: _Pairs) -> float:
    """The share of the expected calls that find an equal one; each takes the first that fits.

    Raises:
        NotScorable: a value is nested too deep to be compared.
    """
    if not expected:
        return for_nothing_expected(actual)
    left = actual[:]
    found = 0
    try:
        for name, arguments in expected:
            for place, (other, given) in enumerate(left):
                if name == other and (arguments is None or arguments == given):
                    del left[place]
                    found += 1
                    break
    except RecursionError as error:
        raise NotScorable(f"Toolscore cannot compare a value: {error}.") from error
    return found / len(expected)


def steps_share(expected: _Pairs, actual: _Pairs) -> float:
    """The share of the expected calls that have their name and arguments at the same position.

    Raises:
        NotScorable: a value is nested too deep to be compared.
    """
    if not expected:
        return for_nothing_expected(actual)
    found = 0
    try:
        for (name, wanted), (other, given) in zip(expected, actual, strict=False):
            if name == other and (not wanted or _holds(given or {}, wanted)):
                found += 1
    except RecursionError as error:
        raise NotScorable(f"Toolscore cannot compare a value: {error}.") from error
    return found / len(expected)


def _holds(given: _Given, wanted: _Given) -> bool:
    return all(key in given and given[key] == value for key, value in wanted.items())


def repeated_share(calls: _Pairs) -> float:
    """The share of the calls that repeat an earlier one, by their JSON text.

    Raises:
        NotScorable: a value cannot be written as JSON.
    """
    if not calls:
        return 0.0
    different = {(name, json_text(arguments or {}, sort_keys=True)) for name, arguments in calls}
    return (len(calls) - len(different)) / len(calls)

"""Whether an expectation, or a setting, asks for less than before: looser, stricter, or only different."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import msgspec

from callscore.comparing.changes import Direction, SettingChange
from callscore.core.call import ToolCall
from callscore.core.expectation_json import contains_rule_keys, parse_matchers
from callscore.core.settings import DEFAULT
from callscore.errors import CallscoreError

# `different` if neither is certain.
_Relation = Literal["same", "looser", "stricter", "different"]

_INVERSE: dict[_Relation, _Relation] = {
    "same": "same",
    "looser": "stricter",
    "stricter": "looser",
    "different": "different",
}
# Larger expectations are compared only as a whole: each of their calls is paired with each other one.
_MAX_ITEMS = 200
_MAX_DEPTH = 50
_encoder = msgspec.json.Encoder(order="deterministic")


def expectation_direction(before: Sequence[Any] | None, after: Sequence[Any] | None) -> Direction:
    """Whether the second expectation asks for less than the first, as case files spell them.

    Fewer calls, calls that became optional or one of several, fewer arguments, a rule that accepts
    the exact value it replaces, a wider rule, and less order ask for less, whatever else changed. None
    expects nothing.
    """
    if before is None or after is None:
        return "looser" if after is None else "stricter"
    first, second = _items(before), _items(after)
    if max(len(first), len(second)) > _MAX_ITEMS:
        return "different"
    found = _combined(_item_relations(first, second))
    # Not the same, or nobody would ask: the order of the calls, or fields that are not compared here.
    return "different" if found == "same" else found


def _combined(relations: Iterable[_Relation]) -> _Relation:
    """The relation of a whole: what is looser in one part is not made up for by another part."""
    found = set(relations)
    return next(each for each in _GRAVITY if each in found or each == "same")


_GRAVITY: tuple[_Relation, ...] = ("looser", "different", "stricter", "same")


def _balance(removed: int, added: int) -> _Relation:
    """Requirements that are gone, and others that are new, which may replace them."""
    if removed > added:
        return "looser"
    return "same" if not added else "different" if removed else "stricter"


# --- the items of an expectation --------------------------------------------------------------

# How much order a place in an expectation asks for: in `any_order` none, in `in_order` all, and at
# the top level what the settings say.
_ORDERS = {"any_order": 0, "": 1, "in_order": 2}


class _Item(NamedTuple):
    """One requirement of an expectation.

    Attributes:
        kind: `call`, `one_of`, `forbid`, or `other` for what only Python can express.
        value: the call, the list of alternatives, the pattern.
        order: how much order its place asks for.
        turn: the number of the turn in which it is expected, from 0; None without turns.
    """

    kind: Literal["call", "one_of", "forbid", "other"]
    value: Any
    is_optional: bool = False
    order: int = 1
    turn: int | None = None


def _items(expected: Any, order: str = "", *, is_optional: bool = False) -> list[_Item]:
    """The requirements of an expectation, with groups dissolved."""
    found: list[_Item] = []
    turns = 0
    for item in expected if isinstance(expected, list | tuple) else [expected]:
        inner = next((key for key in ("any_order", "in_order") if _has(item, key)), None)
        if _has(item, "turn") and not _has(item, "name"):
            found += [each._replace(turn=turns) for each in _items(item["turn"])]
            turns += 1
        elif inner is not None:
            found += _items(item[inner], inner, is_optional=is_optional)
        elif _has(item, "optional"):
            found += _items(item["optional"], order, is_optional=True)
        else:
            found.append(_item(item, _ORDERS[order], is_optional=is_optional))
    return found


def _item(item: Any, order: int, *, is_optional: bool) -> _Item:
    if _has(item, "forbid"):
        return _Item("forbid", item["forbid"], order=1)
    if _has(item, "one_of"):
        return _Item("one_of", item["one_of"], is_optional, order)
    kind: Literal["call", "other"] = "call" if _has(item, "name") else "other"
    return _Item(kind, item, is_optional, order)


def _has(item: Any, key: str) -> bool:
    return isinstance(item, Mapping) and key in item


def _item_relations(before: list[_Item], after: list[_Item]) -> Iterator[_Relation]:
    remaining, unmatched, gone = list(after), [], []
    for item in before:  # equal ones first, so that others are not paired with them
        if item in remaining:
            remaining.remove(item)
        else:
            unmatched.append(item)
    for item in unmatched:
        found = [(other, _relation(item, other)) for other in remaining]
        known = [(other, relation) for other, relation in found if relation is not None]
        if known:
            other, relation = min(known, key=lambda pair: _PREFERENCE.index(pair[1]))
            remaining.remove(other)
            yield relation
        else:
            gone.append(item)
    yield from _unpaired_relations(gone, remaining)


def _unpaired_relations(gone: list[_Item], new: list[_Item]) -> Iterator[_Relation]:
    yield _balance(sum(map(_is_required, gone)), sum(map(_is_required, new)))
    yield from [_without(item) for item in gone if not _is_required(item)]
    yield from [_INVERSE[_without(item)] for item in new if not _is_required(item)]


_PREFERENCE: tuple[_Relation, ...] = ("same", "looser", "stricter", "different")


def _is_required(item: _Item) -> bool:
    return item.kind in ("call", "one_of") and not item.is_optional


def _without(item: _Item) -> _Relation:
    """What it means that an item other than a required call is not expected any more."""
    if item.kind == "other":
        return "different"
    return "stricter" if item.is_optional else "looser"


def _relation(before: _Item, after: _Item) -> _Relation | None:
    """How one item changed into another; None if it is another one."""
    core = _core_relation(before, after)
    if core is None:
        return None
    return _combined(
        (
            core,
            _optional_relation(before, after),
            _order_relation(before, after),
            _turn_relation(before, after),
        )
    )


def _turn_relation(before: _Item, after: _Item) -> _Relation:
    """Without a turn, a call may be made at any time."""
    if before.turn == after.turn:
        return "same"
    if None not in (before.turn, after.turn):
        return "different"
    return "looser" if after.turn is None else "stricter"


def _optional_relation(before: _Item, after: _Item) -> _Relation:
    if before.is_optional == after.is_optional:
        return "same"
    return "looser" if after.is_optional else "stricter"


def _order_relation(before: _Item, after: _Item) -> _Relation:
    if before.order == after.order:
        return "same"
    return "looser" if after.order < before.order else "stricter"


def _core_relation(before: _Item, after: _Item) -> _Relation | None:
    kinds = before.kind, after.kind
    found: _Relation | None = None
    if kinds == ("call", "call"):
        found = _call_relation(before.value, after.value)
    elif kinds == ("one_of", "one_of"):
        found = _set_relation(before.value, after.value)
    elif kinds == ("call", "one_of"):
        found = _alternative_relation(before.value, after.value)
    elif kinds == ("one_of", "call"):
        inverse = _alternative_relation(after.value, before.value)
        found = None if inverse is None else _INVERSE[inverse]
    elif before.kind == after.kind == "other" and before.value != after.value:
        found = "different"
    elif before.value == after.value:
        found = "same"
    return found


def _set_relation(before: Sequence[Any], after: Sequence[Any]) -> _Relation:
    """How a list of alternatives changed: of a larger set any is accepted."""
    first, second = _keys(before), _keys(after)
    if first == second:
        return "same"
    return "looser" if first < second else "stricter" if second < first else "different"


def _keys(alternatives: Any) -> set[bytes]:
    return {_encoder.encode(each) for each in alternatives}


def _alternative_relation(call: Any, alternatives: Sequence[Any]) -> _Relation | None:
    """How a call changed into one of several alternatives."""
    found = [_call_relation(call, each) for each in alternatives if _has(each, "name")]
    if any(each in ("same", "looser") for each in found):
        return "looser"
    return "different" if any(each is not None for each in found) else None


# --- calls and values -------------------------------------------------------------------------


def _call_relation(before: Mapping[str, Any], after: Mapping[str, Any]) -> _Relation | None:
    if before.get("name") != after.get("name"):
        return None
    first, second = before.get("arguments"), after.get("arguments")
    relations = [_times_relation(before.get("times"), after.get("times"))]
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        relations.append(_arguments_relation(first, second))
    elif first != second:  # without arguments any are accepted
        relations.append(
            "looser" if second is None else "stricter" if first is None else "different"
        )
    others = [
        {key: value for key, value in call.items() if key not in ("arguments", "times")}
        for call in (before, after)
    ]
    relations.append("same" if others[0] == others[1] else "different")
    return _combined(relations)


def _times_relation(before: Any, after: Any) -> _Relation:
    if before == after:
        return "same"
    ranges = [_times_range(times) for times in (before, after)]
    if None in ranges:
        return "different"
    return _range_relation(*[each for each in ranges if each is not None])


def _times_range(times: Any) -> tuple[float, float] | None:
    if times is None:
        return 1, 1
    if not isinstance(times, Mapping):
        return None
    return times.get("min", 0), times.get("max", float("inf"))


def _range_relation(before: tuple[float, float], after: tuple[float, float]) -> _Relation:
    if after[0] <= before[0] and before[1] <= after[1]:
        return "looser"
    return "stricter" if before[0] <= after[0] and after[1] <= before[1] else "different"


def _arguments_relation(before: Mapping[str, Any], after: Mapping[str, Any]) -> _Relation:
    common = [name for name in before if name in after]
    relations = [_value_relation(before[name], after[name]) for name in common]
    gone = [before[name] for name in before if name not in after]
    new = [after[name] for name in after if name not in before]
    required = [[each for each in some if not _has(each, "$optional")] for some in (gone, new)]
    relations.append(_balance(*map(len, required)))
    if len(new) > len(required[1]):  # an argument that was not accepted may be given now
        relations.append("looser")
    return _combined(relations)


def _value_relation(before: Any, after: Any, depth: int = 0) -> _Relation:
    if before == after and type(before) is type(after):
        return "same"
    has_rules = contains_rule_keys(before), contains_rule_keys(after)
    if has_rules == (True, True):
        return _nested_relation(before, after, depth) if depth < _MAX_DEPTH else "different"
    # A rule in place of an exact value, or the other way round.
    if has_rules == (False, True) and _accepts(after, before):
        return "looser"
    return "stricter" if has_rules == (True, False) and _accepts(before, after) else "different"


def _nested_relation(before: Any, after: Any, depth: int) -> _Relation:
    """How a value with rules changed into another one."""
    pairs: list[tuple[Any, Any]] = []
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        pairs = [*zip(before, after, strict=True)]
    elif isinstance(before, Mapping) and isinstance(after, Mapping):
        if _is_rule(before) or _is_rule(after):
            return _rule_relation(before, after)
        if before.keys() == after.keys():
            pairs = [(before[key], after[key]) for key in before]
    return _combined(_value_relation(*pair, depth + 1) for pair in pairs) if pairs else "different"


def _is_rule(value: Mapping[str, Any]) -> bool:
    return any(str(key).startswith("$") for key in value)


def _accepts(rule: Any, value: Any) -> bool:
    """Whether a value with rules accepts a plain one; a judge is not asked."""
    from callscore.core.scoring import score_calls  # mostly no expectation was changed

    try:
        expected = ToolCall("f", {"x": parse_matchers(rule, where="expected")})
        return score_calls((expected,), (ToolCall("f", {"x": value}),), DEFAULT).f1 == 1.0
    except (CallscoreError, RecursionError):
        return False


# Options of a rule, and whether a larger number accepts more.
_WIDENS = {"rel": True, "abs": True, "similarity": False, "at_least": False}
# Bounds, and whether a larger number accepts more.
_BOUNDS = {"$gt": False, "$gte": False, "$lt": True, "$lte": True}


def _rule_relation(before: Mapping[str, Any], after: Mapping[str, Any]) -> _Relation:
    if "$any" in after or "$any" in before:
        return "looser" if "$any" in after else "stricter"
    if set(before) == set(after) == {"$one_of"}:
        return _set_relation(before["$one_of"], after["$one_of"])
    keys = [key for key in {**before, **after} if before.get(key) != after.get(key)]
    return _combined([_option_relation(key, before, after) for key in keys])


def _option_relation(key: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> _Relation:
    if key in _BOUNDS and (key in before) != (key in after):  # a bound was added or removed
        return "looser" if key in before else "stricter"
    widens = {**_WIDENS, **_BOUNDS}
    if key not in widens or not _are_numbers(before.get(key), after.get(key)):
        return "different"
    return "looser" if (after[key] > before[key]) == widens[key] else "stricter"


def _are_numbers(*values: Any) -> bool:
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)


# --- settings ---------------------------------------------------------------------------------

# The values of a setting, from the strictest to the loosest. `failed_calls` is not among them: a failed
# call that counts may be the expected one, or an extra one.
_LADDERS: dict[str, tuple[str, ...]] = {
    "mode": ("strict", "flexible"),
    "order": ("exact", "in_order", "in_turns", "any"),
    "extra_arguments": ("count", "ignore"),
    "count_calls": ("all", "writes"),
    "repeated_calls": ("count", "collapse"),
    "arrays": ("ordered", "unordered"),
    "nested_objects": ("equal", "subset"),
    "extra_calls": ("cost", "reads_free", "free"),
    "schema_defaults": ("differ", "equal"),
    "turns": ("separate", "cumulative"),
}
# More calls ask for more only if all of them must be right: correct reads may make up for a wrong write.
_OF_EXACT_CASES = frozenset({"count_calls"})
# A call that is expected twice is there again if repeats count.
_NEVER_STRICTER = frozenset({"repeated_calls"})
# Settings that are numbers, and whether a larger one is looser.
_NUMBERS = {"pass_mark": False, "argument_match_threshold": False, "top_k": True}
# Lists of what is ignored, of which a longer one accepts more. A shorter one may do so, too: a pattern of
# a forbidden tool no longer matches, or a later rule decides.
_LENIENCIES = frozenset({"strip_prefix", "normalize_name", "arguments"})


def setting_changes(
    evaluation: str, before: Mapping[str, Any], after: Mapping[str, Any]
) -> Iterator[SettingChange]:
    """The settings that differ; `scorers` is a list of names, `fail_under` a mean for each scorer."""
    for name in {**before, **after}:
        first, second = before.get(name), after.get(name)
        # Tools that only one run has: then schemas were checked, or not, which is noted elsewhere.
        if first == second or (name == "tools" and None in (first, second)):
            continue
        if name == "fail_under":
            yield from _mean_changes(evaluation, first or {}, second or {})
            continue
        is_exact = after.get("pass_mark", DEFAULT.pass_mark) == 1
        direction = _setting_direction(name, first, second, is_exact=is_exact)
        yield SettingChange(
            evaluation=evaluation, name=name, before=first, after=second, direction=direction
        )


def _mean_changes(
    evaluation: str, before: Mapping[str, float], after: Mapping[str, float]
) -> Iterator[SettingChange]:
    for scorer in {**before, **after}:
        first, second = before.get(scorer), after.get(scorer)
        if first == second:
            continue
        is_lower = second is None or (first is not None and second < first)
        yield SettingChange(
            evaluation=evaluation,
            name=f"fail_under ({scorer})",
            before=first,
            after=second,
            direction="looser" if is_lower else "stricter",
        )


def _setting_direction(name: str, before: Any, after: Any, *, is_exact: bool) -> Direction:
    """Whether a setting asks for less; `is_exact` means that only exact cases pass."""
    ladder = _LADDERS.get(name, ())
    found: Direction = "different"
    if before in ladder and after in ladder:
        is_looser = ladder.index(after) > ladder.index(before)
        is_certain = is_looser or (
            name not in _NEVER_STRICTER and (is_exact or name not in _OF_EXACT_CASES)
        )
        found = "looser" if is_looser else "stricter" if is_certain else "different"
    elif name in _NUMBERS and _are_numbers(before, after):
        found = "looser" if (after > before) == _NUMBERS[name] else "stricter"
    elif isinstance(before, list) and isinstance(after, list):
        first, second = _keys(before), _keys(after)
        if name == "scorers" and (first < second or second < first):  # each of them must pass
            found = "stricter" if first < second else "looser"
        elif name in _LENIENCIES and first < second:
            found = "looser"
    return found

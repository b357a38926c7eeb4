"""Which evaluations and which cases of two runs belong together."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from callscore.comparing.sides import CaseOutcome, EvaluationSide, Side, TrialOutcome

__all__ = ["Lone", "Matched", "Matching", "match_sides"]


class Matched(NamedTuple):
    """A case that both runs have.

    Attributes:
        evaluation: what the evaluation of the second run is called.
        before: what became of it in the first run.
        after: what became of it in the second.
        alone: the two answers, where there is one in each run, as there nearly always is.
    """

    evaluation: str
    before: CaseOutcome
    after: CaseOutcome
    alone: tuple[TrialOutcome, TrialOutcome] | None = None


class Lone(NamedTuple):
    """A case that only one run has."""

    evaluation: str
    case: CaseOutcome


class Matching(NamedTuple):
    """What of two runs belongs together, and what does not.

    Attributes:
        evaluations: the evaluations that both have.
        cases: the cases that both have, in the order of the second run.
        only_before: cases that only the first has.
        only_after: cases that only the second has.
        lone_before: evaluations that only the first has.
        lone_after: evaluations that only the second has.
        repeated: cases whose id another case of the evaluation has; their trials are one case's.
    """

    evaluations: list[tuple[EvaluationSide, EvaluationSide]]
    cases: list[Matched]
    only_before: list[Lone]
    only_after: list[Lone]
    lone_before: list[EvaluationSide]
    lone_after: list[EvaluationSide]
    repeated: list[Lone]


def match_sides(before: Side, after: Side) -> Matching:
    """Which evaluations and which cases belong together.

    Those do that stand in the same place under the same variant, and of the others those of the same
    name and variant. Where each run knows one variant alone, the variants need not be the same. The
    only evaluations of two runs belong together under other names, too, if they have a case in
    common that is asked the same or expects the same, or nobody knows what it is asked. Cases are
    joined on their ids, never on their position.
    """
    pairs = _pairs(before.evaluations, after.evaluations)
    matching = Matching(
        pairs,
        cases=[],
        only_before=[],
        only_after=[],
        lone_before=_without(before.evaluations, [first for first, _ in pairs]),
        lone_after=_without(after.evaluations, [second for _, second in pairs]),
        repeated=[],
    )
    for first, second in pairs:
        _match_cases(first, second, matching)
    for lone, cases in (
        (matching.lone_before, matching.only_before),
        (matching.lone_after, matching.only_after),
    ):
        for each in lone:
            cases.extend(Lone(each.label, case) for case in _by_id(each, matching).values())
    return matching


def _pairs(
    before: Sequence[EvaluationSide], after: Sequence[EvaluationSide]
) -> list[tuple[EvaluationSide, EvaluationSide]]:
    if len(before) == len(after) == 1:
        return [(before[0], after[0])] if _are_one(before[0], after[0]) else []
    is_one_variant = all(len({each.variant for each in side}) == 1 for side in (before, after))

    def variant(each: EvaluationSide) -> str | None:
        return None if is_one_variant else each.variant

    found = _joined(before, after, lambda each: (each.place, variant(each)) if each.place else None)
    rest = _without(before, [first for first, _ in found])
    others = _without(after, [second for _, second in found])
    found += _joined(rest, others, lambda each: (each.name, variant(each)))
    order = {id(second): position for position, second in enumerate(after)}
    return sorted(found, key=lambda pair: order[id(pair[1])])


def _are_one(before: EvaluationSide, after: EvaluationSide) -> bool:
    """Whether the only evaluations of two runs are the same one, whatever it is called."""
    if before.name == after.name or (before.place and before.place == after.place):
        return True
    if not before.cases or not after.cases:
        return True  # there is nothing that speaks against it
    first = {case.id: case for case in before.cases}
    return any(case.id in first and _is_alike(first[case.id], case) for case in after.cases)


def _is_alike(before: CaseOutcome, after: CaseOutcome) -> bool:
    is_asked_alike = before.asked == after.asked or not (before.asked and after.asked)
    return is_asked_alike or bool(before.expectation and before.expectation == after.expectation)


def _joined(
    before: Iterable[EvaluationSide],
    after: Iterable[EvaluationSide],
    key: Callable[[EvaluationSide], Hashable],
) -> list[tuple[EvaluationSide, EvaluationSide]]:
    """Those with the same key; several of one key in their order."""
    waiting: dict[Hashable, list[EvaluationSide]] = {}
    for each in before:
        if key(each) is not None:
            waiting.setdefault(key(each), []).append(each)
    return [(waiting[key(each)].pop(0), each) for each in after if waiting.get(key(each))]


def _without(
    evaluations: Iterable[EvaluationSide], found: Sequence[EvaluationSide]
) -> list[EvaluationSide]:
    taken = {id(each) for each in found}
    return [each for each in evaluations if id(each) not in taken]


def _match_cases(first: EvaluationSide, second: EvaluationSide, matching: Matching) -> None:
    before, after = _by_id(first, matching), _by_id(second, matching)
    label = second.label
    for name, case in after.items():
        partner = before.pop(name, None)
        if partner is None:
            matching.only_after.append(Lone(second.label, case))
        else:
            matching.cases.append(Matched(label, partner, case, _alone(partner, case)))
    matching.only_before.extend(Lone(first.label, case) for case in before.values())


def _alone(before: CaseOutcome, after: CaseOutcome) -> tuple[TrialOutcome, TrialOutcome] | None:
    if len(before.trials) != 1 or len(after.trials) != 1:
        return None
    first, second = before.trials[0], after.trials[0]
    return None if "error" in (first.status, second.status) else (first, second)


def _by_id(evaluation: EvaluationSide, matching: Matching) -> dict[str, CaseOutcome]:
    found: dict[str, CaseOutcome] = {}
    for case in evaluation.cases:
        there = found.get(case.id)
        if there is not None:
            matching.repeated.append(Lone(evaluation.label, case))
            case = replace(there, trials=(*there.trials, *case.trials))  # noqa: PLW2901  (as one)
        found[case.id] = case
    return found

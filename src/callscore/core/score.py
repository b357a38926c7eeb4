"""The score of one case: its pairs, what is missed, extra, forbidden or faulty, and its rates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

from msgspec import Struct, structs

from callscore.core.arguments import (
    ArgumentCounts,
    Difference,
    ExpectedArguments,
    apply_settings,
    count_arguments,
    differences_at,
    grade_calls,
    overlap_ratio,
)
from callscore.core.call import NOT_CAPTURED, ToolCall
from callscore.core.case import STATE_KIND, Expected, count_turns
from callscore.core.counted_calls import Ignored
from callscore.core.equality import differing_keys
from callscore.core.rendering import mention
from callscore.core.rules import are_matchers_used, contains_matchers
from callscore.core.settings import DEFAULT, Settings
from callscore.core.statistics import mean_of
from callscore.core.suggestions import suggestion_or_choices
from callscore.core.tool_names import count_same_names
from callscore.errors import InvalidSettings

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions
    from rich.text import Text

    from callscore.core.phrases import Language

FaultKind = Literal[
    "unknown_tool",
    "missing_argument",
    "unknown_argument",
    "wrong_type",
    "invalid_value",
    "malformed",
    "repeat",
    "loop",
    "retry_unchanged",
]

# What makes the parameters of a call invalid; the others are about several calls.
SCHEMA_FAULTS: frozenset[FaultKind] = frozenset(
    {
        "unknown_tool",
        "missing_argument",
        "unknown_argument",
        "wrong_type",
        "invalid_value",
        "malformed",
    }
)


class Fault(Struct, frozen=True, gc=False, repr_omit_defaults=True):
    """One thing that is wrong with one call.

    Attributes:
        index: the position of the call among all calls that were made, from 0, including
            those that do not count in the score.
        path: where in the arguments, as a JSON path; `$` for all of them.
        value: the actual value.
        required: what the schema requires there, as plain data: a type, a list, a bound.
        detail: details from the schema or the trace.
        keyword: the keyword of the schema that is violated: `minimum`.
        since: the position of the repeated call, or of the first call of a loop.
    """

    kind: FaultKind
    tool: str
    index: int
    path: str = "$"
    value: Any = None
    required: Any = None
    detail: str | None = None
    keyword: str | None = None
    since: int | None = None

    @property
    def reason(self) -> str:
        """The fault in one English sentence."""
        from callscore.words.reasons import fault_sentence

        return fault_sentence(self)


def count_faulty_calls(faults: Iterable[Fault]) -> int:
    """How many calls have a fault that makes their parameters invalid."""
    return len({fault.index for fault in faults if fault.kind in SCHEMA_FAULTS})


def total_calls(
    side: Literal["expected", "actual"], counted: Sequence[ToolCall], ignored: Iterable[Ignored]
) -> int:
    """All calls of a side, whether they count in the score or not; a state is not a call."""
    has_state = bool(counted) and counted[-1].kind == STATE_KIND
    return len(counted) - has_state + sum(item.side == side for item in ignored)


def parameters_valid(faults: Iterable[Fault], *, calls: int, expected: int) -> float:
    """The share of the calls whose parameters are valid.

    Without any calls it is 1 if none was expected, else 0.
    """
    if not calls:
        return 0.0 if expected else 1.0
    return (calls - count_faulty_calls(faults)) / calls


Style = Literal["snake", "camel"]

# The positions of an expected call and of the actual call that it is paired with.
Positions = tuple[int, int]
_DIFFERENCES = "differences"
_DEMANDS = "demands"
_COUNTS = "counts"
_DIFFERING = "differing"


class Pair(Struct, frozen=True, dict=True):
    """An expected call paired with an actual call of the same tool.

    Attributes:
        expected_index: the position of the expected call, from 0.
        actual_index: the position of the actual call, from 0.
        is_correct: whether the actual call counts as the expected one.
        settings: how the calls were compared.
    """

    expected: ToolCall
    actual: ToolCall
    expected_index: int
    actual_index: int
    is_correct: bool
    settings: Settings = DEFAULT

    def __repr__(self) -> str:
        return repr_without_secrets(self)

    @property
    def differences(self) -> tuple[Difference, ...]:
        """Every reason why the two calls are not equal; empty if they are equal.

        They are computed once: what is counted, saved and shown is the same.
        """
        kept: dict[str, tuple[Difference, ...]] = self.__dict__
        found = kept.get(_DIFFERENCES)
        if found is None:
            found = kept[_DIFFERENCES] = self._compared()
        return found

    def _compared(self) -> tuple[Difference, ...]:
        call, wanted = self.actual, self._demands
        if wanted is None and call.error in (None, NOT_CAPTURED):
            return ()
        if call.error is not None:
            expected = self.expected.arguments
            return (Difference("$", "malformed", expected, call.raw, detail=call.error),)
        given = call.arguments or {}
        if wanted.__class__ is dict:
            return differences_at(self._differing_keys, wanted, given)
        return cast("ExpectedArguments", wanted).differences(given)

    @property
    def matched_arguments(self) -> int:
        """The number of expected arguments that the actual call has with an equal value."""
        return 0 if self.actual.error is not None else self.counts.matched

    @property
    def expected_arguments(self) -> int:
        """The number of expected arguments, without optional ones that are absent."""
        return self.counts.wanted

    @property
    def differing_arguments(self) -> list[str]:
        """The names of the top-level arguments that are not the same on both sides."""
        if self.actual.error is not None or self.expected.arguments is None:
            return []
        if _DIFFERING in self.__dict__ or self._demands.__class__ is dict:
            return list(self._differing_keys)
        return list(dict.fromkeys([str(found.argument) for found in self.differences]))

    @property
    def overlap(self) -> float:
        """The share of the expected arguments that the actual call has with the same value."""
        part, whole = self.overlap_parts
        return part / whole

    @property
    def overlap_parts(self) -> tuple[int, int]:
        """The overlap as a numerator and a denominator."""
        if self.actual.error is not None or self.expected.arguments is None:
            _, _, part, whole = grade_calls(self.expected, self.actual, self.settings)
            return part, whole
        matched, wanted, given, shared = counts = self.counts
        if counts.is_equal:
            return 1, 1
        extra = self.settings.extra_arguments
        return overlap_ratio(
            matched, expected=wanted, actual=given, shared=shared, extra_arguments=extra
        )

    @property
    def _demands(self) -> dict[str, Any] | None:
        """The expected arguments with the rules of the settings in them.

        They remember what was compared, so that nothing is compared twice.
        """
        kept: dict[str, dict[str, Any] | None] = self.__dict__
        if _DEMANDS not in kept:
            call = self.expected
            if self.actual.error is not None and call.arguments is not None:
                call = structs.replace(call, arguments={**call.arguments})  # without defaults
            kept[_DEMANDS] = apply_settings(call, self.settings).arguments
        return kept[_DEMANDS]

    @property
    def counts(self) -> ArgumentCounts:
        """How many arguments were wanted and how many of them were given so; counted once."""
        kept: dict[str, ArgumentCounts] = self.__dict__
        found = kept.get(_COUNTS)
        if found is None:
            found = kept[_COUNTS] = self._counted()
        return found

    def _counted(self) -> ArgumentCounts:
        given, demands = self.actual.arguments or {}, self._demands
        if demands.__class__ is not dict:
            # Demands without any argument still know which of the given ones are ignored.
            return count_arguments({} if demands is None else demands, given)
        differing, wanted = self._differing_keys, len(demands)
        unexpected = sum([key not in demands for key in differing])
        matched = wanted - (len(differing) - unexpected)
        return ArgumentCounts(matched, wanted, len(given), len(given) - unexpected)

    @property
    def _differing_keys(self) -> list[str]:
        """The arguments whose values are not the same, if there are no rules; compared once."""
        kept: dict[str, list[str]] = self.__dict__
        found = kept.get(_DIFFERING)
        if found is None:
            wanted = cast("dict[str, Any]", self._demands)
            found = kept[_DIFFERING] = differing_keys(wanted, self.actual.arguments or {})
        return found


def compared_pair(
    pair: Pair,
    counts: ArgumentCounts,
    differences: tuple[Difference, ...] = (),
    differing: Iterable[str] | None = None,
) -> Pair:
    """The pair with what was found when it was compared: it is not compared again.

    `differing` are the names of the arguments that differ, if `differences` are only the first.
    """
    if differing is None:
        differing = dict.fromkeys([str(found.argument) for found in differences])
    found = {_COUNTS: counts, _DIFFERENCES: differences, _DIFFERING: list(differing)}
    pair.__dict__.update(found)
    return pair


def pairs_at(
    places: Sequence[Positions],
    expected: Sequence[ToolCall],
    actual: Sequence[ToolCall],
    settings: Settings,
    *,
    is_correct: bool,
) -> tuple[Pair, ...]:
    """The pairs at these positions."""
    return tuple(
        [
            Pair(expected[row], actual[column], row, column, is_correct, settings)
            for row, column in places
        ]
    )


class TurnScore(Struct, frozen=True, gc=False):
    """The counts of one turn of the user.

    Attributes:
        number: which turn it is, from 1.
        correct: its correct pairs.
        expected: the calls that are expected in it.
        actual: the calls that were made in it, or are paired with one that is expected in it, as far
            as they can cost precision.
        forbidden: how many of the calls that were made are forbidden.
    """

    number: int
    correct: int = 0
    expected: int = 0
    actual: int = 0
    forbidden: int = 0

    @property
    def precision(self) -> float:
        """The share of the actual calls that are correct; 1 if there are none."""
        return self.correct / self.actual if self.actual else 1.0

    @property
    def recall(self) -> float:
        """The share of the expected calls that were made correctly; 1 if there are none."""
        return self.correct / self.expected if self.expected else 1.0

    @property
    def f1(self) -> float:
        """The score of the turn: its F1, or 0 if a forbidden call was made in it."""
        return outcome_f1((self.correct, self.expected, self.actual, self.forbidden))


class Score(Struct, frozen=True, gc=False):
    """How well the actual calls of one case match the expected ones.

    It contains the pairing; correct pairs and rates are computed on access.

    Attributes:
        equal_start: the number of leading calls that are correct and paired one by one.
        other_correct: the positions of the other correct pairs, in the order of the expected calls.
        incorrect: the pairs of the right tool with the wrong arguments, likewise.
        settings: how the calls were compared.
        forbidden: the positions of forbidden actual calls; they are also extra.
        free: the positions of incorrect actual calls that do not count, because such calls are free.
        ignored: the calls that do not count under these settings, and are in neither list.
        faults: violations of the tool definitions; None if these are not known. Their positions count
            all calls of the trace, including those in `ignored`.
        expectation: the expectation as written, if it has groups or forbidden calls.
        turns: the counts of each turn of the user; empty for a case without turns, or if the trace
            does not say where a turn begins.
        assumed_writes: the tools whose calls cost something because they count as writes, although
            nothing says so: neither the settings, nor a definition, nor the name.
    """

    expected: tuple[ToolCall, ...]
    actual: tuple[ToolCall, ...]
    equal_start: int
    other_correct: tuple[Positions, ...] = ()
    incorrect: tuple[Pair, ...] = ()
    settings: Settings = DEFAULT
    forbidden: tuple[int, ...] = ()
    ignored: tuple[Ignored, ...] = ()
    faults: tuple[Fault, ...] | None = None
    expectation: tuple[Expected, ...] | None = None
    turns: tuple[TurnScore, ...] = ()
    free: tuple[int, ...] = ()
    assumed_writes: tuple[str, ...] = ()

    @property
    def correct(self) -> tuple[Pair, ...]:
        """The pairs whose actual call counts as the expected one."""
        places = self.correct_places
        return pairs_at(places, self.expected, self.actual, self.settings, is_correct=True)

    @property
    def correct_places(self) -> tuple[Positions, ...]:
        """Where the correct pairs stand."""
        start = range(self.equal_start)
        return (*zip(start, start, strict=True), *self.other_correct)

    @property
    def has_equal_pairs(self) -> bool:
        """Whether the arguments of every correct pair are equal, or none are expected.

        Then there is nothing to compare in them. Otherwise a rule may have accepted other values, or a
        part of the arguments was enough.
        """
        settings = self.settings
        if settings is not DEFAULT and (settings.mode != "strict" or settings.has_rules):
            return False
        if not are_matchers_used():
            return True
        return not contains_matchers([call.arguments for call in self.expected])

    @property
    def missed(self) -> tuple[ToolCall, ...]:
        """The expected calls that were not made."""
        return self.unpaired[0]

    @property
    def extra(self) -> tuple[ToolCall, ...]:
        """The actual calls that were not expected."""
        return self.unpaired[1]

    @property
    def unpaired(self) -> tuple[tuple[ToolCall, ...], tuple[ToolCall, ...]]:
        """The missed and the extra calls."""
        expected, actual, start = self.expected, self.actual, self.equal_start
        others = len(self.other_correct) + len(self.incorrect)
        if not others:
            return expected[start:], actual[start:]
        if len(expected) == len(actual) == start + others:
            return (), ()
        pairs = self.other_pairs
        rows, columns = {row for row, _ in pairs}, {column for _, column in pairs}
        return (
            tuple([expected[at] for at in range(start, len(expected)) if at not in rows]),
            tuple([actual[at] for at in range(start, len(actual)) if at not in columns]),
        )

    @property
    def other_pairs(self) -> tuple[Positions, ...]:
        """Where all pairs stand but those of the equal start: the correct ones first."""
        if not self.incorrect:
            return self.other_correct
        incorrect = [(pair.expected_index, pair.actual_index) for pair in self.incorrect]
        return (*self.other_correct, *incorrect)

    @property
    def total_expected(self) -> int:
        """The number of expected calls."""
        return len(self.expected)

    @property
    def total_actual(self) -> int:
        """The number of actual calls that count in precision: all but those in `free`."""
        return len(self.actual) - len(self.free)

    @property
    def precision(self) -> float:
        """The share of the actual calls that are correct; 1 if there are none."""
        counted = self.total_actual
        return self._correct_count / counted if counted else 1.0

    @property
    def recall(self) -> float:
        """The share of the expected calls that were made correctly; 1 if there are none."""
        return self._correct_count / len(self.expected) if self.expected else 1.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall; 1 if nothing was expected or made.

        It is 0 if a forbidden call was made, whatever precision and recall are.
        """
        if self.forbidden:
            return 0.0
        correct = self.equal_start + len(self.other_correct)  # without calls: it is often asked
        return f1_of(correct, len(self.expected), len(self.actual) - len(self.free))

    @property
    def score(self) -> float:
        """The score of the case: its F1."""
        return self.f1

    @property
    def is_exact(self) -> bool:
        """Whether every expected call was made with equal arguments, and no other call that counts.

        They are equal if the pair has no difference: a value that its matcher accepts is equal.
        """
        return self.f1 == 1 and not has_accepted_differences(self)

    @property
    def passed(self) -> bool:
        """Whether the score reaches the pass mark, and no forbidden call was made."""
        return not self.forbidden and self.f1 >= self.settings.pass_mark

    @property
    def turn_mean(self) -> float | None:
        """The mean of the scores of the turns; None without turns."""
        if not self.turns:
            return None
        return mean_of([turn.f1 for turn in self.turns])

    @property
    def turn_min(self) -> float | None:
        """The lowest score of a turn; None without turns."""
        return min([turn.f1 for turn in self.turns], default=None)

    @property
    def first_wrong_turn(self) -> int | None:
        """The number of the first turn that does not pass, from 1; None without one."""
        for turn in self.turns:
            if not turn_passes(turn, self.settings.pass_mark):
                return turn.number
        return None

    @property
    def state(self) -> Pair | None:
        """The expected and the actual state at the end, if the case compares them and both are known."""
        for pair in reversed((*self.correct, *self.incorrect)):
            if pair.expected.kind == STATE_KIND:
                return pair
        return None

    @property
    def tool_selection(self) -> float:
        """The F1 of the tool names, without their arguments."""
        return tool_selection(self, *self.unpaired)

    @property
    def argument_accuracy(self) -> float | None:
        """Matched expected arguments / expected arguments, over all pairs; None without any."""
        pairs = self.incorrect
        if self.has_equal_pairs:
            expected = matched = 0
            for call in self.expected[: self.equal_start]:
                expected += len(call.arguments or ())
            if expected and not pairs:
                return 1.0  # as in most cases
            for row, _ in self.other_correct:
                expected += len(self.expected[row].arguments or ())
            matched = expected
        else:
            pairs = self.correct + pairs
            expected = matched = 0
        for pair in pairs:
            expected += pair.expected_arguments
            matched += pair.matched_arguments
        return matched / expected if expected else None

    @property
    def tool_called(self) -> int:
        """1 if an expected tool is among the calls, or none was expected and none was made."""
        expected, actual = self.expected, self.actual
        if expected and expected[-1].kind == STATE_KIND:  # which is not a call
            expected = expected[:-1]
            actual = tuple([call for call in actual if call.kind != STATE_KIND])
        if not expected:
            return int(not actual)
        if actual and expected[0].name == actual[0].name:
            return 1  # as in most cases
        called = {call.name for call in actual}
        return int(not called.isdisjoint([call.name for call in expected]))

    @property
    def parameters_valid(self) -> float | None:
        """The share of the calls that their tools' schemas accept; None if they are not known.

        All actual calls are included, whether they count or not. Without any it is 1 if none was
        expected, else 0.
        """
        if self.faults is None:
            return None
        expected = total_calls("expected", self.expected, self.ignored)
        calls = total_calls("actual", self.actual, self.ignored)
        return parameters_valid(self.faults, calls=calls, expected=expected)

    @property
    def rating(self) -> str | None:
        """Excellent, Good, Moderate or Poor; None without calls that count."""
        from callscore.words.value_text import rating_of

        return rating_of(self)

    @property
    def summary(self) -> str:
        """The score and the four counts on one line."""
        from callscore.words.value_text import summary_line

        return summary_line(self)

    @property
    def _correct_count(self) -> int:
        return self.equal_start + len(self.other_correct)

    def explain(self, *, lang: Language = "en") -> str:
        """How the score is calculated, in three steps; secrets of the environment are hidden."""
        from callscore.hiding.hider import hide_for_report
        from callscore.words.explanation import explain

        return explain(hide_for_report(self, is_live=True), lang=lang)

    def to_dict(self, *, style: Style = "snake") -> dict[str, Any]:
        """The score as plain data that any JSON encoder accepts.

        Args:
            style: `snake` for everything there is (`total_expected`, `correct`), or `camel` for the
                fields of the agent tools (`totalExpected`, `correctCalls`), each call with its
                `status`, `argsMatch` and `details`.

        Raises:
            InvalidSettings: the style is unknown.
        """
        if style not in get_args(Style):
            hint = suggestion_or_choices(style, get_args(Style))
            raise InvalidSettings(f"style: unknown value {mention(style)}{hint}")
        if style == "camel":
            from callscore.words.camel_case import score_to_camel_dict

            return score_to_camel_dict(self)
        from callscore.words.plain_data import score_to_dict

        return score_to_dict(self)

    def __str__(self) -> str:
        from callscore.hiding.hider import hide_for_report
        from callscore.words.diff import score_text

        return score_text(hide_for_report(self, is_live=True))

    def __repr__(self) -> str:
        return repr_without_secrets(self)

    def _repr_html_(self) -> str:
        from callscore.reports.html.notebook import score_markup

        return score_markup(self)

    def __rich_console__(self, _: Console, options: ConsoleOptions) -> Iterator[Text]:
        from callscore.hiding.hider import hide_for_report
        from callscore.words.diff import diff_lines, rich_text

        yield rich_text(diff_lines(hide_for_report(self, is_live=True), width=options.max_width))


class ComparedScore(Score, frozen=True, gc=False, kw_only=True):
    """A score whose pairs have what was found when they were compared: nothing is compared again.

    Attributes:
        correct_pairs: the correct pairs.
    """

    correct_pairs: tuple[Pair, ...] = ()

    @property
    def correct(self) -> tuple[Pair, ...]:
        """The pairs whose actual call counts as the expected one."""
        return self.correct_pairs

    def __repr__(self) -> str:
        return repr(Score(*[getattr(self, name) for name in Score.__struct_fields__]))


def repr_without_secrets(value: Struct) -> str:
    """What a notebook, a log or an assertion shows of a value: its fields, without secrets."""
    from callscore.hiding.hider import Hider

    return Hider().text_of(Struct.__repr__(value), value)


def tool_selection(
    score: Score, missed: tuple[ToolCall, ...], extra: tuple[ToolCall, ...]
) -> float:
    """`Score.tool_selection`, where the missed and the extra calls are known already."""
    order = score.settings.order
    expected, actual, same = score.expected, score.actual, 0
    if score.turns or (expected and expected[-1].kind == STATE_KIND):
        return _selection_by_turn(score)
    if order in ("any", "in_turns"):  # the names of a pair are the same
        order = "any"
        same = len(expected) - len(missed)
        expected, actual = missed, extra
    if expected and actual:
        names = [call.name for call in expected], [call.name for call in actual]
        same += count_same_names(*names, order)
    return f1_of(same, len(score.expected), len(score.actual))


def _selection_by_turn(score: Score) -> float:
    """The same for a case with turns, in which names are compared turn by turn, or with a state."""
    order = score.settings.order
    if order == "in_turns":
        order = "in_order" if score.turns else "any"
    turns: dict[int | None, tuple[list[str], list[str]]] = {}
    for call in score.expected:
        if call.kind != STATE_KIND:
            turns.setdefault(call.turn, ([], []))[0].append(call.name)
    for turn, call in zip(turns_of_actual(score), score.actual, strict=True):
        if call.kind != STATE_KIND:
            turns.setdefault(turn, ([], []))[1].append(call.name)
    same = sum([count_same_names(*names, order) for names in turns.values()])
    expected = sum([len(names) for names, _ in turns.values()])
    return f1_of(same, expected, sum([len(names) for _, names in turns.values()]))


def turns_of_actual(score: Score) -> list[int | None]:
    """The turn in which each actual call counts: where it is expected, or else where it was made.

    None in a case without turns.
    """
    if not score.turns:
        return [None] * len(score.actual)
    expecting = {pair.actual_index: pair.expected.turn for pair in score.incorrect}
    for row, column in score.correct_places:
        expecting[column] = score.expected[row].turn
    return [
        expecting[column] if column in expecting else max(call.turn or 0, 0)
        for column, call in enumerate(score.actual)
    ]


def f1_of(correct: int, expected: int, actual: int) -> float:
    """F1 from counts, in the one form that makes 0.8 come out as 0.8."""
    return 2 * correct / (expected + actual) if expected or actual else 1.0


# The four counts of a case, from which all its rates follow:
# correct pairs, expected calls, actual calls, and how many of the actual calls were forbidden.
Outcome = tuple[int, int, int, int]
# Of a case without an answer: no calls to count, a score of 0, and not passed.
UNANSWERED: Outcome = (0, 0, 0, -1)


def outcome_of(score: Score) -> Outcome:
    """The outcome of a scored case."""
    correct = score.equal_start + len(score.other_correct)
    actual = len(score.actual) - len(score.free)
    return correct, len(score.expected), actual, len(score.forbidden)


def has_no_counted_calls(score: Score) -> bool:
    """Whether there are calls, but none that counts under the settings: it passes without a rating."""
    return bool(score.ignored) and not score.expected and not score.actual


def has_accepted_differences(score: Score) -> bool:
    """Whether no call is wrong, missing or extra, but an argument differs, as flexible mode accepts."""
    is_flexible = score.settings.mode == "flexible" and score.f1 == 1
    return is_flexible and any(pair.differences for pair in score.correct)


def outcome_f1(outcome: Outcome) -> float:
    """The score of a case: its F1, or 0 where a forbidden call was made or there is no answer."""
    correct, expected, actual, forbidden = outcome
    return 0.0 if forbidden else f1_of(correct, expected, actual)


def turn_passes(turn: TurnScore, pass_mark: float) -> bool:
    """Whether the score of a turn reaches `pass_mark`, and nothing forbidden was called in it."""
    return is_passing((turn.correct, turn.expected, turn.actual, turn.forbidden), pass_mark)


def turn_count(score: Score) -> int | None:
    """How many turns were scored; None for a case without turns.

    It is 0 if several turns are expected, and the trace does not say where one begins: they were
    compared as one.
    """
    if score.turns:
        return len(score.turns)
    return 0 if count_turns(score.expectation or ()) > 1 else None


def is_passing(outcome: Outcome, pass_mark: float) -> bool:
    """Whether the score reaches `pass_mark`, and nothing forbidden was called."""
    *_, forbidden = outcome
    return not forbidden and outcome_f1(outcome) >= pass_mark

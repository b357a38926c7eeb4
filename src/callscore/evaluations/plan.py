"""What a run is going to ask: cases selected by keyword and tag, with warnings about them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from inspect import isasyncgen, isawaitable
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, structs

from callscore.checks.tool_schema import close_schema, unknown_arguments
from callscore.core.budget import Budget
from callscore.core.case import Case, Forbidden, calls_in
from callscore.core.phrases import Language, say
from callscore.core.rendering import hidden_content
from callscore.core.results import Noted, Unloaded
from callscore.core.rules import Matcher
from callscore.core.settings import ineffective_settings
from callscore.core.suggestions import did_you_mean
from callscore.core.tool_names import comparable_name, matches_pattern
from callscore.core.totals import NameCounter
from callscore.errors import CallscoreError, InvalidEvaluation, InvalidSettings, UnreadableInput
from callscore.evaluations.evaluation import Evaluation, Question, repeat_suffixes, trials_from
from callscore.evaluations.locations import error_with_location, file_of_location
from callscore.formats.case_fields import name_from_input
from callscore.formats.cases import case_record, has_own_id, read_case
from callscore.formats.shape import describe
from callscore.hiding.finding import OPENING
from callscore.hiding.hider import Hider, hide_text
from callscore.words.value_text import NO_EFFECT

if TYPE_CHECKING:
    from callscore.core.call import Tool, ToolCall

# --- keyword expressions (`-k`), as in pytest, and with quoted words --------------------------

# Whether any of these names matches.
NameFilter = Callable[["Sequence[str]"], bool]

# A quoted word may contain blanks and brackets, or be an operator.
_TOKEN = re.compile(r"""\"[^\"]+\"(?![^\s()])|'[^']+'(?![^\s()])|[()]|[^\s()]+""")
_OPERATORS = frozenset({"and", "or", "not", "(", ")"})
_MAX_DEPTH = 100


def keyword_filter(expression: str) -> NameFilter:
    """Parse a `-k` expression, `weather and not (paris or "new york")`, into a filter for names.

    It ignores upper and lower case.

    Raises:
        InvalidSettings: it is not a valid expression.
    """
    tokens = _TOKEN.findall(expression)
    if not tokens:
        return lambda _: True
    parser = _Parser(expression, tokens)
    fits = parser.parse_or(0)
    parser.require_end()
    return fits


class _Parser:
    def __init__(self, expression: str, tokens: list[str]) -> None:
        self.expression = expression
        self.tokens = tokens
        self.position = 0

    def accept(self, *words: str) -> bool:
        """Consume the next token if it is one of these; returns whether it was."""
        is_next = self.position < len(self.tokens) and self.tokens[self.position].lower() in words
        self.position += is_next
        return is_next

    def parse_or(self, depth: int) -> NameFilter:
        parts = [self.parse_and(depth)]
        while self.accept("or"):
            parts.append(self.parse_and(depth))
        return lambda names: any(fits(names) for fits in parts)

    def parse_and(self, depth: int) -> NameFilter:
        parts = [self.parse_term(depth)]
        while self.accept("and"):
            parts.append(self.parse_term(depth))
        return lambda names: all(fits(names) for fits in parts)

    def parse_term(self, depth: int) -> NameFilter:
        if depth > _MAX_DEPTH:
            raise InvalidSettings(f"-k {self.expression!r}: too many nested parentheses")
        if self.accept("not"):
            inner = self.parse_term(depth + 1)
            return lambda names: not inner(names)
        if self.accept("("):
            fits = self.parse_or(depth + 1)
            if not self.accept(")"):
                raise self.error("a parenthesis is not closed")
            return fits
        if self.position == len(self.tokens):
            raise self.error("a word is missing at the end")
        word = self.tokens[self.position]
        if word.lower() in _OPERATORS:
            raise self.error(f"a word is missing before {word!r}")
        self.position += 1
        is_quoted = len(word) > 1 and word[0] == word[-1] and word[0] in "\"'"
        given = word[1:-1] if is_quoted else word
        # In the names of a saved run secrets are hidden.
        wanted = {given.lower(), hide_text(given).lower()}
        return lambda names: any(each in name.lower() for name in names for each in wanted)

    def require_end(self) -> None:
        if self.position < len(self.tokens):
            word = self.tokens[self.position]
            missing = f"`and` or `or` is missing before {word!r}"
            raise self.error("a parenthesis is not opened" if word == ")" else missing)

    def error(self, problem: str) -> InvalidSettings:
        return InvalidSettings(f"-k {self.expression!r}: {problem}")


# --- cases ------------------------------------------------------------------------------------

_NUMBER = re.compile(r"[:\[](\d+)\]?$")  # of a line, or of a position in a list


def evaluation_cases(evaluation: Evaluation) -> list[Case]:
    """The cases of an evaluation, in order, with unique ids and with the tags of the evaluation.

    A case without an id is named after its input: `what-is-the-weather-in-paris`.

    Raises:
        UnreadableInput: they cannot be read; the message says which of them, and where.
        MissingExtra: they are in a file that needs an optional dependency.
    """
    return cases_and_repeated_ids(evaluation)[0]


def cases_and_repeated_ids(evaluation: Evaluation) -> tuple[list[Case], dict[str, int]]:
    """The cases, and the ids that several of them were given, with the number of cases."""
    cases = list(_read_cases(evaluation))
    if not cases:
        raise UnreadableInput(evaluation.place, f"{evaluation.name} has no cases.")
    if evaluation.tags:
        cases = [
            structs.replace(case, tags=tuple(dict.fromkeys((*evaluation.tags, *case.tags))))
            for case in cases
        ]
    given = Counter([case.id for case in cases if case.id and has_own_id(case)])
    cases = [_with_id(case) for case in cases]
    suffixes = repeat_suffixes([case.id for case in cases])
    unique = [
        structs.replace(case, id=f"{case.id}{suffix}") if suffix else case
        for case, suffix in zip(cases, suffixes, strict=True)
    ]
    return unique, {name: count for name, count in given.items() if count > 1}


def _read_cases(evaluation: Evaluation) -> Iterator[Case]:
    given, place = _call_cases(evaluation), evaluation.place
    if isinstance(given, str):
        given = Path(given)
    if isinstance(given, PathLike):
        given = [given]
    if not isinstance(given, Iterable) or isinstance(given, Mapping | bytes):
        raise UnreadableInput(place, f"cases: expected a list of cases, got {describe(given)}.")
    for position, item in enumerate(given):
        if isinstance(item, PathLike):
            yield from _cases_in_file(Path(item), evaluation)
        else:
            yield _read_item(item, f"{place}: cases[{position}]")


def _call_cases(evaluation: Evaluation) -> Any:
    if not callable(evaluation.cases):
        return evaluation.cases
    given = _call_safely(evaluation.cases, evaluation)
    if isawaitable(given) or isasyncgen(given):
        if hasattr(given, "close"):
            given.close()  # it is not awaited
        problem = f"{_name_of(evaluation)} is async. Pass a function that returns the cases."
        raise UnreadableInput(evaluation.place, f"cases: {problem}")
    if isinstance(given, Iterable) and not isinstance(given, str | PathLike | Mapping):
        return _call_safely(lambda: list(given), evaluation)
    return given


def _call_safely(call: Callable[[], Any], evaluation: Evaluation) -> Any:
    try:
        return call()
    except CallscoreError:
        raise
    except (Exception, SystemExit) as error:
        problem = f"{_name_of(evaluation)} raises {error_with_location(error, evaluation.cases)}."
        raise UnreadableInput(evaluation.place, f"cases: {problem}") from error


def _name_of(evaluation: Evaluation) -> str:
    return str(getattr(evaluation.cases, "__name__", "the function"))


def _read_item(item: Any, place: str) -> Case:
    if isinstance(item, str):
        return Case(item)
    if isinstance(item, Case):
        # Python values are literal: rules are made with functions.
        return structs.replace(
            read_case(case_record(item), place=place, spelled=False), others=item.others
        )
    if isinstance(item, Mapping):
        return read_case(dict(item), place=place)
    raise UnreadableInput(place, f"expected a Case, an object or a string, got {describe(item)}.")


_SUITE_SUFFIXES = (".yaml", ".yml", ".toml")


def _cases_in_file(path: Path, evaluation: Evaluation) -> list[Case]:
    """The cases in a file of any format, in its order, with the tools that a trace defines."""
    from callscore.engines.inputs import CASES, input_options_for, read_cases
    from callscore.sources import BadRecord

    # The agent answers: what a case has beside its fields is not an answer.
    options = input_options_for(keeps_tools=evaluation.tools is None, takes_trace=False)
    is_suite = Path(evaluation.home).suffix in _SUITE_SUFFIXES
    found = []
    try:
        with hidden_content() if is_suite else nullcontext():
            for each in read_cases(str(Path(evaluation.folder) / path), CASES, options):
                if isinstance(each, BadRecord):
                    raise UnreadableInput(each.place, each.problem)  # noqa: TRY301  (caught like others)
                found.append(each)
    except UnreadableInput as error:
        raise UnreadableInput(evaluation.place, f"cases: {error}") from error
    # Cases without calls are recognized only at the end of the file.
    numbers = [int(number[1]) for place, _ in found if (number := _NUMBER.search(place))]
    if len(numbers) == len(found):
        order = sorted(range(len(found)), key=numbers.__getitem__)
        found = [found[position] for position in order]
    return [case for _, case in found]


def _with_id(case: Case) -> Case:
    if case.id and has_own_id(case):
        return case
    name = name_from_input(case.input)
    if name:
        return structs.replace(case, id=name)
    return case if case.id else read_case(case_record(case), place="a case", spelled=False)


# --- warnings ---------------------------------------------------------------------------------

_TWO = 2
_MAX_WARNINGS = 20  # with more, the tools probably belong to something else


def warnings_about(
    evaluation: Evaluation,
    cases: Iterable[Case],
    repeated: Mapping[str, int] = {},
    lang: Language = "en",
) -> list[str]:
    """Warnings about an evaluation before it is run.

    Each unknown name of a tool or argument is reported once, with the first case that expects it; a
    forbidden tool may be unknown, unless it is similar to a known one. Ids of several cases, recorded
    answers without a case, and settings of a suite that have no effect, are reported, too.
    """
    cases = list(cases)
    found: dict[tuple[str, ...], str] = {
        ("id", name): f"{count} cases have the id {name!r}; they are renamed '{name}-2' and so on"
        if count > _TWO
        else f"2 cases have the id {name!r}; the second one is renamed '{name}-2'"
        for name, count in repeated.items()
    }
    if evaluation.tools is not None:
        tools = _ExpectedTools(evaluation, evaluation.tools)
        for case in cases:
            for key, warning in tools.warnings_in(case):
                found.setdefault(key, f"the case {case.id} {warning}")
    unused_answers = getattr(evaluation.task, "unused_answers", None)
    warnings = list(found.values())[:_MAX_WARNINGS]
    if callable(unused_answers):
        warnings += unused_answers([case.id for case in cases])
    warnings += _settings_without_effect(evaluation, lang)
    return [f"{evaluation.name}: {each}{'' if each.endswith('?') else '.'}" for each in warnings]


def _settings_without_effect(evaluation: Evaluation, lang: Language) -> list[str]:
    """Settings of a suite that cannot change a score; in Python they may be shared on purpose."""
    if not file_of_location(evaluation.place).endswith((".yaml", ".yml", ".toml")):
        return []
    found = ineffective_settings(evaluation.own_settings, evaluation.settings).items()
    return [say(NO_EFFECT, lang, name=name, condition=condition) for name, condition in found]


class _ExpectedTools:
    """The tools of an evaluation, with the names and arguments that its cases may expect."""

    def __init__(self, evaluation: Evaluation, tools: Mapping[str, Tool]) -> None:
        self._settings = evaluation.settings
        self._names = list(tools)
        self._tools = {comparable_name(name, self._settings): tools[name] for name in tools}
        self._arguments = {
            name: close_schema(tool.parameters) for name, tool in self._tools.items()
        }

    def warnings_in(self, case: Case) -> Iterator[tuple[tuple[str, ...], str]]:
        """Warnings about a case, each with a key that finds repeated ones."""
        expected = case.expected or ()
        for item in expected:
            if isinstance(item, Forbidden) and (hint := self._suggestion_for_pattern(item.pattern)):
                warning = f"forbids {item.pattern}, which is not one of the tools{hint}"
                yield ("forbid", item.pattern), warning
        for call in calls_in(expected):
            name = comparable_name(call.name, self._settings)
            if name in self._tools:
                yield from self._unknown_arguments(call, name)
            else:
                hint = did_you_mean(call.name, self._names)
                yield (call.name,), f"expects {call.name}, which is not one of the tools{hint}"

    def _suggestion_for_pattern(self, pattern: str) -> str:
        if any(matches_pattern(pattern, name) for name in (*self._names, *self._tools)):
            return ""
        return did_you_mean(pattern, self._names)

    def _unknown_arguments(
        self, call: ToolCall, name: str
    ) -> Iterator[tuple[tuple[str, ...], str]]:
        known = self._arguments[name]
        if known is None or not isinstance(call.arguments, dict):
            return
        given = {
            argument: value
            for argument, value in call.arguments.items()
            if not (isinstance(value, Matcher) and value.key == "$absent")
        }
        for argument in unknown_arguments(known, given, Budget()):
            hint = did_you_mean(argument, known["properties"])
            warning = f"expects {argument!r} of {call.name}, which has no such parameter{hint}"
            yield (call.name, argument), warning


# --- the plan ---------------------------------------------------------------------------------


class Selection(Struct, frozen=True, kw_only=True):
    """Which of the questions to ask.

    Attributes:
        keyword: words that the name of the evaluation, the variant or the id of the case contains,
            with `and`, `or`, `not` and brackets; empty for all.
        tags: a case needs one of these; empty for all.
        limit: the maximum number of cases of each evaluation; None for all.
        last_failed: the questions that did not pass before, as (key of the evaluation, variant,
            case); None for all.
    """

    keyword: str = ""
    tags: tuple[str, ...] = ()
    limit: int | None = None
    last_failed: frozenset[tuple[str, str | None, str]] | None = None


class Skipped(Struct, frozen=True):
    """A case that is left out on purpose, and why; the reason may be empty."""

    case: Case
    reason: str = ""


class Group(Struct, frozen=True, kw_only=True):
    """The questions of an evaluation under one of its variants, if it has any."""

    evaluation: Evaluation
    variant: str | None = None
    questions: Sequence[Question] = ()  # case by case, the trials of each together
    left_out: tuple[Skipped, ...] = ()  # cases with `skip`, or all if the evaluation has it

    @property
    def skipped(self) -> Noted:
        """The number of cases that are left out, with their reasons."""
        notes = NameCounter()
        for each in self.left_out:
            notes.add(f"{each.case.id}: {each.reason}" if each.reason else each.case.id)
        return notes.noted()


class Plan(Struct, frozen=True, kw_only=True):
    """The questions of a run by evaluation and variant, and what is wrong with them."""

    groups: tuple[Group, ...] = ()
    unloaded: tuple[Unloaded, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        """The number of questions."""
        return sum(len(group.questions) for group in self.groups)


# An evaluation, its cases, and the ids that several of them were given.
_ReadEvaluation = tuple[Evaluation, list[Case], dict[str, int]]


def make_plan(
    evaluations: Iterable[Evaluation],
    selection: Selection = Selection(),  # noqa: B008  (a frozen value)
    *,
    trials: int | None = None,
    lang: Language = "en",
) -> Plan:
    """Select the questions of a run, in the order of the evaluations.

    `trials` is how often each case is asked; None for the trials of its evaluation. `lang` is the
    language of warnings about settings.

    Raises:
        InvalidSettings: the keyword is not an expression, or `trials` is not a number of trials.
    """
    trials = None if trials is None else trials_from(trials)
    is_asked_for = _filter(selection)
    unloaded: list[Unloaded] = []
    read = list(_read_all(evaluations, unloaded))
    is_in_focus = _only_filter(read)
    groups: list[Group] = []
    warnings: list[str] = []
    for evaluation, cases, repeated in read:
        found = []
        for variant in evaluation.variants or [None]:
            chosen = [
                case
                for case in cases
                if is_in_focus(evaluation, case) and is_asked_for(evaluation, variant, case)
            ]
            limited = _limited(evaluation, chosen, selection.limit)
            found.append(_group(evaluation, variant, limited, trials))
        groups += [group for group in found if group.questions or group.left_out]
        if any(group.questions for group in found):
            warnings += warnings_about(evaluation, cases, repeated, lang)
    return Plan(groups=tuple(groups), unloaded=tuple(unloaded), warnings=tuple(warnings))


def _limited(evaluation: Evaluation, cases: list[Case], limit: int | None) -> list[Case]:
    """The first cases, until `limit` of them are asked; skipped ones between them are kept."""
    if limit is None or evaluation.skip:
        return cases
    asked = [place for place, case in enumerate(cases) if not case.skip]
    return cases if len(asked) <= limit else cases[: asked[limit]]


def _read_all(
    evaluations: Iterable[Evaluation], unloaded: list[Unloaded]
) -> Iterator[_ReadEvaluation]:
    for evaluation in evaluations:
        try:
            yield evaluation, *cases_and_repeated_ids(evaluation)
        except (UnreadableInput, InvalidEvaluation) as error:
            if not evaluation.skip:  # a skipped one may be broken
                unloaded.append(Unloaded(error.place, error.problem))
        except CallscoreError as error:
            if not evaluation.skip:
                unloaded.append(Unloaded(evaluation.place, str(error)))


def _only_filter(read: list[_ReadEvaluation]) -> Callable[[Evaluation, Case], bool]:
    """Which cases remain if some evaluations or cases have `only`."""
    narrowed = {id(evaluation) for evaluation, cases, _ in read if any(case.only for case in cases)}
    if not narrowed and not any(evaluation.only for evaluation, _, _ in read):
        return lambda _evaluation, _case: True
    return lambda evaluation, case: (
        case.only or (evaluation.only and id(evaluation) not in narrowed)
    )


def _filter(selection: Selection) -> Callable[[Evaluation, str | None, Case], bool]:
    fits, tags = keyword_filter(selection.keyword), frozenset(selection.tags)
    saved_id = Hider(is_live=True).text  # as in the history
    failed = selection.last_failed

    def is_asked_for(evaluation: Evaluation, variant: str | None, case: Case) -> bool:
        if tags and tags.isdisjoint(case.tags):
            return False
        if failed is not None:
            saved = saved_id(case.id)
            # A case with a hidden value in its id may be any of those that failed.
            if OPENING not in saved and (evaluation.key, variant, saved) not in failed:
                return False
        return fits((evaluation.name, variant or "", case.id))

    return is_asked_for


_MAX_QUESTIONS = 1_000_000  # of an evaluation; they are planned in memory


def _group(
    evaluation: Evaluation, variant: str | None, cases: list[Case], trials: int | None
) -> Group:
    count = evaluation.trials if trials is None else trials
    if count * len(cases) > _MAX_QUESTIONS:
        problem = f"{count} of {len(cases)} cases are more than {_MAX_QUESTIONS} in all"
        raise InvalidSettings(f"trials: {problem}")
    questions, left_out = [], []
    for case in cases:
        why = case.skip or evaluation.skip
        if why:
            left_out.append(Skipped(case, why if isinstance(why, str) else ""))
            continue
        questions += [
            Question(evaluation=evaluation, case=case, variant=variant, trial=trial, trials=count)
            for trial in range(1, count + 1)
        ]
    return Group(
        evaluation=evaluation, variant=variant, questions=questions, left_out=tuple(left_out)
    )

"""What all adapters share: options that are checked once, and the result of one sample.

Every library has its own names for a reference, an output and a result. An adapter translates these
names and does nothing else: the score is the one that `callscore.score` gives for the same calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack, get_args

from msgspec import Struct

from callscore.core.rendering import mention
from callscore.core.score import Score
from callscore.core.settings import ALIASES, SettingOptions, Settings, settings_from
from callscore.core.suggestions import closest_word, suggestion_or_choices
from callscore.errors import InvalidCall, InvalidSettings, UnknownFormat

if TYPE_CHECKING:
    from callscore.formats.callers import Caller

__all__ = [
    "REFERENCE_KEYS",
    "AdapterOptions",
    "CallsFrom",
    "Places",
    "SampleScorer",
    "Scored",
    "check_calls_from",
    "check_options",
    "reference_in",
    "sample_scorer",
    "score_output",
    "settings_of",
]

# Where the calls of a sample are, if a library records what its task does.
CallsFrom = Literal["output", "trace"]

# Where the expected calls are in a reference that is an object, if the user does not say it.
REFERENCE_KEYS = (
    "expected",
    "expected_calls",
    "expected_tool_calls",
    "expected_tools",
    "tool_calls",
)


class AdapterOptions(SettingOptions, total=False):
    """The options of every `tool_calls`: those of `callscore.score`."""

    preset: str | None
    settings: Settings | None
    tools: Any
    callers: Iterable[Caller] | None


class Numbers(TypedDict):
    """What libraries show beside a score."""

    precision: float
    recall: float
    f1: float
    correct: int
    incorrect: int
    missed: int
    extra: int


class Scored(Struct, frozen=True):
    """The result of one sample, in the parts that libraries ask for."""

    score: Score

    @property
    def value(self) -> float:
        """The score, from 0 to 1: F1."""
        return self.score.f1

    @property
    def passed(self) -> bool:
        """Whether the score reaches `pass_mark`, and no forbidden tool was called."""
        return self.score.passed

    @property
    def label(self) -> Literal["pass", "fail"]:
        """The verdict as OpenTelemetry and most libraries name it."""
        return "pass" if self.score.passed else "fail"

    @property
    def explanation(self) -> str:
        """Both sides of every call, and what differs; without secrets of the environment."""
        return str(self.score)

    @property
    def answer(self) -> str:
        """The calls that were made, on one line; without secrets of the environment."""
        from callscore.hiding.hider import Hider
        from callscore.words.value_text import call_text

        shown = [call_text(call, limit=_MAX_CALL) for call in self.score.actual[:_MAX_CALLS]]
        more = len(self.score.actual) - len(shown)
        listed = ", ".join([*shown, f"and {more} more"] if more else shown)
        return Hider().text_of(listed, self.score) or "no calls"

    @property
    def numbers(self) -> Numbers:
        """Precision, recall and F1, and how many calls are in each of the four lists."""
        score = self.score
        return {
            "precision": score.precision,
            "recall": score.recall,
            "f1": score.f1,
            "correct": len(score.correct),
            "incorrect": len(score.incorrect),
            "missed": len(score.missed),
            "extra": len(score.extra),
        }


_MAX_CALLS = 20
_MAX_CALL = 200  # columns

SampleScorer = Callable[[Any, Any], Scored]


def sample_scorer(
    expected_key: str | None = None, **options: Unpack[AdapterOptions]
) -> SampleScorer:
    """A function that scores one sample: its reference, then its output.

    Args:
        expected_key: the key of the expected calls in a reference that is an object; by default one
            of `REFERENCE_KEYS`, and without these keys the reference is read as it is.
        **options: as for `callscore.score`.

    Raises:
        InvalidSettings: an option is unknown or has an invalid value. This is raised here, before
            the library has called a model for any sample.
    """
    from callscore.api import score, tools_by_name

    settings = settings_of(options)
    tools, callers = options.get("tools"), options.get("callers")
    known = None if tools is None else list(tools_by_name(tools).values())

    def score_sample(reference: Any, output: Any) -> Scored:
        expected = expected_in(reference, expected_key)
        try:
            found = score(expected, output, settings=settings, tools=known, callers=callers)
        except InvalidCall as error:
            if expected is reference and _lacks_key(reference, error):
                raise InvalidCall(
                    f"expected: the reference has none of the keys {one_of(REFERENCE_KEYS)}, only "
                    f"{mention(sorted(map(str, reference)))}. {_NAME_THE_KEY}"
                ) from error
            raise
        return Scored(found)

    return score_sample


_NAME_THE_KEY = "Name the key of the expected calls with 'expected_key'."


def _lacks_key(reference: Any, error: InvalidCall) -> bool:
    """Whether an object has the expected calls under an unknown key, and not itself."""
    from callscore.formats.calls import NAME_KEYS

    is_object = isinstance(reference, Mapping) and not any(key in reference for key in NAME_KEYS)
    if not is_object or not str(error).startswith("expected"):
        return False
    is_close = any(closest_word(str(key), REFERENCE_KEYS) is not None for key in reference)
    return is_close or isinstance(error, UnknownFormat)


def settings_of(options: AdapterOptions) -> Settings:
    """The settings that options of an adapter mean.

    Raises:
        InvalidSettings: an option is unknown or has an invalid value.
    """
    check_options(options)
    given: dict[str, Any] = {
        key: value for key, value in options.items() if key not in ("tools", "callers")
    }
    settings, preset = given.pop("settings", None), given.pop("preset", None)
    if settings is None:
        return settings_from(given, preset=preset)
    if given or preset is not None:
        raise InvalidSettings(
            "'settings' cannot be combined with a preset or single settings. Pass one of them"
        )
    if not isinstance(settings, Settings):
        raise InvalidSettings(f"settings: expected a callscore.Settings, got {mention(settings)}")
    return settings


# What every `tool_calls` takes beside the options.
_KEYWORDS = ("name", "expected_key")
# Evaluation libraries have this word for what is `pass_mark` here.
_THRESHOLD = "threshold"


def check_options(options: Mapping[str, Any], *others: str) -> None:
    """Check the names of the options of an adapter, which may take others than all do.

    Raises:
        InvalidSettings: an option is unknown.
    """
    known = (*_KEYWORDS, *others, *AdapterOptions.__annotations__)
    for name in options:
        if name in known or name in ALIASES:
            continue
        if closest_word(name, [_THRESHOLD]) is not None:
            hint = (
                ". 'pass_mark' is the score from which a sample passes; 'argument_match_threshold' is the "
                "share of the arguments that must match in the mode 'flexible'."
            )
        else:
            hint = suggestion_or_choices(name, known)
        raise InvalidSettings(f"unknown option {mention(name)}{hint}")


def expected_in(reference: Any, key: str | None) -> Any:
    """The expected calls in the reference of a sample.

    Raises:
        InvalidCall: there are none. A missing reference is not an empty one: a sample that lost its
            expected calls would count as correct if the agent calls nothing.
    """
    found = key
    if isinstance(reference, Mapping):
        if key is not None and key not in reference:
            raise InvalidCall(
                f"expected: the reference has no key {key!r}, only {mention(sorted(map(str, reference)))}. "
                + _NAME_THE_KEY
            )
        found = key or _known_key(reference)
        reference = reference if found is None else reference[found]
    if reference is None:
        null = "" if found is None else f": {found!r} is null"
        raise InvalidCall(
            f"expected: there is no reference{null}. Put the expected calls there, or [] if no tool "
            "should be called."
        )
    return reference


def _known_key(reference: Mapping[Any, Any]) -> str | None:
    return next((name for name in REFERENCE_KEYS if name in reference), None)


class Places(Struct, frozen=True):
    """What a library calls a sample and the places of its expected calls: an error names them.

    Attributes:
        sample: `case`, `row` and so on.
        reference: the place for the expected answer; None if a sample has none.
        keyed: what may have the expected calls under a key, such as the metadata; None if nothing.
        keys: these keys, if the user names none.
    """

    sample: str
    reference: str | None = None
    keyed: str | None = None
    keys: tuple[str, ...] = REFERENCE_KEYS


def reference_in(reference: Any, *others: Any, key: str | None, places: Places) -> Any:
    """The part of a sample that has the expected calls under a known key, or its reference.

    A library has a place for the expected answer, and others for whatever else belongs to a sample.
    The expected calls may be in any of them.

    Raises:
        InvalidCall: they are in none of them.
    """
    keys = places.keys if key is None else (key,)
    parts = (reference, *others)
    for part in parts:
        if isinstance(part, Mapping):
            if any(name in part for name in keys):
                return part
        elif found := {name: getattr(part, name) for name in keys if hasattr(part, name)}:
            return found
    if key is not None:
        # An object without the key that the user named is an error that lists the keys it has.
        reference = next((part for part in parts if isinstance(part, Mapping)), reference)
    if reference is None:
        raise InvalidCall(_no_reference(places, others, keys))
    return reference


def _no_reference(places: Places, others: Iterable[Any], keys: tuple[str, ...]) -> str:
    """Where the expected calls of a sample may be, and which keys are there instead."""
    found = sorted({str(name) for part in others for name in _names_in(part)})
    keyed = None if places.keyed is None else f"{places.keyed} under {one_of(keys)}"
    put = ", or into ".join(place for place in (places.reference, keyed) if place is not None)
    only = f" There is only {mention(found)} in {places.keyed}." if found else ""
    return (
        f"expected: the {places.sample} has no reference.{only} Put the expected calls into {put}; [] if "
        "no tool should be called."
    )


def _names_in(part: Any) -> Iterable[Any]:
    return part if isinstance(part, Mapping) else getattr(part, "__dict__", ())


def one_of(keys: tuple[str, ...]) -> str:
    """Keys as a sentence names them: `'a', 'b' or 'c'`."""
    *most, last = map(repr, keys)
    return f"{', '.join(most)} or {last}" if most else last


def score_output(score_sample: SampleScorer, reference: Any, output: Any, advice: str) -> Scored:
    """The score of what a task returned.

    Args:
        score_sample: scores one sample.
        reference: its reference.
        output: what the task returned for it.
        advice: what to do if that does not say which tools were called.

    Raises:
        InvalidCall: it does not, for example because it is the answer to the user in words. Such an
            answer says nothing about calls, so that a score of 0 would be wrong.
    """
    from callscore.formats.shape import describe, json_of

    problem = (
        f"actual: the output does not say which tools were called: {describe(output)}. {advice}"
    )
    try:
        scored = score_sample(reference, output)
    except UnknownFormat as error:
        if str(error).startswith("actual"):
            raise InvalidCall(problem) from error
        raise
    if not scored.score.actual and isinstance(json_of(output), str):
        raise InvalidCall(problem)
    return scored


def check_calls_from(value: Any, options: Mapping[str, Any]) -> None:
    """Check the option of adapters that read the output of a task or its trace.

    Raises:
        InvalidSettings: it is not a place where calls can be, or another option is unknown.
    """
    check_options(options, "calls_from")
    if value is not None and value not in get_args(CallsFrom):
        choices = ", ".join(get_args(CallsFrom))
        raise InvalidSettings(
            f"calls_from: unknown value {mention(value)}. Choose from: {choices}, or None for both"
        )

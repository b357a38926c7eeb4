"""What all adapters share: options that are checked once, and the result of one sample.

Every library has its own names for a reference, an output and a result. An adapter translates these
names and does nothing else: the score is the one that `callscore.score` gives for the same calls.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from msgspec import Struct

from callscore.core.rendering import mention
from callscore.core.score import Score
from callscore.core.settings import SettingOptions, settings_from
from callscore.errors import InvalidCall, InvalidSettings

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Unpack

    from callscore.core.settings import Settings
    from callscore.formats.callers import Caller

__all__ = ["REFERENCE_KEYS", "AdapterOptions", "SampleScorer", "Scored", "sample_scorer"]

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

    given: dict[str, Any] = dict(options)
    tools, callers = given.pop("tools", None), given.pop("callers", None)
    settings, preset = given.pop("settings", None), given.pop("preset", None)
    if settings is None:
        settings = settings_from(given, preset=preset)
    elif given or preset is not None:
        raise InvalidSettings(
            "'settings' cannot be combined with a preset or single settings. Pass one of them"
        )
    known = None if tools is None else list(tools_by_name(tools).values())

    def score_sample(reference: Any, output: Any) -> Scored:
        expected = expected_in(reference, expected_key)
        found = score(expected, output, settings=settings, tools=known, callers=callers)
        return Scored(found)

    return score_sample


def expected_in(reference: Any, key: str | None) -> Any:
    """The expected calls in the reference of a sample.

    Raises:
        InvalidCall: there are none. A missing reference is not an empty one: a sample that lost its
            expected calls would count as correct if the agent calls nothing.
    """
    if isinstance(reference, Mapping):
        if key is not None and key not in reference:
            raise InvalidCall(
                f"expected: the reference has no key {key!r}, only {mention(sorted(map(str, reference)))}. "
                "Name the key of the expected calls with 'expected_key'."
            )
        found = key or next((name for name in REFERENCE_KEYS if name in reference), None)
        reference = reference if found is None else reference[found]
    if reference is None:
        raise InvalidCall(
            "expected: the sample has no reference. Put the expected calls there, or [] if no tool "
            "should be called."
        )
    return reference

"""A reward function for TRL, for example of `GRPOTrainer`; it needs no package.

Tested with the version in `requirements/stacks/trl.txt`.
"""

from __future__ import annotations

from typing import Any, Protocol, Unpack

from callscore.adapters.scored import REFERENCE_KEYS, AdapterOptions, SampleScorer, sample_scorer
from callscore.core.rendering import mention
from callscore.errors import InvalidCall, UnknownFormat

__all__ = ["Reward", "tool_calls"]

# What a trainer passes beside the columns of the dataset.
_OF_TRAINER = frozenset(
    {"completion_ids", "environments", "log_extra", "log_metric", "trainer_state"}
)


class Reward(Protocol):
    """What `tool_calls` returns: a function as trainers call them."""

    def __call__(self, prompts: list[Any], completions: list[Any], **columns: Any) -> list[float]:
        """One reward for each completion."""


def tool_calls(
    *,
    name: str = "tool_calls",
    expected_key: str | None = None,
    **options: Unpack[AdapterOptions],
) -> Reward:
    """A function for `reward_funcs`: the F1 that `callscore.score` gives for each completion.

    A completion is text, with calls as the model writes them, or a list of messages. A completion
    without calls, or with calls that cannot be read, is what the model answered: its reward is low,
    and no error.

    Args:
        name: the name of the reward in logs.
        expected_key: the column with the expected calls; by default one of `REFERENCE_KEYS`.
        **options: as for `callscore.score`.

    Raises:
        InvalidSettings: an option is unknown or has an invalid value.
    """
    score_sample = sample_scorer(**options)

    def reward(prompts: list[Any], completions: list[Any], **columns: Any) -> list[float]:
        column = _column(columns, expected_key)
        rows = zip(columns[column], completions, strict=True)
        del prompts  # what was asked says nothing about what is expected
        return [
            _reward(score_sample, _expected(value, f"{column}[{number}]"), completion)
            for number, (value, completion) in enumerate(rows)
        ]

    reward.__name__ = name
    return reward


def _column(columns: dict[str, Any], key: str | None) -> str:
    found = [name for name in ([key] if key else REFERENCE_KEYS) if name in columns]
    if not found:
        known = sorted(columns.keys() - _OF_TRAINER)
        wanted = repr(key) if key else " or ".join(map(repr, REFERENCE_KEYS))
        raise InvalidCall(
            f"expected: the dataset has no column {wanted}, only {mention(known)}. Name the column of "
            "the expected calls with 'expected_key'."
        )
    return found[0]


def _expected(value: Any, where: str) -> Any:
    """The expected calls of a row.

    Raises:
        InvalidCall: there are none, or a table has changed them.
    """
    if value is None:
        raise InvalidCall(
            f"expected: {where} is null. Write the expected calls there, or [] if no tool should be "
            "called."
        )
    if isinstance(value, list) and any(
        _has_null(part) for call in value if isinstance(call, dict) for part in call.values()
    ):
        raise InvalidCall(
            f"expected: an argument in {where} is null. In a column of objects, each has the keys of "
            "all, and null where it had none. Write the column as JSON text."
        )
    return value


def _has_null(value: Any) -> bool:
    if isinstance(value, dict):
        return any(part is None or _has_null(part) for part in value.values())
    return isinstance(value, list) and any(map(_has_null, value))


def _reward(score_sample: SampleScorer, expected: Any, completion: Any) -> float:
    trace = _trace(completion)
    try:
        return score_sample(expected, trace).value
    except InvalidCall as error:
        without = score_sample(expected, []).value  # an error of the dataset is raised again
        is_answer = isinstance(trace, str) and isinstance(error, UnknownFormat)
        return without if is_answer else 0.0


def _trace(completion: Any) -> Any:
    """A completion as it is read: messages, or the text of the only one.

    The syntax of calls in text is that of the model, which only a text by itself tells.
    """
    match completion:
        case [{"role": "assistant", "content": str(text), **others}] if not others.get(
            "tool_calls"
        ):
            return text
        case _:
            return completion

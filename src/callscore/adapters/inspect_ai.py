"""A scorer for Inspect: the tool calls in the messages of a sample.

Tested with the version in `requirements/stacks/inspect_ai.txt`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from callscore.adapters.scored import AdapterOptions, Places, reference_in, sample_scorer
from callscore.errors import InvalidCall, MissingExtra

try:
    from inspect_ai.scorer import Score, mean, scorer, stderr
except ImportError as error:
    raise MissingExtra("The scorer for Inspect", package="inspect-ai") from error

if TYPE_CHECKING:
    from inspect_ai.scorer import Scorer, Target
    from inspect_ai.solver import TaskState


__all__ = ["tool_calls"]

_PLACES = Places("sample", "its target as JSON text", "its metadata")
_NAME = "tool_calls"


def tool_calls(
    *, name: str = _NAME, expected_key: str | None = None, **options: Unpack[AdapterOptions]
) -> Scorer:
    """A scorer for a task of Inspect: F1 of the calls in all turns of a sample.

    The expected calls are the target of a sample as JSON text, or are in its metadata.

    Args:
        name: how the score is called in logs.
        expected_key: the key of the expected calls in the metadata; by default one of
            `REFERENCE_KEYS`, and without these keys they are the target.
        **options: as for `callscore.score`.

    Raises:
        InvalidSettings: an option is unknown or has an invalid value.
    """
    given: dict[str, Any] = dict(options)
    if expected_key is not None:
        given["expected_key"] = expected_key
    made: Scorer = _registered(name)(**given)
    return made


def _registered(name: str) -> Any:
    """The function that makes scorers of a name: Inspect records the name and the arguments."""
    return scorer(metrics=[mean(), stderr()], name=name)(_scorer)


def _scorer(*, expected_key: str | None = None, **options: Unpack[AdapterOptions]) -> Scorer:
    score_sample = sample_scorer(expected_key, **options)

    async def score(state: TaskState, target: Target) -> Score:
        scored = score_sample(_reference(state, target, expected_key), _trace(state))
        return Score(
            value=scored.value,
            answer=scored.answer,
            explanation=scored.explanation,
            metadata={**scored.numbers, "passed": scored.passed},
        )

    return score


def _reference(state: TaskState, target: Target, key: str | None) -> Any:
    # A sample without a target has an empty one.
    reference = reference_in(target.text or None, state.metadata, key=key, places=_PLACES)
    if isinstance(reference, str):
        _check_target(target, state.sample_id)
    return reference


def _check_target(target: Target, sample: Any) -> None:
    from callscore.formats.calls import is_tool_name
    from callscore.formats.shape import describe

    if len(target) > 1:
        raise InvalidCall(
            f"expected: the target of sample {sample!r} is a list of {len(target)} texts. "
            "Write the expected calls as one JSON text."
        )
    if is_tool_name(target.text):
        # Inspect turns `target=["save"]` into this text: the advice to write a list would not help.
        shown = describe(target.text)
        raise InvalidCall(
            f"expected: the target of sample {sample!r} is the text {shown}. Write the expected calls "
            f"as JSON text: target='[\"{shown[1:-1]}\"]'."
        )


def _trace(state: TaskState) -> Any:
    """The messages of a sample, without those of a conversation that is its input."""
    messages: list[Any] = list(state.messages)
    if not isinstance(state.input, str):
        asked = {message.id for message in state.input}
        messages = [message for message in messages if message.id not in asked]
    if not any(message.role == "assistant" for message in messages):
        # A solver may set the output without adding it to the conversation.
        if not state.output.choices:
            raise InvalidCall(
                f"actual: sample {state.sample_id!r} has no answer of a model. Add one to "
                "'state.messages', or set 'state.output'."
            )
        messages.append(state.output.choices[0].message)
    if not isinstance(state.input, str):
        messages = [{"role": "user", "content": ""}, *messages]  # the whole input is one turn
    return {"id": str(state.sample_id), "epoch": state.epoch, "messages": messages}


_registered(_NAME)  # so that `inspect score --scorer callscore/tool_calls` finds it

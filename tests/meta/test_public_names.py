"""The public names, pinned: adding one is a decision, and removing one breaks people."""

from __future__ import annotations

import pytest

import callscore

PUBLIC_NAMES = [
    "Advice",
    "Calls",
    "CallscoreError",
    "Case",
    "Comparison",
    "Difference",
    "EngineFailed",
    "Fault",
    "Interval",
    "InvalidCall",
    "InvalidDialect",
    "InvalidEvaluation",
    "InvalidSettings",
    "MissingConsent",
    "MissingExtra",
    "MissingKey",
    "Mode",
    "ModelFailed",
    "NotScorable",
    "Pair",
    "ReadOptions",
    "Result",
    "Results",
    "RunResults",
    "Score",
    "Settings",
    "Summary",
    "Tool",
    "ToolCall",
    "Trace",
    "TraceLike",
    "UnknownFormat",
    "UnknownRun",
    "UnreadCalls",
    "UnreadableInput",
    "UnusableStore",
    "UploadFailed",
    "WorkerEnded",
    "advise",
    "check_calls",
    "compare",
    "evaluate",
    "evaluation",
    "expect",
    "models",
    "parity",
    "pass_at_k",
    "pass_hat_k",
    "read_calls",
    "read_tools",
    "score",
    "score_cases",
    "score_files",
    "score_joined",
    "wilson",
]


def test_the_public_names_are_these() -> None:
    assert sorted(callscore.__all__) == PUBLIC_NAMES


@pytest.mark.parametrize("name", PUBLIC_NAMES)
def test_a_public_name_has_a_docstring(name: str) -> None:
    assert getattr(callscore, name).__doc__


@pytest.mark.parametrize(
    "error",
    [
        callscore.CallscoreError,
        callscore.InvalidCall,
        callscore.InvalidDialect,
        callscore.InvalidEvaluation,
        callscore.InvalidSettings,
        callscore.MissingExtra,
        callscore.NotScorable,
        callscore.UnknownFormat,
        callscore.UnknownRun,
        callscore.UnreadCalls,
        callscore.UnreadableInput,
        callscore.UnusableStore,
    ],
)
def test_an_error_goes_by_its_public_name(error: type[Exception]) -> None:
    assert error.__module__ == "callscore"


def test_the_public_names_can_be_listed() -> None:
    assert set(PUBLIC_NAMES) <= set(dir(callscore))


def test_any_other_name_is_not_there() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'scores'"):
        _ = callscore.scores


def test_tools_are_found_without_being_imported_first() -> None:
    from callscore import parity

    assert set(parity.TOOLS) <= set(dir(parity))
    assert parity.tpmjs.tool_call_accuracy([], []) == 1.0
    with pytest.raises(AttributeError, match="no attribute 'nobody'"):
        _ = parity.nobody

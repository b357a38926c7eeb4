"""A metric for DeepEval, which compares `tools_called` with `expected_tools` of a test case.

Tested with the version in `requirements/stacks/deepeval.txt`.
"""

from __future__ import annotations

from typing import Any, Unpack

from callscore.adapters.scored import AdapterOptions, SampleScorer, sample_scorer, settings_of
from callscore.errors import CallscoreError, MissingExtra

try:
    from deepeval.errors import MissingTestCaseParamsError
    from deepeval.metrics import BaseMetric
    from deepeval.test_case import SingleTurnParams
except ImportError as error:
    raise MissingExtra("The metric for DeepEval", package="deepeval") from error


__all__ = ["ToolCallsMetric", "tool_calls"]


class ToolCallsMetric(BaseMetric):  # type: ignore[misc]  # DeepEval is not installed here
    """How well the tools called in a test case match the expected ones: F1.

    DeepEval copies a metric by its attributes that are named as parameters here.
    """

    _required_params = (SingleTurnParams.TOOLS_CALLED, SingleTurnParams.EXPECTED_TOOLS)

    def __init__(
        self, score_sample: SampleScorer, name: str, threshold: float, expected_key: str | None
    ) -> None:
        self.score_sample = score_sample
        self.name = name
        self.threshold = threshold
        self.expected_key = expected_key
        self.include_reason = True

    @property
    def __name__(self) -> str:
        return self.name

    def measure(self, test_case: Any, *_: Any, **__: Any) -> float:
        """Score one test case.

        Raises:
            MissingTestCaseParamsError: the test case does not say what was called or expected.
            InvalidCall: the calls cannot be read.
        """
        self.score = self.success = self.error = self.reason = self.score_breakdown = None
        try:
            scored = self.score_sample(self._expected_in(test_case), _with_calls(test_case))
        except (CallscoreError, MissingTestCaseParamsError) as error:
            self.error = str(error)
            raise
        self.score = scored.value
        self.success = scored.passed
        self.reason = scored.explanation
        self.score_breakdown = dict(scored.numbers)
        return scored.value

    async def a_measure(self, test_case: Any, *_: Any, **__: Any) -> float:
        """Score one test case; nothing in it waits."""
        return self.measure(test_case)

    def is_successful(self) -> bool:
        """Whether the last test case reached `threshold`, and no forbidden tool was called."""
        return self.error is None and bool(self.success)

    def _expected_in(self, test_case: Any) -> Any:
        if self.expected_key is not None:
            return test_case.metadata or {}
        tools = test_case.expected_tools
        if tools is None:
            raise MissingTestCaseParamsError(
                "'expected_tools' is missing in the test case. Put the expected calls there, or [] if "
                "no tool should be called."
            )
        return list(map(_expected_call, tools))


def _expected_call(tool: Any) -> dict[str, Any]:
    """The call; one without parameters accepts any arguments."""
    if tool.input_parameters is None:
        return {"name": tool.name}
    return {"name": tool.name, "arguments": tool.input_parameters}


def _with_calls(test_case: Any) -> Any:
    if test_case.tools_called is None and not test_case.mcp_tools_called:
        raise MissingTestCaseParamsError(
            "'tools_called' is missing in the test case. Put the calls of the agent there, or [] if it "
            "called no tool."
        )
    return test_case


def tool_calls(
    *,
    name: str = "tool_calls",
    expected_key: str | None = None,
    **options: Unpack[AdapterOptions],
) -> ToolCallsMetric:
    """A metric for `evaluate` and `assert_test`: the F1 that `callscore.score` gives.

    Its threshold is `pass_mark`. Its reason explains every call that differs.

    Args:
        name: the name in DeepEval's reports.
        expected_key: the key of the expected calls in `metadata` of a test case, instead of
            `expected_tools`; there they may be in any form, with matchers and groups.
        **options: as for `callscore.score`.

    Raises:
        InvalidSettings: an option is unknown or has an invalid value.
    """
    pass_mark = settings_of(options).pass_mark
    return ToolCallsMetric(sample_scorer(expected_key, **options), name, pass_mark, expected_key)

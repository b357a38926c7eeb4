"""Score the tool calls of an agent against the calls that were expected."""

from importlib import import_module

TYPE_CHECKING = False  # type checkers take it for True; importing typing costs more than all below

if TYPE_CHECKING:
    from callscore import expect, parity
    from callscore.advising.advice import Advice
    from callscore.advising.labelled_runs import advise
    from callscore.api import check_calls, read_calls, read_tools, score
    from callscore.comparing.comparison import Comparison
    from callscore.core.arguments import Difference
    from callscore.core.call import Tool, ToolCall
    from callscore.core.case import Case
    from callscore.core.results import Result, Results, RunResults
    from callscore.core.score import Fault, Pair, Score
    from callscore.core.settings import Mode, Settings
    from callscore.core.statistics import Interval, pass_at_k, pass_hat_k, wilson
    from callscore.core.summary import Summary
    from callscore.engines.comparing_runs import compare
    from callscore.engines.local import score_cases, score_files, score_joined
    from callscore.errors import (
        CallscoreError,
        EngineFailed,
        InvalidCall,
        InvalidDialect,
        InvalidEvaluation,
        InvalidSettings,
        MissingConsent,
        MissingExtra,
        MissingKey,
        ModelFailed,
        NotScorable,
        UnknownFormat,
        UnknownRun,
        UnreadableInput,
        UnreadCalls,
        UnusableStore,
        UploadFailed,
        WorkerEnded,
    )
    from callscore.evaluations.decorator import evaluation
    from callscore.formats.given import Calls, TraceLike
    from callscore.formats.trace import ReadOptions, Trace
    from callscore.runner.running import evaluate

__all__ = [
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

__version__ = "0.1.0"

# Where the public names live. A name is imported when it is first used, so that whoever imports
# callscore for one of them does not wait for the others.
_HOMES = {
    "advising.advice": ("Advice",),
    "advising.labelled_runs": ("advise",),
    "api": (
        "check_calls",
        "read_calls",
        "read_tools",
        "score",
    ),
    "comparing.comparison": ("Comparison",),
    "core.arguments": ("Difference",),
    "core.call": (
        "Tool",
        "ToolCall",
    ),
    "core.case": ("Case",),
    "core.results": (
        "Result",
        "Results",
        "RunResults",
    ),
    "core.score": (
        "Fault",
        "Pair",
        "Score",
    ),
    "core.settings": (
        "Mode",
        "Settings",
    ),
    "core.statistics": (
        "Interval",
        "pass_at_k",
        "pass_hat_k",
        "wilson",
    ),
    "core.summary": ("Summary",),
    "engines.comparing_runs": ("compare",),
    "engines.local": (
        "score_cases",
        "score_files",
        "score_joined",
    ),
    "errors": (
        "CallscoreError",
        "EngineFailed",
        "InvalidCall",
        "InvalidDialect",
        "InvalidEvaluation",
        "InvalidSettings",
        "MissingConsent",
        "MissingExtra",
        "MissingKey",
        "ModelFailed",
        "NotScorable",
        "UnknownFormat",
        "UnknownRun",
        "UnreadCalls",
        "UnreadableInput",
        "UnusableStore",
        "UploadFailed",
        "WorkerEnded",
    ),
    "evaluations.decorator": ("evaluation",),
    "formats.given": (
        "Calls",
        "TraceLike",
    ),
    "formats.trace": (
        "Trace",
        "ReadOptions",
    ),
    "runner.running": ("evaluate",),
}
_MODULES = ("expect", "models", "parity")  # modules that are public names themselves
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return import_module(f"callscore.{name}")
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'callscore' has no attribute {name!r}")
    value: object = getattr(import_module(f"callscore.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])

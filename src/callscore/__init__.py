"""Score the tool calls of an agent against the calls that were expected."""

from callscore.api import score
from callscore.core.model import Case, Difference, Pair, Score, ToolCall
from callscore.core.results import CaseScore, Results
from callscore.core.settings import Mode, Settings
from callscore.core.statistics import Interval, pass_at_k, pass_hat_k, wilson
from callscore.core.summary import Summary
from callscore.engines.local import score_cases, score_files, score_joined
from callscore.errors import (
    CallscoreError,
    InvalidCall,
    InvalidSettings,
    MissingExtra,
    UnreadableInput,
)

__all__ = [
    "CallscoreError",
    "Case",
    "CaseScore",
    "Difference",
    "Interval",
    "InvalidCall",
    "InvalidSettings",
    "MissingExtra",
    "Mode",
    "Pair",
    "Results",
    "Score",
    "Settings",
    "Summary",
    "ToolCall",
    "UnreadableInput",
    "pass_at_k",
    "pass_hat_k",
    "score",
    "score_cases",
    "score_files",
    "score_joined",
    "wilson",
]

__version__ = "0.1.0"

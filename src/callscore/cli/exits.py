"""What the program tells its caller: the exit codes."""

from __future__ import annotations

__all__ = ["AGENT", "BELOW", "FINE", "INTERRUPTED", "UNREADABLE", "USAGE"]

FINE = 0
# Below --fail-under or a threshold, a reference not run while that is given, a fault or a difference that
# --fail-on names, or a gate that is closed.
BELOW = 1
USAGE = 2  # wrong usage
UNREADABLE = 3  # input that cannot be read, or a file of evaluations that cannot be used
AGENT = 4  # an agent gave no answer: an error, where a wrong answer is a failure
INTERRUPTED = 130  # what shells use for Ctrl-C

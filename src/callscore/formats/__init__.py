"""Normalise: how a record spells a case, and how it spells a call."""

from callscore.formats.calls import read_call, read_calls
from callscore.formats.cases import read_case, read_reference, read_trace

__all__ = ["read_call", "read_calls", "read_case", "read_reference", "read_trace"]

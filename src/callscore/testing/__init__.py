"""For people's tests: `assert_calls`, and what the pytest plugin is made of."""

from callscore.expect import call
from callscore.testing.assertions import assert_calls

__all__ = ["assert_calls", "call"]

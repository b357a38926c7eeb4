"""For tests of users: `assert_calls`, and the parts of the pytest plugin."""

from callscore.expect import call
from callscore.testing.assertions import assert_calls

__all__ = ["assert_calls", "call"]

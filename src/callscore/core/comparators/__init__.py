"""The matchers that can replace a value, one per module; `callscore.core.rules` finds them."""

"""The rules that may stand in place of a value, one module each; `callscore.core.rules` finds them."""

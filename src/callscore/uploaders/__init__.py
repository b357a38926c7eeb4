"""Sends scores to trace backends; one backend per module, imported when it is asked for."""

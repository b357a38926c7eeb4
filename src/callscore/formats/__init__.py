"""Normalize: how a record spells a case, and how it spells a call."""

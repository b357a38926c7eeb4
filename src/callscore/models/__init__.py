"""Asks models: ready tasks, and judges."""

from __future__ import annotations

from callscore.models.judging import Judge, Memory, judge
from callscore.models.limits import Limits, Rate
from callscore.models.openai_chat import Chat, chat

__all__ = ["Chat", "Judge", "Limits", "Memory", "Rate", "chat", "judge"]

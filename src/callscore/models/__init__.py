"""Asks models: ready tasks, and judges."""

from __future__ import annotations

from callscore.models.chat_task import Chat, chat
from callscore.models.judging import Judge, Memory, judge
from callscore.models.limits import Limits, Rate

__all__ = ["Chat", "Judge", "Limits", "Memory", "Rate", "chat", "judge"]

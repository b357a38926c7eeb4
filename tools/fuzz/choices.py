"""The random choices behind an input; without mutations they are the same but for these."""

from __future__ import annotations

from random import Random

__all__ = ["Choices"]


class Choices(Random):
    """Random choices of which those to mutate something can be turned off."""

    is_mutating = True

    def mutates(self, share: float) -> bool:
        """Whether to mutate something, in this share of the inputs."""
        return self.random() < share and self.is_mutating

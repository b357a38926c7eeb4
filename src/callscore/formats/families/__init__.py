"""What several dialects share: one subject per module, and no dialects."""

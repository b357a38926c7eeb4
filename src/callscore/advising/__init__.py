"""Which settings tell success from failure, learned from runs with a success label."""

"""Where the path from bytes to results runs: so far in this process."""

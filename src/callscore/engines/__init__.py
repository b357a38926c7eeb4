"""The whole path from files to results: scoring, checking, comparing, saving."""

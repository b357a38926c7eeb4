"""COMPARE: two runs, case by case, with honest statistics, and what a gate makes of that."""

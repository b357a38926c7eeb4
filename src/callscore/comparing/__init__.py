"""Compares two runs case by case, with statistics, and decides whether a gate is open.

The statistics are implemented here because SciPy with NumPy takes 215 MB and statsmodels 380 MB,
three and five times as much as all other dependencies; the tests compare the results with both.
"""

"""Compares two runs case by case, and decides whether a gate is open.

The statistics are written by hand because SciPy with NumPy is 215 MB, and statsmodels 380, three
and five times all else that callscore needs; the tests compare the results with both.
"""

"""COMPARE: two runs, case by case, with honest statistics, and what a gate makes of that.

The statistics are written by hand because SciPy with NumPy is 215 MB, and statsmodels 380, three
and five times all else that callscore needs; the tests hold the results against both.
"""

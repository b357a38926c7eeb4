"""Writes what agents did back into files of cases as the new expectation."""

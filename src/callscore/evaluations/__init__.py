"""What is asked: evaluations in Python and in suites, their cases, scorers and variants."""

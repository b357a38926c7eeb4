"""What is to be asked: evaluations in Python and in suites, their cases, scorers and variants."""

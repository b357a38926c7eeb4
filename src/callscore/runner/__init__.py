"""Runs agents over cases: asks, stores the answers, scores them, resumes, scores again."""

"""Runs agents over cases: finds evaluations, asks, keeps the answers, scores them."""

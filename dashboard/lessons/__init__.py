"""Lessons: sequences of stations on pages, each with a question that a running model answers."""

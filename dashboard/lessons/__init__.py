"""Lessons: paths of stations through the pages, each with a question that a running model answers."""

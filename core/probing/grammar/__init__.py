"""Heads that follow relations of grammar: annotated sentences, links between words, and counts of their hits."""

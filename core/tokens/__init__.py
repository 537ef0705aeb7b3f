"""Tokenization of a text, step by step, and the surprise of a model at each token."""

"""Sentiment classifiers: behavioural tests, and other attention weights in a trained network."""

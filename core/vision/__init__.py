"""Attention over pictures: patches and tokens, windows, attention distances, and masked patches and pixels."""

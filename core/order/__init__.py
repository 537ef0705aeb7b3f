"""Positions: what models have learned of them, and what attention computes without them."""

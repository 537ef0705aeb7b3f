"""What the page "Attention step by step" is made of: its controls, its formulas, its sentences."""

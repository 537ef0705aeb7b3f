"""The parts of the page "Inside the transformer"."""

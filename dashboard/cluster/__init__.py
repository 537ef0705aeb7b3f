"""More than one process: calls that are not cached go to workers by name, and their values come back."""

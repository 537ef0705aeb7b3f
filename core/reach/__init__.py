"""How long a model remembers: the copying task, and gradients by distance."""

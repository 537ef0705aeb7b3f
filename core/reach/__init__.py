"""How long a model remembers: a task that only memory solves, and how far back a gradient reaches."""

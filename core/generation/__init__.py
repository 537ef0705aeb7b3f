"""How a language model goes on with a text: what it keeps from step to step, and by what rule it chooses."""

"""How a text becomes tokens: what each way of cutting makes of it, and how surprised a model is by each piece."""

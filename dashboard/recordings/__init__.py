"""A model, an input and the attention that was recorded, and what is said of it."""

"""A model, an input and the recorded attention, with scenes and notices made of it."""

"""A drawn world in which it is known for every word which pixels it means."""

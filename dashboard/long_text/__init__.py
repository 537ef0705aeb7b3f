"""Readings of long texts: threads that read, and the route by which browsers look at what is read."""

"""Models by name, from a folder or the hub: their kind and size, permissions, limits, and downloads."""

"""Models of others: what a name, a folder or a repository of the hub promises, and fetching it within bounds."""

"""The server, the command and the function for notebooks that start it, its logs and its headers."""

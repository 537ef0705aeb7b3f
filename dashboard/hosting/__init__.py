"""The server, the command and the notebook's way to start it, and what it logs and answers with."""

"""What each head does: measures, what it writes, what the model loses without it, and maps of many heads made one."""

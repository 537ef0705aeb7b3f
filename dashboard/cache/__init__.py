"""What was computed is kept for the next visitor, and work waits for its turn."""

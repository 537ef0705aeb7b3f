"""What does size buy? The sections of the page "Scaling comparison"."""

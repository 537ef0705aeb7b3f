"""What may be left out? The sections of the page "Efficient attention"."""

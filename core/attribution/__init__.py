"""How faithful an explanation is, whatever it explains: curves of what is taken away and put back."""

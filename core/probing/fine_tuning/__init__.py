"""A BERT before and after it was fine-tuned: what it says of a sentence, and where it looks."""

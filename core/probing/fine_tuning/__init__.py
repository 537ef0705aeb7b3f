"""A BERT before and after fine-tuning: its predictions for a sentence, and its attention."""

"""What models have learned, by tasks whose answers are known: grammar, masked words, small tasks, fine-tuning."""

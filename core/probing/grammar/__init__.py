"""Which head follows which relation of grammar: annotated sentences, links between words, counts of what they find."""

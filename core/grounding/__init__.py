"""Which word belongs to which region: maps over a picture for each word, and whether they are right."""

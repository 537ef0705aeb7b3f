"""Generation with language models: the key-value cache, decoding rules, and their costs."""

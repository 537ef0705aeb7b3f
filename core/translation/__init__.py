"""Translation: decoding, alignment, influence, IBM model 1."""

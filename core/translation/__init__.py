"""Writing a translation and saying where its words come from: decoding, alignment, influence, IBM model 1."""

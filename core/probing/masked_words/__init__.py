"""Words that are hidden from a model that reads on both sides, and what it puts in their places.

"Cloze procedure" is Taylor's name (1953) for it; Devlin et al. 2018, section 3.1, trained BERT with it.
"""

"""Masked words, and the predictions of a bidirectional model for them.

Taylor (1953) called it "cloze procedure"; Devlin et al. 2018, section 3.1, trained BERT with it.
"""

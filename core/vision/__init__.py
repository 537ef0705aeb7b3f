"""What attention does with pictures: from patches to tokens, windows, explanations and how faithful they are."""

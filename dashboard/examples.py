"""What a page shows before anybody has chosen anything."""

SENTENCE = "The cat that the dogs chased sat down because it was tired. The cat that the dogs"
PICTURE = "coffee"
RESOLUTION = 96  # pixels on a side

"""What a page shows before anybody has chosen anything."""

SENTENCE = "The cat that the dogs chased sat down because it was tired. The cat that the dogs"
PICTURE = "coffee"
PATCHES = 12  # on a side
RESOLUTION = 96  # pixels on a side: as many patches in vit-tiny-imagenet

"""CLIP: all prose of the page, section by section."""

from dataclasses import replace

from dashboard.frame.layout import PageWords
from dashboard.frame.references import references

# The sections of the page, as they stand in the address.
AGREEMENT, CLASSES, WHY, SEARCH, SPACE, GROUNDED, MEASURED = (
    "Agreement",
    "Your own classes",
    "Why?",
    "Search",
    "The space",
    "The right region?",
    "Measured",
)

PAGE = PageWords(
    question="Do words and picture agree?",
    lead="CLIP compares sentences with pictures: the larger the cosine, the better the two agree.",
    about=(
        "CLIP (Radford et al. 2021) learns without class labels: it sees pictures and sentences, and learns which "
        "sentence belongs to which picture. Both become vectors in one space, and their cosine says how well they "
        "agree. Three models are here: one for photographs, whose own layers follow a vision encoder that others "
        "trained on ImageNet and a text encoder that others trained on sentences; a small one for drawn scenes, where "
        "it is known which sentences are true; and a small one for emoji."
    ),
    try_this=(),
    references=references(
        "CLIP",
        "SIGLIP",
        "VILBERT",
        "VISUALBERT",
        "BAG_OF_WORDS",
        "MODALITY_GAP",
        "CHEFER_TWO",
        "OCCLUSION",
        "POINTING_GAME",
        "FLICKR8K",
    ),
)

PICTURES, SENTENCES = "of pictures for each sentence", "of sentences for each picture"
MOST_PICTURES, MOST_TEXTS = 8, 12
TEXTS_LABEL = "Sentences, one per line (at most 12)"
TOO_MANY = "There are {count} sentences; at most {most} are compared at once. Leave some out."
NONE = "There is no sentence here yet. Write one in each line."
NO_PICTURE = "There is no picture here yet. Choose some under “Pictures”."
UNKNOWN = "{title} knows {known:,} words, but not {words}: it reads them as one unknown word."
TEMPERATURE_HELP = (
    "The softmax is taken of the cosines times this number. The model learned {learned:.1f}. With 1 all shares are "
    "nearly equal; with 100 the largest cosine takes nearly everything."
)
COSINES = "cosines"
INK = {  # what the matrix shows, by its numbers
    COSINES: (
        "Numbers: cosines. Ink: the share of each picture for its row's sentence (softmax at temperature "
        "{temperature:.0f}). Outlined: the best picture for each sentence."
    ),
    PICTURES: (
        "Numbers and ink: the share of each picture for its row's sentence (softmax at temperature {temperature:.0f}); "
        "a row sums to 100%. Outlined: the best picture for each sentence."
    ),
    SENTENCES: (
        "Numbers and ink: the share of each sentence for its column's picture (softmax at temperature "
        "{temperature:.0f}); a column sums to 100%. Outlined: the best sentence for each picture."
    ),
}

AGREEMENT_NOTES = replace(
    PAGE,
    try_this=(
        "Under Settings, set the temperature to 1, then to 100: the cosines stay, the shares (the ink) do not.",
        "Add a sentence that fits no picture. In which column does it take probability from others?",
        "In the drawn world: compare a blue circle above a red star with a red star above a blue circle.",
    ),
)
CLASSES_NOTES = replace(
    PAGE,
    try_this=(
        "Add an absurd class. Does the picture prefer it to the others?",
        "Under Settings, change a template to “a drawing of a {}”. Which classes move?",
        "Give only wrong classes: one of them still wins.",
    ),
)
CLASSES_ABOUT = (
    "The model was not trained for these classes (zero-shot classification). A template makes a sentence of each "
    "class, and the sentence that fits the picture best wins. Bars: the mean over the templates. Dots: each template "
    "alone."
)
CLASSES_BEGAN = (
    " For photographs this holds only in part: others trained the vision encoder on the thousand classes of ImageNet, "
    "and this CLIP learned their names from it. Breeds of cats and dogs, cups and missiles are among them, women are "
    "not."
)
LEARNED_ONE = "The network learned from this emoji and its names: how well they agree says little about new ones."
HELD_OUT_ONE = "This emoji was held out: the network never saw it."
LEARNED_SEVERAL = "The network learned from {count} of these {total} emoji and their names, and never saw the others."
FOUND_LEARNED = (
    "Of the {total} that are shown the network learned from {count} and their names; one in ten of all emoji was held "
    "out."
)


def tell_learned(count: int, total: int) -> str:
    """From how many of some emoji the network learned."""
    if total == 1:
        return LEARNED_ONE if count else HELD_OUT_ONE
    if count == total:
        return f"The network learned from all {total} of these emoji and their names."
    return LEARNED_SEVERAL.format(count=count or "none", total=total)


TEMPLATES = ("a photo of a {}", "a picture of a {}", "a {}")
SCENE_TEMPLATES = ("{}",)
WHY_NOTES = replace(
    PAGE,
    try_this=(
        "Exchange one word of your sentence: how far does the score move, and does the map follow?",
        "Cover the brightest patch, then any other.",
        "Choose “attention”: it is the same for every word, because the picture's encoder never sees the sentence.",
    ),
)
WHY_ABOUT = (
    "The score of a word is what the cosine loses without it. The map shows which patches that part of the score "
    "comes from. Below, cover patches and see how the cosine changes."
)
LEFT_OUT, BY_RELEVANCE = "leaving it out", "relevance"
SEARCH_NOTES = replace(
    PAGE,
    try_this=(
        "Search the emoji for a colour and a thing, such as “red heart”: what fits only one of the two words?",
        "Search with a word that the model does not know.",
        "Search scenes with “a red star above a blue circle”, then with both groups exchanged.",
    ),
)
SPACE_NOTES = replace(
    PAGE,
    try_this=(
        "Look where the sentences lie, and where the pictures: do the two mix, and do the cosines say the same?",
        "Compare the share that the two axes hold with the list of the next ones.",
    ),
)
SPACE_ABOUT = (
    "Each point is a held-out picture or its sentence, projected on the two directions in which all of them differ "
    "most (principal components). Differences in other directions are not visible: points that lie together may be "
    "far apart."
)
GROUNDED_NOTES = replace(
    PAGE,
    try_this=(
        "Choose “relation”: CLIP hardly tells above from below. Where should it look?",
        "Compare attention, which is the same for all words, with relevance.",
    ),
)
MEASURED_NOTES = replace(
    PAGE,
    try_this=(
        "Compare “order” with “colour”: where whole groups change places, each colour keeps its shape, and only the "
        "relation tells which sentence is true.",
        "Look at the split “pairs”: does it know a pair that it never saw together?",
    ),
)
EXCHANGED_ABOUT = (
    "500 held-out scenes of each split. A true sentence is compared with a false one that differs in one word: how "
    "often is the true one more similar? Chance is 50%. “order”: both groups change places. “Each word by itself”: the "
    "sentence is the mean of the vectors of its words, so that their order cannot count."
)
CIFAR = "Classes of CIFAR-10, of which it learned no picture"
CIFAR_ABOUT = (
    "The first 2,000 test pictures; none of CIFAR-10 was learned. But this CLIP learned the names of ImageNet's "
    "thousand classes, which have breeds of cats and dogs, kinds of birds, frogs, ships, lorries and cars among them."
)

"""Captioning: all prose of the page, section by section."""

from dataclasses import replace

from dashboard.frame.layout import PageWords
from dashboard.frame.references import references

# The sections of the page, as they stand in the address.
WRITE, OWN, BEAM, STEP, GROUNDED, MEASURED, OTHERS = (
    "A caption",
    "Your own caption",
    "The beam",
    "One step",
    "The right region?",
    "Measured",
    "Any model",
)

PAGE = PageWords(
    question="Which word looks where?",
    lead="A network describes a picture, and before each word it looks at the picture again.",
    about=(
        "A network writes what it sees, and before each word it looks at the picture again: the first attention that "
        "could be seen in a picture (Xu et al. 2015). Here an LSTM looks once for each word, and a transformer looks "
        "with every head. In the drawn world the pixels that a word means are known, so maps can be marked right or "
        "wrong."
    ),
    try_this=(),
    references=references(
        "SHOW_ATTEND_TELL", "FLICKR8K", "CIDER", "POINTING_GAME", "CHEFER_TWO", "OCCLUSION", "TRANSFORMER"
    ),
)

KINDS = {"lstm": "LSTM with attention", "transformer": "Transformer"}
WAITING = "waits for its turn"
MEAN = "mean of all heads"
UNKNOWN = "{title} knows {known:,} words, but not {words}: all such words are read as the same unknown word."
TRUE = "True of this scene"
FALSE = "Not true of this scene"
NO_SENTENCE = "Not a sentence about drawn scenes"
SURE = "each {unit} {mean} probable (geometric mean)"
LEAST = "Of its {count} {unit}s, the end included, the least probable is {least}: {low}."
MATCHED = "{matched} of {count} content words {fit}"
MATCHED_NONE = "None of {count} content words fits"
NO_CONTENT = "No content words"
KNOWN = "Known of this photograph: it shows {shows}. The caption shares {words} with that."
KNOWN_NONE = "Known of this photograph: it shows {shows}. The caption shares none of its content words with that."
GATE = "The gate lets {gate:.0%} of what it sees through."
PROBABLE = "The network gives this word {chance}."
OTHER_WORD = "Take another word"
OTHER_WORD_ABOUT = (
    "Click a word above, choose what is written in its place, and the network goes on from there with what it sees."
)
BEGUN_ONE = "The first word comes from you: “TEXT”. The network went on from there."
BEGUN = "The first {count} words come from you: “TEXT”. The network went on from there."
BEGIN_TOO_LONG = "The address begins the caption with {count} words; a caption has at most {most}."
WORLD = {
    "photographs": (
        "These networks see with EfficientNet, which others trained on ImageNet, and learned to write from 6,000 "
        "photographs of people and dogs (Flickr8k). About other things they are mostly wrong."
    ),
    "scenes": "",
}

WRITE_NOTES = replace(
    PAGE,
    try_this=(
        "Point at the colour and then at the shape: does the network look at the same place twice?",
        "Click a word, take another one, and see the rest of the caption follow.",
        "Choose “Photographs”, and watch the gate: does it close for small words such as “a” and “of”?",
    ),
)
WRITE_LSTM = (
    "Before word *t* the LSTM has the state $h_{{t-1}}$. Each of the {places} places gets a score, a softmax turns the "
    "scores into weights, and a gate says how much of their mixture counts (Xu et al. 2015, equations 4, 5 and 13):"
)
WRITE_TRANSFORMER = (
    "In each of its {layers} layers the transformer asks with the words so far; keys and values come from the {places} "
    "places, {heads} heads each:"
)
OWN_NOTES = replace(
    PAGE,
    try_this=(
        "Write something that is false of the scene: how improbable does the network find the false word?",
        "Exchange one colour, and compare where it looks for it.",
        "Write a caption with the words in an odd order.",
    ),
)
OWN_ABOUT = (
    "The network is made to write exactly your words (teacher forcing): where would it look for each, and how probable "
    "does it find it?"
)
BEAM_NOTES = replace(
    PAGE,
    try_this=(
        "Set the beam to 1: does the caption become shorter, or a different one?",
        "Go back to the first step: which words were there to choose from?",
    ),
)
STEP_NOTES = replace(
    PAGE,
    try_this=(
        "Walk through the words with the arrow keys, and watch the gate.",
        "Look at the last step, which writes the end: where does the network look when it has nothing more to say?",
    ),
)
STEP_ABOUT = "Everything that the LSTM computes to write one word."
GROUNDED_NOTES = replace(
    PAGE,
    try_this=(
        "Choose “relation”: words such as “above” mean two things at once. Does any way find both?",
        "Compare the transformer's attention with its relevance, which follows gradients.",
        "Go to a scene of your own: does the order of the ways hold there?",
    ),
)
MEASURED_NOTES = replace(
    PAGE,
    try_this=(
        "Compare the splits: what is harder, a new pair of colour and shape, or a fourth thing?",
        "Look at “relation” beside “colour”: which kind of word do the captions get wrong?",
    ),
)
ABOUT_BLEU = (
    "BLEU-n: the geometric mean of how many runs of one to n words stand in one of the five references too, over all "
    "captions, with a penalty for short ones. CIDEr weighs runs of words by how rare they are."
)
ABOUT_TRUTH = (
    "A caption is true if the grammar can read it and every statement in it holds of the scene. Of those with a word "
    "of a kind: how many are true as a whole."
)

NAMED_PLACEHOLDER = "Salesforce/blip-image-captioning-base, or a folder"
NAMED_HELP = "A BLIP, a GIT, or a vision transformer with a GPT-2, by its name on the hub or by its folder."
NAMED_NOTHING = (
    "Name a captioner: a **BLIP** (Salesforce/blip-image-captioning-base), a **GIT** (microsoft/git-base-coco) or a "
    "**vision transformer with a GPT-2** (nlpconnect/vit-gpt2-image-captioning). It is fetched once, after you have "
    "agreed; then it describes your photograph, and every head's map for every word is shown."
)
NAMED_OFFLINE = (
    "The model hub cannot be reached from here. What works without it: the small networks of the other sections, or in "
    "an app of your own a local folder."
)
NAMED_NOT_YET = "No model is named yet, so there is nothing to notice."
NAMED_NOTES = replace(
    PAGE,
    try_this=(
        "Give it the same photograph as the small networks, and compare where they look for the same word.",
        "Write a caption of your own: which word surprises it?",
        "Go through the layers: in which one do words look at different places?",
    ),
)
NAMED_OWN = "Your own caption (empty: what it writes itself)"

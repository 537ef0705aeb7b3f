"""What the page Inside the transformer says: what each part is for, and what sizes mean."""

from dataclasses import replace

from core.interpretability import Kind
from dashboard.frame.layout import PageWords
from dashboard.frame.references import references

INSIDE = PageWords(
    question="What happens between input and output?",
    lead="Each token is a vector: attention and MLP read it and add to it, layer by layer.",
    about=(
        "Each token is a vector that flows from top to bottom. Attention and MLP read it, and add what they found. "
        "Walk through a model that is running on your own sentence: click any part of the diagram and see the numbers "
        "that go in and come out."
    ),
    try_this=(),
    references=references("TRANSFORMER", "HE", "BA", "XIONG", "ELHAGE", "GEVA", "NOSTALGEBRAIST"),
)

WALK, STREAM, LENS, SIZES = "Walk", "Stream", "Logit lens", "Sizes"
WALK_NOTES = replace(
    INSIDE,
    try_this=(
        "Open the attention of block 0, then that of the last block. What has changed in its map, and in its numbers?",
        "Click a norm and open *Statistics of each token*: how large are the numbers that go in, and those that come "
        "out?",
        "Choose *Encoder-decoder*. What does each block of the decoder have that those of the encoder have not?",
    ),
)
STREAM_NOTES = replace(
    INSIDE,
    try_this=(
        "Which block adds most for its place, and is it attention or the MLP? Choose *Encoder*: is it the same there?",
        "Let the first word of your text come again later, as “The” does here. After the last block, is its vector as "
        "long both times?",
    ),
)
LENS_NOTES = replace(
    INSIDE,
    try_this=(
        "End your text in the middle of a word. From which block on is the rest of a word expected?",
        "Look at the row *input*. Why is the answer there mostly the token itself, though hardly any word is said "
        "twice in a row?",
        "Find a token whose answer changes in the last block, and move the slider to it: was the word that wins close "
        "to rank 1 before?",
    ),
)

MACHINE = (
    "A decoder reads a text, an encoder sees a picture, an encoder-decoder reads one text and writes another. For a "
    "text you can also name any other text model, even a BERT or a T5: its kind is read off its run."
)
TARGET = (
    "The encoder-decoder is the transformer of the page Translation. Its decoder has read this French text and says "
    "which token comes next. Leave the field empty and it reads its own translation, word by word as it wrote it."
)
LAST_STACK = "This model has {stacks} stacks of blocks, one after the other; the stream is that of the last."
CUT = "The first {kept} of {total:,} tokens go through the model: more would be too many to tell apart."
# One sentence for each kind: what it does.
PURPOSES: dict[Kind, str] = {
    "embedding": (
        "Makes the first vector of each token: words look it up in a table, patches get it from a map of their pixels."
    ),
    "positions": "Says where a token stands.",
    "norm": "Brings the numbers of each token to the same scale, then multiplies each channel by its own weight.",
    "attention": (
        "Here tokens exchange information: each takes a weighted mean of the values of the tokens it may look at."
    ),
    "cross-attention": "The decoder's tokens take a weighted mean of what the encoder made of the source.",
    "MLP": (
        "Works on each token alone: every hidden neuron is one number, which says how much of the neuron's own vector "
        "is written."
    ),
    "linear": "Multiplies each token's vector by one matrix.",
    "head": "Turns the last vectors into a score for each possible answer.",
    "block": "Attention and MLP, each added to the stream.",
    "other": "A part with weights of its own.",
}

MASKS = {
    "none": "No mask: every query may look at every key.",
    "causal": "Causal mask: no query may look at a later token.",
    "padding": "Padding mask: some keys are padding, and no query may look at them.",
    "causal and padding": "Causal and padding masks together.",
    "window": "A mask of its own shape, such as a sliding window.",
}

# Sizes.
TOKENS_HELP = "For the curves and the memory; the table above them is about your own sentence."
PARTS = (
    "Each part of this model for your input of {tokens} tokens: by formula, from its sizes alone, and by count, "
    "from its module tree and from watching it run. A multiplication and an addition are two operations (FLOPs)."
)
UNCOUNTED = (
    "Only matrix products are counted, by both; norms, softmax and activations are left out (they lack a factor *d*), "
    "and the half of the scores that a causal mask hides is counted in full."
)
NO_FORMULA = (
    "There is no formula here for this architecture: what follows is counted, not derived. GPT, BERT, Llama, T5 and "
    "ViT have one."
)
FAMOUS = (
    "“Published” is the most exact count that the makers or the release give; “printed” is what the paper says: often "
    "rounded, and for GPT-2 wrong."
)
OWN = (
    "A decoder like GPT-2: choose its sizes; the MLP is four times as wide as the stream, and the token table is also "
    "the head."
)
SIZES_NOTES = replace(
    INSIDE,
    try_this=(
        "Raise *Tokens in view* until scores and weighted sum take the most work of all parts. Which part did before?",
        "Go from *fp32* to *int8*. Which numbers become smaller, and which stay?",
        "Build GPT-2 small: 12 layers, width 768, 12 heads, context 1,024. Do you come to the 124 million parameters "
        "of the table?",
    ),
    references=(*INSIDE.references, *references("KAPLAN", "HOFFMANN", "DEVLIN")),
)

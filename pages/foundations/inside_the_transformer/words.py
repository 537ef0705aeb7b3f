"""What the page Inside the transformer says: what each part is for, and what sizes mean."""

from dataclasses import replace

from core.interpretability import Kind
from dashboard.frame.layout import PageWords
from dashboard.frame.references import references

INSIDE = PageWords(
    question="What happens between input and output?",
    lead="Each token is a vector: attention and MLP read it and add to it, layer by layer.",
    about=(
        "Each token is a vector that flows from top to bottom. Attention and MLP read this residual stream and add "
        "their output to it. Click any part of the diagram to see the numbers that go in and come out, for your own "
        "sentence."
    ),
    try_this=(),
    references=references("TRANSFORMER", "HE", "BA", "XIONG", "ELHAGE", "GEVA", "NOSTALGEBRAIST"),
)

WALK, STREAM, LENS, SIZES, KINDS = "Walk", "Stream", "Logit lens", "Sizes", "Three kinds"
WALK_NOTES = replace(
    INSIDE,
    try_this=(
        "Open the attention of block 0, then that of the last block. What has changed in its map, and in its numbers?",
        "Click a norm and open *Statistics of each token*: how large are the numbers that go in, and those that come "
        "out?",
        "Choose *Encoder-decoder*. Which part does each block of the decoder have that the encoder's blocks lack?",
    ),
)
STREAM_NOTES = replace(
    INSIDE,
    try_this=(
        "Which block adds most, relative to the vector before it, and is it attention or the MLP? Is it the same in "
        "the *Encoder*?",
        "Repeat the first word of your text later. After the last block, are both of its vectors equally long?",
    ),
)
LENS_NOTES = replace(
    INSIDE,
    try_this=(
        "End your text in the middle of a word. From which block on does the model predict the rest of a word?",
        "Look at the row *input*. Why does it mostly predict the token itself, though words are hardly ever repeated "
        "twice in a row?",
        "Find a token whose prediction changes in the last block, and move the slider to it: was the final word close "
        "to rank 1 before?",
    ),
)

MACHINE = (
    "A decoder reads a text, an encoder reads a picture, an encoder-decoder reads one text and writes another. Under "
    "*Model* you can also name any other text model, even a BERT or a T5; its architecture is read off its run."
)
TARGET = (
    "The encoder-decoder is the transformer of the page Translation. Its decoder reads this French text and predicts "
    "the next token. Leave the field empty, and the decoder reads its own translation."
)
LAST_STACK = "This model has {stacks} stacks of blocks, one after the other; the figures show the last stack."
CUT = "The first {kept} of {total:,} tokens go through the model; with more, the rows could not be told apart."
# One sentence for each kind: what it does.
PURPOSES: dict[Kind, str] = {
    "embedding": (
        "Makes the first vector of each token: a row of a table for a word, a linear map of the pixels for a patch."
    ),
    "positions": "Tells the model where a token stands.",
    "norm": "Scales the numbers of each token to the same spread, then multiplies each channel by its own weight.",
    "attention": (
        "Tokens exchange information: each takes a weighted mean of the values of the tokens it may attend to."
    ),
    "cross-attention": "The decoder's tokens take a weighted mean of the encoder's output for the source.",
    "MLP": (
        "Works on each token alone: the activation of each hidden neuron says how much of the neuron's own vector is "
        "added."
    ),
    "linear": "Multiplies each token's vector by one matrix.",
    "head": "Turns the last vectors into a score for each possible prediction.",
    "block": "Attention and MLP, each added to the stream.",
    "other": "A part with weights of its own.",
}

MASKS = {
    "none": "No mask: every query may attend to every key.",
    "causal": "Causal mask: no query may attend to a later token.",
    "padding": "Padding mask: some keys are padding, and no query may attend to them.",
    "causal and padding": "Causal and padding masks together.",
    "window": "Another mask, such as a sliding window.",
}

# Sizes.
TOKENS_HELP = "For the figures and the memory below; the table above is for your own input."
PARTS = (
    "Each part of this model for your input of {tokens} tokens. *Formula*: computed from the model's sizes alone. "
    "*Count*: counted in its modules and during its run. A multiplication and an addition are two operations (FLOPs)."
)
UNCOUNTED = (
    "Both count matrix products only. Norms, softmax and activations are left out (they lack a factor *d*); the half "
    "of the scores that a causal mask hides is counted in full."
)
NO_FORMULA = (
    "This page has no formula for this architecture, so the numbers are counted only. It has formulas for GPT, BERT, "
    "Llama, T5 and ViT."
)
FAMOUS = (
    "“Published” is the most exact count that the makers or the release give. “Printed” is the number in the paper: "
    "often rounded, and wrong for GPT-2."
)
OWN = (
    "Choose the sizes of a decoder like GPT-2. Its MLP is four times as wide as the residual stream, and its head "
    "shares the weights of the token embedding."
)
SIZES_NOTES = replace(
    INSIDE,
    try_this=(
        "Raise *Tokens in view* until scores and weighted sum need the most operations of all parts. Which part needed "
        "the most before?",
        "Go from *fp32* to *int8*. Which numbers become smaller, and which stay?",
        "Build GPT-2 small: 12 layers, width 768, 12 heads, context 1,024. Does it have the 124 million parameters of "
        "the table?",
    ),
    references=(*INSIDE.references, *references("KAPLAN", "HOFFMANN", "DEVLIN")),
)

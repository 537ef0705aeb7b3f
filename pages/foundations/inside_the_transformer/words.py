"""What the page Inside the transformer says: what each part is for, and what sizes mean."""

from dataclasses import replace

from core.anatomy import Kind
from dashboard.layout import PageWords
from dashboard.references import references

INSIDE = PageWords(
    question="What happens between input and output?",
    lead=(
        "Each token is a vector that flows from top to bottom. Attention and MLP read it, and add what they found. "
        "Walk through a model that is running on your own sentence: click any part of the diagram and see the numbers "
        "that go in and come out."
    ),
    try_this=(
        "Open block 0, then the last block, and keep the same part. What has changed in its numbers?",
        "Choose *Stream*: which block writes most, and is it attention or the MLP?",
        "Choose *Logit lens* and end your sentence in the middle of a word. From which layer on is the end of the word "
        "expected?",
    ),
    references=references("TRANSFORMER", "HE", "BA", "XIONG", "ELHAGE", "GEVA", "NOSTALGEBRAIST"),
)

WALK, STREAM, LENS, SIZES = "Walk", "Stream", "Logit lens", "Sizes"

MACHINE = (
    "A decoder reads a text, an encoder sees a picture, an encoder-decoder reads one text and writes another. Beside "
    "a text any other text model may be named, a BERT or a T5 too: what it is, is read off its run."
)
TARGET = (
    "The encoder-decoder is the transformer of the page Translation. Its decoder has read this French text and says "
    "which token comes next. Leave the field empty and it reads its own translation, word by word as it wrote it."
)
LAST_STACK = "This model has {stacks} stacks of blocks, one after the other; the stream is that of the last."
CUT = "The first {kept} of {total:,} tokens walk through the model: more could not be told apart."
# One sentence for each kind: what it does.
PURPOSES: dict[Kind, str] = {
    "embedding": "Makes the first vector of each token: from a table for words, by a map of the pixels for patches.",
    "positions": "Says where a token stands.",
    "norm": "Brings the numbers of each token to the same size, then weighs each channel.",
    "attention": "Here tokens take from one another: each a weighted mean of the values of those that it may look at.",
    "cross-attention": "The decoder's tokens take a weighted mean of what the encoder made of the source.",
    "MLP": "Works on each token alone: every hidden neuron is one number, and writes that much of a vector of its own.",
    "linear": "Multiplies each token's vector with one matrix.",
    "head": "Turns the last vectors into a score for each possible answer.",
    "block": "Attention and MLP, each added to the stream.",
    "other": "A part with weights of its own.",
}

MASKS = {
    "none": "No mask: every query may look at every key.",
    "causal": "Causal mask: no query may look at a later token.",
    "padding": "Padding mask: some keys are padding, and nobody may look at them.",
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
    "Published is the most exact count that its makers or releases give; printed is what the paper says, often "
    "rounded, and for GPT-2 wrong."
)
OWN = (
    "A decoder like GPT-2: choose its sizes; the MLP is four times as wide as the stream, and the token table is also "
    "the head."
)
SIZES_NOTES = replace(INSIDE, references=(*INSIDE.references, *references("KAPLAN", "HOFFMANN", "DEVLIN")))

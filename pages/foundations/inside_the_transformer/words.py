"""Inside the transformer: what each part is for."""

from core.anatomy import Kind
from dashboard.layout import PageWords
from dashboard.references import BA, ELHAGE, GEVA, HE, NOSTALGEBRAIST, TRANSFORMER, XIONG

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
    references=(TRANSFORMER, HE, BA, XIONG, ELHAGE, GEVA, NOSTALGEBRAIST),
)

WALK, STREAM, LENS, SIZES = "Walk", "Stream", "Logit lens", "Sizes"

MACHINE = (
    "A decoder reads a text, an encoder sees a picture, an encoder-decoder reads one text and writes another. Beside "
    "a text any other text model may be named, a BERT or a T5 too: what it is, is read off its run."
)
BLOCK = "block"
COMPUTED = "positions (computed)"
TARGET = (
    "The encoder-decoder is the transformer of the page Translation. Its decoder has read this French text and says "
    "which token comes next. Leave the field empty and it reads its own translation, word by word as it wrote it."
)
CUT = "The first {kept} of {total:,} tokens walk through the model: more could not be told apart."
KINDS: dict[Kind, str] = {
    "embedding": "Embedding",
    "positions": "Positions",
    "norm": "Norm",
    "attention": "Attention",
    "cross-attention": "Cross-attention",
    "MLP": "MLP",
    "linear": "Linear map",
    "head": "Head",
    "block": "Block",
    "other": "Part",
}

# One sentence for each kind: what it does.
PURPOSES: dict[Kind, str] = {
    "embedding": "Looks up one learned vector for each token: what it is, wherever it stands.",
    "positions": "Says where a token stands.",
    "norm": "Brings the numbers of each token to the same size, then weighs each channel.",
    "attention": "The only place where tokens exchange anything: each takes a weighted mean of the values of others.",
    "cross-attention": "The decoder's tokens take a weighted mean of what the encoder made of the source.",
    "MLP": "Works on each token alone: every hidden neuron answers to a pattern and writes a vector.",
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

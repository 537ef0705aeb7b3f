"""Picture to sequence: what is said about patches, tokens, positions and filters."""

from dataclasses import replace

from dashboard.references import DOSOVITSKIY, SU, VASWANI
from pages.vision.vision_transformer.words import VISION

# What each stage is called, and what happens there.
STAGES = {
    "pixels": "Pixels",
    "patches": "Patches",
    "flattened": "Flattened",
    "projected": "Projected",
    "embedding_norm": "Normed",
    "prefix": "Joining",
    "positions": "Positions",
    "tokens": "Tokens",
    "token_norm": "Normed",
    "encoded": "Encoded",
    "encoder_norm": "Normed",
    "logits": "Scores",
}
WHAT = {
    "pixels": "the middle of the photograph, {height} × {width}; each colour minus its mean, over its deviation",
    "patches": "cut into {rows} rows and {columns} columns of squares, {high} × {wide} pixels each",
    "flattened": "each patch as one vector: all of red, then green, then blue, row by row",
    "projected": "every vector times the same matrix E{bias}: {numbers} numbers become {channels} channels",
    "embedding_norm": "a norm that belongs to the projection",
    "prefix": "tokens that are no patch, the same for every picture: {prefix}",
    "positions": "one learned vector for each place, added to {who}",
    "tokens": "the sequence that the encoder reads: {joined}",
    "token_norm": "one more norm before the first block",
    "encoded": "after {blocks} blocks of attention and MLP{merged}",
    "encoder_norm": "the last norm, token by token",
    "logits": "the head reads {read}: one score for each class",
}
MERGED = ", in which patches were merged: there are fewer and wider tokens now"
# Titles of the strips, where the name alone would say too little.
VECTORS = {
    "flattened": "Flattened: its pixels",
    "projected": "Projected: times E",
    "projected, after its norm": "Projected, after its norm",
    "position": "Position of this place",
    "token": "Token: projected + position",
    "token, after a norm": "Token, after one more norm",
}
CLICK = "Click a patch to follow it."
PIXELS_HELP = "The picture at the model's own resolution, which is all that it gets."
FLATTENED = "Flattened, it begins with {some} … and has {count} numbers."
ARRAYS = (
    "Each row is a token, each column a channel; the colour of the page is 0. The followed patch is framed. Up to the "
    "projection a row knows nothing of the other rows; in the encoder they look at one another."
)
FILTERS = (
    "E has {count} filters, one for each channel of a token; each multiplies the {numbers} numbers of a patch. Most of "
    "what tells the filters apart lies in a few directions: here are the first {shown} principal components as "
    "pictures, each with its share of the variance. Grey is 0."
)
NO_COLOURS = "This model's pictures do not have three colours, so its filters cannot be shown as pictures."
NO_POSITIONS = (
    "This model adds no position to its tokens: {instead}. So two equal patches begin as equal tokens, wherever they "
    "lie, and there is no map of positions to show."
)
ROTARY_TOO = "Besides adding these vectors, this model turns its queries and keys by their places (rotary)."
CONVOLUTIONAL = (
    "**{title}** is a convolutional network: it slides small filters over the whole picture and never makes a sequence "
    "of it. Choose a vision transformer here. What such a network looks at is to be seen in Explanations, and what it "
    "says without a part of the picture in Change it."
)
FORMULA = (
    "The libraries write the first line as a convolution whose stride is its kernel; the sums are the same, and a test "
    "compares the two. E and b are the same for every patch: the projection does not know where a patch lies."
)
NOTES = replace(
    VISION,
    try_this=(
        "Follow a patch of the background, then one on the edge of something. How do their vectors differ?",
        "Choose more patches on a side. The positions were learned for 8 × 8 places: see them stretched.",
        "Follow a corner patch: which places are as good as its own, for this model?",
        "Type `vit_small_patch14_reg4_dinov2` or `vit_small_patch16_dinov3`: registers in front, and no added "
        "positions in the second.",
    ),
    references=(DOSOVITSKIY, VASWANI, SU),
)

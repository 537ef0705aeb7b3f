"""The glossary of axis names: every shape in the project is written with these words and no others.

Shapes are types, checked while the tests run:

    def mix(weights: Float[Tensor, "query key"], value: Float[Tensor, "key each"]) -> Float[Tensor, "query each"]: ...
"""

AXES = {
    "batch": "one input (a sentence, a picture) among those computed together",
    "layer": "one attention layer of a model, counted from 0 at the input",
    "head": "one attention head of a layer, counted from 0",
    "query": "the token that looks",
    "key": "the token that is looked at; keys and values share this axis",
    "token": "one position of a sequence, where queries and keys are the same tokens",
    "source": "one token of the text that an encoder reads",
    "target": "one token of the text that a decoder writes",
    "width": "the channels of a token between layers (d_model)",
    "width_in": "the channels that go into a linear map",
    "width_out": "the channels that come out of it",
    "each": "the channels of one head (d_k or d_v)",
    "each_value": "the channels of one head's values (d_v), where they may differ from d_k",
    "part": "one of the parts of a model that write into the stream of a token",
    "pair": "two neighbouring channels that turn together (sine and cosine)",
    "vocabulary": "the tokens that a language model can predict",
    "row": "the vertical position in a picture or in a grid of patches",
    "column": "the horizontal position in a picture or in a grid of patches",
    "window": "one window of a grid, within which tokens look at one another (Swin)",
    "position": "one place of a window, row by row",
    "patch": "one patch of a picture, counted row by row",
    "block": "some neighbouring tokens that are computed together",
    "gathered": "the blocks of keys that one block of queries looks at",
    "rank": "one of the rows that all keys are projected to (Linformer)",
    "feature": "one random feature of a query or a key (Performer)",
    "cluster": "queries that share one row of weights",
    "share": "one point of a curve: how much of a picture or a text was taken away or put back",
    "channel": "red, green and blue",
    "class": "the labels that a classifier can predict",
    "draw": "one of several things drawn at random, or tried side by side",
    "word": "one word of a text, of one token or several",
    "tag": "the parts of speech that a word can have",
    "digit": "one digit of a problem with a known answer (sort, add)",
    "answer": "one digit of the answer to it, in the order in which they are written",
    "aim": "one thing that a head may be expected to look at, for one digit of the answer",
    "place": "one place of a text that a model is asked about",
    "places": "any number of axes, all of whose entries are such places",
    "point": "one of many things that were measured or published, in no order",
    "side": "the first sentence of a pair, or the one in which one place was changed",
    "leading": "any number of axes that a function keeps as they are",
}

"""What every head gives from word to word, and the strongest link of each word.

maps = word_maps(model, encode_tree(model, tree), len(tree.words))
strongest(maps.weights)[0, 3]        # the word that word 3 looks at most, in the first head
"""

from dataclasses import dataclass, replace

import torch
from jaxtyping import Float, Int
from torch import Tensor

from ...capture import AttentionCall, record_attention
from ...errors import CaptureError
from ...text import Tokens
from ...tokens.words import join_words, word_spans
from ...zoo import TextModel
from ..masked_words.words import joined

Head = tuple[int, int]  # (number of the attention call, head), both counted from 0
NOTHING = -1  # what a word looks at that may look at no other


@dataclass(frozen=True, eq=False)
class WordMaps:
    """Every head of a model on one text: the weights from word to word, and where in the model the head is.

    A row sums to less than 1 where something goes to special tokens, which are no words. `causal`: no word of any
    head can look at a later one.
    """

    heads: tuple[Head, ...]
    weights: Float[Tensor, "head query key"]
    causal: bool


@torch.inference_mode()
def word_maps(model: TextModel, tokens: Tokens, words: int) -> WordMaps:
    """Run a model on tokens whose `words` are places from 0 to `words` - 1, and join the tokens of each word.

    What goes to a word is the sum over its tokens, what comes from it the mean (Clark et al. 2019, section 4.1). A
    word without a token has a row and a column of zeros. Of an encoder-decoder the encoder is read. CaptureError where
    no layer lets tokens of the whole text look at each other.
    """
    with record_attention(model.network) as record:
        run = model.run(tokens)
    calls: dict[int, AttentionCall] = {}
    for number, call in enumerate(record.calls):
        names = model.sequences_of(call, run)
        if call.kind == "self" and names and run.sequences[names[0]] is tokens:
            calls[number] = call
    if not calls:
        raise CaptureError(f"No layer of {model.title} lets the words of a text look at one another. Choose another.")
    weights = torch.cat([part for call in calls.values() for part in call.weights_by_heads()]).nan_to_num(nan=0.0)
    spans = word_spans(tokens)
    joined = join_words(weights, spans, spans)
    shown = [number for number, span in enumerate(spans) if tokens.words[span.start] is not None]
    places = torch.tensor([tokens.words[spans[number].start] for number in shown])
    between = torch.zeros(len(weights), words, words)
    between[:, places[:, None], places] = joined[:, shown][:, :, shown]
    heads = tuple((number, head) for number, call in calls.items() for head in range(call.heads))
    return WordMaps(heads, between, all(call.causal for call in calls.values()))


def words_of(tokens: Tokens) -> tuple[Tokens, tuple[str, ...]]:
    """The words of a text that nobody has annotated, and its tokens with their places among them."""
    words: list[str] = []
    places: list[int | None] = []
    for span in word_spans(tokens):
        is_word = tokens.words[span.start] is not None
        places += [len(words) if is_word else None] * len(span)
        if is_word:
            words.append(joined("".join(tokens.labels[place] for place in span)).strip())
    return replace(tokens, words=tuple(places)), tuple(words)


def strongest(weights: Float[Tensor, "head query key"]) -> Int[Tensor, "head query"]:
    """The other word to which each word gives most; NOTHING where it gives nothing to any.

    Attention to itself does not count, as in Clark et al. 2019, section 4.2; that to punctuation does.
    """
    others = weights.masked_fill(torch.eye(weights.shape[-1], dtype=torch.bool), 0.0)
    most, word = others.max(dim=-1)
    return word.masked_fill(most <= 0, NOTHING)

"""The attention of every head from word to word, and the strongest link of each word.

maps = word_maps(model, encode_tree(model, tree), len(tree.words))
strongest(maps.weights)[0, 3]        # the word that word 3 attends to most, in the first head
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
NO_WORD = -1  # in place of a word, for a word that attends to no other


@dataclass(frozen=True, eq=False)
class WordMaps:
    """Attention weights from word to word of every head of a model, and the heads' places in the model.

    Attention to special tokens is left out, so rows may sum to less than 1. `causal`: no head can attend to a later
    word.
    """

    heads: tuple[Head, ...]
    weights: Float[Tensor, "head query key"]
    causal: bool


@torch.inference_mode()
def word_maps(model: TextModel, tokens: Tokens, words: int) -> WordMaps:
    """Run a model on tokens whose `words` are numbers from 0 to `words` - 1, and join the tokens of each word.

    Attention to a word is summed over its tokens, attention from it averaged (Clark et al. 2019, section 4.1). A word
    without a token has a row and a column of zeros. Of an encoder-decoder the encoder is read. CaptureError where no
    layer has self-attention over the tokens of the text.
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
    word_numbers = [number for number, span in enumerate(spans) if tokens.words[span.start] is not None]
    places = torch.tensor([tokens.words[spans[number].start] for number in word_numbers])
    between = torch.zeros(len(weights), words, words)
    between[:, places[:, None], places] = joined[:, word_numbers][:, :, word_numbers]
    heads = tuple((number, head) for number, call in calls.items() for head in range(call.heads))
    return WordMaps(heads, between, all(call.causal for call in calls.values()))


def words_of(tokens: Tokens) -> tuple[Tokens, tuple[str, ...]]:
    """The tokens of a text with the numbers of their words, and these words: for a text without annotation."""
    words: list[str] = []
    places: list[int | None] = []
    for span in word_spans(tokens):
        is_word = tokens.words[span.start] is not None
        places += [len(words) if is_word else None] * len(span)
        if is_word:
            words.append(joined("".join(tokens.labels[place] for place in span)).strip())
    return replace(tokens, words=tuple(places)), tuple(words)


def strongest(weights: Float[Tensor, "head query key"]) -> Int[Tensor, "head query"]:
    """The number of the other word that each word attends to most; NO_WORD where it attends to no other.

    Attention to itself does not count, as in Clark et al. 2019, section 4.2; that to punctuation does.
    """
    others = weights.masked_fill(torch.eye(weights.shape[-1], dtype=torch.bool), 0.0)
    most, word = others.max(dim=-1)
    return word.masked_fill(most <= 0, NO_WORD)

"""What is computed for Fill in: guesses, attention at the gaps, pseudo-perplexity, more and more hidden."""

from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Float

from core.capture import by_layer, record_attention
from core.heads.measures import shares
from core.probing.masked_words.masked_places import (
    HidingCurve,
    MaskedToken,
    PseudoLikelihood,
    hiding_curve,
    masked_tokens,
    pseudo_likelihood,
)
from core.probing.masked_words.words import Word, words_of
from core.progress import Progress, no_progress
from core.text import Tokens
from dashboard.cache.memo import cached
from dashboard.cache.upload import Upload
from dashboard.recordings.watched import Text, WatchedText, content_of
from pages.language.missing_word.inputs import LONGEST, masked_model


@dataclass(frozen=True, eq=False)
class Filled:
    """A text with some words hidden, as a model read it: the guesses, and the attention that was paid."""

    words: tuple[Word, ...]
    gaps: tuple[MaskedToken, ...]
    watched: WatchedText


@cached("Reading …")
def read(name: str, text: Text) -> Tokens:
    """The tokens of a text, at most LONGEST of them."""
    model = masked_model(name)
    return replace(model, context=min(model.context, LONGEST)).encode(content_of(text))


@cached("Reading …")
def fill(name: str, text: Text, hidden: tuple[int, ...]) -> Filled:
    """Hide words, counted as `words_of` does, and run the model once."""
    model, tokens = masked_model(name), read(name, text)
    words = words_of(tokens)
    places = [place for number in hidden for place in words[number].places]
    gapped = model.mask_places(tokens, places)
    with torch.inference_mode(), record_attention(model.network) as record:
        run = model.run(gapped)
    assert run.logits is not None
    gaps = masked_tokens(model, tokens, places, run.logits)
    identity = (name, text.identity if isinstance(text, Upload) else text, "hidden", hidden)
    return Filled(words, gaps, WatchedText(model, gapped, run, record, identity=identity))


@cached()
def attends_to(filled_watched: WatchedText, place: int) -> dict[str, Float[np.ndarray, " key"]]:
    """What one token looks at in every head of the layers that connect all tokens, by "layer.head".

    Parts of a row's own sum; heads of which nothing is left are not among them.
    """
    by_head = dict[str, np.ndarray]()
    for layer, call in by_layer(filled_watched.record.calls).items():
        if (call.query_length, call.key_length) == (len(filled_watched.inputs),) * 2:
            rows = shares(torch.cat(list(call.weights_by_heads(queries=[place])))[:, 0])
            by_head |= {f"{layer}.{head}": row.numpy() for head, row in enumerate(rows) if not row.isnan().any()}
    return by_head


@cached("Hiding each token in turn …", unit="tokens")
def pseudo(name: str, text: Text, whole_words: bool, progress: Progress = no_progress) -> PseudoLikelihood:
    """What each token costs where it alone is hidden."""
    return pseudo_likelihood(masked_model(name), read(name, text), whole_words=whole_words, progress=progress)


@cached("Hiding more and more …", unit="questions")
def harder(name: str, text: Text, seed: int, progress: Progress = no_progress) -> HidingCurve:
    """What is still found as more words are hidden."""
    return hiding_curve(masked_model(name), read(name, text), seed=seed, progress=progress)

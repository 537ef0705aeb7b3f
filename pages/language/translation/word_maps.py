"""Maps between words: what a translator looked at, its pieces joined, and how probable each word was."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from core.heads.relevance import join_words, word_spans
from core.text import Tokens
from core.zoo import Aligned
from dashboard import layout
from dashboard.components.alignment_view import Map

MEAN = "mean"
BEST = "aligns best"


@dataclass(frozen=True)
class Words:
    """The words of a text, one entry each: which tokens make it up, and its label with the space before it."""

    spans: tuple[range, ...]
    labels: tuple[str, ...]
    real: tuple[int, ...]  # the places of those that are words, and no end marks

    def quoted(self, place: int) -> str:
        """A word in a sentence of ours."""
        return f"“{layout.plain(layout.readable(self.labels[place]))}”"

    def at(self, token: int) -> int | None:
        """The word to which a token belongs; None beyond the end."""
        return next((place for place, span in enumerate(self.spans) if token in span), None)


@dataclass(frozen=True)
class BestHead:
    """The head of a transformer whose strongest links agree best with those of people, over many sentences."""

    layer: int
    head: int
    shift: int  # 1: its row for a word is that of the next step, which has read the word


def words_of(tokens: Tokens) -> Words:
    """The words of a tokenized text; an end mark stands alone."""
    spans = word_spans(tokens)
    labels = tuple("".join(tokens.labels[span.start : span.stop]) for span in spans)
    real = tuple(place for place, span in enumerate(spans) if tokens.words[span.start] is not None)
    return Words(spans, labels, real)


def head_name(layer: int, head: int) -> str:
    """What a head is called, in a chooser and in the address."""
    return f"layer {layer}, head {head}"


def between(
    weights: Float[Tensor, "*leading target source"], target: Words, source: Words
) -> Float[Tensor, "*leading _ _"]:
    """A map between words: the sum over the pieces that are looked at, the mean over those that look."""
    return join_words(weights, target.spans, source.spans)


def shifted(weights: Float[Tensor, "target source"], shift: int) -> Float[Tensor, "target source"]:
    """Each token's row taken from the next step, which has read it; the last token keeps its own."""
    return torch.cat([weights[shift:], weights[len(weights) - shift :]]) if shift else weights


def named_maps(aligned: Aligned, target: Words, source: Words) -> dict[str, Tensor]:
    """Every map between the words by its name: the only one of a model, or the mean and then each head."""
    heads = {
        head_name(layer, head): between(one, target, source)
        for layer, maps in enumerate(aligned.cross)
        for head, one in enumerate(maps)
    }
    if len(heads) == 1:
        return {aligned.measure: next(iter(heads.values()))}
    return {MEAN: torch.stack(list(heads.values())).mean(dim=0), **heads}


def map_of_head(aligned: Aligned, best: BestHead, target: Words, source: Words) -> Tensor | None:
    """The map from which the best aligning head's links are read; None if this model has no such head."""
    if best.layer >= len(aligned.cross) or best.head >= len(aligned.cross[best.layer]):
        return None
    return between(shifted(aligned.cross[best.layer][best.head], best.shift), target, source)


def as_maps(maps: Mapping[str, Tensor], best: BestHead | None = None) -> tuple[Map, ...]:
    """The same as the alignment view takes them."""
    marked = None if best is None else head_name(best.layer, best.head)
    return tuple(
        Map(name, np.asarray(weights, dtype=np.float32), BEST if name == marked else "")
        for name, weights in maps.items()
    )


def log_probabilities(aligned: Aligned, target: Words) -> tuple[float, ...]:
    """Of each word: the sum over its pieces."""
    return tuple(sum(aligned.log_probabilities[span.start : span.stop]) for span in target.spans)

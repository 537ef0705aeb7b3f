"""What translators looked at, between words or pieces: every head, the means, all as the views take it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from core.text import Tokens
from core.tokens.words import join_words, word_spans
from core.translation.translator_maps import Part
from core.zoo import Aligned
from dashboard import typeset
from dashboard.components.alignment_view import Map
from dashboard.components.attention_view import Layer, Scene, TextSequence
from dashboard.output import export
from pages.language.translation.compute import BestHead, Translated

MEAN = "mean"
BEST = "aligns best"
BEST_SHIFTED = "aligns best, one step later"


@dataclass(frozen=True)
class Words:
    """The words (or pieces) of a text, one entry each: which tokens make it up, and its label with the space before it.

    `real` are the places of those that are no end marks, `visible` of those that maps have rows or columns for.
    """

    spans: tuple[range, ...]
    labels: tuple[str, ...]
    real: tuple[int, ...]
    visible: tuple[int, ...]

    @property
    def visible_labels(self) -> tuple[str, ...]:
        """The labels of those that are shown."""
        return tuple(self.labels[place] for place in self.visible)

    @property
    def wordy(self) -> tuple[int, ...]:
        """The places of those with a letter or a digit; all, where there are none."""
        places = tuple(place for place in self.real if any(letter.isalnum() for letter in self.labels[place]))
        return places or tuple(range(len(self.spans)))

    def sums(self, values: tuple[float, ...]) -> tuple[float, ...]:
        """One value for each that is shown: the sum over its tokens."""
        return tuple(sum(values[self.spans[place].start : self.spans[place].stop]) for place in self.visible)

    def numbered(self, place: int) -> str:
        """A word for a list; where the text has it several times, with its number among them: "le (2 of 3)"."""
        name = typeset.readable(self.labels[place])
        same = [other for other, label in enumerate(self.labels) if typeset.readable(label) == name]
        return name if len(same) == 1 else f"{name} ({same.index(place) + 1} of {len(same)})"

    def quoted(self, place: int) -> str:
        """A word in a sentence of ours."""
        return quoted(self.labels[place])

    def at(self, token: int) -> int | None:
        """The word to which a token belongs; None beyond the end."""
        return next((place for place, span in enumerate(self.spans) if token in span), None)


def quoted(label: str) -> str:
    """A word or token in a sentence of ours."""
    return f"“{typeset.plain(typeset.readable(label))}”"


def words_of(tokens: Tokens, *, joined: bool = True, marks: bool = True) -> Words:
    """The words of a text (`joined`) or its pieces; an end mark stands alone.

    Without `marks` those are not shown that hold no letter and no digit; where nothing would be left, all are.
    """
    spans = word_spans(tokens) if joined else tuple(range(place, place + 1) for place in range(len(tokens)))
    labels = tuple("".join(tokens.labels[span.start : span.stop]) for span in spans)
    real = tuple(place for place, span in enumerate(spans) if tokens.words[span.start] is not None)
    every = Words(spans, labels, real, tuple(range(len(spans))))
    return every if marks else Words(spans, labels, real, every.wordy)


def between(
    weights: Float[Tensor, "*leading target source"], target: Words, source: Words
) -> Float[Tensor, "*leading _ _"]:
    """A map between words: the sum over the pieces that are looked at, the mean over those that look."""
    word_weights = join_words(weights, target.spans, source.spans)
    return word_weights[..., torch.tensor(target.visible), :][..., torch.tensor(source.visible)]


def maps_of(aligned: Aligned, target: Words, source: Words, best: BestHead | None = None) -> tuple[Map, ...]:
    """Every map: the only one of a model; or the mean over all heads, and for each layer its mean and its heads.

    The map of the head that aligns best has for each word the row from which its links are read.
    """
    joined = [between(heads, target, source) for heads in aligned.cross]
    if len(joined) == 1 and len(joined[0]) == 1:
        return (Map(aligned.measure, _array(joined[0][0])),)
    maps = [Map(MEAN, _array(torch.cat(joined).mean(dim=0)), "of all layers and heads")]
    for layer, heads in enumerate(joined):
        maps.append(Map(f"layer {layer}, {MEAN}", _array(heads.mean(dim=0))))
        for head, weights in enumerate(heads):
            note = ""
            if best and (layer, head) == (best.layer, best.head):
                weights = between(shifted(aligned.cross[layer][head], best.shift), target, source)
                note = BEST_SHIFTED if best.shift else BEST
            maps.append(Map(head_name(layer, head), _array(weights), note))
    return tuple(maps)


def of_panel(aligned: Aligned, target: Words, source: Words, best: BestHead | None = None) -> dict[str, Any]:
    """What a `Panel` shows of what one model wrote, and where it looked."""
    return {
        "target": target.visible_labels,
        "maps": maps_of(aligned, target, source, best),
        "log_probabilities": target.sums(aligned.log_probabilities),
        "verb": "depends on" if aligned.measure == "influence" else "looks at",
    }


def shifted(weights: Float[Tensor, "target source"], shift: int) -> Float[Tensor, "target source"]:
    """Each token's row taken from the next step, which has read it; the last token keeps its own."""
    return torch.cat([weights[shift:], weights[len(weights) - shift :]]) if shift else weights


def best_of(maps: tuple[Map, ...]) -> int | None:
    """The place of the map of the head that aligns best, if it is among them."""
    return next((place for place, attention_map in enumerate(maps) if attention_map.note.startswith(BEST)), None)


def head_name(layer: int, head: int) -> str:
    """What a head is called, in a chooser and in the address."""
    return f"layer {layer}, head {head}"


def strongest_places(weights: np.ndarray, rows: tuple[int, ...], columns: tuple[int, ...]) -> list[tuple[int, int]]:
    """(target word, the source word it looks at most), in order; without those that look most at another column."""
    strongest = [(row, int(np.nanargmax(weights[row]))) for row in rows]
    return [(row, place) for row, place in strongest if place in columns]


def longest_backwards(places: list[int]) -> range:
    """The longest run of neighbours in which each place is smaller than the one before it; the first of equals."""
    best, start = range(min(1, len(places))), 0
    for end in range(1, len(places) + 1):
        if end == len(places) or places[end] >= places[end - 1]:
            best = max(best, range(start, end), key=len)
            start = end
    return best


def self_attention(translated: Translated, part: Part, *, joined: bool) -> Scene:
    """The encoder's attention among the source words, or the decoder's among those read before each is written."""
    query = words_of(translated.source if part == "encoder" else translated.target, joined=joined)
    key = query if part == "encoder" else read_before(query, translated.begin)
    layers = tuple(
        _layer(str(number), heads, query, key, causal=part == "decoder")
        for number, heads in enumerate(translated.aligned.maps[part])
    )
    sequences = {"query": _sequence(query), "key": _sequence(key)}
    return Scene(sequences, layers, title=f"{translated.model.title}, {part}")


def read_before(words: Words, begin: str) -> Words:
    """What the decoder reads: the beginning, then all tokens but the last; a word may lack its last piece."""
    spans = [range(1), *(range(span.start + 1, span.stop + 1) for span in words.spans[:-1])]
    labels = [begin, *words.labels[:-1]]
    real = tuple(place + 1 for place in words.real if place + 1 < len(words.spans))
    last = words.spans[-1]
    if len(last) > 1:
        spans.append(range(last.start + 1, last.stop))
        labels.append(words.labels[-1])
        real = tuple(place + 1 for place in words.real)
    return Words(tuple(spans), tuple(labels), real, tuple(range(len(spans))))


def _sequence(words: Words) -> TextSequence:
    return TextSequence(words.labels, tuple(place not in words.real for place in range(len(words.spans))))


def _layer(label: str, heads: Tensor, query: Words, key: Words, *, causal: bool) -> Layer:
    mask = np.ones(tuple(heads.shape[1:]), dtype=bool)
    mask = np.tril(mask) if causal else mask
    allowed = np.array([[mask[q.start : q.stop, k.start : k.stop].any() for k in key.spans] for q in query.spans])
    return Layer(
        label=label,
        query="query",
        key="key",
        heads=len(heads),
        weights=lambda head: _array(between(heads[head], query, key)),
        kind="self",
        allowed=lambda: allowed,
    )


def arrays(translations: Mapping[str, Translated]) -> bytes:
    """The bytes of an NPZ file: every map between tokens, (head, query, key), the labels and the log-probabilities."""
    return export.npz(dict(_arrays(translations)))


def _arrays(translations: Mapping[str, Translated]) -> Iterator[tuple[str, np.ndarray]]:
    for name, translated in translations.items():
        for part, layers in translated.aligned.maps.items():
            for layer, heads in enumerate(layers):
                yield f"{name}_{part}_{layer}", _array(heads)
        yield f"{name}_source", np.array(translated.source.labels)
        yield f"{name}_target", np.array(translated.target.labels)
        yield f"{name}_log_probabilities", np.array(translated.aligned.log_probabilities, dtype=np.float32)


def _array(weights: Tensor) -> np.ndarray:
    return weights.detach().float().numpy()

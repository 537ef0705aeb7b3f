"""What three translators looked at, as the views take it: words or pieces, every head, the means, all to take away."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from core.text import Tokens
from core.translation.translator_maps import Part
from core.zoo import Aligned
from dashboard import export
from dashboard.components.alignment_view import AlignmentScene, Map, Panel
from dashboard.components.attention_view import Layer, Scene, TextSequence
from pages.language.translation import words_translate as said
from pages.language.translation.compute import Translated
from pages.language.translation.models import HUE, TITLES
from pages.language.translation.word_maps import BEST, MEAN, BestHead, Words, between, head_name, shifted, words_of

BEGIN_LABEL = "<s>"  # what the decoder has read before its first word


@dataclass(frozen=True)
class Units:
    """The rows or columns of a map: words or pieces, and the places of those that are shown."""

    words: Words
    places: tuple[int, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """Of those that are shown."""
        return tuple(self.words.labels[place] for place in self.places)

    def sums(self, values: tuple[float, ...]) -> tuple[float, ...]:
        """One value for each that is shown: the sum over its pieces."""
        spans = self.words.spans
        return tuple(sum(values[spans[place].start : spans[place].stop]) for place in self.places)


def units_of(tokens: Tokens, *, joined: bool, marks: bool) -> Units:
    """Words (`joined`) or pieces; without `marks` those that hold no letter and no digit are left out.

    Where nothing would be left, all are shown.
    """
    words = words_of(tokens) if joined else pieces_of(tokens)
    wordy = tuple(place for place in words.real if any(letter.isalnum() for letter in words.labels[place]))
    return Units(words, tuple(range(len(words.spans))) if marks or not wordy else wordy)


def pieces_of(tokens: Tokens) -> Words:
    """Each token on its own."""
    spans = tuple(range(place, place + 1) for place in range(len(tokens)))
    return Words(spans, tokens.labels, tuple(place for place in range(len(tokens)) if tokens.words[place] is not None))


def map_between(weights: Tensor, target: Units, source: Units) -> Tensor:
    """A map (..., target, source) between tokens, as one between what is shown."""
    whole = between(weights, target.words, source.words)
    return whole[..., torch.tensor(target.places), :][..., torch.tensor(source.places)]


def maps_of(aligned: Aligned, target: Units, source: Units, best: BestHead | None = None) -> tuple[Map, ...]:
    """Every map: the only one of a model; or the mean over all heads, and for each layer its mean and its heads."""
    if len(aligned.cross) == 1 and len(aligned.cross[0]) == 1:
        return (Map(aligned.measure, _array(map_between(aligned.cross[0][0], target, source))),)
    maps = [Map(MEAN, _array(map_between(_mean(aligned), target, source)), "of all layers and heads")]
    for layer, heads in enumerate(aligned.cross):
        maps.append(Map(f"layer {layer}, {MEAN}", _array(map_between(heads.mean(dim=0), target, source))))
        for head, weights in enumerate(heads):
            isbest = best is not None and (layer, head) == (best.layer, best.head)
            own = shifted(weights, best.shift) if best is not None and isbest else weights
            note = "" if best is None or not isbest else said.BEST_SHIFTED if best.shift else BEST
            maps.append(Map(head_name(layer, head), _array(map_between(own, target, source)), note))
    return tuple(maps)


def alignment(
    translations: Mapping[str, Translated], *, joined: bool, marks: bool, best: BestHead | None
) -> AlignmentScene:
    """The three models side by side. The transformer begins with the head that aligns best, where that is known."""
    first = next(iter(translations.values()))
    source = units_of(first.source, joined=joined, marks=marks)
    panels = []
    for name, translated in translations.items():
        target = units_of(translated.target, joined=joined, marks=marks)
        maps = maps_of(translated.aligned, target, source, best if name == "transformer" else None)
        panels.append(
            Panel(
                key=name,
                title=TITLES[name],
                about=said.ABOUT_MAP[name],
                target=target.labels,
                maps=maps,
                start=next((place for place, each in enumerate(maps) if each.note.startswith(BEST)), 0),
                log_probabilities=target.sums(translated.aligned.log_probabilities),
                hue=HUE[name],
                verb="depends on" if translated.aligned.measure == "influence" else "looks at",
            )
        )
    return AlignmentScene(source.labels, tuple(panels), source_name=said.SOURCE)


def self_attention(translated: Translated, part: Part, *, joined: bool) -> Scene:
    """The encoder's attention among the source words, or the decoder's among those read before each is written."""
    tokens = translated.source if part == "encoder" else translated.target
    words = words_of(tokens) if joined else pieces_of(tokens)
    special = tuple(place not in words.real for place in range(len(words.spans)))
    query, key = TextSequence(words.labels, special), TextSequence(words.labels, special)
    keys = words
    if part == "decoder":
        keys = _read_before(words)
        key = TextSequence(keys.labels, (True, *special)[: len(keys.labels)])
    layers = tuple(
        _layer(str(number), heads, words, keys, causal=part == "decoder")
        for number, heads in enumerate(translated.aligned.maps[part])
    )
    return Scene({"query": query, "key": key}, layers, title=f"{translated.model.title}, {part}")


def _read_before(words: Words) -> Words:
    """What the decoder reads: the beginning, then all tokens but the last; a word may lack its last piece."""
    last = words.spans[-1]
    moved = [range(span.start + 1, span.stop + 1) for span in words.spans[:-1]]
    labels = [BEGIN_LABEL, *words.labels[:-1]]
    if len(last) > 1:
        moved.append(range(last.start + 1, last.stop))
        labels.append(words.labels[-1])
    return Words((range(1), *moved), tuple(labels), tuple(range(1, len(labels))))


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


def _mean(aligned: Aligned) -> Tensor:
    return torch.cat(list(aligned.cross)).mean(dim=0)


def _array(weights: Tensor) -> np.ndarray:
    return weights.detach().float().numpy()

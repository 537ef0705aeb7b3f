"""A sentence planted in a long text: whether the model copies it at the end, and which heads look at it.

"Needle in a haystack" for models that only continue texts: the first words of the sentence, the cue, stand again at the
end, and what is measured is the cost of its other words, the answer, in bits. Heads are scored as by Wu et al. 2024,
"Retrieval Head Mechanistically Explains Long-Context Factuality" (https://arxiv.org/abs/2404.15574), section 2: how
often the token with the largest weight is the token of the needle that comes next. There the model writes the answer;
here it is teacher-forced, so that the score is defined for a model that would write something else.

    needle = make_needle(model, "The password of the lighthouse is silver pelican.", cue_words=6)
    probe = probe_needle(model, text, needle, length=2048, depths=(0.0, 0.5, 1.0))
    probe.retrievals[1].scores              # (layer, head)
    ablate(model, probe.retrievals[1], 3)   # the answer without the three best heads, and without three others
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from ..errors import ModelError
from ..heads.ablation import Head
from ..heads.repetition import draw_heads
from ..progress import Progress, no_progress
from ..zoo.text_models import TextModel
from .planting import Needle, Planted, haystack, make_needle, plant
from .reading import LongReading, StoredLayer, read

__all__ = ["Ablation", "Needle", "Planted", "Probe", "Retrieval", "ablate", "make_needle", "probe_grid", "probe_needle"]

DRAWS = 8  # random choices of heads that are silenced for comparison
NEARBY = 256  # tokens before the prompt whose loss says what silenced heads cost the text itself


@dataclass(frozen=True, eq=False)
class HeadScores:
    """What heads do with a needle, each of shape (layer, head); NaN where a layer has fewer heads than another.

    `shares`: the attention that the tokens of prompt and answer give to the needle, on average. `copies`: the weight
    that the token before an answer's token gives to the same token in the needle, on average. `scores`: the retrieval
    score, the share of the answer's tokens for which that one has a larger weight than every other token of the text.
    """

    shares: Float[Tensor, "layer head"]
    copies: Float[Tensor, "layer head"]
    scores: Float[Tensor, "layer head"]


@dataclass(frozen=True, eq=False)
class Retrieval:
    """A needle at one depth of a text of one length.

    `elsewhere` are the shares of attention that the same place gets where the text goes on instead of the needle;
    `even_share` and `even_score` are the share and the score of attention that is spread evenly. `bits` has the cost of
    each token of the answer, `text_bits` that of a token of the text before the prompt.
    """

    depth: float
    planted: Planted
    heads: HeadScores
    elsewhere: Float[Tensor, "layer head"]
    even_share: float
    even_score: float
    bits: Float[Tensor, " answer"]
    text_bits: float

    @property
    def ranked(self) -> tuple[Head, ...]:
        """All heads, by retrieval score, and by the weight on the token to be copied where scores are equal."""
        known = [tuple(place) for place in (~self.heads.scores.isnan()).nonzero().tolist()]
        return tuple(sorted(known, key=lambda head: (-float(self.heads.scores[head]), -float(self.heads.copies[head]))))


@dataclass(frozen=True, eq=False)
class Probe:
    """A needle at several depths of a text of one length, and the cost of the same answer without it."""

    length: int
    bits_without: Float[Tensor, " answer"]
    retrievals: tuple[Retrieval, ...]

    def gains(self, number: int = 0) -> Float[Tensor, " answer"]:
        """The bits that the needle saves, for each token of the answer."""
        return self.bits_without - self.retrievals[number].bits


@dataclass(frozen=True, eq=False)
class Ablation:
    """The bits of the answer, and of a token of the text before the prompt, with heads silenced in all tokens.

    `best` are the heads with the highest scores, `draws` as many others, several times at random.
    """

    best: tuple[Head, ...]
    bits: float
    text_bits: float
    draws: tuple[tuple[Head, ...], ...]
    random_bits: Float[Tensor, " draw"]
    random_text_bits: Float[Tensor, " draw"]


def probe_needle(
    model: TextModel,
    text: str,
    needle: Needle,
    length: int,
    depths: Sequence[float],
    progress: Progress = no_progress,
) -> Probe:
    """Read a text with a needle at each depth (a share from 0 to 1), and once without it; all have `length` tokens.

    `progress` counts tokens, once for each layer. Raises InputError where the text is too short, ModelError where the
    model predicts no next token or cannot read so much.
    """
    ids = haystack(model, text, length)
    texts = [plant(model, ids, needle, length, depth) for depth in depths]
    readings = len(texts) + 1
    without = plant(model, ids, needle, length, None)
    control = _read(model, without, _part(progress, 0, readings))
    bits_without = _bits(control, without)
    elsewhere = [_shares(control.layers, without, planted.needle) for planted in texts]
    control.layers.clear()
    retrievals = []
    for number, (depth, planted) in enumerate(zip(depths, texts, strict=True)):
        reading = _read(model, planted, _part(progress, number + 1, readings))
        retrievals.append(
            Retrieval(
                depth=depth,
                planted=planted,
                heads=score_heads(reading.layers, planted),
                elsewhere=elsewhere[number],
                even_share=_even(planted.rows, len(planted.needle)),
                even_score=_even_score(planted),
                bits=_bits(reading, planted),
                text_bits=_text_bits(reading, planted),
            )
        )
    return Probe(length, bits_without, tuple(retrievals))


def probe_grid(
    model: TextModel,
    text: str,
    needle: Needle,
    lengths: Sequence[int],
    depths: Sequence[float],
    progress: Progress = no_progress,
) -> tuple[Probe, ...]:
    """`probe_needle` for several lengths; `progress` counts the tokens of all readings."""
    total, done, probes = sum(lengths), 0, []
    for length in lengths:

        def report(part: int, parts: int, *, before: int = done, share: int = length) -> None:
            progress((before * parts + share * part) * (len(depths) + 1) // parts, total * (len(depths) + 1))

        probes.append(probe_needle(model, text, needle, length, depths, report))
        done += length
    return tuple(probes)


def ablate(
    model: TextModel,
    retrieval: Retrieval,
    count: int,
    *,
    draws: int = DRAWS,
    seed: int = 0,
    progress: Progress = no_progress,
) -> Ablation:
    """The same reading without the `count` best heads, and without as many of the others, drawn `draws` times.

    Raises InputError where fewer than `count` others are left.
    """
    ranked = retrieval.ranked
    choices = (ranked[:count], *draw_heads(ranked[count:], count, times=draws, seed=seed))
    bits, text_bits = [], []
    for number, heads in enumerate(choices):
        reading = _read(model, retrieval.planted, _part(progress, number, len(choices)), silenced=heads)
        bits.append(float(_bits(reading, retrieval.planted).sum()))
        text_bits.append(_text_bits(reading, retrieval.planted))
    return Ablation(choices[0], bits[0], text_bits[0], choices[1:], torch.tensor(bits[1:]), torch.tensor(text_bits[1:]))


def score_heads(layers: Sequence[StoredLayer], planted: Planted) -> HeadScores:
    """What each head does with a needle in a reading of the text."""
    ids = torch.tensor(planted.tokens.ids)
    before = torch.tensor(planted.answer) - 1
    place = slice(planted.needle.start, planted.needle.stop)
    is_copy = ids[place] == ids[planted.answer.start : planted.answer.stop, None]  # (answer, needle)
    copies, scores = [], []
    for layer in layers:
        of_layer = []
        for head in range(layer.place.heads):
            weights = layer.head(head).weights(before, slice(None))
            on_copies = weights[:, place] * is_copy
            weights[:, place] -= on_copies  # what is left are the weights of all other tokens
            of_layer.append((on_copies.sum(1).mean(), (on_copies.amax(1) > weights.amax(1)).float().mean()))
        copies.append(torch.stack([copy for copy, _ in of_layer]))
        scores.append(torch.stack([score for _, score in of_layer]))
    return HeadScores(_shares(layers, planted, planted.needle), _padded(copies), _padded(scores))


def _shares(layers: Sequence[StoredLayer], planted: Planted, place: range) -> Float[Tensor, "layer head"]:
    """The attention of prompt and answer to some tokens."""
    rows, columns = slice(planted.rows.start, planted.rows.stop), slice(place.start, place.stop)
    return _padded(
        [
            torch.stack([layer.head(head).weights(rows, columns).sum(1).mean() for head in range(layer.place.heads)])
            for layer in layers
        ]
    )


def _even(rows: Sequence[int], keys: int) -> float:
    """The mean share that `keys` earlier tokens get where each row spreads its attention evenly."""
    return sum(keys / (row + 1) for row in rows) / len(rows)


def _even_score(planted: Planted) -> float:
    """The score of a head whose largest weight lies on any token that it may look at, each as probable."""
    ids = planted.tokens.ids
    needle = [ids[position] for position in planted.needle]
    return sum(needle.count(ids[position]) / position for position in planted.answer) / len(planted.answer)


def _padded(layers: Sequence[Float[Tensor, " _"]]) -> Float[Tensor, "layer head"]:
    return torch.nn.utils.rnn.pad_sequence(list(layers), batch_first=True, padding_value=torch.nan)


def _read(model: TextModel, planted: Planted, progress: Progress, *, silenced: Collection[Head] = ()) -> LongReading:
    if not model.is_causal:
        raise ModelError(
            f"{model.title} does not predict the next token, so no answer can be measured: choose a language model "
            "that continues texts."
        )
    reading = LongReading(planted.tokens)
    read(model, reading, progress, silenced=silenced)
    if reading.losses is None:
        raise ModelError(f"{model.title} has no output layer whose predictions could be read for so long a text.")
    return reading


def _bits(reading: LongReading, planted: Planted) -> Float[Tensor, " answer"]:
    assert reading.losses is not None
    return reading.losses[planted.answer.start - 1 : planted.answer.stop - 1]


def _text_bits(reading: LongReading, planted: Planted) -> float:
    """The mean cost of the last NEARBY tokens before the prompt, without those of the needle."""
    assert reading.losses is not None
    positions = range(max(1, planted.prompt.start - NEARBY), planted.prompt.start)
    losses = [float(reading.losses[position - 1]) for position in positions if position not in planted.needle]
    return sum(losses) / len(losses) if losses else float("nan")


def _part(progress: Progress, number: int, parts: int) -> Progress:
    """The progress of one of several readings of equal length."""
    return lambda done, total: progress(number * total + done, parts * total)

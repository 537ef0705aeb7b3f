"""Masked tokens of one text: the guesses, the text's pseudo-likelihood, and the guesses as more words are masked."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import exp

import torch
from jaxtyping import Float
from torch import Tensor

from ...errors import InputError
from ...progress import Progress, no_progress
from ...text import Tokens
from ...zoo.masked_language_models import MaskedLanguageModel
from .queries import Answers, ask
from .words import Word, words_of

POINTS = 6  # of the curve
PROBES = 16  # words whose places are asked about at each of them


@dataclass(frozen=True, eq=False)
class MaskedToken:
    """A masked place of a text with the model's probabilities of all tokens there.

    `true` is the number of the token that was masked; None where the text itself contained the mask.
    """

    place: int
    true: int | None
    probabilities: Float[Tensor, " vocabulary"]

    @property
    def probability(self) -> float:
        """The probability of the true token; NaN where it is not known."""
        return float("nan") if self.true is None else float(self.probabilities[self.true])

    @property
    def rank(self) -> int | None:
        """The rank of the true token among all tokens, 1 for the most probable; None where it is not known."""
        return None if self.true is None else 1 + int((self.probabilities > self.probabilities[self.true]).sum())


def masked_tokens(
    model: MaskedLanguageModel, tokens: Tokens, places: Collection[int], logits: Tensor
) -> tuple[MaskedToken, ...]:
    """The masked places in reading order: `places`, and those where the text itself contains the mask.

    `tokens` are those of the text before anything was masked, `logits` (token, vocabulary) the model's output for the
    text with these places masked.
    """
    own = {place for place, number in enumerate(tokens.ids) if number == model.mask}
    return tuple(
        MaskedToken(place, None if place in own else tokens.ids[place], logits[place].float().softmax(dim=-1))
        for place in sorted({*places, *own})
    )


@dataclass(frozen=True, eq=False)
class PseudoLikelihood:
    """-log p of each token where it alone is masked (Salazar et al. 2020, "Masked Language Model Scoring").

    `words` are those of the text; `nats` is -log p of each token, in nats.
    """

    words: tuple[Word, ...]
    nats: Float[Tensor, " token"]  # NaN for special tokens

    @property
    def tokens(self) -> int:
        """The number of tokens that are not special."""
        return int(self.nats.isfinite().sum())

    @property
    def total(self) -> float:
        """-PLL in nats: the sum over all tokens (equation 1, with the sign turned)."""
        return float(self.nats.nansum())

    @property
    def perplexity(self) -> float:
        """exp(-PLL / tokens), the pseudo-perplexity of one text (equation 2)."""
        return exp(min(self.total / max(self.tokens, 1), 700.0))

    @property
    def by_word(self) -> Float[Tensor, " place"]:
        """-log p of each word in nats: the sum over its tokens. Line breaks, which are no words, are left out."""
        return torch.tensor([float(self.nats[list(word.places)].sum()) for word in self.words])


def pseudo_likelihood(
    model: MaskedLanguageModel, tokens: Tokens, *, whole_words: bool = False, progress: Progress = no_progress
) -> PseudoLikelihood:
    """Mask each token in turn and compute its -log p, many at a time.

    With `whole_words` the later tokens of the same word are masked too, so that no word helps to guess itself (Kauf and
    Ivanova 2023, "PLL-word-l2r").
    """
    places = [place for place, special in enumerate(tokens.special) if not special]
    words = words_of(tokens)
    later_places = {place: word.places[word.places.index(place) :] for word in words for place in word.places}
    texts = torch.tensor(tokens.ids).repeat(len(places), 1)
    for row, place in enumerate(places):
        texts[row, list(later_places.get(place, (place,))) if whole_words else place] = model.mask
    truths = torch.tensor([tokens.ids[place] for place in places])
    answers = ask(model, texts, torch.tensor(places), truths, progress)
    nats = torch.full((len(tokens),), torch.nan)
    nats[places] = -answers.log_probability
    return PseudoLikelihood(words, nats)


@dataclass(frozen=True, eq=False)
class HidingCurve:
    """Guesses for the same words with more and more of the other words masked."""

    words: int  # of the text
    hidden: tuple[int, ...]  # at each point the number of masked words, the one that is guessed among them
    answers: tuple[Answers, ...]  # at each point


def hiding_curve(
    model: MaskedLanguageModel, tokens: Tokens, *, seed: int, progress: Progress = no_progress
) -> HidingCurve:
    """Guess the first token of up to PROBES words, each of them masked together with more and more other words.

    The order of the other words is drawn with `seed`, once for each probed word: what is masked at one point is masked
    at all later ones too. InputError for a text of one word.
    """
    words = words_of(tokens)
    if len(words) < 2:
        raise InputError("More words can only be hidden where there are at least 2. Write a few words more.")
    generator = torch.Generator().manual_seed(seed)
    probes = sorted(torch.randperm(len(words), generator=generator)[:PROBES].tolist())
    orders = {probe: _others(len(words), probe, generator) for probe in probes}
    counts = sorted({round(count) for count in torch.linspace(1, len(words), POINTS).tolist()})
    texts = torch.tensor(tokens.ids).repeat(len(counts) * len(probes), 1)
    rows = iter(range(len(texts)))
    for count in counts:
        for probe in probes:
            hidden = [words[other] for other in (probe, *orders[probe][: count - 1])]
            texts[next(rows), [place for word in hidden for place in word.places]] = model.mask
    places = torch.tensor([words[probe].places[0] for probe in probes])
    truths = torch.tensor(tokens.ids)[places]
    answers = ask(model, texts, places.repeat(len(counts)), truths.repeat(len(counts)), progress)
    return HidingCurve(len(words), tuple(counts), tuple(_parts(answers, len(probes))))


def _others(count: int, probe: int, generator: torch.Generator) -> list[int]:
    return [other for other in torch.randperm(count, generator=generator).tolist() if other != probe]


def _parts(answers: Answers, size: int) -> Sequence[Answers]:
    pieces = zip(*(part.split(size) for part in (answers.log_probability, answers.rank, answers.best)), strict=True)
    return [Answers(*piece) for piece in pieces]

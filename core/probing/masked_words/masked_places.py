"""Hidden places of one text: the guesses, what the whole text is worth, and what is left as more is hidden."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import exp

import torch
from jaxtyping import Float
from torch import Tensor

from ...errors import InputError
from ...progress import Progress, no_progress
from ...text import Tokens
from ...zoo.masked_language_models import MissingToken
from .queries import Answers, ask
from .words import Word, words_of

POINTS = 6  # of the curve
PROBES = 16  # words whose places are asked about at each of them


@dataclass(frozen=True, eq=False)
class Gap:
    """A hidden place, how probable the model says each token is there, and which token was hidden.

    `true` is None where the visitor wrote the mask himself.
    """

    place: int
    true: int | None
    probabilities: Float[Tensor, " vocabulary"]

    @property
    def probability(self) -> float:
        """Of what was hidden; NaN where nobody knows it."""
        return float("nan") if self.true is None else float(self.probabilities[self.true])

    @property
    def rank(self) -> int | None:
        """Of what was hidden among all tokens; 1: the first guess is right."""
        return None if self.true is None else 1 + int((self.probabilities > self.probabilities[self.true]).sum())


def gaps_of(model: MissingToken, tokens: Tokens, places: Collection[int], logits: Tensor) -> tuple[Gap, ...]:
    """The hidden places in reading order: `places`, and where the visitor wrote the mask himself.

    `tokens` are those of the text before anything was hidden, `logits` (token, vocabulary) what the model said to the
    text with these places hidden.
    """
    own = {place for place, number in enumerate(tokens.ids) if number == model.mask}
    return tuple(
        Gap(place, None if place in own else tokens.ids[place], logits[place].float().softmax(dim=-1))
        for place in sorted({*places, *own})
    )


@dataclass(frozen=True, eq=False)
class PseudoLikelihood:
    """How probable each token is where it alone is hidden (Salazar et al. 2020, "Masked Language Model Scoring").

    `words`, one entry for each, are those of the text; `nats` is what each token costs: -log p.
    """

    words: tuple[Word, ...]
    nats: Float[Tensor, " token"]  # NaN for special tokens

    @property
    def tokens(self) -> int:
        """How many tokens count."""
        return int(self.nats.isfinite().sum())

    @property
    def total(self) -> float:
        """-PLL in nats: what all tokens cost together (equation 1, with the sign turned)."""
        return float(self.nats.nansum())

    @property
    def perplexity(self) -> float:
        """exp(-PLL / tokens), the pseudo-perplexity of one text (equation 2)."""
        return exp(min(self.total / max(self.tokens, 1), 700.0))

    @property
    def by_word(self) -> Float[Tensor, " place"]:
        """What each word costs: the sum over its tokens. Line breaks, which are no words, are left out."""
        return torch.tensor([float(self.nats[list(word.places)].sum()) for word in self.words])


def pseudo_likelihood(
    model: MissingToken, tokens: Tokens, *, whole_words: bool = False, progress: Progress = no_progress
) -> PseudoLikelihood:
    """Hide each token in turn and ask for it, many at a time.

    With `whole_words` the later tokens of the same word are hidden too, so that no word helps to guess itself (Kauf and
    Ivanova 2023, "PLL-word-l2r").
    """
    places = [place for place, special in enumerate(tokens.special) if not special]
    words = words_of(tokens)
    rest = {place: word.places[word.places.index(place) :] for word in words for place in word.places}
    texts = torch.tensor(tokens.ids).repeat(len(places), 1)
    for row, place in enumerate(places):
        texts[row, list(rest.get(place, (place,))) if whole_words else place] = model.mask
    truths = torch.tensor([tokens.ids[place] for place in places])
    answers = ask(model, texts, torch.tensor(places), truths, progress)
    nats = torch.full((len(tokens),), torch.nan)
    nats[places] = -answers.log_probability
    return PseudoLikelihood(words, nats)


@dataclass(frozen=True, eq=False)
class HiddenMore:
    """The same words asked about with more and more of the others hidden: how many were hidden, and the answers."""

    words: int  # of the text
    hidden: tuple[int, ...]  # words that are hidden at once, the one that is asked about among them
    answers: tuple[Answers, ...]


def hide_more(model: MissingToken, tokens: Tokens, *, seed: int, progress: Progress = no_progress) -> HiddenMore:
    """Ask for the first token of up to PROBES words, each of them hidden with some others, drawn with `seed`.

    Each word keeps its order of the others: what is hidden at one point is hidden at all later ones too, so the points
    differ in nothing but how much is left to read. InputError for a text of one word.
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
    found = ask(model, texts, places.repeat(len(counts)), truths.repeat(len(counts)), progress)
    return HiddenMore(len(words), tuple(counts), tuple(_parts(found, len(probes))))


def _others(count: int, probe: int, generator: torch.Generator) -> list[int]:
    return [other for other in torch.randperm(count, generator=generator).tolist() if other != probe]


def _parts(answers: Answers, each: int) -> Sequence[Answers]:
    pieces = zip(*(part.split(each) for part in (answers.log_probability, answers.rank, answers.best)), strict=True)
    return [Answers(*piece) for piece in pieces]

"""Writing a translation, one token after the other: beam search, and the tree of what was considered on the way.

    score(y) = log p(y) / ((5 + |y|) / 6)^penalty         (Wu et al. 2016, equation 14, without coverage)

A beam of 1 is greedy decoding.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

PAD, BEGIN, END, UNKNOWN = range(4)  # the first tokens of every vocabulary that training/common/pairs.py makes
PENALTY = 0.6  # the exponent of the length penalty, unless another is asked for

State = dict[str, Tensor]


@runtime_checkable  # so that the tests can check it where it is an argument
class StepDecoder(Protocol):
    """A model that can write: it reads sources once, then takes one token at a time."""

    def read(self, source: Int[Tensor, "batch source"], padding: Bool[Tensor, "batch source"] | None) -> State:
        """The state in which writing begins; `padding` is True where a source has no token."""
        ...

    def step(self, token: Int[Tensor, " batch"], state: State) -> tuple[Float[Tensor, "batch vocabulary"], State]:
        """The logits after one more token of each target, and the state in which the next step begins."""
        ...


@dataclass(frozen=True)
class Hypothesis:
    """What may be the translation: its tokens (the end included, if it was reached) and how probable each is."""

    tokens: tuple[int, ...] = ()
    log_probabilities: tuple[float, ...] = ()
    ended: bool = False

    @property
    def log_probability(self) -> float:
        """Of the whole: the sum over its tokens."""
        return sum(self.log_probabilities)

    def score(self, penalty: float) -> float:
        """The log-probability, made fair to longer translations."""
        return self.log_probability / length_penalty(len(self.tokens), penalty)

    def extended(self, token: int, log_probability: float) -> "Hypothesis":
        """With one token more."""
        return Hypothesis((*self.tokens, token), (*self.log_probabilities, log_probability), token == END)


@dataclass(frozen=True)
class Candidate:
    """A way to go on that was considered in a step.

    `parent` is the place, among the candidates of the step before, of the one that it continues (None in the first
    step); `kept`: it stays in the beam, or has ended and is set aside as a possible result.
    """

    hypothesis: Hypothesis
    parent: int | None
    kept: bool

    @property
    def token(self) -> int:
        """The token that this step adds."""
        return self.hypothesis.tokens[-1]


@dataclass(frozen=True)
class Decoded:
    """The translations of one source, the best first, and for each step the candidates that were looked at."""

    hypotheses: tuple[Hypothesis, ...]
    steps: tuple[tuple[Candidate, ...], ...] = ()

    @property
    def best(self) -> Hypothesis:
        """The translation."""
        return self.hypotheses[0]


# Called after each step with its number and the best hypothesis so far of each source; may stop the work by raising.
Progress = Callable[[int, list[Hypothesis]], None]


def length_penalty(length: int, penalty: float) -> float:
    """What the log-probability of so many tokens is divided by: ((5 + length) / 6)^penalty."""
    return ((5 + length) / 6) ** penalty


def limit_of(source: int) -> int:
    """The most tokens that a translation of so many tokens may have: 10 more than half as many again."""
    return source + source // 2 + 10


@torch.no_grad()
def beam_search(
    model: StepDecoder,
    source: Int[Tensor, "batch source"],
    padding: Bool[Tensor, "batch source"] | None = None,
    *,
    beam: int = 5,
    penalty: float = PENALTY,
    longest: int | None = None,
    state: State | None = None,
    first: int = BEGIN,
    keep_steps: bool = False,
    progress: Progress | None = None,
) -> list[Decoded]:
    """Translate a batch of sources (padding at the end) at once.

    `longest` is the most tokens that may be written, by default `limit_of` what each source has.
    `state` is what `model.read` returned, if it was asked for something special (links that are cut), or where some
    words were read already; `first` is the token that is read next.
    `keep_steps` keeps the candidates of each step: the tokens that are most probable after each hypothesis of the
    beam, with a mark at those that stay.
    """
    if beam < 1:
        raise ValueError(f"A beam holds at least 1 hypothesis, not {beam}.")
    lengths = [source.shape[1]] * len(source) if padding is None else (~padding).sum(dim=1).tolist()
    # Each source has its own limit: what else is in the batch must not change how it is translated.
    limits = [limit_of(length) if longest is None else longest for length in lengths]
    state = _repeat(model.read(source, padding) if state is None else state, beam)
    searches = [_Search(beam, penalty, limit, keep_steps) for limit in limits]
    last = torch.full((len(source) * beam,), first)
    for number in range(max(limits)):
        logits, state = model.step(last, state)
        best = _best(logits.float(), beam, len(searches))
        rows: list[int] = []
        written: list[int] = []
        for place, (search, found) in enumerate(zip(searches, best, strict=True)):
            chosen = search.advance(found)
            rows += [place * beam + parent for parent, _ in chosen]
            written += [token for _, token in chosen]
        if progress:
            progress(number + 1, [search.best_so_far() for search in searches])
        if all(search.done for search in searches):
            break
        state, last = {name: part[rows] for name, part in state.items()}, torch.tensor(written)
    return [search.result() for search in searches]


class _Search:
    """The beam of one source."""

    def __init__(self, beam: int, penalty: float, longest: int, keep_steps: bool):
        self.beam, self.penalty, self.longest, self.keep_steps = beam, penalty, longest, keep_steps
        self.live = [Hypothesis()]
        self.ended: list[Hypothesis] = []
        self.steps: list[tuple[Candidate, ...]] = []
        self.places: list[int | None] = [None]  # of the live ones among the candidates of the last step
        self.done = False

    def advance(self, found: list[list[tuple[int, float]]]) -> list[tuple[int, int]]:
        """Take a step, given the most probable tokens after each live hypothesis; (parent, token) of the new beam."""
        if self.done:
            return [(0, END)] * self.beam
        considered = [
            (parent, hypothesis.extended(token, log_probability))
            for parent, hypothesis in enumerate(self.live)
            for token, log_probability in found[parent]
        ]
        considered.sort(key=lambda pair: -pair[1].log_probability)
        # As many as the beam holds are looked at; those among them that end make room for the next that do not.
        ended = [pair for pair in considered[: self.beam] if pair[1].ended]
        going = [pair for pair in considered if not pair[1].ended][: self.beam]
        if self.keep_steps:
            kept = {id(hypothesis) for _, hypothesis in ended + going}
            self.steps.append(tuple(Candidate(hyp, self.places[parent], id(hyp) in kept) for parent, hyp in considered))
            place_of = {id(hypothesis): place for place, (_, hypothesis) in enumerate(considered)}
            self.places = [place_of[id(hypothesis)] for _, hypothesis in going]
        self.ended += [hypothesis for _, hypothesis in ended]
        self.live = [hypothesis for _, hypothesis in going]
        self.done = self._is_decided()
        chosen = [(parent, hypothesis.tokens[-1]) for parent, hypothesis in going]
        return chosen + [(0, END)] * (self.beam - len(chosen))

    def _is_decided(self) -> bool:
        """As many have ended as the beam holds, or nothing still going could overtake the best of them."""
        if not self.live or len(self.ended) >= self.beam:
            return True
        if not self.ended:
            return len(self.live[0].tokens) >= self.longest
        best = max(hypothesis.score(self.penalty) for hypothesis in self.ended)
        # Log-probabilities only fall; the best that a live one can hope for is to lose nothing up to the full length.
        hope = self.live[0].log_probability / length_penalty(self.longest, self.penalty)
        return hope <= best or len(self.live[0].tokens) >= self.longest

    def best_so_far(self) -> Hypothesis:
        return self.result().best if self.done else self.live[0]

    def result(self) -> Decoded:
        """Those that have ended, the best first; without any, what the longest search has written."""
        found = sorted(self.ended, key=lambda hypothesis: -hypothesis.score(self.penalty))[: self.beam]
        return Decoded(tuple(found or self.live), tuple(self.steps))


def _best(logits: Float[Tensor, "batch vocabulary"], beam: int, sources: int) -> list[list[list[tuple[int, float]]]]:
    """For each source, for each hypothesis of its beam: the most probable tokens with their log-probabilities.

    One more than the beam holds: the end may be among them. Padding and the beginning are never written.
    """
    log_probabilities = logits.log_softmax(dim=-1)
    log_probabilities[:, [PAD, BEGIN]] = -torch.inf
    values, tokens = log_probabilities.topk(min(beam + 1, logits.shape[1] - 2), dim=-1)
    pairs = [list(zip(*row, strict=True)) for row in zip(tokens.tolist(), values.tolist(), strict=True)]
    return [pairs[place * beam : (place + 1) * beam] for place in range(sources)]


def _repeat(state: State, beam: int) -> State:
    return {name: part.repeat_interleave(beam, dim=0) for name, part in state.items()}


def padded(sources: Sequence[Sequence[int]]) -> tuple[Int[Tensor, "batch source"], Bool[Tensor, "batch source"]]:
    """Sources as one tensor, filled up at the end, and where it is filled up."""
    rows = [torch.tensor(source) for source in sources]
    tokens = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=PAD)
    lengths = torch.tensor([len(source) for source in sources])
    return tokens, torch.arange(tokens.shape[1]) >= lengths[:, None]

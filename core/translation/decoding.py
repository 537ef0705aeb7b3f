"""Beam search for translations, with the tree of its candidates.

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
PENALTY = 0.6  # default exponent of the length penalty

State = dict[str, Tensor]


@runtime_checkable  # so that the tests can check it where it is an argument
class StepDecoder(Protocol):
    """A model that generates: it encodes sources once, then takes one token of each target at a time."""

    def read(self, source: Int[Tensor, "batch source"], padding: Bool[Tensor, "batch source"] | None) -> State:
        """The state before the first token; `padding` is True where a source has no token."""
        ...

    def step(self, token: Int[Tensor, " batch"], state: State) -> tuple[Float[Tensor, "batch vocabulary"], State]:
        """The logits after one more token of each target, and the state for the next step."""
        ...


@dataclass(frozen=True)
class Hypothesis:
    """A partial or complete translation: its tokens (the end mark included) and their log-probabilities."""

    tokens: tuple[int, ...] = ()
    log_probabilities: tuple[float, ...] = ()
    ended: bool = False

    @property
    def log_probability(self) -> float:
        """The log-probability of the sequence: the sum over its tokens."""
        return sum(self.log_probabilities)

    def score(self, penalty: float) -> float:
        """The log-probability divided by the length penalty."""
        return self.log_probability / length_penalty(len(self.tokens), penalty)

    def extend(self, token: int, log_probability: float) -> "Hypothesis":
        """The hypothesis with one more token."""
        return Hypothesis((*self.tokens, token), (*self.log_probabilities, log_probability), token == END)


@dataclass(frozen=True)
class Candidate:
    """A hypothesis that a step of the search considered.

    `parent` is the index, among the candidates of the step before, of the one that it continues (None in the first
    step); `is_kept`: it is in the new beam, or is complete and a possible result.
    """

    hypothesis: Hypothesis
    parent: int | None
    is_kept: bool

    @property
    def token(self) -> int:
        """The token that this step adds."""
        return self.hypothesis.tokens[-1]


@dataclass(frozen=True)
class Decoded:
    """The translations of one source, the best first, and the candidates of each step."""

    hypotheses: tuple[Hypothesis, ...]
    steps: tuple[tuple[Candidate, ...], ...] = ()

    @property
    def best(self) -> Hypothesis:
        """The translation with the best score."""
        return self.hypotheses[0]


# Called after each step with its number and the best hypothesis so far of each source; may stop the work by raising.
Progress = Callable[[int, list[Hypothesis]], None]


def length_penalty(length: int, penalty: float) -> float:
    """The divisor of the log-probability of `length` tokens: ((5 + length) / 6)^penalty."""
    return ((5 + length) / 6) ** penalty


def limit_of(source: int) -> int:
    """The maximum number of tokens of a translation of `source` tokens: 1.5 times as many, and 10 more."""
    return source + source // 2 + 10


@torch.no_grad()
def beam_search(
    model: StepDecoder,
    source: Int[Tensor, "batch source"],
    padding: Bool[Tensor, "batch source"] | None = None,
    *,
    beam: int = 5,
    penalty: float = PENALTY,
    max_tokens: int | None = None,
    state: State | None = None,
    first: int = BEGIN,
    excluded: Sequence[int] = (),
    shortest: int = 0,
    keep_steps: bool = False,
    progress: Progress | None = None,
) -> list[Decoded]:
    """Translate a batch of sources, padded at the end.

    `max_tokens` is the maximum length of a translation, by default `limit_of` the length of each source. `state` is
    the state to begin with, by default `model.read(source, padding)`: pass it for cut links or for a prefix that
    was read already. `first` is the first token to read. `excluded` tokens are never written, and the end only
    after `shortest` tokens; both keep the log-probability of all others. With `keep_steps`, the result has the
    candidates of each step: the most probable tokens after each hypothesis of the beam. `progress` is called after
    each step. Raises ValueError for a beam below 1.
    """
    if beam < 1:
        raise ValueError(f"A beam holds at least 1 hypothesis, not {beam}.")
    lengths = [source.shape[1]] * len(source) if padding is None else (~padding).sum(dim=1).tolist()
    # Each source has its own limit: what else is in the batch must not change how it is translated.
    limits = [limit_of(length) if max_tokens is None else max_tokens for length in lengths]
    state = _repeat(model.read(source, padding) if state is None else state, beam)
    searches = [_Search(beam, penalty, limit, keep_steps) for limit in limits]
    last = torch.full((len(source) * beam,), first)
    for number in range(max(limits)):
        logits, state = model.step(last, state)
        barred = (*excluded, END) if number < shortest else excluded
        top_tokens_of_sources = _top_tokens(logits.float(), beam, len(searches), barred)
        rows: list[int] = []
        tokens: list[int] = []
        for index, (search, top_tokens) in enumerate(zip(searches, top_tokens_of_sources, strict=True)):
            extensions = search.advance(top_tokens)
            rows += [index * beam + parent for parent, _ in extensions]
            tokens += [token for _, token in extensions]
        if progress:
            progress(number + 1, [search.best_so_far() for search in searches])
        if all(search.done for search in searches):
            break
        state, last = {name: part[rows] for name, part in state.items()}, torch.tensor(tokens)
    return [search.result() for search in searches]


class _Search:
    """The beam of one source."""

    def __init__(self, beam: int, penalty: float, max_tokens: int, keep_steps: bool):
        self.beam, self.penalty, self.max_tokens, self.keep_steps = beam, penalty, max_tokens, keep_steps
        self.live = [Hypothesis()]
        self.ended: list[Hypothesis] = []
        self.steps: list[tuple[Candidate, ...]] = []
        self.parents: list[int | None] = [None]  # indices of the live hypotheses among the candidates of the last step
        self.done = False

    def advance(self, top_tokens: list[list[tuple[int, float]]]) -> list[tuple[int, int]]:
        """Step with the most probable tokens after each live hypothesis; return the new (parent, token) pairs."""
        if self.done:
            return [(0, END)] * self.beam
        candidates = [
            (parent, hypothesis.extend(token, log_probability))
            for parent, hypothesis in enumerate(self.live)
            for token, log_probability in top_tokens[parent]
        ]
        candidates.sort(key=lambda pair: -pair[1].log_probability)
        # The first `beam` candidates count; complete ones among them make room for the next incomplete ones.
        ended = [pair for pair in candidates[: self.beam] if pair[1].ended]
        continuing = [pair for pair in candidates if not pair[1].ended][: self.beam]
        if self.keep_steps:
            kept_ids = {id(hypothesis) for _, hypothesis in ended + continuing}
            self.steps.append(
                tuple(Candidate(hyp, self.parents[parent], id(hyp) in kept_ids) for parent, hyp in candidates)
            )
            index_of = {id(hypothesis): index for index, (_, hypothesis) in enumerate(candidates)}
            self.parents = [index_of[id(hypothesis)] for _, hypothesis in continuing]
        self.ended += [hypothesis for _, hypothesis in ended]
        self.live = [hypothesis for _, hypothesis in continuing]
        self.done = self._is_decided()
        extensions = [(parent, hypothesis.tokens[-1]) for parent, hypothesis in continuing]
        return extensions + [(0, END)] * (self.beam - len(extensions))

    def _is_decided(self) -> bool:
        """Whether `beam` hypotheses have ended, or no live one can score better than the best of them."""
        if not self.live or len(self.ended) >= self.beam:
            return True
        if not self.ended:
            return len(self.live[0].tokens) >= self.max_tokens
        best = max(hypothesis.score(self.penalty) for hypothesis in self.ended)
        # Log-probabilities only fall: the bound is the score if no more is lost up to the maximum length.
        bound = self.live[0].log_probability / length_penalty(self.max_tokens, self.penalty)
        return bound <= best or len(self.live[0].tokens) >= self.max_tokens

    def best_so_far(self) -> Hypothesis:
        return self.result().best if self.done else self.live[0]

    def result(self) -> Decoded:
        """The ended hypotheses, the best first; the live ones where none has ended."""
        hypotheses = sorted(self.ended, key=lambda hypothesis: -hypothesis.score(self.penalty))[: self.beam]
        return Decoded(tuple(hypotheses or self.live), tuple(self.steps))


def _top_tokens(
    logits: Float[Tensor, "batch vocabulary"], beam: int, sources: int, excluded: Sequence[int]
) -> list[list[list[tuple[int, float]]]]:
    """The most probable (token, log-probability) pairs for each source and each hypothesis of its beam.

    There are beam + 1 of them, as the end mark may be one; PAD, BEGIN and `excluded` tokens are none of them.
    """
    log_probabilities = logits.log_softmax(dim=-1)
    left_out = [PAD, BEGIN, *excluded]
    log_probabilities[:, left_out] = -torch.inf
    values, tokens = log_probabilities.topk(min(beam + 1, logits.shape[1] - len(left_out)), dim=-1)
    pairs = [list(zip(*row, strict=True)) for row in zip(tokens.tolist(), values.tolist(), strict=True)]
    return [pairs[source * beam : (source + 1) * beam] for source in range(sources)]


def _repeat(state: State, beam: int) -> State:
    return {name: part.repeat_interleave(beam, dim=0) for name, part in state.items()}


def padded(sources: Sequence[Sequence[int]]) -> tuple[Int[Tensor, "batch source"], Bool[Tensor, "batch source"]]:
    """Sources as one tensor padded at the end, and the mask of the padding."""
    rows = [torch.tensor(source) for source in sources]
    tokens = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=PAD)
    lengths = torch.tensor([len(source) for source in sources])
    return tokens, torch.arange(tokens.shape[1]) >= lengths[:, None]

"""What is computed while a text is written: its tokens, what is expected at each step, where the newest looks."""

import math
import time
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from core.capture import record_attention
from core.generation.rules import FILTERS, Choice, Rules, apply, draw, random_number
from core.generation.writing import append_written, encode_without_limit, next_logits, read_ids
from core.text import Tokens, read_tokens
from core.zoo.text_models import CausalLanguageModel
from dashboard.cache import turns
from dashboard.cache.memo import cached
from dashboard.recordings.watched import Text, WatchedText, content_of
from pages.language.next_word.branches import Way
from pages.language.next_word.inputs import Selection

CANDIDATES = 20  # the most probable tokens, which are shown at each step
AT_ONCE, FOR = 10, 0.3  # tokens, and seconds, after which all that is shown follows what was written


@dataclass(frozen=True)
class Candidate:
    """A token that might come next: what the filters see of its probability, and what is left of it in the draw."""

    token: int
    label: str
    expected: float  # what the model itself says
    weighed: float
    chance: float
    taken_by: int  # the place in FILTERS, or -1


@dataclass(frozen=True)
class Drawn:
    """The drawn token in numbers: its logit before and after the penalty, and where it begins in the row of all."""

    logit: float
    lowered: float
    log_sum: float  # of the exponentials of all logits after penalty and temperature
    weighed: float
    chance: float
    begins: float


@dataclass(frozen=True, eq=False)
class Step:
    """What is known before a token is written: how many were written, what may come, and what the seed draws."""

    count: int
    choice: Choice
    dice: float
    drawn: int
    candidates: tuple[Candidate, ...]
    temperature: float

    @property
    def vocabulary(self) -> int:
        """How many tokens there are."""
        return len(self.choice.model_probabilities)

    @property
    def remaining(self) -> int:
        """How many of them may be drawn."""
        return self.choice.remaining

    @property
    def left(self) -> float:
        """How much of the probability the filters left."""
        return self.choice.remaining_probability

    @property
    def taken(self) -> dict[str, float]:
        """How much each filter took away."""
        return {name: self.choice.removed(name) for name in FILTERS}

    @property
    def best(self) -> int:
        """The token that the model itself holds most probable."""
        return int(self.choice.model_probabilities.argmax())

    @property
    def rank(self) -> int:
        """The place of the drawn token among those that the model itself holds most probable, from 1."""
        return rank_of(self.choice.model_probabilities, self.drawn)

    @property
    def expected_drawn(self) -> float:
        """How probable the model itself holds the drawn token."""
        return float(self.choice.model_probabilities[self.drawn])

    @property
    def expected_best(self) -> float:
        """How probable it holds the most probable one."""
        return float(self.choice.model_probabilities.max())

    @property
    def entropies(self) -> tuple[float, float]:
        """Bits: of what the model says, and of what is drawn from."""
        return entropy(self.choice.model_probabilities), entropy(self.choice.probabilities)

    @property
    def of_drawn(self) -> Drawn:
        """The drawn token in numbers."""
        choice, token = self.choice, self.drawn
        chances, order = choice.probabilities.double().sort(descending=True, stable=True)
        before = int((order == token).nonzero())
        warmed = choice.penalised_logits / (self.temperature or 1)
        return Drawn(
            float(choice.logits[token]),
            float(choice.penalised_logits[token]),
            float(warmed.logsumexp(dim=-1)),
            float(choice.tempered[token]),
            float(choice.probabilities[token]),
            float(chances[:before].sum()),
        )


@dataclass(frozen=True, eq=False)
class Written:
    """What is written, as the model reads it, and the attention that was paid. Shared by all visitors: never changed.

    `ranks` are the places of the written tokens that are read among all that the model expected there, from 1.
    """

    watched: WatchedText
    dropped: int  # tokens of the text's beginning for which there is no room any more
    ranks: tuple[int, ...]

    @property
    def logits(self) -> Float[Tensor, " vocabulary"]:
        """What is expected next."""
        assert self.watched.run.logits is not None
        return self.watched.run.logits[-1]


@cached("Reading …")
def given_tokens(name: str, text: Text) -> Tokens:
    """All tokens of the visitor's text, also those for which the model has no room."""
    return encode_without_limit(_model(name, text), content_of(text))


@cached("Reading …")
def read(name: str, text: Text, written: Way) -> Written:
    """The model reads the text and what was written after it, and its attention is recorded."""
    model, prompt = _model(name, text), given_tokens(name, text)
    tokens, dropped = append_written(model, prompt, written)
    # The head in view stays the same while the text grows.
    first = read(name, text, ()).watched.notice.start.place if written else None
    with torch.inference_mode(), record_attention(model.network) as record:
        run = model.run(tokens)
    known = text if isinstance(text, str) else text.identity
    watched = WatchedText(model, tokens, run, record, first, identity=(name, known, written))
    own = min(len(written), len(tokens) - 1)
    assert run.logits is not None
    ranks = tuple(rank_of(run.logits[place - 1], tokens.ids[place]) for place in range(len(tokens) - own, len(tokens)))
    return Written(watched, dropped, ranks)


def rank_of(scores: Float[Tensor, " vocabulary"], token: int) -> int:
    """How many tokens have a higher score than this one, and 1 more."""
    return 1 + int((scores > scores[token]).sum())


def entropy(probabilities: Float[Tensor, " vocabulary"]) -> float:
    """In bits (Shannon 1948)."""
    return float(torch.special.entr(probabilities.double()).sum()) / math.log(2)


def step_of(
    model: CausalLanguageModel, logits: Float[Tensor, " vocabulary"], ids: Way, count: int, rules: Rules, seed: int
) -> Step:
    """The step in which the token after these ones is chosen, `count` having been written before it."""
    choice, number = apply(rules, logits, ids), random_number(seed, count)
    drawn = draw(choice.probabilities, number)
    best = choice.tempered.topk(min(CANDIDATES, len(choice.tempered))).indices.tolist()
    # The drawn one is always among those that are shown.
    best = best if drawn in best else [*best[:-1], drawn]
    labels = read_tokens(model.tokenizer, best).labels
    candidates = tuple(
        Candidate(
            token,
            label,
            float(choice.model_probabilities[token]),
            float(choice.tempered[token]),
            float(choice.probabilities[token]),
            int(choice.removed_by[token]),
        )
        for token, label in zip(best, labels, strict=True)
    )
    return Step(count, choice, number, drawn, candidates, rules.temperature)


def next_step(selection: Selection, written: Written, count: int, rules: Rules, seed: int) -> Step:
    """The step after what was read, `count` tokens having been written."""
    return step_of(selection.model, written.logits, written.watched.inputs.ids, count, rules, seed)


def vocabulary_of(selection: Selection) -> int:
    """How many tokens the model may write."""
    return len(read(selection.name, selection.text, ()).logits)


def write(selection: Selection, written: Way, rules: Rules, seed: int, most: int) -> tuple[list[Step], float]:
    """The next steps, and the seconds that they took.

    They are at most `most` and AT_ONCE; after FOR seconds none is begun, but one is always made. A special token, such
    as the mark for the end of a text, ends them.
    """
    model, tokens = selection.model, given_tokens(selection.name, selection.text)
    steps: list[Step] = []
    with turns.turn(), torch.inference_mode():
        expect, began = next_logits(model), time.monotonic()
        while len(steps) < min(most, AT_ONCE) and (not steps or time.monotonic() - began < FOR):
            ids, _ = read_ids(model, tokens, written)
            steps.append(step_of(model, expect(ids), ids, len(written), rules, seed))
            written = (*written, steps[-1].drawn)
            if read_tokens(model.tokenizer, written[-1:]).special[0]:
                break
        return steps, time.monotonic() - began


def _model(name: str, text: Text) -> CausalLanguageModel:
    return Selection(name, text).model

"""A model's guesses for one place in each of many texts, whose true tokens are known."""

from collections.abc import Callable
from dataclasses import dataclass
from math import exp

import torch
from jaxtyping import Float, Int
from torch import Tensor

from ...progress import Progress, no_progress
from ...zoo.masked_language_models import MaskedLanguageModel
from ...zoo.text_models import CausalLanguageModel, LanguageModel

BATCH_SIZE = 2048  # tokens of one pass: the memory of the processor's cache, not the number of calls, sets the speed
LOGITS = 2**25  # numbers that the output of one pass may have: 134 MB


@dataclass(frozen=True, eq=False)
class Answers:
    """A model's guess for each text: log-probability and rank of the true token, and the most probable token."""

    log_probability: Float[Tensor, " point"]  # of the truth, in nats
    rank: Int[Tensor, " point"]  # of the truth; 1: the model's first guess
    best: Int[Tensor, " point"]  # the first guess

    def __len__(self) -> int:
        return len(self.rank)

    @property
    def accuracy(self) -> float:
        """The share of first guesses that are right; NaN without a guess."""
        return float((self.rank == 1).float().mean())

    @property
    def perplexity(self) -> float:
        """exp of the mean of -log p of the true tokens."""
        return exp(min(-float(self.log_probability.double().mean()), 700.0))

    @property
    def probability(self) -> float:
        """The mean probability of the true tokens."""
        return float(self.log_probability.exp().mean())


def ask(
    model: MaskedLanguageModel,
    texts: Int[Tensor, "point token"],
    places: Int[Tensor, " point"],
    truths: Int[Tensor, " point"],
    progress: Progress = no_progress,
) -> Answers:
    """Guess the token at `places[i]` of `texts[i]`, masked there or not; all texts have one length."""

    def logits(rows: slice) -> Float[Tensor, "point vocabulary"]:
        is_place = torch.zeros_like(texts[rows], dtype=torch.bool)
        is_place[torch.arange(len(is_place)), places[rows]] = True
        return model.logits_at(texts[rows], is_place)

    return _guesses(logits, texts, truths, _size(model), progress)


def ask_next(
    model: CausalLanguageModel,
    texts: Int[Tensor, "point token"],
    truths: Int[Tensor, " point"],
    progress: Progress = no_progress,
) -> Answers:
    """Guess the token that follows each of `texts`, all of one length."""

    def logits(rows: slice) -> Float[Tensor, "point vocabulary"]:
        output = model.network(texts[rows])
        return (output if isinstance(output, Tensor) else output.logits)[:, -1].float()

    return _guesses(logits, texts, truths, _size(model), progress)


@torch.inference_mode()
def _guesses(
    logits: Callable[[slice], Tensor],
    texts: Int[Tensor, "point token"],
    truths: Int[Tensor, " point"],
    vocabulary: int,
    progress: Progress,
) -> Answers:
    count, length = texts.shape
    step = max(1, min(BATCH_SIZE, LOGITS // vocabulary) // max(length, 1))
    answers: list[tuple[Tensor, Tensor, Tensor]] = []
    for begin in range(0, count, step):
        progress(begin, count)
        rows = slice(begin, begin + step)
        log_probabilities = logits(rows).log_softmax(dim=-1)
        truth = log_probabilities.gather(-1, truths[rows, None])
        answers.append((truth[:, 0], 1 + (log_probabilities > truth).sum(dim=-1), log_probabilities.argmax(dim=-1)))
    if not answers:
        none = torch.zeros(0, dtype=torch.long)
        return Answers(torch.zeros(0), none, none)
    return Answers(*(torch.cat(part) for part in zip(*answers, strict=True)))


def _size(model: LanguageModel) -> int:
    return model.tokenizer.get_vocab_size()

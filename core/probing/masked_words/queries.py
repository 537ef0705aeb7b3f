"""Many questions to one model: in each text one place is asked about, and what truly stands there is known."""

from collections.abc import Callable
from dataclasses import dataclass
from math import exp

import torch
from jaxtyping import Float, Int
from torch import Tensor

from ...progress import Progress, no_progress
from ...zoo.masked_language_models import MissingToken
from ...zoo.text_models import NextToken

AT_ONCE = 2048  # tokens of one pass: the memory of the processor's cache, not the number of calls, sets the speed
LOGITS = 2**25  # numbers that the output of one pass may have: 134 MB


@dataclass(frozen=True, eq=False)
class Answers:
    """What a model said to each question: how probable the truth was, which rank it had, and what it found best."""

    log_probability: Float[Tensor, " point"]  # of the truth, in nats
    rank: Int[Tensor, " point"]  # of the truth; 1: the model's first guess
    best: Int[Tensor, " point"]  # the first guess

    def __len__(self) -> int:
        return len(self.rank)

    @property
    def accuracy(self) -> float:
        """The share of questions whose first guess is right; NaN without a question."""
        return float((self.rank == 1).float().mean())

    @property
    def perplexity(self) -> float:
        """exp of the mean of -log p: of how many equally probable tokens each answer would have to be chosen."""
        return exp(min(-float(self.log_probability.double().mean()), 700.0))

    @property
    def probability(self) -> float:
        """The mean probability of the truth."""
        return float(self.log_probability.exp().mean())


def ask(
    model: MissingToken,
    texts: Int[Tensor, "point token"],
    places: Int[Tensor, " point"],
    truths: Int[Tensor, " point"],
    progress: Progress = no_progress,
) -> Answers:
    """What stands in these places? One text a question, all of one length, the place hidden or not as it comes."""

    def logits(rows: slice) -> Float[Tensor, "point vocabulary"]:
        asked = torch.zeros_like(texts[rows], dtype=torch.bool)
        asked[torch.arange(len(asked)), places[rows]] = True
        return model.ask(texts[rows], asked)

    return _asked(logits, texts, truths, _size(model), progress)


def ask_next(
    model: NextToken,
    texts: Int[Tensor, "point token"],
    truths: Int[Tensor, " point"],
    progress: Progress = no_progress,
) -> Answers:
    """What comes after these texts? All of one length."""

    def logits(rows: slice) -> Float[Tensor, "point vocabulary"]:
        output = model.network(texts[rows])
        return (output if isinstance(output, Tensor) else output.logits)[:, -1].float()

    return _asked(logits, texts, truths, _size(model), progress)


@torch.inference_mode()
def _asked(
    logits: Callable[[slice], Tensor],
    texts: Int[Tensor, "point token"],
    truths: Int[Tensor, " point"],
    vocabulary: int,
    progress: Progress,
) -> Answers:
    count, length = texts.shape
    step = max(1, min(AT_ONCE, LOGITS // vocabulary) // max(length, 1))
    found: list[tuple[Tensor, Tensor, Tensor]] = []
    for begin in range(0, count, step):
        progress(begin, count)
        rows = slice(begin, begin + step)
        said = logits(rows).log_softmax(dim=-1)
        true = said.gather(-1, truths[rows, None])
        found.append((true[:, 0], 1 + (said > true).sum(dim=-1), said.argmax(dim=-1)))
    if not found:
        none = torch.zeros(0, dtype=torch.long)
        return Answers(torch.zeros(0), none, none)
    return Answers(*(torch.cat(each) for each in zip(*found, strict=True)))


def _size(model: NextToken) -> int:
    return model.tokenizer.get_vocab_size()

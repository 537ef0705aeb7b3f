"""Other weights of attention in a trained network: does the verdict stay?

Tried as by Jain and Wallace 2019, "Attention is not Explanation", section 4.2: the weights of the pooling are permuted,
made uniform, or searched for as far away as the verdict allows; what the network made of each word stays as it is.
"""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from ..capture import Paste, edit_attention, record_attention
from ..errors import CaptureError, ModelError
from ..heads.measures import jensen_shannon
from ..text import Tokens
from ..zoo.text_models import Classifier, batch_of, logits_of

MOST = math.log(2)  # the largest Jensen-Shannon divergence, in nats: no word has weight in both
TRIES, STEPS, RATE = 8, 400, 0.2  # searches at once, steps of each, learning rate
PENALTY = 500.0  # for a change of the output beyond what is allowed, beside a divergence of at most MOST


@dataclass(frozen=True, eq=False)
class Pooled:
    """How a classifier joins its words: a mean weighted by attention, and a linear map to the classes."""

    path: str
    weights: Float[Tensor, " token"]
    values: Float[Tensor, "token width"]
    classifier: nn.Module

    def probabilities(self, weights: Float[Tensor, "*draw token"]) -> Float[Tensor, "*draw class"]:
        """How probable each class is under other weights, the words' vectors staying as they are."""
        return self.classifier(weights @ self.values).softmax(dim=-1)


def pooling_of(model: Classifier, tokens: Tokens) -> Pooled:
    """Run a classifier and keep what it pools; ModelError if it does not join its words by one row of attention."""
    try:
        with torch.no_grad(), record_attention(model.network) as record:
            model.network(batch_of(tokens))
    except CaptureError:
        record = None
    classifier = getattr(model.network, "classifier", None)
    calls = [] if record is None else record.calls
    product = calls[0].product if len(calls) == 1 and calls[0].query_length == 1 else None
    if product is None or classifier is None:
        raise ModelError(
            f"{model.title} does not join its words by a single row of attention weights: there is nothing to swap. "
            "Choose a recurrent network with attention pooling."
        )
    return Pooled(calls[0].path, calls[0].weights(0)[0], product.value[0, 0], classifier)


@torch.no_grad()
def judged(
    model: Classifier, tokens: Tokens, pooled: Pooled, weights: Float[Tensor, " token"]
) -> Float[Tensor, " class"]:
    """How probable each class is when the network really runs with these weights."""
    with edit_attention(model.network, {(pooled.path, 0): Paste(weights[None])}):
        return logits_of(model.network(batch_of(tokens)))[0].softmax(dim=-1)


def permuted(weights: Float[Tensor, " token"], draws: int, *, seed: int) -> Float[Tensor, "draw token"]:
    """The same weights, given to the words in another order, drawn anew each time."""
    dice = torch.Generator().manual_seed(seed)
    return torch.stack([weights[torch.randperm(len(weights), generator=dice)] for _ in range(draws)])


def uniform(weights: Float[Tensor, " token"]) -> Float[Tensor, " token"]:
    """The same weight for each word."""
    return torch.full_like(weights, 1 / len(weights))


def most_different(pooled: Pooled, allowed: float, *, seed: int = 0, steps: int = STEPS) -> Float[Tensor, " token"]:
    """The weights farthest from the network's own, of those found, that move no more than `allowed` probability.

    Jain and Wallace 2019, section 4.2.2: maximise the Jensen-Shannon divergence while the output's total variation
    distance stays within epsilon (`allowed`) and the verdict the same. Several searches, by Adam on the logits of the
    weights; the network's own weights are returned where none is better.
    """
    own, said = pooled.weights, pooled.probabilities(pooled.weights).detach()
    dice = torch.Generator().manual_seed(seed)
    logits = torch.randn(TRIES, len(own), generator=dice).requires_grad_()
    search = torch.optim.Adam([logits], lr=RATE)
    best, farthest = own, 0.0
    for _ in range(steps):
        with torch.enable_grad():
            weights = logits.softmax(dim=-1)
            far, output = jensen_shannon(weights, own), pooled.probabilities(weights)
            moved = total_variation(output, said)
            loss = (PENALTY * (moved - 0.9 * allowed).clamp(min=0) - far).sum()
        with torch.no_grad():
            fits = (moved <= allowed) & (output.argmax(dim=-1) == said.argmax())
            far = far.masked_fill(~fits, -1.0)
            if (found := float(far.max())) > farthest:
                best, farthest = weights[far.argmax()].detach().clone(), found
        search.zero_grad()
        loss.backward()
        search.step()
    return best


def total_variation(
    first: Float[Tensor, "*draw class"], second: Float[Tensor, "*#draw class"]
) -> Float[Tensor, "*draw"]:
    """Half of the sum of absolute differences: how much probability changes its place."""
    return (first - second).abs().sum(dim=-1) / 2


def shared(first: Float[Tensor, " token"], second: Float[Tensor, " token"]) -> float:
    """How much weight two distributions give to the same words, from 0 to 1."""
    return float(torch.minimum(first, second).sum())

"""Other attention weights in a trained classifier: does its prediction stay the same?

As in Jain and Wallace 2019, "Attention is not Explanation", section 4.2: the weights of the attention pooling are
permuted, made uniform, or searched for as far away as the prediction allows; the values of the words stay the same.
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

MAX_DIVERGENCE = math.log(2)  # the largest Jensen-Shannon divergence, in nats: that of weights without a common word
TRIES, STEPS, RATE = 8, 400, 0.2  # searches at once, steps of each, learning rate
PENALTY = 500.0  # for a change of the output beyond the allowed one; the divergence is at most MAX_DIVERGENCE


@dataclass(frozen=True, eq=False)
class AttentionPooling:
    """The attention pooling of a classifier: a mean of values weighted by attention, and a map to the classes."""

    path: str
    weights: Float[Tensor, " token"]
    values: Float[Tensor, "token width"]
    classifier: nn.Module

    def probabilities(self, weights: Float[Tensor, "*draw token"]) -> Float[Tensor, "*draw class"]:
        """The class probabilities under other weights, with the same values."""
        return self.classifier(weights @ self.values).softmax(dim=-1)


def pooling_of(model: Classifier, tokens: Tokens) -> AttentionPooling:
    """Run a classifier and return its attention pooling. Raises ModelError without a single row of attention."""
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
    return AttentionPooling(calls[0].path, calls[0].weights(0)[0], product.value[0, 0], classifier)


@torch.no_grad()
def run_with_weights(
    model: Classifier, tokens: Tokens, pooled: AttentionPooling, weights: Float[Tensor, " token"]
) -> Float[Tensor, " class"]:
    """The class probabilities of a run of the network with these weights."""
    with edit_attention(model.network, {(pooled.path, 0): Paste(weights[None])}):
        return logits_of(model.network(batch_of(tokens)))[0].softmax(dim=-1)


def permute_weights(weights: Float[Tensor, " token"], draws: int, *, seed: int) -> Float[Tensor, "draw token"]:
    """Random permutations of the weights."""
    generator = torch.Generator().manual_seed(seed)
    return torch.stack([weights[torch.randperm(len(weights), generator=generator)] for _ in range(draws)])


def uniform(weights: Float[Tensor, " token"]) -> Float[Tensor, " token"]:
    """The same weight for each word."""
    return torch.full_like(weights, 1 / len(weights))


def most_different(
    pooled: AttentionPooling, allowed: float, *, seed: int = 0, steps: int = STEPS
) -> Float[Tensor, " token"]:
    """Search the weights farthest from the network's own that move at most `allowed` probability.

    Jain and Wallace 2019, section 4.2.2: maximise the Jensen-Shannon divergence while the output's total variation
    distance stays within epsilon (`allowed`) and the predicted class is the same. Several searches, by Adam on the
    logits of the weights; the network's own weights are returned where none is found.
    """
    own_weights, own_probabilities = pooled.weights, pooled.probabilities(pooled.weights).detach()
    generator = torch.Generator().manual_seed(seed)
    logits = torch.randn(TRIES, len(own_weights), generator=generator).requires_grad_()
    search = torch.optim.Adam([logits], lr=RATE)
    best, farthest = own_weights, 0.0
    for _ in range(steps):
        with torch.enable_grad():
            weights = logits.softmax(dim=-1)
            divergence, output = jensen_shannon(weights, own_weights), pooled.probabilities(weights)
            change = total_variation(output, own_probabilities)
            loss = (PENALTY * (change - 0.9 * allowed).clamp(min=0) - divergence).sum()
        with torch.no_grad():
            fits = (change <= allowed) & (output.argmax(dim=-1) == own_probabilities.argmax())
            divergence = divergence.masked_fill(~fits, -1.0)
            if (largest := float(divergence.max())) > farthest:
                best, farthest = weights[divergence.argmax()].detach().clone(), largest
        search.zero_grad()
        loss.backward()
        search.step()
    return best


def total_variation(
    first: Float[Tensor, "*draw class"], second: Float[Tensor, "*#draw class"]
) -> Float[Tensor, "*draw"]:
    """Total variation distance: half of the sum of absolute differences."""
    return (first - second).abs().sum(dim=-1) / 2


def shared_weight(first: Float[Tensor, " token"], second: Float[Tensor, " token"]) -> float:
    """The overlap of two distributions: the sum of the smaller weights, from 0 to 1."""
    return float(torch.minimum(first, second).sum())

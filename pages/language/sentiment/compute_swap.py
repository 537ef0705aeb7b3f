"""What is computed for Swap it: other weights in the pooling of a network, and what it says with them."""

from collections.abc import Hashable
from dataclasses import dataclass, field

from jaxtyping import Float
from torch import Tensor

from core.attribution.token_methods import probabilities_of
from core.heads.measures import jensen_shannon
from core.results import sentiment_results
from core.results.sentiment_results import Results
from core.results.swapped_attention_results import SwappedAttention, results
from core.sentiment.swapped_attention import (
    most_different,
    permute_weights,
    pooling_of,
    run_with_weights,
    shared_weight,
    total_variation,
    uniform,
)
from core.text import Tokens
from core.zoo.text_models import batch_of
from dashboard.cache.memo import cached
from dashboard.recordings.watched import Text, content_of
from pages.language.sentiment import compute

DRAWS = 100  # permutations


@dataclass(frozen=True, eq=False)
class Exchanged:
    """Weights of attention, what the network says with them, and how far both are from what they were."""

    weights: Float[Tensor, " token"]
    probabilities: Float[Tensor, " class"]
    divergence: float  # of the weights, in nats
    change: float  # of the output: total variation distance
    shared: float  # of the weight, from 0 to 1


@dataclass(frozen=True, eq=False)
class Tried:
    """One text under each kind of weights; `trained` is the network that never had others than uniform ones."""

    tokens: Tokens
    classes: tuple[str, ...]
    exchanged: dict[str, Exchanged]
    trained: Exchanged
    flips: int
    draws: int
    median_change: float
    identity: Hashable = field(kw_only=True)

    @property
    def labels(self) -> tuple[str, ...]:
        """The tokens as a person reads them."""
        return self.tokens.labels

    @property
    def target(self) -> int:
        """The number of the class that the network names as it is."""
        return int(self.exchanged["own"].probabilities.argmax())


@cached("Looking for other weights …")
def tried(name: str, text: Text, seed: int, allowed: float) -> Tried:
    """All kinds of weights for one text; ModelError if the network has no pooling by attention."""
    model, verdict = compute.model(name), compute.verdict(name, text)
    pooled = pooling_of(model, verdict.tokens)
    own = pooled.weights
    draws = permute_weights(own, DRAWS, seed=seed)
    outputs, own_output = pooled.probabilities(draws), pooled.probabilities(own)
    weights = {
        "own": own,
        "permuted": draws[0],
        "uniform": uniform(own),
        "different": most_different(pooled, allowed, seed=seed),
    }

    def exchange(attention: Float[Tensor, " token"], output: Float[Tensor, " class"]) -> Exchanged:
        return Exchanged(
            attention,
            output,
            float(jensen_shannon(attention, own)),
            float(total_variation(output, own_output)),
            shared_weight(attention, own),
        )

    without = compute.model(_without(name))
    uniformly = probabilities_of(without, batch_of(without.encode(content_of(text))))[0]
    return Tried(
        verdict.tokens,
        model.classes,
        {
            kind: exchange(attention, run_with_weights(model, verdict.tokens, pooled, attention))
            for kind, attention in weights.items()
        },
        exchange(uniform(own), uniformly),
        int((outputs.argmax(dim=-1) != own_output.argmax()).sum()),
        DRAWS,
        float(total_variation(outputs, own_output).median()),
        identity=(name, text, seed, allowed),
    )


@cached(computes=False)
def measured(language: str) -> tuple[SwappedAttention, ...]:
    """What was measured over held-out texts; ModelError where the file is missing or wrong."""
    return results(language)


@cached(computes=False)
def trained() -> dict[str, Results]:
    """What the networks are worth on all held-out texts, by language; ModelError where the file is missing or wrong."""
    return sentiment_results.results()


def _without(name: str) -> str:
    """The network that was trained with uniform weights, for the language of another."""
    return f"{name.partition('-')[0]}-rnn-uniform"

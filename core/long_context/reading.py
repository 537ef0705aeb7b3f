"""Read a long text layer by layer, and keep what every part of every map is computed from.

Of each layer its queries and keys are kept in half precision, and the log normaliser of each row: a few hundred bytes
for a token and a head, and no map. Layers that are read can be looked at while the others are still to come.
"""

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float, Float16
from torch import Tensor, nn

from ..capture import AttentionCall, Replace, edit_attention, record_attention
from ..errors import ModelError
from ..machine import free_memory
from ..models.gpt import GPT
from ..models.gpt_rotary import RotaryGPT
from ..progress import Progress, no_progress
from ..text import Tokens
from ..zoo.text_models import A_WORD, TextModel, batch_of, logits_of
from .blockwise import attend
from .head_map import HeadMap
from .processors import processors

LONGEST_READING = 3600  # seconds
MEASURED = 1024  # tokens whose attention is timed
TRIAL = 64  # tokens of a short run that shows how the model attends
LOGITS = 2**24  # numbers held at once while the loss of each token is computed: 64 MB
LARGEST_HALF = torch.finfo(torch.float16).max
# Of a token's width: the residual stream, queries, keys and values, two copies of the MLP's hidden layer, and spare.
WORKING = 4 * 16  # bytes for a token and a channel


@dataclass(frozen=True)
class Place:
    """An attention of the model: its module path, the numbers of its heads, their width, and whether it is causal."""

    path: str
    heads: int
    key_heads: int  # fewer than heads where several share keys (grouped-query attention)
    head_dim: int
    causal: bool


@dataclass(frozen=True, eq=False)
class StoredLayer:
    """What the maps of one attention are computed from; the query is scaled so that scores are products / √head_dim."""

    place: Place
    query: Float16[Tensor, "head token head_dim"] | Float[Tensor, "head token head_dim"]
    key: Float16[Tensor, "_ token head_dim"] | Float[Tensor, "_ token head_dim"]
    log_normaliser: Float[Tensor, "head token"]

    def head(self, head: int) -> HeadMap:
        """The map of one head."""
        group = self.place.heads // self.place.key_heads
        return HeadMap(self.query[head], self.key[head // group], self.log_normaliser[head], self.place.causal)

    @property
    def bytes(self) -> int:
        """The memory of its tensors."""
        return sum(tensor.nbytes for tensor in (self.query, self.key, self.log_normaliser))


@dataclass(eq=False)
class LongReading:
    """A text and what has been read of it so far: `layers` grows while `read` runs in another thread."""

    tokens: Tokens
    layers: list[StoredLayer] = field(default_factory=list)
    # The loss of each token but the first, in bits; None before the end of a reading, and where nothing is predicted.
    losses: Float[Tensor, " _"] | None = None

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def bytes(self) -> int:
        """The memory of all that is kept."""
        return sum(layer.bytes for layer in self.layers)


def places(model: TextModel) -> tuple[Place, ...]:
    """The attentions of a model in the order in which they run, from a run over a short text.

    ModelError where a long text cannot be read: the model writes its maps out, or makes a mask of its own.
    """
    few = min(TRIAL, model.context)
    tokens = model.encode(" ".join(["a"] * few))
    with torch.inference_mode(), record_attention(model.network) as record:
        model.run(tokens)
    if window := _window(model.network):
        raise ModelError(
            f"{model.title} looks through a window of {window:,} tokens, for which it makes a mask as large as a map: "
            "long texts are read by models that look at all tokens."
        )
    return tuple(_place(model, call) for call in record.calls)


def check(model: TextModel, count: int) -> int:
    """The bytes that a reading of `count` tokens takes at most.

    ModelError, in a sentence with its numbers, where the model's positions, the memory or the time do not allow it.
    """
    if count > model.context:
        raise ModelError(f"{model.title} has positions for {model.context:,} tokens, and this text has {count:,}.")
    attentions = places(model)
    needed = count * WORKING * _width(attentions) + kept_bytes(attentions, count)
    free = free_memory()
    if free is not None and needed > free:
        raise ModelError(
            f"Reading {count:,} tokens takes about {needed / 1e9:.1f} GB of memory with {model.title}, and "
            f"{free / 1e9:.1f} GB are free: read fewer tokens."
        )
    seconds = _seconds(model, attentions, count)
    if seconds > LONGEST_READING:
        raise ModelError(
            f"Reading {count:,} tokens would take about {seconds / 60:,.0f} minutes here with {model.title}; at most "
            f"{LONGEST_READING // 60} are allowed: read fewer tokens."
        )
    return needed


def _seconds(model: TextModel, attentions: Sequence[Place], count: int) -> float:
    """The estimated time of a reading: its attention grows with the square of the length, all else with the length."""
    per_pair, per_product = _speed()
    pairs = sum(place.heads * place.head_dim * (0.5 if place.causal else 1.0) for place in attentions) * count**2
    return (pairs * per_pair + model.parameters * count * per_product) / processors()


@cache
def _speed() -> tuple[float, float]:
    """Seconds of one thread for a channel of one pair of query and key, and for a product of a linear map; measured."""
    query = torch.zeros(1, 1, MEASURED, 64)
    vectors, matrix = torch.zeros(256, 1024), torch.zeros(1024, 1024)
    times = []
    for work in (lambda: attend(query, query, query, causal=False), lambda: F.linear(vectors, matrix)):
        work()
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return times[0] / (64 * MEASURED**2), times[1] / (256 * 1024 * 1024)


def read(
    model: TextModel,
    reading: LongReading,
    progress: Progress = no_progress,
    *,
    silenced: Collection[tuple[int, int]] = (),
) -> None:
    """Run the model over the tokens of a reading, whose layers and losses appear as they are computed.

    `progress` gets the number of tokens that are read, counted once for each layer, and may stop the reading by an
    exception. `silenced`: heads as (layer, head) whose output is zero; their maps are kept as if it were not. Raises
    what `places` and `check` raise.
    """
    check(model, len(reading))

    def store(place: Place, query: Tensor, key: Tensor, value: Tensor, report: Callable[[int], None]) -> Tensor:
        group = place.heads // place.key_heads
        # The run itself goes on with the rounded numbers, so that a map of what is kept is the map of this run.
        kept_query, kept_key = _half(query), _half(key[:, ::group])
        output, normaliser = attend(kept_query, kept_key, value, causal=place.causal, progress=report)
        output[:, [head for layer, head in silenced if layer == len(reading.layers)]] = 0.0
        reading.layers.append(StoredLayer(place, kept_query[0], kept_key[0], normaliser[0]))
        return output

    reading.losses = run(model, reading.tokens, store, progress)


# Gets a place, its queries, keys and values, and a function to which it reports finished rows; returns the output.
Attention = Callable[[Place, Tensor, Tensor, Tensor, Callable[[int], None]], Tensor]


@torch.inference_mode()
def run(
    model: TextModel, tokens: Tokens, attention: Attention, progress: Progress = no_progress
) -> Float[Tensor, " _"] | None:
    """Run a model over a text with its attention computed by a function, place by place.

    Returns the bits of each token but the first; None where the model does not predict tokens by a linear map.
    `progress` gets the number of tokens that are read, counted once for each layer.
    """
    attentions, matrix = places(model), _vocabulary_matrix(model)
    count, total = len(tokens), len(tokens) * len(attentions)

    def replacement(number: int, place: Place) -> Replace:
        def product(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
            output = attention(place, query, key, value, lambda rows: progress(number * count + rows, total))
            progress((number + 1) * count, total)
            return output

        return Replace(product, causal=place.causal)

    edits = {place.path: replacement(number, place) for number, place in enumerate(attentions)}
    with edit_attention(model.network, edits):
        output = _body(model.network)(batch_of(tokens))
    if matrix is None:
        return None
    hidden = output if isinstance(output, Tensor) else output[0]
    return _losses(hidden[0], matrix, torch.tensor(tokens.ids))


def _place(model: TextModel, call: AttentionCall) -> Place:
    product = call.product
    if product is None or call.kind == "cross" or product.causality is None or call.sink is not None:
        raise ModelError(
            f"{model.title} computes the attention of '{call.path}' in a way of its own, which would need a map of all "
            "tokens by all tokens: long texts are read by models that attend to themselves through torch's fused "
            "attention, without a bias."
        )
    _, heads, _, head_dim = product.query.shape
    return Place(call.path, heads, product.key.shape[1], head_dim, product.causality)


def _window(network: nn.Module) -> int | None:
    """The tokens of a sliding window in the configuration of a transformers model; None without one."""
    config = getattr(network, "config", None)
    is_used = getattr(config, "use_sliding_window", True)  # Qwen's configuration has a size that it need not use
    window = getattr(config, "sliding_window", None)
    return window if is_used and isinstance(window, int) else None


def kept_bytes(attentions: Sequence[Place], count: int) -> int:
    """The bytes of what is kept of `count` tokens: queries and keys in half precision, normalisers in full."""
    return count * sum(2 * place.head_dim * (place.heads + place.key_heads) + 4 * place.heads for place in attentions)


def _width(attentions: Sequence[Place]) -> int:
    return max(place.heads * place.head_dim for place in attentions)


def _half(tensor: Tensor) -> Tensor:
    """A copy in half precision, or in full where a number is too large for that."""
    least, most = tensor.aminmax()
    return tensor.to(torch.float16 if max(-least, most) <= LARGEST_HALF else torch.float32, copy=True)


def _vocabulary_matrix(model: TextModel) -> Float[Tensor, "vocabulary width"] | None:
    """The matrix that maps the last hidden state to logits; None where the logits are not that product."""
    network: Any = model.network
    if isinstance(network, GPT | RotaryGPT):
        return network.token_embedding.weight
    head = getattr(network, "get_output_embeddings", lambda: None)()
    if not model.is_causal or head is None:
        return None
    ids = batch_of(model.encode(A_WORD))
    logits = F.linear(network.base_model(ids).last_hidden_state, head.weight)
    return head.weight if torch.allclose(logits, logits_of(network(ids)), atol=1e-3) else None


def _body(network: Any) -> Callable[[Tensor], Any]:
    """All up to the last hidden state: the logits of a long text would take more memory than all that is kept of it."""
    if isinstance(network, GPT | RotaryGPT):
        return network.read
    return getattr(network, "base_model", network)


def _losses(
    hidden: Float[Tensor, "token width"], matrix: Float[Tensor, "vocabulary width"], ids: Tensor
) -> Float[Tensor, " _"]:
    """Bits of each token but the first, given those before it."""

    def parts() -> Iterator[Tensor]:
        rows = max(1, LOGITS // len(matrix))
        for start in range(0, len(ids) - 1, rows):
            logits = F.linear(hidden[start : min(start + rows, len(ids) - 1)], matrix).float()
            yield F.cross_entropy(logits, ids[start + 1 : start + 1 + len(logits)], reduction="none")

    return torch.cat([torch.zeros(0), *parts()]) / torch.log(torch.tensor(2.0))

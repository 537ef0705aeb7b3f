"""Texts that a model reads or writes, approximations of its heads, and costs, kept for the next visitor."""

from dataclasses import dataclass, replace

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from core import zoo
from core.capture import AttentionCall, record_attention
from core.costs.attention_costs import measure_attention
from core.costs.one_pass import Cost
from core.efficient import LowRank, Sparse, Variant, approximation_error, error_curve, factors, model_loss, sparse_reach
from core.efficient.approximation_error import Comparison, Head
from core.errors import InputError, ModelError
from core.generation import sampling
from core.models.gpt import GPT
from core.models.gpt_rotary import RotaryGPT
from core.progress import Progress, no_progress
from core.text import Tokens, encode
from dashboard.cache.memo import cached
from dashboard.cache.models import long_text_model
from dashboard.cache.upload import Upload
from dashboard.recordings.watched import Text, content_of

WRITING = "The model writes its example, one token after the other …"
READING = "Reading …"
FOLLOWING = "Following the links …"
SEED = 0
FIRST = 256  # tokens of the example that is there at once
LONGEST_RANK = 1024  # tokens: a singular value decomposition of a larger map takes seconds
DEAREST = 4.0  # times the exact kernel's work: what costs more is not drawn
FEW, FAR = 48, 16  # rows, evenly spread, that tell one head from another; tokens between a query and a far key
CELLS = 256  # on a side of the maps: three of them are sent at a time


@dataclass(frozen=True, eq=False)
class Reading:
    """A text that a model has read, `most` tokens of it at most, and what its layers computed with."""

    name: str
    text: Text
    most: int
    tokens: Tokens
    calls: tuple[AttentionCall, ...]

    @property
    def identity(self) -> tuple:
        """What tells it from any other; a file stands there by its digest, so that all that is made of it ages."""
        file = isinstance(self.text, Upload)
        return self.name, file, self.text.identity if isinstance(self.text, Upload) else self.text, self.most

    @property
    def model(self) -> zoo.TextModel:
        """The model, shared by all visitors."""
        return long_text_model(self.name)

    @property
    def length(self) -> int:
        """How many tokens were read."""
        return len(self.tokens)


def longest(name: str) -> int:
    """How many tokens the model can write as an example; 0 where it cannot write here."""
    network = long_text_model(name).network
    return sampling.longest(network) if isinstance(network, GPT | RotaryGPT) else 0


def first_model() -> str:
    """The model that is open before anybody chooses: the one with the longest context."""
    return max(zoo.TEXT, key=lambda name: long_text_model(name).context)


def warm_up() -> None:
    """Write the example that is there at once."""
    name = first_model()
    written(name, min(FIRST, longest(name)))


@cached(WRITING, unit="tokens")
def written(name: str, tokens: int, progress: Progress = no_progress) -> str:
    """What the model writes by itself after a line break, always with the same seed."""
    model = long_text_model(name)
    assert isinstance(model.network, GPT | RotaryGPT)
    first = model.tokenizer.encode("\n", add_special_tokens=False).ids[0]
    numbers = sampling.sample(model.network, first, tokens, seed=SEED, progress=progress)
    return model.tokenizer.decode(list(numbers), skip_special_tokens=False)


@cached(READING, unit="layers")
def read(name: str, text: Text, most: int, progress: Progress = no_progress) -> Reading:
    """Run a language model on at most so many tokens of a text, and keep what its heads compute with.

    InputError for fewer than two tokens, ModelError for a model that answers in a text of another length.
    """
    model, content = long_text_model(name), content_of(text)
    tokens = encode(model.tokenizer, content, context=min(most, model.context))
    if len(tokens) < 2:
        raise InputError(f"A map needs at least 2 tokens; this text has {len(tokens)}. Write a few words more.")
    with torch.inference_mode(), record_attention(model.network) as record:
        few = 2 + model.tokenizer.num_special_tokens_to_add(is_pair=False)
        model.run(encode(model.tokenizer, content, context=few))  # a run of a moment: how often does it attend?
    layers = len(record.calls)
    with (
        torch.inference_mode(),
        record_attention(model.network, progress=lambda done: progress(done, layers)) as record,
    ):
        run = model.run(tokens)
    if "target" in run.sequences:
        raise ModelError(f"{model.title} writes an answer of its own length. Choose a model that reads one text.")
    return Reading(name, text, most, tokens, record.calls)


def head(reading: Reading, layer: int, number: int) -> Head:
    """The queries, keys and values of one head; CaptureError where nothing can be put in its place."""
    return approximation_error.head_of(reading.calls[layer], number)


@cached()
def farthest(reading: Reading) -> tuple[int, int]:
    """The layer and the head that look most at single tokens far back: there an approximation has most to lose."""
    length, far_weights = reading.length, dict[tuple[int, int], float]()
    rows = torch.linspace(0, length - 1, min(length, FEW)).round().long()
    for layer, call in enumerate(reading.calls):
        if call.query_length == call.key_length == length:
            for number in range(call.heads):
                weights = call.weights(number, queries=rows.tolist())
                far = (rows[:, None] - torch.arange(length)) >= min(FAR, length // 4)
                far[:, 0] = False  # the first token is where attention goes that has no use
                far_weights[layer, number] = float((weights * far).amax(dim=-1).mean())
    return max(far_weights, key=far_weights.__getitem__, default=(0, 0))


@cached("Comparing with the exact map …")
def compared(reading: Reading, layer: int, number: int, variant: Variant) -> Comparison:
    """Both maps of a head and the errors."""
    variant = _with_factors(reading, layer, number, variant)
    return approximation_error.compare(variant, head(reading, layer, number), size=CELLS)


@cached("Computing other settings; with a long text this takes seconds …", unit="settings")
def along(
    reading: Reading, layer: int, number: int, variant: Variant, progress: Progress = no_progress
) -> tuple[error_curve.Point, ...]:
    """The variant from its cheapest setting to its dearest: ask with the same setting for all, to be kept once."""
    variant = _with_factors(reading, layer, number, variant)
    return error_curve.error_against_cost(variant, head(reading, layer, number), progress, max_cost=DEAREST)


def _with_factors(reading: Reading, layer: int, number: int, variant: Variant) -> Variant:
    if not isinstance(variant, LowRank):
        return variant
    if reading.length > LONGEST_RANK:
        tokens = f"{reading.length:,}"
        raise InputError(
            f"The nearest map of rank k needs a decomposition of the whole {tokens} × {tokens} map, which takes too "
            f"long beyond {LONGEST_RANK:,} tokens. Choose another method, or a shorter text."
        )
    return replace(variant, factors=_factors(reading, layer, number))


@cached()
def _factors(reading: Reading, layer: int, number: int) -> tuple[Tensor, Tensor, Tensor]:
    attention_head = head(reading, layer, number)
    return factors(*attention_head.parts[:2], causal=attention_head.causal)


@cached(FOLLOWING)
def needed(variant: Sparse, tokens: int, layers: int) -> Int[Tensor, "query key"]:
    """In how many layers each token hears of each other; -1 where these are not enough."""
    return sparse_reach.layers_needed(variant.allowed(tokens), layers)


@cached(FOLLOWING)
def heard(variant: Sparse, tokens: int, layers: int) -> tuple[Bool[Tensor, " key"], ...]:
    """What the last token hears of, layer by layer."""
    return sparse_reach.reachable_keys(variant, tokens, tokens - 1, layers)


@cached(READING, unit="layers")
def surprises(
    reading: Reading, variant: Variant | None, layers: tuple[int, ...], progress: Progress = no_progress
) -> Float[Tensor, " token"]:
    """-log p in nats of each token after the first, with a variant in these layers; None and no layers: exact."""
    paths = [reading.calls[layer].path for layer in layers]
    return model_loss.surprises(reading.model, reading.tokens, variant, paths=paths, progress=progress)


@cached(unit="passes")
def measured_here(progress: Progress = no_progress) -> tuple[Cost, ...]:
    """Time and memory of each kind of attention on this machine: all visitors share it, as they share the machine."""
    return measure_attention(progress)

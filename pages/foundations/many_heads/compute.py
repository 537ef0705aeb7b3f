"""What was measured of every head, what silencing each one costs, and maps taken together."""

import time
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from core.attribution.record_aggregation import ACROSS, LARGEST, OVERALL, PATHS, AggregatedMaps, Stack, combine
from core.capture import layer_numbers
from core.errors import CaptureError, InputError
from core.heads.ablation import Trial
from core.heads.contributions import (
    Difference,
    HeadOutputs,
    bias_of,
    contributions,
    cosines,
    largest_difference,
    output_shares,
)
from core.heads.head_table import (
    HeadTable,
    attention_moved_between,
    induction_scores,
    is_full_self_attention,
    measure_heads,
    shares_of_output,
)
from core.heads.jobs import Jobs, random_repeats
from core.progress import Progress, no_progress
from core.text import Tokens
from core.tokens.words import join_words, max_between_words, word_spans
from core.view.packing import overview_of
from dashboard.cache.memo import cached
from dashboard.cache.models import text_model
from dashboard.components.attention_view import Layer, Scene, TextSequence
from dashboard.recordings import layer_outputs, notices, scenes
from dashboard.recordings.layer_outputs import head_outputs
from dashboard.recordings.watched import Head, Watched, WatchedText

NOT_WHOLE = "{title} looks through windows here, not at the whole input at once. Choose another layer or model."
LONGEST_TOGETHER = 768  # tokens: the work grows with the cube of their number, the memory with the square
ROWS = 512  # of a map: enough for the mean of what its mask leaves to each


@cached("Measuring every head …")
def head_table(watched: Watched) -> HeadTable:
    """Every measure of every head that applies to a run in which no head is silenced."""
    table, extra = measure_heads(watched.model, watched.run, watched.record), {}  # type: ignore[arg-type]
    if isinstance(watched, WatchedText):
        extra["induction"] = induction(watched.model.name)
    if layer_outputs.longest_map(watched) <= layer_outputs.LONGEST:
        extra["output_shares"] = shares_of_output(head_outputs(watched))
    shape = table.values["entropy"].shape
    applies = {key: values for key, values in extra.items() if values.shape == shape and not values.isnan().all()}
    return replace(table, values=table.values | applies)


@cached()
def one_layer(watched: Watched, layer: int, head: int) -> Scene:
    """The scene of a single layer, with its overview; `layer` counts in the scene of all, `head` is shown first."""
    scene = replace(watched.scene, layers=(watched.scene.layers[layer],), start=(0, head))
    overview_of(scene)  # computed here, so that it is kept with the scene
    return scene


@cached()
def even_shares(watched: WatchedText) -> dict[str, Float[Tensor, "layer head"]]:
    """What "first_token" and "previous_token" would be of heads that look evenly at all that their masks let them see;
    NaN where the measures do not apply."""
    calls = watched.record.calls
    first, previous = torch.full((2, len(calls), max(call.heads for call in calls)), torch.nan)
    for layer, call in enumerate(calls):
        if call.query_length > 1 and is_full_self_attention(call):
            rows = torch.linspace(1, call.query_length - 1, min(call.query_length - 1, ROWS)).round().long()
            # All heads at once where they share a mask.
            together = 1 if notices.masks_differ(call) else call.heads
            for head in range(0, call.heads, together):
                some = layer, slice(head, head + together)
                first[some], previous[some] = notices.even_shares(call, head, rows)
    return {"first_token": first, "previous_token": previous}


@cached("Testing every head …")
def tested_on_random(name: str) -> Jobs:
    """The induction score of each head on random tokens said twice, against tokens that are not."""
    return random_repeats(text_model(name))


@cached()
def induction(name: str) -> Float[Tensor, "layer head"]:
    """How much each head of a language model gives to what came next the first time, on random tokens said twice."""
    return induction_scores(text_model(name))


@dataclass(frozen=True, eq=False)
class Sum:
    """What every head of a layer adds at one token."""

    heads: Float[np.ndarray, "head head_dim"]  # before W_O
    vectors: Float[np.ndarray, "head channel"]
    bias: Float[np.ndarray, " channel"]
    returned: Float[np.ndarray, " channel"]  # by the model itself

    @property
    def total(self) -> Float[np.ndarray, " channel"]:
        """Heads and bias, added up."""
        return self.vectors.sum(axis=0) + self.bias

    @cached_property
    def cosines(self) -> Float[np.ndarray, "_ _"]:
        """Between each two of `rows`; NaN where a vector is zero."""
        return cosines(torch.from_numpy(np.stack(list(self.rows.values())))).numpy()

    @property
    def rows(self) -> dict[str, Float[np.ndarray, " channel"]]:
        """All vectors by name, the total last."""
        heads = {f"head {head}": vector for head, vector in enumerate(self.vectors)}
        bias = {"bias": self.bias} if self.bias.any() else {}
        return heads | bias | {"sum": self.total}


def add_up(outputs: HeadOutputs, token: int) -> Sum:
    """The contributions to one token; CaptureError where the layer's output is no sum over heads."""
    with torch.inference_mode():
        joined, _, returned = outputs.input_map_output
        return Sum(
            heads=joined[0, token].unflatten(0, (outputs.call.heads, -1)).numpy(),
            vectors=contributions(outputs, queries=[token])[:, 0].numpy(),
            bias=bias_of(outputs).numpy(),
            returned=returned[0, token].float().numpy(),
        )


@cached()
def sum_at(watched: Watched, layer: int, token: int) -> Sum:
    """What every head of a layer, counted in the record, adds at a token, as `add_up`."""
    return add_up(head_outputs(watched)[layer], token)


@cached()
def of_all_tokens(watched: Watched, layer: int) -> tuple[list[float], Difference]:
    """Each head's share of its layer's output, and how far the sum over heads is from what the model returned."""
    outputs = head_outputs(watched)[layer]
    return output_shares(outputs).tolist(), largest_difference(outputs)


@cached("Comparing the maps …")
def attention_moved(before: Watched, after: Watched, silenced: tuple[Head, ...]) -> Float[np.ndarray, "layer head"]:
    """The share of each head's attention that went elsewhere when some were silenced; NaN for those."""
    moved = attention_moved_between(before.record, after.record).numpy()
    rows = {number: row for row, number in enumerate(layer_numbers(before.record.calls))}
    for layer, head in silenced:
        moved[rows[layer], head] = np.nan
    return moved


def trial(watched: Watched) -> Trial:
    """The same model and input, to be run again with heads silenced; AtlasError if there is nothing to lose."""
    return Trial(watched.model, watched.inputs, watched.run, watched.record)


@cached()
def cost_of(watched: Watched, head: Head) -> float:
    """By how many nats the loss rises when this head alone is silenced."""
    return trial(watched).cost(head)


def known_costs(watched: Watched) -> dict[Head, float]:
    """The costs of those heads that some visitor has already had measured."""
    costs = {head: cost_of.peek(watched, head) for head in trial(watched).heads}
    return {head: cost for head, cost in costs.items() if cost is not None}


@cached()
def seconds_of_one(watched: Watched) -> float:
    """How long it takes to silence one head and to ask the model again: the second time, as the first may be slower."""
    ablation = trial(watched)
    ablation.cost(ablation.heads[0])
    begin = time.perf_counter()
    ablation.cost(ablation.heads[0])
    return time.perf_counter() - begin


@cached("Ablating each head in turn …", unit="heads")
def measure_costs(watched: Watched, progress: Progress = no_progress) -> dict[Head, float]:
    """What each head costs alone; `progress` may stop it by an exception, and what is known by then stays known."""
    heads, costs = trial(watched).heads, dict[Head, float]()
    for done, head in enumerate(heads):
        progress(done, len(heads))
        costs[head] = cost_of(watched, head)
    return costs


@cached("Taking all heads together …", unit="steps")
def take_together(
    watched: Watched, name: str, *, words: bool, progress: Progress = no_progress
) -> tuple[AggregatedMaps, Scene]:
    """One of NAMES, and the view of it, between words if asked for.

    Raises AtlasError where no layers can be taken together.
    """
    together = combine(stack_of(watched), name, progress)
    tokens = watched.run.sequences[together.stack.sequence]
    return together, scene_of(together, watched.scene, tokens if words and isinstance(tokens, Tokens) else None)


def stack_of(watched: Watched) -> Stack:
    """The layers that can be taken together: of an encoder-decoder those of the encoder.

    Raises CaptureError if no layer lets all tokens look at all, InputError if there are too many tokens.
    """
    sequence, calls = scenes.self_attention_layers(watched.model, watched.run, watched.record)
    if not calls:
        raise CaptureError(NOT_WHOLE.format(title=watched.model.title))
    others = tuple(number for number in layer_numbers(watched.record.calls) if number not in calls)
    stack = Stack(calls, sequence, () if "target" in watched.run.sequences else others)
    if stack.length > LONGEST_TOGETHER:
        raise InputError(
            f"Maps of up to {LONGEST_TOGETHER:,} tokens are taken together, and this input has {stack.length:,}: the "
            "work grows with the cube of their number. Choose a shorter text or fewer patches."
        )
    return stack


def scene_of(together: AggregatedMaps, source: Scene, tokens: Tokens | None = None) -> Scene:
    """One head for each layer, over the same sequence as in `source`; over words if `tokens` are given.

    Where layers are put one upon another, the last one is in view at first.
    """
    stack, maps = together.stack, together.maps
    sequence = source.sequences[stack.sequence]
    if tokens is not None:
        spans = word_spans(tokens)
        # Where the best counts, the best between the pieces of two words; else sums and means.
        join = max_between_words if together.name in (LARGEST, *PATHS) else join_words
        maps = join(torch.from_numpy(maps), spans, spans).numpy()
        sequence = TextSequence(
            tuple("".join(tokens.labels[place] for place in span) for span in spans),
            tuple(tokens.special[span.start] for span in spans),
        )
    labels = ["all layers"] if together.name == OVERALL else [str(number) for number in stack.calls]
    causal = all(call.causal for call in stack.calls.values())
    layers = tuple(
        Layer(
            label=label,
            query=stack.sequence,
            key=stack.sequence,
            heads=1,
            weights=[values].__getitem__,  # there is one head
            path=together.name,
            causal=causal,
        )
        for label, values in zip(labels, maps, strict=True)
    )
    start = len(layers) - 1 if together.name in ACROSS else 0
    return Scene({stack.sequence: sequence}, layers, title=source.title, start=(start, 0))

"""Every measure of every head of a recorded run; of long maps, from evenly spread rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from ..capture import AttentionCall, Record, record_attention
from ..former_names import former_names
from ..images import Patches
from ..text import Tokens
from ..zoo import ImageModel, ImageRun, TextModel, TextRun
from . import measures
from .contributions import HeadOutputs, output_shares

FULL_LENGTH = 512  # tokens: maps up to this size are measured in full, of larger ones as many weights as these have
WINDOWS = 16  # the most windows of a picture that are measured, evenly spread
PERIOD = 50  # random tokens, which are then repeated (Olsson et al. 2022 take 25, four times)
SEQUENCES = 4  # of them, with different tokens: scores on single sequences differ by a factor of 2
SEED = 0

Values = dict[str, Float[Tensor, "layer head"]]

__getattr__ = former_names(__name__, {"scores_of_repeat": "repetition_scores"})


@dataclass(frozen=True, eq=False)
class HeadTable:
    """A value for each head in each measure; NaN where a measure does not apply, or where there is no such head.

    `largest` holds the largest value that is possible for this input, where it can be computed; `rows` is the number of
    rows of the longest map that were measured, None if all were.
    """

    values: Values
    largest: dict[str, float]
    rows: int | None


def measure_heads(model: TextModel | ImageModel, run: TextRun | ImageRun, record: Record) -> HeadTable:
    """All measures of the recorded maps, that is, all but `induction_scores` and `shares_of_output`.

    The names are those of the functions in `core.heads.measures`; "class_token" is the share that patches give to the
    class token, and "punctuation" the share of tokens without a letter or a digit. In the windows of a picture
    distances count within the window. Cross attention has no distances: its keys are another sequence. Shares are
    those of a row's own sum (`measures.shares`); of a map in pieces (`call.partial`) the rows that there are have an
    entropy. NaN for calls with weights below 0.
    """
    values: Values = {}
    largest: dict[str, float] = {}
    for layer, call in enumerate(record.calls):
        sample = _sample(model, run, call)
        values.setdefault("entropy", _empty(record.calls))
        if call.has_negative_weights:
            continue
        for name, bound in _bounds(sample).items():
            largest[name] = max(bound, largest.get(name, 0.0))
        for name, value in _measure(sample).items():
            values.setdefault(name, _empty(record.calls))[layer, : call.heads] = value
    longest = max(record.calls, key=lambda call: call.query_length)
    rows = len(_rows(longest))
    return HeadTable(values, largest, rows if rows < longest.query_length else None)


def induction_scores(model: TextModel, seed: int = SEED) -> Float[Tensor, "layer head"]:
    """The mean induction score of each head, on random tokens of the model's vocabulary that are repeated once.

    The tokens are drawn evenly from those that are not special, none twice, so that only the repetition can
    be predicted. An encoder-decoder gets them on both sides. NaN for cross attention, and in a context too short to
    repeat.
    """
    tokens = repeated_tokens(model, seed)
    return repetition_scores(attention_calls(model, tokens), tokens.shape[1] // 2)["induction"]


def attention_calls(model: TextModel, tokens: Int[Tensor, "batch token"]) -> tuple[AttentionCall, ...]:
    """The attention calls of one pass over tokens; an encoder-decoder gets them on both sides."""
    with torch.inference_mode(), record_attention(model.network) as record:
        model.run_on_ids(tokens)
    return record.calls


def repetition_scores(calls: Sequence[AttentionCall], period: int) -> Values:
    """The mean "induction" and "previous_token" score of each head, in calls on a sequence that repeats once."""
    values: Values = {"induction": _empty(calls), "previous_token": _empty(calls)}
    for layer, call in enumerate(calls):
        if period > 1 and call.query_length == 2 * period and is_full_self_attention(call):
            maps = torch.stack([torch.cat(list(call.weights_by_heads(item))) for item in range(call.batch_size)])
            values["induction"][layer, : call.heads] = measures.induction(maps, period).nanmean(dim=0)
            values["previous_token"][layer, : call.heads] = measures.previous_token(maps).nanmean(dim=0)
    return values


def is_full_self_attention(call: AttentionCall) -> bool:
    """Whether a call is self-attention with a row for each token, in order, and no weight below 0."""
    is_square = call.kind == "self" and call.query_length == call.key_length
    return is_square and not call.partial and not call.has_negative_weights


def repeated_tokens(model: TextModel, seed: int = SEED, *, longest: int = PERIOD) -> Int[Tensor, "batch token"]:
    """SEQUENCES times at most `longest` random tokens and the same tokens once more, within the model's context."""
    added = model.tokenizer.get_added_tokens_decoder()
    numbers = torch.tensor(sorted(set(model.tokenizer.get_vocab().values()) - set(added)))
    period, generator = min(longest, model.context // 2), torch.Generator().manual_seed(seed)
    sequences = [numbers[torch.randperm(len(numbers), generator=generator)[:period]] for _ in range(SEQUENCES)]
    return torch.stack(sequences).repeat(1, 2)


def shares_of_output(outputs: Sequence[HeadOutputs]) -> Float[Tensor, "layer head"]:
    """Each head's share of its layer's output norm after W_O; NaN where the output is no sum over heads."""
    shares = _empty([output.call for output in outputs])
    for layer, output in enumerate(outputs):
        if output.output_map is not None:
            items = _items(output.call)
            shares[layer, : output.call.heads] = torch.stack([output_shares(output, item) for item in items]).mean(
                dim=0
            )
    return shares


def attention_moved_between(before: Record, after: Record) -> Float[Tensor, "layer head"]:
    """The share of each head's attention that moved between two runs of the same model on the same input."""
    moved = _empty(before.calls)
    for layer, (call_before, call_after) in enumerate(zip(before.calls, after.calls, strict=True)):
        queries, items = _rows(call_before).tolist(), _items(call_before)
        for head in range(call_before.heads):
            distances = [
                measures.moved(
                    *(call.weights(head=head, item=item, queries=queries) for call in (call_before, call_after))
                )
                for item in items
            ]
            moved[layer, head] = torch.stack(distances).nanmean()
    return moved


@dataclass(frozen=True, eq=False)
class _SampledCall:
    """One call with the rows that are measured and its keys; `is_self` if the queries are the same tokens."""

    call: AttentionCall
    rows: Int[Tensor, " query"]
    items: list[int]
    keys: Tokens | Patches | None
    is_self: bool


def _sample(model: TextModel | ImageModel, run: TextRun | ImageRun, call: AttentionCall) -> _SampledCall:
    untyped_model: Any = model  # of a text with its run, or of a picture with its own
    names = untyped_model.sequences_of(call, run)
    keys = run.sequences[names[1]] if names else _window(model, call)
    is_self = not names or names[0] == names[1]
    return _SampledCall(call, _rows(call), _items(call), keys, is_self)


def _window(model: TextModel | ImageModel, call: AttentionCall) -> Patches | None:
    """The square of patches of a window of a picture; None if the call has no windows of patches."""
    side = round(call.key_length**0.5)
    is_square = model.reads == "picture" and side**2 == call.key_length == call.query_length
    return Patches(side, side) if is_square and call.batch_size > 1 else None


def _rows(call: AttentionCall) -> Int[Tensor, " query"]:
    """The queries that are measured: all of them, or evenly spread ones from the first to the last."""
    affordable = max(2, FULL_LENGTH**2 // call.key_length)
    if call.query_length <= affordable:
        return torch.arange(call.query_length)
    return torch.linspace(0, call.query_length - 1, affordable).round().long()


def _items(call: AttentionCall) -> list[int]:
    count = min(call.batch_size, WINDOWS)
    return [item * call.batch_size // count for item in range(count)]


def _measure(sample: _SampledCall) -> dict[str, Float[Tensor, " head"]]:
    """Each measure that applies, for every head: the mean over the items of the batch."""
    values_by_name: dict[str, list[Tensor]] = {}
    for item in sample.items:
        chunks = [
            dict(_applicable_measures(sample, maps))
            for maps in sample.call.weights_by_heads(item, sample.rows.tolist())
        ]
        for name in chunks[0]:
            values_by_name.setdefault(name, []).append(torch.cat([values[name] for values in chunks]))
    return {name: torch.stack(items).nanmean(dim=0) for name, items in values_by_name.items()}


def _applicable_measures(
    sample: _SampledCall, maps: Float[Tensor, "head query key"]
) -> Iterator[tuple[str, Float[Tensor, " head"]]]:
    rows, keys = sample.rows, sample.keys
    yield "entropy", measures.entropy(maps).nanmean(dim=-1)
    if isinstance(keys, Tokens):
        yield "punctuation", measures.share_of(maps, torch.tensor([is_punctuation(label) for label in keys.labels]))
    if keys is None or not sample.is_self:
        return
    yield "same_token", measures.same_token(maps, rows)
    if isinstance(keys, Tokens):
        yield "previous_token", measures.previous_token(maps, rows)
        yield "first_token", measures.first_token(maps, rows)
        yield "mean_distance", measures.mean_distance(maps, rows)
        return
    if keys.rows * keys.columns:
        yield "mean_distance_in_plane", measures.mean_distance_in_plane(maps, keys, rows)
    if "class" in keys.prefix and len(keys) > len(keys.prefix):
        chosen = torch.arange(len(keys)) == keys.prefix.index("class")
        yield "class_token", measures.share_of(maps[:, rows >= len(keys.prefix)], chosen)


def is_punctuation(label: str) -> bool:
    """Whether a token has characters, none of them a letter or a digit."""
    return bool(label.strip()) and not any(map(str.isalnum, label))


def _bounds(sample: _SampledCall) -> dict[str, float]:
    """The largest possible value of some measures, by name."""
    call, rows, keys = sample.call, sample.rows, sample.keys
    if call.causal and not call.rows_sum_to_one:  # the first rows, which have few keys, may be left out of a mean
        rows = rows[-1:]
    bounds = {"entropy": measures.largest_entropy(rows, call.key_length, causal=call.causal)}
    if sample.is_self and isinstance(keys, Tokens):
        bounds["mean_distance"] = measures.largest_distance(rows, call.key_length, causal=call.causal)
    if sample.is_self and isinstance(keys, Patches) and keys.rows * keys.columns:
        bounds["mean_distance_in_plane"] = measures.largest_distance_in_plane(keys)
    return bounds


def _empty(calls: Sequence[AttentionCall]) -> Float[Tensor, "layer head"]:
    return torch.full((len(calls), max(call.heads for call in calls)), torch.nan)

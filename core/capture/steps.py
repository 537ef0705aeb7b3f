"""Merge the maps of the steps in which a text was generated into one map of the text."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from ..errors import CaptureError
from .call import AttentionCall
from .product import allowed, last_allowed

CACHE_TOLERANCE = 0.25  # relative: keys read from a quantised cache differ less than this from those put in

Keys = Float[Tensor, "key width"]
Pair = tuple[AttentionCall, int]  # the call of a step, and the index of the text in its batch


@dataclass(frozen=True)
class Step:
    """The rows of one step in the text: the first of its `rows` at position `start`, its first key at `offset`."""

    call: AttentionCall
    item: int
    rows: slice
    start: int
    offset: int
    keys: int  # the number of keys that are filled; a cache of fixed size has room for more

    @property
    def stop(self) -> int:
        """The position after its last row."""
        return self.start + len(range(self.call.query_length)[self.rows])


def merge_steps(
    calls: Sequence[AttentionCall],
    item: int = 0,
    beams: Sequence[int] | None = None,
    length: int | None = None,
    parallel_calls: Sequence[AttentionCall] = (),
) -> Float[Tensor, "head query key"]:
    """The rows of all steps one below another, padded with zeros for keys that a step did not have yet.

    With a cache each step has the rows of its newest tokens; without one it has all rows, of which the new ones are
    used. The position of a step in the text is read off its keys (see `place_steps`); rows that a later step computes
    again, as after a rejected draft, are replaced. `item` is the index of the text in the batch. `beams`: its index in
    each step, as `generate` returns it in `beam_indices`; by default `item` in all of them. `length`: the number of
    tokens that the model read; needed where the last step read several at once, of which some may be a draft that was
    rejected. `parallel_calls`: another layer's self-attention calls of the same steps, needed for cross attention,
    whose keys do not tell how long the text is, and for values that repeat.

    Raises CaptureError where the calls are no steps of one text, or where that cannot be determined.
    """
    path = calls[0].path
    if calls[0].over == "channel" or any(call.partial for call in calls):
        raise CaptureError(f"'{path}' has no rows of all tokens, so its steps make no map of a text.")
    if any(call.kind == "unknown" for call in calls):
        raise CaptureError(
            f"It is not known whether the keys of '{path}' are of the text that was written or of another one, and so "
            "where they stand: look at the steps one by one, in record.calls."
        )
    items = [item] * len(calls) if beams is None else [number for number in beams if number >= 0]
    if not items:
        raise CaptureError(f"'{path}' ran {len(calls)} times, and no item says which input was followed.")
    pairs = list(zip(calls, items, strict=False))  # a text may end before the longest of its beams
    parallel_pairs = list(zip(parallel_calls, items, strict=False))
    if calls[0].kind == "cross":
        steps = _place_cross(pairs, place_steps(parallel_pairs) if parallel_pairs else _place_by_counting(pairs, beams))
    else:
        steps = place_steps(pairs, parallel_pairs)
    return _merge_rows(steps, _text_length(steps, length))


def place_steps(pairs: Sequence[Pair], parallel_pairs: Sequence[Pair] = ()) -> list[Step]:
    """The positions in the text of the rows and keys of each step of self-attention.

    Two facts determine them, whatever the cache (growing, sliding, of fixed size, quantised). In a decoder the last key
    that a query may attend to is its own, so the newest keys are those of the step's queries, and all before them come
    from the cache. And the cached key of a token does not change, so those keys are keys of the step before: their
    positions there are their positions now. A sliding cache has fewer of them, one that took back a draft ends earlier,
    and the keys of another hypothesis are not among them. Values replace keys where only the softmax was recorded; as
    they bear no position, those of the first layer may repeat, and then `parallel_pairs`, the calls of another layer,
    decide.
    """
    steps: list[Step] = []
    for number, (call, item) in enumerate(pairs):
        last = _last_key(call, item)
        cached = last + 1 - call.query_length
        if cached < 0:
            raise CaptureError(f"'{call.path}' has fewer keys than queries: its steps make no map of a text.")
        if steps:
            starts, rows = _continue_text(steps, call, item, cached, number)
            if len(starts) > 1:
                other = place_steps(parallel_pairs[: number + 1])[-1].start if parallel_pairs else None
                starts = [start for start in starts if start == other]
            if not starts:
                raise CaptureError(
                    f"The values at '{call.path}' repeat, so it is not known how many tokens of a draft were taken "
                    f"back before step {number}: merge another layer."
                )
            start = starts[0]
        elif cached:
            raise CaptureError(
                f"'{call.path}' begins with {cached} keys from a cache, whose queries were not recorded: record from "
                "the first token on. Where the model itself leaves those queries out, take the rows of its calls."
            )
        else:
            start, rows = 0, slice(None)
        offset = start - cached if cached else 0
        steps.append(Step(call, item, rows, start, offset, last + 1))
    return steps


def _continue_text(
    steps: list[Step], call: AttentionCall, item: int, cached: int, number: int
) -> tuple[list[int], slice]:
    """The possible positions in the text of the first new row of a step, and which of its rows are new."""
    previous = steps[-1]
    if not cached:
        length = previous.stop
        is_longer = call.query_length > length
        if not is_longer or _distance(_cached_keys(call, item, length), _keys_of_step(previous)) > _tolerance(call):
            raise CaptureError(
                f"'{call.path}' began another text after {length} tokens, or reads them otherwise in step {number}: "
                "merge the calls of one text of a decoder."
            )
        return [length], slice(length, None)
    cached_keys, previous_keys = _cached_keys(call, item, cached), _keys_of_step(previous)
    dropped = len(previous_keys) - cached
    rejected_counts = range(min(dropped + 1, previous.call.query_length))  # the first token of a step is never rejected
    starts = [
        previous.stop - rejected
        for rejected in rejected_counts
        if _distance(cached_keys, previous_keys[dropped - rejected : dropped - rejected + cached]) <= _tolerance(call)
    ]
    if starts:
        return starts, slice(None)
    if dropped >= 0:
        _check_parent(previous, cached_keys, call, item, number)
    distance = _distance(cached_keys, previous_keys[dropped:]) if dropped >= 0 else torch.inf
    if distance > CACHE_TOLERANCE:
        raise CaptureError(
            f"The {cached} cached keys of step {number} at '{call.path}' are not those of the step before: the cache "
            "was replaced, or rounded by more than a quarter. Merge the calls of one text."
        )
    return [previous.stop], slice(None)


def _check_parent(previous: Step, cached_keys: Keys, call: AttentionCall, item: int, number: int) -> None:
    """Raise CaptureError if a step continues the text of another index of the batch."""
    items = range(previous.call.batch_size)
    distances = [
        _distance(cached_keys, _cached_keys(previous.call, other, previous.keys)[-len(cached_keys) :])
        for other in items
    ]
    nearest = min(items, key=distances.__getitem__)
    if distances[nearest] < distances[previous.item]:
        raise CaptureError(
            f"In step {number} at '{call.path}' input {item} continues what input {nearest} had read, not input "
            f"{previous.item}: it is a beam search. Give `beams`, the row of `beam_indices` that generate(..., "
            "return_dict_in_generate=True) returns for the text."
        )


def _place_cross(pairs: Sequence[Pair], placed: Sequence[Step]) -> list[Step]:
    """The steps of cross attention, which share their keys, at the positions of the self-attention steps."""
    return [
        Step(call, item, step.rows, step.start, 0, call.key_length)
        for step, (call, item) in zip(placed, pairs, strict=True)
    ]


def _place_by_counting(pairs: Sequence[Pair], beams: Sequence[int] | None) -> list[Step]:
    """The steps of a decoder without self-attention: a step of several queries repeats the rows before its new ones."""
    steps: list[Step] = []
    for call, item in pairs:
        length = steps[-1].stop if steps else 0
        rereads = length and call.query_length > 1
        if rereads and call.query_length <= length:
            raise CaptureError(f"'{call.path}' began another text after {length} tokens: merge the calls of one text.")
        steps.append(Step(call, item, slice(length, None) if rereads else slice(None), length, 0, call.key_length))
    first, first_item = pairs[0]
    other_items = [index for index in range(first.batch_size) if index != first_item] if beams is None else []
    sources = (
        {index: _cached_keys(first, index, first.key_length) for index in (first_item, *other_items)}
        if other_items
        else {}
    )
    if any(_distance(sources[other], sources[first_item]) <= _tolerance(first) for other in other_items):
        raise CaptureError(
            f"Several inputs at '{first.path}' have the same source, as the beams of a text have, and nothing tells "
            "which of them was followed: give `beams`, one number for each step."
        )
    return steps


def _text_length(steps: list[Step], length: int | None) -> int:
    """The number of tokens of the text."""
    read_tokens, last = steps[-1].stop, steps[-1]
    may_be_draft = last.start and last.rows == slice(None) and last.call.query_length > 1
    if length is None and may_be_draft:
        raise CaptureError(
            f"The last step at '{last.call.path}' read {last.call.query_length} tokens at once, and if they were a "
            "draft some may have been rejected: give `length`, the number of tokens that generate returned, less the "
            "last one, which was never read."
        )
    if length is not None and not 1 <= length <= read_tokens:
        raise CaptureError(f"'{last.call.path}' read {read_tokens} tokens, so a text of {length} cannot be shown.")
    return length or read_tokens


def _merge_rows(steps: list[Step], length: int) -> Float[Tensor, "head query key"]:
    cross = steps[0].call.kind == "cross"
    count = max(step.stop for step in steps)
    keys = steps[-1].keys if cross else count
    first = steps[0].call.weights(item=steps[0].item, queries=slice(0))
    merged = first.new_zeros(len(first), count, keys)
    for step in steps:
        merged[:, step.start :] = 0  # rejected tokens
        weights = step.call.weights(item=step.item, queries=step.rows)
        merged[:, step.start : step.stop, step.offset : step.offset + step.keys] = weights[..., : step.keys]
    return merged[:, :length, : keys if cross else length]


def _last_key(call: AttentionCall, item: int) -> int:
    """The position of the last key that the last query may attend to: its own, in a decoder."""
    call.weights(0, item, queries=[], keys=[])  # CaptureError where there is no such input
    last = call.query_length - 1
    if call.product is None:
        bias: Tensor | None = call.weights(0, item, queries=[last]).log()[None, None]
    else:
        bias = call.product.biases(slice(item, item + 1), [0], slice(last, None))
    return call.key_length - 1 if bias is None else int(last_allowed(allowed(bias))[0, 0, -1])


def _cached_keys(call: AttentionCall, item: int, count: int) -> Keys:
    """The first `count` keys of an input, heads concatenated; its values where its keys were not recorded."""
    recorded = call.recorded_value if call.product is None else call.product.key
    if recorded is None:
        raise CaptureError(
            f"Neither keys nor values of '{call.path}' were recorded, so it is not known where a step's keys stand in "
            "the text: merge the weights of its calls by hand."
        )
    keys = recorded[item, :, :count].repeat_interleave(call.heads // recorded.shape[1], dim=0)  # heads may share them
    return keys.transpose(0, 1).flatten(1).float().nan_to_num()


def _keys_of_step(step: Step) -> Keys:
    return _cached_keys(step.call, step.item, step.keys)


def _distance(keys: Keys, other: Keys) -> float:
    """The largest distance of two keys of one position, relative to their norm; infinite if the shapes differ."""
    if keys.shape != other.shape:
        return torch.inf
    distance, size = (keys - other).norm(dim=-1), other.norm(dim=-1)
    return float((distance / size.clamp_min(1e-12)).nan_to_num().max()) if len(keys) else 0.0


def _tolerance(call: AttentionCall) -> float:
    """The relative distance below which keys count as the same: differences of rounding."""
    recorded = call.recorded_value if call.product is None else call.product.key
    return 1e-3 if recorded is None else max(1e-3, 16 * torch.finfo(recorded.dtype).eps)

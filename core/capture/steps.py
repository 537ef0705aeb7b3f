"""One map of a text that was written token by token, from the maps of its steps."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from ..errors import CaptureError
from .call import AttentionCall
from .product import allowed, last_allowed

ROUNDED = 0.25  # keys of a cache of few bits differ from those that were put in by less than this part of their length

Keys = Float[Tensor, "key width"]
Pair = tuple[AttentionCall, int]  # a step, and the place of the batch that is followed in it


@dataclass(frozen=True)
class Step:
    """The rows of one step that stand in the text: the first of its `rows` at `start`, its first key at `offset`."""

    call: AttentionCall
    item: int
    rows: slice
    start: int
    offset: int
    keys: int  # how many of its keys are filled; a cache of fixed size has room for more

    @property
    def stop(self) -> int:
        """One more than the place of its last row."""
        return self.start + len(range(self.call.query_length)[self.rows])


def merge_steps(
    calls: Sequence[AttentionCall],
    item: int = 0,
    beams: Sequence[int] | None = None,
    length: int | None = None,
    beside: Sequence[AttentionCall] = (),
) -> Float[Tensor, "head query key"]:
    """The rows of all steps one below another, each filled up with zeros: what a row's step could not see yet.

    With a cache each step has the rows of its newest tokens; without one it has all of them again, of which the new
    ones are taken. Where a step stands in the text is read off its keys (see `place_steps`); rows that a later step
    computes again, as after a rejected draft, are replaced. `item` is the place in the batch that the model read.
    `beams`: which place was followed in each step, as `generate` says in `beam_indices`; else it is `item` in all of
    them. `length`: how many tokens of the text were read; needed where the last step read several at once, of which
    some may be a draft that was rejected. `beside`: another layer's self-attention calls of the same steps, for cross
    attention, whose keys do not tell how far the text is, and for values that repeat.

    Raises CaptureError where the calls are no steps of one text, or where that cannot be known.
    """
    path = calls[0].path
    if calls[0].over == "channel" or any(call.partial for call in calls):
        raise CaptureError(f"'{path}' has no rows of all tokens, so its steps make no map of a text.")
    if any(call.kind == "unknown" for call in calls):
        raise CaptureError(
            f"It is not known whether the keys of '{path}' are of the text that was written or of another one, and so "
            "where they stand: look at the steps one by one, in record.calls."
        )
    followed = [item] * len(calls) if beams is None else [number for number in beams if number >= 0]
    if not followed:
        raise CaptureError(f"'{path}' ran {len(calls)} times, and no item says which input was followed.")
    pairs = list(zip(calls, followed, strict=False))  # a text may end before the longest of its beams
    others = [(call, own) for call, own in zip(beside, followed, strict=False)]
    if calls[0].kind == "cross":
        steps = _place_cross(pairs, place_steps(others) if others else _by_counting(pairs, beams))
    else:
        steps = place_steps(pairs, others)
    return _laid_out(steps, _length_of(steps, length))


def place_steps(pairs: Sequence[Pair], others: Sequence[Pair] = ()) -> list[Step]:
    """Where the rows and keys of each step of self-attention stand in the text; each call with the place followed.

    Two facts fix that, whatever the cache (growing, sliding, of fixed size, quantised). In a decoder the last key that
    a query may attend to is its own, so the newest keys are those of the step's queries, and all before them come from
    the cache. And what a cache keeps of a token does not change, so those keys are keys of the step before: where they
    stood there is where they stand now. A cache that slid has fewer of them, one that took back a draft ends earlier,
    and the keys of another hypothesis are not among them. Values stand in for keys where only the softmax was seen; as
    they bear no position, those of the first layer may repeat, and then `others` decide, the calls of another layer.
    """
    steps: list[Step] = []
    for number, (call, item) in enumerate(pairs):
        last = _last_key(call, item)
        cached = last + 1 - call.query_length
        if cached < 0:
            raise CaptureError(f"'{call.path}' has fewer keys than queries: its steps make no map of a text.")
        if steps:
            starts, rows = _continued(steps, call, item, cached, number)
            if len(starts) > 1:
                other = place_steps(others[: number + 1])[-1].start if others else None
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


def _continued(steps: list[Step], call: AttentionCall, item: int, cached: int, number: int) -> tuple[list[int], slice]:
    """The places in the text where the first new row of a step may stand, and which of its rows are new."""
    before = steps[-1]
    if not cached:
        known = before.stop
        if call.query_length <= known or _apart(_kept(call, item, known), _filled(before)) > _close(call):
            raise CaptureError(
                f"'{call.path}' began another text after {known} tokens, or reads them otherwise in step {number}: "
                "merge the calls of one text of a decoder."
            )
        return [known], slice(known, None)
    kept, earlier = _kept(call, item, cached), _filled(before)
    room = len(earlier) - cached
    rejected = range(min(room + 1, before.call.query_length))  # the first token of a step is never taken back
    near = [
        before.stop - back
        for back in rejected
        if _apart(kept, earlier[room - back : room - back + cached]) <= _close(call)
    ]
    if near:
        return near, slice(None)
    if room >= 0:
        _check_parent(before, kept, call, item, number)
    own = _apart(kept, earlier[room:]) if room >= 0 else torch.inf
    if own > ROUNDED:
        raise CaptureError(
            f"The {cached} cached keys of step {number} at '{call.path}' are not those of the step before: the cache "
            "was replaced, or rounded by more than a quarter. Merge the calls of one text."
        )
    return [before.stop], slice(None)


def _check_parent(before: Step, kept: Keys, call: AttentionCall, item: int, number: int) -> None:
    """Raise CaptureError if a step continues what another place of the batch had read."""
    others = range(before.call.batch_size)
    apart = [_apart(kept, _kept(before.call, other, before.keys)[-len(kept) :]) for other in others]
    nearest = min(others, key=apart.__getitem__)
    if apart[nearest] < apart[before.item]:
        raise CaptureError(
            f"In step {number} at '{call.path}' input {item} continues what input {nearest} had read, not input "
            f"{before.item}: it is a beam search. Give `beams`, the row of `beam_indices` that generate(..., "
            "return_dict_in_generate=True) returns for the text."
        )


def _place_cross(pairs: Sequence[Pair], placed: Sequence[Step]) -> list[Step]:
    """The steps of cross attention, whose keys are the same in all of them: its rows stand where others were placed."""
    return [
        Step(call, item, step.rows, step.start, 0, call.key_length)
        for step, (call, item) in zip(placed, pairs, strict=True)
    ]


def _by_counting(pairs: Sequence[Pair], beams: Sequence[int] | None) -> list[Step]:
    """Steps of a decoder without self-attention: rows that are there already are read again, all else is new."""
    steps: list[Step] = []
    for call, item in pairs:
        known = steps[-1].stop if steps else 0
        again = known and call.query_length > 1
        if again and call.query_length <= known:
            raise CaptureError(f"'{call.path}' began another text after {known} tokens: merge the calls of one text.")
        steps.append(Step(call, item, slice(known, None) if again else slice(None), known, 0, call.key_length))
    first, own = pairs[0]
    others = [place for place in range(first.batch_size) if place != own] if beams is None else []
    sources = {place: _kept(first, place, first.key_length) for place in (own, *others)} if others else {}
    if any(_apart(sources[other], sources[own]) <= _close(first) for other in others):
        raise CaptureError(
            f"Several inputs at '{first.path}' have the same source, as the beams of a text have, and nothing tells "
            "which of them was followed: give `beams`, one number for each step."
        )
    return steps


def _length_of(steps: list[Step], length: int | None) -> int:
    """How many tokens the text has."""
    read, last = steps[-1].stop, steps[-1]
    drafted = last.start and last.rows == slice(None) and last.call.query_length > 1
    if length is None and drafted:
        raise CaptureError(
            f"The last step at '{last.call.path}' read {last.call.query_length} tokens at once, and if they were a "
            "draft some may have been rejected: give `length`, the number of tokens that generate returned, less the "
            "last one, which was never read."
        )
    if length is not None and not 1 <= length <= read:
        raise CaptureError(f"'{last.call.path}' read {read} tokens, so a text of {length} cannot be shown.")
    return length or read


def _laid_out(steps: list[Step], length: int) -> Float[Tensor, "head query key"]:
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
    """The last key that the last query may attend to: its own, in a decoder."""
    call.weights(0, item, queries=[], keys=[])  # CaptureError where there is no such input
    last = call.query_length - 1
    if call.product is None:
        bias: Tensor | None = call.weights(0, item, queries=[last]).log()[None, None]
    else:
        bias = call.product.biases(slice(item, item + 1), [0], slice(last, None))
    return call.key_length - 1 if bias is None else int(last_allowed(allowed(bias))[0, 0, -1])


def _kept(call: AttentionCall, item: int, count: int) -> Keys:
    """The first `count` keys of an input, of all heads in one row; its values where its keys were not recorded."""
    kept = call.seen_value if call.product is None else call.product.key
    if kept is None:
        raise CaptureError(
            f"Neither keys nor values of '{call.path}' were recorded, so it is not known where a step's keys stand in "
            "the text: merge the weights of its calls by hand."
        )
    own = kept[item, :, :count].repeat_interleave(call.heads // kept.shape[1], dim=0)  # heads may share them
    return own.transpose(0, 1).flatten(1).float().nan_to_num()


def _filled(step: Step) -> Keys:
    return _kept(step.call, step.item, step.keys)


def _apart(one: Keys, other: Keys) -> float:
    """The largest distance of two keys of one place, as a part of their length; infinite if there are not as many."""
    if one.shape != other.shape:
        return torch.inf
    distance, size = (one - other).norm(dim=-1), other.norm(dim=-1)
    return float((distance / size.clamp_min(1e-12)).nan_to_num().max()) if len(one) else 0.0


def _close(call: AttentionCall) -> float:
    """Keys that differ by less are the same, computed in another order."""
    kept = call.seen_value if call.product is None else call.product.key
    return 1e-3 if kept is None else max(1e-3, 16 * torch.finfo(kept.dtype).eps)

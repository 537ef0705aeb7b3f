"""One map of a text that was written token by token, from the maps of its steps."""

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from ..errors import CaptureError
from .call import AttentionCall


def merge_steps(
    calls: Sequence[AttentionCall], item: int = 0, beams: Sequence[int] | None = None
) -> Float[Tensor, "head query key"]:
    """The rows of all steps one below another, each filled up with zeros: what a row's step could not see yet.

    With a cache each step has the rows of its newest tokens; without one it has all of them again, of which the new
    ones are taken. `beams`: which item of the batch was followed in each step, as `generate` says in `beam_indices`;
    else it is `item` in all of them. Raises CaptureError where the calls are no steps of one text.
    """
    path = calls[0].path
    followed = [item] * len(calls) if beams is None else [number for number in beams if number >= 0]
    if not followed:
        raise CaptureError(f"'{path}' ran {len(calls)} times, and no item says which input was followed.")
    rows: list[Tensor] = []
    for call, own in zip(calls, followed, strict=False):  # a text may end before the longest of its beams
        seen = sum(part.shape[1] for part in rows)
        anew = bool(rows) and _reads_all(call)
        if anew and call.query_length <= seen:
            raise CaptureError(f"'{path}' began another text after {seen} tokens: merge the calls of one text.")
        rows.append(call.weights(item=own, queries=slice(seen, None) if anew else None))
    count = sum(part.shape[1] for part in rows)
    keys = calls[-1].key_length if calls[-1].kind == "cross" else count
    return torch.cat([F.pad(part[..., :keys], (0, max(0, keys - part.shape[-1]))) for part in rows], dim=1)


def _reads_all(call: AttentionCall) -> bool:
    """Whether a step reads the text from its beginning: not where keys come from a cache, or it has one token alone."""
    if call.kind == "cross":
        return call.query_length > 1
    return call.query_length == call.key_length

"""The sentences of "What to notice" about a picture, computed from the recorded attention."""

import math
from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor

from core.capture import AttentionCall
from core.heads.measures import shares
from core.images import Patches
from dashboard.recordings.notices import EQUAL_SHARE, Finding, Notice, sampled_rows, single_notice, value_of
from dashboard.recordings.row_sums import Calls, negative_weight_notice, row_sum_notices

PEAK_RATIO = 1.2  # times the mean over patches: a largest weight below it is no peak
EQUAL_DISTANCE = 0.5  # patches: distances that differ by less count as equal


def notice_picture(calls: Calls, patches: Patches) -> Notice:
    """Notices about self-attention over all patches: mean distances, and the class token in the last layer."""
    if not calls or not patches.rows * patches.columns:
        return single_notice("No layer of this model lets every patch look at every other.")
    if negative := negative_weight_notice(calls):
        return single_notice(negative)
    if patches.rows * patches.columns == 1:
        return single_notice("This picture is one patch: there is no other to look at.")
    rows = sampled_rows(patches.rows * patches.columns, calls)
    places = torch.cartesian_prod(torch.arange(patches.rows), torch.arange(patches.columns)).reshape(-1, 2).double()
    patch_distances = torch.cdist(places[rows], places)
    reaches = [
        Finding(layer, head, reach)
        for layer, call in calls.items()
        for head, reach in enumerate(_reaches(call, rows, patch_distances, before=len(patches.prefix)))
        if math.isfinite(reach)
    ]
    if not reaches:
        return single_notice("Every head is ablated: none of them attends to anything.")
    start, sentences = max(reaches, key=value_of), [distance_notice(reaches, float(patch_distances.mean()))]
    if patches.prefix and (class_notice := _class_token_notice(*list(calls.items())[-1], patches)):
        start, sentence = class_notice
        sentences.append(sentence)
    about_start = len(sentences) - 1
    return Notice((*sentences, *row_sum_notices(calls)), start, about_start)


def distance_notice(distances: Sequence[Finding], even: float | None) -> str:
    """A sentence about the heads with the smallest and the largest mean distance, in patches.

    `even` is the distance of attention spread evenly; None if layers attend within windows of patches that may differ
    in size.
    """
    nearest, farthest = min(distances, key=value_of), max(distances, key=value_of)
    unit = "patches" if even is not None else "patches of its own layer"
    reach = "" if even is None else f" Attention spread evenly would reach {even:.1f}."
    if farthest.value - nearest.value < EQUAL_DISTANCE:
        return (
            f"All heads look about as far: {nearest.value:.1f} to {farthest.value:.1f} {unit} away on average.{reach}"
        )
    return (
        f"**{nearest.head_name.capitalize()}** looks nearest, {nearest.value:.1f} {unit} away on average; "
        f"**{farthest.head_name}** farthest, {farthest.value:.1f}.{reach}"
    )


def _reaches(
    call: AttentionCall, rows: Int[Tensor, " patch"], patch_distances: Float[Tensor, "patch key"], *, before: int
) -> list[float]:
    """The mean attention distance of each head in patches, as `core.heads.measures` has it; NaN for a silenced head."""
    reaches = list[float]()
    for block in call.weights_by_heads(queries=(before + rows).tolist()):
        reaches += (shares(block[..., before:]) * patch_distances).sum(dim=-1).nanmean(dim=-1).tolist()
    return reaches


def _class_token_notice(layer: int, call: AttentionCall, patches: Patches) -> tuple[Finding, str] | None:
    """The largest weight of the first prefix token on a patch, and a sentence; None if all heads are silenced."""
    before, (first, *others) = len(patches.prefix), patches.prefix
    rows = shares(torch.cat(list(call.weights_by_heads(queries=[0])))[:, 0]).nan_to_num(nan=0.0)
    has_weight = rows.sum(dim=-1) > 0
    if not has_weight.any():
        return None
    to_prefix = float(rows[has_weight, :before].sum(dim=-1).mean())
    head, key = divmod(int(rows[:, before:].argmax()), rows.shape[1] - before)
    strongest = Finding(layer, head, float(rows[head, before + key]), 0, before + key)
    row, column = divmod(key, patches.columns)
    patch_weights = rows[head, before:]
    if strongest.value < EQUAL_SHARE:
        clause = "it gives no patch more than next to nothing"
    elif strongest.value < PEAK_RATIO * float(patch_weights.mean()):
        clause = f"it gives no patch much more than the others, at most {strongest.value:.0%}"
    else:
        clause = (
            f"its strongest look at the picture is {strongest.value:.0%}, in head {head}: row {row}, column {column}"
        )
    itself = " and ".join(
        ["itself", *(f"the {name} token" if name in others else name for name in name_prefix(others))]
    )
    return strongest, (
        f"In layer {layer} the {first} token keeps on average {to_prefix:.0%} of its attention for {itself}; {clause}."
    )


def name_prefix(labels: Sequence[str]) -> list[str]:
    """The names of prefix tokens, with registers counted: "class", "4 registers"."""
    registers = sum(label.startswith("register") for label in labels)
    labelled = [label for label in labels if not label.startswith("register")]
    return [*labelled, f"{registers} register{'s' if registers > 1 else ''}"] if registers else labelled

"""Sentences about rows of attention that do not sum to 1, and about weights below 0."""

from collections.abc import Mapping

from jaxtyping import Float
from torch import Tensor

from core.capture import AttentionCall

Calls = Mapping[int, AttentionCall]  # by the number of the layer

SUM_MARGIN = 0.005  # sums that differ from 1 by less read as 1


def negative_weight_notice(calls: Calls) -> str:
    """A sentence that names the layers with weights below 0, which are no shares; "" if there are none."""
    layers = [str(layer) for layer, call in calls.items() if call.has_negative_weights]
    if not layers:
        return ""
    where = f"layer {layers[0]}" if len(layers) == 1 else f"{len(layers)} of {len(calls)} layers"
    return f"Heads of {where} have attention weights below 0, which are no shares: nothing is said of them here."


def row_sum_notices(calls: Calls) -> tuple[str, ...]:
    """A sentence about rows that do not sum to 1, with their sums and the cause; empty if all do.

    It names the layer whose sums differ most from 1, on average over the rows of all heads that are not silenced.
    """
    if negative := negative_weight_notice(calls):
        return (negative,)
    sums = {layer: _sums_of_rows(call) for layer, call in calls.items() if not call.rows_sum_to_one}
    differences = {layer: float((values - 1).abs().nanmean()) for layer, values in sums.items()}
    differences = {layer: value for layer, value in differences.items() if value >= SUM_MARGIN}  # no NaN
    if not differences:
        return ()
    most = max(differences, key=differences.__getitem__)
    of_layers = f"{len(differences)} of {len(calls)} layers" if len(calls) > 1 else f"layer {most}"
    empty = int((sums[most] == 0).all(dim=1).sum())
    empty_note = f" Nothing is left of {empty} row{'s' if empty > 1 else ''} in any head." if empty else ""
    return (
        f"Rows of {of_layers} do not sum to 1: in layer {most} {_sum_notice(calls[most], sums[most])}.{empty_note} "
        "Shares in these sentences are of each row's own sum.",
    )


def _sum_notice(call: AttentionCall, sums: Float[Tensor, "batch head query"]) -> str:
    """The sums of rows and their cause: the mean if none is above 1, else the range."""
    finite = sums[~sums.isnan()]
    if float(finite.max()) > 1 + SUM_MARGIN:
        return f"the sums are {float(finite.min()):.2f} to {float(finite.max()):.2f}, changed after the softmax"
    cause = "an attention sink that is no token" if call.sink is not None else "a mask after the softmax"
    return f"the mean sum is {float(finite.mean()):.2f}, because {cause} took the rest"


def _sums_of_rows(call: AttentionCall) -> Float[Tensor, "batch head query"]:
    """The sums of the rows of all heads but silenced ones."""
    sums = call.row_sums()
    return sums[:, (sums.nan_to_num(nan=0.0) > 0).any(dim=-1).any(dim=0)]

"""A description of weights that are NaN or infinite."""

from torch import nn


def describe_nonfinite_weights(network: nn.Module) -> str:
    """A sentence without its subject: how many weights are NaN or infinite, and in which tensors; "" if none is."""
    counts: dict[str, int] = {}
    for name, weight in network.named_parameters():
        # The smallest and the largest suffice, without a copy of the weights: both are NaN if any number is.
        if weight.numel() and not all(bound.isfinite() for bound in weight.aminmax()):
            counts[name] = int((~weight.isfinite()).sum())
    if not counts:
        return ""
    first, count = next(iter(counts.items()))
    all_of_them = count == network.get_parameter(first).numel()
    where = f"{'all' if all_of_them else ''} {count:,} in {first}".strip()
    if len(counts) > 1:
        where += f", {sum(counts.values()) - count:,} in {len(counts) - 1} other tensor{'s' if len(counts) > 2 else ''}"
    return f"has weights that are NaN or infinite: {where}."

"""Weights that are no numbers: where they stand, in words."""

from torch import nn


def describe_odd_weights(network: nn.Module) -> str:
    """A sentence without its subject that says how many weights are NaN or infinite, and where; "" if none is."""
    odd: dict[str, int] = {}
    for name, weight in network.named_parameters():
        # The smallest and the largest tell it without a copy of the weights: both are NaN if any number is.
        if weight.numel() and not all(bound.isfinite() for bound in weight.aminmax()):
            odd[name] = int((~weight.isfinite()).sum())
    if not odd:
        return ""
    first, count = next(iter(odd.items()))
    all_of_them = count == network.get_parameter(first).numel()
    where = f"{'all' if all_of_them else ''} {count:,} in {first}".strip()
    if len(odd) > 1:
        where += f", {sum(odd.values()) - count:,} in {len(odd) - 1} other tensor{'s' if len(odd) > 2 else ''}"
    return f"has weights that are NaN or infinite: {where}."

"""Readings by formula and by count: shares of scores, parameters, bytes, and approximations of attention."""

from collections.abc import Sequence
from dataclasses import replace

import torch

from core.costs import bill
from core.costs.counts import count_parameters
from core.costs.parameters import parameters
from core.costs.shape import gpt
from core.efficient import LowRank, Performer, SlidingWindow, Variant
from core.efficient.approximation_error import compare, head_of
from core.efficient.error_curve import with_setting
from core.errors import InputError
from core.heads.measures import shares
from core.shrinking.number_formats import FORMATS, in_number_format, size_in_bytes
from dashboard.cache.models import text_model
from dashboard.lessons.readings.answers import Amount, Choice
from dashboard.recordings import watched

GPT = "gpt-books"
KINDS = {
    bill.EMBEDDING: "embedding",
    bill.QKV: "attention",
    bill.OUT: "attention",
    bill.MLP: "MLP",
    bill.POSITIONS: "positions",
    bill.NORMS: "norms",
}
VARIANTS: dict[str, type[Variant]] = {
    "sliding window": SlidingWindow,
    "Performer": Performer,
    "low rank": LowRank,
}


def share_of_score(scores: Sequence[float], place: int = 0) -> Amount:
    """The percentage that the softmax of `scores` gives to the one at `place`."""
    weights = torch.tensor([float(score) for score in scores]).softmax(dim=0)
    return Amount(100 * float(weights[place]), "%", within=0.05)


def largest_part(model: str = GPT) -> Choice:
    """The share of a model's parameters in each kind of part, counted."""
    parameter_counts = count_parameters(text_model(model).network)
    return _by_kind({part: value / sum(parameter_counts.values()) for part, value in parameter_counts.items()})


def largest_part_of_size(layers: int, width: int, heads: int, vocabulary: int = 50257) -> Choice:
    """The share of a GPT's parameters in each kind of part, by formula."""
    lines = parameters(gpt(layers, width, heads, vocabulary=vocabulary))
    total = sum(line.value for line in lines)
    choice = _by_kind({line.part: line.value / total for line in lines})
    return replace(choice, extra={"parameters": f"{total / 1e9:,.0f} billion" if total >= 1e10 else f"{total:,}"})


def bytes_saved(number_format: str = "int8", model: str = GPT) -> Amount:
    """The ratio of a model's size in bytes to its size in another number format."""
    if number_format not in FORMATS:
        raise InputError(f"“{number_format[:40]}” is not a number format here; these are: {', '.join(FORMATS)}.")
    network = text_model(model).network
    return Amount(size_in_bytes(network) / size_in_bytes(in_number_format(network, number_format)), "times", digits=1)


def kept_by_window(text: str, layer: int, head: int, window: int, model: str = GPT) -> Amount:
    """The percentage of a head's attention on the last `window` tokens, on average over queries."""
    call = watched.watch_text(model, text).record.calls[layer]
    weights, places = call.weights(head), torch.arange(call.query_length)
    visible = SlidingWindow(window=window, causal=True).attends(places[:, None], places[None], call.query_length)
    return Amount(100 * float((shares(weights) * visible).sum(dim=-1).nanmean()), "%")


def nearest_variant(text: str, layer: int, head: int, size: int = 8, model: str = GPT) -> Choice:
    """The relative error of a head's output under approximations with a window, a rank or features of one `size`."""
    exact = head_of(watched.watch_text(model, text).record.calls[layer], head)
    variants = {name: with_setting(kind(causal=exact.causal), size) for name, kind in VARIANTS.items()}
    return Choice({name: compare(variant, exact).output_error for name, variant in variants.items()}, least=True)


def _by_kind(shares: dict[str, float]) -> Choice:
    kinds: dict[str, float] = {}
    for part, share in shares.items():
        kind = KINDS.get(part, "other")
        kinds[kind] = kinds.get(kind, 0.0) + share
    return Choice(kinds)

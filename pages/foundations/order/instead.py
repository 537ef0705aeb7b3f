"""How a model knows the order when it does not do it in the way that one has asked for."""

from torch import nn

from core.order.learned_positions import find_tables, other_way, rotary_base
from pages.foundations.order.words import INSTEAD, INSTEAD_LEARNED


def instead(network: nn.Module) -> str:
    """The end of a sentence that says what the model uses, as far as its parts tell."""
    if tables := find_tables(network):
        return INSTEAD_LEARNED.format(count=f"{len(tables[0].vectors):,}")
    way = other_way(network)
    base = rotary_base(network) if way == "rotary" else None
    return INSTEAD[way] + (f", with the base {base:,.0f}" if base else "")

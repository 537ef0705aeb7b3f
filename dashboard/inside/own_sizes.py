"""Build your own: the sizes of a GPT that nobody has trained."""

import streamlit as st

from core.errors import InputError
from core.sizes import Shape, flops, gpt, memory, total
from dashboard import layout
from dashboard.figures.numbers import with_power
from dashboard.words import sizes as said

# Name, key, least, most, at first: those of GPT-3 175B.
_FIELDS = (
    ("Layers", "own_layers", 1, 1_000, 96),
    ("Width", "own_width", 8, 100_000, 12_288),
    ("Heads", "own_heads", 1, 1_000, 96),
    ("Vocabulary", "own_vocabulary", 2, 1_000_000, 50_257),
    ("Context", "own_context", 1, 1_000_000, 2_048),
)


def show(precision: str) -> None:
    """Five numbers, and what they make."""
    st.subheader("Build your own", anchor=False)
    if not layout.is_presented():
        st.markdown(said.OWN, width=layout.PROSE)
    with layout.control_bar():
        chosen = [
            st.number_input(name, least, most, first, key=key, bind="query-params", width=150)
            for name, key, least, most, first in _FIELDS
        ]
    shape = _shape(*chosen)
    context = chosen[-1]
    bill = {each.part: each.value for each in memory(shape, context, precision)}
    work = sum(each.value for each in flops(shape, context)) / context
    with layout.control_bar():
        st.metric("Parameters", amount(total(shape)))
        st.metric(f"FLOPs a token, over {context:,}", with_power(work, digits=3))
        st.metric(f"Weights in {precision}", f"{amount(bill['Weights'])}B")
        st.metric(f"KV cache of {context:,} tokens", f"{amount(bill['Keys and values kept (KV cache)'])}B")


def amount(number: float) -> str:
    """With three digits and a prefix: 175 G."""
    for prefix, power in (("T", 12), ("G", 9), ("M", 6), ("k", 3)):
        if number >= 10**power:
            return f"{number / 10**power:.3g} {prefix}"
    return f"{number:.0f} "


def _shape(layers: int, width: int, heads: int, vocabulary: int, context: int) -> Shape:
    if width % heads:
        raise InputError(f"{heads} heads cannot share {width:,} channels equally: choose a width that they divide.")
    return gpt(layers, width, heads, vocabulary=vocabulary, positions=context)

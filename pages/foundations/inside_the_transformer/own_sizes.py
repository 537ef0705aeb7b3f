"""Build your own: the sizes of a GPT that nobody has trained."""

import streamlit as st

from core.sizes import flops, memory, total
from dashboard import layout, own_gpt
from dashboard.numbers import amount, with_power
from pages.foundations.inside_the_transformer import words_sizes as said


def show(precision: str) -> None:
    """Five numbers, and what they make."""
    st.subheader("Build your own", anchor=False)
    if not layout.is_presented():
        st.markdown(said.OWN, width=layout.PROSE)
    shape, context = own_gpt.choose("own")
    bill = {each.part: each.value for each in memory(shape, context, precision)}
    work = sum(each.value for each in flops(shape, context)) / context
    with layout.control_bar():
        st.metric("Parameters", amount(total(shape)))
        st.metric(f"FLOPs a token, over {context:,}", with_power(work, digits=3))
        st.metric(f"Weights in {precision}", f"{amount(bill['Weights'])}B")
        st.metric(f"KV cache of {context:,} tokens", f"{amount(bill['Keys and values kept (KV cache)'])}B")

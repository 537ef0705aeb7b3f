"""A page with a question, its answers in a class, and the way to open one."""

import streamlit as st

from dashboard import classroom_view

CHOICES = ["the dog", "the man", "<b>neither</b>"]

st.title("Who bit whom?")
classroom_view.bar()
classroom_view.offer()
classroom_view.answered("who-bit", st.radio("Who bit?", CHOICES, index=None))
classroom_view.answers_bars("who-bit", CHOICES)

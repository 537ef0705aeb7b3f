"""A page with a question, its answers in a class, and the way to open one."""

import streamlit as st

from dashboard.classroom import view

CHOICES = ["the dog", "the man", "<b>neither</b>"]

st.title("Who bit whom?")
view.bar()
view.offer()
view.answered("who-bit", st.radio("Who bit?", CHOICES, index=None))
view.answers_bars("who-bit", CHOICES)

"""The empty page: what Streamlit itself needs for a visitor, beside whom the atlas is measured."""

import streamlit as st

st.write("Nothing but this line.")

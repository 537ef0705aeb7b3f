"""What this is, one living example, and where to go."""

import streamlit as st

from dashboard import contents, examples, layout, runs, words
from dashboard.components.attention_view import attention_view

layout.head(words.HOME)
attention_view(runs.watch_text("gpt-books", examples.SENTENCE).scene, key="view", address=False)
contents.TEXT.link("Try it with your own sentence")
st.divider()
for column, (group, pages) in zip(st.columns(len(contents.GROUPS) - 1), list(contents.GROUPS.items())[1:], strict=True):
    with column:
        st.subheader(group, anchor=False)
        for page in pages:
            page.link()

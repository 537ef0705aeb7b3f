"""A text with words to click, for the tests of the word picker; below it, what was clicked, and how many runs."""

import streamlit as st

from dashboard.components.word_picker import PickedWord, word_picker

WORDS = ("The", " old", " man", "\n\nsat", " <b>down</b>", " 😀", " مرحبا", ".")


def app() -> None:
    st.set_page_config(layout="wide")
    state = st.session_state
    state.runs = state.get("runs", 0) + 1
    hidden = state.setdefault("hidden", [])
    word_picker(
        [
            PickedWord(
                word,
                f"word {place}: {word.strip()}",
                strength=place / len(WORDS),
                covered=place in hidden,
                below="guess" if place in hidden else "",
                marked=place == 2,
            )
            for place, word in enumerate(WORDS)
        ],
        key="words",
        on_click=hidden.append,
        label="A text",
        hint="Click a word.",
        scale="strength",
        ticks=((0, "none"), (1, "all")),
    )
    st.text(f"clicked {hidden} in {state.runs} runs")


if __name__ == "__main__":
    app()

"""Tokens: how a word is merged from its bytes, what that costs in other scripts, and what surprises the model."""

from dashboard.inputs import controls
from pages.language.next_word import merges, scripts, surprise, words

LOOKS = {words.MERGES: merges.show, words.SCRIPTS: scripts.show, words.SURPRISE: surprise.show}


def show() -> None:
    """One of three, each with its own controls."""
    LOOKS[controls.choice("Look at", LOOKS, key="tokens_look")]()

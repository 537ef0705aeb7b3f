"""What is said of a translation, and of one that is being written."""

from dashboard import typeset
from dashboard.number_format import signed
from pages.language.translation.compute import Translated


def one_line(text: str) -> str:
    """What a model wrote, in one line, exactly these characters."""
    return typeset.plain(" ".join(text.split())) or "∅"


def how_probable(translated: Translated) -> str:
    """The log-probability of a translation, in total and per token, and whether it came to its end."""
    total, count = translated.log_probability, len(translated.target)
    summary = f"log-probability **{signed(total)}**, **{signed(total / count)}** per token"
    return summary if translated.decoded.best.ended else f"{summary} · it reached the length limit without ending"

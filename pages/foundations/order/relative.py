"""Order told to the scores instead of the tokens: four ways, one at a time."""

from pages.foundations.order import alibi, buckets, inputs, rotary, windows

WAYS = {"Rotary": rotary.show, "ALiBi": alibi.show, "T5": buckets.show, "Swin": windows.show}


def show() -> None:
    """The chosen way."""
    WAYS[inputs.choice("Way", list(WAYS), key="way")]()

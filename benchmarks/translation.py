"""Translation: loading the three models, translating with all of them, and what a visitor waits for."""

import statistics
from collections.abc import Iterator
from functools import partial

from playwright.sync_api import Page

from benchmarks.measure import times
from benchmarks.student import opened, typed, visiting, wait
from benchmarks.table import Row
from core import zoo

SENTENCE = "The old man gave his daughter a book about the sea."  # ten words and one
SENTENCES = (
    SENTENCE,
    "My brother told me that he would come back on Sunday.",
    "We have never seen such a big dog before.",
)


def rows() -> Iterator[Row]:
    """Models alone, then the page."""
    for name in zoo.TRANSLATION:
        (seconds,) = times(partial(zoo.load_translator, name), repeats=5)
        yield Row(f"Translation: loading {name}", seconds, "s", 0.5)
    models = [zoo.load_translator(name) for name in zoo.TRANSLATION]
    for beam, budget in ((5, 1.5), (1, None)):
        (seconds,) = times(partial(_translate, models, beam), repeats=5)
        how = f"beam {beam}" if beam > 1 else "greedy"
        yield Row(f"Translation: a sentence of 11 words by all three, {how}, with maps", seconds, "s", budget)
    with visiting() as (page, address):
        yield _visit(page, address)


def _translate(models: list[zoo.Translator], beam: int) -> None:
    for model in models:
        source = model.encode(SENTENCE)
        model.align(source, model.tokens(model.write(source, beam=beam).best.tokens))


def _visit(page: Page, address: str) -> Row:
    opened(page, address, "translation", "Three translators")
    waits = [wait(page, typed(page, "Your English sentence", sentence)) for sentence in SENTENCES]
    return Row(
        "Translation: new sentence to three translations and maps on the page", statistics.median(waits), "ms", 1500
    )

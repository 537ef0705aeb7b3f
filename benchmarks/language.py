"""Next word, Missing word, Sentiment: the speed of writing, and what visitors of every section wait for."""

import statistics
import time
from collections.abc import Iterator

from playwright.sync_api import Page, expect

from benchmarks import controls
from benchmarks.student import opened, typed, visiting, wait
from benchmarks.table import Row

IMPORTS = 40  # seconds for which a server that has just started imports what its pages need
TOKENS = 64  # that are written in one go
SPEED = 20  # tokens a second, the view following
SENTENCE = 1000  # milliseconds from a new sentence to all that is said of it
CONTROL = 400  # milliseconds from a control to the last change on its page
SENTENCES = (
    "The old man looked at the sea and said nothing of what he had seen.",
    "When the rain had stopped the children ran out of the house and laughed.",
    "She gave the letter to her brother because he knew the man.",
)
# Page, section, and the field for what it is about.
SECTIONS = (
    *(("next-word", section, "Your text") for section in ("Writes", "Why this word", "Cache")),
    *(("missing-word", section, "Your text") for section in ("Fill in", "Both ways")),
    ("missing-word", "Two sentences", "First sentence"),
    ("missing-word", "Grammar", "Your text"),
    ("missing-word", "Tasks", "Your sentence"),
    ("missing-word", "Across languages", "English sentence"),
    *(("sentiment", section, "Your text") for section in ("Read", "Faithful?", "Swap it")),
)
ONE_LINE = ("Two sentences", "Tasks", "Across languages")  # a field of one line takes Enter
MOVED = (
    *(("next-word", section) for section in ("Writes", "Why this word", "Copying", "Cache", "Tokens", "Small tasks")),
    *((page, section) for page, section, _ in SECTIONS[3:]),
)


def rows() -> Iterator[Row]:
    """Waits of a student in every section, and the speed of writing a text."""
    with visiting() as (page, address):
        opened(page, address, "next-word", "Why this word")
        page.wait_for_timeout(1000 * IMPORTS)
        for name, section, field in SECTIONS:
            opened(page, address, name, section)
            key = "Enter" if section in ONE_LINE else "Control+Enter"
            waits = [wait(page, typed(page, field, sentence, key)) for sentence in SENTENCES]
            yield Row(f"{title(name)}, {section}: new sentence", statistics.median(waits), "ms", SENTENCE)
        for name, section in MOVED:
            opened(page, address, name, section)
            waits_of_controls = [
                (label, wait_of_control) for label, wait_of_control in controls.waits(page) if wait_of_control
            ]
            if (
                not waits_of_controls
            ):  # all that one does there is to type, to click in figures, or changes figures only
                continue
            label, slowest = max(waits_of_controls, key=lambda label_and_wait: label_and_wait[1])
            what = f"{title(name)}, {section}: slowest of {len(waits_of_controls)} controls, until the page is still"
            yield Row(what, slowest, "ms", CONTROL, detail=label)
        yield _written(page, address)


def _written(page: Page, address: str) -> Row:
    """The speed of writing a text a second time; the first time includes imports."""
    speeds = []
    for seed in ("1", "2"):
        opened(page, address, "next-word", "Writes", writes_count=str(TOKENS), writes_seed=seed)
        started = time.perf_counter()
        page.get_by_role("button", name="Write", exact=True).click()
        expect(page.get_by_role("button", name="Stop")).to_have_count(1)
        expect(page.get_by_role("button", name="Stop")).to_have_count(0, timeout=60_000)
        speeds.append(TOKENS / (time.perf_counter() - started))
    what = f"Next word, Writes: {TOKENS} tokens of gpt-books, text and attention following"
    return Row(what, speeds[-1], "tokens/s", SPEED, at_least=True)


def title(name: str) -> str:
    """The title of a page, from its address."""
    return name.replace("-", " ").capitalize()

"""Does it matter: the loss of what follows when a far link, its sentence, or all that is far is taken away."""

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from core.long_context.links import Link
from core.long_context.outline import sentence_at
from core.long_context.removal import Removal, RemovedFar, RemovedLink, RemovedTokens, losses_without
from core.progress import Progress, no_progress
from dashboard import theme, typeset
from dashboard.cache import waiting
from dashboard.cache.memo import cached
from dashboard.cache.models import book_model
from dashboard.figures.paper import on_paper
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.long_text.open_reading import OpenReading
from dashboard.number_format import CLEAR, Comparison, compare
from dashboard.output import charts
from dashboard.output.data_table import data_table
from dashboard.theme import HUES, Look
from pages.explore.long_text import inputs
from pages.explore.long_text.how_far import choose_head, far_edge, read_to_the_end
from pages.explore.long_text.prose import PAGE

SECTION = PAGE.section("Does it matter")
LINKS = 12  # of the open head, to choose from
FOLLOWING = 64  # tokens after the link's query, whose loss is measured
FEWEST = 2  # tokens after a link: a single one has no standard error
DRAWS = 4  # random links, and random sentences, to compare with
AROUND = 6  # tokens of a link's surroundings on either side
TALL = 300  # pixels
LINK, RANDOM_LINK = "this link", "a random link"
SENTENCE, RANDOM_SENTENCE = "its sentence", "a random passage as long"
FAR = "all that is farther than {distance:,} tokens"


@dataclass(frozen=True)
class Change:
    """How many bits a token more the following tokens cost without something, and the standard error.

    The error is that over the tokens, or over the draws where something was drawn at random; nan for a single one.
    """

    name: str
    bits: float
    error: float

    @property
    def side(self) -> Comparison:
        """Whether the tokens cost more without it, or less, by CLEAR standard errors."""
        return compare(self.bits, 0.0, margin=CLEAR * self.error)


@dataclass(frozen=True)
class Worth:
    """The loss of the following tokens in bits a token, and the change for each thing that was taken away."""

    tokens: int
    bits: float
    changes: tuple[Change, ...]


def show() -> None:
    """The strongest far links of a head; what the chosen one is worth, once it has been measured."""
    reading = inputs.choose()
    read_to_the_end(reading)
    layer, head = choose_head(reading, lambda measured: measured.strongest_far)
    distance = far_edge(len(reading.tokens))
    with layout.waiting_place():
        links = far_links(reading, layer, head, distance)
    if not links:
        none = f"Head {head} of layer {layer} has no link that is more than {distance:,} tokens long."
        st.info(f"{none} Choose another head under *How far*.")
        return
    data_table(
        link_table(reading, links),
        hide_index=True,
        column_config={"weight": st.column_config.NumberColumn(format="percent")},
    )
    layout.place_notice()
    number = controls.number("Link", len(links), key="link")
    link = links[number]
    worth = worth_of.peek(reading, layer, head, link, distance)
    if worth is None:
        work = partial(_measure, reading, layer, head, link, distance)
        waiting.offer("Measure what it is worth", work, unit="tokens × layers")
    else:
        table = change_table(worth)
        charts.chart(
            partial(change_bars, table, look=theme.look()),
            name="worth",
            alt=f"Change of the loss of the {worth.tokens} tokens after the link, for {len(table)} things taken away",
            table=table,
        )
    layout.notes(
        SECTION,
        notice=(worth_notice(worth) if worth else link_notice(reading, layer, head, links[0]),),
        numbers={"query": link.query, "key": link.key, "following": FOLLOWING, "draws": DRAWS},
        formula=lambda: _before(worth),
    )


@cached("The strongest far links are looked up …", unit="rows")
def far_links(
    reading: OpenReading, layer: int, head: int, distance: int, progress: Progress = no_progress
) -> tuple[Link, ...]:
    """The strongest links of a head that are farther than `distance`, but for those to the first token.

    Left out are also those after which fewer than FEWEST tokens follow.
    """
    links = reading.strongest_links(layer, head, LINKS, distance, progress)
    return tuple(link for link in links if len(reading.tokens) - 1 - link.query >= FEWEST)


def _measure(reading: OpenReading, layer: int, head: int, link: Link, distance: int, progress: Progress) -> None:
    worth_of(reading, layer, head, link, distance, progress)


@cached(unit="tokens × layers")
def worth_of(
    reading: OpenReading, layer: int, head: int, link: Link, distance: int, progress: Progress = no_progress
) -> Worth:
    """Measure what a link is worth, beside random ones of the same row, and its sentence beside random passages."""
    model, tokens = book_model(reading.name), reading.tokens
    removals = things_to_remove(reading, layer, head, link, distance)
    runs = 1 + sum(len(some) for some in removals.values())
    finished = 0

    def losses(removal: Removal | None) -> np.ndarray:
        nonlocal finished

        def report(done: int, total: int) -> None:
            progress(finished * total + done, runs * total)

        values = losses_without(model, tokens, removal, report)[link.query : link.query + FOLLOWING]
        finished += 1
        return values.double().numpy()

    unchanged = losses(None)
    changes = []
    for name, some in removals.items():
        differences = [losses(removal) - unchanged for removal in some]
        per_token = differences[0]
        values = np.array([difference.mean() for difference in differences]) if len(some) > 1 else per_token
        error = float(values.std(ddof=1) / math.sqrt(len(values))) if len(values) > 1 else math.nan
        changes.append(Change(name, float(np.mean(values)), error))
    return Worth(len(unchanged), float(unchanged.mean()), tuple(changes))


def things_to_remove(
    reading: OpenReading, layer: int, head: int, link: Link, distance: int
) -> dict[str, tuple[Removal, ...]]:
    """What is taken away, by its name; the same random choices at every call."""
    generator = np.random.default_rng(link.query * len(reading.tokens) + link.key)
    sentence = sentence_at(reading.marks, link.key, len(reading.tokens))
    sentence = range(sentence.start, min(sentence.stop, link.query))  # the query itself stays
    others = [key for key in generator.permutation(link.query)[: DRAWS + 1].tolist() if key != link.key][:DRAWS]
    starts = [
        start for start in range(0, link.query - len(sentence) + 1) if abs(start - sentence.start) >= len(sentence)
    ]
    passages = generator.choice(starts, min(DRAWS, len(starts)), replace=False).tolist() if starts else []
    removals: dict[str, tuple[Removal, ...]] = {
        LINK: (RemovedLink(layer, head, link.query, link.key),),
        RANDOM_LINK: tuple(RemovedLink(layer, head, link.query, key) for key in others),
        SENTENCE: (RemovedTokens(sentence.start, sentence.stop),),
        RANDOM_SENTENCE: tuple(RemovedTokens(start, start + len(sentence)) for start in passages),
        FAR.format(distance=distance): (RemovedFar(distance),),
    }
    return {name: some for name, some in removals.items() if some}


def link_table(reading: OpenReading, links: tuple[Link, ...]) -> pd.DataFrame:
    """The links with their surroundings."""
    return pd.DataFrame(
        {
            "link": range(len(links)),
            "weight": [link.weight for link in links],
            "tokens back": [link.query - link.key for link in links],
            "from (query)": [surroundings(reading, link.query) for link in links],
            "to (key)": [surroundings(reading, link.key) for link in links],
        }
    )


def surroundings(reading: OpenReading, token: int) -> str:
    """A token in brackets, within a few tokens before and after it, on one line."""
    labels = reading.tokens.labels
    before = "".join(labels[max(0, token - AROUND) : token])
    after = "".join(labels[token + 1 : token + 1 + AROUND])
    return " ".join(f"{before} ⟦{labels[token].strip()}⟧ {after}".split())


def change_table(worth: Worth) -> pd.DataFrame:
    """The changes, with their standard errors."""
    return pd.DataFrame(
        {
            "without": [change.name for change in worth.changes],
            "bits a token more": [change.bits for change in worth.changes],
            "standard error": [change.error for change in worth.changes],
        }
    )


def change_bars(table: pd.DataFrame, *, look: Look) -> go.Figure:
    """A bar for each thing that was taken away, with an error bar of one standard error."""
    bars = go.Bar(
        x=table["bits a token more"],
        y=table["without"],
        orientation="h",
        marker={"color": [HUES[0] if "random" not in name else HUES[1] for name in table["without"]]},
        error_x={"type": "data", "array": table["standard error"].fillna(0.0), "color": look.palette.ink},
        hovertemplate="without %{y}: %{x:+.4f} bits a token<extra></extra>",
    )
    yaxis = {"autorange": "reversed", "showgrid": False}
    return on_paper(go.Figure(bars), look=look, height=TALL, x="bits a token more", y="without", yaxis=yaxis)


def link_notice(reading: OpenReading, layer: int, head: int, link: Link) -> str:
    """The strongest far link."""
    query, key = (typeset.plain(typeset.readable(reading.tokens.labels[token])) for token in (link.query, link.key))
    return (
        f"In head {head} of layer {layer} the strongest far link, but for those to the first token, leads from "
        f"“{query}” to “{key}”, {link.query - link.key:,} tokens back, with {link.weight:.1%} of the attention."
    )


def worth_notice(worth: Worth) -> str:
    """What the following tokens cost more without the link, its sentence and all that is far."""
    by_name = {change.name: change for change in worth.changes}
    parts = [by_name[LINK], by_name[SENTENCE], worth.changes[-1]]
    sizes = [
        f"without {change.name} {change.bits:+.3f}"
        if change.side in ("more", "less")
        else f"without {change.name} no measurable change"
        for change in parts
    ]
    return f"Bits a token of the next {worth.tokens} tokens: {', '.join(sizes)}."


def _before(worth: Worth | None) -> None:
    """The loss with everything in its place, once it is measured."""
    if worth:
        st.markdown(SECTION.text("Loss before the change", tokens=worth.tokens, bits=worth.bits))

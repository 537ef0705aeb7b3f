"""Sentences of "What to notice": each is looked up in the recorded attention, so it is true of what is shown."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from core.capture import AttentionCall, Record
from core.images import Patches
from core.text import Tokens
from dashboard import layout

ROWS = 64  # at most so many queries are looked at in each head: enough for a mean, and quick for long texts
FAR = 4  # tokens: from here on a link crosses a distance
WEAK = 0.1  # below it nothing is worth a sentence

Calls = list[tuple[int, AttentionCall]]


@dataclass(frozen=True)
class Finding:
    """A head and what was found in it: how strong, and from which query (-1: the last) to which key, if a link."""

    layer: int
    head: int
    value: float
    query: int = -1
    key: int = -1

    @property
    def place(self) -> tuple[int, int]:
        """Layer and head."""
        return self.layer, self.head

    @property
    def token(self) -> int | None:
        """The query to look at first; None where the last one will do."""
        return self.query if self.query >= 0 else None

    @property
    def where(self) -> str:
        """In words."""
        return f"layer {self.layer}, head {self.head}"


@dataclass(frozen=True)
class Notice:
    """What is worth noticing, and where to look first."""

    sentences: tuple[str, ...]
    start: Finding


def notice_text(record: Record, tokens: Tokens) -> Notice:
    """About the self-attention of a text: the previous-token head, the sinks, the strongest link far away."""
    calls = _square(record, len(tokens))
    if not calls or len(tokens) < 3:
        return Notice(("This text is too short to show a pattern: write a few words more.",), Finding(0, 0, 0.0))
    looks = [look for layer, call in calls for look in _rows_of(layer, call)]
    previous = max((_previous(look) for look in looks), key=_strength)
    links = [link for look in looks if (link := _far_link(look, np.array(tokens.special)))]
    far = max(links, key=_strength, default=None)
    sentences = [
        f"In **{previous.where}** a token gives on average {previous.value:.0%} of its attention to the token just "
        f"before it{': a previous-token head.' if previous.value > 0.5 else '.'}",
        _say_sinks([_first(look) for look in looks], _name(tokens, 0)),
    ]
    if far and far.value >= WEAK:
        sentences.append(
            f"The strongest link across a distance: in **{far.where}** {_name(tokens, far.query)} gives "
            f"{far.value:.0%} to {_name(tokens, far.key)}, {abs(far.query - far.key)} tokens away."
        )
    return Notice(tuple(sentences), far if far and far.value >= WEAK else previous)


def notice_picture(record: Record, patches: Patches) -> Notice:
    """About the self-attention of patches: how far heads reach, and where the class token looks in the end."""
    calls = _square(record, len(patches))
    if not calls:
        return Notice(("No layer of this model lets every patch look at every other.",), Finding(0, 0, 0.0))
    chosen, gaps = _distances(patches)
    reaches = [
        Finding(layer, head, _reach(call, head, chosen, gaps, patches))
        for layer, call in calls
        for head in range(call.heads)
    ]
    start, sentence = _say_reach(reaches, float(gaps.mean()))
    sentences = [sentence]
    if patches.prefix:
        start, sentence = _say_class_token(*calls[-1], patches)
        sentences.append(sentence)
    return Notice(tuple(sentences), start)


def name_prefix(labels: Sequence[str]) -> str:
    """The labels of prefix tokens in words: "class, 4 registers"."""
    registers = sum(label.startswith("register") for label in labels)
    named = [label for label in labels if not label.startswith("register")]
    if registers:
        named.append("1 register" if registers == 1 else f"{registers} registers")
    return ", ".join(named)


def _square(record: Record, length: int) -> Calls:
    """The calls in which all tokens look at all tokens."""
    return [(layer, call) for layer, call in enumerate(record.calls) if call.query_length == call.key_length == length]


class _Look(NamedTuple):
    """What some queries of one head (never the first token) look at."""

    layer: int
    head: int
    rows: np.ndarray  # (query)
    weights: np.ndarray  # (query, key)


def _rows_of(layer: int, call: AttentionCall) -> Iterator[_Look]:
    """One look for each head."""
    rows = np.unique(np.linspace(1, call.query_length - 1, ROWS).astype(int))
    for head in range(call.heads):
        yield _Look(layer, head, rows, np.nan_to_num(call.weights(head=head, queries=rows.tolist()).numpy()))


def _previous(look: _Look) -> Finding:
    return Finding(look.layer, look.head, float(look.weights[np.arange(len(look.rows)), look.rows - 1].mean()))


def _first(look: _Look) -> Finding:
    return Finding(look.layer, look.head, float(look.weights[:, 0].mean()))


def _far_link(look: _Look, special: np.ndarray) -> Finding | None:
    layer, head, rows, weights = look
    keys = np.arange(weights.shape[1])
    # Links to the first token and to separators are everywhere: they have a sentence of their own.
    interesting = (np.abs(rows[:, None] - keys) >= FAR) & (keys > 0) & ~special & ~special[rows][:, None]
    if not interesting.any():
        return None
    place, key = np.unravel_index(np.where(interesting, weights, -1).argmax(), weights.shape)
    return Finding(layer, head, float(weights[place, key]), int(rows[place]), int(key))


def _say_sinks(firsts: list[Finding], name: str) -> str:
    sinks, strongest = sum(first.value > 0.5 for first in firsts), max(firsts, key=_strength)
    if not sinks:
        return (
            f"No head rests mainly on the first token, {name}; the most it gets is {strongest.value:.0%}, "
            f"in {strongest.where}."
        )
    return (
        f"**{sinks} of {len(firsts)} heads** give more than half of their attention to the first token, {name}, "
        "whatever it is: a place to rest when there is nothing to look for (an attention sink)."
    )


def _distances(patches: Patches) -> tuple[np.ndarray, np.ndarray]:
    """Some patches, and how far each of them is from every patch."""
    places = np.stack(np.divmod(np.arange(patches.rows * patches.columns), patches.columns), axis=1).astype(float)
    chosen = np.unique(np.linspace(0, len(places) - 1, ROWS).astype(int))
    return chosen, np.linalg.norm(places[chosen][:, None] - places, axis=-1)


def _reach(call: AttentionCall, head: int, chosen: np.ndarray, gaps: np.ndarray, patches: Patches) -> float:
    before = len(patches.prefix)
    weights = call.weights(head=head, queries=(before + chosen).tolist()).numpy()[:, before:]
    return float((weights * gaps).sum() / weights.sum())


def _say_reach(reaches: list[Finding], even: float) -> tuple[Finding, str]:
    near, wide = min(reaches, key=_strength), max(reaches, key=_strength)
    if wide.value - near.value < 0.5:
        return wide, f"All heads look about as far: {near.value:.1f} to {wide.value:.1f} patches away on average."
    return wide, (
        f"**{near.where.capitalize()}** looks nearby, {near.value:.1f} patches away on average; **{wide.where}** looks "
        f"{wide.value:.1f} patches away. Attention spread evenly would reach {even:.1f}."
    )


def _say_class_token(layer: int, call: AttentionCall, patches: Patches) -> tuple[Finding, str]:
    before = len(patches.prefix)
    weights = np.stack([call.weights(head=head, queries=[0]).numpy()[0] for head in range(call.heads)])
    kept, looks = weights[:, :before].sum(axis=1).mean(), weights[:, before:]
    head, key = np.unravel_index(looks.argmax(), looks.shape)
    row, column = divmod(int(key), patches.columns)
    others = f" and the other tokens without a place ({name_prefix(patches.prefix[1:])})" if before > 1 else ""
    sentence = (
        f"In the last layer the {patches.prefix[0]} token keeps {kept:.0%} of its attention for itself{others}; its "
        f"strongest look at the picture is {looks.max():.0%}, in head {head}: row {row}, column {column}."
    )
    return Finding(layer, int(head), float(looks.max()), 0, before + int(key)), sentence


def _name(tokens: Tokens, place: int) -> str:
    return f"“{layout.plain(layout.readable(tokens.labels[place]))}”"


def _strength(finding: Finding) -> float:
    return finding.value

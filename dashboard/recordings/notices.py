"""The sentences of "What to notice" about a text, computed from the recorded attention."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from core.capture import AttentionCall, Record
from core.heads.measures import shares
from core.interpretability import mask_of
from core.text import Tokens
from dashboard import typeset
from dashboard.frame import layout
from dashboard.recordings.row_sums import Calls, negative_weight_notice, row_sum_notices

MOST_WEIGHTS = 2**26  # at most so many are read, about a second: of larger maps a sample of rows, evenly spread
FAR_DISTANCE = 4  # tokens: a link across at least so many is far
NOTABLE_EXCESS = 0.05  # of the attention: an excess over even attention below it is not worth a sentence
EQUAL_SHARE = 0.005  # of the attention: shares that differ by less count as equal
UNSEEN_LISTED = 6  # names of modules in a line
WEAK_LINK = 0.1  # below it no link is worth a sentence
HABIT_SHARE, HABIT_RATIO = 0.5, 2  # a habit: more than half of the attention, and twice what even attention would give


@dataclass(frozen=True)
class Finding:
    """A value measured in a head, and for a link its query (-1: the last) and key.

    `even` is the value that attention spread evenly over all visible keys would have.
    """

    layer: int
    head: int
    value: float
    query: int = -1
    key: int = -1
    even: float = 0.0

    @property
    def place(self) -> tuple[int, int]:
        """(layer, head)."""
        return self.layer, self.head

    @property
    def token(self) -> int | None:
        """The query to show first; None for the last one."""
        return self.query if self.query >= 0 else None

    @property
    def head_name(self) -> str:
        """Layer and head in words."""
        return f"layer {self.layer}, head {self.head}"

    @property
    def is_habit(self) -> bool:
        """Whether the value is most of the head's attention, and not an effect of its mask alone."""
        return self.value > HABIT_SHARE and self.value >= HABIT_RATIO * self.even


@dataclass(frozen=True)
class Notice:
    """Sentences, the head to show first, and the index of the sentence about that head."""

    sentences: tuple[str, ...]
    start: Finding
    about_start: int = 0

    @property
    def ordered(self) -> tuple[str, ...]:
        """The sentences, that about `start` first."""
        first = self.about_start
        return (self.sentences[first], *self.sentences[:first], *self.sentences[first + 1 :])


def notice_text(calls: Calls, tokens: Tokens) -> Notice:
    """Notices about self-attention over the tokens of a text: previous-token heads, sinks, the strongest far link."""
    if not calls:
        return single_notice("No layer of this model is known to let the tokens of the whole text look at one another.")
    if negative := negative_weight_notice(calls):
        return single_notice(negative)
    if len(tokens) < 3:
        return single_notice("This text is too short to show a pattern: write a few words more.")
    rows = sampled_rows(len(tokens), calls)
    is_far = _far_links(rows, tokens)
    findings = [triple for layer, call in calls.items() for triple in _findings(layer, call, rows, is_far)]
    if not findings:
        return single_notice("Every head is ablated: none of them attends to anything.")
    previous, firsts, links = zip(*findings, strict=True)
    sentences = [
        previous_token_notice(previous),
        sink_notice(firsts, f", {_name(tokens, 0)},"),
        *row_sum_notices(calls),
    ]
    if len(rows) < len(tokens):
        sentences.append(f"The text is long: {len(rows):,} of {len(tokens):,} rows of each map were looked at.")
    link = max((candidate for candidate in links if candidate), key=value_of, default=None)
    if link is None or link.value < WEAK_LINK:
        return Notice(tuple(sentences), max(previous, key=value_of))
    besides = (
        "the first token, separators and punctuation" if any(tokens.special) else "the first token and punctuation"
    )
    direction = "earlier" if link.key < link.query else "later"
    sentences.append(
        f"In **{link.head_name}**, {_name(tokens, link.query)} puts {link.value:.0%} of its attention on "
        f"{_name(tokens, link.key)}, {abs(link.query - link.key)} tokens {direction}: the strongest link over "
        f"{FAR_DISTANCE} tokens or more, without links to {besides}."
    )
    return Notice(tuple(sentences), link, len(sentences) - 1)


def previous_token_notice(shares: Sequence[Finding]) -> str:
    """A sentence about the head whose attention to the previous token exceeds even attention most, if any does."""
    most = max(shares, key=lambda share: (share.value - share.even, share.value))
    evenly = f"spread evenly it would be {most.even:.0%}"
    if most.value - most.even < NOTABLE_EXCESS:
        return (
            f"No head prefers the previous token: even in {most.head_name} only {most.value:.0%} of a token's "
            f"attention goes to it on average; {evenly}."
        )
    others = sum(abs(share.value - most.value) < EQUAL_SHARE for share in shares) - 1
    ties = f" (as {'do' if others > 1 else 'does'} {others} more)" if others else ""
    label = " It is a previous-token head." if most.is_habit else ""
    return (
        f"**{most.head_name.capitalize()}** attends most to the previous token{ties}: on average {most.value:.0%} of a "
        f"token's attention goes to it; {evenly}.{label}"
    )


def sink_notice(shares: Sequence[Finding], name: str = "") -> str:
    """A sentence with the number of heads whose sink is the first token; `name`, between commas, may follow that."""
    sinks, most = [share for share in shares if share.is_habit], max(shares, key=value_of)
    if not sinks:
        return (
            f"The first token{name} is not an attention sink here: the most it gets is {most.value:.0%}, in "
            f"{most.head_name}, where even attention would give it {most.even:.0%}."
        )
    evens = [sink.even for sink in sinks]
    even = f"{'at most ' if min(evens) < max(evens) else ''}{max(evens):.0%}"
    return (
        f"**{len(sinks)} of {len(shares)} heads** give the first token{name} more than half of their attention, and at "
        f"least twice what even attention would ({even}): an attention sink."
    )


def even_shares(call: AttentionCall, head: int, rows: Int[Tensor, " query"]) -> tuple[float, float]:
    """The mean shares on the first and on the previous token if attention were spread evenly over visible keys.

    Over the given rows, never the first one; the mask is that of the call.
    """
    visible = mask_of(call, head, queries=rows)
    even = shares(visible.float())  # NaN for a fully masked row, which no mean counts
    return float(even[:, 0].nanmean()), float(even[torch.arange(len(rows)), rows - 1].nanmean())


def masks_differ(call: AttentionCall) -> bool:
    """Whether the heads of a call may have different masks, and so different `even_shares`."""
    return call.product is None or (call.product.mask is not None and call.product.mask.stride(1) > 0)


def single_notice(sentence: str) -> Notice:
    """A notice of one sentence, about no head."""
    return Notice((sentence,), Finding(0, 0, 0.0))


def sampled_rows(length: int, calls: Calls) -> Int[Tensor, " query"]:
    """All rows, or an even sample of as many as MOST_WEIGHTS allows, from the first to the last."""
    affordable = max(64, MOST_WEIGHTS // (length * sum(call.heads for call in calls.values())))
    return torch.linspace(0, length - 1, min(length, affordable)).round().long()


def _far_links(rows: Int[Tensor, " query"], tokens: Tokens) -> Bool[Tensor, "query key"]:
    """A mask of links across FAR_DISTANCE or more between words, and not to the first token.

    Special tokens are no words, nor are those without a letter or a digit; Clark et al. 2019, section 3.2, suspect that
    attention to separators does nothing.
    """
    keys = torch.arange(len(tokens))
    labels = zip(tokens.labels, tokens.special, strict=True)
    is_word = torch.tensor([not special and any(map(str.isalnum, label)) for label, special in labels])
    return ((rows[:, None] - keys).abs() >= FAR_DISTANCE) & (keys > 0) & is_word & is_word[rows][:, None]


def _findings(
    layer: int, call: AttentionCall, rows: Int[Tensor, " query"], is_far: Bool[Tensor, "query key"]
) -> Iterator[tuple[Finding, Finding, Finding | None]]:
    """For each head that is not silenced: mean shares on the previous and on the first token, strongest far link."""
    later = rows[rows > 0]
    even, numbers = None, iter(range(call.heads))
    for block in call.weights_by_heads(queries=rows.tolist()):
        parts = shares(block)
        later_parts = parts[:, rows > 0]
        firsts = later_parts[:, :, 0].nanmean(dim=-1).tolist()
        previous = later_parts[:, torch.arange(len(later)), later - 1].nanmean(dim=-1).tolist()
        weights = parts.nan_to_num(nan=0.0)
        far = torch.where(is_far, weights, -1).flatten(start_dim=1).max(dim=-1)
        has_weight = weights.flatten(1).any(dim=-1).tolist()
        strongest, cells = far.values.tolist(), far.indices.tolist()
        for place, head in zip(range(len(block)), numbers, strict=False):
            if not has_weight[place] or math.isnan(firsts[place]):
                continue
            if even is None or masks_differ(call):
                even = even_shares(call, head, later)
            row, key = divmod(cells[place], weights.shape[-1])
            yield (
                Finding(layer, head, previous[place], even=even[1]),
                Finding(layer, head, firsts[place], even=even[0]),
                Finding(layer, head, strongest[place], int(rows[row]), key) if strongest[place] >= 0 else None,
            )


def show_unseen(record: Record) -> None:
    """Write a line with the model's token mixers that ran without a map; nothing if all of them have one."""
    if unseen := record.unseen:
        names = ", ".join(f"`{path or 'the model itself'}`" for path in unseen[:UNSEEN_LISTED])
        more = f" and {len(unseen) - UNSEEN_LISTED} more" if len(unseen) > UNSEEN_LISTED else ""
        layout.caption(f"Not shown, because no softmax over tokens was seen in it: {names}{more}.")


def _name(tokens: Tokens, place: int) -> str:
    return f"“{typeset.plain(typeset.in_word(tokens, place))}”"


def value_of(finding: Finding) -> float:
    """The key by which findings are compared."""
    return finding.value

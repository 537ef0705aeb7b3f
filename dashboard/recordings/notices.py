"""Sentences of "What to notice": each is looked up in the recorded attention, so it is true of what is shown."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from core.capture import AttentionCall, Record
from core.heads.measures import shares
from core.images import Patches
from core.interpretability import mask_of
from core.text import Tokens
from dashboard import typeset
from dashboard.frame import layout

WEIGHTS = 2**26  # at most so many are looked at, about a second: of larger maps some rows, evenly spread
FAR = 4  # tokens: from here on a link crosses a distance
EDGE = 1.2  # times the mean over patches: a strongest look that is not more looks at all of them alike
SUM_MARGIN = 0.005  # sums of rows that differ from 1 by less read as 1
ALIKE = 0.5  # patches: distances that differ by less are told as one
LITTLE = 0.05  # of the attention: so much more than even attention would give is a liking
CLOSE = 0.005  # of the attention: shares that differ by less read the same
UNSEEN = 6  # names of modules in a line
WEAK = 0.1  # below it no link is worth a sentence
MOST, TIMES = 0.5, 2  # a habit: more than half of the attention, and twice what even attention would give

Calls = Mapping[int, AttentionCall]  # by the numbers of their layers


@dataclass(frozen=True)
class Finding:
    """A head and what was found in it: how strong, and from which query (-1: the last) to which key, if a link.

    `even` is how strong it would be if the head took the same of every key that its mask lets it see.
    """

    layer: int
    head: int
    value: float
    query: int = -1
    key: int = -1
    even: float = 0.0

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

    @property
    def is_habit(self) -> bool:
        """Whether it is most of what the head does, and not only what its mask leaves it."""
        return self.value > MOST and self.value >= TIMES * self.even


@dataclass(frozen=True)
class Notice:
    """What is worth noticing, and where to look first; `about_start`: the place of the sentence about that."""

    sentences: tuple[str, ...]
    start: Finding
    about_start: int = 0

    @property
    def told_first(self) -> tuple[str, ...]:
        """The same sentences, that about where to look first before the others."""
        at = self.about_start
        return (self.sentences[at], *self.sentences[:at], *self.sentences[at + 1 :])


def notice_text(calls: Calls, tokens: Tokens) -> Notice:
    """About layers in which the tokens of a text look at one another: the previous token, sinks, the farthest link."""
    if not calls:
        return _nothing("No layer of this model is known to let the tokens of the whole text look at one another.")
    if negative := say_negative(calls):
        return _nothing(negative)
    if len(tokens) < 3:
        return _nothing("This text is too short to show a pattern: write a few words more.")
    rows = _spread(len(tokens), calls)
    across = _across_a_distance(rows, tokens)
    found = [each for layer, call in calls.items() for each in _habits(layer, call, rows, across)]
    if not found:
        return _nothing("Every head is silenced: none of them looks at anything.")
    previous, firsts, links = zip(*found, strict=True)
    sentences = [say_previous(previous), say_sinks(firsts, f", {_name(tokens, 0)},"), *say_row_sums(calls)]
    if len(rows) < len(tokens):
        sentences.append(f"The text is long: {len(rows):,} of {len(tokens):,} rows of each map were looked at.")
    far = max((link for link in links if link), key=_strength, default=None)
    if far is None or far.value < WEAK:
        return Notice(tuple(sentences), max(previous, key=_strength))
    besides = "the first token and separators" if any(tokens.special) else "the first token"
    sentences.append(
        f"The strongest link across {FAR} tokens or more, {besides} left aside: in **{far.where}** "
        f"{_name(tokens, far.query)} gives {far.value:.0%} to {_name(tokens, far.key)}, {abs(far.query - far.key)} "
        "tokens away."
    )
    return Notice(tuple(sentences), far, len(sentences) - 1)


def notice_picture(calls: Calls, patches: Patches) -> Notice:
    """About layers in which all patches look at one another: how far, and where the class token looks in the end."""
    if not calls or not patches.rows * patches.columns:
        return _nothing("No layer of this model lets every patch look at every other.")
    if negative := say_negative(calls):
        return _nothing(negative)
    if patches.rows * patches.columns == 1:
        return _nothing("This picture is one patch: there is no other to look at.")
    rows = _spread(patches.rows * patches.columns, calls)
    places = torch.cartesian_prod(torch.arange(patches.rows), torch.arange(patches.columns)).reshape(-1, 2).double()
    gaps = torch.cdist(places[rows], places)
    reaches = [
        Finding(layer, head, reach)
        for layer, call in calls.items()
        for head, reach in enumerate(_reaches(call, rows, gaps, before=len(patches.prefix)))
        if math.isfinite(reach)
    ]
    if not reaches:
        return _nothing("Every head is silenced: none of them looks at anything.")
    start, sentences = max(reaches, key=_strength), [say_distances(reaches, float(gaps.mean()))]
    if patches.prefix and (look := _class_look(*list(calls.items())[-1], patches)):
        start, sentence = look
        sentences.append(sentence)
    about_start = len(sentences) - 1
    return Notice((*sentences, *say_row_sums(calls)), start, about_start)


def say_negative(calls: Calls) -> str:
    """Which layers have weights below 0, of which no share can be said; "" if none has."""
    layers = [str(layer) for layer, call in calls.items() if call.has_negative_weights]
    if not layers:
        return ""
    where = f"layer {layers[0]}" if len(layers) == 1 else f"{len(layers)} of {len(calls)} layers"
    return f"Heads of {where} have attention weights below 0, which are no shares: nothing is said of them here."


def say_row_sums(calls: Calls) -> tuple[str, ...]:
    """A sentence where rows do not sum to 1: what they sum to, and what made it so; none where all do.

    Of the layers whose sums differ from 1, it names the one where they do most, on average over the rows of all heads
    that have any attention: silenced heads do not count.
    """
    if negative := say_negative(calls):
        return (negative,)
    sums = {layer: _sums_of_rows(call) for layer, call in calls.items() if not call.rows_sum_to_one}
    differences = {layer: float((values - 1).abs().nanmean()) for layer, values in sums.items()}
    differences = {layer: value for layer, value in differences.items() if value >= SUM_MARGIN}  # no NaN
    if not differences:
        return ()
    most = max(differences, key=differences.__getitem__)
    of_layers = f"{len(differences)} of {len(calls)} layers" if len(calls) > 1 else f"layer {most}"
    empty = int((sums[most] == 0).all(dim=1).sum())
    nothing = f" Nothing is left of {empty} row{'s' if empty > 1 else ''} in any head." if empty else ""
    return (
        f"Rows of {of_layers} do not sum to 1: in layer {most} {_say_sums(calls[most], sums[most])}.{nothing} "
        "Shares in these sentences are of each row's own sum.",
    )


def _say_sums(call: AttentionCall, sums: Float[Tensor, "batch head query"]) -> str:
    """What rows sum to and why: on average where none sums to more than 1, else from which sum to which."""
    known = sums[~sums.isnan()]
    if float(known.max()) > 1 + SUM_MARGIN:
        return f"the sums are {float(known.min()):.2f} to {float(known.max()):.2f}, changed after the softmax"
    cause = "an attention sink that is no token" if call.sink is not None else "a mask after the softmax"
    return f"the mean sum is {float(known.mean()):.2f}, because {cause} took the rest"


def _sums_of_rows(call: AttentionCall) -> Float[Tensor, "batch head query"]:
    """What the rows of all heads sum to that give any attention; those of silenced heads are left out."""
    sums = call.row_sums()
    return sums[:, (sums.nan_to_num(nan=0.0) > 0).any(dim=-1).any(dim=0)]


def say_previous(shares: Sequence[Finding]) -> str:
    """Which head gives more to the token before than even attention would, by how much, and whether any does."""
    most = max(shares, key=lambda share: (share.value - share.even, share.value))
    found = f"a token gives that one on average {most.value:.0%}, where even attention would give {most.even:.0%}"
    if most.value - most.even < LITTLE:
        return f"No head has a liking for the token just before: at most, in {most.where}, {found}."
    others = sum(abs(share.value - most.value) < CLOSE for share in shares) - 1
    alike = f" (as {'do' if others > 1 else 'does'} {others} more)" if others else ""
    verdict = ": a previous-token head." if most.is_habit else "."
    return f"**{most.where.capitalize()}** looks most at the token just before{alike}: {found}{verdict}"


def say_sinks(shares: Sequence[Finding], name: str = "") -> str:
    """How many heads rest on the first token; `name` may follow on it, between commas."""
    sinks, most = [share for share in shares if share.is_habit], max(shares, key=_strength)
    if not sinks:
        return (
            f"The first token{name} is not an attention sink here: the most it gets is {most.value:.0%}, in "
            f"{most.where}, where even attention would give it {most.even:.0%}."
        )
    evens = [sink.even for sink in sinks]
    even = f"{'at most ' if min(evens) < max(evens) else ''}{max(evens):.0%}"
    return (
        f"**{len(sinks)} of {len(shares)} heads** give the first token{name} more than half of their attention, and at "
        f"least twice what even attention would ({even}): an attention sink."
    )


def say_distances(distances: Sequence[Finding], even: float | None) -> str:
    """Who looks nearest and who farthest; `even` is how far even attention would reach, None where layers look
    through windows of patches that may differ in size."""
    near, wide = min(distances, key=_strength), max(distances, key=_strength)
    unit = "patches" if even is not None else "patches of its own layer"
    reach = "" if even is None else f" Attention spread evenly would reach {even:.1f}."
    if wide.value - near.value < ALIKE:
        return f"All heads look about as far: {near.value:.1f} to {wide.value:.1f} {unit} away on average.{reach}"
    return (
        f"**{near.where.capitalize()}** looks nearest, {near.value:.1f} {unit} away on average; **{wide.where}** "
        f"farthest, {wide.value:.1f}.{reach}"
    )


def even_shares(call: AttentionCall, head: int, rows: Int[Tensor, " query"]) -> tuple[float, float]:
    """What these rows (never the first token's) would give the first token, and the one just before their own, on
    average, if they took the same of every key that the call's own mask lets them see."""
    visible = mask_of(call, head, queries=rows)
    even = shares(visible.float())  # NaN for a row that sees nothing, which is in no mean
    return float(even[:, 0].nanmean()), float(even[torch.arange(len(rows)), rows - 1].nanmean())


def masks_differ(call: AttentionCall) -> bool:
    """Whether the heads of a call may have masks of their own, so that each must be asked for its `even_shares`."""
    return call.product is None or (call.product.mask is not None and call.product.mask.stride(1) > 0)


def _nothing(sentence: str) -> Notice:
    return Notice((sentence,), Finding(0, 0, 0.0))


def _spread(length: int, calls: Calls) -> Int[Tensor, " query"]:
    """All rows, or as many as can be looked at in all heads, from the first to the last."""
    affordable = max(64, WEIGHTS // (length * sum(call.heads for call in calls.values())))
    return torch.linspace(0, length - 1, min(length, affordable)).round().long()


def _across_a_distance(rows: Int[Tensor, " query"], tokens: Tokens) -> Bool[Tensor, "query key"]:
    """Links between tokens far from one another; those to the first token and to separators are left aside."""
    keys, special = torch.arange(len(tokens)), torch.tensor(tokens.special)
    return ((rows[:, None] - keys).abs() >= FAR) & (keys > 0) & ~special & ~special[rows][:, None]


def _habits(
    layer: int, call: AttentionCall, rows: Int[Tensor, " query"], across: Bool[Tensor, "query key"]
) -> Iterator[tuple[Finding, Finding, Finding | None]]:
    """For each head that speaks what it gives to the token before, what to the first, and its strongest far link."""
    later = rows[rows > 0]
    evens, numbers = None, iter(range(call.heads))
    for some in call.weights_by_heads(queries=rows.tolist()):
        parts = shares(some)
        asking = parts[:, rows > 0]
        firsts = asking[:, :, 0].nanmean(dim=-1).tolist()
        befores = asking[:, torch.arange(len(later)), later - 1].nanmean(dim=-1).tolist()
        weights = parts.nan_to_num(nan=0.0)
        fars = torch.where(across, weights, -1).flatten(start_dim=1).max(dim=-1)
        speaks, strongest, cells = weights.flatten(1).any(dim=-1).tolist(), fars.values.tolist(), fars.indices.tolist()
        for place, head in zip(range(len(some)), numbers, strict=False):
            if not speaks[place] or math.isnan(firsts[place]):
                continue
            if evens is None or masks_differ(call):
                evens = even_shares(call, head, later)
            row, key = divmod(cells[place], weights.shape[-1])
            yield (
                Finding(layer, head, befores[place], even=evens[1]),
                Finding(layer, head, firsts[place], even=evens[0]),
                Finding(layer, head, strongest[place], int(rows[row]), key) if strongest[place] >= 0 else None,
            )


def _reaches(
    call: AttentionCall, rows: Int[Tensor, " patch"], gaps: Float[Tensor, "patch key"], *, before: int
) -> list[float]:
    """How many patches away attention falls, as `core.heads.measures` has it; NaN for a head that is silent."""
    reaches = list[float]()
    for some in call.weights_by_heads(queries=(before + rows).tolist()):
        reaches += (shares(some[..., before:]) * gaps).sum(dim=-1).nanmean(dim=-1).tolist()
    return reaches


def _class_look(layer: int, call: AttentionCall, patches: Patches) -> tuple[Finding, str] | None:
    """Where the first of the tokens without a place looks; None if all heads are silent."""
    before, (first, *others) = len(patches.prefix), patches.prefix
    rows = shares(torch.cat(list(call.weights_by_heads(queries=[0])))[:, 0]).nan_to_num(nan=0.0)
    speaking = rows.sum(dim=-1) > 0
    if not speaking.any():
        return None
    kept = float(rows[speaking, :before].sum(dim=-1).mean())
    head, key = divmod(int(rows[:, before:].argmax()), rows.shape[1] - before)
    strongest = Finding(layer, head, float(rows[head, before + key]), 0, before + key)
    row, column = divmod(key, patches.columns)
    looks = rows[head, before:]
    if strongest.value < CLOSE:
        look = "it gives no patch more than next to nothing"
    elif strongest.value < EDGE * float(looks.mean()):
        look = f"it gives no patch much more than the others, at most {strongest.value:.0%}"
    else:
        look = f"its strongest look at the picture is {strongest.value:.0%}, in head {head}: row {row}, column {column}"
    itself = " and ".join(
        ["itself", *(f"the {name} token" if name in others else name for name in name_prefix(others))]
    )
    return strongest, (
        f"In layer {layer} the {first} token keeps on average {kept:.0%} of its attention for {itself}; {look}."
    )


def show_unseen(record: Record) -> None:
    """In one quiet line, which of a model's token mixers ran and gave no map; nothing where all of them did."""
    if unseen := record.unseen:
        named = ", ".join(f"`{path or 'the model itself'}`" for path in unseen[:UNSEEN])
        more = f" and {len(unseen) - UNSEEN} more" if len(unseen) > UNSEEN else ""
        layout.caption(f"Not shown, because no softmax over tokens was seen in it: {named}{more}.")


def name_prefix(labels: Sequence[str]) -> list[str]:
    """The names of tokens without a place, registers counted: "class", "4 registers"."""
    registers = sum(label.startswith("register") for label in labels)
    named = [label for label in labels if not label.startswith("register")]
    return [*named, f"{registers} register{'s' if registers > 1 else ''}"] if registers else named


def _name(tokens: Tokens, place: int) -> str:
    return f"“{typeset.plain(typeset.in_word(tokens, place))}”"


def _strength(finding: Finding) -> float:
    return finding.value

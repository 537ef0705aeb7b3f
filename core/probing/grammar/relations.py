"""How often the strongest link of a word is a link of grammar: for every head, relation and direction.

    learned, tried = count(model, train), count(model, test)
    best_heads(learned, tried)           # the head of each relation that was best on train, and its share on test

Clark et al. 2019, section 4.2: "to governor" is how often a word that depends on another by a relation looks most at
that other word; "to dependent" is how often a word that governs others by a relation looks most at one of them. Links
to special tokens and to the word itself are passed over; links to punctuation are not, but the relations `punct` and
`root` are not counted. A head that cannot look ahead misses every word that comes later.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Int
from torch import Tensor

from ...errors import InputError
from ...progress import Progress, no_progress
from ...zoo import TextModel
from .links import Head, WordMaps, strongest, word_maps
from .trees import Tree, encode_tree

TO_GOVERNOR, TO_DEPENDENT = "to governor", "to dependent"
DIRECTIONS = (TO_GOVERNOR, TO_DEPENDENT)
FARTHEST = 10  # words: the offsets that the baseline may choose from
OFFSETS = tuple(sign * distance for distance in range(1, FARTHEST + 1) for sign in (-1, 1))  # the nearest first


@dataclass(frozen=True, eq=False)
class Counts:
    """Counts over some sentences. A case is a word with a relation: as dependent, or as governor of one or more.

    `hits[direction, head, relation]`: cases in which the head's strongest link is the relation;
    `at[direction, offset, relation]`: in which the other word stands at this offset; `before[direction, relation]`: in
    which it comes earlier; `cases[direction, relation]`: all.
    """

    relations: tuple[str, ...]
    heads: tuple[Head, ...]
    hits: Int[Tensor, "2 head _"]
    at: Int[Tensor, "2 _ _"]
    before: Int[Tensor, "2 _"]
    cases: Int[Tensor, "2 _"]
    causal: bool
    trees: int
    unread: int  # sentences that are too long for the model
    unlinked: int  # links of which one word has no token of its own


@dataclass(frozen=True)
class BestHead:
    """The best head for a relation in one direction: chosen in some sentences, its share measured in others.

    `chosen_share` is its share in the former, `share` in the latter. `offset`: the best fixed distance in words
    (negative: earlier words), chosen and measured likewise. `earlier`: the share of the `cases` in which the other
    word comes earlier. `by_head`: the shares of all heads.
    """

    relation: str
    direction: str
    head: Head
    chosen_share: float
    share: float
    offset: int
    offset_share: float
    cases: int
    earlier: float
    by_head: tuple[tuple[Head, float], ...]

    @property
    def gain(self) -> float:
        """Its share less that of the fixed distance."""
        return self.share - self.offset_share


@dataclass(frozen=True)
class Measured:
    """The best heads of a model, chosen in some sentences and measured in others."""

    heads: tuple[BestHead, ...]
    causal: bool
    chosen_in: int  # sentences
    tried_in: int


def count(model: TextModel, trees: Sequence[Tree], progress: Progress = no_progress) -> Counts:
    """Count hits and cases sentence by sentence. InputError where the model can read none of them."""
    relations = tuple(sorted({relation for tree in trees for _, _, relation in tree.links}))
    numbers = {relation: number for number, relation in enumerate(relations)}
    at, (before, cases) = torch.zeros(2, len(OFFSETS), len(relations)).long(), torch.zeros(2, 2, len(relations)).long()
    hits: Tensor | None = None
    unread = unlinked = 0
    for done, tree in enumerate(trees, start=1):
        progress(done - 1, len(trees))
        if len(tree.words) < 2 or (tokens := encode_tree(model, tree)) is None:
            unread += len(tree.words) > 1
            continue
        maps = word_maps(model, tokens, len(tree.words))
        links = [link for link in tree.links if set(link[:2]) <= set(tokens.words)]
        unlinked += len(tree.links) - len(links)
        if hits is None:
            hits, heads, causal = torch.zeros(2, len(maps.heads), len(relations)).long(), maps.heads, maps.causal
        elif maps.heads != heads:
            raise InputError("This model has other heads for other sentences. Choose another model.")
        causal &= maps.causal  # a short sentence may look as if nobody looked ahead
        _add_hits(hits, maps, links, numbers)
        _add_cases(at, before, cases, links, numbers)
    if hits is None:
        raise InputError(f"{model.title} can read none of these {len(trees):,} sentences. Choose a longer context.")
    return Counts(relations, heads, hits, at, before, cases, causal, len(trees), unread, unlinked)


Links = Sequence[tuple[int, int, str]]  # (dependent, governor, relation)


def _add_hits(hits: Tensor, maps: WordMaps, links: Links, numbers: dict[str, int]) -> None:
    """Add the hits of one sentence, in both directions."""
    attended = strongest(maps.weights)
    for dependent, governor, relation in links:
        hits[0, :, numbers[relation]] += attended[:, dependent] == governor
        # A word looks most at one word only, so a governor finds no relation twice.
        hits[1, :, numbers[relation]] += attended[:, governor] == dependent


def _add_cases(at: Tensor, before: Tensor, cases: Tensor, links: Links, numbers: dict[str, int]) -> None:
    """Add the cases of one sentence, those with the other word earlier, and those at each offset."""
    governing: dict[tuple[int, str], list[int]] = {}
    for dependent, governor, relation in links:
        governing.setdefault((governor, relation), []).append(dependent)
        cases[0, numbers[relation]] += 1
        before[0, numbers[relation]] += governor < dependent
        if (distance := governor - dependent) in OFFSETS:
            at[0, OFFSETS.index(distance), numbers[relation]] += 1
            at[1, OFFSETS.index(-distance), numbers[relation]] += 1
    for (governor, relation), dependents in governing.items():
        cases[1, numbers[relation]] += 1
        before[1, numbers[relation]] += min(dependents) < governor


def best_heads(chosen: Counts, test_counts: Counts) -> Measured:
    """The best head and the best offset of each relation and direction in `chosen`, with their shares in `test_counts`.

    Of equally good ones the first. Where no head can look ahead, no offset may either.
    """
    if chosen.heads != test_counts.heads:
        raise ValueError("Heads are chosen and tried in the same model.")
    ahead = torch.tensor([chosen.causal and offset > 0 for offset in OFFSETS])
    rows = []
    for relation in (name for name in chosen.relations if name in test_counts.relations):
        first, then = chosen.relations.index(relation), test_counts.relations.index(relation)
        for number, direction in enumerate(DIRECTIONS):
            before, cases = int(chosen.cases[number, first]), int(test_counts.cases[number, then])
            if not before or not cases:
                continue
            head = int(chosen.hits[number, :, first].argmax())
            offset = int(chosen.at[number, :, first].masked_fill(ahead, -1).argmax())
            shares = (test_counts.hits[number, :, then].double() / cases).tolist()
            rows.append(
                BestHead(
                    relation=relation,
                    direction=direction,
                    head=chosen.heads[head],
                    chosen_share=int(chosen.hits[number, head, first]) / before,
                    share=shares[head],
                    offset=OFFSETS[offset],
                    offset_share=int(test_counts.at[number, offset, then]) / cases,
                    cases=cases,
                    earlier=int(test_counts.before[number, then]) / cases,
                    by_head=tuple(zip(chosen.heads, shares, strict=True)),
                )
            )
    return Measured(tuple(rows), chosen.causal, chosen.trees, test_counts.trees)

"""The arcs of Grammar: what heads say of a sentence, above its words, and what people say, below them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import pandas as pd
import streamlit as st

from core.probing.grammar.links import Head
from core.probing.grammar.relations import TO_DEPENDENT, TO_GOVERNOR
from core.probing.grammar.trees import Tree
from dashboard import theme, typeset
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.output import charts
from dashboard.theme import HUES
from pages.language.missing_word.compute_grammar import Reading
from pages.language.missing_word.figures_grammar import Arc, arcs
from pages.language.missing_word.grammar_relations import titled
from pages.language.missing_word.prose import PAGE

SECTION = PAGE.section("Grammar")
MOST_WORDS = 24  # in one row of words
TREE = "tree"  # the links of a tree that no head is drawn for


@dataclass(frozen=True)
class Drawn:
    """A head whose links are drawn: for one relation and direction, or (both "") for itself."""

    name: str
    head: Head
    relation: str = ""
    direction: str = ""


@dataclass(frozen=True)
class Sentence:
    """What a model reads: its words with their links, and the tree if people have drawn one."""

    reading: Reading
    tree: Tree | None


def arcs_of(reading: Reading, drawn: Sequence[Drawn], tree: Tree | None, least: float) -> list[Arc]:
    """For each head that is drawn the strongest link of every word that is at least so strong."""
    links = []
    for drawn_head in drawn:
        number = reading.heads.index(drawn_head.head)
        for word, attended_word in enumerate(reading.attended_words[number].tolist()):
            weight = float(reading.weight[number, word])
            if attended_word < 0 or weight < least:
                continue
            sure = tree is None or is_link(tree, word, attended_word, drawn_head)
            says = "" if tree is None else ", as in the tree" if sure else ", which the tree does not say"
            what = f", best for {drawn_head.relation} {drawn_head.direction}" if drawn_head.relation else ""
            tell = (
                f"“{_word_text(reading, word)}” attends most to “{_word_text(reading, attended_word)}” ({weight:.0%})"
                f"{says}; layer {drawn_head.head[0]}, head {drawn_head.head[1]}{what}"
            )
            links.append(Arc(word, attended_word, drawn_head.name, tell, weight, sure))
    return links


def is_link(tree: Tree, word: int, attended_word: int, drawn: Drawn) -> bool:
    """Whether the tree has the link from a word to what it looks at, by the relation and in the direction drawn."""
    up = tree.governors[word] == attended_word and drawn.relation in ("", tree.relations[word])
    down = tree.governors[attended_word] == word and drawn.relation in ("", tree.relations[attended_word])
    return (up and drawn.direction != TO_DEPENDENT) or (down and drawn.direction != TO_GOVERNOR)


def tree_arcs(tree: Tree, drawn: Sequence[Drawn]) -> list[Arc]:
    """The links of a tree from governor to dependent, in the colours of the relations that are drawn."""
    groups = {drawn_head.relation: drawn_head.name for drawn_head in drawn}
    return [
        Arc(
            governor,
            dependent,
            groups.get(relation, TREE),
            f"“{tree.words[dependent]}” depends on “{tree.words[governor]}” as {titled(relation)}",
            strength=0.4,
        )
        for dependent, governor, relation in tree.links
    ]


def _word_text(reading: Reading, word: int) -> str:
    return typeset.readable(reading.words[word])


def show(sentence: Sentence, drawn: Sequence[Drawn], visible_arcs: Sequence[Arc]) -> None:
    """The arcs above the words, and below them those of the tree."""
    reading, tree = sentence.reading, sentence.tree
    parts = -(-len(reading.words) // MOST_WORDS)
    part = controls.number("Part of the sentence", parts, key="grammar_part") if parts > 1 else 0
    within = range(part * MOST_WORDS, min(len(reading.words), (part + 1) * MOST_WORDS))
    above, below = _within(visible_arcs, within), None if tree is None else _within(tree_arcs(tree, drawn), within)
    hues = dict(zip((drawn_head.name for drawn_head in drawn), HUES, strict=False))
    if tree is not None:
        hues[TREE] = theme.look().palette.soft
    look = theme.look()
    labels = tuple(typeset.readable(reading.words[place]) for place in within)
    high = look.high(470 if tree else 300)
    charts.chart(
        partial(arcs, labels, tuple(above), below and tuple(below), hues=hues, look=look, height=high),
        name="grammar-arcs",
        alt=f"{len(above)} arcs above {len(labels)} words: the strongest links of {_named(drawn) or 'no head'}",
        table=partial(links_table, reading.words, tuple(visible_arcs)),
    )
    layout.place_notice()
    if len(above) < len(visible_arcs):
        st.caption(f"{len(visible_arcs) - len(above)} of {len(visible_arcs)} links begin or end in another part.")
    layout.caption(f"{SECTION.text('Arcs')} {SECTION.text('Tree' if tree else 'Unknown tree')}")


def _within(visible_arcs: Sequence[Arc], places: range) -> list[Arc]:
    """Those with both ends in one part of the sentence, counted from its beginning."""
    return [
        Arc(arc.start - places.start, arc.end - places.start, arc.group, arc.tell, arc.strength, arc.sure)
        for arc in visible_arcs
        if arc.start in places and arc.end in places
    ]


def links_table(words: Sequence[str], visible_arcs: Sequence[Arc]) -> pd.DataFrame:
    """One row for each arc above the words."""
    columns = ["word", "looks most at", "share", "drawn for"]
    return pd.DataFrame(
        [[words[arc.start], words[arc.end], arc.strength, arc.group] for arc in visible_arcs], columns=columns
    )


def _named(drawn: Sequence[Drawn]) -> str:
    return ", ".join(drawn_head.name for drawn_head in drawn)


def about_shown(visible_arcs: Sequence[Arc], drawn: Sequence[Drawn], tree: Tree | None) -> str:
    """How many links are drawn, how many of them go to a neighbour and, with a tree, what they find of it."""
    if not drawn:
        return "**No relation** is chosen: choose one to see the links of its head."
    if not visible_arcs:
        return "**No link** is strong enough to be drawn."
    near = sum(abs(arc.start - arc.end) == 1 for arc in visible_arcs)
    links = "**1 link** is" if len(visible_arcs) == 1 else f"**{len(visible_arcs)} links** are"
    sentence = f"{links} drawn; {near} of them {'goes' if near == 1 else 'go'} to a neighbouring word."
    if tree is None:
        return sentence
    right = sum(arc.sure for arc in visible_arcs)
    sentence += f" The tree has **{right}** of them"
    relations = {drawn_head.relation for drawn_head in drawn} - {""}
    if not relations:
        return f"{sentence}, in one direction or the other."
    cases = [link for link in tree.links if link[2] in relations]
    met = {frozenset((arc.start, arc.end)) for arc in visible_arcs if arc.sure}
    reached = sum(frozenset(link[:2]) in met for link in cases)
    return f"{sentence} for the relation they are drawn for: {reached} of the {len(cases)} links of these relations."

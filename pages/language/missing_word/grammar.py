"""Grammar: which head follows which relation, what these heads say of a sentence, and where all heads stand."""

import re
from collections.abc import Mapping, Sequence
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import zoo
from core.probing.grammar.links import Head
from core.probing.grammar.relations import BestHead, Measured
from dashboard import typeset
from dashboard.cache import waiting
from dashboard.cache.models import text_model
from dashboard.cache.upload import Upload
from dashboard.frame import layout
from dashboard.inputs import controls, model_name, uploads
from dashboard.recordings.watched import Text, content_of
from pages.language.missing_word import compute_grammar, grammar_arcs, grammar_relations
from pages.language.missing_word.compute_grammar import EXAMPLES
from pages.language.missing_word.figures_grammar import Arc
from pages.language.missing_word.grammar_arcs import Drawn, Sentence
from pages.language.missing_word.grammar_relations import BEST, ONE
from pages.language.missing_word.inputs import EXAMPLES as TEXTS
from pages.language.missing_word.inputs import HIDDEN_ADDRESS, SENTENCE, WORD_ADDRESS
from pages.language.missing_word.prose import PAGE

SECTION = PAGE.section("Grammar")
DRAWN, MOST_DRAWN = 3, 5  # relations whose heads are drawn at first, and at most
LONGEST_WORDS, LONGEST = 100, 600  # words and characters of a sentence
OWN, ANNOTATED = "your text", "annotated"
TREEBANK = "grammar_treebank"  # a visitor's file


def show() -> None:
    """The sentence with its arcs, the relations and their best heads, the map of all heads."""
    with layout.control_bar():
        text = controls.text(first=SENTENCE)
        controls.examples(TEXTS, forgets=(HIDDEN_ADDRESS, WORD_ADDRESS))
        source = controls.choice("Sentence from", [OWN, ANNOTATED], key="grammar_from")
        annotated = st.container(width="content")
        with (menu := layout.settings()):
            which = st.container()
            least = st.slider(
                "Links of at least", 0, 90, 20, 10, format="%d%%", key="grammar_least", bind="query-params", width=220
            )
            file = _treebank()
    name = model_name.model("text", offered=sorted(zoo.TEXT, key=lambda ours: ours not in zoo.MASKED), menu=menu)
    measured, own = _measured(name, file)
    with menu:
        rows = grammar_relations.choose(measured)
    request = _example(annotated) if source == ANNOTATED else _own_sentence(text, which)
    with layout.waiting_place():
        sentence = _read(name, request)
    typeset.show_cut_notice(sentence.reading.tokens)
    figure = st.container()
    with layout.control_bar():
        drawn = _drawn(rows, sentence.reading.heads)
    visible_arcs = grammar_arcs.arcs_of(sentence.reading, drawn, sentence.tree, least / 100)
    with figure:
        grammar_arcs.show(sentence, drawn, visible_arcs)
    chosen = grammar_relations.show(rows, measured, own) if measured else None
    if measured is None:
        title = typeset.plain(text_model(name).title)
        st.info(SECTION.text("Unmeasured model", title=title), icon=":material/info:")
    layout.notes(
        SECTION,
        notice=noticed(measured, rows, sentence, drawn, visible_arcs),
        numbers={"share": grammar_relations.share_in_latex(chosen)},
        formula=lambda: grammar_relations.show_cases(chosen),
    )


# What is read.


def _treebank() -> Upload | None:
    """A visitor's annotated sentences, if there are any."""
    uploads.remove_button(TREEBANK)
    uploads.uploader(TREEBANK, "A treebank of your own", type=["conllu", "conll", "txt"])
    layout.caption(f"{SECTION.text('Treebank of your own')} {uploads.RULE}")
    if uploads.is_forgotten(TREEBANK):
        again, instead = "Open it again", "what was measured before"
        st.info(uploads.EXPIRED.format(what="treebank", again=again, instead=instead), icon=":material/history:")
    return uploads.current(TREEBANK)


def _measured(name: str, file: Upload | None) -> tuple[Measured | None, bool]:
    """What is known of a model, and whether it was measured on the visitor's file."""
    if file is None:
        return compute_grammar.table().get(name), False
    if own := compute_grammar.measure.peek(name, file):
        return own, True
    trees = compute_grammar.treebank(file)
    left_out = f" {trees.too_long:,} longer ones were left out." if trees.too_long else ""
    left_out += f" {trees.too_many:,} more are not read." if trees.too_many else ""
    layout.caption(f"Your treebank: {len(trees.trees):,} sentences.{left_out}")
    waiting.offer(
        f"Measure every head on {len(trees.trees):,} sentences",
        partial(compute_grammar.measure, name, file),
        unit="sentences",
        icon=":material/timer:",
        key="grammar_measure",
    )
    return compute_grammar.table().get(name), False


def _example(place: DeltaGenerator) -> int:
    """The number of the annotated sentence that the visitor has chosen."""
    texts = [tree.text for tree in EXAMPLES]
    return texts.index(
        place.selectbox("Annotated sentence", texts, key="grammar_example", bind="query-params", width=460)
    )


def _own_sentence(text: Text, place: DeltaGenerator) -> str:
    """One of the sentences of the visitor's text."""
    sentences = sentences_of(content_of(text))
    with place:
        number = controls.number("Sentence", len(sentences), key="grammar_sentence") if len(sentences) > 1 else 0
    return sentences[number]


def _read(name: str, request: str | int) -> Sentence:
    """What the model makes of it; of a long one of the visitor's own, of its beginning."""
    if isinstance(request, int):
        return Sentence(compute_grammar.read_example(name, request), EXAMPLES[request])
    short = shortened(request)
    if short != request:
        st.caption(f"Of this sentence the first {len(short.split()):,} of {len(request.split()):,} words.")
    return Sentence(compute_grammar.read_own(name, short), None)


def sentences_of(text: str) -> list[str]:
    """A text in sentences: up to a full stop, a question or exclamation mark and a space, or to the line's end."""
    parts = re.split(r"(?<=[.!?…])\s+|(?<=[。！？])|\n+", text)
    return [part.strip() for part in parts if part.strip()]


def shortened(sentence: str) -> str:
    """At most LONGEST_WORDS words and LONGEST characters of it."""
    match = re.match(rf"(?:\s*\S+){{1,{LONGEST_WORDS}}}", sentence)
    return (match.group() if match else sentence)[:LONGEST].strip()


# Which heads are drawn.


def _drawn(rows: Mapping[str, BestHead], heads: Sequence[Head]) -> list[Drawn]:
    """The heads whose links are drawn: the best of each chosen relation, or one that the visitor names."""
    if not rows or controls.choice("Heads", [BEST, ONE], key="grammar_heads") == ONE:
        return [_one(heads)]
    former = st.session_state.get("grammar_relations")
    if former is not None and not set(former) <= set(rows):
        st.session_state.grammar_relations = [relation for relation in former if relation in rows]
    chosen = st.multiselect(
        "Relations",
        list(rows),
        default=grammar_relations.of_several_heads(rows)[:DRAWN],
        key="grammar_relations",
        bind="query-params",
        max_selections=MOST_DRAWN,
    )
    # Another model, or a treebank of longer texts, may have been read through other layers.
    best_heads = [rows[relation] for relation in chosen if rows[relation].head in heads]
    return [Drawn(f"{best.relation} {best.direction}", best.head, best.relation, best.direction) for best in best_heads]


def _one(heads: Sequence[Head]) -> Drawn:
    layers = sorted({layer for layer, _ in heads})
    layer = layers[controls.number("Layer", len(layers), key="grammar_layer")]
    within = [head for of, head in heads if of == layer]
    head = within[controls.number("Head", len(within), key="grammar_head")]
    return Drawn(f"layer {layer}, head {head}", (layer, head))


def noticed(
    measured: Measured | None,
    rows: Mapping[str, BestHead],
    sentence: Sentence,
    drawn: Sequence[Drawn],
    visible_arcs: Sequence[Arc],
) -> tuple[str, ...]:
    """What the arcs and the measured shares say."""
    sentences = [grammar_arcs.about_shown(visible_arcs, drawn, sentence.tree)]
    if rows and measured:
        sentences += grammar_relations.noticed(rows, measured)
    return tuple(sentences)

"""Across languages: a sentence and its translation in one input, a word hidden in either, and what looks across."""

from dataclasses import dataclass
from functools import partial
from math import log2

import numpy as np
import pandas as pd
import streamlit as st
import torch

from core.errors import ModelError
from core.probing.masked_words.across_languages import FAINT, GuessPair
from core.probing.masked_words.masked_places import MaskedToken
from core.results.translator_results import PAIRS, Alignment
from core.translation.alignment import links_of
from dashboard import theme, typeset
from dashboard.components.alignment_view import AlignmentScene, Map, Panel, alignment_view
from dashboard.components.word_picker import PickedWord, word_picker
from dashboard.contents import LONGEST_LINE
from dashboard.figures.predictions import prediction_bars
from dashboard.frame import layout
from dashboard.inputs import controls, example_texts
from dashboard.output import alignment_table, charts
from dashboard.output.alignment_table import DIRECTION_HELP, DIRECTIONS, TEXTS
from dashboard.theme import HUES
from pages.language.missing_word import across_sentences as say
from pages.language.missing_word import compute_across as compute
from pages.language.missing_word import hidden_words, inputs
from pages.language.missing_word.compute_across import Guessed, Hidden, Pair
from pages.language.missing_word.prose import PAGE


@dataclass(frozen=True)
class Example:
    """A sentence, its translation, and which words of each are hidden at first, counted from 0."""

    english: str
    french: str
    hidden_english: frozenset[int] = frozenset()
    hidden_french: frozenset[int] = frozenset()


SECTION = PAGE.section("Across languages")
EXAMPLES = example_texts.examples_of("across", Example)
FIRST = next(iter(EXAMPLES.values()))
ALIGNS_BEST, ANY = "aligns best", "any head"
TOP = 6  # guesses that are shown
ADDRESSES = {"English": "hide_english", "French": "hide_french"}  # of the hidden words
KEYS = {"English": "english", "French": "french"}


def show() -> None:
    """The two sentences to click in, the guesses for a gap with and without the other one; then what looks across."""
    compute.model()
    english, french = _sentences()
    with layout.waiting_place():
        pair = compute.read(english, french)
        hidden = _hidden(pair)
        guessed = compute.guess(english, french, *hidden)
    inputs.say_unknown(pair.tokens.ids, pair.english + pair.french, compute.model())
    _pickers(pair, guessed, hidden)
    chosen = _guesses(pair, guessed)
    alignment = _alignment()
    about_map = _map(english, french, hidden, pair, alignment)
    if alignment is not None:
        layout.heading("Do the links agree with those of people?")
        alignment_table.show(alignment, name="across-alignment")
    measured = compute.measured()
    notice = (
        say.about_all(guessed.english, guessed.french),
        about_map,
        *(say.about_alignment(alignment) if alignment else ()),
        *((say.about_measured(measured), SECTION.text("Held-out sentences")) if measured else ()),
    )
    layout.notes(SECTION, notice=notice, formula=lambda: _formula(chosen, alignment))


def _sentences() -> tuple[str, str]:
    """The English sentence and the French one, and examples to click."""
    with layout.control_bar():
        typed = [
            st.text_input(
                f"{language} sentence", first, key=KEYS[language], bind="query-params", max_chars=LONGEST_LINE
            )
            for language, first in zip(KEYS, (FIRST.english, FIRST.french), strict=True)
        ]
        with st.popover("Examples", icon=":material/format_quote:"):
            st.pills("Examples", list(EXAMPLES), key="across_example", on_change=_take, label_visibility="collapsed")
    return typed[0], typed[1]


def _take() -> None:
    if (example := EXAMPLES.get(st.session_state.across_example)) is not None:
        st.session_state[KEYS["English"]], st.session_state[KEYS["French"]] = example.english, example.french
        hidden_words.to_address(example.hidden_english, address=ADDRESSES["English"])
        hidden_words.to_address(example.hidden_french, address=ADDRESSES["French"])


def _hidden(pair: Pair) -> tuple[Hidden, Hidden]:
    """The hidden words of both sentences; those of the first example until anybody has clicked or typed."""
    is_first = (pair.english, pair.french) == (FIRST.english, FIRST.french)
    usual = FIRST.hidden_english if is_first else hidden_words.first_hidden(pair.sides[0], pair.unknown_english)
    if ADDRESSES["French"] in st.query_params:  # somebody has chosen what is hidden, there if not here
        usual = frozenset()
    english = hidden_words.from_address(
        pair.sides[0], address=ADDRESSES["English"], usual=usual, what="the English sentence"
    )
    french = hidden_words.from_address(
        pair.sides[1], address=ADDRESSES["French"], usual=frozenset(), what="the French sentence"
    )
    return tuple(sorted(english)), tuple(sorted(french))


def _pickers(pair: Pair, guessed: Guessed, hidden: tuple[Hidden, Hidden]) -> None:
    """Both sentences; a click on a word hides it, or shows it again."""
    sides = zip(st.columns(2, gap="medium"), KEYS, pair.sides, hidden, (guessed.english, guessed.french), strict=True)
    begins = pair.tokens.segments.index(1)
    for column, language, words, covered, gaps in sides:
        # A guess counts places from the beginning of its own sentence, with [CLS]; the pair has English first.
        offset = 0 if language == "English" else begins - 1
        best = {
            gap.with_other.place + offset: typeset.readable(_label(int(gap.with_other.probabilities.argmax())))
            for gap in gaps
        }
        picked = []
        for number, word in enumerate(words):
            name = typeset.readable(word.label)
            guess = "".join(best[place] for place in word.places if place in best).strip()
            is_covered = number in covered
            tell = f"Click to mask “{name}”."
            if is_covered:
                tell = f"“{name}” is masked: the model predicts “{guess}”. Click to show it."
            picked.append(PickedWord(word.label, tell, covered=is_covered, below=guess if is_covered else ""))
        with column:
            word_picker(
                picked,
                key=f"across_{KEYS[language]}",
                on_click=partial(_switch, language, frozenset(covered), hidden),
                label=f"The {language} sentence; words can be masked",
                hint=SECTION.text("Words to mask", other=say.OTHER[language]),
            )
    layout.place_notice()
    if any(hidden) and not theme.is_presented():
        st.button("Show all words", icon=":material/undo:", on_click=_show_all, key="across_undo")


def _switch(language: str, covered: frozenset[int], hidden: tuple[Hidden, Hidden], place: int) -> None:
    """Hide a word or show it again; both sentences are written into the address, so that neither is the usual."""
    for side, words in zip(ADDRESSES, hidden, strict=True):
        hidden_words.to_address(covered ^ {place} if side == language else words, address=ADDRESSES[side])


def _show_all() -> None:
    for address in ADDRESSES.values():
        hidden_words.to_address((), address=address)


def _label(number: int) -> str:
    return compute.model().label(number)


def _guesses(pair: Pair, guessed: Guessed) -> GuessPair | None:
    """The candidates for one gap, with the other language and alone; the gap, None where there is none."""
    gaps = [("English", gap) for gap in guessed.english] + [("French", gap) for gap in guessed.french]
    if not gaps:
        return None
    language, gap = gaps[0]
    if len(gaps) > 1:
        names = [f"{n}. {_hidden_label(pair, side, one)}" for n, (side, one) in enumerate(gaps, start=1)]
        language, gap = gaps[names.index(controls.choice("Mask", names, key="across_gap"))]
    layout.heading("What stands behind the mask?")
    st.markdown(say.about_gap(gap, language), width=theme.PROSE)
    beside, alone = st.columns(2, gap="large")
    with beside:
        st.markdown(f"**With the {say.OTHER[language]} sentence**")
        _bars(gap.with_other, "across-beside")
    with alone:
        st.markdown("**Alone**")
        _bars(gap.alone, "across-alone")
    if gap.with_other.true is not None:
        st.caption(SECTION.text("Masked word"))
    return gap


def _hidden_label(pair: Pair, language: str, gap: GuessPair) -> str:
    begins = pair.tokens.segments.index(1)
    return typeset.readable(pair.tokens.labels[gap.with_other.place + (0 if language == "English" else begins - 1)])


def _bars(gap: MaskedToken, name: str) -> None:
    values, numbers = (tensor.tolist() for tensor in gap.probabilities.topk(min(TOP, len(gap.probabilities))))
    if gap.true is not None and gap.true not in numbers:
        values, numbers = [*values, gap.probability], [*numbers, gap.true]
    labels = [typeset.readable(_label(number)) for number in numbers]
    look = theme.look()
    hues = [look.palette.accent if number == gap.true else look.palette.map for number in numbers]
    charts.chart(
        partial(prediction_bars, labels, values, look=look, hues=hues),
        name=name,
        alt="Predictions: " + ", ".join(f"{label} {value:.1%}" for label, value in zip(labels, values, strict=True)),
        table=pd.DataFrame({"token": labels, "probability": values, "hidden": [n == gap.true for n in numbers]}),
    )


def _alignment() -> Alignment | None:
    """How well all models align; a sentence in its place where nobody has measured, or a file is damaged."""
    try:
        return compute.alignment()
    except ModelError as error:
        st.info(typeset.plain(str(error)), icon=":material/info:")
        return None


def _map(english: str, french: str, hidden: tuple[Hidden, Hidden], pair: Pair, alignment: Alignment | None) -> str:
    """The attention from the French words to the English ones in one head; what is to be noticed."""
    layout.heading("Which word attends to which?")
    chosen = alignment.models.get(PAIRS) if alignment is not None else None
    if chosen is None:
        layout.caption(SECTION.text("Unmeasured alignment"))
    best, usual = None, None
    if chosen is not None:
        best = int(chosen["layer"]), int(chosen["head"])
        usual = next(name for name, side in DIRECTIONS.items() if side == chosen["direction"])
    with layout.control_bar():
        layer, head = _head(compute.maps(english, french), best)
        side = controls.choice("Links of", DIRECTIONS, key="across_links", first=usual, about=DIRECTION_HELP)
        gapped = st.toggle(
            "With the masks", key="across_gaps", bind="query-params", help=SECTION.text("Masks in the map")
        )
    weights = compute.maps(english, french, *(hidden if gapped else ((), ())))[layer, head]
    name = f"Layer {layer}, head {head}"
    labels = [
        tuple(" ___" if gapped and number in covered else word.label for number, word in enumerate(words))
        for words, covered in zip(pair.sides, hidden, strict=True)
    ]
    panel = Panel(
        "pairs",
        "bert-pairs",
        "attention weights, from the French words to the English ones",
        target=labels[1],
        maps=(Map(name.lower(), weights, ALIGNS_BEST if (layer, head) == best else ""),),
        hue=HUES[5],
    )
    links = frozenset(links_of(torch.from_numpy(weights), DIRECTIONS[side]))
    alignment_view(
        AlignmentScene(labels[0], (panel,), source_name="English"),
        key="across-view",
        name="across",
        address=False,
        links=links,
    )
    st.caption(SECTION.text("Strongest links"))
    return say.about_links(weights, labels[1], labels[0], name)


def _head(maps: np.ndarray, best: tuple[int, int] | None) -> tuple[int, int]:
    """Which head is drawn: the one that aligns best, or any."""
    if best is not None:
        which = controls.choice("Head", (ALIGNS_BEST, ANY), key="across_head", about=SECTION.text("Head"))
        if which == ALIGNS_BEST:
            return best
    layers, heads = maps.shape[:2]
    first = best or (0, 0)
    layer = controls.number("Layer", layers, key="across_layer", first=first[0])
    return layer, controls.number("Head of it", heads, key="across_number", first=first[1])


def _formula(gap: GuessPair | None, alignment: Alignment | None) -> None:
    """The objective with the numbers of the gap, and the error rate of the chosen head with its counts."""
    if gap is None or gap.with_other.true is None:
        st.markdown(SECTION.text("No masked word"))
    else:
        beside, alone = (max(guess.probability, FAINT) for guess in (gap.with_other, gap.alone))
        gain = SECTION.text(
            "Gain of the other sentence",
            token=typeset.plain(typeset.readable(_label(gap.with_other.true))),
            with_other=_number(beside),
            alone=_number(alone),
            bits=log2(beside / alone),
        )
        st.markdown(gain)
    if alignment is not None and PAIRS in alignment.models:
        of, (key, title) = alignment.models[PAIRS], next(iter(TEXTS.items()))
        agreement = of["agreement"][key]
        counts = dict(zip(("links", "sure", "sure_links", "possible_links"), agreement["counts"], strict=True))
        where = {"layer": of["layer"], "head": of["head"], "pairs": agreement["pairs"], "corpus": title}
        st.markdown(SECTION.text("Alignment error rate", aer=agreement["aer"], **counts, **where))


def _number(value: float) -> str:
    """A probability for LaTeX, with the digits that matter."""
    if value >= 0.001:
        return f"{value:.4f}"
    mantissa, exponent = f"{value:.1e}".split("e")
    return rf"{mantissa}\cdot 10^{{{int(exponent)}}}"

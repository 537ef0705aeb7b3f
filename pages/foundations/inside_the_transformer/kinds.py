"""Three kinds: one text in an encoder, a decoder and an encoder-decoder, side by side."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from core.view.codec import whole_number
from core.zoo.text_models import Prediction
from dashboard import contents, theme, typeset
from dashboard.address import parameter
from dashboard.components.cell_map import cell_map
from dashboard.components.word_picker import PickedWord, word_picker
from dashboard.figures.predictions import prediction_bars
from dashboard.frame import layout
from dashboard.inputs import controls, example_texts
from dashboard.number_format import in_latex, signed
from dashboard.output import charts
from dashboard.recordings.watched import Text
from dashboard.theme import HUES
from pages.foundations.inside_the_transformer import compute_kinds as compute
from pages.foundations.inside_the_transformer import kinds_sentences as sentences
from pages.foundations.inside_the_transformer.compute_kinds import Continued, Filled, Links, Translated
from pages.foundations.inside_the_transformer.inputs import KINDS_TEXT, own_text
from pages.foundations.inside_the_transformer.kinds_sentences import BOTH, DECODER, ENCODER
from pages.foundations.inside_the_transformer.prose import PAGE

SECTION = PAGE.section("Three kinds")
MODELS = {ENCODER: "BERT", DECODER: "GPT", BOTH: "translator"}
MASK, MEAN = "Mask", "Mean attention"  # what the cells show
CLOSED = "closed"
WORD = "masked"  # in the address: which word is masked, counted from 0
SIDES = ("encoder", "decoder", "cross")  # in the legend of the maps
HUE_OF = dict(zip(SIDES, (HUES[0], HUES[1], HUES[2]), strict=True))
TALL = 300  # pixels: the cells of a map


def show() -> None:
    """The three masks, what each model predicts, what each kind is used for."""
    text, cells = _inputs()
    with layout.waiting_place():
        shared = compute.shared(text)
        linked_word = parameter(WORD, lambda number: whole_number(number, len(shared.words)))
        chosen = compute.usual_word(shared.words) if linked_word is None else linked_word
        filled, continued = compute.fill(shared.text, chosen), compute.go_on(shared.text)
        translated = compute.translate(shared.text)
    for heading, cut in (("Cut text", shared.cut), ("Cut source", translated.source.cut)):
        if cut:
            layout.caption(SECTION.text(heading, tokens=cut.length, total=cut.total))
    _maps(filled, continued, translated, cells)
    layout.place_notice()
    _predictions(filled, continued, translated)
    _uses()
    layout.notes(
        SECTION,
        notice=(
            sentences.about_links(filled, continued, translated),
            sentences.about_predictions(filled, continued, translated),
            sentences.about_later_tokens(filled, continued),
        ),
        numbers=_numbers(filled, continued, translated),
    )


def _inputs() -> tuple[Text, str]:
    with layout.control_bar():
        text = own_text(KINDS_TEXT)
        controls.examples(example_texts.examples("three-kinds"), forgets=(WORD,))
        with layout.settings():
            cells = controls.choice("Cells", (MASK, MEAN), key="cells", about=SECTION.text("Cells"))
    return text, cells


# The maps.


def _maps(filled: Filled, continued: Continued, translated: Translated, cells: str) -> None:
    maps = {
        ENCODER: (filled.tokens.labels, (filled.links,)),
        DECODER: (continued.tokens.labels, (continued.links,)),
        BOTH: ((*translated.source.labels, *translated.read.labels), translated.links),
    }
    for column, (kind, (labels, links)) in zip(st.columns(3), maps.items(), strict=True):
        with column:
            st.markdown(f"**{kind}** · {MODELS[kind]}")
            _map(kind, [typeset.readable(label) for label in labels], links, cells)


def _map(kind: str, labels: list[str], links: Sequence[Links], cells: str) -> None:
    of_mask = cells == MASK
    present = [side for side in SIDES if side in {part.side for part in links}]
    total = sum(part.open for part in links)
    cell_map(
        categories(links, present) if of_mask else weights(links),
        key=f"kinds_{MODELS[kind]}_{'mask' if of_mask else 'mean'}",
        x="key",
        y="query",
        tell="“{row}” to “{column}”: {value}" if of_mask else "“{row}” gives {value} to “{column}”",
        rows=labels,
        columns=labels,
        limits=None if of_mask else (0.0, 1.0),
        kinds=(CLOSED, *present) if of_mask else (),
        hues=[HUE_OF[side] for side in present] if of_mask else (),
        alt=f"{kind}: {total:,} of {len(labels) ** 2:,} links between {len(labels)} tokens are open",
        name=f"three-kinds-{MODELS[kind].lower()}",
        height=theme.look().high(TALL),
    )


def categories(links: Sequence[Links], sides: Sequence[str]) -> np.ndarray:
    """Which part each link belongs to, 1 for the first of `sides`; 0 where it is closed, or where there is none."""
    return _arranged({part.side: np.where(part.allowed, 1.0 + sides.index(part.side), 0.0) for part in links}, 0.0)


def weights(links: Sequence[Links]) -> np.ndarray:
    """The mean attention of each link; NaN where it is closed, or where there is none."""
    return _arranged({part.side: part.mean for part in links}, np.nan)


def _arranged(parts: dict[str, np.ndarray], empty: float) -> np.ndarray:
    """One map (query, key) of all parts: the source before the translation, to which the source never attends."""
    if "cross" not in parts:
        (only,) = parts.values()
        return only
    source, target = parts["encoder"], parts["decoder"]
    return np.block([[source, np.full((len(source), len(target)), empty)], [parts["cross"], target]])


# What the models predict.


def _predictions(filled: Filled, continued: Continued, translated: Translated) -> None:
    layout.heading("What each model predicts for this text")
    draws = {
        ENCODER: partial(_fill, filled),
        DECODER: partial(_bars, continued.predictions, "gpt"),
        BOTH: partial(_translation, translated),
    }
    for column, (kind, draw) in zip(st.columns(3, gap="medium"), draws.items(), strict=True):
        with column:
            st.markdown(f"**{kind}.** {SECTION.text(f'Training: {kind}')}")
            draw()
    typeset.explain_bytes(prediction.label for prediction in (*filled.predictions, *continued.predictions))


def _fill(filled: Filled) -> None:
    best = typeset.readable(filled.predictions[0].label)
    word_picker(
        [
            PickedWord(
                word.label,
                f"Click to mask “{typeset.readable(word.label)}”.",
                covered=place == filled.chosen,
                below=best if place == filled.chosen else "",
            )
            for place, word in enumerate(filled.words)
        ],
        key="kinds_words",
        on_click=lambda place: st.query_params.__setitem__(WORD, str(place)),
        label="The text with its masked word",
        hint="Click a word to mask it.",
    )
    _bars(filled.predictions, "bert", true=filled.true)


def _bars(predictions: Sequence[Prediction], name: str, *, true: int | None = None) -> None:
    look = theme.look()
    labels = [typeset.readable(prediction.label) for prediction in predictions]
    values = [prediction.probability for prediction in predictions]
    hues = [look.palette.accent if prediction.number == true else look.palette.map for prediction in predictions]
    charts.chart(
        partial(prediction_bars, labels, values, look=look, hues=hues),
        name=f"kinds-{name}",
        alt="Predictions: " + ", ".join(f"{label} {value:.1%}" for label, value in zip(labels, values, strict=True)),
        table=pd.DataFrame({"token": labels, "probability": values}),
    )


def _translation(translated: Translated) -> None:
    st.markdown(f"> {sentences.one_line(translated.text)}")
    end = "the mark of the end included" if translated.ended else "without coming to an end"
    unknown = f" Tokens of your text that its vocabulary lacks: {translated.unknown}." if translated.unknown else ""
    layout.caption(
        f"Log-probability {signed(translated.log_probability)} for {translated.tokens} tokens, {end}.{unknown}"
    )
    contents.TRANSLATION.link("Translation")


# What they are used for.


def _uses() -> None:
    layout.heading("What each kind is used for, and how well ours do")
    for column, (kind, results) in zip(st.columns(3, gap="medium"), sentences.measured().items(), strict=True):
        with column:
            st.markdown(f"**{kind}.** {SECTION.text(f'Use: {kind}')}")
            st.markdown("\n".join(f"- {result}" for result in results))
    layout.caption(SECTION.text("Held-out results"))
    if not theme.is_presented():
        layout.heading("Where the rule of thumb comes from")
        st.markdown(SECTION.text("Rule of thumb"), width=theme.PROSE)


def _numbers(filled: Filled, continued: Continued, translated: Translated) -> dict[str, object]:
    """How many links each mask leaves open, in LaTeX, and over how many heads the mean attention is taken."""
    encoder, decoder = len(filled.tokens), len(continued.tokens)
    n, m = len(translated.source), len(translated.read)
    counts = (n * n, m * (m + 1) // 2, m * n)
    return {
        "encoder_tokens": encoder,
        "encoder_links": in_latex(encoder * encoder),
        "decoder_tokens": decoder,
        "one_more": decoder + 1,
        "decoder_links": in_latex(decoder * (decoder + 1) // 2),
        "parts": "+".join(map(in_latex, counts)),
        "all_links": in_latex(sum(counts)),
        "encoder_heads": filled.links.heads,
        "encoder_layers": filled.links.layers,
        "decoder_heads": continued.links.heads,
        "decoder_layers": continued.links.layers,
        "source_heads": translated.encoder.heads,
        "target_heads": translated.decoder.heads,
        "cross_heads": translated.cross.heads,
    }

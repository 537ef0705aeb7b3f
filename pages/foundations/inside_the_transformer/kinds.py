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
from dashboard.inputs import controls
from dashboard.number_format import in_latex, signed
from dashboard.output import charts
from dashboard.recordings.watched import Text
from dashboard.theme import HUES
from pages.foundations.inside_the_transformer import compute_kinds as compute
from pages.foundations.inside_the_transformer import kinds_sentences as sentences
from pages.foundations.inside_the_transformer import words_kinds as words
from pages.foundations.inside_the_transformer.compute_kinds import Continued, Filled, Links, Translated
from pages.foundations.inside_the_transformer.inputs import own_text

WORD = "masked"  # in the address: which word is masked, counted from 0
SIDES = tuple(words.SIDES)
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
    for cut, sentence in ((shared.cut, words.CUT), (translated.source.cut, words.CUT_SOURCE)):
        if cut:
            layout.caption(sentence.format(kept=cut.kept, total=cut.total))
    _maps(filled, continued, translated, cells)
    layout.place_notice()
    _predictions(filled, continued, translated)
    _uses()
    layout.notes(
        words.NOTES,
        notice=(
            sentences.about_links(filled, continued, translated),
            sentences.about_predictions(filled, continued, translated),
            sentences.about_later_tokens(filled, continued),
        ),
        formula=lambda: _explain(filled, continued, translated),
    )


def _inputs() -> tuple[Text, str]:
    with layout.control_bar():
        text = own_text(words.SENTENCE)
        controls.examples(words.EXAMPLES, forgets=(WORD,))
        with layout.settings():
            cells = controls.choice("Cells", (words.MASK, words.MEAN), key="cells", about=words.CELLS)
    return text, cells


# The maps.


def _maps(filled: Filled, continued: Continued, translated: Translated, cells: str) -> None:
    maps = {
        words.ENCODER: (filled.tokens.labels, (filled.links,)),
        words.DECODER: (continued.tokens.labels, (continued.links,)),
        words.BOTH: ((*translated.source.labels, *translated.read.labels), translated.links),
    }
    for column, (kind, (labels, links)) in zip(st.columns(3), maps.items(), strict=True):
        with column:
            st.markdown(f"**{kind}** · {words.MODELS[kind]}")
            _map(kind, [typeset.readable(label) for label in labels], links, cells)


def _map(kind: str, labels: list[str], links: Sequence[Links], cells: str) -> None:
    of_mask = cells == words.MASK
    present = [side for side in SIDES if side in {part.side for part in links}]
    total = sum(part.open for part in links)
    cell_map(
        categories(links, present) if of_mask else weights(links),
        key=f"kinds_{words.MODELS[kind]}_{'mask' if of_mask else 'mean'}",
        x="key",
        y="query",
        tell="“{row}” to “{column}”: {value}" if of_mask else "“{row}” gives {value} to “{column}”",
        rows=labels,
        columns=labels,
        limits=None if of_mask else (0.0, 1.0),
        kinds=(words.CLOSED, *(words.SIDES[side] for side in present)) if of_mask else (),
        hues=[HUE_OF[side] for side in present] if of_mask else (),
        alt=f"{kind}: {total:,} of {len(labels) ** 2:,} links between {len(labels)} tokens are open",
        name=f"three-kinds-{words.MODELS[kind].lower()}",
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
    layout.heading(words.PREDICTS)
    draws = {
        words.ENCODER: partial(_fill, filled),
        words.DECODER: partial(_bars, continued.predictions, "gpt"),
        words.BOTH: partial(_translation, translated),
    }
    for column, (kind, draw) in zip(st.columns(3, gap="medium"), draws.items(), strict=True):
        with column:
            st.markdown(f"**{kind}.** {words.TRAINED[kind]}")
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
        hint=words.HINT,
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
    end = words.ENDED if translated.ended else words.NOT_ENDED
    unknown = words.UNKNOWN.format(count=translated.unknown) if translated.unknown else ""
    layout.caption(
        f"Log-probability {signed(translated.log_probability)} for {translated.tokens} tokens, {end}.{unknown}"
    )
    contents.TRANSLATION.link("Translation")


# What they are used for.


def _uses() -> None:
    layout.heading(words.USES)
    for column, (kind, results) in zip(st.columns(3, gap="medium"), sentences.measured().items(), strict=True):
        with column:
            st.markdown(f"**{kind}.** {words.USED_FOR[kind]}")
            st.markdown("\n".join(f"- {result}" for result in results))
    layout.caption(words.MEASURED)
    if not theme.is_presented():
        layout.heading(words.ORIGIN)
        st.markdown(words.RULE, width=theme.PROSE)


def _explain(filled: Filled, continued: Continued, translated: Translated) -> None:
    """The masks in symbols, and their sizes with the numbers of this text."""
    st.latex(r"\mathrm{softmax}\Big(\tfrac{QK^\top}{\sqrt{d_k}}+M\Big)V")
    st.markdown(r"Encoder: $M_{ij}=0$ for all $i$ and $j$. Open links:")
    n = len(filled.tokens)
    st.latex(rf"n^2={n}^2={in_latex(n * n)}")
    st.markdown(r"Decoder: $M_{ij}=0$ where $j\le i$, else $-\infty$. Open links:")
    n = len(continued.tokens)
    st.latex(rf"\tfrac12 n(n+1)=\tfrac12\cdot {n}\cdot {n + 1}={in_latex(n * (n + 1) // 2)}")
    st.markdown(
        "Encoder-decoder, $n$ tokens of the source, $m$ of the translation: the encoder's mask, the decoder's, and one "
        "that is open from each of the $m$ to each of the $n$. Open links:"
    )
    n, m = len(translated.source), len(translated.read)
    total = n * n + m * (m + 1) // 2 + m * n
    parts = "+".join(map(in_latex, (n * n, m * (m + 1) // 2, m * n)))
    st.latex(r"\begin{gathered} n^2+\tfrac12 m(m+1)+mn \\ " + rf"={parts}={in_latex(total)} \end{{gathered}}")
    st.markdown(words.READ_OFF)
    layout.caption(
        f"Mean attention: of {filled.links.heads} heads in {filled.links.layers} layers of the encoder, of "
        f"{continued.links.heads} in {continued.links.layers} of the decoder; of the translator "
        f"{translated.encoder.heads}, {translated.decoder.heads} and {translated.cross.heads}."
    )

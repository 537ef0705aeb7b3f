"""What the specialist cannot do, on the visitor's review: order and negation, unknown words, other questions."""

import pandas as pd
import streamlit as st

from core.shrinking.students import TITLES as STUDENT_TITLES
from core.view.codec import whole_number
from core.zoo.text_models import Prediction
from dashboard import theme, typeset
from dashboard.address import parameter
from dashboard.components.word_picker import PickedWord, word_picker
from dashboard.frame import layout
from dashboard.number_format import large
from dashboard.output import charts
from dashboard.output.data_table import data_table
from pages.scale.shrinking import compute_distilled
from pages.scale.shrinking import compute_specialist as compute
from pages.scale.shrinking import specialist_sentences as sentences
from pages.scale.shrinking.compute_specialist import TITLES, Outputs, Readings
from pages.scale.shrinking.prose import PAGE

SECTION = PAGE.section("A small specialist")
WORD = "specialist_word"
FIRST = 16  # the word that is masked before anybody chooses
NOTHING = "none"


def show(review: str, readings: Readings) -> tuple[str, ...]:
    """The three demonstrations; returns the sentences about them."""
    layout.heading("What the specialist cannot do")
    notice = _edits(review, readings)
    _unknown(review)
    return (*notice, *_outputs(review, readings))


def _edits(review: str, readings: Readings) -> list[str]:
    st.markdown("**Order and negation**")
    edits, notice = compute.edits(review), list[str]()
    columns = {"your review": readings}
    with layout.waiting_place():
        if edits.reversed is not None:
            columns["words in reverse"] = compute.readings(edits.reversed)
            notice.append(sentences.about_order(readings, columns["words in reverse"]))
        if edits.negated is not None:
            columns["“not” changed"] = compute.readings(edits.negated)
            notice.append(sentences.about_negation(readings, columns["“not” changed"]))
    table = pd.DataFrame({"network": [TITLES[name] for name in readings]})
    for title, of_edit in columns.items():
        table[title] = [of_edit[name].positive for name in readings]
    share = {
        title: st.column_config.ProgressColumn(title, min_value=0.0, max_value=1.0, format="percent")
        for title in columns
    }
    data_table(table, hide_index=True, column_config=share)
    charts.download_table(table, "specialist-edits")
    layout.caption(
        SECTION.text("Reviews without an auxiliary verb")
        if edits.negated is None
        else SECTION.text("Edited reviews", negated=typeset.plain(typeset.readable(edits.negated)))
    )
    return notice


def _unknown(review: str) -> None:
    text_words, unknown = compute.words(review)
    sentence = sentences.about_unknown(text_words, unknown, compute.vocabulary())
    st.markdown("**Words that it does not know**")
    st.markdown(sentence, width=theme.PROSE)


def _outputs(review: str, readings: Readings) -> list[str]:
    st.markdown("**Other questions**")
    with layout.waiting_place():
        tokens, text_words = compute_distilled.read(review)
    if not text_words:
        layout.caption("There is no word here that BERT could fill in.")
        return []
    choice = parameter(WORD, whole_number)
    number = max(0, min(FIRST if choice is None else choice, len(text_words) - 1))
    with layout.waiting_place():
        outputs = compute.outputs(review, number)
    best = next(iter(outputs.masked.values()))
    word_picker(
        [
            PickedWord(
                word.label,
                f"Click to mask “{typeset.readable(word.label)}”.",
                covered=place == number,
                below=typeset.readable(best.label) if place == number else "",
            )
            for place, word in enumerate(text_words)
        ],
        key="specialist_words",
        on_click=lambda place: st.query_params.__setitem__(WORD, str(place)),
        label="The review with its masked word",
        hint="Click a word to mask it for BERT and its students.",
    )
    table = outputs_table(outputs, readings)
    data_table(table, hide_index=True, column_config={"outputs": st.column_config.Column(width=190)})
    charts.download_table(table, "specialist-outputs")
    captions = [SECTION.text("Missing outputs")]
    if tokens.cut:
        captions.append(SECTION.text("Masked part of a review", read=tokens.cut.length, total=tokens.cut.total))
    layout.caption(" ".join(captions))
    return [sentences.about_outputs(outputs)]


def outputs_table(outputs: Outputs, readings: Readings) -> pd.DataFrame:
    """A row for each network: its outputs, and what it answers to each of three questions, or NOTHING."""
    rows = []
    for name, reading in readings.items():
        count = f"{outputs.classes[name]} classes"
        if name in outputs.tags:
            count += f", {outputs.tags[name]} tags a word"
        probability = float(reading.probabilities.max())
        rows.append([TITLES[name], count, f"{reading.label} {probability:.1%}", NOTHING, NOTHING])
    for name, answer in outputs.masked.items():
        size = name.partition("-")[2]
        title = f"BERT, {STUDENT_TITLES[size].lower()}" if size in STUDENT_TITLES else "BERT before fine-tuning"
        rows.append([title, f"{large(outputs.vocabulary)} tokens", NOTHING, _answer(answer), NOTHING])
    rows.append(["GPT", f"{large(outputs.next_vocabulary)} tokens", NOTHING, NOTHING, _answer(outputs.next_word)])
    return pd.DataFrame(rows, columns=["network", "outputs", "sentiment", "masked word", "next word"])


def _answer(prediction: Prediction) -> str:
    return f"{typeset.readable(prediction.label).strip()} {prediction.probability:.1%}"

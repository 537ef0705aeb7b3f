"""Your own caption: where a network would look if it were to write just these words."""

from collections.abc import Iterator
from math import exp

import streamlit as st

from dashboard import typeset
from dashboard.cache.memo import cached
from dashboard.cache.models import captioner
from dashboard.components.word_maps import WordScene, word_maps
from dashboard.frame import layout
from dashboard.inputs import controls, example_texts, picture_input
from dashboard.inputs.picture_input import PHOTOGRAPHS, PictureInput, truth_of
from dashboard.number_format import compare
from pages.words_and_pictures.captioning import compute, inputs
from pages.words_and_pictures.captioning.compute import Written
from pages.words_and_pictures.captioning.prose import PAGE
from pages.words_and_pictures.captioning.telling import formula
from pages.words_and_pictures.captioning.verdict import FALSE, TRUE
from pages.words_and_pictures.captioning.word_scene import scene_for

SECTION = PAGE.section("Your own caption")
EXAMPLES = {world: example_texts.examples(f"captions-{world}") for world in ("scenes", "photographs")}

ALIKE = 0.005  # of probability: words that differ by no more are about as probable


def show() -> None:
    """The picture and the words, the maps, the notes."""
    with layout.control_bar():
        chosen = picture_input.choose(is_narrow=True)
        world = "photographs" if chosen.world == PHOTOGRAPHS else "scenes"
        first = next(iter(EXAMPLES[world].values()))
        field = f"own_{world}"
        text = st.text_input("Your caption", first, key=field, bind="query-params", max_chars=300)
        controls.examples(EXAMPLES[world], field=field)
        with layout.settings():
            name = inputs.captioner_for(chosen, inputs.kind())
    written = compute.look(name, chosen, text)
    model = captioner(name)
    if unknown := model.unknown(text):
        named = ", ".join(f"“{typeset.plain(word)}”" for word in unknown[:6])
        known = model.tokenizer.get_vocab_size() - 4
        says = (
            f"{model.title} knows {known:,} words, but not {named}: all such words are read as the same unknown word."
        )
        st.info(says, icon=":material/question_mark:")
    word_maps(scene_of(name, chosen, text), key="own-maps", name="own-caption")
    layout.place_notice()
    layout.prose(SECTION.text("Teacher forcing"))
    layout.notes(SECTION, notice=noticed(written, chosen), formula=lambda: formula(written))


@cached()
def scene_of(name: str, chosen: PictureInput, text: str) -> WordScene:
    """What the view shows of a caption of somebody's own."""
    return scene_for(compute.look(name, chosen, text), chosen)


def noticed(written: Written, chosen: PictureInput) -> tuple[str, ...]:
    """How probable the words are, and whether they are true."""
    return tuple(sentence for part in (_tell_truth(written, chosen), _tell_probable(written)) for sentence in part)


def _tell_truth(written: Written, chosen: PictureInput) -> Iterator[str]:
    truth = truth_of(chosen, written.text)
    if truth is not None:
        yield f"Your caption is **{(TRUE if truth else FALSE).lower()}**."


def _tell_probable(written: Written) -> Iterator[str]:
    """The least and the most probable of the words, the end and unknown words aside."""
    logs = written.attention.log_probabilities
    known = [place for place, special in enumerate(written.words.special) if not special]
    if not known:
        return
    low, high = min(known, key=lambda place: logs[place]), max(known, key=lambda place: logs[place])
    label = [f"“{typeset.plain(written.words.labels[place].strip())}”" for place in (low, high)]
    if low == high:
        yield f"The network gives {label[0]} a probability of {exp(logs[low]):.1%}."
        return
    if compare(exp(logs[high]), exp(logs[low]), margin=ALIKE) != "more":
        yield f"The network gives all {len(known)} words about as much: {exp(logs[low]):.2%} to {exp(logs[high]):.2%}."
        return
    yield (
        f"**{label[0]}** surprises the network most: it gives this word {exp(logs[low]):.2%}. **{label[1]}** surprises "
        f"it least, with {exp(logs[high]):.0%}."
    )
    mean = exp(sum(logs[place] for place in known) / len(known))
    yield f"The geometric mean over your {len(known)} words is {mean:.1%}."

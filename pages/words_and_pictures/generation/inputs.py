"""What several sections ask the visitor for: a world, a sentence, and how it is drawn."""

from collections.abc import Sequence

import streamlit as st

from core.errors import ModelError
from core.view.codec import whole_number
from core.zoo import attention_gans, dalles
from core.zoo.attention_gans import WORD_ATTENTION
from core.zoo.dalles import DALLES
from dashboard.address import parameter
from dashboard.frame import layout
from dashboard.inputs import controls, example_texts, picture_input
from dashboard.inputs.picture_input import EMOJI, PHOTOGRAPHS, SCENES, PictureInput
from pages.words_and_pictures.generation import words
from pages.words_and_pictures.generation.compute import Drawn, Wish
from pages.words_and_pictures.generation.compute_painted import Asked

EXAMPLES = {world: example_texts.examples(f"drawing-{world}") for world in ("scenes", "emoji")}
COUNTS = (1, 4, 8, 16)
PAINTINGS = 4  # pictures that an attention GAN paints at once
SEEDS = 10_000


def world(available: Sequence[str], missing: str = words.NO_WEIGHTS) -> str:
    """The drawn world, or emoji where there is a network for them; ModelError where there is none at all."""
    if not available:
        raise ModelError(missing)
    titles = {name: words.WORLDS[name] for name in DALLES if name in available}
    if len(titles) == 1:
        return available[0]
    title = controls.choice("World", titles.values(), key="drawn_world")
    return next(name for name, option in titles.items() if option == title)


def wish() -> Wish:
    """The sentence and how it is drawn: the same controls, so the same pictures, in each section."""
    with layout.control_bar():
        chosen = world(dalles.available())
        count = controls.choice("Candidates", COUNTS, key="candidates", first=4)
        with st.popover("How it is drawn", icon=":material/tune:"):
            temperature, top_k, seed = drawing()
        st.button("Draw again", icon=":material/casino:", on_click=_again)
    return Wish(chosen, sentence(chosen), count, temperature, top_k, seed)


def paint_request() -> Asked:
    """The sentence and the noise that an attention GAN paints of, and what its places take of words."""
    with layout.control_bar():
        chosen = world(attention_gans.available(), words.NO_PAINTER)
        looks = controls.choice("Word attention", WORD_ATTENTION, key="word_attention", about=words.LOOKS_ABOUT)
        seed = controls.number("Seed of the noise", SEEDS, key="dice")
        st.button("Paint again", icon=":material/casino:", on_click=_again)
    return Asked(chosen, sentence(chosen), PAINTINGS, seed, looks)


def both() -> tuple[Wish, Asked]:
    """What both networks are asked: one sentence, as many pictures, one seed."""
    with layout.control_bar():
        available = [name for name in dalles.available() if name in attention_gans.available()]
        chosen = world(available, words.NO_WEIGHTS if not dalles.available() else words.NO_PAINTER)
        count = controls.choice("Pictures of each", COUNTS[1:], key="candidates", first=4)
        seed = controls.number("Seed of the dice", SEEDS, key="dice")
        st.button("Draw again", icon=":material/casino:", on_click=_again)
    text = sentence(chosen)
    return Wish(chosen, text, count, seed=seed), Asked(chosen, text, count, seed)


def sentence(world: str) -> str:
    """The sentence, with examples."""
    examples = EXAMPLES[world]
    field = f"draw_{world}"
    text = st.text_input("Your sentence", next(iter(examples.values())), key=field, bind="query-params", max_chars=200)
    controls.examples(examples, field=field, forgets=("part", "place", "other"))
    return text


def picture(world: str) -> PictureInput:
    """A picture of this world, or a photograph."""
    own = SCENES if world == "scenes" else EMOJI
    return picture_input.choose((own, PHOTOGRAPHS), first=own)


def drawing() -> tuple[float, int, int]:
    """Temperature, how many codes are drawn from (0: all), and the seed."""
    temperature = st.slider(
        "Temperature", 0.0, 2.0, 1.0, 0.1, key="temperature", bind="query-params", help=words.ABOUT_TEMPERATURE
    )
    top = controls.choice("Drawn from the likeliest", words.TOPS, key="top_codes", first=words.ALL_CODES)
    seed = controls.number("Seed of the dice", SEEDS, key="dice")
    return temperature, words.TOPS[top], seed


def _again() -> None:
    st.session_state.dice = ((st.session_state.get("dice") or 0) + 1) % SEEDS


def candidate(drawn: Drawn) -> int:
    """The number of the picture that is looked at, chosen by its rank."""
    ranks = range(1, len(drawn.codes) + 1)
    if len(drawn.codes) == 1:
        return 0
    rank = controls.choice("Candidate, by CLIP", ranks, key="candidate")
    return drawn.order[rank - 1]


def place(key: str, grid: int) -> int | None:
    """A place of the picture that stands in the address as row-column."""

    def parse(text: str) -> int | None:
        row, column = (whole_number(part, grid) for part in text.partition("-")[::2])
        return None if row is None or column is None else row * grid + column

    return parameter(key, parse)

"""What several sections ask the visitor for: a world, a sentence, and how it is drawn."""

from collections.abc import Sequence

import streamlit as st

from core.errors import ModelError
from core.view.codec import whole_number
from core.zoo import attention_gans, dalles
from core.zoo.dalles import DALLES
from dashboard.address import parameter
from dashboard.frame import layout
from dashboard.inputs import controls, example_texts, picture_input
from dashboard.inputs.picture_input import EMOJI, PHOTOGRAPHS, SCENES, PictureInput
from pages.words_and_pictures.generation.compute import DrawRequest
from pages.words_and_pictures.generation.compute_painted import PaintRequest
from pages.words_and_pictures.generation.prose import PAGE

EXAMPLES = {world: example_texts.examples(f"drawing-{world}") for world in ("scenes", "emoji")}
WORLDS = {"scenes": "Drawn scenes", "emoji": "Emoji"}
NO_WEIGHTS, NO_PAINTER = PAGE.text("Without DALL-E"), PAGE.text("Without the attention GAN")
DALLE, PAINTER = "DALL-E", "attention GAN"
ALL_CODES = "all codes"
TOPS = {"8 codes": 8, "32 codes": 32, "128 codes": 128, ALL_CODES: 0}
COUNTS = (1, 4, 8, 16)
SEEDS = 10_000


def world(available: Sequence[str], missing: str = NO_WEIGHTS) -> str:
    """The drawn world, or emoji where there is a network for them; ModelError where there is none at all."""
    if not available:
        raise ModelError(missing)
    titles = {name: WORLDS[name] for name in DALLES if name in available}
    if len(titles) == 1:
        return available[0]
    title = controls.choice("World", titles.values(), key="drawn_world")
    return next(name for name, option in titles.items() if option == title)


def world_and_sentence(available: Sequence[str], missing: str = NO_WEIGHTS) -> tuple[str, str]:
    """The world and the sentence, with examples, for a control bar: the same controls in each section."""
    chosen = world(available, missing)
    examples, field = EXAMPLES[chosen], f"draw_{chosen}"
    text = st.text_input("Your sentence", next(iter(examples.values())), key=field, bind="query-params", max_chars=200)
    controls.examples(examples, field=field, forgets=("part", "place", "other"))
    return chosen, text


def request(world: str, text: str) -> DrawRequest:
    """How a sentence is drawn, for a menu of settings: the same controls, so the same pictures, in each section."""
    count = candidates("Candidates")
    temperature = st.slider(
        "Temperature", 0.0, 2.0, 1.0, 0.1, key="temperature", bind="query-params", help=PAGE.text("Temperature")
    )
    top = controls.choice("Drawn from the likeliest", TOPS, key="top_codes", first=ALL_CODES)
    return DrawRequest(world, text, count, temperature, TOPS[top], seed("Seed of the dice"))


def candidates(label: str, counts: Sequence[int] = COUNTS) -> int:
    """How many pictures are drawn of a sentence."""
    return controls.choice(label, counts, key="candidates", first=16)


def seed(label: str) -> int:
    """The seed of the pictures."""
    return controls.number(label, SEEDS, key="dice")


def again(label: str = "Draw again") -> None:
    """A button for the next seed."""
    st.button(label, icon=":material/casino:", on_click=_next_seed)


def both() -> tuple[DrawRequest, PaintRequest]:
    """What both networks are asked: one sentence, as many pictures, one seed."""
    with layout.control_bar():
        available = [name for name in dalles.available() if name in attention_gans.available()]
        missing = NO_WEIGHTS if not dalles.available() else NO_PAINTER
        chosen, text = world_and_sentence(available, missing)
        again()
        with layout.settings():
            count = candidates("Pictures of each", COUNTS[1:])
            dice = seed("Seed of the dice")
    return DrawRequest(chosen, text, count, seed=dice), PaintRequest(chosen, text, count, dice)


def picture(world: str) -> PictureInput:
    """A picture of this world, or a photograph."""
    own = SCENES if world == "scenes" else EMOJI
    return picture_input.choose((own, PHOTOGRAPHS), first=own)


def _next_seed() -> None:
    st.session_state.dice = ((st.session_state.get("dice") or 0) + 1) % SEEDS


def candidate(count: int) -> int:
    """The rank by CLIP, from 0, of the picture in view among `count`; for a menu of settings."""
    if count == 1:
        return 0
    return controls.menu("Candidate, by its rank", range(1, count + 1), key="candidate") - 1


def place(key: str, grid: int) -> int | None:
    """A place of the picture that stands in the address as row-column."""

    def parse(text: str) -> int | None:
        row, column = (whole_number(part, grid) for part in text.partition("-")[::2])
        return None if row is None or column is None else row * grid + column

    return parameter(key, parse)

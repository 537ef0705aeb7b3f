"""Write a sentence: candidates that grow code by code, ranked by CLIP."""

from collections.abc import Iterator, Sequence

import numpy as np
import streamlit as st

from dashboard import theme
from dashboard.cache.models import dalle, picture_coder
from dashboard.frame import layout
from dashboard.number_format import signed
from dashboard.output.export import download_arrays, npz
from pages.words_and_pictures.generation import compute, growing, inputs, words
from pages.words_and_pictures.generation.compute import Drawn, Made, Wish
from pages.words_and_pictures.generation.pictures import enlarged

ALONE, WIDE = 300, 168  # pixels of a picture: of these two stand side by side on a phone


def show() -> None:
    """The sentence, the candidates as they grow, what holds in them, the notes."""
    wish = inputs.wish()
    dalle(wish.world).encode(wish.text)  # what it does not know is told before anything is drawn
    drawn = growing.drawn(compute.draw, wish)
    if drawn is None:
        return
    gallery(drawn, asks=True)
    if not theme.is_presented():
        download_arrays(
            "Codes and pictures (NPZ)",
            lambda: arrays_of(drawn),
            name="drawn",
            about="Codes (picture, place) and pixels of all candidates, the best first",
        )
    layout.notes(words.WRITE_NOTES, notice=noticed(drawn), formula=lambda: _formula(wish))


def gallery(made: Made, *, asks: bool = False, wide: int = WIDE) -> None:
    """All pictures, the one that CLIP likes best first; `asks`: with a way to what each was made from."""
    wide = theme.look().high(ALONE if len(made.pictures) == 1 else wide)
    with st.container(horizontal=True, gap="small"):
        for rank, number in enumerate(made.order, start=1):
            with st.container(width=wide, gap="small"):
                st.image(
                    enlarged(made.pictures[number], 5), width=wide, alt=f"Picture {rank} of {len(made.order)}, as made"
                )
                st.markdown(below(made, number, rank))
                if asks and not theme.is_presented():
                    st.button(
                        words.WHO_TOLD, key=f"ask_{rank}", on_click=_ask, args=(rank,), type="tertiary", width="content"
                    )


def below(made: Made, number: int, rank: int | None = None) -> str:
    """Its place among others, its score, and which statements hold in it."""
    caption = (f"**{rank}.** " if rank else "") + f"CLIP {signed(made.agreement[number])}"
    if not (verdicts := made.statements(number)):
        return caption
    return f"{caption}  \n:small[{ticks(made, verdicts)}]"


def ticks(made: Made, verdicts: Sequence[bool | None]) -> str:
    """The statements of a sentence, each with a mark."""
    assert made.sentence is not None
    word_verdicts = zip(made.sentence.words, verdicts, strict=True)
    return " ".join(f"{'✓' if holds else '✗'}\u00a0{word.text}" for word, holds in word_verdicts if holds is not None)


def _ask(rank: int) -> None:
    st.session_state.show = words.SOURCES
    st.session_state.candidate = rank
    st.session_state.looked_at = words.DRAWN


def arrays_of(drawn: Drawn) -> bytes:
    """All candidates in one file."""
    order = list(drawn.order)
    return npz(
        {
            "codes": drawn.codes[order].numpy().astype(np.int16),
            "pictures": drawn.pictures[order],
            "agreement": np.array([drawn.agreement[number] for number in order], dtype=np.float32),
        }
    )


def noticed(drawn: Drawn) -> tuple[str, ...]:
    """What CLIP likes best, what holds in it and in the others, how alike the pictures are."""
    parts = (tell_rank(drawn), tell_statements(drawn), _tell_alike(drawn))
    return tuple(sentence for part in parts for sentence in part)


def tell_rank(made: Made) -> Iterator[str]:
    """What CLIP thinks of the candidates."""
    scores = [made.agreement[number] for number in made.order]
    if len(scores) == 1:
        yield f"CLIP gives picture and sentence a cosine of {signed(scores[0])}. Draw several, and it has a choice."
        return
    if signed(scores[0]) == signed(scores[-1]):
        yield f"CLIP likes all {len(scores)} candidates as much: their cosine with the sentence is {signed(scores[0])}."
        return
    same = sum(signed(score) == signed(scores[0]) for score in scores)
    best = "the first" if same == 1 else f"the first {same}"
    yield (
        f"Of {len(scores)} candidates CLIP likes {best} best: their cosines with the sentence go from "
        f"{signed(scores[0])} to {signed(scores[-1])}."
    )


def tell_statements(made: Made) -> Iterator[str]:
    """How many pictures hold all that was said, the one that CLIP likes best among them or not."""
    if made.sentence is None:
        return
    if not made.read:
        yield words.NO_READER
        return
    best = made.order[0]
    verdicts = [verdict for verdict in made.statements(best) if verdict is not None]
    if not verdicts:
        return
    count = (
        "the statement holds"
        if sum(verdicts) == len(verdicts) == 1
        else f"{sum(verdicts)} of {len(verdicts)} statements hold"
    )
    yield f"In the first {count}, as the reader of scenes sees it."
    if len(made.pictures) > 1:
        yield f"All that was said holds in **{made.full_matches} of {len(made.pictures)}** candidates."


def _tell_alike(drawn: Drawn) -> Iterator[str]:
    """How many places have the same code in all candidates."""
    if len(drawn.codes) < 2:
        return
    same = int((drawn.codes == drawn.codes[0]).all(dim=0).sum())
    used = len(drawn.codes.unique())
    total = drawn.codes.shape[1]
    yield (
        f"{same} of {total} places have one code in all candidates. Together they use {used} of "
        f"{picture_coder(drawn.prompt.world).network.config.codes} codes."
    )


def _formula(wish: Wish) -> None:
    drawer = dalle(wish.world)
    network = drawer.network.config
    st.latex(r"p(c \mid w) = \prod_{k=1}^{" + str(network.places) + r"} p(c_k \mid w, c_1, \dots, c_{k-1})")
    top = f"the {wish.top_k} most probable" if wish.top_k else f"all {network.codes}"
    count = len(drawer.encode(wish.text)) - 2
    st.markdown(
        f"*w*: {count} words between their marks, filled up to {network.context} places. Each of the "
        f"{network.places} codes is drawn from {top} codes, with the probabilities of the network at temperature "
        f"{wish.temperature:g}. The decoder of the autoencoder paints {network.grid} × {network.grid} codes as "
        "64 × 64 pixels; CLIP ranks what came out (Ramesh et al. 2021, section 2.6)."
    )

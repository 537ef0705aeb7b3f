"""Write a sentence: candidates that grow code by code, ranked by CLIP."""

from collections.abc import Iterator, Sequence

import numpy as np
import streamlit as st

from core.zoo import dalles
from dashboard import theme
from dashboard.cache.models import dalle, picture_coder
from dashboard.frame import layout
from dashboard.number_format import signed
from dashboard.output.export import download_arrays, npz
from pages.words_and_pictures.generation import compute, growing, inputs, sources
from pages.words_and_pictures.generation.compute import Drawn, DrawRequest, Made
from pages.words_and_pictures.generation.pictures import enlarged
from pages.words_and_pictures.generation.prose import PAGE

SECTION = PAGE.section("Write a sentence")
BEST = 4  # pictures that stand first
ALONE, WIDE, WIDE_PRESENTED = 300, 168, 400  # pixels of a picture: of 168 two stand side by side on a phone
SMALLER = 0.68  # the width of the others beside that of the best


def show() -> None:
    """The sentence, the candidates as they grow, what holds in them, the notes."""
    with layout.control_bar():
        world, text = inputs.world_and_sentence(dalles.available())
        inputs.again()
        with layout.settings():
            request = inputs.request(world, text)
    dalle(request.world).encode(request.text)  # what it does not know is told before anything is drawn
    drawn = growing.drawn(compute.draw, request)
    if drawn is None:
        return
    gallery(drawn, asks=True, best=True)
    layout.place_notice()
    gallery(drawn, asks=True, best=False)
    download_arrays(
        "Codes and pictures (NPZ)",
        lambda: arrays_of(drawn),
        name="drawn",
        about="Codes (picture, place) and pixels of all candidates, the best first",
    )
    layout.notes(SECTION, notice=noticed(drawn), numbers=numbers_of(request))


def gallery(made: Made, *, best: bool, asks: bool = False, wide: int = WIDE, presented: int = WIDE_PRESENTED) -> None:
    """The BEST pictures by CLIP, or else all others, smaller; `asks`: with a way to what each was made from.

    `wide`, `presented`: pixels of one of the best on a page and on a projector.
    """
    ranks = range(1, len(made.pictures) + 1)[:BEST] if best else range(1, len(made.pictures) + 1)[BEST:]
    if not ranks:
        return
    if theme.is_presented():
        wide = presented
    elif len(made.pictures) == 1:
        wide = ALONE
    if not best:
        st.caption(f"The other {len(ranks)}, in the order of CLIP")
        wide = round(wide * SMALLER)
    with st.container(horizontal=True, gap="small"):
        for rank in ranks:
            number = made.order[rank - 1]
            with st.container(width=wide, gap="small"):
                st.image(
                    enlarged(made.pictures[number], 5), width=wide, alt=f"Picture {rank} of {len(made.order)}, as made"
                )
                st.markdown(below(made, number, rank))
                if asks and not theme.is_presented():
                    st.button(
                        sources.SECTION.name,
                        key=f"ask_{rank}",
                        on_click=_ask,
                        args=(rank,),
                        type="tertiary",
                        width="content",
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
    st.session_state.show = sources.SECTION.name
    st.session_state.candidate = rank
    st.session_state.looked_at = sources.DRAWN


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
    parts = (tell_statements(drawn), tell_rank(drawn), _tell_alike(drawn))
    return tuple(sentence for part in parts for sentence in part)


def tell_rank(made: Made) -> Iterator[str]:
    """What CLIP thinks of the candidates."""
    scores = [made.agreement[number] for number in made.order]
    if len(scores) == 1:
        yield f"CLIP gives picture and sentence a cosine of {signed(scores[0])}. Draw several, so that it can choose."
        return
    if signed(scores[0]) == signed(scores[-1]):
        yield f"CLIP ranks no candidate first: all {len(scores)} have a cosine of {signed(scores[0])}."
        return
    same = sum(signed(score) == signed(scores[0]) for score in scores)
    first = "Candidate 1 fits" if same == 1 else f"The first {same} candidates fit"
    yield (
        f"{first} the sentence best by CLIP, with a cosine of {signed(scores[0])}; the last of {len(scores)} has "
        f"{signed(scores[-1])}."
    )


def tell_statements(made: Made) -> Iterator[str]:
    """How many pictures hold all that was said, the one that CLIP likes best among them or not."""
    if made.sentence is None:
        return
    if not made.read:
        yield PAGE.text("Without the scene reader")
        return
    best = made.order[0]
    statements = [holds for holds in made.statements(best) if holds is not None]
    if not statements:
        return
    count = (
        "the statement holds"
        if sum(statements) == len(statements) == 1
        else f"{sum(statements)} of {len(statements)} statements hold"
    )
    if len(made.pictures) > 1:
        yield f"{_how_many(made.full_matches, len(made.pictures))} everything you asked for."
    yield f"In the first candidate {count}, by the network that reads scenes."


def _how_many(matches: int, total: int) -> str:
    """How many of several pictures show what was asked for, as the beginning of a sentence."""
    if matches == total:
        return f"**All {total}** drawings show"
    if not matches:
        return f"**None of the {total}** drawings shows"
    return f"**{matches} of {total}** drawings {'shows' if matches == 1 else 'show'}"


def _tell_alike(drawn: Drawn) -> Iterator[str]:
    """How many places have the same code in all candidates."""
    if len(drawn.codes) < 2:
        return
    same = int((drawn.codes == drawn.codes[0]).all(dim=0).sum())
    used = len(drawn.codes.unique())
    total = drawn.codes.shape[1]
    yield (
        f"At {same} of {total} places all candidates have the same code. Together they use {used} of "
        f"{picture_coder(drawn.prompt.world).network.config.codes} codes."
    )


def numbers_of(request: DrawRequest) -> dict[str, object]:
    """The numbers of the section's formula."""
    drawer = dalle(request.world)
    network = drawer.network.config
    return {
        "words": len(drawer.encode(request.text)) - 2,
        "context": network.context,
        "places": network.places,
        "grid": network.grid,
        "top": f"the {request.top_k} most probable" if request.top_k else f"all {network.codes}",
        "temperature": request.temperature,
    }

"""The stages of a painted picture, and where each word painted."""

from collections.abc import Iterator

import numpy as np
import streamlit as st
from jaxtyping import Bool, Float

from core.scenes.draw import masks
from core.scenes.truth import meanings
from core.zoo.attention_gans import ALIKE, AS_LEARNED, CUT
from dashboard import theme, typeset
from dashboard.cache.memo import cached
from dashboard.cache.models import attention_gan
from dashboard.components.word_maps import MappedWord, WordMap, WordScene, word_maps
from dashboard.frame import layout
from pages.words_and_pictures.generation import compute_painted, write
from pages.words_and_pictures.generation.compute_painted import Painted, PaintRequest
from pages.words_and_pictures.generation.pictures import enlarged
from pages.words_and_pictures.generation.prose import PAGE

SECTION = PAGE.section("Painted in stages")
LATER_STAGES = {  # below the pictures of the later stages, by what is done to word attention
    AS_LEARNED: "its places attend to the words",
    ALIKE: "with the mean of the words",
    CUT: "without the words",
}


def show(request: PaintRequest, number: int) -> None:
    """The three stages of a picture, where each word painted, the notes."""
    learned = request.word_attention == AS_LEARNED  # else there is nothing to see: all words alike, or nothing of any
    with layout.waiting_place():
        painted = compute_painted.paint(request)
        scene = scene_of(request, number) if learned else None
    with st.container(horizontal=True, gap="small"):
        for stage, pictures in enumerate(painted.stages):
            wide = 320 if theme.is_presented() else write.WIDE
            with st.container(width=wide, gap="small"):
                side = pictures.shape[1]
                st.image(enlarged(pictures[number], 320 // side), width=wide, alt=f"Painted at {side} × {side} pixels")
                made = LATER_STAGES[request.word_attention] if stage else "from sentence and noise"
                st.markdown(f"**{side} × {side}** :small[{made}]")
        st.markdown(write.below(painted, number), width=write.WIDE)
    layout.place_notice()
    if not learned:
        layout.caption(SECTION.text(f"Words {request.word_attention}"))
    else:
        layout.prose(SECTION.text("Maps of the words"))
    if scene is not None:
        word_maps(scene, key="painted-maps", name="painted")
    layout.notes(SECTION, notice=noticed(painted, number), formula=lambda: formula(request))


@cached()
def scene_of(request: PaintRequest, number: int) -> WordScene:
    """What the view shows of one picture: for each word the places that took it, stage by stage."""
    painted = compute_painted.paint(request)
    last = painted.stages[-1]
    grid = last.shape[1] // 2
    known = meant_in(painted, number)
    taken = painted.attention[-1][number].mean(dim=0).tolist()
    mapped_words = tuple(
        MappedWord(
            label.strip(),
            f"All places together took {share:.0%} of their words from here.",
            bar=share,
            mask=mask,
            quiet=special,
        )
        for label, special, share, mask in zip(painted.words.labels, painted.words.special, taken, known, strict=True)
    )
    maps = tuple(
        WordMap(
            f"for the {pictures.shape[1]} × {pictures.shape[1]} picture",
            on_grid(look[number].numpy(), grid),
            "stages",
            "Of what all places took of “{word}”, {share} belongs",
        )
        for look, pictures in zip(painted.attention, painted.stages[1:], strict=True)
    )
    start = next((place for place, mask in enumerate(known) if mask is not None), most_pointed(painted, number))
    return WordScene(
        enlarged(last[number], 6),
        (grid, grid),
        mapped_words,
        maps,
        request.text,
        start,
        first=len(maps) - 1,
        photo="colour",
    )


def most_pointed(painted: Painted, number: int) -> int:
    """The word that some place took farthest above its mean over all places."""
    look = painted.attention[-1][number]
    own = [place for place, special in enumerate(painted.words.special) if not special]
    return max(own, key=lambda place: float(look[:, place].max() - look[:, place].mean()), default=0)


def on_grid(look: Float[np.ndarray, "place word"], side: int) -> Float[np.ndarray, "word patch"]:
    """What places of a coarser grid took, given to all the places of a finer one that lie in them."""
    own = round(len(look) ** 0.5)
    rows = look.T.reshape(-1, own, own)
    return np.kron(rows, np.ones((1, side // own, side // own), dtype=look.dtype)).reshape(look.shape[1], side * side)


def meant_in(painted: Painted, number: int) -> tuple[Bool[np.ndarray, "_ _"] | None, ...]:
    """For each token the pixels that its word means, in what the reader of scenes sees; None where nothing is meant."""
    none = (None,) * len(painted.words)
    sentence = painted.sentence
    if sentence is None or not painted.read or not (scene := painted.read[number]).things:
        return none
    drawn = masks(scene)
    word_masks = [
        np.asarray(drawn[sorted(things)].any(axis=0)) if things else None for things in meanings(sentence, scene)
    ]
    return (None, *word_masks, None)  # between the marks of begin and end


def noticed(painted: Painted, number: int) -> tuple[str, ...]:
    """What the picture holds, which word was taken most, and whether words painted where they belong."""
    return (*_tell_held(painted, number), *_tell_taken(painted, number), *_tell_place(painted, number))


def _tell_held(painted: Painted, number: int) -> Iterator[str]:
    statements = [holds for holds in painted.statements(number) if holds is not None]
    if statements:
        yield (
            f"In this picture {sum(statements)} of {len(statements)} statements hold, by the network that reads scenes."
        )
    elif painted.sentence is not None and not painted.read:
        yield PAGE.text("Without the scene reader")


def _tell_taken(painted: Painted, number: int) -> Iterator[str]:
    """The word that places took most, stage by stage; what came from the marks. Only where places choose."""
    own = [place for place, special in enumerate(painted.words.special) if not special]
    if not own or painted.word_attention != AS_LEARNED:
        return
    phrases = []
    for look, pictures in zip(painted.attention, painted.stages[1:], strict=True):
        taken = look[number].mean(dim=0)
        most = max(own, key=lambda place: float(taken[place]))
        phrases.append(
            f"for the picture of {pictures.shape[1]} pixels **“{_label(painted, most)}”**, {float(taken[most]):.0%}"
        )
    yield f"Of the words places took most: {'; '.join(phrases)} of all they took."
    marks = 1 - float(painted.attention[-1][number][:, own].sum(dim=1).mean())
    yield f"In the last stage {marks:.0%} of what places took came from the marks at both ends, which are no words."


def _tell_place(painted: Painted, number: int) -> Iterator[str]:
    """Of the words whose things the reader sees: which was taken most on its things, and which least."""
    if painted.word_attention != AS_LEARNED:
        return
    grid = painted.stages[-1].shape[1] // 2
    taken = on_grid(painted.attention[-1][number].numpy(), grid)
    placements = []
    for place, mask in enumerate(meant_in(painted, number)):
        if mask is not None and taken[place].sum():
            inside = mask.reshape(grid, 2, grid, 2).mean(axis=(1, 3)).ravel()
            placements.append((float(taken[place] @ inside / taken[place].sum()), float(mask.mean()), place))
    if placements:
        (high, wide, best), (low, narrow, worst) = max(placements), min(placements)
        sentence = (
            f"Taken most on what it means is “{_label(painted, best)}”: {high:.0%} of it lies on {wide:.0%} of the "
            "picture"
        )
        if worst != best:
            sentence += f"; least “{_label(painted, worst)}”: {low:.0%} on {narrow:.0%}"
        yield f"{sentence}."


def _label(painted: Painted, place: int) -> str:
    return typeset.plain(painted.words.labels[place].strip())


def formula(request: PaintRequest) -> None:
    """How places take words, and what of it was changed."""
    config = attention_gan(request.world).network.config
    numbers = (
        {"width": config.width} if request.word_attention == CUT else {"width": config.width, "word_width": config.text}
    )
    st.markdown(SECTION.text(f"Word context: {request.word_attention}", **numbers))

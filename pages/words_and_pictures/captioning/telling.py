"""What is true of a caption and its maps, and how its network looks, with its own numbers."""

from collections.abc import Iterator, Sequence

import numpy as np
import streamlit as st
import torch

from core.heads.measures import entropy
from core.models.show_attend_tell import ShowAttendTell
from dashboard import typeset
from dashboard.inputs.picture_input import PictureInput, masks_of
from dashboard.number_format import compare
from pages.words_and_pictures.captioning.compute import Written
from pages.words_and_pictures.captioning.prose import PAGE
from pages.words_and_pictures.captioning.verdict import details

ALIKE = 0.05  # of an open gate: a smaller difference between words counts as none


def noticed(written: Written, chosen: PictureInput, captions: Sequence[str]) -> tuple[str, ...]:
    """What is true of these captions and maps."""
    parts = (
        _tell_agreement(captions),
        details(written, chosen),
        _tell_narrowest(written),
        _tell_gate(written),
        _tell_inside(written, chosen),
        _tell_order(written),
    )
    return tuple(sentence for part in parts for sentence in part)


def _tell_agreement(captions: Sequence[str]) -> Iterator[str]:
    if len(captions) < 2:
        return
    if len(set(captions)) == 1:
        yield "Both networks write the same."
        return
    one, other = (set(caption.split()) for caption in captions[:2])
    both = len(one & other)
    yield f"The two captions share {both} of their {len(one | other)} different words."


def _tell_narrowest(written: Written) -> Iterator[str]:
    """The words that look most narrowly and most widely, by the entropy of the mean map."""
    count = len(written.labels)
    if not count:
        return
    mean = written.mean_map[:count]
    over = 2 ** entropy(torch.from_numpy(np.asarray(mean))).numpy()
    if np.isnan(over).all():
        return
    low, high = int(np.nanargmin(over)), int(np.nanargmax(over))
    of = f"of {written.model.places} places"
    if low == high or f"{over[low]:.0f}" == f"{over[high]:.0f}":
        yield f"Every word spreads its attention as widely: over about {over[low]:.0f} {of} (two to the entropy)."
        return
    yield (
        f"**{_quoted(written, low)}** looks most narrowly, as if over {over[low]:.0f} {of} (two to the power of its "
        f"entropy), and **{_quoted(written, high)}** most widely, over {over[high]:.0f}."
    )


def _tell_gate(written: Written) -> Iterator[str]:
    gates = written.attention.gates
    count = len(written.labels)
    if gates is None or count < 2:
        return
    low = min(range(count), key=lambda place: gates[place])
    high = max(range(count), key=lambda place: gates[place])
    if compare(gates[high], gates[low], margin=ALIKE) != "more":
        about = f"{gates[low]:.0%} to {gates[high]:.0%}" if gates[high] > gates[low] else f"{gates[low]:.0%}"
        yield f"The gate stands about as open for every word: {about}."
        return
    yield (
        f"The gate is open widest for **{_quoted(written, high)}**, {gates[high]:.0%}, and least for "
        f"**{_quoted(written, low)}**, {gates[low]:.0%}."
    )


def _tell_inside(written: Written, chosen: PictureInput) -> Iterator[str]:
    """Of the words that mean something in the scene: of how many the brightest place touches what is meant."""
    known = masks_of(chosen, written.labels)
    word_masks = [(place, mask) for place, mask in enumerate(known) if mask is not None]
    if not word_masks:
        return
    rows, columns = written.model.grid
    mean = written.mean_map
    side = word_masks[0][1].shape[0] // rows
    hits = []
    for place, mask in word_masks:
        row, column = divmod(int(mean[place].argmax()), columns)
        hits.append(mask[row * side : (row + 1) * side, column * side : (column + 1) * side].any())
    by = ", by the mean of all heads" if written.has_heads else ""
    yield (
        f"{len(word_masks)} words mean something in this scene. For {sum(hits)} of them the strongest place touches "
        f"what is meant{by}."
        if len(word_masks) > 1
        else f"One word means something in this scene: {_quoted(written, word_masks[0][0])}. Its strongest place "
        f"{'touches' if hits[0] else 'does not touch'} what is meant{by}."
    )


def _tell_order(written: Written) -> Iterator[str]:
    """Whether the look moves between neighbouring words of content."""
    count = len(written.labels)
    if count < 2:
        return
    tops = written.mean_map[:count].argmax(axis=1)
    moves = int((tops[1:] != tops[:-1]).sum())
    times = "once" if moves == 1 else f"{moves} times"
    yield f"Its strongest place changes {times} in {count - 1} {'step' if count == 2 else 'steps'} from word to word."


def _quoted(written: Written, place: int) -> str:
    return f"“{typeset.plain(written.words.labels[place].strip())}”"


def formula(written: Written) -> None:
    """How this network looks, with its own numbers."""
    decoder, grid = written.model.network.decoder, written.model.grid
    weights, word, places = written.attention.maps[0][0, 0], _quoted(written, 0), written.model.places
    if isinstance(decoder, ShowAttendTell):
        assert written.attention.gates is not None
        top = int(weights.argmax())
        row, column = divmod(top, grid[1])
        numbers = {"weight": float(weights[top]), "row": row, "column": column, "gate": written.attention.gates[0]}
        st.markdown(PAGE.text("Attention of the LSTM", places=places, word=word, **numbers))
        return
    config = decoder.config
    sizes = {"layers": config.layers, "heads": config.heads, "width": config.width // config.heads}
    numbers = {"most": float(weights.max()), "total": float(weights.sum())}
    st.markdown(PAGE.text("Attention of the transformer", places=places, word=word, **sizes, **numbers))

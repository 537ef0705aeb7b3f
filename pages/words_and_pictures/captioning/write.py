"""A caption: both networks write what they see; for each word of one of them, where it looked."""

import math
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
import streamlit as st

from core.models.show_attend_tell import ShowAttendTell
from core.translation.decoding import END, Hypothesis
from core.zoo.captioners import PictureWriter
from core.zoo.named_captioners import NamedPictureWriter
from dashboard import layout, onlooking, seen
from dashboard.components.word_maps import SeenWord, WordMap, WordScene, word_maps
from dashboard.kept import keep
from dashboard.models import captioner
from dashboard.numbers import signed
from dashboard.seen import Seen, masks_of, truth_of
from pages.words_and_pictures.captioning import compute, inputs, words
from pages.words_and_pictures.captioning.compute import Written

BEGIN_KEY = "begin"  # in the address: the words that a visitor chose


def show() -> None:
    """The picture, both captions as they come, the maps of one, another word, the notes."""
    with layout.control_bar():
        chosen = seen.choose()
        width = inputs.beam()
        kind = inputs.kind("Maps of")
    names = inputs.titles(chosen)
    begin = _begun(chosen)
    captions = _write_both(names, chosen, width, begin)
    written = captions[inputs.captioner_for(chosen, kind)]
    scene = scene_of(written.model.name, chosen, width, _ids(written.model, begin))
    word_maps(scene, key="caption-maps", name="caption", on_word=lambda place: _ask(written, place))
    _other_word(written, chosen)
    if not layout.is_presented() and (about := words.WORLD[written.model.name.partition("-")[0]]):
        st.caption(about)
    layout.notes(
        words.WRITE_NOTES,
        notice=noticed(written, chosen, [each.text for each in captions.values()]),
        formula=lambda: formula(written),
    )


def _begun(chosen: Seen) -> tuple[str, ...]:
    """The words that the visitor chose for this picture; another picture begins anew."""
    known = st.session_state.get("begun_for")
    if known is not None and known != chosen.identity:
        st.query_params.pop(BEGIN_KEY, None)
        st.session_state.pop("asked_word", None)
    st.session_state.begun_for = chosen.identity
    return tuple(st.query_params.get(BEGIN_KEY, "")[:300].split())


def _ids(model: PictureWriter | NamedPictureWriter, begin: Sequence[str]) -> tuple[int, ...]:
    """The numbers of words; those that a network does not know are left out."""
    known = model.tokenizer.get_vocab()
    return tuple(known[word] for word in begin if known.get(word, END) > END)


def _write_both(names: dict[str, str], chosen: Seen, width: int, begin: Sequence[str]) -> dict[str, Written]:
    places = {name: column.empty() for name, column in zip(names, st.columns(len(names), gap="large"), strict=True)}
    found = {}
    for name, place in places.items():
        asked = (name, chosen, width, _ids(captioner(name), begin))
        written = compute.write.known(*asked)
        if written is None:
            place.markdown(_card(names[name], "…", words.WAITING))
            looks_on = onlooking.onlooker(place, partial(_unfinished, names[name], captioner(name)))
            written = compute.write(*asked, onlooker=looks_on)
        found[name] = written
        place.markdown(_card(names[name], layout.plain(written.text) or "∅", _below(written, chosen)))
    return found


def _unfinished(title: str, model: PictureWriter, step: int, best: Hypothesis) -> str:
    return _card(title, f"{layout.plain(model.text(best.tokens))} ▍", f"step {step}")


def _card(title: str, text: str, below: str) -> str:
    return f"**{title}**\n\n{text}  \n:small[:gray[{below}]]"


def _below(written: Written, chosen: Seen) -> str:
    """How probable a caption is, and whether it is true."""
    total = sum(written.looked.log_probabilities)
    told = f"log-probability {signed(total)}, {signed(total / len(written.words))} per word"
    truth = truth_of(chosen, written.text)
    if truth is None:
        return f"{told} · {words.NO_SENTENCE}" if chosen.is_scene else told
    return f"{told} · **{words.TRUE if truth else words.FALSE}**"


@keep()
def scene_of(name: str, chosen: Seen, width: int, begin: tuple[int, ...]) -> WordScene:
    """What the view shows of a caption that was written."""
    return scene_for(compute.write(name, chosen, width, begin), chosen)


def scene_for(written: Written, chosen: Seen) -> WordScene:
    """The words with their maps: the mean of all heads first, then each head."""
    labels = written.labels
    known = (*masks_of(chosen, labels), None)
    looked = written.looked
    shown = []
    for place, label in enumerate(written.words.labels):
        chance = math.exp(looked.log_probabilities[place])
        told = [words.PROBABLE.format(chance=f"{chance:.0%}" if chance >= 0.005 else "less than 1%")]
        if looked.gates is not None:
            told.append(words.GATE.format(gate=looked.gates[place]))
        shown.append(
            SeenWord(
                label.strip(),
                " ".join(told),
                bar=looked.gates[place] if looked.gates is not None else None,
                mask=known[place] if place < len(labels) else None,
                quiet=written.words.ids[place] == written.end,
            )
        )
    start = next((place for place, mask in enumerate(known) if mask is not None), _most_pointed(written))
    rows, columns = written.model.grid
    photo = "colour" if chosen.is_scene else "ink"  # of a scene the colours are to be seen
    title, maps = written.text, maps_of(written)
    return WordScene(written.prepared.shown, (rows, columns), tuple(shown), maps, title, start, photo=photo)


def maps_of(written: Written) -> tuple[WordMap, ...]:
    """The mean of all heads, and each head of each layer; of an LSTM its one map."""
    maps = written.looked.maps
    if len(maps) == 1 and len(maps[0]) == 1:
        return (WordMap("attention", maps[0][0].numpy()),)
    mean = np.mean([layer.mean(dim=0).numpy() for layer in maps], axis=0)
    found = [WordMap(words.MEAN, mean, "all layers")]
    for number, layer in enumerate(maps):
        for head, own in enumerate(layer):
            found.append(WordMap(f"layer {number}, head {head}", own.numpy(), f"Layer {number}"))
    return tuple(found)


def _most_pointed(written: Written) -> int:
    """The word that looks most narrowly."""
    mean = np.mean([layer.mean(dim=0).numpy() for layer in written.looked.maps], axis=0)
    return int(mean[: max(1, len(written.labels))].max(axis=1).argmax())


def _ask(written: Written, place: int) -> None:
    st.session_state.asked_word = (written.model.name, place)


def _other_word(written: Written, chosen: Seen) -> None:
    """What might have stood where the visitor clicked; one of it may be taken."""
    asked = st.session_state.get("asked_word")
    place = asked[1] if asked and asked[0] == written.model.name and asked[1] < len(written.words) else None
    if written.given:
        with st.container(horizontal=True, vertical_alignment="center"):
            given = " ".join(written.labels[: written.given])
            begun = words.BEGUN_ONE if written.given == 1 else words.BEGUN.format(count=written.given)
            st.markdown(begun.replace("TEXT", layout.plain(given)))
            st.button("As it would begin itself", on_click=_forget, type="tertiary")
    if place is None or layout.is_presented():
        return
    before = written.words.ids[:place]
    offered = compute.next_words(written.model.name, chosen, tuple(before))
    label = written.words.labels[place].strip()
    st.markdown(f"**{words.OTHER_WORD}** than “{layout.plain(label)}” :small[:gray[{words.OTHER_WORD_ABOUT}]]")
    with st.container(horizontal=True):
        for number, (word, chance) in enumerate(offered):
            if word == "[END]":
                continue
            st.button(
                f"{layout.plain(word)} :gray[{chance:.0%}]",
                key=f"take_{number}",
                on_click=_take,
                args=([each.strip() for each in written.words.labels[:place]], word),
                disabled=word == label,
            )


def _take(before: list[str], word: str) -> None:
    st.query_params[BEGIN_KEY] = " ".join([*before, word])
    st.session_state.pop("asked_word", None)


def _forget() -> None:
    st.query_params.pop(BEGIN_KEY, None)
    st.session_state.pop("asked_word", None)


def noticed(written: Written, chosen: Seen, captions: Sequence[str]) -> tuple[str, ...]:
    """What is true of these captions and maps."""
    told = (
        _tell_agreement(captions),
        _tell_narrowest(written),
        _tell_gate(written),
        _tell_inside(written, chosen),
        _tell_order(written),
    )
    return tuple(sentence for part in told for sentence in part)


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
    mean = np.mean([layer.mean(dim=0).numpy() for layer in written.looked.maps], axis=0)[:count]
    logs = np.log2(np.where(mean > 0, mean, 1))
    over = 2 ** -(mean * logs).sum(axis=1)
    low, high = int(over.argmin()), int(over.argmax())
    of = f"of {written.model.places} places"
    if low == high or f"{over[low]:.0f}" == f"{over[high]:.0f}":
        yield f"Every word looks about as widely: over {over[low]:.0f} {of}, by two to the power of its entropy."
        return
    yield (
        f"**{_quoted(written, low)}** looks most narrowly, as if over {over[low]:.0f} {of} (two to the power of its "
        f"entropy), **{_quoted(written, high)}** most widely, over {over[high]:.0f}."
    )


def _tell_gate(written: Written) -> Iterator[str]:
    gates = written.looked.gates
    count = len(written.labels)
    if gates is None or count < 2:
        return
    low = min(range(count), key=lambda place: gates[place])
    high = max(range(count), key=lambda place: gates[place])
    if f"{gates[low]:.0%}" == f"{gates[high]:.0%}":
        yield f"The gate stands equally open for every word: {gates[low]:.0%}."
        return
    yield (
        f"The gate is open widest for **{_quoted(written, high)}**, {gates[high]:.0%}, and least for "
        f"**{_quoted(written, low)}**, {gates[low]:.0%}: there the network writes more from what it has written."
    )


def _tell_inside(written: Written, chosen: Seen) -> Iterator[str]:
    """Of the words that mean something in the scene: how many have their brightest place on it."""
    known = masks_of(chosen, written.labels)
    found = [(place, mask) for place, mask in enumerate(known) if mask is not None]
    if not found:
        return
    rows, columns = written.model.grid
    mean = np.mean([layer.mean(dim=0).numpy() for layer in written.looked.maps], axis=0)
    side = found[0][1].shape[0] // rows
    hits = []
    for place, mask in found:
        row, column = divmod(int(mean[place].argmax()), columns)
        hits.append(mask[row * side : (row + 1) * side, column * side : (column + 1) * side].any())
    yield (
        f"Of the {len(found)} words that mean something in this scene, {sum(hits)} "
        f"{'has its' if sum(hits) == 1 else 'have their'} brightest place on it, by the mean of all heads."
        if len(found) > 1
        else f"The one word that means something in this scene {'has' if hits[0] else 'does not have'} its brightest "
        "place on it, by the mean of all heads."
    )


def _tell_order(written: Written) -> Iterator[str]:
    """Whether the look moves between neighbouring words of content."""
    count = len(written.labels)
    if count < 2:
        return
    mean = np.mean([layer.mean(dim=0).numpy() for layer in written.looked.maps], axis=0)[:count]
    tops = mean.argmax(axis=1)
    moves = int((tops[1:] != tops[:-1]).sum())
    times = "once" if moves == 1 else f"{moves} times"
    yield f"Its brightest place changes {times} in {count - 1} {'step' if count == 2 else 'steps'} from word to word."


def _quoted(written: Written, place: int) -> str:
    return f"“{layout.plain(written.words.labels[place].strip())}”"


def formula(written: Written) -> None:
    """How this network looks, with its own numbers."""
    decoder = written.model.network.decoder
    if isinstance(decoder, ShowAttendTell):
        st.markdown(words.WRITE_LSTM.format(places=written.model.places))
        st.latex(
            r"\begin{gathered} e_{ti} = v^\top \tanh(W h_{t-1} + U a_i) \\ \alpha_{ti} = \operatorname{softmax}_i "
            r"e_{ti} "
            r"\\ z_t = \beta_t \sum_i \alpha_{ti} a_i, \quad \beta_t = \sigma(f^\top h_{t-1}) \end{gathered}"
        )
        assert written.looked.gates is not None
        first = written.looked.maps[0][0, 0]
        top = int(first.argmax())
        row, column = divmod(top, written.model.grid[1])
        st.markdown(
            f"For the first word, {_quoted(written, 0)}: $\\alpha = {float(first[top]):.3f}$ at row {row}, column "
            f"{column}, $\\beta = {written.looked.gates[0]:.2f}$. All of them are under “{words.STEP}”."
        )
        return
    config = decoder.config
    st.markdown(words.WRITE_TRANSFORMER.format(layers=config.layers, places=written.model.places, heads=config.heads))
    each = config.width // config.heads
    st.latex(rf"a_{{ti}} = \operatorname{{softmax}}_i \frac{{q_t \cdot k_i}}{{\sqrt{{{each}}}}}")
    first = written.looked.maps[0][0, 0]
    st.markdown(
        f"For the first word, {_quoted(written, 0)}, layer 0 and head 0 give {float(first.max()):.3f} to their "
        f"strongest place, and {float(first.sum()):.3f} to all."
    )

"""A caption as the view of words beside a picture takes it: for each word its maps, and what it means in the scene."""

import math

from dashboard.components.word_maps import MappedWord, WordMap, WordScene
from dashboard.inputs.picture_input import PictureInput, masks_of
from pages.words_and_pictures.captioning.compute import Written
from pages.words_and_pictures.captioning.prose import PAGE


def scene_for(written: Written, chosen: PictureInput) -> WordScene:
    """The words with their maps: the mean of all heads first, then each head."""
    labels = written.labels
    known = (*masks_of(chosen, labels), None)
    attention = written.attention
    mapped_words = []
    for place, label in enumerate(written.words.labels):
        chance = math.exp(attention.log_probabilities[place])
        notes = [PAGE.text("Probability", probability=f"{chance:.0%}" if chance >= 0.005 else "less than 1%")]
        if attention.gates is not None:
            notes.append(PAGE.text("Gate", gate=attention.gates[place]))
        mapped_words.append(
            MappedWord(
                label.strip(),
                " ".join(notes),
                bar=attention.gates[place] if attention.gates is not None else None,
                mask=known[place] if place < len(labels) else None,
                quiet=written.words.ids[place] == written.end,
            )
        )
    start = next((place for place, mask in enumerate(known) if mask is not None), _most_pointed(written))
    rows, columns = written.model.grid
    photo = "colour" if chosen.is_scene else "ink"  # of a scene the colours are to be seen
    title, maps = written.text, maps_of(written)
    return WordScene(written.prepared.photograph, (rows, columns), tuple(mapped_words), maps, title, start, photo=photo)


def maps_of(written: Written) -> tuple[WordMap, ...]:
    """The mean of all heads, and each head of each layer; of an LSTM its one map."""
    maps = written.attention.maps
    if not written.has_heads:
        return (WordMap("attention", maps[0][0].numpy()),)
    word_maps = [WordMap("mean of all heads", written.mean_map, "all layers")]
    for number, layer in enumerate(maps):
        for head, own in enumerate(layer):
            word_maps.append(WordMap(f"layer {number}, head {head}", own.numpy(), f"Layer {number}"))
    return tuple(word_maps)


def _most_pointed(written: Written) -> int:
    """The word that looks most narrowly."""
    return int(written.mean_map[: max(1, len(written.labels))].max(axis=1).argmax())

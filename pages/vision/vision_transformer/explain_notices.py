"""What is to be noticed in the explanations of a picture, in sentences computed from them."""

import numpy as np

from dashboard import layout
from pages.vision.vision_transformer import words_explain as said
from pages.vision.vision_transformer.compute_explained import ExplainedPicture, MeasuredPicture

HALF = 0.5


def verdict(explained: ExplainedPicture) -> str:
    """The class in question and its probability; if it is not the most probable one, that one as well."""
    assert explained.number is not None
    assert explained.probabilities is not None
    probabilities, names = explained.probabilities, explained.model.classes
    best, asked = int(probabilities.argmax()), explained.number
    name, share = layout.plain(names[asked]), probabilities[asked].item()
    if best == asked:
        return f"The model says **{name}** ({share:.1%}). What does that rest on?"
    return (
        f"What speaks for **{name}** ({share:.1%})? The model itself says **{layout.plain(names[best])}** "
        f"({probabilities[best].item():.1%})."
    )


def readers(read: tuple[str, ...]) -> str:
    """Which tokens the head reads, with their verb: "the class token looks"."""
    if read == ("patches",):
        return "the patches look, whose mean the head reads,"
    if len(read) == 1:
        return f"the {read[0]} token looks"
    return f"the tokens that the head reads ({', '.join(read)}) look"


def about_maps(explained: ExplainedPicture) -> tuple[str, ...]:
    """On how few patches half of each map lies."""
    told = []
    for name, values in explained.maps.items():
        if values.max() > 0:
            told.append(f"half of **{said.TITLES[name].lower()}** lies on {held_by(values)} of {values.size} places")
    if not told:
        return (
            "The map is 0 everywhere: nothing in the last layers raises the score of this class when there is more "
            "of it.",
        )
    sentence = ", ".join(told)
    empty = [said.TITLES[name].lower() for name, values in explained.maps.items() if values.max() <= 0]
    more = f" {', '.join(empty).capitalize()} is 0 everywhere: nothing speaks for this class." if empty else ""
    return (f"{sentence[0].upper()}{sentence[1:]}.{_spread(explained)}{more}",)


def _spread(explained: ExplainedPicture) -> str:
    """What the spread says, where the maps differ in it."""
    counts = {name: held_by(values) / values.size for name, values in explained.maps.items() if values.max() > 0}
    narrow, wide = min(counts, key=counts.__getitem__), max(counts, key=counts.__getitem__)
    if len(counts) < 2 or counts[wide] < 1.5 * counts[narrow]:
        return ""
    return f" So {said.TITLES[narrow].lower()} points, while {said.TITLES[wide].lower()} is spread."


def held_by(values: np.ndarray, share: float = HALF) -> int:
    """How many places hold this share of a map, the largest first."""
    sums = values.clip(min=0).ravel()
    sums = np.sort(sums)[::-1].cumsum()
    return int((sums < share * sums[-1]).sum()) + 1


def about_faithfulness(measured: MeasuredPicture) -> tuple[str, ...]:
    """Which explanation is the most faithful here, by both measures, and which is no better than chance."""
    chance = measured.random
    deletion = {name: curve.deletion_area for name, curve in measured.curves.items()}
    insertion = {name: curve.insertion_area for name, curve in measured.curves.items()}
    sentences = [_best(deletion, insertion, chance.deletion_area, chance.insertion_area)]
    if worse := [said.TITLES[name] for name in deletion if deletion[name] >= chance.deletion_area]:
        sentences.append(
            f"By deletion, **{', '.join(worse)}** {'is' if len(worse) == 1 else 'are'} no better here than taking "
            "patches away at random."
        )
    if worse := [said.TITLES[name] for name in insertion if insertion[name] <= chance.insertion_area]:
        sentences.append(
            f"By insertion, **{', '.join(worse)}** {'is' if len(worse) == 1 else 'are'} no better here than putting "
            "patches back at random."
        )
    return tuple(sentences)


def _best(
    deletion: dict[str, float], insertion: dict[str, float], random_deletion: float, random_insertion: float
) -> str:
    first, second = min(deletion, key=deletion.__getitem__), max(insertion, key=insertion.__getitem__)
    if len(deletion) == 1:
        return (
            f"**{said.TITLES[first]}** has the areas {deletion[first]:.3f} under deletion (random: "
            f"{random_deletion:.3f}) and {insertion[first]:.3f} under insertion (random: {random_insertion:.3f})."
        )
    numbers = f"(area {deletion[first]:.3f}; random {random_deletion:.3f})"
    others = f"(area {insertion[second]:.3f}; random {random_insertion:.3f})"
    if first == second:
        return (
            f"On this photograph **{said.TITLES[first].lower()}** is the most faithful by both measures: the smallest "
            f"area under deletion {numbers} and the largest under insertion {others}."
        )
    return (
        f"On this photograph **{said.TITLES[first].lower()}** is the most faithful by deletion {numbers}, "
        f"**{said.TITLES[second].lower()}** by insertion {others}. One photograph is one photograph: *Measured* has "
        "the means of 200."
    )

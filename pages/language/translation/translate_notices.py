"""What to notice in three translations: the order of the words, where the models differ, how sharp the maps are."""

from collections.abc import Mapping

import numpy as np

from dashboard import layout
from dashboard.components.alignment_view import Map, Panel
from pages.language.translation.compute import Translated
from pages.language.translation.models import TITLES
from pages.language.translation.translate_maps import alignment, units_of
from pages.language.translation.word_maps import MEAN, BestHead

TOLD = 5  # words that a sentence names


def about(translations: Mapping[str, Translated], best: BestHead | None) -> tuple[str, ...]:
    """All sentences, from the maps between words."""
    scene = alignment(translations, joined=True, marks=True, best=best)
    real = {name: units_of(each.target, joined=True, marks=False).places for name, each in translations.items()}
    columns = units_of(next(iter(translations.values())).source, joined=True, marks=False).places
    attending = [panel for panel in scene.panels if translations[panel.key].aligned.measure == "attention"]
    return (
        *(about_order(panel, real[panel.key], scene.source, columns) for panel in attending),
        about_difference({TITLES[name]: each.text for name, each in translations.items()}),
        about_certainty({TITLES[name]: each.aligned.log_probabilities for name, each in translations.items()}),
        about_sharpness(scene.panels, real, len(scene.source)),
    )


def about_order(panel: Panel, rows: tuple[int, ...], source: tuple[str, ...], columns: tuple[int, ...]) -> str:
    """Where the order of the two sentences differs most in the map that is shown at first."""
    shown = panel.maps[panel.start]
    places = strongest_places(shown.weights, rows, columns)
    run = longest_backwards([place for _, place in places])
    which = f"**{panel.title}**" + (f" ({shown.name})" if len(panel.maps) > 1 else "")
    if len(run) < 2:
        return f"{which} goes from left to right: no word looks most at a place further left than the word before it."
    written = [_quoted(panel.target[places[place][0]]) for place in run][:TOLD]
    seen = [_quoted(source[places[place][1]]) for place in run][:TOLD]
    return (
        f"{which} turns the order round: {_and(written)} look most at {_and(seen)}, from right to left "
        "in the English sentence."
    )


def strongest_places(weights: np.ndarray, rows: tuple[int, ...], columns: tuple[int, ...]) -> list[tuple[int, int]]:
    """(target word, the source word it looks at most), in order; without those that look most at a mark."""
    found = [(row, int(np.nanargmax(weights[row]))) for row in rows]
    return [(row, place) for row, place in found if place in columns]


def longest_backwards(places: list[int]) -> range:
    """The longest run of neighbours in which each place is smaller than the one before it; the first of equals."""
    best, start = range(min(1, len(places))), 0
    for end in range(1, len(places) + 1):
        if end == len(places) or places[end] >= places[end - 1]:
            best = max(best, range(start, end), key=len)
            start = end
    return best


def about_difference(texts: Mapping[str, str]) -> str:
    """Which words only one of the models writes."""
    words = {title: dict.fromkeys(_words(text)) for title, text in texts.items()}
    if len({" ".join(text.split()) for text in texts.values()}) == 1:
        return "All three models write the same sentence."
    parts = []
    for title, own in words.items():
        others = {word for other, theirs in words.items() if other != title for word in theirs}
        if only := [word for word in own if word not in others]:
            more = f" and {len(only) - TOLD} more" if len(only) > TOLD else ""
            parts.append(f"**{title}** {', '.join(_quoted(word) for word in only[:TOLD])}{more}")
    if not parts:
        return "The translations differ, though no word is written by one model alone: order and repetition differ."
    return f"These words are written by one model alone: {'; '.join(parts)}."


def about_certainty(log_probabilities: Mapping[str, tuple[float, ...]]) -> str:
    """How sure each model is of its own words, and what that does not say."""
    means = {title: float(np.exp(np.mean(values))) for title, values in log_probabilities.items()}
    surest = max(means, key=lambda title: means[title])
    told = ", ".join(f"{title} {mean:.0%}" for title, mean in means.items())
    return (
        f"**{surest}** is surest of what it writes: the geometric mean of its tokens' probabilities is highest "
        f"({told}). To be sure is not to be right."
    )


def about_sharpness(panels: tuple[Panel, ...], rows: Mapping[str, tuple[int, ...]], sources: int) -> str:
    """Over how many source words a word spreads: two to the power of the mean entropy of its rows."""
    told = []
    for panel in panels:
        start, mean = panel.maps[panel.start], panel.maps[0]
        wanted = [start] if start is mean else [start, mean]
        for each in wanted:
            bits = entropy(each.weights[list(rows[panel.key])])
            name = f"{panel.title}" + (f", {_map_name(each)}" if len(panel.maps) > 1 else "")
            told.append(f"{name} {bits:.2f} bits, as if over **{2**bits:.1f}** words")
    return (
        f"How sharp the maps are: the mean entropy of a word's row is {'; '.join(told)}. Even attention to all "
        f"{sources} would have {np.log2(sources):.2f} bits."
    )


def entropy(weights: np.ndarray) -> float:
    """The mean entropy of the rows in bits."""
    logs = np.log2(np.where(weights > 0, weights, 1))
    return float(-(weights * logs).sum(axis=1).mean())


def _map_name(shown: Map) -> str:
    return f"{shown.name} of all heads" if shown.name == MEAN else shown.name


def _words(text: str) -> list[str]:
    pieces = ("".join(letter if letter.isalnum() or letter in "'-" else " " for letter in text)).split()
    return [word for word in pieces if any(letter.isalnum() for letter in word)]


def _quoted(label: str) -> str:
    return f"“{layout.plain(layout.readable(label))}”"


def _and(parts: list[str]) -> str:
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else parts[0]

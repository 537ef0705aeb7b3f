"""Three translators: one English sentence, three translations, and what each looked at as it wrote."""

import functools
from collections.abc import Mapping

import numpy as np
import streamlit as st
import torch
from streamlit.delta_generator import DeltaGenerator

from core.heads import measures
from core.text import Tokens
from core.translation.decoder_step import StepAttention
from core.translation.decoding import UNKNOWN, Hypothesis
from core.zoo import TRANSLATION as TITLES
from core.zoo import Translator
from dashboard import typeset
from dashboard.cache.models import translator
from dashboard.components.alignment_view import AlignmentScene, Map, Panel
from dashboard.frame import layout
from dashboard.number_format import POINT, compare, signed
from dashboard.output import export, streaming
from pages.language.translation import compute, explained, inputs, word_maps, writing
from pages.language.translation.compute import BestHead, Translated
from pages.language.translation.compute_explained import Request
from pages.language.translation.figures import HUE
from pages.language.translation.prose import PAGE
from pages.language.translation.word_maps import longest_backwards, quoted, strongest_places, words_of

SECTION = PAGE.section("Three translators")
NAMED = 12  # unknown characters that are listed
MOST_WORDS = 5  # words that a sentence names
LISTED = 5  # source tokens with a row of their own


def show() -> None:
    """The sentence, the maps, the translations as they come, and what is to be seen in them."""
    with layout.control_bar():
        text = inputs.sentence()
        part = inputs.part("translate_part", about=SECTION.text("Attention"))
        with layout.settings():
            beam = inputs.beam()
            inputs.classic()
            joined = inputs.between_words("translate_units")
            marks = st.toggle(
                "Punctuation and end mark",
                value=True,
                key="translate_marks",
                bind="query-params",
                disabled=part != "cross",
                help=SECTION.text("Punctuation and end mark"),
            )
    figure = st.container()
    layout.place_notice()
    explanation = st.container()
    translations = _translate_all(text, beam, figure)
    transformer = translations["transformer"]
    _say_what_was_read(text, transformer.source)
    best, requests = compute.best_head(), {name: Request(name, text, beam) for name in TITLES}
    with figure:
        if part == "cross":
            scene = alignment(translations, joined=joined, marks=marks, best=best)
            explain = explained.alignment(scene, requests, name="translate", joined=joined, marks=marks, best=best)
        else:
            explain = explained.self_attention(requests["transformer"], part, key=f"translate_{part}", joined=joined)
    with explanation:
        explain()
    if part != "cross":
        layout.prose(SECTION.text(f"Attention of the {part}"))
    export.download_arrays(
        "All maps (NPZ)",
        lambda: word_maps.arrays(translations),
        name="translation",
        about="Every map of the three models between tokens, their labels and log-probabilities",
    )
    # The notes tell of the maps between target and source, whichever are shown.
    place, target = row_to_show(translations["bahdanau"]), translations["bahdanau"].target
    layout.notes(
        SECTION,
        notice=noticed(translations, best),
        numbers={"step": place + 1, "word": typeset.plain(typeset.readable(target.labels[place]))},
        formula=lambda: _show_row(text, beam, place, transformer.source),
    )


def _translate_all(text: str, beam: int, figure: DeltaGenerator) -> dict[str, Translated]:
    """All three, each in a column of its own; what somebody has asked for before is there first.

    What stood in the place of the `figure` makes room for the translations while they are written.
    """
    known = {name: compute.translate.peek(name, text, beam) for name in TITLES}
    if None in known.values():
        figure.empty()
    places = {name: column.empty() for name, column in zip(TITLES, st.columns(len(TITLES), gap="large"), strict=True)}
    for name, place in places.items():
        known_translation = known[name]
        place.markdown(_card(TITLES[name], "…", "waiting") if known_translation is None else _final(known_translation))
    # A place of its own: a spinner for a model that is being loaded would move all that follows.
    with layout.waiting_place():
        for name, place in places.items():
            if known[name] is None:
                model = translator(name)
                looks_on = streaming.observer(place, functools.partial(_unfinished, model))
                known[name] = translation = compute.translate(name, text, beam, observer=looks_on)
                place.markdown(_final(translation))
    return {name: translated for name, translated in known.items() if translated is not None}


def _unfinished(model: Translator, step: int, best: Hypothesis) -> str:
    latest = f"{quoted(model.tokens(best.tokens[-1:]).labels[0])} {signed(best.log_probabilities[-1])}"
    below = f"log-probability so far {signed(best.log_probability)} · step {step}: {latest}"
    return _card(model.title, f"{writing.one_line(model.text(best.tokens))} ▍", below)


def _final(translated: Translated) -> str:
    return _card(translated.model.title, writing.one_line(translated.text), writing.how_probable(translated))


def _card(title: str, text: str, below: str) -> str:
    return f"**{title}**\n\n{text}  \n:small[:gray[{below}]]"


def _say_what_was_read(text: str, source: Tokens) -> None:
    """Where a long text was cut, and which characters the models do not know."""
    typeset.show_cut_notice(source)
    if unknown := unknown_characters(text, source, translator("transformer")):
        # Isolated (U+2066 to U+2069): a letter written from right to left must not turn the sentence round.
        characters = ", ".join(f"\u2066{quoted(letter)}\u2069" for letter in unknown[:NAMED])
        more = " and others" if len(unknown) > NAMED else ""
        st.info(SECTION.text("Unknown characters", characters=characters + more), icon=":material/question_mark:")


def unknown_characters(text: str, source: Tokens, model: Translator) -> list[str]:
    """The characters of a text that the models read as one and the same unknown token, each once, in order."""
    if UNKNOWN not in source.ids:
        return []
    read = text[: source.cut.character] if source.cut else text
    letters = dict.fromkeys(letter for letter in read if not letter.isspace())
    # Behind a letter that is known: what joins others (U+200D) is nothing by itself, and cannot be encoded.
    return [letter for letter in letters if UNKNOWN in model.encode(f"a {letter}").ids]


def alignment(
    translations: Mapping[str, Translated], *, joined: bool, marks: bool, best: BestHead | None
) -> AlignmentScene:
    """The three models side by side. The transformer begins with the head that aligns best, where that is known."""
    source = words_of(next(iter(translations.values())).source, joined=joined, marks=marks)
    panels = []
    for name, translated in translations.items():
        target = words_of(translated.target, joined=joined, marks=marks)
        own = word_maps.of_panel(translated.aligned, target, source, best if name == "transformer" else None)
        start = word_maps.best_of(own["maps"]) or 0
        panels.append(Panel(name, TITLES[name], SECTION.text(f"Map: {name}"), hue=HUE[name], start=start, **own))
    return AlignmentScene(source.visible_labels, tuple(panels), source_name="English")


def noticed(translations: Mapping[str, Translated], best: BestHead | None) -> tuple[str, ...]:
    """All sentences, from the maps between words."""
    scene = alignment(translations, joined=True, marks=True, best=best)
    rows = {name: words_of(translated.target).wordy for name, translated in translations.items()}
    columns = words_of(next(iter(translations.values())).source).wordy
    attending = [panel for panel in scene.panels if translations[panel.key].aligned.measure == "attention"]
    return (
        *(about_order(panel, rows[panel.key], scene.source, columns) for panel in attending),
        about_difference({TITLES[name]: translated.text for name, translated in translations.items()}),
        about_certainty(
            {TITLES[name]: translated.aligned.log_probabilities for name, translated in translations.items()}
        ),
        about_sharpness(scene.panels, rows, len(scene.source)),
    )


def about_order(panel: Panel, rows: tuple[int, ...], source: tuple[str, ...], columns: tuple[int, ...]) -> str:
    """Where the order of the two sentences differs most in the map that is shown at first."""
    first_map = panel.maps[panel.start]
    places = strongest_places(first_map.weights, rows, columns)
    which = f"**{panel.title}**" + (f" ({_map_name(first_map)})" if len(panel.maps) > 1 else "")
    without = len(rows) - len(places)
    aside = f" {without} of {len(rows)} French words attend most to a mark and are not counted." if without else ""
    if len(places) < 2:
        return f"{which} shows no order: fewer than two French words attend most to an English word.{aside}"
    if len({place for _, place in places}) == 1:
        return f"{which} does not move: every French word attends most to {quoted(source[places[0][1]])}.{aside}"
    run = longest_backwards([place for _, place in places])
    if len(run) < 2:
        return (
            f"{which} moves from left to right: no French word attends most to an English word further left than the "
            f"French word before it does.{aside}"
        )
    written = [quoted(panel.target[places[place][0]]) for place in run][:MOST_WORDS]
    source_words = [quoted(source[places[place][1]]) for place in run][:MOST_WORDS]
    return (
        f"{which} reverses the order: {_and(written)} attend most to {_and(source_words)}, from right to left in the "
        f"English sentence.{aside}"
    )


def about_difference(texts: Mapping[str, str]) -> str:
    """Which words only one of the models writes."""
    written = {title: dict.fromkeys(_words(text)) for title, text in texts.items()}
    if len({" ".join(text.split()) for text in texts.values()}) == 1:
        return "All three models write the same sentence."
    parts = []
    for title, own in written.items():
        others = {word for other, theirs in written.items() if other != title for word in theirs}
        if only := [word for word in own if word not in others]:
            more = f" and {len(only) - MOST_WORDS} more" if len(only) > MOST_WORDS else ""
            parts.append(f"**{title}** {', '.join(map(quoted, only[:MOST_WORDS]))}{more}")
    if not parts:
        return "The translations differ, but every word is written by at least two models."
    return f"Only one model writes these words: {'; '.join(parts)}."


def about_certainty(log_probabilities: Mapping[str, tuple[float, ...]]) -> str:
    """How sure each model is of its own words, and what that does not say."""
    means = {title: float(np.exp(np.mean(values))) for title, values in log_probabilities.items() if values}
    if not means:
        return "No model has written a token."
    most = max(means.values())
    surest = [f"**{title}**" for title, mean in means.items() if compare(most, mean, margin=POINT) == "as much"]
    certainties = ", ".join(f"{title} {mean:.0%}" for title, mean in means.items())
    measure = f"the geometric mean of their tokens' probabilities is {certainties}"
    end = "A confident model can still be wrong."
    if len(surest) == 1:
        return f"{surest[0]} is the most confident: {measure.replace('their', 'its', 1)}. {end}"
    if len(surest) == len(means):
        return f"All models are about equally confident: {measure}. {end}"
    return f"{_and(surest)} are the most confident, within a point of each other: {measure}. {end}"


def about_sharpness(panels: tuple[Panel, ...], rows: Mapping[str, tuple[int, ...]], sources: int) -> str:
    """Over how many source words a word spreads: two to the power of the mean entropy of its rows."""
    parts = []
    for panel in panels:
        for place in dict.fromkeys((panel.start, 0)):
            panel_map = panel.maps[place]
            bits = entropy(panel_map.weights[list(rows[panel.key])])
            if np.isnan(bits):
                continue
            name = f"{panel.title}, {_map_name(panel_map)}" if len(panel.maps) > 1 else panel.title
            parts.append(f"{name} {bits:.2f} bits, as if over **{2**bits:.1f}** words")
    if not parts:
        return "No row of these maps has attention, so nothing can be said of how sharp they are."
    return (
        f"How sharp the maps are: the mean entropy of a word's row is {'; '.join(parts)}. Even attention to all "
        f"{sources} words and marks would have {np.log2(sources):.2f} bits."
    )


def entropy(weights: np.ndarray) -> float:
    """The mean entropy in bits of the rows that have attention, each scaled to sum to 1; NaN where none has."""
    return float(measures.entropy(torch.from_numpy(np.asarray(weights))).nanmean())


def _map_name(panel_map: Map) -> str:
    if panel_map.name == word_maps.MEAN:
        return "mean of all heads"
    return f"{panel_map.name}, one step later" if panel_map.note == word_maps.BEST_SHIFTED else panel_map.name


def _words(text: str) -> list[str]:
    pieces = ("".join(letter if letter.isalnum() or letter in "'-" else " " for letter in text)).split()
    return [word for word in pieces if any(letter.isalnum() for letter in word)]


def _and(parts: list[str]) -> str:
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else parts[0]


def _show_row(text: str, beam: int, place: int, source: Tokens) -> None:
    """The softmax over all source tokens in the step that writes one word: scores, powers, weights."""
    look = compute.known_in_step("bahdanau", text, beam, place)
    assert isinstance(look, StepAttention)
    st.markdown(row_table(look, source.labels))


def row_to_show(translated: Translated) -> int:
    """The first piece of the word with which the order turns round; without one, of the first word."""
    target, source = words_of(translated.target), words_of(translated.source)
    weights = word_maps.between(translated.aligned.cross[0][0], target, source).numpy()
    places = strongest_places(weights, target.wordy, source.wordy)
    run = longest_backwards([place for _, place in places])
    return target.spans[places[run.start][0]].start if run else 0


def row_table(look: StepAttention, labels: tuple[str, ...]) -> str:
    """A table in Markdown: the largest weights, all others together, and the sum; powers relative to the largest."""
    powers = (look.scores - look.scores.max()).exp()
    order = look.weights.argsort(descending=True).tolist()
    rows = ["| source | $e$ | $\\exp(e - m)$ | $\\alpha$ |", "|:--|--:|--:|--:|"]
    for place in order[:LISTED]:
        label = typeset.plain(typeset.readable(labels[place]))
        score, power, weight = (float(values[place]) for values in (look.scores, powers, look.weights))
        rows.append(f"| {label} | {signed(score)} | {power:.4f} | {weight:.4f} |")
    if other_places := order[LISTED:]:
        power, weight = float(powers[other_places].sum()), float(look.weights[other_places].sum())
        rows.append(f"| {len(other_places)} others | | {power:.4f} | {weight:.4f} |")
    rows.append(f"| **sum** | | **{float(powers.sum()):.4f}** | **{float(look.weights.sum()):.4f}** |")
    return "\n".join(rows)

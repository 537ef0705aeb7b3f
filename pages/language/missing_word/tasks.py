"""Tasks: parts of speech and a verdict from one fine-tuned body, and where each head looks before and after."""

from collections.abc import Sequence
from functools import partial
from math import exp

import numpy as np
import streamlit as st

from core.models.bert_tasks import SENTIMENTS, TAGS
from core.probing.fine_tuning.attention_shift import row_moved, shares
from core.probing.fine_tuning.frequent_tags import TagCount
from core.probing.fine_tuning.task_predictions import TaskPredictions
from core.text import read_text
from core.view.codec import whole_number
from dashboard import theme, typeset
from dashboard.address import parameter
from dashboard.components.cell_map import cell_map
from dashboard.components.tinted_lines import Line, tinted_lines
from dashboard.components.word_picker import PickedWord, word_picker
from dashboard.contents import LONGEST_LINE
from dashboard.frame import layout
from dashboard.inputs import controls, example_texts
from dashboard.output import charts
from dashboard.theme import HUES
from pages.language.missing_word import compute_tasks as compute
from pages.language.missing_word import tasks_measured
from pages.language.missing_word import tasks_sentences as sentences
from pages.language.missing_word.compute_tasks import FineTuningComparison
from pages.language.missing_word.prose import PAGE
from pages.language.missing_word.tasks_sentences import TAG_NAMES

SECTION = PAGE.section("Tasks")
EXAMPLES = example_texts.examples("tasks")
SENTENCE = next(iter(EXAMPLES.values()))
# Each group of tags has a colour: what is named, what happens, what describes, what connects, signs.
GROUPS = {
    "nouns, names, pronouns": ("NOUN", "PROPN", "PRON"),
    "verbs": ("VERB", "AUX"),
    "adjectives, adverbs, calls": ("ADJ", "ADV", "INTJ"),
    "function words, numbers": ("DET", "ADP", "CCONJ", "SCONJ", "PART", "NUM"),
    "signs and others": ("PUNCT", "SYM", "X"),
}
CLICKED, VERDICT = "the clicked word, for its tag", "[CLS], for the verdict"
TEXT, WORD, ROW, LAYER, HEAD = "tasks_text", "tasks_word", "tasks_of", "tasks_layer", "tasks_head"
TICKS = ((0, "0"), (0.5, "50%"), (1, "100%"))


def show() -> None:
    """The sentence with a tag below each word, its verdict, and one row of one head before and after fine-tuning."""
    sentence = _sentence()
    with layout.waiting_place():
        comparison = compute.look(sentence)
        usual = [compute.frequent().lookup(word.label.strip()) for word in comparison.predictions.words]
    predictions = comparison.predictions
    typeset.show_cut_notice(predictions.tokens)
    word = _word(len(predictions.words))
    _tags(predictions, usual, word)
    layout.place_notice()
    row = st.container()  # what a click changes stands right below the words, its controls below that
    place, name, head = _row_and_head(comparison, word)
    with row:
        sentence_of_row = _row(comparison, head, place, name)
    st.markdown(sentences.about_verdict(predictions))
    _maps(comparison, head, place)
    charts.download_table(partial(tasks_measured.said_table, predictions, usual), "tasks-tags")
    tasks_measured.show(compute.results())
    layout.notes(
        SECTION,
        notice=(
            sentences.about_tags(predictions, usual),
            sentence_of_row,
            _over_all_heads(comparison, place, name),
            sentences.about_moved(comparison.moved),
            sentences.about_measured(compute.results()),
        ),
        numbers=_numbers(comparison, word, head, place),
    )


# What is read.


def _sentence() -> str:
    """The visitor's sentence, or an example; InputError where there is none."""
    with layout.control_bar():
        typed = st.text_input("Your sentence", SENTENCE, key=TEXT, bind="query-params", max_chars=LONGEST_LINE)
        controls.examples(EXAMPLES, field=TEXT, forgets=(WORD,))
    read_text(typed)
    return typed


def _word(count: int) -> int:
    """The word whose row is looked at: in the address, counted from 0; the last one that there is at most."""
    linked_word = parameter(WORD, whole_number)
    number = min(3, count - 1) if linked_word is None else linked_word
    if number >= count > 0:
        notice = f"The address names word {number:,}, and this text has {count}: the last one is shown."
        st.info(notice, icon=":material/link_off:")
    return max(0, min(number, count - 1))


# What it says.


def _tags(predictions: TaskPredictions, usual: Sequence[TagCount | None], chosen: int) -> None:
    """The sentence, below each word its tag and how sure the model is; below those the tag that is more usual."""
    hues = _hues()
    picked = []
    for number, (word, (tag, sure)) in enumerate(zip(predictions.words, sentences.tags_of(predictions), strict=True)):
        tag_count, name = usual[number], typeset.readable(word.label)
        below, tell = f"{tag}\n{sure:.0%}", f"“{name}” is {tag} ({TAG_NAMES[tag]}) with {sure:.1%}."
        if tag_count is None:
            tell += " Too rare in the treebank's train part to have a usual tag."
        elif sentences.differs(tag, tag_count):
            below += f"\nmostly {tag_count.tag}"
            tell += f" Most often it is {tag_count.tag}: {tag_count.times:,} of {tag_count.of:,} times."
        else:
            tell += f" So it is most often: {tag_count.times:,} of {tag_count.of:,} times."
        picked.append(PickedWord(word.label, tell, below=below, marked=number == chosen, hue=hues[tag]))
    word_picker(
        picked,
        key="tasks_words",
        on_click=_take_word,
        label="The sentence with a part of speech for each word",
        hint=SECTION.text("Words to click"),
        kinds=[(name, hues[tags[0]]) for name, tags in GROUPS.items()],
    )


def _take_word(number: int) -> None:
    st.query_params[WORD] = str(number)
    st.session_state[ROW] = CLICKED


def _hues() -> dict[str, str]:
    """The colour of each tag: that of its group; signs are grey."""
    colours = [*HUES[: len(GROUPS) - 1], theme.look().palette.soft]
    return {tag: hue for tags, hue in zip(GROUPS.values(), colours, strict=True) for tag in tags}


# Where it looks.


def _row_and_head(comparison: FineTuningComparison, word: int) -> tuple[int, str, tuple[int, int]]:
    """The token whose row is looked at, its name, and the head: at first the one that moved most."""
    predictions, values = comparison.predictions, comparison.moved.numpy()
    most = np.unravel_index(int(values.argmax()), values.shape)
    with layout.control_bar():
        choice = controls.choice("The row of", [CLICKED, VERDICT], key=ROW)
        layer = controls.number("Layer", values.shape[0], key=LAYER, first=int(most[0]))
        head = controls.number("Head", values.shape[1], key=HEAD, first=int(most[1]))
    if choice == VERDICT or not predictions.words:
        return 0, "[CLS]", (layer, head)
    return predictions.first_pieces[word], f"“{typeset.readable(predictions.words[word].label)}”", (layer, head)


def _take_head(layer: int, head: int) -> None:
    st.session_state[LAYER], st.session_state[HEAD] = layer, head


def _row(comparison: FineTuningComparison, head: tuple[int, int], place: int, name: str) -> str:
    """One row of one head before and after, over the text itself; what it says in a sentence."""
    tokens = comparison.predictions.tokens
    rows = {"before": comparison.before[*head, place], "after": comparison.after[*head, place]}
    labels = [typeset.readable(label) for label in tokens.labels]
    lines = []
    for when, row in rows.items():
        part = shares(row, tokens, place)
        after = [("[SEP]", f"{part.separator:.0%}"), ("itself", f"{part.itself:.0%}"), ("rest", f"{part.others:.0%}")]
        if place:
            after.insert(0, ("[CLS]", f"{part.first:.0%}"))
        strongest = labels[int(row.argmax())]
        lines.append(
            Line(
                when,
                row.tolist(),
                [f"{when}: {name} gives {weight:.1%} to “{label}”" for label, weight in zip(labels, row, strict=True)],
                after,
                f"{when}, {name} looks most at {strongest}",
            )
        )
    tinted_lines(
        tokens.labels,
        lines,
        key="tasks_row",
        odd=[place],
        odd_means="the token whose row this is",
        scale="attention",
        ticks=TICKS,
        after="shares",
        of="token",
    )
    was, now = rows.values()
    parts = shares(was, tokens, place), shares(now, tokens, place)
    sentence = sentences.about_shares(name, head, *parts, float(row_moved(was, now)))
    layout.prose(sentence, width="stretch")
    return sentence


def _maps(comparison: FineTuningComparison, head: tuple[int, int], place: int) -> None:
    """How much every head moved, and the whole map of one of them before and after."""
    overview, before, after = st.columns([2, 3, 3], gap="medium")
    with overview:
        st.markdown("**How much moved** in each head: click one")
        cell_map(
            comparison.moved.numpy(),
            key="tasks_moved",
            x="head",
            y="layer",
            tell="layer {row}, head {column}: {value} of its attention moved",
            limits=(0.0, 1.0),
            marked=[head],
            on_click=_take_head,
            alt=f"How much attention moved in each head, {comparison.moved.min():.0%} to {comparison.moved.max():.0%}",
            name="tasks-moved",
            height=280,
        )
    labels = [typeset.readable(label) for label in comparison.predictions.tokens.labels]
    for column, when, maps in ((before, "Before", comparison.before), (after, "After", comparison.after)):
        with column:
            st.markdown(f"**{when}** fine-tuning: layer {head[0]}, head {head[1]}")
            cell_map(
                maps[head].numpy(),
                key=f"tasks_{when.lower()}",
                x="looked at",
                y="looks",
                tell="{row} gives {value} to {column}",
                rows=labels,
                columns=labels,
                limits=(0.0, 1.0),
                marked=[(place, int(maps[*head, place].argmax()))],
                mark="the strongest of the chosen row",
                alt=f"{when} fine-tuning: the map of layer {head[0]}, head {head[1]}",
                name=f"tasks-{when.lower()}",
                height=330,
            )
    layout.caption(f"{SECTION.text('Moved attention')} {SECTION.text('Classifiers')}")


def _over_all_heads(comparison: FineTuningComparison, place: int, name: str) -> str:
    tokens = comparison.predictions.tokens
    parts = (
        [shares(row, tokens, place) for row in maps[:, :, place].flatten(end_dim=1)]
        for maps in (comparison.before, comparison.after)
    )
    return sentences.about_all_heads(name, *parts)


def _numbers(comparison: FineTuningComparison, word: int, head: tuple[int, int], place: int) -> dict[str, object]:
    """The two best tags of the word, the odds of the verdict, and how much of the row moved."""
    predictions, log_odds = comparison.predictions, sentences.log_odds(comparison.predictions)
    before, after = comparison.before[*head, place], comparison.after[*head, place]
    tags = ""
    if predictions.words:
        best = zip(*(part.tolist() for part in predictions.tags[word].topk(2)), strict=True)
        listed = ", ".join(f"{TAGS[number]} {share:.3f}" for share, number in best)
        tags = f"{typeset.plain(typeset.readable(predictions.words[word].label))}: {listed}"
    return {
        "tags": tags,
        "sentiment": SENTIMENTS[1],
        "log_odds": log_odds,
        "probability": 1 / (1 + exp(-log_odds)),
        "differences": float((before - after).abs().sum()),
        "moved": float(row_moved(before, after)),
    }

"""Both ways: the same sentence in a GPT and in a BERT, and what each can know of a word."""

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from core.probing.masked_words import one_sided_context
from core.probing.masked_words.one_sided_context import ContextGuesses
from core.probing.masked_words.queries import Answers
from core.probing.masked_words.words import Word
from core.view.codec import whole_number
from core.zoo.kinds import scores_tokens
from dashboard import theme, typeset
from dashboard.address import parameter
from dashboard.cache import waiting
from dashboard.cache.models import text_model
from dashboard.components.cell_map import cell_map
from dashboard.components.word_picker import PickedWord, word_picker
from dashboard.figures.predictions import prediction_bars
from dashboard.frame import layout
from dashboard.number_format import compare_shares, share_error
from dashboard.output import charts
from dashboard.output.data_table import data_table
from dashboard.output.prediction_changes import percent
from pages.language.missing_word import compute_both_ways as compute
from pages.language.missing_word import hidden_words, inputs
from pages.language.missing_word.compute_both_ways import FORWARD, Reading
from pages.language.missing_word.inputs import WORD_ADDRESS
from pages.language.missing_word.prose import PAGE

SECTION = PAGE.section("Both ways")
TICKS = ((0, "none"), (0.5, "half"), (1, "all of it"))
MEASURE = "Let both predict the words of a page that neither has read"


def show() -> None:
    """Two columns, one a model: the text tinted by what informs the guess, the guesses, the map with its mask."""
    selection = inputs.selection()
    with layout.waiting_place():
        known = compute.words_in(selection.name, selection.text)
        number = _chosen(known)
        readings = {name: compute.read(name, selection.text, number) for name in (FORWARD, selection.name)}
    left, right = st.columns(2, gap="large")
    for column, side in ((left, "From the left only"), (right, "From both sides")):
        name = FORWARD if column is left else selection.name
        with column:
            _column(name, readings[name], side, known)
    layout.place_notice()
    for column, name in zip(st.columns(2, gap="large"), readings, strict=True):
        with column:
            _map(name, readings[name])
    guesses = _page(selection.name)
    forward, both = readings[FORWARD], readings[selection.name]
    layout.notes(
        SECTION,
        notice=(
            about_masks(forward, both),
            about_guess(forward, both),
            *((about_page(guesses), about_one_side(guesses)) if guesses else ()),
        ),
        numbers=_numbers(both),
        formula=lambda: _perplexity(guesses),
    )


def about_masks(forward: Reading, both: Reading) -> str:
    """How many links the masks allow, and which words can inform the guess."""
    counts = []
    for reading in (forward, both):
        informs = int((np.nan_to_num(reading.influence) > 0).sum())
        counts.append((reading.allowed.sum(), reading.allowed.size, informs, len(reading.words) - 1))
    (open_left, all_left, left, others), (open_both, all_both, right, others_both) = counts
    if not others and not others_both:
        return "The text has a single word, so no other word can inform the prediction."
    return (
        f"The GPT's prediction depends on **{left} of {others}** other words, the BERT's on **{right} of "
        f"{others_both}**: each word was replaced in turn. The GPT's mask leaves **{open_left:,} of {all_left:,}** "
        f"links open, the BERT's {open_both:,} of {all_both:,}."
    )


def about_guess(forward: Reading, both: Reading) -> str:
    """What each says about the word to guess."""
    word = both.words[both.target]
    name, pieces = typeset.plain(typeset.readable(word.label)), len(word.places)
    first = f" (its first of {pieces} pieces)" if pieces > 1 else ""
    after = f"{percent(both.true)} from both sides"
    if not forward.guesses:
        why = "It is the first word, so it cannot be predicted from the left."
        return f"“{name}”{first} has a probability of **{after}**. {why}"
    return f"“{name}”{first} has a probability of **{percent(forward.true)} from the left** and **{after}**."


def about_page(guesses: ContextGuesses) -> str:
    """How often the first guess is right from the left, and from both sides."""
    count = len(guesses.words)
    if not count:
        return "No word of the page is one piece for both models, so there is nothing to compare."
    verdict = {
        "more": "**The BERT with both sides is right more often than the GPT from the left**",
        "less": "**The GPT from the left is right more often than the BERT with both sides**",
    }.get(
        compare_shares(*_right(guesses.both), *_right(guesses.next_left)),
        "**Which of the two is right more often cannot be told from this page**",
    )
    return (
        f"{verdict}: the first prediction is right for {guesses.next_left.accuracy:.0%} of {count} words from the left "
        f"(GPT) and for {guesses.both.accuracy:.0%} from both sides (BERT), with a standard error of about ± "
        f"{100 * max(error(guesses.both), error(guesses.next_left)):.0f} points; always predicting "
        f"“{typeset.plain(guesses.commonest_word)}” would be right for {guesses.commonest:.0%}."
    )


def about_one_side(guesses: ContextGuesses) -> str:
    """What one side is worth to the model that was trained with both."""
    if not len(guesses.words):
        return "No word of the page is one piece for both models."
    comparison = {
        "more": "more from the left",
        "less": "more from the right",
    }.get(
        compare_shares(*_right(guesses.left), *_right(guesses.right)),
        "the difference is within two standard errors",
    )
    together = int(((guesses.both.rank == 1) & (guesses.left.rank > 1) & (guesses.right.rank > 1)).sum())
    return (
        f"Shown one side alone, the BERT finds {guesses.left.accuracy:.0%} from the left and "
        f"{guesses.right.accuracy:.0%} from the right: {comparison}. **{together}** words are found only with both "
        "sides, and from neither side alone."
    )


def _right(answers: Answers) -> tuple[int, int]:
    """How many first guesses are right, of how many."""
    return int((answers.rank == 1).sum()), len(answers)


def error(answers: Answers) -> float:
    """The standard error of a share of right answers."""
    return share_error(answers.accuracy, len(answers))


def _chosen(known: tuple[Word, ...]) -> int:
    """The number of the word that is asked for: that of the address, or a long one of the second half."""
    places = hidden_words.first_hidden(known) or {0}
    linked_place = parameter(WORD_ADDRESS, lambda text: whole_number(text, len(known)))
    place = linked_place if linked_place is not None else next(iter(places))
    return known[place].number


def _choose(reading: Reading, known: tuple[Word, ...], place: int) -> None:
    """Ask for another word; the address counts those that both models know."""
    numbers = [word.number for word in known]
    if (number := reading.words[place].number) in numbers:
        st.query_params[WORD_ADDRESS] = str(numbers.index(number))


def _column(name: str, reading: Reading, side: str, known: tuple[Word, ...]) -> None:
    model = text_model(name)
    assert scores_tokens(model)
    st.markdown(f"**{side}** · {typeset.plain(model.title)}")
    strongest = float(np.nanmax(reading.influence, initial=0.0))
    guess = typeset.readable(reading.guesses[0].label) if reading.guesses else ""
    picked = []
    for place, (word, moved) in enumerate(zip(reading.words, reading.influence.tolist(), strict=True)):
        label, is_target = typeset.readable(word.label), place == reading.target
        informs = (
            f"replacing “{label}” moves {moved:.1%} of the prediction"
            if moved > 0
            else f"“{label}” cannot change the prediction"
        )
        tell = (
            f"“{label}” is the word to predict."
            if is_target
            else (f"{informs[0].upper()}{informs[1:]}. Click to have this word predicted.")
        )
        strength = 0.0 if is_target or not moved > 0 else max(moved / strongest, 0.06)
        picked.append(
            PickedWord(word.label, tell, strength=strength, covered=is_target, below=guess if is_target else "")
        )
    word_picker(
        picked,
        key=f"both_words_{'forward' if name == FORWARD else 'both'}",
        on_click=partial(_choose, reading, known),
        label=f"The text as {model.title} reads it",
        hint=SECTION.text("Words to predict"),
        scale="How much of the prediction a word moves",
        ticks=((0, "0"), (1, f"{strongest:.0%}")),
    )
    _bars(name, reading)


def _bars(name: str, reading: Reading) -> None:
    if not reading.guesses:
        st.info(SECTION.text("First word"), icon=":material/info:")
        return
    labels = [typeset.readable(prediction.label) for prediction in reading.guesses]
    values = [prediction.probability for prediction in reading.guesses]
    look = theme.look()
    hues = [
        look.palette.accent if prediction.number == reading.truth else look.palette.map
        for prediction in reading.guesses
    ]
    own = "forward" if name == FORWARD else "both"
    charts.plot(
        partial(prediction_bars, labels, values, look=look, hues=hues),
        name=f"both-guesses-{own}",
        alt="Predictions: " + ", ".join(f"{label} {value:.1%}" for label, value in zip(labels, values, strict=True)),
    )


def _map(name: str, reading: Reading) -> None:
    mask = SECTION.text("No mask" if reading.mask == "none" else "Causal mask")
    st.markdown(f"**Mean attention of all {reading.heads} heads.** {mask}")
    labels = [typeset.readable(label) for label in reading.tokens.labels]
    own = "forward" if name == FORWARD else "both"
    cell_map(
        reading.mean,
        key=f"both_map_{own}",
        x="looked at",
        y="looks",
        tell="{row} gives {value} to {column}",
        rows=labels,
        columns=labels,
        alt=f"Mean attention of all heads; the mask leaves {reading.allowed.sum():,} of {reading.allowed.size:,} links",
        name=f"both-map-{own}",
        height=420,
    )


def _page(name: str) -> ContextGuesses | None:
    """The held-out page: what each reader finds; a button where nobody has asked yet."""
    st.subheader("Measured over a page", anchor=False)
    st.markdown(SECTION.text("Held-out page", side=one_sided_context.SIDE), width=theme.PROSE)
    if not theme.is_presented():
        with st.expander("The page"):
            st.text(one_sided_context.page())
    guesses = compute.page_guessed.peek(name)
    if guesses is None:
        waiting.offer(MEASURE, partial(compute.page_guessed, name), unit="predictions", key="both_measure")
        return None
    table = page_table(guesses, text_model(FORWARD).title, text_model(name).title)
    labels = [f"{reader} · {sees}" for reader, sees in zip(table["reader"], table["reads"], strict=True)]
    charts.chart(
        partial(prediction_bars, labels, table["first guess is right"].tolist(), look=theme.look()),
        name="both-page",
        alt="Share of words whose first prediction is right, by what is read",
        table=table,
    )
    if not theme.is_presented():
        shares = st.column_config.NumberColumn(format="percent")
        perplexity = st.column_config.NumberColumn(format="%.1f")
        columns = {"first guess is right": shares, "among the first five": shares, "perplexity": perplexity}
        data_table(table, hide_index=True, column_config=columns)
    return guesses


def page_table(guesses: ContextGuesses, forward: str, both: str) -> pd.DataFrame:
    """One row a reader: what it reads, how often and how surely it finds the words; last, who always says one word."""
    readers = (
        (forward, "left", guesses.next_left),
        (both, "left", guesses.left),
        (both, "right", guesses.right),
        (both, "left and right", guesses.both),
    )
    rows = [
        (reader, sees, answers.accuracy, float((answers.rank <= 5).float().mean()), answers.perplexity)
        for reader, sees, answers in readers
    ]
    rows.append((f"always “{guesses.commonest_word}”", "nothing", guesses.commonest, np.nan, np.nan))
    columns = ["reader", "reads", "first guess is right", "among the first five", "perplexity"]
    return pd.DataFrame(rows, columns=columns)


def _numbers(both: Reading) -> dict[str, object]:
    """How many tokens the BERT reads on either side of the word."""
    places = both.words[both.target].places
    return {"before": places[0], "after": len(both.tokens) - 1 - places[-1]}


def _perplexity(guesses: ContextGuesses | None) -> None:
    """That of the BERT with both sides, if it was measured."""
    if guesses:
        nats = -float(guesses.both.log_probability.mean())
        st.markdown(SECTION.text("Perplexity", nats=nats, perplexity=guesses.both.perplexity))

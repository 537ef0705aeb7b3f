"""The same sentence in many languages and scripts: words, characters, bytes and tokens beside one another."""

from functools import partial

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.text import read_text
from core.tokens.pieces import UNITS, Cuts
from dashboard import theme, typeset
from dashboard.figures.paper import escape, on_paper
from dashboard.frame import layout
from dashboard.inputs import controls, example_texts, model_name
from dashboard.output import charts
from dashboard.theme import HUES, Look
from pages.language.next_word import compute_tokens
from pages.language.next_word.merges import show_spaces
from pages.language.next_word.prose import PAGE

SECTION = PAGE.section("Tokens: one sentence, many scripts")
SENTENCES = example_texts.examples("languages")
LONGEST = 400  # characters of one's own sentence
OWN = "Yours"
TOTAL, EACH = "pieces", "pieces a character"
HUE_OF = dict(zip(UNITS, (HUES[3], HUES[5], HUES[2], HUES[0]), strict=True))
# Where every byte is a token, the circle stands inside the open square.
MARK_OF = {
    "words": {"symbol": "diamond", "size": 10},
    "characters": {"symbol": "triangle-up", "size": 11},
    "bytes": {"symbol": "square-open", "size": 15, "line": {"width": 2}},
    "tokens": {"symbol": "circle", "size": 10},
}


def show(bar: DeltaGenerator) -> None:
    """The figure over all languages, then one sentence cut in four ways; the first controls stand in `bar`."""
    with bar:
        own = st.text_input(
            "Your own sentence",
            "",
            key="tokens_own",
            bind="query-params",
            max_chars=LONGEST,
            placeholder="Type one in any script",
        )
        drawn = controls.choice("Count", [TOTAL, EACH], key="tokens_count")
        menu = layout.settings()
    name = model_name.model("text", menu=menu)
    sentences = dict(SENTENCES) | ({OWN: read_text(own)} if own.strip() else {})
    with layout.waiting_place():
        by_language = dict(zip(sentences, compute_tokens.cuts(name, tuple(sentences.values())), strict=True))
    rows = table(by_language, sentences)
    charts.chart(
        partial(dots, rows, per_character=drawn == EACH, look=theme.look()),
        name="tokens-scripts",
        alt=f"One row per language, four marks in it: {drawn} when the sentence is cut into {', '.join(UNITS)}",
        table=rows,
    )
    layout.place_notice()
    _one(by_language, sentences)
    layout.notes(SECTION, notice=about_languages(by_language), numbers=_numbers(by_language))


def table(by_language: dict[str, Cuts], sentences: dict[str, str]) -> pd.DataFrame:
    """One row a language: the four counts, the same a character, unknown tokens, the sentence."""
    return pd.DataFrame(
        {
            "language": language,
            **{way: cuts.count(way) for way in UNITS},
            **{f"{way} a character": cuts.per_character(way) for way in UNITS},
            "unknown tokens": cuts.unknown,
            "sentence": sentences[language],
        }
        for language, cuts in by_language.items()
    )


def dots(rows: pd.DataFrame, *, per_character: bool, look: Look) -> go.Figure:
    """A mark for each way to cut in each language's row, the languages in the order of their tokens."""
    columns = {way: f"{way} a character" if per_character else way for way in UNITS}
    rows = rows.sort_values(columns["tokens"], ascending=False)
    names = [escape(name) for name in rows["language"]]
    figure = go.Figure()
    span = rows[list(columns.values())]
    figure.add_scatter(
        x=[value for low, high in zip(span.min(axis=1), span.max(axis=1), strict=True) for value in (low, high, None)],
        y=[value for name in names for value in (name, name, None)],
        mode="lines",
        line={"color": look.palette.hair, "width": 3},
        hoverinfo="skip",
        showlegend=False,
    )
    for way, column in columns.items():
        figure.add_scatter(
            x=rows[column].tolist(),
            y=names,
            name=way,
            mode="markers",
            marker={"color": HUE_OF[way], **MARK_OF[way]},
            cliponaxis=False,
            hovertemplate=f"%{{y}}: %{{x:.3~g}} {columns[way]}<extra></extra>",
        )
    return on_paper(
        figure,
        look=look,
        height=look.high(110 + 27 * len(rows)),
        x="pieces a character" if per_character else "pieces of the sentence",
        xaxis={"showgrid": True, "rangemode": "tozero"},
        yaxis={"showgrid": False, "autorange": "reversed"},
    )


def _one(by_language: dict[str, Cuts], sentences: dict[str, str]) -> None:
    """One sentence in four ways, piece by piece."""
    names = list(by_language)
    usual = OWN if OWN in by_language else names[0]
    if st.session_state.get("tokens_language") not in (*names, None):
        st.session_state.tokens_language = usual
    chosen = st.selectbox(
        "Piece by piece", names, names.index(usual), key="tokens_language", bind="query-params", width=260
    )
    language = chosen or usual
    rows = by_way(by_language[language])
    st.table(rows.assign(pieces=rows["pieces"].map(typeset.plain)).set_index("way"), border="horizontal")
    charts.download_table(rows, "tokens-pieces")
    st.caption(typeset.plain(sentences[language]))


def by_way(cuts: Cuts) -> pd.DataFrame:
    """One row for each way: how many pieces, and the pieces."""
    return pd.DataFrame(
        {"way": way, "count": cuts.count(way), "pieces": " ┆ ".join(map(show_spaces, getattr(cuts, way)))}
        for way in UNITS
    )


def about_languages(by_language: dict[str, Cuts]) -> tuple[str, ...]:
    """Where the sentence costs fewest and most tokens, how that relates to bytes, and where words are no measure."""
    cost = {language: cuts.count("tokens") for language, cuts in by_language.items() if language != OWN}
    least, most = min(cost, key=cost.__getitem__), max(cost, key=cost.__getitem__)
    bytewise = [language for language, cuts in by_language.items() if cuts.count("tokens") == cuts.count("bytes")]
    above = [language for language, cuts in by_language.items() if cuts.count("tokens") > cuts.count("characters")]
    single = [language for language, cuts in by_language.items() if cuts.count("words") == 1]
    unknown = {language: cuts.unknown for language, cuts in by_language.items() if cuts.unknown}
    sentences = [
        f"The same sentence takes **{cost[least]} tokens** in {least} and **{cost[most]}** in {most}: "
        f"{cost[most] / cost[least]:.1f} times as many."
        if cost[most] > cost[least]
        else f"The same sentence takes **{cost[least]} tokens** in every language."
    ]
    if above:
        sentences.append(f"More tokens than characters: {', '.join(above)}.")
    if bytewise:
        sentences.append(f"No merge applies, so each byte is a token: {', '.join(bytewise)}.")
    if single:
        sentences.append(f"Without spaces between words, the whole sentence counts as one word: {', '.join(single)}.")
    if unknown:
        listed = ", ".join(f"{language} ({count})" for language, count in unknown.items())
        sentences.append(f"Unknown tokens: {listed}.")
    if OWN in by_language:
        own = by_language[OWN]
        sentences.append(
            f"Your sentence has {own.count('characters')} characters and {own.count('tokens')} tokens, "
            f"{own.per_character('tokens'):.2f} a character."
        )
    return tuple(sentences)


def _numbers(by_language: dict[str, Cuts]) -> dict[str, object]:
    """The counts of the visitor's sentence, or of the language with most tokens a character."""
    language = (
        OWN if OWN in by_language else max(by_language, key=lambda name: by_language[name].per_character("tokens"))
    )
    cuts = by_language[language]
    tokens, characters, count = cuts.count("tokens"), cuts.count("characters"), cuts.count("bytes")
    return {
        "language": language,
        "tokens": tokens,
        "characters": characters,
        "bytes": count,
        "tokens_a_character": tokens / characters,
        "bytes_a_token": count / tokens,
    }

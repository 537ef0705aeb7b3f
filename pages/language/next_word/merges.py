"""Byte-pair encoding step by step, on one's own word: which pair is merged when, with its rank and count."""

from collections.abc import Mapping, Sequence
from functools import partial

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.text import BYTE, read_text
from core.tokens.byte_pairs import MergedWord
from core.tokens.pieces import Piece
from dashboard import theme, typeset
from dashboard.figures.paper import escape, on_paper
from dashboard.frame import layout
from dashboard.inputs import model_name
from dashboard.output import charts
from dashboard.output.data_table import data_table
from dashboard.theme import HUES, Look
from pages.language.next_word import compute_tokens
from pages.language.next_word.compute_tokens import Merged
from pages.language.next_word.prose import PAGE

SECTION = PAGE.section("Tokens: a word, merge by merge")
WORDS = ("listening", "understandable", "antidisestablishmentarianism", "lalalala", "naïveté", "मित्र", "🙂")
LONGEST = 60  # characters
KEY = "tokens_word"
DONE = 170  # pixels: of the control for the merges done
ROOM = 60  # letters of all symbols together that find room side by side


def show(bar: DeltaGenerator) -> None:
    """The word, the tree of its merges, the table of the rules; the first controls stand in `bar`."""
    with bar:
        raw = st.text_input("Your word", WORDS[0], key=KEY, bind="query-params", max_chars=LONGEST)
        with st.popover("Examples", icon=":material/format_quote:"):
            for number, word in enumerate(WORDS):
                key = f"tokens-word-{number}"
                st.button(typeset.plain(word), key=key, type="tertiary", on_click=_take, args=(word,))
        done_place = st.container(width="content")
        menu = layout.settings()
    name = model_name.model("text", menu=menu)
    text, kind = read_text(raw), compute_tokens.kind_of(name)
    if kind == "BPE":
        _byte_pairs(compute_tokens.merged(name, text), done_place)
    else:
        _other(kind, compute_tokens.pieces(name, text))


def _take(word: str) -> None:
    st.session_state[KEY] = word


def _byte_pairs(merged: Merged, done_place: DeltaGenerator) -> None:
    if not merged.agrees:
        st.info(SECTION.text("Added tokens"), icon=":material/info:")
    steps = sum(len(word.merges) for word in merged.words)
    done = steps
    if steps:
        if (st.session_state.get("tokens_step") or 0) > steps:  # another word may need fewer
            st.session_state.tokens_step = steps
        done = done_place.slider("Merges done", 0, steps, steps, key="tokens_step", bind="query-params", width=DONE)
    rows = table(merged)
    charts.chart(
        partial(merge_tree, merged.words, merged.labels, rules=merged.rules, done=done, look=theme.look()),
        name="tokens-merges",
        alt="A tree: symbols below, each merge a bracket over its two parts, higher the later it comes",
        table=rows,
    )
    if merged.left_out:
        st.caption(SECTION.text("Further words", count=merged.left_out))
    layout.place_notice()
    if not theme.is_presented() and steps:
        numbers = {"rank": st.column_config.NumberColumn(format="localized")}
        data_table(rows, hide_index=True, height=min(380, 36 * (len(rows) + 1)), column_config=numbers)
    notice = about_stage(merged, done), *about_merges(merged)
    layout.notes(SECTION, notice=notice, formula=lambda: _formula(merged))


def show_spaces(label: str) -> str:
    """A piece with its spaces visible."""
    return label.replace(" ", "␣").replace("\n", "↵").replace("\t", "⇥") or "∅"


def stage(merged: Merged, done: int) -> tuple[str, ...]:
    """The pieces of all words after so many merges, counted through the words in order."""
    pieces: list[str] = []
    for word in merged.words:
        stages = word.stages
        pieces += stages[max(0, min(done, len(stages) - 1))]
        done -= len(stages) - 1
    return tuple(merged.labels[piece] for piece in pieces)


def about_stage(merged: Merged, done: int) -> str:
    """The pieces after so many merges, and which merge was the last."""
    pieces = stage(merged, done)
    piece_list = " ┆ ".join(typeset.plain(show_spaces(piece)) for piece in pieces)
    merges = [merge for word in merged.words for merge in word.merges]
    if not merges:
        return (
            f"No two neighbours are in the list of {merged.rules:,} merges: the symbols are the tokens. "
            f"**{piece_list}**"
        )
    if not done:
        return f"Before the first merge there are {len(pieces)} symbols: **{piece_list}**"
    last = merges[done - 1]
    left, right = (typeset.plain(show_spaces(merged.labels[part])) for part in (last.left, last.right))
    times = "" if last.count == 1 else f", {last.count} times"
    return (
        f"Merge {done} of {len(merges)} joins “{left}” and “{right}”{times}: rank {last.rank:,} of {merged.rules:,}. "
        f"Now there are {len(pieces)}: **{piece_list}**"
    )


def table(merged: Merged) -> pd.DataFrame:
    """One row a merge, in order."""
    rows, step = [], 0
    for word in merged.words:
        for merge, pieces in zip(word.merges, word.stages[1:], strict=True):
            step += 1
            names = {part: show_spaces(merged.labels[part]) for part in (merge.left, merge.right, merge.piece)}
            rows.append(
                {
                    "merge": step,
                    "left": names[merge.left],
                    "right": names[merge.right],
                    "piece": names[merge.piece],
                    "rank": merge.rank,
                    "count": merge.count,
                    "pieces afterwards": " ┆ ".join(show_spaces(merged.labels[piece]) for piece in pieces),
                }
            )
    return pd.DataFrame(rows, columns=["merge", "left", "right", "piece", "rank", "count", "pieces afterwards"])


def about_merges(merged: Merged) -> tuple[str, ...]:
    """How far the merges got, which were early and late in the list, and what is shorter for it."""
    symbols = sum(len(word.symbols) for word in merged.words)
    tokens = [merged.labels[piece] for word in merged.words for piece in word.pieces]
    merges = [merge for word in merged.words for merge in word.merges]
    if not merges:
        return (f"No merge applies: {_counted(symbols, 'symbol')} stay {_counted(len(tokens), 'token')}.",)
    times = sum(merge.count for merge in merges)
    first, last = min(merges, key=lambda merge: merge.rank), max(merges, key=lambda merge: merge.rank)
    make = "makes" if len(merges) == 1 else "make"
    sentences = [
        f"**{_counted(len(merges), 'merge')}**, applied {_counted(times, 'time')}, {make} "
        f"{_counted(symbols, 'symbol')} into **{_counted(len(tokens), 'token')}**."
    ]
    if last.rank > first.rank:
        sentences.append(
            f"The earliest rule is “{_plain(merged, first.piece)}” (rank {first.rank:,} of {merged.rules:,}), the "
            f"latest “{_plain(merged, last.piece)}” (rank {last.rank:,})."
        )
    if longest := max((token for token in tokens if not BYTE.search(token)), key=len, default=""):
        length = _counted(len(longest), "character")
        sentences.append(f"The longest token is “{typeset.plain(show_spaces(longest))}”, of {length}.")
    else:
        sentences.append("Every token here holds single bytes of a character.")
    return tuple(sentences)


def _plain(merged: Merged, piece: str) -> str:
    return typeset.plain(show_spaces(merged.labels[piece]))


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def merge_tree(
    spelled: Sequence[MergedWord], labels: Mapping[str, str], *, rules: int, done: int, look: Look
) -> go.Figure:
    """Symbols side by side below, each merge a bracket at the height of its number; only the first `done` merges."""
    figure, palette = go.Figure(), look.palette
    lines_x: list[float | None] = []
    lines_y: list[float | None] = []
    nodes: list[tuple[float, int, str, str, bool]] = []  # x, y, label, sentence, whether it is a token by now
    offset, before, width = 0, 0, 0
    for word in spelled:
        centre = {first: (float(offset + first), 0) for first in range(len(word.symbols))}
        names = dict(enumerate(word.symbols))
        origins = dict.fromkeys(names, "a symbol to begin with")
        for number, merge in enumerate(word.merges, start=1):
            if before + number > done:
                break
            for first, middle, _ in merge.spans:
                (left, low), (right, high) = centre[first], centre[middle]
                for place in (first, middle):
                    nodes.append((*centre[place], show_spaces(labels[names[place]]), origins[place], False))
                lines_x += [left, left, right, right, None]
                lines_y += [low, number, number, high, None]
                centre[first], names[first] = ((left + right) / 2, number), merge.piece
                origins[first] = f"merge {before + number}: rank {merge.rank:,} of {rules:,}, applied {merge.count}×"
                del centre[middle], names[middle], origins[middle]
        nodes += [(*centre[place], show_spaces(labels[names[place]]), origins[place], True) for place in names]
        width = offset + len(word.symbols)
        offset, before = width + 1, before + len(word.merges)
    figure.add_scatter(x=lines_x, y=lines_y, mode="lines", line={"color": palette.soft, "width": 1.4}, hoverinfo="skip")
    room = sum(len(labels[symbol]) for word in spelled for symbol in word.symbols) <= ROOM
    for is_token, hue in ((False, palette.soft), (True, HUES[0])):
        chosen = [node for node in nodes if node[4] == is_token]
        figure.add_scatter(
            x=[node[0] for node in chosen],
            y=[node[1] for node in chosen],
            # Without room only the pointer says what they are; the pieces are also listed above.
            mode="markers+text" if room else "markers",
            marker={"size": 9 if is_token else 6, "color": hue},
            text=[f"<b>{escape(node[2])}</b>" if is_token else escape(node[2]) for node in chosen],
            # A line goes up from whatever is merged further: its name stands beside it.
            textposition=[
                "bottom center" if not node[1] else "top center" if is_token else "top right" for node in chosen
            ],
            textfont={"color": palette.ink if is_token else palette.soft, "size": look.letters},
            customdata=[escape(f"“{node[2]}”: {node[3]}") for node in chosen],
            hovertemplate="%{customdata}<extra></extra>",
            cliponaxis=False,
        )
    top = max((len(word.merges) for word in spelled), default=1)
    return on_paper(
        figure,
        look=look,
        height=look.high(min(560, 150 + 34 * max(top, 1))),
        y="merge",
        showlegend=False,
        xaxis={"visible": False, "range": [-0.8, max(width, 6) - 0.2]},
        yaxis={"range": [-0.9, top + 0.9], "tickformat": "d", "dtick": max(1, top // 8), "tick0": 0},
    )


def _other(kind: str, pieces: tuple[Piece, ...]) -> None:
    """A tokenizer that does not merge: what it made, and how it makes it."""
    rows = pieces_table(pieces)
    data_table(rows, hide_index=True, height="content", width="content")
    layout.place_notice()
    st.markdown(_about_kind(kind), width=theme.PROSE)
    charts.download_table(rows, "tokens-pieces")
    layout.notes(SECTION, notice=about_pieces(pieces), formula=lambda: st.markdown(SECTION.text("Models with merges")))


def _about_kind(kind: str) -> str:
    """How a tokenizer of a kind without merges makes tokens."""
    if kind in ("Unigram", "WordPiece"):
        return SECTION.text(kind)
    return SECTION.text("Other kinds of tokenizers", kind=typeset.plain(kind))


def pieces_table(pieces: Sequence[Piece]) -> pd.DataFrame:
    """One row a token: how it reads, its number and, where it has one, its log-probability."""
    rows = pd.DataFrame(
        {"token": [show_spaces(piece.label) for piece in pieces], "number": [piece.number for piece in pieces]}
    )
    if any(piece.score is not None for piece in pieces):
        rows["log-probability"] = [piece.score for piece in pieces]
    return rows


def about_pieces(pieces: Sequence[Piece]) -> tuple[str, ...]:
    """How many tokens there are, and what their log-probabilities add up to."""
    sentence = f"Here it makes **{_counted(len(pieces), 'token')}**."
    scores = [piece.score for piece in pieces if piece.score is not None]
    if not scores:
        return (sentence,)
    if len(scores) == 1:
        return (sentence, f"Its log-probability is **{scores[0]:.2f}**.".replace("-0.00", "0.00").replace("**-", "**−"))
    least = min((piece for piece in pieces if piece.score is not None), key=lambda piece: piece.score or 0)
    return (
        sentence,
        f"Their log-probabilities add up to **{sum(scores):.2f}**".replace("-", "−")
        + f"; the least probable is “{typeset.plain(show_spaces(least.label))}”.",
    )


def _formula(merged: Merged) -> None:
    text = SECTION.text(
        "Byte-pair encoding",
        symbols=sum(len(word.symbols) for word in merged.words),
        merges=sum(merge.count for word in merged.words for merge in word.merges),
        tokens=sum(len(word.pieces) for word in merged.words),
    )
    st.markdown(text)

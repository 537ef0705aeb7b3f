"""A text that grows token by token: what may come next, what is drawn, and where the newest token looks."""

from collections.abc import Sequence
from typing import Any

import streamlit as st
from tokenizers import Tokenizer

from core.generation.newest_token import find_farthest_head
from core.generation.rules import FILTERS, Rules
from core.generation.writing import pieces
from core.zoo.embedded import BOOKS
from dashboard import theme, typeset
from dashboard.components.writing_view import Bar, Moment, Piece, Way, writing_view
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.output.explained_view import explained_view
from dashboard.recordings import notices, scenes
from dashboard.recordings.watched import content_of
from pages.language.next_word import branches, compute_writes, inputs, writes_sentences, written_tree
from pages.language.next_word.branches import LONGEST, Tree
from pages.language.next_word.compute_writes import Step, Written
from pages.language.next_word.inputs import Selection
from pages.language.next_word.prose import PAGE

SECTION = PAGE.section("Writes")
# While a text of at most so many tokens is written, the view of attention follows; else it comes at the end.
FOLLOWED = 512
COUNTS = (8, 16, 32, 64)  # tokens that one click writes
PREVIEW = 12  # tokens of a way in the list of ways
BOUND: dict[str, Any] = {"bind": "query-params", "width": 150}


def show() -> None:
    """The text and its next token beside the attention of the newest one."""
    with layout.control_bar():
        typed_text = inputs.text()
        write_button = st.container(width="content")
        temperature = st.slider(
            "Temperature", 0.0, 2.0, 1.0, 0.05, key="writes_temperature", help=SECTION.text("Temperature"), **BOUND
        )
        with (menu := st.popover("Sampling", icon=":material/tune:")):
            rules, seed, many = _sampling(temperature)
        if is_presented := theme.is_presented():
            step_buttons = st.container(horizontal=True, width="content")
    with st.container(horizontal=True, vertical_alignment="center"):
        has_read = st.container(gap=None)
        if not is_presented:
            step_buttons = st.container(horizontal=True, width="content")
    selection = inputs.selection(typed_text, menu)
    with has_read:  # a spinner has its place there
        tokens = compute_writes.given_tokens(selection.name, selection.text)
    written_tree.open_tree(selection, has_read)
    steps, quick = written_tree.grow(selection, rules, seed)
    tree: Tree = st.session_state[written_tree.TREE]
    is_writing = st.session_state[written_tree.LEFT] > 0
    with write_button:
        _write_button(tree, many, is_writing=is_writing)
    with step_buttons:
        _step_buttons(tree, is_writing=is_writing)
    if not is_writing or (quick and len(tokens) + len(tree.written) <= FOLLOWED):
        st.session_state[written_tree.IN_VIEW] = tree.written
    with has_read:
        written = compute_writes.read(selection.name, selection.text, st.session_state[written_tree.IN_VIEW])
    steps.append(compute_writes.next_step(selection, written, len(st.session_state[written_tree.IN_VIEW]), rules, seed))
    _say_where_it_stands(selection, written, len(tokens) + len(tree.written), tree)
    steps.sort(key=lambda step: step.count)
    newest = steps[-1]
    text, attention = st.columns([4, 7], gap="medium")
    explanation = st.container()
    with text:
        _text(selection, tree, steps, plays=len(steps) > 1)
        layout.place_notice()
    with attention:
        explained_view(
            written.watched,
            key="writes_heads",
            view="text",
            token=len(written.watched.inputs) - 1,
            below=explanation,
        )
        notices.show_unseen(written.watched.record)
    with st.container() if is_presented else has_read:
        layout.caption(_training_data(selection))
    if is_writing:
        st.rerun()  # what is said of the text pales until it is there
    layout.notes(SECTION, notice=noticed(selection, written, newest), formula=lambda: _formula(newest, rules))
    written_tree.to_address(tree)


def _training_data(selection: Selection) -> str:
    """What the model has read."""
    if selection.name in ("gpt-books", "gpt-books-long"):
        return SECTION.text("Training data of old books", model=selection.name, books=BOOKS)
    return SECTION.text("Training data of other models", title=typeset.plain(selection.model.title))


def _sampling(temperature: float) -> tuple[Rules, int, int]:
    """The rules of sampling besides the temperature, the seed, and how many tokens one click writes."""
    many = controls.choice("Tokens to write", COUNTS, key="writes_count", first=32)
    rules = Rules(
        temperature=temperature,
        top_k=controls.number_box("Top-k", 0, 100_000, 0, key="writes_top_k", help=SECTION.text("Top-k")),
        top_p=st.slider(
            "Top-p", 0.0, 1.0, 0.9, 0.01, key="writes_top_p", help=SECTION.text("Top-p"), bind="query-params"
        ),
        min_p=st.slider(
            "Min-p", 0.0, 1.0, 0.0, 0.01, key="writes_min_p", help=SECTION.text("Min-p"), bind="query-params"
        ),
        penalty=st.slider(
            "Repetition penalty",
            1.0,
            2.0,
            1.0,
            0.05,
            key="writes_penalty",
            help=SECTION.text("Repetition penalty"),
            bind="query-params",
        ),
    )
    return rules, controls.number_box("Seed", 0, 9999, 1, key="writes_seed", help=SECTION.text("Seed")), many


def _write_button(tree: Tree, many: int, *, is_writing: bool) -> None:
    if is_writing:
        st.button("Stop", icon=":material/stop:", key="writes_stop", on_click=written_tree.ask_for, args=(0,))
        return
    st.button(
        "Write",
        icon=":material/edit:",
        key="writes_go",
        on_click=written_tree.ask_for,
        args=(many,),
        disabled=len(tree.written) >= LONGEST,
    )


def _step_buttons(tree: Tree, *, is_writing: bool) -> None:
    written, full = tree.written, len(tree.written) >= LONGEST
    for label, icon, click, argument, disabled in (
        ("One step", ":material/skip_next:", written_tree.ask_for, 1, full),
        ("Back", ":material/undo:", written_tree.go, written[:-1], not written),
        ("Start over", ":material/first_page:", written_tree.go, (), not written),
    ):
        key = f"writes_{label.split()[0].lower()}"
        is_disabled = disabled or is_writing
        st.button(label, icon=icon, key=key, on_click=click, args=(argument,), disabled=is_disabled, type="tertiary")


def _say_where_it_stands(selection: Selection, written: Written, total: int, tree: Tree) -> None:
    """That the beginning is no longer read, that the text has ended, or that there is no room for more."""
    title = typeset.plain(selection.model.title)
    if written.dropped:
        room = selection.model.context
        st.info(
            SECTION.text("Forgotten tokens", title=title, room=room, total=total, dropped=written.dropped),
            icon=":material/content_cut:",
        )
    if len(tree.written) >= LONGEST:
        st.info(SECTION.text("Longest text", most=LONGEST), icon=":material/info:")
    elif tree.written and written_tree.is_special(selection, tree.written[-1]):
        token = typeset.plain(selection.model.label(tree.written[-1]))
        st.info(SECTION.text("End of a text", token=token), icon=":material/info:")


def _text(selection: Selection, tree: Tree, steps: Sequence[Step], *, plays: bool) -> None:
    """The text as it is written, what may come next, and the other ways."""
    tokenizer, rows = selection.model.tokenizer, branches.branches(tree)

    def take(count: int, token: int) -> None:
        now: Tree = st.session_state[written_tree.TREE]
        if count <= min(len(now.written), LONGEST - 1):
            written_tree.go((*now.written[:count], token))

    writing_view(
        content_of(selection.text),
        [Piece(label, at) for label, at in pieces(tokenizer, tree.written)],
        [moment_of(step) for step in steps],
        [Way(shortly(tokenizer, row.tokens), len(row.tokens), row.depth, row.is_on_the_way) for row in rows],
        key="writes_text",
        name="next-token",
        plays=plays,
        on_take=take,
        on_back=lambda count: written_tree.go(st.session_state[written_tree.TREE].written[:count]),
        on_return=lambda way: written_tree.go(rows[way].to),
    )
    typeset.explain_bytes(typeset.readable(candidate.label) for step in steps for candidate in step.candidates)


def moment_of(step: Step) -> Moment:
    """What the view shows of a step."""
    return Moment(
        step.count,
        [
            Bar(
                candidate.token,
                typeset.readable(candidate.label),
                candidate.expected,
                candidate.weighed,
                candidate.chance,
                FILTERS[candidate.taken_by] if candidate.taken_by >= 0 else "",
            )
            for candidate in step.candidates
        ],
        step.drawn,
        step.dice,
        [(name, share) for name, share in step.taken.items() if share],
        step.left,
        step.remaining,
        step.vocabulary,
    )


def shortly(tokenizer: Tokenizer, tokens: branches.Way) -> str:
    """The beginning of a way in one line."""
    text = "".join(label for label, _ in pieces(tokenizer, tokens[:PREVIEW]))
    return (" ".join(text.split()) or typeset.readable(text)) + (" …" if len(tokens) > PREVIEW else "")


def noticed(selection: Selection, written: Written, step: Step) -> tuple[str, ...]:
    """About the filters, the draw, how unsure the model is, what it has written, and the head that looks farthest."""
    calls = scenes.self_attention_layers(written.watched.model, written.watched.run, written.watched.record)[1]
    return (
        writes_sentences.about_filters(step),
        writes_sentences.about_draw(step, selection.model.label),
        writes_sentences.about_entropy(step),
        *writes_sentences.about_ranks(written.ranks),
        *writes_sentences.about_farthest(find_farthest_head(calls), written.watched.inputs.labels),
    )


def _formula(step: Step, rules: Rules) -> None:
    """The probability of the drawn token, from its logit, and where it lies in the row."""
    for line in writes_sentences.formula_of(step, rules):
        st.latex(line)
    st.markdown(SECTION.text("Sampling" if rules.temperature else "Greedy decoding"))

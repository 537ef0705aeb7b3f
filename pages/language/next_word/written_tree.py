"""The tree of what a session has written: opened, grown, and kept in the address."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.generation.rules import Rules
from core.text import read_tokens
from dashboard import typeset
from dashboard.address import parameter
from pages.language.next_word import branches, compute_writes
from pages.language.next_word.branches import LONGEST, Tree
from pages.language.next_word.compute_writes import Step
from pages.language.next_word.inputs import WRITTEN_ADDRESS as ADDRESS
from pages.language.next_word.inputs import Selection
from pages.language.next_word.prose import PAGE

SECTION = PAGE.section("Writes")
# In the session: the tree, whose it is, what of it was put into the address, the way whose attention is in view, and
# how many tokens are to be written.
TREE, OF, PUT, IN_VIEW, LEFT = "writes_tree", "writes_of", "writes_put", "writes_in_view", "writes_left"
QUICK = 0.1  # seconds for each token of a text that is followed while it is written


def open_tree(selection: Selection, waiting: DeltaGenerator) -> None:
    """See to it that the session has a tree of this text and model: that of a new address, else an empty one."""
    whose, text = (selection.name, selection.text), st.query_params.get(ADDRESS, "")
    with waiting:
        vocabulary = compute_writes.vocabulary_of(selection)
    tree = parameter(ADDRESS, lambda text: branches.decode(text, lambda token: token < vocabulary))
    is_led = text != st.session_state.get(PUT, "")  # by a link, or by the browser's back button
    if st.session_state.get(OF) == whose and not is_led:
        return
    if not is_led:  # another text, or another model: what was written after the one before is not of it
        tree = Tree()
    elif tree is None:
        title = typeset.plain(selection.model.title)
        st.info(SECTION.text("Unreadable link", title=title, last=vocabulary - 1), icon=":material/link_off:")
    tree = tree or Tree()
    st.session_state.update({OF: whose, PUT: text, TREE: tree, IN_VIEW: tree.written, LEFT: 0})


def to_address(tree: Tree) -> None:
    """Only when nothing is written any more: each change of the address is a step of the browser's back button."""
    st.session_state[PUT] = text = branches.encode(tree)
    if text:
        if st.query_params.get(ADDRESS) != text:
            st.query_params[ADDRESS] = text
    elif ADDRESS in st.query_params:
        del st.query_params[ADDRESS]


def grow(selection: Selection, rules: Rules, seed: int) -> tuple[list[Step], bool]:
    """The steps that are next, if there is anything to write, and whether they were quick enough to be followed."""
    tree: Tree = st.session_state[TREE]
    left = min(st.session_state[LEFT], LONGEST - len(tree.written))
    st.session_state[LEFT] = 0  # also if what follows ends in a sentence
    if left <= 0:
        return [], True
    steps, seconds = compute_writes.write(selection, tree.written, rules, seed, left)
    for step in steps:
        tree = branches.moved(tree, (*tree.written, step.drawn))
    ended = is_special(selection, tree.written[-1])
    st.session_state.update({TREE: tree, LEFT: 0 if ended else left - len(steps)})
    return steps, seconds <= QUICK * len(steps)


def is_special(selection: Selection, token: int) -> bool:
    """Whether a token is one that tokenizers add, such as the mark for the end of a text."""
    return read_tokens(selection.model.tokenizer, [token]).special[0]


def go(to: branches.Way) -> None:
    """Leave what is written for another way, and write no more."""
    st.session_state.update({TREE: branches.moved(st.session_state[TREE], to), LEFT: 0})


def ask_for(count: int) -> None:
    """Have so many tokens written."""
    st.session_state[LEFT] = count

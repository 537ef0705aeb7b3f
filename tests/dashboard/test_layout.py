"""The first sentence to notice stands with the figure, the rest below; long sections have a row of jumps."""

import pytest
from streamlit.testing.v1 import AppTest

SCRIPT = """
import streamlit as st
from dashboard.frame import error_messages, layout, prose

PROSE = prose.parse("# Which?\\n### About\\n{about}\\n### Try this\\n- Try it.\\n### References\\nVASWANI\\n")
with error_messages.as_sentences():
    with layout.waiting_place():
        st.markdown("Of the page above.")
    layout.begin_section()
    {begin}
    st.markdown("The figure.")
    layout.notes(PROSE, notice={notice}, formula=lambda: st.markdown("x = 1"))
"""
TWO = ("First.", "Second.")
CONTROLS, WAITING, CHOSEN = "layout.control_bar()", "layout.waiting_place()", "layout.place_notice()"


def texts(begin: str = "", notice: tuple[str, ...] = TWO, about: str = "", **query: str) -> list[str]:
    """All that the page says, from top to bottom."""
    app = AppTest.from_string(SCRIPT.format(begin=begin, notice=notice, about=about))
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return [element.value for element in app.main if hasattr(element, "value")]


@pytest.mark.parametrize(
    "begin",
    [
        "",
        f"{CONTROLS}; st.markdown('A control.')",
        f"{WAITING}; {WAITING}; st.markdown('Waited.')",
        "error_messages.as_sentences().__enter__()",  # parts of a section that may fail alone
    ],
)
def test_the_first_sentence_stands_above_the_figure_and_the_rest_below(begin):
    order = texts(begin)
    assert order.index("Of the page above.") < order.index("**Notice:** First.") < order.index("The figure.")
    assert order.index("The figure.") < order.index("What to notice") < order.index("Second.")
    assert "First." not in order


@pytest.mark.parametrize(
    "begin",
    [
        f"st.markdown('Before.'); {CONTROLS}; st.markdown('After.')",
        f"{CONTROLS}; st.markdown('Before.'); {WAITING}; st.markdown('After.'); {WAITING}; {CONTROLS}",
        f"{WAITING}; st.markdown('Before.'); {CHOSEN}; st.markdown('After.'); {CHOSEN}; {WAITING}",
    ],
)
def test_of_several_places_the_best_has_it_and_of_equal_ones_the_first(begin):
    order = texts(begin)
    assert order.index("Before.") < order.index("**Notice:** First.") < order.index("After.")


def test_a_single_sentence_leaves_no_empty_heading_below_and_none_leaves_no_trace():
    assert "What to notice" not in texts(notice=("Only one.",))
    assert "**Notice:** Only one." in texts(notice=("Only one.",))
    assert not [text for text in texts(notice=()) if "otice" in text]


def test_on_a_projector_the_first_sentence_is_there_and_nothing_else_of_the_notes():
    order = texts(WAITING, present="1")
    assert order == ["Of the page above.", "**Notice:** First.", "The figure."]


def test_a_section_with_several_headings_has_jumps_to_each_and_to_its_notes():
    (row,) = [
        text for text in texts("layout.heading('How *much*?'); layout.heading('When?')") if "On this page" in text
    ]
    assert row.endswith(r"[How \*much\*?](#how-much) · [When?](#when) · [Try this](#try-this)")
    assert not [text for text in texts("layout.heading('When?')") if "On this page" in text]
    assert not [
        text for text in texts("layout.heading('A'); layout.heading('B')", present="1") if "On this page" in text
    ]


def test_what_a_page_is_about_stands_below_its_figure():
    order = texts(about="About it.")
    assert order.index("The figure.") < order.index("About it.")

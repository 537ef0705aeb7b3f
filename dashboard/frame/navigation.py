"""Navigation from a page: the next page, those that it builds on, and the projector's bar with its keys."""

from collections.abc import Collection

import streamlit as st

from dashboard import contents
from dashboard.contents import Page
from dashboard.theme import PRESENT

SECTION = "show"  # in the address: the section of a page
KEYS = "PageUp and PageDown turn pages; the arrow keys left and right turn the sections of a page; Esc leaves."


def neighbours(page: Page) -> tuple[Page | None, Page | None]:
    """The pages before and after one, in the order of the table of contents."""
    pages = contents.pages()
    place = pages.index(page)
    return (pages[place - 1] if place else None, pages[place + 1] if place + 1 < len(pages) else None)


def end(page: Page) -> None:
    """Draw, at the end of a page, links to the pages to read first and to the next one."""
    _, next_page = neighbours(page)
    if not page.builds_on and next_page is None:
        return
    st.divider()
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        if page.builds_on:
            with st.container(horizontal=True, vertical_alignment="center", width="content", gap="small"):
                st.markdown(":gray[Read first]", width="content")
                for earlier in page.builds_on:
                    earlier.link(earlier.name)
        if next_page is not None:
            next_page.link(f"Next: {next_page.question}")


def present_button() -> None:
    """Draw the button for the projector's view, which keeps all choices."""
    st.button(
        "Present",
        key="present-this",
        icon=":material/present_to_all:",
        help=f"Larger, and without what stands around the figure. {KEYS}",
        on_click=_present,
        type="tertiary",
    )


def _present() -> None:
    st.query_params[PRESENT] = "1"


def bar(page: Page, *, turns_pages: bool = True) -> None:
    """Draw the projector's bar: buttons to the pages before and after (not in a lesson), and to leave."""
    before, after = neighbours(page)
    with st.container(horizontal=True, width="content", gap="small", key="projector-bar"):
        turns = (
            ("Previous page", "PageUp", ":material/first_page:", before),
            ("Next page", "PageDown", ":material/last_page:", after),
        )
        for label, key, icon, other in turns if turns_pages else ():
            help_text = f"{label}: {other.name}" if other else label
            if st.button(
                "", key=f"turn-{key}", icon=icon, help=help_text, shortcut=key, disabled=other is None, type="tertiary"
            ):
                assert other is not None
                st.session_state.pop(SECTION, None)  # the other page begins with its own first one
                st.switch_page(other.streamlit_page(), query_params={PRESENT: "1"})
        st.button(
            "", key="leave", icon=":material/close:", help="Leave", shortcut="Esc", on_click=leave, type="tertiary"
        )


def leave() -> None:
    """Leave the projector's view; nothing else changes."""
    st.query_params.pop(PRESENT, None)


def turn_sections(names: list[str], with_own_arrows: Collection[str] = ()) -> None:
    """Draw two buttons, with the arrow keys as shortcuts, for the sections of a page on a projector.

    In the sections `with_own_arrows` the figure takes those keys, and the buttons have none.
    """
    name = st.session_state.get(SECTION) or names[0]
    place = names.index(name)
    for label, shortcut, icon, step in (
        ("Previous section", "Left", ":material/chevron_left:", -1),
        ("Next section", "Right", ":material/chevron_right:", 1),
    ):
        target = place + step
        st.button(
            "",
            key=f"turn-{shortcut}",
            icon=icon,
            help=f"{label}: {names[target]}" if 0 <= target < len(names) else label,
            shortcut=None if name in with_own_arrows else shortcut,
            disabled=not 0 <= target < len(names),
            on_click=_choose,
            args=(names[target % len(names)],),
            type="tertiary",
        )


def _choose(name: str) -> None:
    st.session_state[SECTION] = name

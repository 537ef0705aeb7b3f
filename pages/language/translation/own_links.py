"""The visitor's own links between the words of a pair, as they stand in the address."""

import re
from collections.abc import Collection, Iterable

import streamlit as st

from core.translation.alignment import Link
from dashboard.address import parameter
from pages.language.translation.prose import PAGE

SECTION = PAGE.section("Your own pair")
ADDRESS = "links"
MOST = 2000  # characters of the address that are read: far more links than a sentence of any length needs
_PAIR = "_pair_of_links"  # in the session: the sentences that the links are of
_LINK = re.compile(r"(\d{1,3})-(\d{1,3})", re.ASCII)  # source-target, as in the files that aligners write


def links_to_text(links: Iterable[Link]) -> str:
    """The links, (source word, target word), as they stand in the address: "0-0,1-1"."""
    return ",".join(f"{source}-{target}" for source, target in sorted(links))


def links_from_text(text: str, sources: Collection[int], targets: Collection[int]) -> tuple[frozenset[Link], int]:
    """The links of an address between these words, and how many parts of it are none."""
    parts = [part for part in text[:MOST].split(",") if part]
    matches = [_LINK.fullmatch(part) for part in parts]
    links = [(int(match[1]), int(match[2])) for match in matches if match]
    valid_links = frozenset(link for link in links if link[0] in sources and link[1] in targets)
    return valid_links, len(parts) - sum(link in valid_links for link in links)


def from_address(pair: tuple[str, str], sources: Collection[int], targets: Collection[int]) -> frozenset[Link]:
    """The visitor's links for this pair of sentences; those for another pair are cleared, and that is said."""
    former = st.session_state.get(_PAIR)
    st.session_state[_PAIR] = pair
    if former not in (None, pair) and ADDRESS in st.query_params:
        to_address(())
        st.caption(SECTION.text("Links of other sentences"))
    links, wrong = parameter(ADDRESS, lambda text: links_from_text(text, sources, targets))
    if wrong:
        st.info(
            SECTION.text("Links outside the sentences", wrong=wrong, sources=len(sources), targets=len(targets)),
            icon=":material/link_off:",
        )
        to_address(links)
    return links


def to_address(links: Collection[Link]) -> None:
    """Write the links into the address."""
    if links:
        st.query_params[ADDRESS] = links_to_text(links)
    elif ADDRESS in st.query_params:
        del st.query_params[ADDRESS]

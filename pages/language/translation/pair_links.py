"""The links between words that a visitor finds right: kept in the address, checked, changed by clicks."""

import re
from collections.abc import Collection, Iterable

import streamlit as st

from core.translation.alignment import Link

ADDRESS = "links"
MOST = 2000  # characters of the address that are read: far more links than a sentence of any length needs
_LINK = re.compile(r"(\d{1,3})-(\d{1,3})")  # source-target, as in the files that aligners write


def encode(links: Iterable[Link]) -> str:
    """The links, (source word, target word), as they stand in the address: "0-0,1-1"."""
    return ",".join(f"{source}-{target}" for source, target in sorted(links))


def decode(text: str, sources: Collection[int], targets: Collection[int]) -> tuple[frozenset[Link], int]:
    """The links of an address between these words, and how many parts of it are none."""
    parts = [part for part in text[:MOST].split(",") if part]
    found = [_LINK.fullmatch(part) for part in parts]
    links = [(int(match[1]), int(match[2])) for match in found if match]
    kept = frozenset(link for link in links if link[0] in sources and link[1] in targets)
    return kept, len(parts) - sum(link in kept for link in links)


def read(pair: tuple[str, str], sources: Collection[int], targets: Collection[int]) -> frozenset[Link]:
    """The visitor's links for this pair of sentences; those for another pair are cleared, and that is said."""
    former = st.session_state.get(_PAIR)
    st.session_state[_PAIR] = pair
    if former not in (None, pair) and ADDRESS in st.query_params:
        write(())
        st.caption("The sentences have changed, so the links were cleared: they belonged to the words before.")
    links, wrong = decode(st.query_params.get(ADDRESS, ""), sources, targets)
    if wrong:
        st.info(
            f"{wrong} of the links in the address do not fit these sentences of {len(sources)} and {len(targets)} "
            "words, and are left out.",
            icon=":material/link_off:",
        )
        write(links)
    return links


def write(links: Collection[Link]) -> None:
    """Write the links into the address."""
    if links:
        st.query_params[ADDRESS] = encode(links)
    elif ADDRESS in st.query_params:
        del st.query_params[ADDRESS]


_PAIR = "_pair_of_links"

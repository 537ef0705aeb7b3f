"""All terms in alphabetical order, or those that the visitor looks for; the one that a link has asked for on top."""

import streamlit as st

from dashboard import glossary, theme, typeset
from dashboard.address import parameter
from dashboard.frame import layout, page_head
from dashboard.glossary import TERMS, Term
from pages.learn.glossary.prose import PAGE

COLUMNS = 2  # on a wide window


def explained(term: Term) -> str:
    """A term with its other spellings, its meaning and the way to what shows it, in Markdown."""
    also = f" :gray[also {typeset.plain(', '.join(term.also))}]" if term.also else ""
    return (
        f"**{typeset.plain(term.name)}**{also}  \n{typeset.plain(term.says)}  \n"
        f"[Where to see it: {typeset.plain(term.place)}]({term.shown_at})"
    )


def matching_terms(sought: str) -> list[Term]:
    """The terms whose names begin with what is sought, then those with it elsewhere in a name, then in the meaning."""
    sought = sought.strip().casefold()
    spelled = {term: [name.casefold() for name in (term.name, *term.also, *term.forms)] for term in TERMS.values()}
    begin = [term for term, names in spelled.items() if any(name.startswith(sought) for name in names)]
    hold = [term for term, names in spelled.items() if any(sought in name for name in names)]
    mean = [term for term in spelled if sought in term.says.casefold()]
    return list(dict.fromkeys([*begin, *hold, *mean]))


page_head.head(PAGE)
layout.prose(PAGE.text("Terms on other pages"), width="stretch")
if requested := parameter(glossary.TERM, TERMS.get):
    st.container(border=True, width=theme.PROSE, key="asked").markdown(explained(requested))
sought = st.text_input("Find a term", key="find", bind="query-params", placeholder="such as logit", width=320)
terms = matching_terms(sought)
if not terms:
    st.info(f"No term here has “{typeset.plain(sought)}” in its name or its meaning.", icon=":material/info:")
half = -(-len(terms) // COLUMNS)
for column, first in zip(st.columns(COLUMNS, gap="large"), (0, half), strict=True):
    column.markdown("\n\n".join(explained(term) for term in terms[first : first + half]))

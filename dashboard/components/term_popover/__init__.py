"""Popovers with the meaning of terms beside their links: on a tap, a click, Enter, the focus or a mouse."""

from dashboard.components.kit import Component
from dashboard.glossary import TERMS

__all__ = ["explain_terms"]

_mount = Component(__file__, isolated=False)
# Equal in every message, and large: Streamlit sends it once, and from then on only names it.
_TERMS = {term.name: {"says": term.says, "place": term.place, "at": term.shown_at} for term in TERMS.values()}


def explain_terms() -> None:
    """Let all links to terms on the page open a popover with the meaning, instead of the page Glossary."""
    _mount("term-popover", {"terms": _TERMS})

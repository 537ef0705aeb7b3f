"""The name of a section as a heading for screen readers only: the switch shows it to the eye."""

from dashboard.components.kit import Component

__all__ = ["section_name"]

_show = Component(__file__)


def section_name(name: str) -> None:
    """Add a hidden heading between the page's title and those of the section's parts, for navigation by headings."""
    _show("section-name", {"name": name})

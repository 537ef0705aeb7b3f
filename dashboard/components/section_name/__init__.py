"""The name of a section as a heading that is heard and not seen: to the eye it stands in the switch."""

from dashboard.components.kit import Component

__all__ = ["section_name"]

_show = Component(__file__)


def section_name(name: str) -> None:
    """A heading between the page's title and those of the section's parts, for whoever goes from heading to heading."""
    _show("section-name", {"name": name})

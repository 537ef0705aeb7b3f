"""The table of contents: every page with its group, its question and its address."""

from dataclasses import dataclass
from pathlib import Path

import streamlit as st
from streamlit.navigation.page import StreamlitPage

ROOT = Path(__file__).parent.parent


@dataclass(frozen=True)
class Page:
    """One page: the file below `pages/`, the short name in the sidebar, the question it answers, its address."""

    file: str
    name: str
    question: str
    url: str

    def place(self) -> StreamlitPage:
        """The page as Streamlit knows it."""
        return st.Page(ROOT / "pages" / self.file, title=self.name, url_path=self.url, default=not self.url)

    def link(self, label: str | None = None) -> None:
        """Show a link to the page, by default with its name and question."""
        label = label or f"**{self.name}** — {self.question}"
        st.page_link(self.place(), label=label, icon=":material/arrow_forward:")


HOME = Page("home.py", "Attention Atlas", "See attention at work.", "")
TEXT = Page("explore/text.py", "Text", "Who listens to whom?", "text")
IMAGE = Page("explore/image.py", "Image", "Where does it look?", "image")
STEPS = Page(
    "foundations/attention_step_by_step.py",
    "Attention step by step",
    "How does a query find its values?",
    "steps",
)

GROUPS: dict[str, tuple[Page, ...]] = {
    "": (HOME,),
    "Explore": (TEXT, IMAGE),
    "Foundations": (STEPS,),
}


def navigation() -> dict[str, list[StreamlitPage]]:
    """The groups as `st.navigation` wants them."""
    return {group: [page.place() for page in pages] for group, pages in GROUPS.items()}

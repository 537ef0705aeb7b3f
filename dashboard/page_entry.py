"""One page of the atlas: its folder, name, question and address, and the links that lead to it."""

import importlib
import importlib.util
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import streamlit as st
from streamlit.navigation.page import StreamlitPage
from streamlit.runtime.scriptrunner import get_script_run_ctx

PAGES = Path(__file__).parent.parent / "pages"


@dataclass(frozen=True)
class Page:
    """One page: the folder below `pages/`, the short name in the sidebar, the question it answers, its address.

    `about` is the text about it on the first page, `builds_on` are the pages that it presupposes.
    """

    folder: str
    name: str
    question: str
    url: str
    about: str = ""
    builds_on: tuple["Page", ...] = ()

    def streamlit_page(self) -> StreamlitPage:
        """Streamlit's object of the page, a copy for each run, in which Streamlit notes whether the page may be shown.

        The original is cached: to look up the file of each page took a sixth of a rerun.
        """
        if self.folder not in _STREAMLIT_PAGES:
            file = PAGES / self.folder / "page.py"
            streamlit_page = st.Page(file, title=self.name, url_path=self.url, default=not self.url)
            if get_script_run_ctx(suppress_warning=True) is None:
                return streamlit_page  # outside of a run it is incomplete
            _STREAMLIT_PAGES[self.folder] = streamlit_page
        return copy(_STREAMLIT_PAGES[self.folder])

    def warm_up(self) -> None:
        """Call `warm_up` of the page's compute.py, if there is one: it computes what the page shows at first."""
        name = f"pages.{self.folder.replace('/', '.')}.compute"
        if importlib.util.find_spec(name):
            getattr(importlib.import_module(name), "warm_up", lambda: None)()

    def link(self, label: str, **choices: str) -> None:
        """Show a link to the page, with choices already made."""
        st.page_link(self.streamlit_page(), label=label, icon=":material/arrow_forward:", query_params=choices)

    def address(self, **choices: str) -> str:
        """The page's address, seen from any other page, with choices already made."""
        return f"{self.url}?{urlencode(choices)}"


_STREAMLIT_PAGES: dict[str, StreamlitPage] = {}  # by folder

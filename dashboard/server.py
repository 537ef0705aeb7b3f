"""The server: `streamlit run dashboard/server.py` starts the atlas with what it needs already warm."""

import logging
import threading
from contextlib import asynccontextmanager

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

from dashboard import contents, runs


@asynccontextmanager
async def lifespan(_app: st.App):
    """Prepare the first visit while the server starts."""
    # Streamlit takes a folder named `pages` for its older kind of app until `st.navigation` has run once; the
    # first visitor who came by a deep link would be told "Page not found". Here navigation is known from the start.
    PagesManager.uses_pages_directory = False
    # Warming up fills caches outside any visit, which Streamlit would remark upon at every start.
    for name in ("runtime.scriptrunner_utils.script_run_context", "runtime.caching.cache_data_api"):
        logging.getLogger(f"streamlit.{name}").setLevel(logging.ERROR)
    threading.Thread(target=runs.warm_up, daemon=True).start()
    yield {}


app = st.App(contents.ROOT / "streamlit_app.py", lifespan=lifespan)

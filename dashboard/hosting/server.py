"""The server: `streamlit run dashboard/hosting/server.py` starts the atlas and loads models in the background."""

import gc
import logging
import os
import sys
import threading
from collections.abc import Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import streamlit as st
import torch
from starlette.middleware import Middleware

from core import zoo
from core.errors import AtlasError
from core.images import DECODERS
from dashboard import contents, visitor
from dashboard.cache.models import image_model, text_model
from dashboard.cache.turns import THREADS
from dashboard.classroom import websocket
from dashboard.hosting import logs
from dashboard.hosting.first_paint import FirstPaint
from dashboard.hosting.headers import AnswerHeaders, OwnPagesOnly, embedders, internal_error
from dashboard.long_text import route as long_text

LAST_WORK = 10  # seconds that the server waits at its end for a load in progress
FIRST_VISIT = 8  # seconds from the start of the server until the first page is there


@asynccontextmanager
async def lifespan(_app: st.App):
    """Prepare the first visit while the server starts."""
    # Streamlit takes a folder named `pages` for its older kind of app until navigation has been set once; the first
    # visitor who came by a deep link would see "Page not found". Here navigation is set from the start, outside of any
    # visit, about which Streamlit would log a warning at every start.
    logging.getLogger("streamlit.runtime.scriptrunner_utils.script_run_context").setLevel(logging.ERROR)
    st.navigation(contents.navigation())
    torch.set_num_threads(THREADS)
    visitor.check_settings()
    stop = threading.Event()
    if cluster := os.environ.get("ATLAS_CLUSTER"):
        threading.Thread(target=compute_by_workers, args=(Path(cluster), stop), daemon=True).start()
    warming = threading.Thread(target=warm_up, args=(stop,), daemon=True)
    warming.start()
    yield {}
    stop.set()
    warming.join(LAST_WORK)  # a thread that is still in a library when Python ends takes the process down with it


def compute_by_workers(cluster: Path, stop: threading.Event) -> None:
    """See `serving.compute_by_workers`; Ray is an extra, and takes seconds to be imported."""
    from dashboard.cluster import serving

    serving.compute_by_workers(cluster, stop)


def warm_up(stop: threading.Event) -> None:
    """Load what the first visitor needs while the server starts, and slower things once that visitor is served."""
    DECODERS.start()
    loads: list[Callable[[], object]] = [
        *(partial(text_model, name) for name in zoo.TEXT),
        partial(stop.wait, FIRST_VISIT),
        *(partial(image_model, name) for name in zoo.GLOBAL_ATTENTION),
        *(page.warm_up for page in contents.pages()),
    ]
    for load in loads:
        load()
        if stop.is_set():
            return
    gc.freeze()  # objects of libraries stay: no collection has to search half a million objects again


try:
    EMBEDDED_BY = embedders(os.environ.get("ATLAS_EMBED", ""))
except AtlasError as error:  # shown to the host at a terminal
    sys.exit(str(error))

logs.leave_out_messages()
app = st.App(
    contents.ROOT / "streamlit_app.py",
    lifespan=lifespan,
    routes=[websocket.route(), long_text.route()],
    middleware=[Middleware(AnswerHeaders, embedded_by=EMBEDDED_BY), Middleware(OwnPagesOnly), Middleware(FirstPaint)],
    exception_handlers={Exception: internal_error(EMBEDDED_BY)},
)

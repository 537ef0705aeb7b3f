"""The server: `streamlit run dashboard/hosting/server.py` starts the atlas with what it needs already warm."""

import gc
import logging
import os
import sys
import threading
from collections.abc import Callable
from contextlib import asynccontextmanager
from functools import partial

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
from dashboard.hosting.headers import AnswerHeaders, OwnPagesOnly, embedders, internal_error

LAST_WORK = 10  # seconds that the server waits at its end for what it is still loading
FIRST_VISIT = 8  # seconds from the start of the server until the first page is there


@asynccontextmanager
async def lifespan(_app: st.App):
    """Prepare the first visit while the server starts."""
    # Streamlit takes a folder named `pages` for its older kind of app until navigation has been set once; the first
    # visitor who came by a deep link would be told "Page not found". Here navigation is known from the start.
    # That this is outside any visit, as it has to be, Streamlit would remark upon at every start.
    logging.getLogger("streamlit.runtime.scriptrunner_utils.script_run_context").setLevel(logging.ERROR)
    st.navigation(contents.navigation())
    torch.set_num_threads(THREADS)
    visitor.check_settings()
    ending = threading.Event()
    warming = threading.Thread(target=warm_up, args=(ending,), daemon=True)
    warming.start()
    yield {}
    ending.set()
    warming.join(LAST_WORK)  # a thread that is still in a library when Python ends takes the process down with it


def warm_up(ending: threading.Event) -> None:
    """Load what the first visitor will want, while the server starts; what is slower, once that visitor is served."""
    DECODERS.start()
    loads: list[Callable[[], object]] = [
        *(partial(text_model, name) for name in zoo.TEXT),
        partial(ending.wait, FIRST_VISIT),
        *(partial(image_model, name) for name in zoo.WHOLE),
        *(page.warm_up for page in contents.pages()),
    ]
    for load in loads:
        load()
        if ending.is_set():
            return
    gc.freeze()  # what libraries have made stays: no collection need look through half a million objects again


try:
    EMBEDDED_BY = embedders(os.environ.get("ATLAS_EMBED", ""))
except AtlasError as error:  # told to the host, who sits at a terminal
    sys.exit(str(error))

logs.leave_out_messages()
app = st.App(
    contents.ROOT / "streamlit_app.py",
    lifespan=lifespan,
    routes=[websocket.route()],
    middleware=[Middleware(AnswerHeaders, embedded_by=EMBEDDED_BY), Middleware(OwnPagesOnly)],
    exception_handlers={Exception: internal_error(EMBEDDED_BY)},
)

"""The atlas from a notebook: the app in the background of this process, on a model that is in its memory.

    from attention_atlas import zoo
    from attention_atlas.app.dashboard.hosting.serving import serve

    serve(zoo.wrap(model, tokenizer=tokenizer, name="mine"))        # "http://localhost:8501/text?model=mine"

Here nothing of the app is imported before it can be found.
"""

import atexit
import os
import socket
import threading
import time
from typing import TYPE_CHECKING

from .importable import make_importable

if TYPE_CHECKING:
    import uvicorn

    from core.zoo import ImageModel, TextModel

ADDRESS, PORT = "127.0.0.1", 8501
PATIENCE, LAST_WORK = 60, 20  # seconds until the server answers, and until it has ended
_ports: list[int] = []  # where the app of this process is served: once, if at all
_one_at_a_time = threading.Lock()


def serve(model: "TextModel | ImageModel", *, port: int = PORT) -> str:
    """Offer a model that `zoo.wrap` made in the app, for this computer alone; the address that opens it.

    The app ends with the process. Served again, another model is offered in the same app: on every page where any
    model can be named, it is in the list of models. What pages have computed is kept under its name, so a model that
    was trained on is wrapped and served anew, under another name.

    Raises ModelError if another model has the name, OSError if the port is taken, TimeoutError if the app does not
    start.
    """
    make_importable()
    from core.zoo import TextModel, in_memory
    from dashboard import contents
    from dashboard.inputs import model_name

    name = in_memory.offer(model)
    reads_text = isinstance(model, TextModel)
    page, key = (contents.TEXT, model_name.KEYS["text"]) if reads_text else (contents.IMAGE, model_name.KEYS["image"])
    with _one_at_a_time:
        if not _ports:
            _start(port)
            _ports.append(port)
    return f"http://localhost:{_ports[0]}/{page.address(**{key: name})}"


def _start(port: int) -> None:
    """Start the server in a thread of its own, and come back when it listens."""
    with socket.socket() as place:
        place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        place.bind((ADDRESS, port))  # here, where whoever asked is told if it is taken
    os.environ["ATLAS_AT_HOME"] = "1"  # as `make run`: nobody else can reach it, and what is in memory may be opened
    import uvicorn
    from streamlit.web import bootstrap

    from dashboard.hosting.server import app

    bootstrap.load_config_options({"server.address": ADDRESS, "server.port": port, "logger.hideWelcomeMessage": True})
    server = uvicorn.Server(uvicorn.Config(app, host=ADDRESS, port=port, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True, name="attention-atlas")
    thread.start()
    atexit.register(_stop, server, thread)
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        with socket.socket() as visitor:
            if not visitor.connect_ex((ADDRESS, port)):
                return
        time.sleep(0.05)
    server.should_exit = True
    raise TimeoutError(f"The app did not start within {PATIENCE} seconds.")


def _stop(server: "uvicorn.Server", thread: threading.Thread) -> None:
    """End it before Python does: a thread that is inside a library then would take the process down."""
    server.should_exit = True
    thread.join(LAST_WORK)

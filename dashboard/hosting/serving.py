"""The atlas from a notebook: the app in the background of this process, with a model in its memory.

    from attention_atlas import zoo
    from attention_atlas.app.dashboard.hosting.serving import serve

    serve(zoo.wrap(model, tokenizer=tokenizer, name="mine"))        # "http://localhost:8501/text?model=mine"

Nothing of the app is imported before `make_importable`.
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
_ports: list[int] = []  # the port of the app of this process, if it was started
_lock = threading.Lock()


def serve(model: "TextModel | ImageModel", *, port: int = PORT) -> str:
    """Offer a model made by `zoo.wrap` in the app, for this computer alone; returns the address that opens it.

    The app ends with the process. Another call offers another model in the same app: it is in the list of models on
    every page where any model can be named. Results are cached under the model's name, so a model that was trained
    further must be wrapped and served again under another name.

    Raises ModelError if another model has the name, OSError if the port is taken, TimeoutError if the app does not
    start.
    """
    make_importable()
    from core.zoo import in_memory
    from dashboard import contents
    from dashboard.inputs import model_name

    name = in_memory.offer(model)
    reads_text = model.reads == "text"
    page, key = (contents.TEXT, model_name.KEYS["text"]) if reads_text else (contents.IMAGE, model_name.KEYS["image"])
    with _lock:
        if not _ports:
            _start(port)
            _ports.append(port)
    return f"http://localhost:{_ports[0]}/{page.address(**{key: name})}"


def _start(port: int) -> None:
    """Start the server in a thread of its own, and return when it listens."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind((ADDRESS, port))  # raises OSError for the caller if the port is taken
    os.environ["ATLAS_AT_HOME"] = "1"  # as `make run`: nobody else can reach it, and what is in memory may be opened
    import uvicorn
    from streamlit.web import bootstrap

    from dashboard.hosting.server import app

    bootstrap.load_config_options({"server.address": ADDRESS, "server.port": port, "logger.hideWelcomeMessage": True})
    server = uvicorn.Server(uvicorn.Config(app, host=ADDRESS, port=port, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True, name="attention-atlas")
    thread.start()
    atexit.register(_stop, server, thread)
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        with socket.socket() as client:
            if not client.connect_ex((ADDRESS, port)):
                return
        time.sleep(0.05)
    server.should_exit = True
    raise TimeoutError(f"The app did not start within {PATIENCE} seconds.")


def _stop(server: "uvicorn.Server", thread: threading.Thread) -> None:
    """Stop the server before Python ends: a thread inside a library would then take the process down."""
    server.should_exit = True
    thread.join(LAST_WORK)

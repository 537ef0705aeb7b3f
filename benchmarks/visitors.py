"""Several visitors at once, each a plain websocket client that speaks Streamlit's protocol."""

import statistics
import threading
import time
from collections.abc import Iterator
from urllib.parse import urlencode

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect
from websockets.typing import Origin, Subprotocol

from benchmarks.server import running_server
from benchmarks.table import Row

VISITORS, VISITS, PAUSE = 8, 5, 3.0  # each opens a page with a sentence of its own, every PAUSE seconds


def rows() -> Iterator[Row]:
    """Let all of them in, and see how long each waits for a whole page."""
    with running_server() as (address, _):
        visit(address, "A first visit, which warms everything up.")
        seconds: list[float] = []
        threads = [threading.Thread(target=_stay, args=(address, number, seconds)) for number in range(VISITORS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    ordered = sorted(seconds)
    name = f"{VISITORS} visitors, each opens Explore / Text with a new sentence every {PAUSE:.0f} s: whole page"
    yield Row(f"{name}, median", statistics.median(ordered), "s", detail=f"{len(ordered)} visits")
    yield Row(f"{name}, 95th percentile", ordered[int(0.95 * (len(ordered) - 1))], "s")


def _stay(address: str, number: int, seconds: list[float]) -> None:
    time.sleep(PAUSE * number / VISITORS)
    for turn in range(VISITS):
        started = time.perf_counter()
        visit(address, f"Visitor {number} has come for the {turn}th time to see what this sentence looks like.")
        seconds.append(time.perf_counter() - started)
        time.sleep(max(0.0, PAUSE - (time.perf_counter() - started)))


def visit(address: str, text: str) -> None:
    """Open the page and read until the server says that it is complete."""
    stream = address.replace("http", "ws") + "/_stcore/stream"
    with connect(stream, subprotocols=[Subprotocol("streamlit")], max_size=None, origin=Origin(address)) as socket:
        message = BackMsg()
        message.rerun_script.query_string = urlencode({"text": text})
        message.rerun_script.page_name = "text"
        socket.send(message.SerializeToString())
        for frame in socket:
            answer = ForwardMsg.FromString(frame)
            if answer.WhichOneof("type") == "script_finished":
                return

"""What the benchmarks of load measure is what happened."""

import itertools
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Event, Thread

import pytest

from benchmarks.load.flood import Waits, waits_for_health

STANDSTILL = 0.3  # seconds


@pytest.fixture
def server_that_stands_still_once():
    """The address of a server that keeps its third visitor waiting."""
    requests = itertools.count()

    class Health(BaseHTTPRequestHandler):
        def do_GET(self):
            Event().wait(STANDSTILL if next(requests) == 2 else 0)
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"ok")

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Health) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join(timeout=10)


def test_a_loop_that_stands_still_is_seen_by_the_visitor_beside(server_that_stands_still_once):
    rounds = iter([False] * 8)
    seconds = list(waits_for_health(server_that_stands_still_once, lambda: next(rounds, True)))
    assert len(seconds) == 8
    assert seconds[2] == max(seconds) >= STANDSTILL


def test_the_99th_percentile_is_that_of_all_waits():
    assert Waits([0.0] * 98 + [1.0, 1.0]).late == 1.0
    assert Waits([0.5] * 100).late == 0.5

"""Who asks, and what each may open: by the headers of real requests to real servers, and setting by setting."""

import contextlib
import os
import re
import select
import socket
import subprocess
import sys
import threading
from urllib.parse import urlencode

import pytest
import streamlit as st
from streamlit import runtime
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from core.zoo import AT_HOME
from dashboard import contents, visitor
from tests.core import saved_models
from tests.polling import wait_until_served

FOLDER_OPENED = "so nobody can say what it is"  # of an empty folder: it was looked into
FOLDER_REFUSED = "Folders can be opened only in an app that you run yourself"
NOT_LISTED = "is not on the list of this server"
WITHIN = 60  # seconds


def ask(port, page="text", headers=(), **query):
    """All that a server sends for a page, as text; `headers` beside and instead of those of a browser."""
    headers = {"Host": f"127.0.0.1:{port}", "Origin": f"http://127.0.0.1:{port}", **dict(headers)}
    line = socket.create_connection(("127.0.0.1", port), timeout=WITHIN)
    host, origin = headers.pop("Host"), headers.pop("Origin")
    with connect(
        f"ws://{host}/_stcore/stream",
        sock=line,
        subprotocols=["streamlit"],
        max_size=None,
        origin=origin,
        additional_headers=headers,
        proxy=None,
        open_timeout=WITHIN,
    ) as stream:
        message = BackMsg()
        message.rerun_script.query_string, message.rerun_script.page_name = urlencode(query), page
        stream.send(message.SerializeToString())
        received = b""
        while True:
            frame = stream.recv(timeout=WITHIN)
            received += frame
            message = ForwardMsg.FromString(frame)
            # A page that cannot use what it was opened with runs again.
            again = message.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN
            if message.WhichOneof("type") == "script_finished" and not again:
                return received.decode("utf-8", "replace")


@contextlib.contextmanager
def serving(**settings):
    """A server as the commands of the Makefile start it, with these settings; its port."""
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", "dashboard/hosting/server.py", f"--server.port={port}"]
    environment = {**os.environ, "PYTHONPATH": str(contents.ROOT), **settings}
    server = subprocess.Popen(command, cwd=contents.ROOT, env=environment, stderr=subprocess.DEVNULL)
    try:
        wait_until_served(f"http://127.0.0.1:{port}/_stcore/health", server)
        yield port
    finally:
        server.terminate()
        server.wait(timeout=20)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def proxy(port, rewrite):
    """A proxy before a server, which hands on what `rewrite` makes of the head of a request; its own port."""

    def relay(line):
        head = b""
        while b"\r\n\r\n" not in head:
            head += line.recv(4096)
        with line, socket.create_connection(("127.0.0.1", port)) as server:
            server.sendall(rewrite(head.decode()).encode())
            while True:
                for end in select.select([line, server], [], [])[0]:
                    if not (content := end.recv(65536)):
                        return
                    (server if end is line else line).sendall(content)

    def accept():
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=relay, args=(door.accept()[0],), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as door:
        threading.Thread(target=accept, daemon=True).start()
        yield door.getsockname()[1]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return str(tmp_path_factory.mktemp("secret"))


@pytest.fixture(scope="module")
def home():
    """As `make run` starts it."""
    with serving(ATLAS_AT_HOME="1", STREAMLIT_SERVER_ADDRESS="127.0.0.1") as port:
        yield port


@pytest.fixture(scope="module")
def public(tmp_path_factory):
    """As `make serve` starts it, with a list, and a cache that holds what is on it and what is not."""
    cache = tmp_path_factory.mktemp("cache")
    for name in ("listed", "private"):
        repository = cache / f"models--owner--{name}"
        saved_models.save_text_model("gpt2", repository / "snapshots" / ("a" * 40))
        (repository / "refs").mkdir()
        (repository / "refs" / "main").write_text("a" * 40)
    settings = {"HF_HUB_CACHE": str(cache), "ATLAS_MODELS": "owner/listed, gpt2"}
    with serving(ATLAS_AT_HOME="", STREAMLIT_SERVER_ADDRESS="0.0.0.0", **settings) as port:
        yield port


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_browser_on_this_computer_opens_folders_at_home(home, folder, host):
    headers = {"Host": f"{host}:{home}", "Origin": f"http://{host}:{home}"}
    assert FOLDER_OPENED in ask(home, headers=headers, model=folder)


@pytest.mark.parametrize(
    "added",
    [
        *("X-Forwarded-For: 127.0.0.1", "X-Forwarded-Proto: https", "X-Real-IP: 127.0.0.1", "Via: 1.1 proxy"),
        *("Forwarded: for=127.0.0.1", "CF-Connecting-IP: ::1", "CF-Ray: 1", "True-Client-IP: ::1", "X-Request-ID: 1"),
    ],
)
def test_what_a_proxy_adds_tells_that_the_visitor_is_elsewhere(home, folder, added):
    name, value = added.split(": ")
    assert FOLDER_REFUSED in ask(home, headers={name: value}, model=folder)


def test_a_proxy_that_hands_on_every_byte_as_it_is_opens_no_folder(home, folder):
    headers = {"Host": "atlas.example.org", "Origin": "http://atlas.example.org"}
    with proxy(home, lambda head: head) as door:
        assert FOLDER_REFUSED in ask(door, headers=headers, model=folder)


@pytest.mark.parametrize("origin", ["http://localhost", "http://127.0.0.1", "https://localhost:8443"])
def test_a_proxy_that_adds_no_header_and_sets_the_host_as_nginx_does_opens_no_folder(home, folder, origin):
    as_nginx = proxy(home, lambda head: re.sub(r"Host: [^\r]*", f"Host: 127.0.0.1:{home}", head))
    # The Origin is not the Host that nginx has set: the door stays shut.
    with as_nginx as door, pytest.raises(InvalidStatus, match="403"):
        ask(door, headers={"Origin": origin}, model=folder)


@pytest.mark.parametrize("origin", [None, "null", "http://evil.example.org"])
def test_a_page_of_another_site_and_a_client_without_an_origin_open_no_folder(home, folder, origin):
    try:
        page = ask(home, headers={"Origin": origin}, model=folder)
    except InvalidStatus as refused:  # Streamlit does not even let it in
        assert refused.response.status_code == 403  # noqa: PT017
    else:
        assert FOLDER_REFUSED in page


def test_a_name_that_was_made_to_lead_to_this_computer_opens_no_folder(home, folder):
    headers = {"Host": f"evil.example.org:{home}", "Origin": f"http://evil.example.org:{home}"}
    assert FOLDER_REFUSED in ask(home, headers=headers, model=folder)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]", "atlas.example.org"])
def test_forged_headers_open_nothing_on_a_public_server(public, folder, host):
    headers = {"Host": f"{host}:{public}", "Origin": f"http://{host}:{public}"}
    assert FOLDER_REFUSED in ask(public, headers=headers, model=folder)
    assert NOT_LISTED in ask(public, headers=headers, model="owner/private")


def test_a_public_server_opens_what_is_on_its_list_and_nothing_else_of_its_cache(public):
    page = ask(public, model="owner/listed")
    assert NOT_LISTED not in page
    assert "owner/listed" in page
    assert "How it is computed" in page
    for name in ("owner/private", "owner/nowhere"):
        page = ask(public, model=name)
        assert NOT_LISTED in page
        assert r"gpt\-books is shown" in page


def test_a_visitor_finds_the_list_among_the_choices(public):
    page = ask(public)
    assert "owner/listed" in page
    assert "owner/private" not in page


@pytest.mark.parametrize(
    ("headers", "is_local"),
    [
        ({"Host": ["localhost:8501"], "Origin": ["http://localhost:8501"]}, True),
        ({"host": ["[::1]:8501"], "origin": ["http://[::1]:8501"]}, True),
        ({"Host": ["127.0.0.1"], "Origin": ["https://127.0.0.1"], "Cookie": ["x=1"]}, True),
        ({"Host": ["localhost:8501"], "Origin": ["http://localhost:3000"]}, False),
        ({"Host": ["localhost:8501", "localhost:8501"], "Origin": ["http://localhost:8501"]}, False),
        ({"Host": ["localhost:8501"], "Origin": ["http://localhost:8501", "http://evil"]}, False),
        ({"Host": ["localhost:8501"]}, False),
        ({"Host": ["localhost.evil.org"], "Origin": ["http://localhost.evil.org"]}, False),
        ({"Host": ["a@localhost"], "Origin": ["http://a@localhost"]}, True),
        ({"Host": ["[::1"], "Origin": ["http://[::1"]}, False),
        ({"Host": ["192.168.0.7:8501"], "Origin": ["http://192.168.0.7:8501"]}, False),
        ({}, False),
    ],
)
def test_a_request_of_this_computer_is_known_by_its_headers(headers, is_local):
    assert visitor.is_of_this_computer(headers) is is_local


@pytest.mark.parametrize(
    ("setting", "address", "at_home"),
    [
        *(("1", "127.0.0.1", True), ("1", "localhost", True), ("1", "::1", True)),
        *(("1", "0.0.0.0", False), ("1", None, False), ("1", "192.168.0.7", False)),
        *(("", "127.0.0.1", False), ("0", "127.0.0.1", False), (None, "127.0.0.1", False)),
    ],
)
def test_a_server_is_at_home_only_if_it_says_so_and_listens_to_nobody_else(setting, address, at_home, monkeypatch):
    if setting is None:
        monkeypatch.delenv("ATLAS_AT_HOME", raising=False)
    else:
        monkeypatch.setenv("ATLAS_AT_HOME", setting)
    monkeypatch.setattr(st, "get_option", lambda _: address)
    monkeypatch.setattr(runtime, "exists", lambda: True)
    assert visitor.is_at_home() is at_home
    assert (visitor.permission() == AT_HOME) is at_home


def test_without_a_server_whoever_calls_sits_at_this_computer():
    assert visitor.permission() == AT_HOME


def test_what_cannot_be_understood_is_named_in_the_log_and_left_out(monkeypatch, caplog):
    monkeypatch.setenv("ATLAS_MODELS", "owner/one,\n/etc/passwd , https://huggingface.co/gpt2,, two models")
    monkeypatch.setenv("ATLAS_MODEL_GB", "plenty")
    monkeypatch.setattr(runtime, "exists", lambda: True)
    visitor.check_settings()
    assert "'/etc/passwd', 'two models' cannot be the name of a repository" in caplog.text
    assert "ATLAS_MODEL_GB: 'plenty' is not a number above 0; 5.0 is used" in caplog.text
    allowed = visitor.permission()
    assert allowed.listed == {"owner/one", "gpt2"}
    assert (allowed.folders, allowed.login, allowed.largest) == (False, False, 5 * 10**9)


def test_settings_that_are_right_say_nothing(monkeypatch, caplog):
    monkeypatch.setenv("ATLAS_MODELS", "owner/one")
    monkeypatch.setenv("ATLAS_MODEL_GB", "0.5")
    monkeypatch.setattr(runtime, "exists", lambda: True)
    visitor.check_settings()
    assert not caplog.text
    assert visitor.permission().largest == 5 * 10**8

"""The atlas on a server: what every answer says, what is refused, what is logged, what the container runs."""

import json
import logging
import os
import re
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlencode

import pytest
import streamlit
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin, Subprotocol

from benchmarks.server import free_port
from core.errors import AtlasError
from dashboard.app import SIDEBAR
from dashboard.hosting import headers, logs
from tests.polling import wait_until_served

ROOT = Path(__file__).parent.parent
COURSE = "https://moodle.example.org"
SECRET = "zebra-crossing-at-midnight"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """The real server of a host who lets one course show it: its address, and a way to read what it logged."""
    port, log = free_port(), tmp_path_factory.mktemp("log") / "server.txt"
    command = [sys.executable, "-m", "streamlit", "run", "dashboard/hosting/server.py", f"--server.port={port}"]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "ATLAS_EMBED": COURSE}
    with log.open("w") as written:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=written, stderr=subprocess.STDOUT)
        address = f"http://127.0.0.1:{port}"
        wait_until_served(f"{address}/_stcore/health", process)
        yield SimpleNamespace(address=address, port=port, log=log.read_text)
        process.terminate()
        process.wait(timeout=20)


def answer(url: str, method: str = "GET", **request_headers: str):
    try:
        return urllib.request.urlopen(urllib.request.Request(url, method=method, headers=request_headers), timeout=30)
    except urllib.error.HTTPError as refused:
        return refused


@pytest.mark.parametrize(
    ("path", "method"),
    [
        ("/", "GET"),
        ("/text?text=The+sea", "GET"),
        ("/text/", "GET"),
        ("/favicon.png", "GET"),
        ("/static/nothing.js", "GET"),
        ("/media/nothing", "GET"),
        ("/_stcore/health", "GET"),
        ("/_stcore/host-config", "GET"),
        ("/_stcore/upload_file/nobody/nothing", "PUT"),
        ("/_stcore/upload_file/nobody/nothing", "OPTIONS"),
        ("/%2e%2e/%2e%2e/etc/passwd", "GET"),
    ],
)
def test_every_answer_has_the_headers(server, path, method):
    response_headers = answer(server.address + path, method).headers
    for name, value in headers.headers([COURSE]).items():
        assert response_headers.get_all(name) == [value]
    assert f"frame-ancestors 'self' {COURSE}" in response_headers["Content-Security-Policy"]


def test_a_browser_gets_the_page_with_room_for_the_contents_and_all_else_as_it_is(server):
    room = f"margin-left: {SIDEBAR}px"
    file = (Path(streamlit.__file__).parent / "static" / "index.html").read_text()
    page = answer(f"{server.address}/text?text=a", Accept="text/html,*/*", **{"Accept-Encoding": "gzip"})
    body = page.read()
    assert int(page.headers["Content-Length"]) == len(body)
    assert room in body.decode()
    added = '(<link rel="preload" as="font"[^>]*>)+(<link rel="modulepreload"[^>]*>)+<style>.*?</style>'
    assert re.sub(added, "", body.decode(), count=1, flags=re.DOTALL) == file
    for path, accept in (("/text?present=1", "text/html"), ("/text", "*/*"), ("/favicon.png", "text/html")):
        assert room.encode() not in answer(server.address + path, Accept=accept).read()
    assert answer(f"{server.address}/favicon.png", Accept="text/html").headers["ETag"]


def test_nothing_is_allowed_from_any_other_host_and_no_text_becomes_a_script():
    policy = dict(part.split(" ", 1) for part in headers.policy().split("; "))
    sources = {source for name, value in policy.items() if name != "frame-ancestors" for source in value.split()}
    assert not [source for source in sources if not source.startswith(("'", "data:", "blob:"))]
    assert policy["default-src"] == "'none'"
    assert policy["frame-ancestors"] == "'self'"
    assert not {"'unsafe-inline'", "'unsafe-eval'", "data:"} & set(policy["script-src"].split())


@pytest.mark.parametrize(
    "setting",
    [
        "*",
        "https://a.org/course",
        "a.org",
        "https://a.org; script-src *",
        "https://a.org;",
        "https://a.org\r\nSet-Cookie:x=1",
        "'unsafe-inline'",
        "javascript://a.org",
        "https://a.org:port",
        "https://ä.org",
        "https://user@a.org",
        "https://*.*.org",
    ],
)
def test_an_origin_that_is_none_is_refused_before_it_gets_into_a_header(setting):
    with pytest.raises(AtlasError, match="ATLAS_EMBED holds"):
        headers.embedders(setting)


def test_origins_may_stand_between_spaces_and_commas():
    assert headers.embedders("") == ()
    origins = headers.embedders(" https://a.org, https://*.b.org:8443\nhttp://localhost:8080")
    assert origins == ("https://a.org", "https://*.b.org:8443", "http://localhost:8080")


def test_a_server_with_a_wrong_setting_does_not_start_and_says_why():
    command = [sys.executable, "-c", "import dashboard.hosting.server"]
    started = subprocess.run(
        command, cwd=ROOT, env=os.environ | {"ATLAS_EMBED": "moodle"}, capture_output=True, text=True, timeout=120
    )
    assert started.returncode
    assert "ATLAS_EMBED holds 'moodle', which is not an origin" in started.stderr
    assert "Traceback" not in started.stderr


@pytest.mark.parametrize("path", ["/_stcore/stream", "/class"])
@pytest.mark.parametrize("origin", ["https://elsewhere.org", "null", "http://[::1", "http://127.0.0.1:1"])
def test_a_page_of_another_site_opens_no_websocket(server, origin, path):
    with pytest.raises(InvalidStatus) as refused, stream(server, origin, path):
        pass
    assert refused.value.response.status_code == 403
    assert "external IP" not in server.log()  # what Streamlit would have asked for on the internet


def test_what_visitors_write_is_never_logged(server):
    odd = f"{SECRET} \x1b[31m\u202e\ud83d <script>alert(1)</script> {{{{7*7}}}} %s ${{jndi:x}}\r\nERROR forged"
    query = urlencode({"text": odd, "layer": SECRET, SECRET: SECRET}, errors="surrogatepass")
    answer(f"{server.address}/text?{query}")
    answer(f"{server.address}/{SECRET}?{query}", Referer=f"http://{SECRET}")
    answer(f"{server.address}/_stcore/upload_file/{SECRET}/{SECRET}", "PUT")
    for page in ("text", "translation", "vit", SECRET):
        with stream(server, server.address) as socket:
            message = BackMsg()
            message.rerun_script.query_string = query
            message.rerun_script.page_name = page
            socket.send(message.SerializeToString())
            until_finished(socket)
            socket.send(SECRET.encode())  # no message of Streamlit's
    for message in (SECRET, json.dumps({"code": SECRET, "who": odd}), json.dumps({"code": SECRET, "key": SECRET})):
        with stream(server, server.address, "/class") as socket:
            socket.send(message)
            assert "over" in json.loads(socket.recv())
    assert SECRET not in server.log()
    assert "forged" not in server.log()


def stream(server, origin: str, path: str = "/_stcore/stream"):
    address = f"ws://127.0.0.1:{server.port}{path}"
    return connect(address, subprotocols=[Subprotocol("streamlit")], max_size=None, origin=Origin(origin))


def until_finished(socket) -> None:
    for frame in socket:
        if ForwardMsg.FromString(frame).WhichOneof("type") == "script_finished":
            return


RAISES = """
from streamlit.testing.v1 import AppTest
from dashboard.hosting import logs
logs.leave_out_messages()
app = AppTest.from_string('''
import streamlit as st
try:
    raise ValueError(st.query_params["text"])
except ValueError as first:
    raise RuntimeError("of " + str(first)) from first
''')
app.query_params["text"] = "{secret}"
app.run()
assert app.exception
"""


def test_an_exception_that_quotes_a_text_is_logged_without_it():
    program = [sys.executable, "-c", RAISES.format(secret=SECRET)]
    ran = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, timeout=120, check=True)
    logged = ran.stdout + ran.stderr
    assert "builtins.ValueError\n\nwhich led to:" in logged
    assert "builtins.RuntimeError" in logged
    assert SECRET not in logged


def test_an_exception_in_a_thread_is_logged_without_its_message(caplog, monkeypatch):
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    factory = logging.getLogRecordFactory()
    try:
        logs.leave_out_messages()
        thread = threading.Thread(target=lambda: [].index(SECRET), name="reader")
        thread.start()
        thread.join()
    finally:
        logging.setLogRecordFactory(factory)
    assert "builtins.ValueError" in caplog.text
    assert SECRET not in caplog.text


DOCKERFILE = (ROOT / "Dockerfile").read_text()
INSTRUCTIONS = [line.split(" ", 1) for line in re.sub(r"\\\n\s*", "", DOCKERFILE).splitlines() if line[:1].isupper()]
LAST_STAGE = INSTRUCTIONS[max(place for place, (name, _) in enumerate(INSTRUCTIONS) if name == "FROM") :]


def last_instruction(name: str) -> list[str]:
    """What the image itself is told, in all instructions of this name."""
    return [arguments for instruction, arguments in LAST_STAGE if instruction == name]


def test_the_container_is_not_root_asks_for_its_health_and_writes_models_only():
    (user,) = last_instruction("USER")
    assert user not in ("root", "0")
    (health,) = last_instruction("HEALTHCHECK")
    assert "/_stcore/health" in health
    assert "curl" not in health
    assert last_instruction("VOLUME") == ["/models"]
    assert last_instruction("EXPOSE") == ["8501"]
    assert "HF_HOME=/models" in last_instruction("ENV")[0]
    assert "ATLAS_AT_HOME" not in str(last_instruction("ENV"))
    assert not [arguments for _, arguments in LAST_STAGE if "apt-get" in arguments or "pip install" in arguments]


def test_the_container_has_the_pins_and_everything_that_the_server_imports():
    assert "-r requirements.txt" in DOCKERFILE
    assert not re.search(r"torch==|streamlit==", DOCKERFILE), "The pins stand in requirements.txt alone."
    copied = {
        name
        for arguments in last_instruction("COPY")
        if not arguments.startswith("--from")
        for name in arguments.split()[:-1]
    }
    assert all((ROOT / name).exists() for name in copied)
    assert {"core", "dashboard", "pages", "lessons", "weights", ".streamlit", "streamlit_app.py"} <= copied
    let_in = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert let_in == copied, "What the Dockerfile copies is what .dockerignore lets in."


def test_the_container_starts_what_the_page_about_hosting_says():
    (command,) = last_instruction("CMD")
    assert f"`{' '.join(json.loads(command))}`" in (ROOT / "docs" / "hosting.md").read_text()

"""A visitor as the server knows one: a client that speaks Streamlit's protocol for a whole session.

async with Visitor(address) as visitor:
    answer = await visitor.open("text", text="Who listens to whom?")   # a link
    answer = await visitor.rerun({"text": "Nobody."})                   # widgets, by their keys
    answer.seconds, answer.received, answer.troubles
"""

import asyncio
import hashlib
import time
import urllib.request
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self
from urllib.parse import urlencode

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Common_pb2 import FileUploaderState, UploadedFileInfo
from streamlit.proto.Delta_pb2 import Delta
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException
from websockets.typing import Origin, Subprotocol

NOTHING: Mapping[str, Any] = {}
PATIENCE = 120.0  # seconds until a visitor gives up
GONE = (OSError, TimeoutError, WebSocketException)  # what is raised when the server does not answer any more
# Which field of a widget's state carries its value.
FIELDS = {
    "text_area": "string_value",
    "text_input": "string_value",
    "selectbox": "string_value",
    "checkbox": "bool_value",
    "button": "trigger_value",
    "button_group": "string_array_value",
    "multiselect": "string_array_value",
    "slider": "double_array_value",
    "number_input": "double_value",
    "file_uploader": "file_uploader_state_value",
}


@dataclass
class Answer:
    """The server's answer to one request: the wait for all of it, its size, its errors and its elements."""

    seconds: float = 0.0
    received: int = 0
    messages: int = 0
    references: int = 0  # messages that the visitor had already, so that their hashes were enough
    troubles: list[str] = field(default_factory=list)  # errors and warnings that the page shows
    elements: dict[tuple[int, ...], Element] = field(default_factory=dict)  # by their places on the page

    @property
    def progress(self) -> int:
        """The progress that the page shows, in percent; 0 where it shows none."""
        return max((element.progress.value for element in self.elements.values()), default=0)

    @property
    def digest(self) -> str:
        """A hash of the elements; the same for two visitors who see the same page."""
        digest = hashlib.sha256()
        for place, element in sorted(self.elements.items()):
            if element.WhichOneof("type") == "download_button":
                continue  # the address of a file is each visitor's own
            digest.update(repr(place).encode() + element.SerializeToString(deterministic=True))
        return digest.hexdigest()


class Visitor:
    """One session with a server: sends the messages that a browser would send, and reads all answers."""

    def __init__(self, address: str):
        self._address = address
        self._session, self._page = "", ""  # both as the server calls them
        self._query: dict[str, str] = {}
        self._states: dict[str, WidgetState] = {}
        # Large messages by their hash, and the run that last had them.
        self._hashed_messages: dict[str, tuple[Delta, int]] = {}
        self._runs, self._longest_kept = 0, 0
        self.answer = Answer()

    async def __aenter__(self) -> Self:
        stream = self._address.replace("http", "ws", 1) + "/_stcore/stream"
        self._socket: ClientConnection = await connect(
            stream,
            subprotocols=[Subprotocol("streamlit")],
            origin=Origin(self._address),
            max_size=None,
            compression=None,  # as the server has it by default
            ping_interval=None,
            open_timeout=PATIENCE,
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._socket.close()

    async def open(self, page: str = "", **query: str) -> Answer:
        """Open a page by its address with query parameters, and wait for it."""
        return await self.finish(await self.arrive(page, **query))

    async def arrive(self, page: str = "", **query: str) -> float:
        """Open a page without waiting for it; returns the time of the request, for `finish`."""
        self._query = query
        return await self._send(page_name=page)

    async def rerun(self, widgets: Mapping[str, Any] = NOTHING, query: Mapping[str, str] = NOTHING) -> Answer:
        """Change widgets, named by their keys, and query parameters; then wait for the page."""
        return await self.finish(await self.ask(widgets, query))

    async def ask(self, widgets: Mapping[str, Any] = NOTHING, query: Mapping[str, str] = NOTHING) -> float:
        """Change widgets and query parameters without waiting; returns the time of the request, for `finish`."""
        clicked = []
        for key, value in widgets.items():
            state = self._state(key, value)
            self._states[state.id] = state
            if state.HasField("trigger_value"):
                clicked.append(state.id)
        self._query |= query
        request_time = await self._send(page_script_hash=self._page)
        for widget in clicked:
            del self._states[widget]  # a click is sent once
        return request_time

    async def finish(self, request_time: float, until: Callable[[Answer], bool] = lambda _: False) -> Answer:
        """Read messages until the page is complete, or until `until` is true of the answer so far."""
        self.answer = answer = Answer()
        async with asyncio.timeout(PATIENCE):
            async for frame in self._socket:
                answer.received += len(frame)
                answer.messages += 1
                if self._take(ForwardMsg.FromString(frame), answer) or until(answer):  # type: ignore[arg-type]
                    break
            else:
                raise ConnectionError("The server has ended the session.")
        answer.seconds = time.perf_counter() - request_time
        return answer

    async def upload(self, name: str, content: bytes) -> FileUploaderState:
        """Upload a file; returns the new value of its uploader, for `rerun`."""
        message = BackMsg()
        message.file_urls_request.request_id = str(uuid.uuid4())
        message.file_urls_request.session_id = self._session
        message.file_urls_request.file_names.append(name)
        await self._socket.send(message.SerializeToString())
        async with asyncio.timeout(PATIENCE):
            async for frame in self._socket:
                message_back = ForwardMsg.FromString(frame)  # type: ignore[arg-type]
                if message_back.WhichOneof("type") == "file_urls_response":
                    break
        urls = message_back.file_urls_response.file_urls[0]
        await asyncio.to_thread(_put, self._address, urls.upload_url, name, content)
        info = UploadedFileInfo(file_id=urls.file_id, name=name, size=len(content), file_urls=urls)
        return FileUploaderState(uploaded_file_info=[info])

    def widget(self, key: str) -> Element:
        """The element of a widget on the page; LookupError where there is none."""
        for element in self.answer.elements.values():
            kind = element.WhichOneof("type") or ""
            if kind in FIELDS and f"-{key} " in f"{getattr(element, kind).id} ":
                return element
        raise LookupError(f"There is no widget with the key '{key}' on this page.")

    async def _send(self, **where: str) -> float:
        message = BackMsg()
        state = message.rerun_script
        state.query_string = urlencode(self._query)
        for name, value in where.items():
            setattr(state, name, value)
        state.widget_states.widgets.extend(self._states.values())
        state.cached_message_hashes.extend(self._hashed_messages)
        state.context_info.timezone, state.context_info.locale = "Europe/Berlin", "en-GB"
        state.context_info.url, state.context_info.color_scheme = self._address, "light"
        request_time = time.perf_counter()
        await self._socket.send(message.SerializeToString())
        return request_time

    def _take(self, message: ForwardMsg, answer: Answer) -> bool:
        """Add a message to the answer; returns whether the page is complete with it."""
        kind = message.WhichOneof("type")
        if kind == "new_session":
            self._session, self._page = message.new_session.initialize.session_id, message.new_session.page_script_hash
            self._longest_kept = message.new_session.config.max_cached_message_age
            answer.elements.clear()
        elif kind == "navigation":
            self._page = message.navigation.page_script_hash
        elif kind == "page_not_found":
            answer.troubles.append("Page not found.")
        elif kind == "ref_hash":
            answer.references += 1
            delta, _ = self._hashed_messages[message.ref_hash]
            self._hashed_messages[message.ref_hash] = delta, self._runs
            self._show(message, delta, answer)
        elif kind == "delta":
            if message.metadata.cacheable:
                self._hashed_messages[message.hash] = message.delta, self._runs
            self._show(message, message.delta, answer)
        elif kind == "script_finished" and message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
            if message.script_finished == ForwardMsg.FINISHED_WITH_COMPILE_ERROR:
                answer.troubles.append("The page could not be compiled.")
            self._runs += 1
            self._hashed_messages = {
                key: cached
                for key, cached in self._hashed_messages.items()
                if self._runs - cached[1] <= self._longest_kept
            }
            answer.troubles += filter(None, map(_trouble, answer.elements.values()))
            return True
        return False

    def _show(self, message: ForwardMsg, delta: Delta, answer: Answer) -> None:
        place, kind = tuple(message.metadata.delta_path), delta.WhichOneof("type")
        if kind not in ("new_element", "add_block"):
            return
        for replaced in [other for other in answer.elements if other[: len(place)] == place]:
            del answer.elements[replaced]  # what is new takes the place of all that stood there
        if kind == "new_element" and delta.new_element.WhichOneof("type") != "empty":
            answer.elements[place] = delta.new_element

    def _state(self, key: str, value: Any) -> WidgetState:
        """The state of a widget with a new value, as a browser sends it."""
        element = self.widget(key)
        kind = element.WhichOneof("type") or ""
        state, name = WidgetState(id=getattr(element, kind).id), FIELDS[kind]
        if name.endswith("_array_value"):
            getattr(state, name).data.extend(value if isinstance(value, list | tuple) else [value])
        elif isinstance(value, FileUploaderState):
            state.file_uploader_state_value.CopyFrom(value)
        else:
            setattr(state, name, value)
        return state


def _trouble(element: Element) -> str:
    """The text of an error or warning that an element shows; "" for any other element."""
    if element.WhichOneof("type") == "exception":
        return f"{element.exception.type}: {element.exception.message}"
    bad = (element.alert.ERROR, element.alert.WARNING)
    return element.alert.body if element.WhichOneof("type") == "alert" and element.alert.format in bad else ""


def _put(address: str, place: str, name: str, content: bytes) -> None:
    """Send a file as the browser's uploader does: as one part of a form, with the token against forged requests."""
    with urllib.request.urlopen(f"{address}/_stcore/health") as answer:
        cookie = answer.headers["Set-Cookie"].split(";")[0]
    boundary = uuid.uuid4().hex
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"; filename="{name}"\r\n'
    body = f"{head}Content-Type: image/jpeg\r\n\r\n".encode() + content + f"\r\n--{boundary}--\r\n".encode()
    headers = {
        "Content-Type": f"multipart/form-data; boundary={boundary}",
        "Cookie": cookie,
        "X-Xsrftoken": cookie.partition("=")[2].strip('"'),
        "Origin": address,
    }
    urllib.request.urlopen(urllib.request.Request(address + place, body, headers, method="PUT")).close()

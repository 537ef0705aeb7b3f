"""The way between browsers and classes: one websocket each, so that following needs no run of any page.

What a browser says, as JSON: first who it is, `{"open": true}` (a teacher who opens a class), `{"code", "key"}` (a
teacher who comes back) or `{"code", "who", "following"}` (a follower). Then a teacher says `{"address"}`, `{"asks"}`
(names of questions whose answers are shown) or `{"end": true}`, a follower `{"following"}` or `{"question", "choice"}`.

What it is told: a teacher `{"code", "key", "followers", "answers"}`, a follower `{"code", "address"}`; each the newest
there is, so that who is slow misses steps and nothing waits for them. `{"said"}` is a sentence about what was refused,
`{"over"}` the last one, before the server closes.
"""

import asyncio
import contextlib
import json
import time
from collections import deque
from typing import Any

from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketDisconnected, WebSocketState

from core.errors import AtlasError
from dashboard import contents
from dashboard.classroom import AWAY, LONGEST_ADDRESS, Class, Classes

ADDRESS = "/class"
PAUSE = 0.05  # seconds between two messages to one browser
FIRST = 30.0  # seconds until a browser must have said who it is; it may come again
LONGEST_MESSAGE = 2 * LONGEST_ADDRESS  # characters
MOST_MESSAGES, WITHIN = 100, 10.0  # of one browser, within so many seconds
MOST_ASKED = 20  # questions of a page
GONE = (WebSocketDisconnect, WebSocketDisconnected)  # what is raised where a browser is not there any more
OVER = 4000  # the code with which a socket closes that shall not be opened again

UNREADABLE = "The server does not understand what this page sent; load the page again."
TOO_LARGE = "This message has {count:,} characters, and can have {most:,}."
TOO_MANY = "This page sent more than {most} messages within {seconds:.0f} seconds; load it again."
ENDED = "Class {code} has ended."


def route() -> WebSocketRoute:
    """Where browsers connect, with classes of its own."""
    classes = Classes([page.url for page in contents.pages()])

    async def connected(socket: WebSocket) -> None:
        await Connection(socket, classes).serve()

    return WebSocketRoute(ADDRESS, connected)


class TooManyError(AtlasError):
    """A browser sends more than any page would."""


class Connection:
    """One browser tab and its class, for as long as the socket is open."""

    def __init__(self, socket: WebSocket, classes: Classes):
        self._socket, self._classes = socket, classes
        self._who: str | None = None  # None: the teacher
        self._asked: tuple[str, ...] = ()
        self._told: dict[str, Any] = {}
        self._changed = asyncio.Event()
        self._times: deque[float] = deque(maxlen=MOST_MESSAGES)

    async def serve(self) -> None:
        """Hear and tell until one of the two ends it."""
        await self._socket.accept()
        with contextlib.suppress(*GONE):
            try:
                async with asyncio.timeout(FIRST):
                    first = await self._heard()
                room = self._enter(first)
                with self._inside(room):
                    await self._exchange(room)
            except AtlasError as error:
                await self._close(str(error))
            except TimeoutError:
                await self._socket.close()

    def _enter(self, first: dict[str, Any]) -> Class:
        """The class for which a browser has come; AtlasError if it cannot be in it."""
        if first.get("open") is True:
            room = self._classes.open()
            room.teach(room.key)
            return room
        room = self._classes.find(_text(first, "code"))
        if "key" in first:
            room.teach(_text(first, "key"))
        else:
            self._who = _text(first, "who")
            room.join(self._who, following=first.get("following") is not False)
        return room

    @contextlib.contextmanager
    def _inside(self, room: Class):
        loop = asyncio.get_running_loop()

        def told() -> None:
            loop.call_soon_threadsafe(self._changed.set)

        room.watch(told)
        self._changed.set()
        # When its day is over, nobody else may ask for it.
        over = loop.call_later(room.until - time.monotonic() + PAUSE, self._classes.forget)
        try:
            yield
        finally:
            over.cancel()
            room.unwatch(told)
            if self._who is None:
                room.rest()
            else:
                room.leave(self._who)
                loop.call_later(AWAY + PAUSE, room.tell)  # then it counts no more

    async def _exchange(self, room: Class) -> None:
        telling = asyncio.create_task(self._keep_telling(room))
        try:
            await self._keep_hearing(room)
        finally:
            telling.cancel()

    async def _keep_telling(self, room: Class) -> None:
        """Send what is new, the newest only, until the class ends."""
        with contextlib.suppress(*GONE):
            while not room.ended:
                await self._changed.wait()
                self._changed.clear()
                if not room.ended and (news := self._state(room)) != self._told:
                    self._told = news
                    await self._send(news)
                    await asyncio.sleep(PAUSE)
            await self._close(ENDED.format(code=room.code))

    def _state(self, room: Class) -> dict[str, Any]:
        if self._who is None:
            answers = {question: room.answers(question) for question in self._asked}
            return {"code": room.code, "key": room.key, "followers": room.followers, "answers": answers}
        return {"code": room.code, "address": room.address}

    async def _keep_hearing(self, room: Class) -> None:
        while True:
            try:
                message = await self._heard()
                self._take(room, message)
            except TooManyError:
                raise
            except AtlasError as error:
                await self._send({"said": str(error)})

    def _take(self, room: Class, message: dict[str, Any]) -> None:
        """Do what a browser says, if it is one that may."""
        match message:
            case {"address": str(address)} if self._who is None:
                room.go_to(address)
            case {"asks": list(asked)} if self._who is None and all(isinstance(each, str) for each in asked):
                self._asked = tuple(asked[:MOST_ASKED])
                self._changed.set()
            case {"end": True} if self._who is None:
                self._classes.end(room)
            case {"following": bool(following)} if self._who is not None:
                room.follow(self._who, following=following)
            case {"question": str(question), "choice": str(choice)} if self._who is not None:
                room.answer(question, self._who, choice)
            case _:
                raise AtlasError(UNREADABLE)

    async def _heard(self) -> dict[str, Any]:
        """The next message; AtlasError if it is none, or one of too many."""
        message = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code") or 1000)
        self._times.append(time.monotonic())
        if len(self._times) == MOST_MESSAGES and self._times[-1] - self._times[0] < WITHIN:
            raise TooManyError(TOO_MANY.format(most=MOST_MESSAGES, seconds=WITHIN))
        text = message.get("text") or ""
        if len(text) > LONGEST_MESSAGE:
            raise AtlasError(TOO_LARGE.format(count=len(text), most=LONGEST_MESSAGE))
        try:
            read = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise AtlasError(UNREADABLE) from error
        if not isinstance(read, dict):
            raise AtlasError(UNREADABLE)
        return read

    async def _close(self, sentence: str) -> None:
        if self._socket.application_state is WebSocketState.CONNECTED:
            await self._send({"over": sentence})
            await self._socket.close(OVER)

    async def _send(self, message: dict[str, Any]) -> None:
        await self._socket.send_text(json.dumps(message))


def _text(message: dict[str, Any], name: str) -> str:
    if isinstance(found := message.get(name), str):
        return found
    raise AtlasError(UNREADABLE)

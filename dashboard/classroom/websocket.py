"""The connection between browsers and classes: one websocket each, so that following needs no run of any page.

Messages from a browser, as JSON: first who it is, `{"open": true}` (a teacher who opens a class), `{"code", "key"}` (a
teacher who comes back) or `{"code", "who", "following"}` (a follower). Then a teacher sends `{"address"}`, `{"asks"}`
(questions whose answers are shown, each with its choices), `{"lock"}` (whether nobody new may join), `{"remove"}` (the
number of a follower) or `{"end": true}`, a follower `{"following"}` or `{"question", "choice"}`. A browser that has
nothing to send sends `{"here": true}` once a minute: a silent connection is closed, and its place is free.

Messages to a browser: to a teacher `{"code", "key", "followers", "listed", "locked", "answers"}`, to a
follower `{"code", "address", "number"}`; always the newest state, so that slow browsers miss steps and nothing waits
for them, and at most a few times a second. `{"said"}` is a sentence about what was refused, `{"over"}` the last one,
before the server closes.
"""

import asyncio
import contextlib
import json
import time
from collections import deque
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketDisconnected, WebSocketState

from core.errors import AtlasError
from dashboard import contents
from dashboard.classroom.classes import Classes
from dashboard.classroom.classroom import LONGEST_ADDRESS, RECONNECT_WITHIN, REMOVED, Class
from dashboard.classroom.limits import Limits, network_of
from dashboard.classroom.pacing import RateLimited

ADDRESS = "/class"
STEP_PAUSE = 0.2  # seconds at least between two messages with the address
COUNT_PAUSE = 0.5  # seconds at least between two messages with counts and answers
MESSAGE_PAUSE = 0.05  # seconds between two messages of one browser that are read: others are served meanwhile
CLOCK_TOLERANCE = 0.05  # seconds by which a clock may be late
FIRST_TIMEOUT = 30.0  # seconds in which a browser must have sent its first message; it may come again
SILENCE_TIMEOUT = 180.0  # seconds after which a silent connection is closed; a page comes again by itself
LONGEST_MESSAGE = 2 * LONGEST_ADDRESS  # characters
MOST_MESSAGES, WITHIN = 100, 10.0  # of one browser, within so many seconds
MOST_QUESTIONS, MOST_CHOICES = 20, 200  # questions of a page, and choices of one of them
DISCONNECTED = (WebSocketDisconnect, WebSocketDisconnected)  # raised where a browser is not there any more
OVER = 4000  # the code with which a socket closes that shall not be opened again

UNREADABLE = "The server does not understand what this page sent; load the page again."
TOO_LARGE = "This message has {count:,} characters, and can have {most:,}."
TOO_MANY = "This page sent more than {most} messages within {seconds:.0f} seconds; load it again."
ENDED = "Class {code} has ended."


def route(secret: bytes | None = None) -> WebSocketRoute:
    """The route to which browsers connect, with classes of its own; `secret` as for `Classes`."""
    school = School(Classes([page.url for page in contents.pages()], secret=secret), Limits())

    async def connected(socket: WebSocket) -> None:
        await Connection(socket, school).serve()

    return WebSocketRoute(ADDRESS, connected)


class Audience:
    """The connections to one class: followers are woken by new addresses, teachers by new counts too."""

    def __init__(self, room: Class):
        self.teachers, self.followers = set[asyncio.Event](), set[asyncio.Event]()
        self._steps = RateLimited(lambda: self._wake(self.followers), STEP_PAUSE)
        self._counts = RateLimited(lambda: self._wake(self.teachers), COUNT_PAUSE)
        room.watch(self._changed)

    def _changed(self, everybody: bool) -> None:
        self._counts.request()
        if everybody:
            self._steps.request()

    def _wake(self, events: set[asyncio.Event]) -> None:
        for event in events:
            event.set()


class School:
    """What all connections share: the classes, the limits of network addresses, and the audience of each class."""

    def __init__(self, classes: Classes, limits: Limits):
        self.classes, self.limits = classes, limits
        self._audiences: WeakKeyDictionary[Class, Audience] = WeakKeyDictionary()

    def audience(self, room: Class) -> Audience:
        """The connections to a class."""
        if room not in self._audiences:
            self._audiences[room] = Audience(room)
        return self._audiences[room]

    def find(self, code: str, network: str | None, key: str | None = None) -> Class:
        """The class with this code, which a teacher's key may open again.

        AtlasError if it is unknown, or after too many unknown codes from this network; NotYetError if it may come back.
        """
        self.limits.check_codes(network)
        try:
            return self.classes.find(code) if key is None else self.classes.reopen(code, key, network)
        except AtlasError as error:
            if self.classes.may_return:
                raise NotYetError from error
            self.limits.note_unknown(network, code)
            raise


class NotYetError(Exception):
    """A class whose teacher may come back in a moment: so may whoever follows it."""


class TooManyError(AtlasError):
    """A browser sends more messages than any page would."""


class Connection:
    """One browser tab and its class, for as long as the socket is open."""

    def __init__(self, socket: WebSocket, school: School):
        self._socket, self._school = socket, school
        self._network = network_of(socket.client.host if socket.client else None)
        self._member: str | None = None  # None: the teacher
        self._number = 0  # of a follower
        self._questions: tuple[Question, ...] = ()
        self._sent: dict[str, Any] = {}
        self._changed = asyncio.Event()
        self._times: deque[float] = deque(maxlen=MOST_MESSAGES)

    async def serve(self) -> None:
        """Receive and send until one of the two sides closes the connection."""
        await self._socket.accept()
        with contextlib.suppress(*DISCONNECTED):
            try:
                with self._school.limits.connected(self._network):
                    first = await self._receive(FIRST_TIMEOUT)
                    room = self._enter(first)
                    with self._subscription(room):
                        await self._exchange(room)
            except AtlasError as error:
                await self._close(str(error))
            except (TimeoutError, NotYetError):  # a page comes again by itself
                await self._socket.close()

    def _enter(self, first: dict[str, Any]) -> Class:
        """Open, lead or join the class that the first message names; AtlasError if that is not allowed."""
        if first.get("open") is True:
            room = self._school.classes.open(self._network)
            room.connect_teacher(room.key)
            return room
        key = _text(first, "key") if "key" in first else None
        room = self._school.find(_text(first, "code"), self._network, key)
        if key is not None:
            room.connect_teacher(key)
        else:
            self._member = _text(first, "who")
            self._number = room.join(self._member, following=first.get("following") is not False)
        return room

    @contextlib.contextmanager
    def _subscription(self, room: Class):
        loop, audience = asyncio.get_running_loop(), self._school.audience(room)
        events = audience.teachers if self._member is None else audience.followers
        events.add(self._changed)
        self._changed.set()
        # When its day is over, nobody else may ask for it.
        expiry = loop.call_later(room.until - time.monotonic() + CLOCK_TOLERANCE, self._school.classes.forget)
        try:
            yield
        finally:
            expiry.cancel()
            events.discard(self._changed)
            if self._member is None:
                room.disconnect_teacher()
            else:
                room.leave(self._member)
                loop.call_later(RECONNECT_WITHIN + CLOCK_TOLERANCE, room.notify)  # then it counts no more

    async def _exchange(self, room: Class) -> None:
        updates = asyncio.create_task(self._send_updates(room))
        try:
            await self._receive_messages(room)
        finally:
            updates.cancel()

    async def _send_updates(self, room: Class) -> None:
        """Send the newest state whenever it changes, until the class ends, or the teacher removes this follower."""
        with contextlib.suppress(*DISCONNECTED):
            while not self._closing_sentence(room):
                await self._changed.wait()
                self._changed.clear()
                if not self._closing_sentence(room) and (state := self._state(room)) != self._sent:
                    self._sent = state
                    await self._send(state)
            await self._close(self._closing_sentence(room))

    def _closing_sentence(self, room: Class) -> str:
        """The reason why this connection ends; "" while it goes on."""
        if room.ended:
            return ENDED.format(code=room.code)
        return REMOVED.format(code=room.code) if self._member is not None and room.is_removed(self._member) else ""

    def _state(self, room: Class) -> dict[str, Any]:
        if self._member is not None:
            return {"code": room.code, "address": room.address, "number": self._number}
        return {
            "code": room.code,
            "key": room.key,
            "followers": room.followers,
            "listed": room.follower_states(),
            "locked": room.locked,
            "answers": {question.name: room.answers(question.name, question.choices) for question in self._questions},
        }

    async def _receive_messages(self, room: Class) -> None:
        while True:
            try:
                message = await self._receive(SILENCE_TIMEOUT)
                self._handle(room, message)
            except TooManyError:
                raise
            except AtlasError as error:
                await self._send({"said": str(error)})
            await asyncio.sleep(MESSAGE_PAUSE)

    def _handle(self, room: Class, message: dict[str, Any]) -> None:
        """Carry out a message, if this browser may send it; else AtlasError."""
        match message:
            case {"address": str(address)} if self._member is None:
                room.go_to(address)
            case {"asks": list(questions)} if self._member is None:
                self._questions = tuple(map(_question, questions[:MOST_QUESTIONS]))
                self._changed.set()
            case {"lock": bool(locked)} if self._member is None:
                room.lock(locked=locked)
                self._changed.set()
            case {"remove": int(number)} if self._member is None and number is not True:
                room.remove(number)
                self._changed.set()
            case {"end": True} if self._member is None:
                self._school.classes.end(room)
            case {"here": True}:
                pass
            case {"following": bool(following)} if self._member is not None:
                room.follow(self._member, following=following)
            case {"question": str(question), "choice": str(choice)} if self._member is not None:
                room.answer(question, self._member, choice)
            case _:
                raise AtlasError(UNREADABLE)

    async def _receive(self, timeout: float) -> dict[str, Any]:
        """The next message; AtlasError if it is invalid, or one of too many; TimeoutError after `timeout` seconds."""
        async with asyncio.timeout(timeout):
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
            content = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise AtlasError(UNREADABLE) from error
        if not isinstance(content, dict):
            raise AtlasError(UNREADABLE)
        return content

    async def _close(self, sentence: str) -> None:
        if self._socket.application_state is WebSocketState.CONNECTED:
            await self._send({"over": sentence})
            await self._socket.close(OVER)

    async def _send(self, message: dict[str, Any]) -> None:
        await self._socket.send_text(json.dumps(message))


@dataclass(frozen=True)
class Question:
    """A question whose answers a teacher sees, and the choices that it allows; none: it asks for a number."""

    name: str
    choices: frozenset[str]


def _question(message: object) -> Question:
    match message:
        case {"question": str(name), "choices": list(choices)} if all(isinstance(choice, str) for choice in choices):
            return Question(name, frozenset(choices[:MOST_CHOICES]))
    raise AtlasError(UNREADABLE)


def _text(message: dict[str, Any], name: str) -> str:
    if isinstance(value := message.get(name), str):
        return value
    raise AtlasError(UNREADABLE)

"""The way between browsers and classes: one websocket each, so that following needs no run of any page.

What a browser says, as JSON: first who it is, `{"open": true}` (a teacher who opens a class), `{"code", "key"}` (a
teacher who comes back) or `{"code", "who", "following"}` (a follower). Then a teacher says `{"address"}`, `{"asks"}`
(questions whose answers are shown, each with its choices), `{"lock"}` (whether nobody new may join), `{"remove"}` (the
number of a follower) or `{"end": true}`, a follower `{"following"}` or `{"question", "choice"}`. Whoever has nothing to
say says `{"here": true}` once a minute: a connection that is not heard of is closed, and its place is free.

What it is told: a teacher `{"code", "key", "followers", "listed", "locked", "answers"}`, a follower `{"code",
"address", "number"}`; each the newest there is, so that who is slow misses steps and nothing waits for them. However
often something changes, it is told a few times a second. `{"said"}` is a sentence about what was refused, `{"over"}`
the last one, before the server closes.
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
from dashboard.classroom.classroom import AWAY, LONGEST_ADDRESS, REMOVED, Class
from dashboard.classroom.limits import Limits, network_of
from dashboard.classroom.pacing import Paced

ADDRESS = "/class"
STEP, COUNT = 0.2, 0.5  # seconds at least between two tellings of where the teacher is, and of who follows and answers
BREATH = 0.05  # seconds between two messages that are heard of one browser: others are served meanwhile
A_MOMENT = 0.05  # seconds, by which a clock may be late
FIRST = 30.0  # seconds until a browser must have said who it is; it may come again
SILENT = 180.0  # seconds after which a connection is closed that has said nothing; a page comes again by itself
LONGEST_MESSAGE = 2 * LONGEST_ADDRESS  # characters
MOST_MESSAGES, WITHIN = 100, 10.0  # of one browser, within so many seconds
MOST_ASKED, MOST_CHOICES = 20, 200  # questions of a page, and choices of one of them
GONE = (WebSocketDisconnect, WebSocketDisconnected)  # what is raised where a browser is not there any more
OVER = 4000  # the code with which a socket closes that shall not be opened again

UNREADABLE = "The server does not understand what this page sent; load the page again."
TOO_LARGE = "This message has {count:,} characters, and can have {most:,}."
TOO_MANY = "This page sent more than {most} messages within {seconds:.0f} seconds; load it again."
ENDED = "Class {code} has ended."


def route() -> WebSocketRoute:
    """Where browsers connect, with classes of its own."""
    school = School(Classes([page.url for page in contents.pages()]), Limits())

    async def connected(socket: WebSocket) -> None:
        await Connection(socket, school).serve()

    return WebSocketRoute(ADDRESS, connected)


class Audience:
    """The connections to one class, which are told what is new: followers of steps, the teacher of counts too."""

    def __init__(self, room: Class):
        self.teachers, self.followers = set[asyncio.Event](), set[asyncio.Event]()
        self._steps = Paced(lambda: self._wake(self.followers), STEP)
        self._counts = Paced(lambda: self._wake(self.teachers), COUNT)
        room.watch(self._news)

    def _news(self, everybody: bool) -> None:
        self._counts.news()
        if everybody:
            self._steps.news()

    def _wake(self, changed: set[asyncio.Event]) -> None:
        for each in changed:
            each.set()


class School:
    """What all connections share: the classes, what each address may do, and who is told of each class."""

    def __init__(self, classes: Classes, limits: Limits):
        self.classes, self.limits = classes, limits
        self._audiences: WeakKeyDictionary[Class, Audience] = WeakKeyDictionary()

    def audience(self, room: Class) -> Audience:
        """Those who are connected to a class."""
        if room not in self._audiences:
            self._audiences[room] = Audience(room)
        return self._audiences[room]

    def find(self, code: str, network: str | None) -> Class:
        """The class with this code; AtlasError if there is none, or too many codes of this address were none."""
        self.limits.check_codes(network)
        try:
            return self.classes.find(code)
        except AtlasError:
            self.limits.was_wrong(network, code)
            raise


class TooManyError(AtlasError):
    """A browser sends more than any page would."""


class Connection:
    """One browser tab and its class, for as long as the socket is open."""

    def __init__(self, socket: WebSocket, school: School):
        self._socket, self._school = socket, school
        self._network = network_of(socket.client.host if socket.client else None)
        self._who: str | None = None  # None: the teacher
        self._number = 0  # of a follower
        self._asked: tuple[Question, ...] = ()
        self._told: dict[str, Any] = {}
        self._changed = asyncio.Event()
        self._times: deque[float] = deque(maxlen=MOST_MESSAGES)

    async def serve(self) -> None:
        """Hear and tell until one of the two ends it."""
        await self._socket.accept()
        with contextlib.suppress(*GONE):
            try:
                with self._school.limits.connected(self._network):
                    first = await self._heard(FIRST)
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
            room = self._school.classes.open(self._network)
            room.teach(room.key)
            return room
        room = self._school.find(_text(first, "code"), self._network)
        if "key" in first:
            room.teach(_text(first, "key"))
        else:
            self._who = _text(first, "who")
            self._number = room.join(self._who, following=first.get("following") is not False)
        return room

    @contextlib.contextmanager
    def _inside(self, room: Class):
        loop, audience = asyncio.get_running_loop(), self._school.audience(room)
        listening = audience.teachers if self._who is None else audience.followers
        listening.add(self._changed)
        self._changed.set()
        # When its day is over, nobody else may ask for it.
        over = loop.call_later(room.until - time.monotonic() + A_MOMENT, self._school.classes.forget)
        try:
            yield
        finally:
            over.cancel()
            listening.discard(self._changed)
            if self._who is None:
                room.rest()
            else:
                room.leave(self._who)
                loop.call_later(AWAY + A_MOMENT, room.tell)  # then it counts no more

    async def _exchange(self, room: Class) -> None:
        telling = asyncio.create_task(self._keep_telling(room))
        try:
            await self._keep_hearing(room)
        finally:
            telling.cancel()

    async def _keep_telling(self, room: Class) -> None:
        """Send what is new, the newest only, until the class ends, or the teacher sends this follower away."""
        with contextlib.suppress(*GONE):
            while not self._last_sentence(room):
                await self._changed.wait()
                self._changed.clear()
                if not self._last_sentence(room) and (news := self._state(room)) != self._told:
                    self._told = news
                    await self._send(news)
            await self._close(self._last_sentence(room))

    def _last_sentence(self, room: Class) -> str:
        """Why this connection ends; nothing while it goes on."""
        if room.ended:
            return ENDED.format(code=room.code)
        return REMOVED.format(code=room.code) if self._who is not None and room.is_removed(self._who) else ""

    def _state(self, room: Class) -> dict[str, Any]:
        if self._who is not None:
            return {"code": room.code, "address": room.address, "number": self._number}
        return {
            "code": room.code,
            "key": room.key,
            "followers": room.followers,
            "listed": room.listed(),
            "locked": room.locked,
            "answers": {question.name: room.answers(question.name, question.choices) for question in self._asked},
        }

    async def _keep_hearing(self, room: Class) -> None:
        while True:
            try:
                message = await self._heard(SILENT)
                self._take(room, message)
            except TooManyError:
                raise
            except AtlasError as error:
                await self._send({"said": str(error)})
            await asyncio.sleep(BREATH)

    def _take(self, room: Class, message: dict[str, Any]) -> None:
        """Do what a browser says, if it is one that may."""
        match message:
            case {"address": str(address)} if self._who is None:
                room.go_to(address)
            case {"asks": list(asked)} if self._who is None:
                self._asked = tuple(map(_question, asked[:MOST_ASKED]))
                self._changed.set()
            case {"lock": bool(locked)} if self._who is None:
                room.lock(locked=locked)
                self._changed.set()
            case {"remove": int(number)} if self._who is None and number is not True:
                room.remove(number)
                self._changed.set()
            case {"end": True} if self._who is None:
                self._school.classes.end(room)
            case {"here": True}:
                pass
            case {"following": bool(following)} if self._who is not None:
                room.follow(self._who, following=following)
            case {"question": str(question), "choice": str(choice)} if self._who is not None:
                room.answer(question, self._who, choice)
            case _:
                raise AtlasError(UNREADABLE)

    async def _heard(self, patience: float) -> dict[str, Any]:
        """The next message; AtlasError if it is none, or one of too many, TimeoutError if none comes for so long."""
        async with asyncio.timeout(patience):
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
    if isinstance(found := message.get(name), str):
        return found
    raise AtlasError(UNREADABLE)

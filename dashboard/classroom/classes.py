"""All classes of this process: their codes and keys, and limits of their number.

A teacher's key is made from the code and a secret. A process that is started again with the same secret knows by the
key that somebody has led the class, and opens it again.
"""

import hashlib
import hmac
import secrets
import threading
import time
from collections.abc import Callable, Collection

from core.errors import AtlasError
from dashboard.classroom.classroom import AGE, HOUR, Class

MOST_CLASSES = 50
MOST_OF_ADDRESS = 10  # classes that are opened from one network address
CODE = 6  # letters of a code
RETURN_WITHIN = 30.0  # seconds from the start of a process, in which teachers of the one before come back
MOST_OVER = 1000  # codes of classes that have ended, and stay so
# Neither look-alikes (I and L, O and Q, U and V) nor vowels: a code is easy to read, and no word.
LETTERS = "BCDFGHJKMNPRSTVWXZ"

UNKNOWN = (
    "There is no class {code} here. A class ends after {hours} hours, and whenever the server starts anew. Ask your "
    "teacher for the code: {letters} letters."
)
NO_CODE_LEFT = (
    "{count} classes are at work here, and there can be no more than {most}. Try again when one of them has ended."
)
TOO_MANY_CLASSES = (
    "{count} classes are at work that were opened from your network, and there can be no more than {most}. End one of "
    "them first."
)


class Classes:
    """All classes of this process by their codes. `pages` are the addresses to which a class can go.

    `secret` is that of a process before, whose classes may be opened again.
    """

    def __init__(
        self, pages: Collection[str], timer: Callable[[], float] = time.monotonic, *, secret: bytes | None = None
    ):
        self._pages, self._timer = frozenset(pages), timer
        self._secret = secret or secrets.token_bytes(32)
        self._return_until = timer() + RETURN_WITHIN if secret else timer()
        self._classes: dict[str, Class] = {}  # the oldest first
        self._over: dict[str, None] = {}  # codes of classes that have ended, the oldest first
        self._guard = threading.RLock()

    def __len__(self) -> int:
        with self._guard:
            self.forget()
            return len(self._classes)

    def open(self, by: str | None = None) -> Class:
        """A new class, opened from a network address if one is known.

        If there are too many, in all or from this address, the oldest one without anybody in it ends. AtlasError if
        all are busy.
        """
        with self._guard:
            code = new_code()
            while code in self._classes or code in self._over:
                code = new_code()
            return self._open(code, by)

    def reopen(self, code: str, key: str, by: str | None = None) -> Class:
        """The class with this code; if it was of a process before, it is opened again for whoever has its key.

        AtlasError as by `find` and `open`.
        """
        with self._guard:
            code = code.strip().upper()
            is_led = hmac.compare_digest(key.encode(errors="replace"), self._key_of(code).encode())
            if code not in self._classes and code not in self._over and is_led:
                return self._open(code, by)
            return self.find(code)

    @property
    def may_return(self) -> bool:
        """Whether a code that is unknown may be of a class whose teacher is about to come back."""
        return self._timer() < self._return_until

    def _open(self, code: str, by: str | None) -> Class:
        self.forget()
        if by is not None:
            of_address = [room for room in self._classes.values() if room.opened_by == by]
            self._make_room(of_address, MOST_OF_ADDRESS, TOO_MANY_CLASSES)
        self._make_room(list(self._classes.values()), MOST_CLASSES, NO_CODE_LEFT)
        self._classes[code] = Class(code, self._pages, self._timer, key=self._key_of(code), opened_by=by)
        return self._classes[code]

    def _key_of(self, code: str) -> str:
        return hmac.new(self._secret, code.encode(errors="replace"), hashlib.sha256).hexdigest()

    def _make_room(self, rooms: list[Class], most: int, sentence: str) -> None:
        """If there are `most` classes, end the oldest one without anybody in it; AtlasError if there is none."""
        if len(rooms) < most:
            return
        idle = next((room for room in rooms if not room.is_busy), None)
        if idle is None:
            raise AtlasError(sentence.format(count=len(rooms), most=most))
        self.end(idle)

    def find(self, code: str) -> Class:
        """The class with this code, in upper or lower case; AtlasError if there is none, or if it has ended."""
        with self._guard:
            self.forget()
            if room := self._classes.get(code.strip().upper()):
                return room
        start = code.strip()[: 2 * CODE]
        raise AtlasError(UNKNOWN.format(code=f"“{start}”", hours=AGE // HOUR, letters=CODE))

    def end(self, room: Class) -> None:
        """End a class and forget it."""
        with self._guard:
            self._classes.pop(room.code, None)
            self._over[room.code] = None
            if len(self._over) > MOST_OVER:
                del self._over[next(iter(self._over))]
        room.end()

    def forget(self) -> None:
        """End the classes whose day is over."""
        with self._guard:
            expired = [room for room in self._classes.values() if room.until <= self._timer()]
        for room in expired:
            self.end(room)


def new_code() -> str:
    """A random code of CODE letters that cannot be predicted."""
    return "".join(secrets.choice(LETTERS) for _ in range(CODE))

"""What a front sends to a worker: a function by its name, arguments by their types, as JSON.

    encoded = encode(call, calls, permission=...)   # NotPortableError if an argument cannot travel
    question = Question(encoded.content, observe)   # in the worker: question.about, question.call()

An argument is a number, a string, bytes, a tuple, a list, a set or a dictionary of such, an enumeration, a file of a
visitor, or a frozen dataclass or named tuple of this project with such fields. A value that a cached function has
returned travels as the call that made it: the worker has it, or makes it again. So nothing is unpickled in a worker,
and only functions that are cached can be called. An observer (a dataclass of nothing but functions) is called while the
worker computes.
"""

import base64
import dataclasses
import enum
import hashlib
import inspect
import json
import sys
import threading
from collections.abc import Callable, Hashable
from functools import cache
from typing import Any

from core.errors import AtlasError
from dashboard.cache import memo
from dashboard.cache.memo import CachedFunction, Call
from dashboard.cache.upload import Upload
from dashboard.contents import ROOT

PACKAGES = ("core", "dashboard", "pages")
PLAIN = (str, int, float, bool, type(None))
# Gets the name of an argument, that of a field of it, and what the field is called with.
Observe = Callable[[str, str, tuple[Any, ...]], None]


class NotPortableError(Exception):
    """An argument, or a value, that cannot go to another process."""


class RefusedQuestionError(AtlasError):
    """A question that does not come from a front of the same version."""


class CallBook:
    """The calls of stored values, encoded: a value that was dropped keeps none of its arguments alive."""

    def __init__(self) -> None:
        self._calls: dict[Hashable, Any] = {}
        self._keys: dict[int, Hashable] = {}  # by the id of the value, which another one may have had before
        self._loaders: set[Hashable] = set()  # keys of what does not need the processor
        self._most = 100  # calls, after which those of values that were dropped are looked for
        self._guard = threading.Lock()

    def note(self, key: Hashable, call: Call) -> None:
        """Note the call of a value that has been stored under this key, if it can travel."""
        try:
            encoded = _Encoder(self).call(call)
        except NotPortableError:
            encoded = None
        with self._guard:
            self._calls[key] = encoded
            self._keys[id(memo.stored_value(key))] = key
            if not call.function.computes:
                self._loaders.add(key)
            if len(self._calls) > self._most:
                self._forget_dropped()

    def _forget_dropped(self) -> None:
        stored = {key: id(value) for key, value in memo.stored_values() if key in self._calls}
        self._calls = {key: self._calls[key] for key in stored}
        self._keys = {number: key for key, number in stored.items()}
        self._loaders &= stored.keys()
        self._most = 2 * len(self._calls) + 100

    def call_of(self, value: object) -> Any:
        """The encoded call whose stored value this very object is, else None."""
        if isinstance(value, PLAIN):
            return None
        key = self._keys.get(id(value))
        return self._calls.get(key) if memo.stored_value(key) is value else None

    def loaded(self) -> list[tuple[Any, Any]]:
        """The stored values of loaders (cached functions that do not need the processor), and their encoded calls."""
        with self._guard:
            keys = list(self._loaders)
        return [(value, self._calls.get(key)) for key in keys if (value := memo.stored_value(key)) is not None]


class Noting(memo.Here):
    """Computes in this process, and notes the calls of what is stored, so that they can stand for it in questions."""

    def __init__(self, calls: CallBook):
        self._calls = calls

    def stored(self, key: Hashable, call: Call) -> None:
        """Note the call."""
        self._calls.note(key, call)


@cache
def source_version() -> str:
    """A digest of the project's source: equal only where front and worker compute the same."""
    digest = hashlib.blake2b(digest_size=6)
    for package in PACKAGES:
        for file in sorted((ROOT / package).rglob("*.py")):
            digest.update(file.relative_to(ROOT).as_posix().encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()


@dataclasses.dataclass(frozen=True)
class EncodedCall:
    """A question as bytes, and the digest of its call, which is the same whoever asks."""

    content: bytes
    digest: str


def encode(call: Call, calls: CallBook, **about: Any) -> EncodedCall:
    """A question: the call, the visitors' files in it, the version, and what else a worker has to know."""
    encoder = _Encoder(calls)
    encoded_call = encoder.call(call)
    question = {
        "version": source_version(),
        "call": encoded_call,
        "about": {name: encoder.value(value) for name, value in about.items()},
        "files": encoder.files,
    }
    digest = hashlib.blake2b(json.dumps(encoded_call).encode(), digest_size=16).hexdigest()
    return EncodedCall(json.dumps(question).encode(), digest)


class Question:
    """A question as a worker reads it. Raises RefusedQuestionError if it comes from another version."""

    def __init__(self, content: bytes, observe: Observe):
        self._read = json.loads(content)
        if self._read["version"] != source_version():
            raise RefusedQuestionError(
                f"The front has version {self._read['version']}, and its worker {source_version()}: restart both."
            )
        files = {digest: base64.b64decode(content) for digest, content in self._read["files"].items()}
        self._decoder = _Decoder(files, observe)

    @property
    def about(self) -> dict[str, Any]:
        """What else the front says, by its names."""
        return {name: self._decoder.value(item) for name, item in self._read["about"].items()}

    def call(self) -> Call:
        """The call; values in it that other calls have made are looked up, or made.

        Raises RefusedQuestionError if it names what is not cached, or holds an unknown type.
        """
        return self._decoder.call(self._read["call"])


def decode_call(encoded: list[Any]) -> Call:
    """A call without files and observers, such as that of a loader."""
    return _Decoder({}, lambda *_: None).call(encoded)


class _Encoder:
    """Arguments as JSON: what JSON has is itself, all else a list that begins with its kind."""

    def __init__(self, calls: CallBook):
        self.files: dict[str, str] = {}
        self._calls = calls

    def call(self, call: Call) -> list[Any]:
        function = call.function
        arguments = {name: value for name, value in call.arguments.arguments.items() if name != "progress"}
        if "<locals>" in function.make.__qualname__:
            raise NotPortableError(f"{function.make.__qualname__} is inside of a function.")
        encoded = {name: self.value(value) for name, value in arguments.items()}
        return [function.make.__module__, function.make.__qualname__, encoded]

    def value(self, value: Any) -> Any:
        if type(value) in PLAIN:
            return value
        if made_by := self._calls.call_of(value):
            return ["call", made_by]
        if isinstance(value, Upload):
            self.files[str(value.identity)] = base64.b64encode(value.content).decode()
            return ["file", str(value.identity)]
        if isinstance(value, enum.Enum):
            return ["enum", _path(type(value)), value.name]
        if is_observer(value):
            return ["observer", _path(type(value))]
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            return ["dataclass", _path(type(value)), self._fields(value)]
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return ["named tuple", _path(type(value)), [self.value(item) for item in value]]
        if type(value) is bytes:
            return ["bytes", base64.b64encode(value).decode()]
        if type(value) is dict:
            return ["dict", [[self.value(key), self.value(item)] for key, item in value.items()]]
        if type(value) in SEQUENCES.values():
            return [type(value).__name__, [self.value(item) for item in value]]
        raise NotPortableError(f"{type(value).__qualname__} cannot go to a worker.")

    def _fields(self, value: Any) -> dict[str, Any]:
        if not type(value).__dataclass_params__.frozen:
            raise NotPortableError(f"{type(value).__qualname__} can be changed.")
        fields = [field for field in dataclasses.fields(value) if field.init]
        return {field.name: self.value(getattr(value, field.name)) for field in fields}


SEQUENCES: dict[str, type] = {kind.__name__: kind for kind in (tuple, list, set, frozenset)}


class _Decoder:
    """The way back, with the content of the files by their digests."""

    def __init__(self, files: dict[str, bytes], observe: Observe):
        self._files, self._observe = files, observe

    def call(self, encoded: list[Any]) -> Call:
        module, name, arguments = encoded
        function: CachedFunction | None = memo.FUNCTIONS.get((module, name))
        if function is None:
            raise RefusedQuestionError(f"There is no cached function {module}.{name}.")
        bound = inspect.BoundArguments(
            function.signature, {name: self.value(item, name) for name, item in arguments.items()}
        )
        return Call(function, bound)

    def value(self, item: Any, argument: str = "") -> Any:
        if not isinstance(item, list):
            return item
        match item:
            case ["call", call]:
                made_by = self.call(call)
                return made_by.function(*made_by.arguments.args, **made_by.arguments.kwargs)
            case ["file", digest]:
                upload = memo.store_upload(self._files[digest])
                if upload.identity != digest:
                    raise RefusedQuestionError("A file is not the one of its digest.")
                return upload
            case ["enum", path, name]:
                return _type_of(path, enum.Enum)[name]
            case ["observer", path]:
                return self._observer(_type_of(path), argument)
            case ["dataclass", path, fields]:
                return _type_of(path)(**{name: self.value(field) for name, field in fields.items()})
            case ["named tuple", path, items]:
                return _type_of(path, tuple)(*map(self.value, items))
            case ["bytes", content]:
                return base64.b64decode(content)
            case ["dict", items]:
                return {self.value(key): self.value(value) for key, value in items}
            case [kind, items] if kind in SEQUENCES:
                return SEQUENCES[kind](map(self.value, items))
        raise RefusedQuestionError(f"There is no kind '{item[0] if item else ''}' of arguments.")

    def _observer(self, kind: type, argument: str) -> Any:
        def observing(field: str) -> Callable[..., None]:
            return lambda *observed: self._observe(argument, field, observed)

        return kind(**{field.name: observing(field.name) for field in dataclasses.fields(kind)})


def is_observer(value: object) -> bool:
    """Whether a value is a dataclass of functions that are called while something is computed."""
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        return False
    values = [getattr(value, field.name) for field in dataclasses.fields(value)]
    return bool(values) and all(inspect.isroutine(item) for item in values)


def _path(kind: type) -> str:
    if kind.__module__.split(".")[0] not in PACKAGES or "<" in kind.__qualname__:
        raise NotPortableError(f"{kind.__qualname__} is no type of this project.")
    return f"{kind.__module__}:{kind.__qualname__}"


def _type_of(path: str, base: type | None = None) -> Any:
    """A type of this project that is imported already: an enumeration, a named tuple, or else a dataclass."""
    module, _, name = path.partition(":")
    kind: Any = sys.modules.get(module) if module.split(".")[0] in PACKAGES else None
    for part in name.split("."):
        kind = getattr(kind, part, None)
    if not isinstance(kind, type) or not (issubclass(kind, base) if base else dataclasses.is_dataclass(kind)):
        raise RefusedQuestionError(f"There is no type {path}.")
    return kind

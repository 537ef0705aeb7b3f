"""A visitor's file, known by its digest, and which of them a cached value is made of.

The key of a cached value holds the digests of the files among its arguments. The value is dropped with any of them.
"""

import hashlib
from collections.abc import Hashable
from dataclasses import dataclass, field


class Digest(str):
    """The digest of a visitor's file: entries with it in their key are dropped with the file."""

    __slots__ = ()


@dataclass(frozen=True)
class Upload:
    """A file from a visitor: hashed once, and identified by its digest from there on."""

    content: bytes = field(repr=False)
    identity: Digest = field(init=False)

    def __post_init__(self):
        object.__setattr__(self, "identity", Digest(hashlib.blake2b(self.content, digest_size=16).hexdigest()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Upload) and self.identity == other.identity

    def __hash__(self) -> int:
        return hash(self.identity)


def file_key(identity: Digest) -> Hashable:
    """The key under which a file itself is stored."""
    return ("file", identity)


def files_of(key: Hashable) -> frozenset[Hashable]:
    """The keys of all files whose digests are in a key, at any depth."""
    if isinstance(key, tuple):
        return frozenset().union(*map(files_of, key))
    return frozenset([file_key(key)] if isinstance(key, Digest) else [])

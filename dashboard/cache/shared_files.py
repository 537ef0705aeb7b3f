"""Visitors' files in a folder that several servers share: a page finds its file at whichever of them it comes back.

ATLAS_FILES names the folder; without it, files are in the memory of their server alone. A file is kept for AGE, and
less if others need the room: then the oldest goes first.
"""

import hashlib
import json
import os
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

AGE = 3600.0  # seconds that a visitor's file is kept
BUDGET = 10**9  # bytes of all files


@dataclass(frozen=True)
class SharedFiles:
    """Files by the digests of their contents, and which of them a session has."""

    folder: Path
    budget: int = BUDGET

    def put(self, identity: str, content: bytes) -> None:
        """Keep a file."""
        self._write(self.folder / f"{identity}.file", content)
        self.drop_old()

    def get(self, identity: str) -> tuple[bytes, float] | None:
        """A file and the seconds that it is kept from now on; None if it is not there any more."""
        path = self.folder / f"{identity}.file"
        try:
            remaining = AGE - _age(path)
            return (path.read_bytes(), remaining) if remaining > 0 else None
        except FileNotFoundError:
            return None

    def note(self, session: str, names: dict[str, tuple[str, str]]) -> None:
        """Note the files of a session: their digests and names by their keys."""
        self._write(self._notes_of(session), json.dumps(names).encode())

    def noted(self, session: str) -> dict[str, tuple[str, str]]:
        """What `note` has noted of a session; nothing where that is not there any more."""
        try:
            notes = json.loads(self._notes_of(session).read_bytes())
        except FileNotFoundError:
            return {}
        return {key: (identity, name) for key, (identity, name) in notes.items()}

    def drop_old(self) -> None:
        """Delete what is older than AGE, and the oldest of what is above the budget."""
        room = self.budget
        with suppress(FileNotFoundError):  # another server deletes, too, or ends and takes the folder with it
            for path in sorted(self.folder.iterdir(), key=_age):
                room -= path.stat().st_size
                if room < 0 or _age(path) > AGE:
                    path.unlink()

    def _notes_of(self, session: str) -> Path:
        # Whoever knows a session's number could come back as this session: it is not written.
        return self.folder / f"{hashlib.blake2b(session.encode(), digest_size=16).hexdigest()}.notes"

    def _write(self, path: Path, content: bytes) -> None:
        new = path.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
        new.write_bytes(content)
        new.replace(path)


def _age(path: Path) -> float:
    """Seconds since a file was written."""
    return time.time() - path.stat().st_mtime


def of_environment() -> SharedFiles | None:
    """The files in the folder that ATLAS_FILES names; None if it names none."""
    return SharedFiles(Path(folder)) if (folder := os.environ.get("ATLAS_FILES")) else None

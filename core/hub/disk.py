"""Disk space for downloads from the hub: a limit before them, and removal of abandoned parts."""

import shutil
import time
from contextlib import suppress
from pathlib import Path

from ..errors import ModelError

RESERVE = 2 * 10**9  # bytes of the disk that no download takes
ABANDONED = 3600  # seconds without a write after which a partial file is abandoned


def check_disk(name: str, needed: int, largest: int | None = None) -> None:
    """Raise ModelError if a download is larger than is allowed, or would not leave RESERVE bytes free on the disk."""
    if largest is not None and needed > largest:
        raise ModelError(
            f"'{name}' is a download of {needed / 1e9:,.1f} GB; this server fetches at most {largest / 1e9:,.1f} GB. "
            "Choose a smaller one."
        )
    free = shutil.disk_usage(next(place for place in (_cache(), *_cache().parents) if place.is_dir())).free
    if needed + RESERVE > free:
        raise ModelError(
            f"'{name}' is a download of {needed / 1e9:,.1f} GB; {free / 1e9:,.1f} GB are free on the disk here, "
            f"of which {RESERVE / 1e9:,.0f} GB stay free. Choose a smaller one."
        )


def sweep(repository: str) -> None:
    """Remove the partial files of downloads that were interrupted, as when the server was killed."""
    from huggingface_hub.file_download import repo_folder_name

    blobs = _cache() / repo_folder_name(repo_id=repository, repo_type="model") / "blobs"
    for part in blobs.glob("*.incomplete"):
        with suppress(OSError):  # removed meanwhile
            if time.time() - part.stat().st_mtime > ABANDONED:
                part.unlink()


def _cache() -> Path:
    from huggingface_hub import constants

    return Path(constants.HF_HUB_CACHE).absolute()

"""The model hub: inspect a model before anything large is fetched, and fetch it, with progress and cancellation."""

import errno
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from typing import Any

from ..errors import HubError, ModelError, OfflineError
from ..progress import Progress, no_progress
from .architectures import Task, read_kind
from .deadlines import Answer, NoAnswerError, wait_for
from .disk import check_disk, sweep
from .folders import LARGEST_CONFIG, check_memory, read_weights, refuse_other_weights
from .permissions import AT_HOME, Permission, Purpose, printable_name

# Everything that is read besides the weights. It is fetched first: a folder that has its weights is complete.
SMALL = (
    *("config.json", "generation_config.json", "preprocessor_config.json", "special_tokens_map.json"),
    *("added_tokens.json", "tokenizer*", "vocab.json", "vocab.txt", "target_vocab.json", "merges.txt"),
    *("*.model", "*.spm"),
)
SHARD = re.compile(r"model-\d+-of-\d+\.safetensors")
ANSWER = 15.0  # seconds for all requests before a model is fetched
STALL, SLOWEST = 30.0, 300_000  # a download ends when less than so many bytes come within so many seconds
MOST_FILES = 500
# Many older models have safetensors only in a pull request that the hub's own converter made and nobody merged.
CONVERTER = "SFconvertbot"


def offline_message(names: Iterable[str]) -> str:
    """The error for a hub that cannot be reached; `names` of models that work without it."""
    return (
        f"The model hub cannot be reached from here. What works without it: {', '.join(names)}, or in an app of your "
        "own a local folder."
    )


@dataclass(frozen=True)
class Offer:
    """A model before it is loaded: a description, the number of its parameters, the bytes to fetch."""

    name: str
    what: str
    parameters: int
    download: int  # bytes still to be fetched, 0 if it is here
    licence: str | None = None
    task: Task | None = None  # what it does, where config.json tells

    @property
    def memory(self) -> int:
        """Bytes of its weights in memory."""
        return 4 * self.parameters


@dataclass(frozen=True)
class _Listing:
    """The description of a repository by the hub, after validation."""

    sizes: dict[str, int]  # bytes of the files to fetch, weights last
    parameters: int
    licence: str | None
    revision: str | None  # where the weights are, if not in the main one


def inspect_repository(
    repository: str,
    purpose: Purpose,
    permission: Permission = AT_HOME,
    *,
    attends: bool = True,
    alternatives: Iterable[str] = (),
    progress: Progress = no_progress,
) -> Offer:
    """Ask the hub; only config.json is fetched. ModelError if the model is not available, or not usable here.

    `alternatives`: names of models that work without the hub, for the error where it cannot be reached.
    `progress` is called with the seconds that the hub takes; an exception that it raises cancels the request.
    """
    if folder := find_fetched(repository):
        kind, weights = read_kind(folder, repository, purpose, attends=attends), read_weights(folder, repository)
        check_memory(repository, weights.parameters)
        return Offer(repository, f"{kind.architecture}: {kind.task}", weights.parameters, 0, task=kind.task)

    def request() -> tuple[_Listing, Path]:
        listing = _request_listing(repository, permission)
        meter = _Meter(repository, LARGEST_CONFIG)
        return listing, Path(_download(repository, "config.json", permission, listing.revision, meter))

    listing, config = _wait_for(repository, alternatives, request, seconds=ANSWER, progress=progress)
    kind = read_kind(config.parent, repository, purpose, attends=attends)
    check_memory(repository, listing.parameters)
    download = sum(listing.sizes.values())
    check_disk(repository, download, permission.largest)
    what = f"{kind.architecture}: {kind.task}"
    what += f", weights from {CONVERTER}'s {listing.revision}" if listing.revision else ""
    return Offer(repository, what, listing.parameters, download, listing.licence, kind.task)


def fetch_repository(
    repository: str,
    permission: Permission = AT_HOME,
    *,
    alternatives: Iterable[str] = (),
    progress: Progress = no_progress,
) -> Path:
    """Download a model file by file, only what is read here, into the hub's own cache; returns its folder.

    `alternatives`: names of models that work without the hub, for the error where it cannot be reached.
    `progress` is called with the bytes so far; an exception that it raises stops the download. Complete files are kept,
    partial ones are not.
    """
    if folder := find_fetched(repository):
        return folder
    request = partial(_request_listing, repository, permission)
    listing = _wait_for(repository, alternatives, request, seconds=ANSWER, progress=lambda *_: progress(0, 1))
    total = sum(listing.sizes.values())
    check_disk(repository, total, permission.largest)
    meter = _Meter(repository, total)

    def fetch() -> str:
        sweep(repository)
        done, path = 0, ""
        for file, size in listing.sizes.items():
            path = _download(repository, file, permission, listing.revision, meter)
            done += size
            meter.done = done  # a file that was in the cache already has not moved the meter
        return path

    def report(*_: int) -> None:
        progress(meter.done, total)

    path = _wait_for(repository, alternatives, fetch, seconds=STALL, renewed_by=SLOWEST, progress=report)
    progress(total, total)
    return Path(path).parent


def find_fetched(repository: str) -> Path | None:
    """The folder of a model that is in the hub's cache with all its weights; no request to the hub."""
    from huggingface_hub import constants, try_to_load_from_cache
    from huggingface_hub.file_download import repo_folder_name

    requests = Path(constants.HF_HUB_CACHE) / repo_folder_name(repo_id=repository, repo_type="model") / "refs/refs/pr"
    for revision in (None, *(f"refs/pr/{path.name}" for path in sorted(requests.glob("*")))):
        config = try_to_load_from_cache(repository, "config.json", revision=revision)
        if isinstance(config, str):
            with suppress(ModelError):
                read_weights(Path(config).parent, repository)
                return Path(config).parent
    return None


class _Meter:
    """Takes the place of a tqdm bar in the hub's client: adds up bytes; NoAnswerError for more than `total`."""

    def __init__(self, name: str, total: int):
        self.name, self.total, self.done = name, total, 0

    def __enter__(self) -> "_Meter":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def update(self, count: int | float | None = 1) -> None:
        self.done += int(count or 0)
        if self.done > self.total:
            raise NoAnswerError("sends more than it has said")


def _request_listing(repository: str, permission: Permission) -> _Listing:
    """The listing of a repository, or of the pull request that holds it as safetensors."""
    from huggingface_hub import HfApi

    api = HfApi(endpoint=os.environ.get("HF_ENDPOINT"), token=_token(permission))
    info, revision = api.model_info(repository, files_metadata=True, timeout=ANSWER), None
    names = [file.rfilename for file in info.siblings or ()]
    has_weights = any(name == "model.safetensors" or SHARD.fullmatch(name) for name in names)
    if "config.json" in names and not has_weights and (revision := _find_conversion(api, repository)):
        info = api.model_info(repository, revision=revision, files_metadata=True, timeout=ANSWER)
    sizes = _files_of(repository, {str(file.rfilename): int(file.size or 0) for file in info.siblings or ()})
    stored = sum(size for file, size in sizes.items() if file.endswith(".safetensors"))
    parameters = int(info.safetensors.total) if info.safetensors else stored // 4
    if min(parameters, *sizes.values()) < 0:
        raise ValueError("a size below zero")
    licence = next((tag.removeprefix("license:") for tag in info.tags or () if tag.startswith("license:")), None)
    return _Listing(sizes, parameters, licence and printable_name(licence), revision)


def _find_conversion(api: Any, repository: str) -> str | None:
    """The open pull request in which the hub's converter offers the same weights as safetensors, if there is one."""
    from huggingface_hub import errors

    try:
        discussions = api.get_repo_discussions(
            repository, author=CONVERTER, discussion_type="pull_request", discussion_status="open"
        )
        # The author is checked here too, whatever the hub answers: others' pull requests may hold any weights.
        requests = [request for request in discussions if request.author == CONVERTER and request.is_pull_request]
    except errors.HfHubHTTPError:  # a repository without discussions
        return None
    return next((f"refs/pr/{request.num}" for request in requests if "safetensors" in request.title), None)


def _download(repository: str, file: str, permission: Permission, revision: str | None, meter: _Meter) -> str:
    from huggingface_hub import constants, hf_hub_download

    # Its other transfer protocol, Xet, calls back from threads that an exception does not stop.
    constants.HF_HUB_DISABLE_XET = True
    progress: dict[str, Any] = {"tqdm_class": lambda **_: meter}
    return hf_hub_download(
        repository,
        file,
        revision=revision,
        endpoint=os.environ.get("HF_ENDPOINT"),
        token=_token(permission),
        etag_timeout=ANSWER,
        **progress,
    )


def _token(permission: Permission) -> bool | None:
    """The client's `token`: None for the login of this computer, if there is one; False for none."""
    return None if permission.login else False


def _files_of(repository: str, sizes: dict[str, int]) -> dict[str, int]:
    """The files to fetch among those of a repository, and their sizes in bytes, weights last."""
    small = [file for file in sizes if any(fnmatch(file, pattern) for pattern in SMALL) and "/" not in file]
    weights = ["model.safetensors"] if "model.safetensors" in sizes else sorted(filter(SHARD.fullmatch, sizes))
    if not weights:
        raise refuse_other_weights(repository, list(sizes))
    if "config.json" not in sizes:
        raise ModelError(f"'{repository}' has no config.json, so nobody can say what it is. Choose another model.")
    if weights != ["model.safetensors"]:
        small.append("model.safetensors.index.json")
    if len(small) + len(weights) > MOST_FILES:
        raise ModelError(f"'{repository}' consists of more than {MOST_FILES} files. Choose another model.")
    return {file: sizes.get(file, 0) for file in [*small, *weights]}


def _wait_for(name: str, alternatives: Iterable[str], work: Callable[[], Answer], **limits: Any) -> Answer:
    """As `wait_for`, but every error of the hub is a HubError, and one of the model a ModelError."""

    def request() -> Answer:
        with _as_hub_errors(name, alternatives):
            return work()

    try:
        return wait_for(request, **limits)
    except NoAnswerError as error:
        raise HubError(f"The hub {error}: '{name}' cannot be had now. Try again in a minute.") from error


@contextmanager
def _as_hub_errors(name: str, alternatives: Iterable[str]) -> Iterator[None]:
    """Turns every error of the hub, its client or the connection into a HubError."""
    from huggingface_hub import errors

    try:
        yield
    except (ModelError, NoAnswerError):
        raise
    except errors.GatedRepoError as error:
        raise HubError(
            f"'{name}' is gated: its owner wants to know who downloads it. Ask for access on its page, log in "
            "with `hf auth login`, and start the app on your own computer."
        ) from error
    except errors.RepositoryNotFoundError as error:
        raise HubError(
            f"There is no model '{name}' on the hub, or it is private. Names are case-sensitive and mostly have an "
            "owner, as in 'google-bert/bert-base-uncased'."
        ) from error
    except errors.DisabledRepoError as error:
        raise HubError(f"The hub has withdrawn '{name}'. Choose another model.") from error
    except (errors.HfHubHTTPError, errors.LocalEntryNotFoundError) as error:
        status = getattr(getattr(error.__cause__ or error, "response", None), "status_code", None)
        if status is None:
            raise OfflineError(offline_message(alternatives)) from error
        raise HubError(f"The hub answered with error {status} for '{name}'. Try again in a minute.") from error
    except (OSError, errors.HTTPError) as error:  # HTTPError: the base class of every failed connection
        number = getattr(error, "errno", None)
        if number in (errno.ENOSPC, errno.EACCES, errno.EROFS):
            raise ModelError(f"'{name}' cannot be stored here: {os.strerror(number).lower()}.") from error
        if str(error).startswith("Consistency check failed"):
            raise HubError(f"'{name}' came in another size than the hub has said. Try again in a minute.") from error
        raise OfflineError(offline_message(alternatives)) from error
    except Exception as error:  # whatever a library does with an answer that makes no sense
        raise HubError(f"What the hub says of '{name}' cannot be read. Choose another model.") from error

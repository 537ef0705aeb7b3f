"""What is behind a name, before anything large is fetched or loaded: its kind, its size, whether it may be had."""

from contextlib import suppress
from pathlib import Path

from ..errors import ModelError
from ..hub import repositories
from ..hub.architectures import Task, check_task, no_autoencoder, not_both, read_kind, wrong_page
from ..hub.folders import read_weights
from ..hub.permissions import AT_HOME, Permission, Purpose
from ..progress import Progress, no_progress
from . import embedded, sentiment_classifiers
from .checked_folders import EMBEDDED, TEXT_MODELS, check_folder
from .in_memory import offered_for
from .names import find_source


def inspect(
    name: str,
    purpose: Purpose = "text",
    *,
    permission: Permission = AT_HOME,
    attends: bool = True,
    progress: Progress = no_progress,
) -> repositories.Offer:
    """The kind of a model and its size, before anything large is fetched or loaded. ModelError if it is not available.

    `permission`: what the user may open. `attends`: whether the model must have attention heads; without it timm's
    convolutional networks are allowed too. `progress` is called with the seconds that the hub takes; an exception that
    it raises cancels the request.
    """
    source = find_source(name, purpose, permission)
    if source.kind == "hub":
        return repositories.inspect_repository(
            source.location, purpose, permission, attends=attends, alternatives=EMBEDDED[purpose], progress=progress
        )
    if source.kind == "embedded":
        if purpose == "text" and (title := sentiment_classifiers.titles().get(source.location)):
            return repositories.Offer(
                name, title, sentiment_classifiers.parameter_count(source.location), 0, "apache-2.0"
            )
        texts = embedded.TEXT | sentiment_classifiers.titles()
        if purpose in ("both", "gaps"):
            raise (not_both if purpose == "both" else no_autoencoder)(name, source.location)
        titles, others = (texts, embedded.IMAGE) if purpose == "text" else (embedded.IMAGE, texts)
        if source.location in others:
            raise wrong_page(name, others[source.location], "image" if purpose == "text" else "text")
        parameters = read_weights(embedded.WEIGHTS / source.location, name).parameters
        return repositories.Offer(name, titles[source.location], parameters, 0, "apache-2.0")
    if source.kind == "memory":
        model = offered_for(name, purpose, attends=attends)
        tasks: list[Task] = [task for task, (make, _) in TEXT_MODELS.items() if make is type(model)]
        task = tasks[0] if tasks else "picture"
        return repositories.Offer(name, f"{type(model.network).__name__}: {task}", model.parameters, 0, task=task)
    kind, weights = check_folder(Path(source.location), name, purpose, attends=attends)
    return repositories.Offer(name, f"{kind.architecture}: {kind.task}", weights, 0, task=kind.task)


def fetch(
    name: str, purpose: Purpose = "text", *, permission: Permission = AT_HOME, progress: Progress = no_progress
) -> Path:
    """Fetch a model unless it is on this computer; returns its folder. Nothing is checked: call `inspect` first."""
    source = find_source(name, purpose, permission)
    if source.kind == "hub":
        return repositories.fetch_repository(
            source.location, permission, alternatives=EMBEDDED[purpose], progress=progress
        )
    if source.kind == "folder":
        return Path(source.location)
    if source.kind == "memory":
        raise ModelError(f"'{name}' is in memory, and in no folder.")
    return (
        sentiment_classifiers.FOLDER
        if source.location in sentiment_classifiers.titles()
        else embedded.WEIGHTS / source.location
    )


def purpose_of(name: str) -> Purpose | None:
    """What a model of the hub reads, without a request: by its name, or its files; None where it is not fetched yet."""
    purposes: tuple[Purpose, ...] = ("image", "text", "gaps", "both")  # a CLIP counts as "image"
    for purpose in purposes:
        with suppress(ModelError):
            source = find_source(name, purpose)
            if source.location.startswith("timm/"):
                return "image"
            if folder := repositories.find_fetched(source.location):
                read_kind(folder, name, purpose, attends=False)
                return purpose
    return None


def check_offer(offer: repositories.Offer, required: Task) -> None:
    """Raise ModelError if the task of a model of pictures and texts is not the `required` one (`check_task`)."""
    check_task(offer.name, offer.what.partition(":")[0], offer.task, required)

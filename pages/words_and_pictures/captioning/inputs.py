"""What several sections ask the visitor for: a picture and a captioner."""

from dashboard.inputs import controls
from dashboard.inputs.picture_input import PHOTOGRAPHS, PictureInput
from pages.words_and_pictures.captioning.prose import PAGE

KINDS = {"lstm": "LSTM with attention", "transformer": "Transformer"}


def captioner_for(picture_input: PictureInput, kind: str) -> str:
    """The name of the captioner of a kind that knows the world of the picture."""
    world = "photographs" if picture_input.world == PHOTOGRAPHS else "scenes"
    return f"{world}-{kind}"


def kind(label: str = "Network") -> str:
    """Which of the two networks is looked into."""
    title = controls.menu(label, list(KINDS.values()), key="network_kind", width=190)
    return next(name for name, option in KINDS.items() if option == title)


def beam() -> int:
    """How many captions are kept while one is searched; 1 is greedy."""
    return controls.choice("Beam", (1, 3, 5), key="beam", first=3, about=PAGE.text("Beam"))


def titles(picture_input: PictureInput) -> dict[str, str]:
    """The names of the captioners for a picture, with what they are called here."""
    return {captioner_for(picture_input, kind): title for kind, title in KINDS.items()}

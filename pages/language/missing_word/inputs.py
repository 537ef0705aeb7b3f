"""What the sections of the page begin with: a model that fills gaps, and a text."""

from dataclasses import dataclass

from core import zoo
from core.errors import ModelError
from core.zoo.kinds import fills_masks
from core.zoo.masked_language_models import MaskedLanguageModel
from dashboard.cache.models import text_model
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.inputs import model_name as naming
from dashboard.recordings.watched import Text
from pages.language.missing_word import words

LONGEST = 128  # tokens: as many as bert-books reads, and as can be hidden one by one while somebody waits
WORD_ADDRESS, HIDDEN_ADDRESS = "word", "hide"


@dataclass(frozen=True)
class Given:
    """The name of a masked language model that is ready, and the visitor's text."""

    name: str
    text: Text

    @property
    def model(self) -> MaskedLanguageModel:
        """The model itself."""
        return masked_model(self.name)


def masked_model(name: str) -> MaskedLanguageModel:
    """A model that fills gaps; ModelError if this one does not."""
    model = text_model(name)
    if not fills_masks(model):
        raise ModelError(words.NO_BERT.format(title=model.title))
    return model


def model_name() -> str:
    """The control for the model, whose kind is checked."""
    name = naming.model("text", offered=zoo.MASKED)
    masked_model(name)
    return name


def given() -> Given:
    """The controls for text and model, and examples to click."""
    controls.examples(words.EXAMPLES, forgets=(HIDDEN_ADDRESS, WORD_ADDRESS))
    with layout.control_bar():
        return Given(text=controls.text(first=words.SENTENCE), name=model_name())

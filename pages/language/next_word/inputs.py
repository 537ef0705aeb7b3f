"""What every section of the page begins with: a model that says what comes next, and a text."""

from dataclasses import dataclass

from streamlit.delta_generator import DeltaGenerator

from core.errors import ModelError
from core.zoo.kinds import predicts_next_token
from core.zoo.text_models import CausalLanguageModel
from dashboard.cache.models import text_model
from dashboard.inputs import controls, example_texts, model_name
from dashboard.recordings.watched import Text
from pages.language.next_word.prose import PAGE

WRITTEN_ADDRESS = "written"


@dataclass(frozen=True)
class Selection:
    """The name of a causal language model that is ready, and the visitor's text."""

    name: str
    text: Text

    @property
    def model(self) -> CausalLanguageModel:
        """The model itself; ModelError if it is none that says what comes next."""
        model = text_model(self.name)
        if not predicts_next_token(model):
            raise ModelError(PAGE.text("Not a causal language model", title=model.title))
        return model


def text() -> Text:
    """The controls for the text, with examples to click; for a control bar."""
    chosen = controls.text()
    controls.examples(example_texts.examples("next-word"), forgets=(WRITTEN_ADDRESS,))
    return chosen


def selection(chosen_text: Text, menu: DeltaGenerator) -> Selection:
    """A text and the model that reads it, whose control stands in `menu`; what is said about the model stands here."""
    chosen = Selection(text=chosen_text, name=model_name.model("text", menu=menu))
    assert chosen.model
    return chosen

"""What is computed for Tasks: tags and verdict of a sentence, and every head before and after fine-tuning."""

from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor

from core.fine_tuned import frequent_tags, reading
from core.fine_tuned.attention_moved import maps_of
from core.fine_tuned.frequent_tags import FrequentTags
from core.fine_tuned.reading import Said
from core.heads import measures
from core.measured import bert_tasks_results
from core.measured.bert_tasks_results import Results
from core.text import read_text
from core.zoo import TextModel, embedded
from dashboard.kept import keep
from dashboard.models import text_model

BEFORE = "bert-books"  # the body that fine-tuning began with


@dataclass(frozen=True, eq=False)
class Looks:
    """What was said of a sentence, every head before and after fine-tuning, and how much of each one's moved."""

    said: Said
    before: Float[Tensor, "layer head query key"]
    after: Float[Tensor, "layer head query key"]
    moved: Float[Tensor, "layer head"]


@keep("Loading the fine-tuned model …", computes=False)
def model() -> TextModel:
    """The fine-tuned BERT; ModelError where it is missing. Shared, so it is only ever read."""
    return embedded.load_embedded_text(reading.NAME, weights=embedded.WEIGHTS)


@keep(computes=False)
def frequent() -> FrequentTags:
    """The most frequent tag of each word."""
    return frequent_tags.load(embedded.WEIGHTS / reading.NAME)


@keep(computes=False)
def results() -> Results:
    """What was measured."""
    return bert_tasks_results.results(embedded.WEIGHTS / reading.NAME)


@keep("Both models read …")
def look(sentence: str) -> Looks:
    """Run the model as it was and as it is on a sentence; InputError where there is none."""
    said = reading.read(model(), read_text(sentence))
    before, after = maps_of(text_model(BEFORE), said.tokens), maps_of(model(), said.tokens)
    return Looks(said, before, after, measures.moved(before, after))

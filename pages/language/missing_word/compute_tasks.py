"""What is computed for Tasks: tags and verdict of a sentence, and every head before and after fine-tuning."""

from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor

from core.heads import measures
from core.probing.fine_tuning import frequent_tags, task_predictions
from core.probing.fine_tuning.attention_shift import maps_of
from core.probing.fine_tuning.frequent_tags import FrequentTags
from core.probing.fine_tuning.task_predictions import TaskPredictions
from core.results import bert_tasks_results
from core.results.bert_tasks_results import Results
from core.text import read_text
from core.zoo import TextModel, embedded
from dashboard.cache.memo import cached
from dashboard.cache.models import text_model

BEFORE = "bert-books"  # the body that fine-tuning began with


@dataclass(frozen=True, eq=False)
class FineTuningComparison:
    """Predictions for a sentence, the maps of all heads before and after fine-tuning, and the share that moved."""

    predictions: TaskPredictions
    before: Float[Tensor, "layer head query key"]
    after: Float[Tensor, "layer head query key"]
    moved: Float[Tensor, "layer head"]


@cached("Loading the fine-tuned model …", computes=False)
def model() -> TextModel:
    """The fine-tuned BERT; ModelError where it is missing. Shared, so it is only ever read."""
    return embedded.load_embedded_text(task_predictions.NAME, weights=embedded.WEIGHTS)


@cached(computes=False)
def frequent() -> FrequentTags:
    """The most frequent tag of each word."""
    return frequent_tags.load(embedded.WEIGHTS / task_predictions.NAME)


@cached(computes=False)
def results() -> Results:
    """What was measured."""
    return bert_tasks_results.results(embedded.WEIGHTS / task_predictions.NAME)


@cached("Both models read …")
def look(sentence: str) -> FineTuningComparison:
    """Run the model as it was and as it is on a sentence; InputError where there is none."""
    predictions = task_predictions.read(model(), read_text(sentence))
    before, after = maps_of(text_model(BEFORE), predictions.tokens), maps_of(model(), predictions.tokens)
    return FineTuningComparison(predictions, before, after, measures.moved(before, after))

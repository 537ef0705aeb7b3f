"""What is computed for Inference across languages: the relation of two sentences, and every head before and after."""

from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor

from core.heads import measures
from core.probing.fine_tuning import inference
from core.probing.fine_tuning.inference import Languages
from core.results import bert_inference_results
from core.results.bert_inference_results import BILINGUAL, Results
from core.text import Tokens, read_text
from core.tokens.words import word_spans
from core.zoo import TextModel, embedded
from dashboard.cache.memo import cached
from dashboard.cache.models import text_model


@dataclass(frozen=True, eq=False)
class Reading:
    """Two sentences in one input, the probabilities of RELATIONS, and each head's attention before and after."""

    texts: tuple[str, str]  # as the model reads them
    tokens: Tokens
    labels: tuple[str, ...]  # of the words and special tokens, which are the rows of the maps
    probabilities: Float[Tensor, " relation"]
    before: Float[Tensor, "layer head _ _"]
    after: Float[Tensor, "layer head _ _"]
    moved: Float[Tensor, "layer head"]
    across_before: Float[Tensor, "layer head"]
    across_after: Float[Tensor, "layer head"]


@cached("Loading the fine-tuned model …", computes=False)
def model() -> TextModel:
    """The fine-tuned BERT; ModelError where it is missing. Shared, so it is only ever read."""
    return embedded.load_embedded_text(inference.NAME, weights=embedded.WEIGHTS)


@cached(computes=False)
def results() -> Results:
    """Accuracy in each combination of languages, beside baselines."""
    return bert_inference_results.results(embedded.WEIGHTS / inference.NAME)


@cached("Both models read …")
def read(first: str, second: str, languages: Languages) -> Reading:
    """Run the network before and after fine-tuning on two sentences; InputError where one is empty or too long."""
    texts = read_text(first), read_text(second)
    tokens = inference.encode(model(), texts, languages)
    before, after = (inference.word_maps(network, tokens) for network in (text_model(BILINGUAL), model()))
    spans = word_spans(tokens)
    return Reading(
        texts=inference.both_as_read(texts, languages),
        tokens=tokens,
        labels=tuple("".join(tokens.labels[place] for place in span).strip() for span in spans),
        probabilities=inference.predict(model(), tokens),
        before=before,
        after=after,
        moved=measures.moved(before, after),
        across_before=inference.across(before, tokens),
        across_after=inference.across(after, tokens),
    )

"""What the sections share, kept for the next visitor: classifiers, their verdicts, and what explains them."""

from collections.abc import Hashable
from dataclasses import dataclass, field

import torch
from jaxtyping import Float
from torch import Tensor

from core.attribution import token_methods
from core.errors import ModelError
from core.progress import Progress, no_progress
from core.text import Tokens
from core.zoo import REVIEWERS, Classifier
from core.zoo.kinds import gives_class
from dashboard.cache.memo import cached
from dashboard.cache.models import text_model
from dashboard.inputs import example_texts
from dashboard.recordings.watched import Text, content_of
from pages.language.sentiment.sentences import cut, places


@dataclass(frozen=True, eq=False)
class Verdict:
    """What a classifier says of a text: how probable each class is, and the log-odds of the most probable one."""

    model: Classifier
    tokens: Tokens
    probabilities: Float[Tensor, " class"]
    odds: float
    identity: Hashable = field(kw_only=True)

    @property
    def target(self) -> int:
        """The number of the most probable class."""
        return int(self.probabilities.argmax())

    @property
    def label(self) -> str:
        """Its name."""
        return self.model.classes[self.target]


def model(name: str) -> Classifier:
    """A classifier of ours, or any by name or folder; ModelError if it gives no class to a text."""
    classifier = text_model(name)
    if not gives_class(classifier):
        raise ModelError(
            f"{classifier.title} gives a text no class. Choose one of the classifiers on the list, or a model for "
            "sequence classification by name or folder."
        )
    if len(classifier.classes) < 2:
        raise ModelError(
            f"{classifier.title} has a single class: it can say nothing else, so there is nothing to explain."
        )
    return classifier


@cached("Reading …")
def verdict(name: str, text: Text) -> Verdict:
    """One classifier's; InputError where there is no text."""
    return _read(name, content_of(text), identity=(name, text))


def verdicts(text: Text, names: tuple[str, ...]) -> tuple[Verdict, ...]:
    """Several classifiers', in the order of their names."""
    return tuple(verdict(name, text) for name in names)


@dataclass(frozen=True)
class Sentence:
    """One sentence of a text, and what a classifier says of it by itself."""

    text: str
    places: range  # its tokens in the whole text
    label: str
    probability: float  # of the class that was asked about


@cached("Reading sentence by sentence …", unit="sentences")
def sentences(name: str, text: Text, target: int, progress: Progress = no_progress) -> tuple[Sentence, ...]:
    """Each sentence of a text, read by itself; those beyond what the model reads of the whole text are left out."""
    prediction, parts = verdict(name, text), cut(content_of(text))
    spans = places(prediction.model.tokenizer, prediction.tokens, parts)
    read = [(part, span) for part, span in zip(parts, spans, strict=True) if span]
    judged_sentences = []
    for done, (part, span) in enumerate(read):
        progress(done, len(read))
        alone = _read(name, part, identity=part)
        judged_sentences.append(Sentence(part, span, alone.label, float(alone.probabilities[target])))
    return tuple(judged_sentences)


@cached(computes=False)
def methods(name: str) -> tuple[str, ...]:
    """The explanations that a classifier has."""
    return token_methods.methods_of(model(name))


@cached("Explaining the verdict …", unit="words")
def explanation(
    text: Text, name: str, method: str, target: int, progress: Progress = no_progress
) -> Float[Tensor, " token"]:
    """One score for each token; see `core.attribution.token_methods.explain`."""
    return token_methods.explain(model(name), verdict(name, text).tokens, method, target, progress)


@cached("Reading a text of empty words …")
def baseline_log_odds(name: str, text: Text, target: int) -> float:
    """The log-odds of a class for the text that integrated gradients begin from."""
    return token_methods.baseline_log_odds(model(name), verdict(name, text).tokens, target)


def _read(name: str, content: str, *, identity: Hashable) -> Verdict:
    classifier = model(name)
    tokens = classifier.encode(content)
    logits = token_methods.logits_for(classifier, torch.tensor([tokens.ids]))
    probabilities = logits.softmax(dim=-1)[0]
    odds = float(token_methods.log_odds(logits, int(probabilities.argmax())))
    return Verdict(classifier, tokens, probabilities, odds, identity=identity)


def warm_up() -> None:
    """What the page shows at first."""
    text, names = example_texts.opening("reviews-english"), tuple(REVIEWERS["english"])
    for prediction in verdicts(text, names):
        if prediction.model.name == names[0]:
            for method in methods(names[0]):
                explanation(text, names[0], method, prediction.target)

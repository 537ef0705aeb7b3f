"""What is computed for A small specialist: all networks on one review, on edits of it, and their times."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from jaxtyping import Float
from torch import Tensor

from core.models.bert_tasks import TAGS
from core.progress import Progress, no_progress
from core.results.specialist_results import MeasuredClassifier, measured_classifiers
from core.sentiment import specialists
from core.sentiment.specialists import CLASSES, CONTESTANTS, FINE_TUNED, SENTENCES, SPECIALISTS
from core.text import Tokens
from core.zoo.text_models import Prediction, TextModel
from dashboard.cache.memo import cached
from dashboard.cache.models import text_model
from dashboard.recordings.watched import Text, content_of
from pages.scale.shrinking import compute, compute_distilled

WRITER = "gpt-books"
TITLES = {
    "english-encoder": "One-block encoder",
    "english-rnn": "Recurrent network",
    "english-cnn": "Convolutional network",
    "english-bert": "MiniLM tuned on reviews and phrases",
    "bert-tasks": "BERT tuned on phrases",
}


@dataclass(frozen=True, eq=False)
class Reading:
    """What a network says of a text: its tokens, as far as they are read, and the logits of CLASSES."""

    tokens: Tokens
    logits: Float[Tensor, " class"]

    @property
    def probabilities(self) -> Float[Tensor, " class"]:
        """The probabilities of CLASSES."""
        return self.logits.softmax(dim=-1)

    @property
    def positive(self) -> float:
        """The probability of the class "positive"."""
        return float(self.probabilities[CLASSES.index("positive")])

    @property
    def label(self) -> str:
        """The more probable class."""
        return CLASSES[int(self.logits.argmax())]


Readings = Mapping[str, Reading]  # by the names of CONTESTANTS


@dataclass(frozen=True)
class Edits:
    """A text with its words in reverse order, and with "not" put in or taken out; None where that changes nothing."""

    reversed: str | None
    negated: str | None


@dataclass(frozen=True, eq=False)
class Outputs:
    """What networks can answer besides the sentiment: numbers of outputs by kind, and answers on the visitor's text.

    `masked`: by the names of BERT and its students the first answer for the masked word; `true`: the masked token.
    """

    classes: Mapping[str, int]
    tags: Mapping[str, int]
    masked: Mapping[str, Prediction]
    true: Prediction
    vocabulary: int
    next_word: Prediction
    next_vocabulary: int


@cached("Loading the networks …", computes=False)
def contestant(name: str) -> TextModel:
    """A network of CONTESTANTS."""
    return specialists.load_contestant(name)


@cached("Reading …")
def readings(text: Text) -> Readings:
    """All networks on a text; InputError where there is nothing to read."""
    content, by_name = content_of(text), {}
    for name in CONTESTANTS:
        model = contestant(name)
        tokens = model.encode(content)
        by_name[name] = Reading(tokens, specialists.sentiment_logits(model, tokens))
    return by_name


def edits(text: Text) -> Edits:
    """Both edits of a text."""
    content = content_of(text)
    backwards = specialists.reverse_words(content)
    return Edits(backwards if backwards.split() != content.split() else None, specialists.negate(content))


@cached(computes=False)
def measured(texts: str) -> tuple[MeasuredClassifier, ...]:
    """What was measured on a set of held-out texts; ModelError where the file is missing or wrong."""
    return measured_classifiers(texts)


@cached("Timing the networks …", unit="rounds")
def milliseconds(text: Text, progress: Progress = no_progress) -> dict[str, float]:
    """The median time of a pass over a text for each network, measured here in turns, without the tokenizer."""
    calls: list[Callable[[], object]] = [
        partial(specialists.sentiment_logits, contestant(name), reading.tokens)
        for name, reading in readings(text).items()
    ]
    return dict(zip(CONTESTANTS, compute.timed(calls, progress), strict=True))


# What small networks cannot do.


@cached(computes=False)
def words(text: Text) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]]:
    """The words and signs of a text as the small networks count them, and those that networks do not know, by name."""
    known_words = specialists.words_of(contestant(SPECIALISTS[0]), content_of(text))
    unknown = {name: tuple(specialists.unknown_words(contestant(name), known_words)) for name in CONTESTANTS}
    return tuple(known_words), unknown


def other_context(texts: str) -> int:
    """The number of tokens that the BERT reads which was not tuned on texts of this set."""
    return next(contestant(name).context for of_set, name in FINE_TUNED.items() if of_set != texts)


def vocabulary() -> int:
    """The number of words and signs that the small networks know."""
    tokenizer = contestant(SPECIALISTS[0]).tokenizer
    return tokenizer.get_vocab_size() - len(tokenizer.get_added_tokens_decoder())


@cached("Asking for a masked and for the next word …")
def outputs(text: Text, number: int) -> Outputs:
    """What the networks answer when word `number` of a text is masked, and which token comes next."""
    comparison = compute_distilled.hidden_word(text, number)
    assert comparison.true is not None
    writer = text_model(WRITER)
    run = writer.run(writer.encode(content_of(text)))
    assert run.logits is not None

    def answer(of: Float[Tensor, " token"], token: int) -> Prediction:
        return Prediction(comparison.answers[token].strip(), float(of[token]), token)

    masked = {
        name: answer(output.probabilities, int(output.probabilities.argmax()))
        for name, output in comparison.outputs.items()
    }
    (next_word,) = writer.predictions(run, top=1)
    return Outputs(
        classes={name: len(reading.logits) for name, reading in readings(text).items()},
        tags={FINE_TUNED[SENTENCES]: len(TAGS)},
        masked=masked,
        true=answer(comparison.outputs[comparison.teacher].probabilities, comparison.true),
        vocabulary=len(comparison.answers),
        next_word=next_word,
        next_vocabulary=run.logits.shape[-1],
    )

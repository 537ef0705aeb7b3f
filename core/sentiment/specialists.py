"""Small networks trained for sentiment alone, beside BERTs fine-tuned for it: the networks, and edits of a text.

model = load_contestant("english-rnn")
sentiment_logits(model, model.encode("A small, brilliant film.")).softmax(dim=-1)     # negative, positive
"""

import re
from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from ..models.bert_tasks import SENTIMENTS, TasksBERT
from ..text import Tokens
from ..zoo.embedded import load_embedded_text
from ..zoo.sentiment_classifiers import load_reviewer
from ..zoo.text_models import TextModel

REVIEWS, SENTENCES = "reviews", "sentences"  # held-out texts: of IMDB's test part, and of SST-2's dev part
SPECIALISTS = ("english-encoder", "english-rnn", "english-cnn")  # trained from random weights, for sentiment alone
FINE_TUNED = {REVIEWS: "english-bert", SENTENCES: "bert-tasks"}  # by the texts on which the others are compared with it
CONTESTANTS = (*SPECIALISTS, *FINE_TUNED.values())
# The sets from whose training part each learned.
TRAINED_ON = dict.fromkeys(SPECIALISTS, (REVIEWS,)) | {"english-bert": (REVIEWS, SENTENCES), "bert-tasks": (SENTENCES,)}

CLASSES = SENTIMENTS  # of all of them, in the order of their logits
# Forms of "be", "have", "do" and modal verbs, after which English puts "not".
AUXILIARIES = (
    *("is", "are", "was", "were", "am", "has", "have", "had", "does", "do", "did"),
    *("can", "could", "will", "would", "shall", "should", "may", "might", "must"),
)
_NEGATED = re.compile(rf"\b({'|'.join(AUXILIARIES)})(?:(\s+not|n['’]t)\b|\b)", re.IGNORECASE)
_CANNOT = re.compile(r"\bcannot\b", re.IGNORECASE)
_SHORTENED = re.compile(r"\b(ca|wo|sha)n['’]t\b", re.IGNORECASE)
_FULL = {"ca": "can", "wo": "will", "sha": "shall"}


def load_contestant(name: str) -> TextModel:
    """A network of CONTESTANTS; KeyError or ModelError for another name."""
    return load_embedded_text(name) if name == FINE_TUNED[SENTENCES] else load_reviewer(name)


def logits_for(
    model: TextModel, tokens: Int[Tensor, "batch token"], padding: Bool[Tensor, "batch token"] | None = None
) -> Float[Tensor, "batch class"]:
    """The logits of the classes (negative, positive) for each text; `padding` is True where no token is."""
    outputs = model.network(tokens, padding)
    return outputs[1] if isinstance(model.network, TasksBERT) else outputs


@torch.inference_mode()
def sentiment_logits(model: TextModel, tokens: Tokens) -> Float[Tensor, " class"]:
    """The logits of a text's classes (negative, positive), from its tokens."""
    return logits_for(model, torch.tensor([tokens.ids]))[0].float()


# Edits of a text.


def reverse_words(text: str) -> str:
    """The words of a text in reverse order; punctuation stays with its word."""
    return " ".join(reversed(text.split()))


def negate(text: str) -> str | None:
    """A text with "not" after each auxiliary verb, and without it where it stood; None without an auxiliary verb.

    negate("It was not bad, and is long.") is "It was bad, and is not long."
    """
    full = _SHORTENED.sub(lambda match: f"{match[1][0]}{_FULL[match[1].lower()][1:]} not", text)
    full = _CANNOT.sub(lambda match: f"{match[0][0]}an not", full)
    negated = _NEGATED.sub(lambda match: match[1] if match[2] else f"{match[1]} not", full)
    return negated if negated != full else None


def words_of(model: TextModel, text: str) -> list[str]:
    """The words and punctuation marks into which a network's tokenizer cuts a text at first, as they are typed."""
    splitter = model.tokenizer.pre_tokenizer
    return [word for word, _ in splitter.pre_tokenize_str(text)] if splitter else text.split()


def unknown_words(model: TextModel, words: Sequence[str]) -> list[str]:
    """Those of `words` of which a network's tokenizer has any piece unknown, in their order, with repetitions."""
    unknown = {model.tokenizer.token_to_id(name) for name in ("[UNK]", "<unk>")} - {None}
    encodings = [model.tokenizer.encode(word, add_special_tokens=False).ids for word in words]
    return [word for word, ids in zip(words, encodings, strict=True) if unknown & set(ids)]

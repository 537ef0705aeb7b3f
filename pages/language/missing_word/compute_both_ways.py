"""What is computed for Both ways: one word guessed by a GPT and by a BERT, and many words of a held-out page."""

from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Bool, Float

from core.capture import record_attention
from core.errors import InputError
from core.interpretability.masks import kind_of_mask, mask_of
from core.probing.masked_words import one_sided_context
from core.probing.masked_words.one_sided_context import ContextGuesses
from core.probing.masked_words.words import Word, words_of
from core.progress import Progress, no_progress
from core.text import Tokens
from core.zoo.kinds import fills_masks, predicts_next_token, scores_tokens
from core.zoo.text_models import CausalLanguageModel, Prediction, TextModel, best
from dashboard.cache.memo import cached
from dashboard.cache.models import text_model
from dashboard.recordings.watched import Text, content_of
from pages.language.missing_word.inputs import LONGEST, masked_model

FORWARD = "gpt-books"  # of the same books, the same pieces and nearly the same size as bert-books
TOP = 5


@dataclass(frozen=True, eq=False)
class Reading:
    """How one model reads a text in which one word is asked for.

    `mean`: attention averaged over all heads, NaN where the mask forbids a link; `influence`: how much each word
    informs the guess, NaN for the word itself. `true` is the probability of `truth`, the word's first token. `guesses`
    is empty, and `true` NaN, where nothing stands before the first word.
    """

    tokens: Tokens
    words: tuple[Word, ...]
    target: int  # which of the words
    mean: Float[np.ndarray, "query key"]
    allowed: Bool[np.ndarray, "query key"]
    mask: str  # what kind of mask it is
    heads: int
    influence: Float[np.ndarray, " place"]
    guesses: tuple[Prediction, ...]
    truth: int  # the number of the word's first token
    true: float


def forward_model() -> CausalLanguageModel:
    """The model that reads from the left only."""
    model = text_model(FORWARD)
    assert predicts_next_token(model)
    return model


@cached("Reading …")
def words_in(name: str, text: Text) -> tuple[Word, ...]:
    """The words of the text, as far as both models read it."""
    own, other = (words_of(_tokens(model, text)) for model in (masked_model(name), forward_model()))
    last = min(own[-1].number, other[-1].number) if own and other else -1
    return tuple(word for word in own if word.number <= last)


@cached("Reading …")
def read(name: str, text: Text, number: int) -> Reading:
    """What a model makes of the word with this number; a masked language model has it hidden from it."""
    model = text_model(name)
    assert scores_tokens(model)
    tokens = _tokens(model, text)
    words = words_of(tokens)
    target = next((place for place, word in enumerate(words) if word.number == number), None)
    if target is None:
        raise InputError(f"{model.title} does not separate that word from the one before it. Click another word.")
    places = words[target].places
    input_tokens = model.mask_places(tokens, places) if fills_masks(model) else tokens
    with torch.inference_mode(), record_attention(model.network) as record:
        model.run(input_tokens)
    calls = [call for call in record.calls if (call.query_length, call.key_length) == (len(tokens),) * 2]
    mean = torch.stack([torch.cat(list(call.weights_by_heads())).mean(dim=0) for call in calls]).mean(dim=0)
    allowed = mask_of(calls[0])
    first = not fills_masks(model) and places[0] == 0
    guesses: tuple[Prediction, ...] = ()
    if first:
        influence, guesses, true = torch.full((len(words),), torch.nan), (), float("nan")
    else:
        influence, probabilities = one_sided_context.influence(model, tokens, target)
        guesses, true = best(probabilities, TOP, model.label), float(probabilities[tokens.ids[places[0]]])
    return Reading(
        input_tokens,
        words,
        target,
        mean.masked_fill(~allowed, torch.nan).numpy(),
        allowed.numpy(),
        kind_of_mask(allowed),
        sum(call.heads for call in calls),
        influence.numpy(),
        guesses,
        tokens.ids[places[0]],
        true,
    )


def _tokens(model: TextModel, text: Text) -> Tokens:
    return replace(model, context=min(model.context, LONGEST)).encode(content_of(text))


@cached("Guessing the words of a page …", unit="questions")
def page_guessed(name: str, progress: Progress = no_progress) -> ContextGuesses:
    """The words of the held-out page guessed from the left, from the right and from both sides."""
    model = masked_model(name)
    room = model.context - model.tokenizer.num_special_tokens_to_add(is_pair=False) - 1
    side = min(one_sided_context.SIDE, room // 2)
    return one_sided_context.guess_by_context(
        forward_model(), model, one_sided_context.page(), side=side, progress=progress
    )

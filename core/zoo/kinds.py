"""What a text model is asked: for whoever can use one kind only, and says so in a sentence of its own."""

from typing import TypeGuard

from .masked_language_models import MaskedLanguageModel
from .text_models import CausalLanguageModel, Classifier, EncoderDecoder, LanguageModel


def predicts_next_token(model: object) -> TypeGuard[CausalLanguageModel]:
    """Whether the logits at each position are those of the next token (GPT)."""
    return isinstance(model, CausalLanguageModel)


def fills_masks(model: object) -> TypeGuard[MaskedLanguageModel]:
    """Whether it says what should stand in the place of a mask (BERT)."""
    return isinstance(model, MaskedLanguageModel)


def scores_tokens(model: object) -> TypeGuard[LanguageModel]:
    """Whether it gives every token of its vocabulary a score at each position of its input: both of the above."""
    return isinstance(model, LanguageModel)


def gives_class(model: object) -> TypeGuard[Classifier]:
    """Whether it gives the whole text a class."""
    return isinstance(model, Classifier)


def writes_target(model: object) -> TypeGuard[EncoderDecoder]:
    """Whether it reads a source and writes a target (T5)."""
    return isinstance(model, EncoderDecoder)

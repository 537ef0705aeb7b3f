"""One text in an encoder, a decoder and an encoder-decoder: who may attend to whom, and what each model predicts."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import torch
from jaxtyping import Bool, Float

from core.capture import AttentionCall, record_attention
from core.errors import InputError
from core.interpretability import kind_of_mask, mean_attention, open_links
from core.interpretability.masks import MaskKind
from core.probing.masked_words.words import Word, first_to_mask, words_of
from core.text import Cut, Tokens
from core.translation.decoding import BEGIN, UNKNOWN
from core.zoo.kinds import fills_masks, predicts_next_token
from core.zoo.masked_language_models import MaskedLanguageModel
from core.zoo.text_models import CausalLanguageModel, Prediction
from dashboard.cache.memo import cached
from dashboard.cache.models import text_model, translator
from dashboard.recordings.watched import Text, content_of
from pages.foundations.inside_the_transformer.compute import LONGEST, TRANSLATOR

BERT, GPT = "bert-books", "gpt-books"  # trained on the same books, with the same pieces
TOP = 5

Side = Literal["encoder", "decoder", "cross"]


@dataclass(frozen=True, eq=False)
class Links:
    """Who may attend to whom in one part of a model, read off its recorded calls.

    `mean`: the attention averaged over all heads of all layers, NaN where the mask is closed.
    """

    side: Side
    mask: MaskKind
    allowed: Bool[np.ndarray, "query key"]
    mean: Float[np.ndarray, "query key"]
    layers: int
    heads: int  # in all layers together

    @property
    def open(self) -> int:
        """The number of links that the mask leaves open."""
        return int(self.allowed.sum())


@dataclass(frozen=True, eq=False)
class Filled:
    """A text with one word masked in an encoder, and the most probable tokens in the first place of the mask."""

    tokens: Tokens  # with the mask
    words: tuple[Word, ...]
    chosen: int  # the place of the masked word among `words`
    true: int | None  # the number of its first token; None where the text itself contains the mask
    probability: float  # of this token; NaN where it is not known
    predictions: tuple[Prediction, ...]
    links: Links


@dataclass(frozen=True, eq=False)
class Continued:
    """A text in a decoder, and the most probable next tokens."""

    tokens: Tokens
    predictions: tuple[Prediction, ...]
    links: Links


@dataclass(frozen=True, eq=False)
class Translated:
    """A text in an encoder-decoder and its translation.

    `read` are the tokens that the decoder reads: the mark of the beginning, then the translation without its last
    token. `log_probability` is that of the translation in nats; `tokens` counts its tokens, the mark of its end
    included, if it `ended`. `unknown` counts the tokens of the source that stand for what the vocabulary lacks.
    """

    source: Tokens
    read: Tokens
    text: str
    log_probability: float
    tokens: int
    ended: bool
    unknown: int
    encoder: Links
    decoder: Links
    cross: Links

    @property
    def links(self) -> tuple[Links, ...]:
        """All three parts."""
        return self.encoder, self.decoder, self.cross


@dataclass(frozen=True, eq=False)
class SharedText:
    """The part of a text that all three models read, its words, and where it was cut."""

    text: str
    words: tuple[Word, ...]
    cut: Cut | None


def masked_model() -> MaskedLanguageModel:
    """The encoder."""
    model = text_model(BERT)
    assert fills_masks(model)
    return model


def next_token_model() -> CausalLanguageModel:
    """The decoder."""
    model = text_model(GPT)
    assert predicts_next_token(model)
    return model


@cached("Reading …")
def shared(text: Text) -> SharedText:
    """The first tokens of a text, as many as the encoder gets; the decoder has fewer special tokens of its own."""
    raw, model = content_of(text), masked_model()
    cut = replace(model, context=min(LONGEST, model.context)).encode(raw).cut
    beginning = raw[: cut.character] if cut else raw
    words = words_of(model.encode(beginning))
    if not words:
        raise InputError("There is no word in this text that could be masked. Type a sentence.")
    return SharedText(beginning, words, cut)


def usual_word(words: Sequence[Word]) -> int:
    """The place of the word that is masked before anybody chooses."""
    return first_to_mask(words) or 0


@cached("Filling the mask …")
def fill(text: str, chosen: int) -> Filled:
    """Mask the word in place `chosen` and run the encoder once."""
    model = masked_model()
    tokens = model.encode(text)
    words = words_of(tokens)
    masked = model.mask_places(tokens, words[chosen].places)
    with torch.inference_mode(), record_attention(model.network) as record:
        run = model.run(masked)
    place = words[chosen].places[0]
    true = None if tokens.ids[place] == model.mask else tokens.ids[place]
    probability = float("nan") if true is None else float(model.probabilities(run, place)[true])
    predictions = model.predictions(run, place, TOP)
    links = links_of("encoder", record.calls)
    return Filled(masked, words, chosen, true, probability, predictions, links)


@cached("Predicting the next token …")
def go_on(text: str) -> Continued:
    """Run the decoder once."""
    model = next_token_model()
    tokens = model.encode(text)
    with torch.inference_mode(), record_attention(model.network) as record:
        run = model.run(tokens)
    return Continued(tokens, model.predictions(run, top=TOP), links_of("decoder", record.calls))


@cached("Translating …")
def translate(text: str) -> Translated:
    """Translate, and run the encoder-decoder once on source and translation."""
    model = replace(translator(TRANSLATOR), context=LONGEST)
    source = model.encode(text)
    best = model.write(source).best
    read = model.tokens((BEGIN, *best.tokens[:-1])[:LONGEST])
    with torch.inference_mode(), record_attention(model.network) as record:
        model.network(torch.tensor([source.ids]), torch.tensor([read.ids]))
    calls: dict[Side, list[AttentionCall]] = {"encoder": [], "decoder": [], "cross": []}
    for call in record.calls:
        own: Side = "encoder" if call.path.startswith("encoder") else "decoder"
        calls["cross" if call.kind == "cross" else own].append(call)
    parts = {side: links_of(side, calls[side]) for side in calls}
    return Translated(
        source,
        read,
        model.text(best.tokens),
        best.log_probability,
        len(best.tokens),
        best.ended,
        source.ids.count(UNKNOWN),
        **parts,
    )


def links_of(side: Side, calls: Sequence[AttentionCall]) -> Links:
    """The mask and the mean attention of the calls of one part, which all have the same sizes."""
    allowed = open_links(calls)
    heads = sum(call.heads for call in calls)
    return Links(side, kind_of_mask(allowed), allowed.numpy(), mean_attention(calls).numpy(), len(calls), heads)

"""Tests of what a head is said to do (its job): attention weights where the job arises, against a control.

    jobs = repeated_words(model)             # does a head attend to what followed the same words earlier?
    jobs.best                                # (5, 2)
    jobs.of((5, 2))                          # AgainstControl(job=0.62, control=0.22, error=0.02, cases=120)
    previous_tokens(model, texts).of((3, 2)).holds

A weight on one token of one text is no evidence: a head that attends to nouns attends to the noun that followed the
same words earlier, too. The control is the same input without the condition for the job.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from ..capture import AttentionCall, Record, record_attention
from ..errors import InputError
from ..text import Tokens
from ..tokens.words import word_spans
from ..zoo import TextModel
from . import measures
from .ablation import Head
from .head_table import attention_calls, is_full_self_attention, repeated_tokens

PAIRS, SEED = 120, 0
MIN_STANDARD_ERRORS = 2.0  # standard errors by which a job must exceed its control
MIN_DIFFERENCE = 0.1  # in attention weight, by which a job must exceed its control

_ADJECTIVES = ("old", "young", "little", "poor", "tall", "good")
_PEOPLE = ("man", "woman", "king", "boy", "girl", "captain", "doctor", "soldier")
_VERBS = ("looked at", "walked to", "pointed at", "spoke of", "thought of", "came to")
_PLACES = ("sea", "house", "garden", "river", "door", "table", "fire", "ship")


@dataclass(frozen=True)
class AgainstControl:
    """One head: its mean weight where the job arises and in the control, from 0 to 1.

    `error` is the standard error of the mean difference over `cases` cases; NaN for fewer than two.
    """

    job: float
    control: float
    error: float
    cases: int

    @property
    def difference(self) -> float:
        """The mean weight where the job arises, minus that in the control."""
        return self.job - self.control

    @property
    def holds(self) -> bool:
        """Whether the job exceeds its control by MIN_DIFFERENCE and MIN_STANDARD_ERRORS; False with NaN."""
        return self.difference >= MIN_DIFFERENCE and self.difference > MIN_STANDARD_ERRORS * self.error


@dataclass(frozen=True, eq=False)
class Jobs:
    """The weights of every head in every case; NaN where there is no such head, or no attention in that case."""

    job: Float[Tensor, "draw layer head"]
    control: Float[Tensor, "draw layer head"]

    def of(self, head: Head) -> AgainstControl:
        """One head, (layer, head); InputError if there is none of that number."""
        layer, number = head
        if not (0 <= layer < self.job.shape[1] and 0 <= number < self.job.shape[2]):
            raise InputError(f"There is no head {number} in layer {layer} of this model.")
        job, control = self.job[:, layer, number], self.control[:, layer, number]
        defined = ~(job - control).isnan()
        job, control = job[defined], control[defined]
        cases = len(job)
        error = float((job - control).std() / cases**0.5) if cases > 1 else float("nan")
        return AgainstControl(float(job.mean()), float(control.mean()), error, cases)

    @property
    def best(self) -> Head | None:
        """The head with the largest mean difference; None where no head has one."""
        differences = (self.job - self.control).nanmean(dim=0)
        if not differences.numel() or differences.isnan().all():
            return None
        layer, head = divmod(int(differences.nan_to_num(nan=-torch.inf).argmax()), differences.shape[1])
        return layer, head


def repetitions(count: int = PAIRS, seed: int = SEED) -> tuple[tuple[str, str, str], ...]:
    """Pairs of sentences and the word that the last token is to attend to; only the first repeats the words before it.

    In both the word has the same place in the first half, and the second half is the same:
    "The old man looked at their house, and the old man looked at their" and
    "A young boy walked to my house, and the old man looked at their".
    """
    draw, pairs = random.Random(seed), []
    for _ in range(count):
        (adjective, other_adjective), (person, other_person), (verb, other_verb) = (
            draw.sample(words, 2) for words in (_ADJECTIVES, _PEOPLE, _VERBS)
        )
        place = draw.choice(_PLACES)
        end = f" {place}, and the {adjective} {person} {verb} their"
        repeated = f"The {adjective} {person} {verb} their{end}"
        pairs.append((repeated, f"A {other_adjective} {other_person} {other_verb} my{end}", place))
    return tuple(pairs)


@torch.inference_mode()
def repeated_words(model: TextModel, count: int = PAIRS, seed: int = SEED) -> Jobs:
    """The attention of the last token to the word after the same words earlier (Olsson et al. 2022, "prefix matching").

    The control is the weight on the same word in a text in which none of the words before it are repeated. Of words
    of several tokens the first counts.
    """
    pairs = repetitions(count, seed)
    rows = _last_rows(model, [text for repeated, fresh, _ in pairs for text in (repeated, fresh)])
    weights = [maps[..., _first_place(tokens, pairs[number // 2][2])] for number, (tokens, maps) in enumerate(rows)]
    return Jobs(torch.stack(weights[::2]), torch.stack(weights[1::2]))


@torch.inference_mode()
def random_repeats(model: TextModel, seed: int = SEED) -> Jobs:
    """The induction score of each head on random tokens that repeat once, one draw for each sequence (Olsson et al.).

    The control has other random tokens in place of the first ones: attention to the same positions there depends on
    the distance, not on the repetition. Layers are all attention calls, NaN for cross attention and in a context too
    short to repeat.
    """
    tokens = repeated_tokens(model, seed)
    period = tokens.shape[1] // 2
    fresh = torch.cat([repeated_tokens(model, seed + 1)[:, :period], tokens[:, period:]], dim=1)
    return Jobs(*(_induction(model, sequences, period) for sequences in (tokens, fresh)))


def _induction(model: TextModel, tokens: Int[Tensor, "batch token"], period: int) -> Float[Tensor, "draw layer head"]:
    calls = attention_calls(model, tokens)
    scores = torch.full((len(tokens), len(calls), max(call.heads for call in calls)), torch.nan)
    for layer, call in enumerate(calls):
        if period > 1 and call.query_length == 2 * period and is_full_self_attention(call):
            maps = torch.stack([torch.cat(list(call.weights_by_heads(item))) for item in range(call.batch_size)])
            scores[:, layer, : call.heads] = measures.induction(maps, period)
    return scores


@torch.inference_mode()
def previous_tokens(model: TextModel, texts: Sequence[str]) -> Jobs:
    """The mean attention of a token to the previous one, for each text.

    The control is the attention to the token two before: a head that only prefers near tokens gives it nearly as much.
    Texts of fewer than three tokens are left out. Raises InputError if none remains.
    """
    job, control = [], []
    for text in texts:
        tokens = model.encode(text)
        if len(tokens) < 3:
            continue
        maps = _attention_maps(model, tokens)
        job.append(maps.diagonal(-1, dim1=-2, dim2=-1)[..., 1:].nanmean(dim=-1))
        control.append(maps.diagonal(-2, dim1=-2, dim2=-1).nanmean(dim=-1))
    if not job:
        raise InputError("None of these texts has 3 tokens: no token has two before it. Write longer ones.")
    return Jobs(torch.stack(job), torch.stack(control))


def _attention_maps(model: TextModel, tokens: Tokens) -> Float[Tensor, "layer head query key"]:
    """The self-attention of all heads on one text, each row as parts of its own sum."""
    with record_attention(model.network) as record:
        model.run(tokens)
    return _stacked(
        [
            measures.shares(torch.cat(list(call.weights_by_heads())))
            for call in _full_self_attention(record, len(tokens))
        ]
    )


def _last_rows(model: TextModel, texts: Sequence[str]) -> list[tuple[Tokens, Float[Tensor, "layer head key"]]]:
    """The attention of the last token of each text to each token; texts of one length run as one batch."""
    encoded = [model.encode(text) for text in texts]
    rows: dict[int, Float[Tensor, "layer head key"]] = {}
    for length in sorted({len(tokens) for tokens in encoded}):
        places = [place for place, tokens in enumerate(encoded) if len(tokens) == length]
        with record_attention(model.network) as record:
            model.network(torch.tensor([encoded[place].ids for place in places]))
        calls = _full_self_attention(record, length)
        for item, place in enumerate(places):
            maps = [torch.cat(list(call.weights_by_heads(item, [length - 1])))[:, 0] for call in calls]
            rows[place] = _stacked([measures.shares(layer) for layer in maps])
    return [(tokens, rows[place]) for place, tokens in enumerate(encoded)]


def _full_self_attention(record: Record, length: int) -> list[AttentionCall]:
    """The calls in which all tokens of the text attend to one another."""
    return [call for call in record.calls if call.query_length == call.key_length == length and not call.partial]


def _stacked(maps: Sequence[Tensor]) -> Tensor:
    """Stack the layers; NaN for heads that a layer does not have. Raises InputError if there is no layer."""
    if not maps:
        raise InputError("No layer of this model lets the tokens of the whole text attend to one another.")
    most = max(len(layer) for layer in maps)
    stacked = torch.full((len(maps), most, *maps[0].shape[1:]), torch.nan)
    for number, layer in enumerate(maps):
        stacked[number, : len(layer)] = layer
    return stacked


def _first_place(tokens: Tokens, word: str) -> int:
    spans = word_spans(tokens)
    return next(span.start for span in spans if "".join(tokens.labels[place] for place in span).strip() == word)

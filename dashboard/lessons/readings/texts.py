"""Readings of models that read text; tokens are counted from 0, and from the end below 0."""

from collections.abc import Sequence

import torch

from core.anatomy.logit_lens import logit_lens
from core.anatomy.walk import walk
from core.capture import AttentionCall
from core.errors import InputError
from core.heads import measures
from core.heads.ablation import trial
from core.measured import character_results
from core.memory.gradient_reach import reach, shares
from core.models import gpt
from core.models.character import load_characters
from core.order.permutation import compare, shuffle, take_gpt
from core.text import read_text
from core.zoo.missing_token import MissingToken
from core.zoo.text_models import TextModel
from dashboard import watched
from dashboard.lessons.readings.answers import Amount, Choice, told_apart
from dashboard.models import text_model, translator

GPT, BERT = "gpt-books", "bert-books"
MASK = "[MASK]"
LIKELY = 6  # tokens that are offered where a lesson names none
OLDER = {"rnn": "RNN", "lstm": "LSTM", "gru": "GRU", "convolution": "Convolution", "self_attention": "Self-attention"}
MEASURES = {
    "token before": measures.previous_token,
    "first token": measures.first_token,
    "itself": measures.same_token,
}


def next_token(text: str, model: str = GPT, options: Sequence[str] = ()) -> Choice:
    """How probable each word is as the next one."""
    reader = text_model(model)
    chances = reader.probabilities(reader.run(reader.encode(text)))
    return _chances(reader, chances, options)


def hidden_word(text: str, model: str = BERT, options: Sequence[str] = ()) -> Choice:
    """How probable each word is in the place of [MASK]."""
    reader = text_model(model)
    tokens = reader.encode(text)
    if not isinstance(reader, MissingToken) or tokens.ids.count(reader.mask) != 1:
        raise InputError(f"This reading needs a masked language model, and a text with one {MASK} in it.")
    return _chances(reader, reader.probabilities(reader.run(tokens), tokens.ids.index(reader.mask)), options)


def looks_at(text: str, layer: int, head: int, token: int = -1, model: str = GPT) -> Choice:
    """What a head gives each token, for one token that looks."""
    seen = watched.watch_text(model, text)
    row = _call(seen, layer, head).weights(head)[token]
    labels = told_apart(seen.given.labels)
    return Choice({label: float(weight) for label, weight in zip(labels, row, strict=True) if weight > 0})


def head_that_looks_at(text: str, layer: int, at: str, model: str = GPT) -> Choice:
    """What each head of a layer gives to one of MEASURES, on average over tokens, such as the "token before"."""
    if at not in MEASURES:
        raise InputError(f"A head is measured by what it gives to one of: {', '.join(MEASURES)}.")
    call = _call(watched.watch_text(model, text), layer, 0)
    return Choice({f"head {head}": float(MEASURES[at](call.weights(head))) for head in range(call.heads)})


def head_that_is_missed(text: str, layer: int, model: str = GPT) -> Choice:
    """How much the loss of the text rises, in nats a token, when one head of a layer is silenced."""
    reader = text_model(model)
    whole = trial(reader, reader.encode(read_text(text)))
    return Choice({f"head {head}": whole.cost((at, head)) for at, head in whole.heads if at == layer}, "nats")


def layer_that_knows(text: str, model: str = GPT) -> Amount:
    """After how many blocks the logit lens first shows what the model says in the end, and no more another."""
    reader = text_model(model)
    tokens = reader.encode(text)
    lens = logit_lens(walk(reader.network, lambda network: network(torch.tensor([tokens.ids]))))
    first = [bool(rank == 1) for rank in lens.final_rank[:, -1]]
    return Amount(float(next(layer for layer in range(len(first)) if all(first[layer:]))), within=0.0)


def unmoved_by_a_shuffle(text: str, layer: int = 0, model: str = GPT) -> Choice:
    """Shuffle the words: how far a layer's self-attention then is from the same results in another order.

    The largest difference in any channel, by what tells the places apart.
    """
    reader = text_model(model)
    if not isinstance(reader.network, gpt.GPT):
        raise InputError("This reading needs one of our GPTs: its attention must also run without its mask.")
    taken = take_gpt(reader.network, torch.tensor(reader.encode(text).ids))
    part, order = taken.attention[layer], shuffle(len(taken.content), seed=0)
    found = {
        "nothing": compare(part, taken.content, order),
        "positions": compare(part, taken.content, order, places=taken.places),
        "the causal mask": compare(part, taken.content, order, causal=True),
    }
    return Choice({told: each.largest for told, each in found.items()}, "", least=True)


def tokens_of(text: str, model: str = GPT) -> Amount:
    """How many tokens a text has."""
    return Amount(float(len(text_model(model).encode(text))), "tokens", within=0.0)


def remembers(line: str) -> Choice:
    """Of each of five networks: the share of the gradient of its answer that reaches the first quarter of a line."""
    alphabet, readers = load_characters(character_results.FOLDER)
    characters = alphabet.encode(line)[None]
    early = len(line) // 4
    return Choice(
        {OLDER[name]: float(shares(reach(each, characters))[0, :early].sum()) for name, each in readers.items()}
    )


def comes_from(text: str, word: str, model: str = "transformer") -> Choice:
    """What the step that wrote a French word gave each English token, the mean of all heads of the last layer."""
    writer = translator(model)
    source = writer.encode(text)
    target = writer.tokens(writer.write(source).best.tokens)
    written = [label.strip() for label in target.labels]
    if word not in written:
        raise InputError(f"The translation is “{writer.text(target.ids)}”: “{word[:40]}” is not a token in it.")
    row = writer.align(source, target).cross[-1].mean(dim=0)[written.index(word)]
    return Choice(dict(zip(told_apart(source.labels), row.tolist(), strict=True)))


def verdict(text: str, model: str = "english-bert") -> Choice:
    """How probable each class is to a classifier."""
    reader = text_model(model)
    run = reader.run(reader.encode(text))
    assert run.logits is not None
    return Choice(dict(zip(reader.classes, run.logits.softmax(dim=-1).tolist(), strict=True)))


def _call(seen: watched.WatchedText, layer: int, head: int) -> AttentionCall:
    watched.silence(seen.record, [(layer, head)])  # the sentence for a head that is none
    return seen.record.calls[layer]


def _chances(reader: TextModel, chances: torch.Tensor, options: Sequence[str]) -> Choice:
    """By words; those that are named, each by its first token, or the likeliest."""
    if not options:
        values, numbers = chances.topk(LIKELY)
        return Choice(dict(zip(told_apart(map(reader.label, numbers.tolist())), values.tolist(), strict=True)))
    return Choice({word: float(chances[_first_token(reader, word)]) for word in options})


def _first_token(reader: TextModel, word: str) -> int:
    """The first token of a word inside a text."""
    tokens = reader.encode(f"a {word}")
    own = [number for number, special in zip(tokens.ids, tokens.special, strict=True) if not special]
    return own[1]

"""Readings of models that read text; tokens are counted from 0, and from the end below 0."""

import math
from collections.abc import Sequence
from dataclasses import replace

import torch

from core.capture import AttentionCall, by_layer
from core.errors import InputError
from core.heads import measures
from core.heads.ablation import trial
from core.heads.head_table import repeated_tokens
from core.heads.repetition import listen
from core.interpretability.logit_lens import logit_lens
from core.interpretability.walk import walk
from core.models import gpt
from core.models.character import load_characters
from core.order.permutation import compare, shuffle, take_gpt
from core.reach.gradient_reach import reach, shares
from core.results import character_results
from core.text import read_text
from core.zoo.masked_language_models import MissingToken
from core.zoo.text_models import TextModel
from dashboard.cache.models import text_model, translator
from dashboard.lessons.readings.answers import Amount, Choice, percent, told_apart
from dashboard.recordings import head_jobs, notices, watched

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
    """What a head gives each token, for one token that looks.

    Beside it: what a token gives the one before, on average over this text, and what even attention would give it.
    """
    seen = watched.watch_text(model, text)
    call = _call(seen, layer, head)
    weights, labels = call.weights(head), told_apart(seen.given.labels)
    row = zip(labels, weights[token], strict=True)
    return Choice({label: float(weight) for label, weight in row if weight > 0}, beside=_before(call, head))


def finds_again(text: str, layer: int, head: int, model: str = GPT) -> Choice:
    """What a head gives each token of a text that repeats some words, for the last token.

    Beside it: what it gives, over many sentences, to the word that followed the same words earlier ("repeated"), and to
    the same word where they are not repeated ("control"), in so many "cases".
    """
    tested = head_jobs.repeated_words(model).of((layer, head))
    beside = {
        "repeated": percent(tested.job),
        "control": percent(tested.control),
        "error": f"{100 * tested.error:.1f}",
        "cases": f"{tested.cases}",
        "verdict": "finds what followed the same words" if tested.holds else "does not look for what followed",
    }
    return replace(looks_at(text, layer, head, model=model), beside=beside)


def head_that_finds(layer: int, model: str = GPT) -> Choice:
    """What each head of a layer gives to the word that followed the same words earlier, beyond its control.

    Over many sentences, in points of a per cent: `repeated` less `control` of `finds_again`. Beside it: the loss in
    nats of random tokens, the first and the second time that they are said, and that of guessing evenly.
    """
    heads = head_jobs.repeated_words(model)
    tested = {head: heads.of((layer, head)) for head in range(heads.job.shape[2])}
    heard = listen(text_model(model), repeated_tokens(text_model(model)))
    vocabulary = text_model(model).tokenizer.get_vocab_size()
    beside = {
        "first": f"{float(heard.first.mean()):.1f}",
        "second": f"{float(heard.second.mean()):.1f}",
        "evenly": f"{math.log(vocabulary):.1f}",
        **{f"head {head} repeated": percent(of.job) for head, of in tested.items()},
        **{f"head {head} control": percent(of.control) for head, of in tested.items()},
    }
    return Choice({f"head {head}": 100 * of.difference for head, of in tested.items()}, "points", beside=beside)


def head_that_looks_at(text: str, layer: int, at: str, model: str = GPT) -> Choice:
    """What each head of a layer gives to one of MEASURES, on average over tokens, such as the "token before"."""
    if at not in MEASURES:
        raise InputError(f"A head is measured by what it gives to one of: {', '.join(MEASURES)}.")
    call = _call(watched.watch_text(model, text), layer, 0)
    values = {f"head {head}": float(MEASURES[at](call.weights(head))) for head in range(call.heads)}
    return Choice(values, beside={"even": _before(call, 0)["even"]} if at == "token before" else {})


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
    known = next(layer for layer in range(len(first)) if all(first[layer:]))
    return Amount(float(known), within=0.0, beside={"blocks": f"{len(first) - 1}"})


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
    """Of each of five networks: the share of the gradient of its answer that reaches the first quarter of a line.

    Beside it: the share of a network for which every letter counts the same ("even").
    """
    alphabet, readers = load_characters(character_results.FOLDER)
    characters = alphabet.encode(line)[None]
    early = len(line) // 4
    return Choice(
        {OLDER[name]: float(shares(reach(each, characters))[0, :early].sum()) for name, each in readers.items()},
        beside={"even": percent(early / len(line))},
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


def _before(call: AttentionCall, head: int) -> dict[str, str]:
    """What a token gives on average to the one before it, and what it would of even attention; of one token nothing."""
    rows = torch.arange(1, call.query_length)
    if not len(rows):
        return {}
    even = notices.even_shares(call, head, rows)[1]
    return {"before": percent(float(measures.previous_token(call.weights(head)))), "even": percent(even)}


def _call(seen: watched.WatchedText, layer: int, head: int) -> AttentionCall:
    watched.silence(seen.record, [(layer, head)])  # the sentence for a head that is none
    return by_layer(seen.record.calls)[layer]


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

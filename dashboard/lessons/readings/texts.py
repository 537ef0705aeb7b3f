"""Readings of models that read text; tokens are counted from 0, and from the end below 0."""

import math
from collections.abc import Sequence
from dataclasses import replace

import torch

from core.capture import AttentionCall, by_layer
from core.errors import InputError
from core.heads import measures
from core.heads.ablation import prepare_trial
from core.heads.head_table import repeated_tokens
from core.heads.repetition import run_repetition
from core.interpretability.logit_lens import logit_lens
from core.interpretability.walk import walk
from core.models import gpt
from core.models.character import load_characters
from core.order.permutation import compare, shuffle, split_gpt
from core.reach.gradient_reach import reach, shares
from core.results import character_results
from core.text import read_text
from core.zoo.kinds import fills_masks
from core.zoo.text_models import TextModel
from dashboard.cache.models import text_model, translator
from dashboard.lessons.readings.answers import Amount, Choice, percent, unique_labels
from dashboard.recordings import head_jobs, notices, watched

GPT, BERT = "gpt-books", "bert-books"
MASK = "[MASK]"
LIKELY = 6  # tokens that are offered where a lesson names none
CHARACTER_NETWORKS = {
    "rnn": "RNN",
    "lstm": "LSTM",
    "gru": "GRU",
    "convolution": "Convolution",
    "self_attention": "Self-attention",
}
MEASURES = {
    "token before": measures.previous_token,
    "first token": measures.first_token,
    "itself": measures.same_token,
}


def next_token(text: str, model: str = GPT, options: Sequence[str] = ()) -> Choice:
    """The probability of each word as the next one."""
    reader = text_model(model)
    probabilities = reader.probabilities(reader.run(reader.encode(text)))
    return _choice_of_words(reader, probabilities, options)


def hidden_word(text: str, model: str = BERT, options: Sequence[str] = ()) -> Choice:
    """The probability of each word in the place of [MASK]."""
    reader = text_model(model)
    tokens = reader.encode(text)
    if not fills_masks(reader) or tokens.ids.count(reader.mask) != 1:
        raise InputError(f"This reading needs a masked language model, and a text with one {MASK} in it.")
    return _choice_of_words(reader, reader.probabilities(reader.run(tokens), tokens.ids.index(reader.mask)), options)


def attends_to(text: str, layer: int, head: int, token: int = -1, model: str = GPT) -> Choice:
    """The weights that a head gives each token, for one query token.

    Beside it: the mean weight on the previous token over this text ("before"), and that of even attention ("even").
    """
    recording = watched.watch_text(model, text)
    call = _call(recording, layer, head)
    weights, labels = call.weights(head), unique_labels(recording.inputs.labels)
    row = zip(labels, weights[token], strict=True)
    return Choice({label: float(weight) for label, weight in row if weight > 0}, extra=_before(call, head))


def finds_again(text: str, layer: int, head: int, model: str = GPT) -> Choice:
    """The weights that a head gives each token of a text that repeats some words, for the last token.

    Beside it, over many sentences: the weight on the word that followed the same words earlier ("repeated"), that on
    the same word where they are not repeated ("control"), and the number of "cases".
    """
    result = head_jobs.repeated_words(model).of((layer, head))
    extra = {
        "repeated": percent(result.job),
        "control": percent(result.control),
        "error": f"{100 * result.error:.1f}",
        "cases": f"{result.cases}",
        "verdict": "finds what followed the same words" if result.holds else "does not look for what followed",
    }
    return replace(attends_to(text, layer, head, model=model), extra=extra)


def head_that_finds(layer: int, model: str = GPT) -> Choice:
    """The weight of each head of a layer on the word that followed the same words earlier, less that of its control.

    Over many sentences, in percentage points: `repeated` less `control` of `finds_again`. Beside it: the loss in nats
    of random tokens at their first and second occurrence, and that of a uniform guess.
    """
    heads = head_jobs.repeated_words(model)
    results = {head: heads.of((layer, head)) for head in range(heads.job.shape[2])}
    losses = run_repetition(text_model(model), repeated_tokens(text_model(model)))
    vocabulary = text_model(model).tokenizer.get_vocab_size()
    extra = {
        "first": f"{float(losses.first.mean()):.1f}",
        "second": f"{float(losses.second.mean()):.1f}",
        "evenly": f"{math.log(vocabulary):.1f}",
        **{f"head {head} repeated": percent(result.job) for head, result in results.items()},
        **{f"head {head} control": percent(result.control) for head, result in results.items()},
    }
    return Choice({f"head {head}": 100 * result.difference for head, result in results.items()}, "points", extra=extra)


def head_that_looks_at(text: str, layer: int, at: str, model: str = GPT) -> Choice:
    """The mean weight of each head of a layer on one of MEASURES, such as the "token before"."""
    if at not in MEASURES:
        raise InputError(f"A head is measured by what it gives to one of: {', '.join(MEASURES)}.")
    call = _call(watched.watch_text(model, text), layer, 0)
    values = {f"head {head}": float(MEASURES[at](call.weights(head))) for head in range(call.heads)}
    return Choice(values, extra={"even": _before(call, 0)["even"]} if at == "token before" else {})


def head_that_is_missed(text: str, layer: int, model: str = GPT) -> Choice:
    """The rise of the text's loss, in nats per token, when one head of a layer is ablated."""
    reader = text_model(model)
    baseline = prepare_trial(reader, reader.encode(read_text(text)))
    return Choice({f"head {head}": baseline.cost((at, head)) for at, head in baseline.heads if at == layer}, "nats")


def layer_that_knows(text: str, model: str = GPT) -> Amount:
    """The number of blocks after which the logit lens ranks the final prediction first, and keeps it first."""
    reader = text_model(model)
    tokens = reader.encode(text)
    lens = logit_lens(walk(reader.network, lambda network: network(torch.tensor([tokens.ids]))))
    first = [bool(rank == 1) for rank in lens.final_rank[:, -1]]
    depth = next(layer for layer in range(len(first)) if all(first[layer:]))
    return Amount(float(depth), within=0.0, extra={"blocks": f"{len(first) - 1}"})


def unmoved_by_a_shuffle(text: str, layer: int = 0, model: str = GPT) -> Choice:
    """The largest difference in any channel between the outputs for shuffled tokens and the shuffled outputs.

    By the source of order: nothing, positions, or the causal mask.
    """
    reader = text_model(model)
    if not isinstance(reader.network, gpt.GPT):
        raise InputError("This reading needs one of our GPTs: its attention must also run without its mask.")
    parts = split_gpt(reader.network, torch.tensor(reader.encode(text).ids))
    attention, order = parts.attention[layer], shuffle(len(parts.content), seed=0)
    differences = {
        "nothing": compare(attention, parts.content, order),
        "positions": compare(attention, parts.content, order, positions=parts.positions),
        "the causal mask": compare(attention, parts.content, order, causal=True),
    }
    return Choice({name: difference.largest for name, difference in differences.items()}, "", least=True)


def tokens_of(text: str, model: str = GPT) -> Amount:
    """The number of tokens of a text."""
    return Amount(float(len(text_model(model).encode(text))), "tokens", within=0.0)


def remembers(line: str) -> Choice:
    """For each of five networks, the share of the gradient of its answer that reaches the first quarter of a line.

    Beside it: the share if every letter counted the same ("even").
    """
    alphabet, networks = load_characters(character_results.FOLDER)
    characters = alphabet.encode(line)[None]
    early = len(line) // 4
    return Choice(
        {
            CHARACTER_NETWORKS[name]: float(shares(reach(network, characters))[0, :early].sum())
            for name, network in networks.items()
        },
        extra={"even": percent(early / len(line))},
    )


def comes_from(text: str, word: str, model: str = "transformer") -> Choice:
    """The cross-attention weights of the step that wrote a French word: the mean of all heads of the last layer."""
    writer = translator(model)
    source = writer.encode(text)
    target = writer.tokens(writer.write(source).best.tokens)
    labels = [label.strip() for label in target.labels]
    if word not in labels:
        raise InputError(f"The translation is “{writer.text(target.ids)}”: “{word[:40]}” is not a token in it.")
    row = writer.align(source, target).cross[-1].mean(dim=0)[labels.index(word)]
    return Choice(dict(zip(unique_labels(source.labels), row.tolist(), strict=True)))


def verdict(text: str, model: str = "english-bert") -> Choice:
    """The probability of each class by a classifier."""
    reader = text_model(model)
    run = reader.run(reader.encode(text))
    assert run.logits is not None
    return Choice(dict(zip(reader.classes, run.logits.softmax(dim=-1).tolist(), strict=True)))


def _before(call: AttentionCall, head: int) -> dict[str, str]:
    """The mean weight on the previous token, and that of even attention; empty for a text of one token."""
    rows = torch.arange(1, call.query_length)
    if not len(rows):
        return {}
    even = notices.even_shares(call, head, rows)[1]
    return {"before": percent(float(measures.previous_token(call.weights(head)))), "even": percent(even)}


def _call(recording: watched.WatchedText, layer: int, head: int) -> AttentionCall:
    watched.silence(recording.record, [(layer, head)])  # the sentence for a head that is none
    return by_layer(recording.record.calls)[layer]


def _choice_of_words(reader: TextModel, probabilities: torch.Tensor, options: Sequence[str]) -> Choice:
    """The probabilities of `options`, each by its first token, or of the likeliest tokens if there are none."""
    if not options:
        values, numbers = probabilities.topk(LIKELY)
        return Choice(dict(zip(unique_labels(map(reader.label, numbers.tolist())), values.tolist(), strict=True)))
    return Choice({word: float(probabilities[_first_token(reader, word)]) for word in options})


def _first_token(reader: TextModel, word: str) -> int:
    """The first token of a word inside a text."""
    tokens = reader.encode(f"a {word}")
    ids = [number for number, special in zip(tokens.ids, tokens.special, strict=True) if not special]
    return ids[1]

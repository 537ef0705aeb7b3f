"""The quality of five networks after pruning or rounding, each measured on held-out data.

Each reads the folder of its data: `lm_text`, `sst2`, `tiny_imagenet` and `tatoeba` (training/common/data_sets.py).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from core.shrinking.importance import Losses
from core.translation.decoding import PAD
from core.zoo.embedded import load_embedded_image, load_embedded_text
from core.zoo.translators import load_translator
from training.bert_books.data import read_sentences
from training.bert_books.report import questions
from training.bert_tasks.data import Batches, batch_of, phrase_examples
from training.bert_tasks.train import loss_of
from training.common import pairs
from training.common.language import bits
from training.common.loop import Plan, train
from training.common.pictures import batch_at, vary
from training.common.sst2 import read_phrases
from training.gpt_books.data import Windows, encode_books, read_books
from training.tiny_imagenet.data import normalise, read_pictures
from training.translation.quality import scores, translate

TOKENS, PICTURES, SENTENCES = 8_000, 1_000, 200  # that quality is measured on
RANKING_INPUTS = 32  # inputs by which heads are ranked; none of them is among those above
# How a network learns on after something was taken away; its data are those that it was trained on.
PLAN = Plan(steps=200, learning_rate=5e-4, warm_up=20, decay=0.8, log_every=50, save_every=200)
SEED = 1  # of the order in which it sees them


@dataclass(frozen=True)
class Subject:
    """A network, and how to measure the quality of a smaller one in its place.

    `quality` is a share of right answers to so many `questions`, BLEU, or bits a token (`measure` says which);
    `losses`: the loss of each of RANKING_INPUTS inputs, in nats; `once` runs a network on one input, to be timed;
    `learn`: the loss of a network on the batch of a step.
    """

    name: str
    network: nn.Module
    measure: str
    questions: int
    quality: Callable[[nn.Module], float]
    losses: Losses
    once: Callable[[nn.Module], Any]
    learn: Callable[[nn.Module, int], Tensor] | None = None


def gpt(data: Path, run: Path) -> Subject:
    """`gpt-books`: bits for each token of a book that it has not read."""
    model = load_embedded_text("gpt-books")
    (book,) = read_books(data / "lm_text", held_out=True)
    tokens = np.array(model.tokenizer.encode(book).ids)
    context = 128
    windows_to_rank = torch.from_numpy(tokens[-RANKING_INPUTS * context :].reshape(RANKING_INPUTS, context))

    def losses(network: nn.Module) -> Tensor:
        logits = network(windows_to_rank[:, :-1])
        return F.cross_entropy(logits.transpose(1, 2), windows_to_rank[:, 1:], reduction="none").mean(dim=1)

    def quality(network: nn.Module) -> float:
        return bits(network, tokens[:TOKENS], model.context) / (TOKENS - 1)

    @cache
    def windows() -> Windows:
        run.mkdir(parents=True, exist_ok=True)
        return Windows(encode_books(data / "lm_text", model.tokenizer, run / "books.npy"), context, 16, SEED)

    def learn(network: nn.Module, step: int) -> Tensor:
        batch = windows().batch(step)
        with torch.autocast("cpu", torch.bfloat16):
            return F.cross_entropy(network(batch[:, :-1]).flatten(0, 1).float(), batch[:, 1:].flatten())

    once = windows_to_rank[:1, :64]
    return Subject(
        "gpt-books", model.network, "bits", TOKENS - 1, quality, losses, lambda network: network(once), learn
    )


def bert(data: Path, _run: Path) -> Subject:
    """`bert-tasks`: accuracy of sentiment on the sentences of SST-2's dev part."""
    model = load_embedded_text("bert-tasks")
    texts, sentiments = read_phrases(data / "sst2" / "glue_dev.tsv.gz")
    examples = sorted(
        phrase_examples(texts, sentiments, model.tokenizer, model.context), key=lambda example: len(example.ids)
    )
    batches = [batch_of(examples[start : start + 32]) for start in range(0, len(examples), 32)]
    training_texts, training_sentiments = read_phrases(data / "sst2" / "glue_train.tsv.gz")
    long = [place for place, text in enumerate(training_texts) if len(text.split()) > 8][:RANKING_INPUTS]
    ranking_batch = batch_of(
        list(
            phrase_examples(
                [training_texts[place] for place in long],
                [training_sentiments[place] for place in long],
                model.tokenizer,
                128,
            )
        )
    )

    def losses(network: nn.Module) -> Tensor:
        assert ranking_batch.sentiments is not None
        return F.cross_entropy(
            network(ranking_batch.ids, ranking_batch.padding)[1], ranking_batch.sentiments, reduction="none"
        )

    def quality(network: nn.Module) -> float:
        right = [network(batch.ids, batch.padding)[1].argmax(dim=-1) == batch.sentiments for batch in batches]
        return float(torch.cat(right).float().mean())

    @cache
    def learned_batches() -> Batches:
        phrases = list(phrase_examples(training_texts, training_sentiments, model.tokenizer, model.context))
        return Batches([phrases], tokens=1024, seed=SEED)

    def learn(network: Any, step: int) -> Tensor:
        return loss_of(network, learned_batches().batch(step))

    once = torch.tensor([examples[len(examples) // 2].ids])
    return Subject(
        "bert-tasks",
        model.network,
        "accuracy",
        len(examples),
        quality,
        losses,
        lambda network: network(once),
        learn,
    )


def masked_words(data: Path, _run: Path) -> Subject:
    """`bert-books`: the share of hidden tokens of a book that it has not read whose first guess is right."""
    model = load_embedded_text("bert-books")
    tokens, hidden = questions(
        model.tokenizer, read_sentences(read_books(data / "lm_text", held_out=True), model.tokenizer)
    )
    # The last windows rank the heads, all others measure.
    measured_tokens, ranking_tokens = hidden.tokens[:-RANKING_INPUTS], hidden.tokens[-RANKING_INPUTS:]
    places, true = hidden.is_target[:-RANKING_INPUTS], tokens[:-RANKING_INPUTS][hidden.is_target[:-RANKING_INPUTS]]

    def losses(network: nn.Module) -> Tensor:
        logits = network(ranking_tokens).transpose(1, 2).float()
        loss = F.cross_entropy(logits, tokens[-RANKING_INPUTS:], reduction="none") * hidden.is_target[-RANKING_INPUTS:]
        return loss.sum(dim=1) / hidden.is_target[-RANKING_INPUTS:].sum(dim=1).clamp(min=1)

    def quality(network: nn.Module) -> float:
        predictions = torch.cat([network(part).argmax(dim=-1) for part in measured_tokens.split(16)])
        return float((predictions[places] == true).float().mean())

    once = measured_tokens[:1, :64]
    return Subject("bert-books", model.network, "accuracy", len(true), quality, losses, lambda network: network(once))


def vit(data: Path, run: Path) -> Subject:
    """`vit-tiny-imagenet`: the share of pictures whose class is the first guess."""
    model = load_embedded_image("vit-tiny-imagenet")
    pictures, labels = read_pictures(data / "tiny_imagenet", "val", run / "tiny-imagenet")
    pixels = normalise(pictures[: PICTURES + RANKING_INPUTS].float() / 255)

    def losses(network: nn.Module) -> Tensor:
        return F.cross_entropy(
            network(pixels[PICTURES:]), labels[PICTURES : PICTURES + RANKING_INPUTS], reduction="none"
        )

    def quality(network: nn.Module) -> float:
        predictions = torch.cat([network(part).argmax(dim=-1) for part in pixels[:PICTURES].split(100)])
        return float((predictions == labels[:PICTURES]).float().mean())

    @cache
    def training_pictures() -> tuple[Tensor, Tensor]:
        return read_pictures(data / "tiny_imagenet", "train", run / "tiny-imagenet")

    def learn(network: nn.Module, step: int) -> Tensor:
        chosen = batch_at(step, len(training_pictures()[0]), 64, SEED)
        varied = normalise(vary(training_pictures()[0][chosen].float() / 255))
        with torch.autocast("cpu", torch.bfloat16):
            return F.cross_entropy(network(varied).float(), training_pictures()[1][chosen], label_smoothing=0.1)

    return Subject(
        "vit-tiny-imagenet",
        model.network,
        "accuracy",
        PICTURES,
        quality,
        losses,
        lambda network: network(pixels[:1]),
        learn,
    )


def translator(data: Path, _run: Path) -> Subject:
    """The translation transformer: BLEU of greedy translations, with all references of a sentence."""
    model = load_translator("transformer")
    tokenizer = model.tokenizer
    split = pairs.read(data / "tatoeba", seed=0)
    test = split.test[:SENTENCES]
    batches = pairs.Batches(
        tokenizer, [(english, french[0]) for english, french in split.validation[:400]], tokens=600, seed=0, joined=0
    )
    source, target, following = batches.batch(0)
    source, target, following = source[:RANKING_INPUTS], target[:RANKING_INPUTS], following[:RANKING_INPUTS]

    def losses(network: nn.Module) -> Tensor:
        logits = network(source, target, source == PAD)
        loss = F.cross_entropy(logits.transpose(1, 2), following, ignore_index=PAD, reduction="none")
        return loss.sum(dim=1) / (following != PAD).sum(dim=1)

    def quality(network: Any) -> float:
        translations = translate(network, tokenizer, [english for english, _ in test], beam=1)
        return scores(translations, [french for _, french in test])["bleu"]

    @cache
    def training_batches() -> pairs.Batches:
        return pairs.Batches(tokenizer, split.learnt, tokens=2_000, seed=SEED)

    def learn(network: nn.Module, step: int) -> Tensor:
        source, target, following = training_batches().batch(step)
        with torch.autocast("cpu", torch.bfloat16):
            logits = network(source, target, source == PAD).float()
        return F.cross_entropy(logits.flatten(0, 1), following.flatten(), ignore_index=PAD, label_smoothing=0.1)

    def once(network: nn.Module) -> Tensor:
        return network(source[:1], target[:1])

    return Subject("translation", model.network, "BLEU", len(test), quality, losses, once, learn)


SUBJECTS: dict[str, Callable[[Path, Path], Subject]] = {
    "gpt-books": gpt,
    "bert-tasks": bert,
    "bert-books": masked_words,
    "vit-tiny-imagenet": vit,
    "translation": translator,
}


def fine_tune(subject: Subject, network: nn.Module, folder: Path) -> nn.Module:
    """Train a network on by PLAN; resumes from the checkpoint in `folder`."""
    assert subject.learn is not None
    network = network.requires_grad_(True)
    learn = subject.learn
    train(network, lambda step: learn(network, step), PLAN, folder)
    return network.eval().requires_grad_(False)

"""How good a network is after something was taken away: five networks of ours, each on data that it has not seen.

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
from training.bert_tasks.data import Batches, batch_of, judged_examples
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
ASKED = 32  # inputs by which heads are ranked; none of them is among those above
# How a network learns on after something was taken away; its data are those that it was trained on.
PLAN = Plan(steps=200, learning_rate=5e-4, warm_up=20, decay=0.8, log_every=50, save_every=200)
SEED = 1  # of the order in which it sees them


@dataclass(frozen=True)
class Subject:
    """A network, and how good one that is put in its place is.

    `quality` is a share of right answers to so many `questions`, BLEU, or bits a token (`measure` says which);
    `losses` one loss for each of ASKED inputs, in nats; `once` a single input, for taking the time; `learn` the loss of
    a network on the batch of a step.
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
    asked = torch.from_numpy(tokens[-ASKED * context :].reshape(ASKED, context))

    def losses(network: nn.Module) -> Tensor:
        logits = network(asked[:, :-1])
        return F.cross_entropy(logits.transpose(1, 2), asked[:, 1:], reduction="none").mean(dim=1)

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

    once = asked[:1, :64]
    return Subject(
        "gpt-books", model.network, "bits", TOKENS - 1, quality, losses, lambda network: network(once), learn
    )


def bert(data: Path, _run: Path) -> Subject:
    """`bert-tasks`: praise or blame, the share of right verdicts on the sentences of SST-2's dev part."""
    model = load_embedded_text("bert-tasks")
    texts, praise = read_phrases(data / "sst2" / "glue_dev.tsv.gz")
    examples = sorted(judged_examples(texts, praise, model.tokenizer, model.context), key=lambda each: len(each.ids))
    batches = [batch_of(examples[start : start + 32]) for start in range(0, len(examples), 32)]
    learned, learned_praise = read_phrases(data / "sst2" / "glue_train.tsv.gz")
    long = [place for place, text in enumerate(learned) if len(text.split()) > 8][:ASKED]
    asked = batch_of(
        list(
            judged_examples(
                [learned[place] for place in long], [learned_praise[place] for place in long], model.tokenizer, 128
            )
        )
    )

    def losses(network: nn.Module) -> Tensor:
        assert asked.verdicts is not None
        return F.cross_entropy(network(asked.ids, asked.padding)[1], asked.verdicts, reduction="none")

    def quality(network: nn.Module) -> float:
        right = [network(batch.ids, batch.padding)[1].argmax(dim=-1) == batch.verdicts for batch in batches]
        return float(torch.cat(right).float().mean())

    @cache
    def learned_batches() -> Batches:
        phrases = list(judged_examples(learned, learned_praise, model.tokenizer, model.context))
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
    kept, asked = hidden.tokens[:-ASKED], hidden.tokens[-ASKED:]
    places, true = hidden.asked[:-ASKED], tokens[:-ASKED][hidden.asked[:-ASKED]]

    def losses(network: nn.Module) -> Tensor:
        logits = network(asked).transpose(1, 2).float()
        each = F.cross_entropy(logits, tokens[-ASKED:], reduction="none") * hidden.asked[-ASKED:]
        return each.sum(dim=1) / hidden.asked[-ASKED:].sum(dim=1).clamp(min=1)

    def quality(network: nn.Module) -> float:
        said = torch.cat([network(part).argmax(dim=-1) for part in kept.split(16)])
        return float((said[places] == true).float().mean())

    once = kept[:1, :64]
    return Subject("bert-books", model.network, "accuracy", len(true), quality, losses, lambda network: network(once))


def vit(data: Path, run: Path) -> Subject:
    """`vit-tiny-imagenet`: the share of pictures whose class is the first guess."""
    model = load_embedded_image("vit-tiny-imagenet")
    pictures, labels = read_pictures(data / "tiny_imagenet", "val", run / "tiny-imagenet")
    shown = normalise(pictures[: PICTURES + ASKED].float() / 255)

    def losses(network: nn.Module) -> Tensor:
        return F.cross_entropy(network(shown[PICTURES:]), labels[PICTURES : PICTURES + ASKED], reduction="none")

    def quality(network: nn.Module) -> float:
        said = torch.cat([network(part).argmax(dim=-1) for part in shown[:PICTURES].split(100)])
        return float((said == labels[:PICTURES]).float().mean())

    @cache
    def learned() -> tuple[Tensor, Tensor]:
        return read_pictures(data / "tiny_imagenet", "train", run / "tiny-imagenet")

    def learn(network: nn.Module, step: int) -> Tensor:
        chosen = batch_at(step, len(learned()[0]), 64, SEED)
        varied = normalise(vary(learned()[0][chosen].float() / 255))
        with torch.autocast("cpu", torch.bfloat16):
            return F.cross_entropy(network(varied).float(), learned()[1][chosen], label_smoothing=0.1)

    return Subject(
        "vit-tiny-imagenet",
        model.network,
        "accuracy",
        PICTURES,
        quality,
        losses,
        lambda network: network(shown[:1]),
        learn,
    )


def translator(data: Path, _run: Path) -> Subject:
    """The translation transformer: BLEU of greedy translations, with all references that a sentence has."""
    model = load_translator("transformer")
    tokenizer = model.tokenizer
    split = pairs.read(data / "tatoeba", seed=0)
    test = split.test[:SENTENCES]
    batches = pairs.Batches(
        tokenizer, [(english, french[0]) for english, french in split.validation[:400]], tokens=600, seed=0, joined=0
    )
    source, target, following = batches.batch(0)
    source, target, following = source[:ASKED], target[:ASKED], following[:ASKED]

    def losses(network: nn.Module) -> Tensor:
        logits = network(source, target, source == PAD)
        each = F.cross_entropy(logits.transpose(1, 2), following, ignore_index=PAD, reduction="none")
        return each.sum(dim=1) / (following != PAD).sum(dim=1)

    def quality(network: Any) -> float:
        written = translate(network, tokenizer, [english for english, _ in test], beam=1)
        return scores(written, [french for _, french in test])["bleu"]

    @cache
    def learned() -> pairs.Batches:
        return pairs.Batches(tokenizer, split.learnt, tokens=2_000, seed=SEED)

    def learn(network: nn.Module, step: int) -> Tensor:
        source, target, following = learned().batch(step)
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


def tuned(subject: Subject, network: nn.Module, folder: Path) -> nn.Module:
    """The same network after PLAN; goes on where it stopped in `folder`."""
    assert subject.learn is not None
    network = network.requires_grad_(True)
    learn = subject.learn
    train(network, lambda step: learn(network, step), PLAN, folder)
    return network.eval().requires_grad_(False)

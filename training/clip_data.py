"""Pictures and texts that belong together, as CLIP reads them: drawn scenes, and emoji with their names."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from random import Random

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from torch import Tensor

from core.scenes.draw import draw
from core.scenes.sentences import Sentence, vocabulary
from core.scenes.telling import sentence_about
from core.scenes.things import Scene, scene_at
from core.scenes.truth import is_true
from training.pictures import batch_at

PAD, BEGIN, END, UNKNOWN = SPECIAL = ("[PAD]", "[BEGIN]", "[END]", "[UNK]")  # numbers 0 to 3
MEAN, SPREAD = 0.5, 0.25  # of values from 0 to 1, for all channels


@dataclass(frozen=True)
class Pairs:
    """A batch: picture i belongs to text i, and to those that `also_true` names."""

    pixels: Float[Tensor, "batch channel row column"]
    ids: Int[Tensor, "batch token"]
    also_true: Bool[Tensor, "batch draw"] | None = None


def normalise(pictures: Sequence[np.ndarray]) -> Float[Tensor, "batch channel row column"]:
    """Pictures (row, column, channel), uint8, as the networks take them."""
    stacked = torch.from_numpy(np.stack(pictures)).permute(0, 3, 1, 2)
    return (stacked.float() / 255 - MEAN) / SPREAD


def words_tokenizer(words: Sequence[str]) -> Tokenizer:
    """One token for each word of a small vocabulary."""
    numbers = {word: number for number, word in enumerate((*SPECIAL, *words))}
    tokenizer = Tokenizer(models.WordLevel(numbers, unk_token=UNKNOWN))
    tokenizer.add_special_tokens(list(SPECIAL))  # so that they are not read out
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{BEGIN} $A {END}", special_tokens=[(BEGIN, 1), (END, 2)]
    )
    return tokenizer


def ids_of(tokenizer: Tokenizer, texts: Sequence[str], context: int) -> Int[Tensor, "batch token"]:
    """Texts as numbers, padded to the longest; one that is longer than `context` keeps its end token."""
    tokenizer.enable_truncation(context)
    tokenizer.enable_padding(pad_id=0, pad_token=PAD)
    return torch.tensor([each.ids for each in tokenizer.encode_batch(list(texts))])


# The drawn world.


def scenes_tokenizer() -> Tokenizer:
    """That of the grammar of the drawn world."""
    return words_tokenizer(vocabulary())


def told_scene(split: str, number: int) -> tuple[Scene, Sentence]:
    """A scene of a split and a true sentence about it; the next one of the split that has such a sentence."""
    held = {"train": False, "relations": True}.get(split)
    for place in count(number * 1000):  # so that two numbers never meet
        scene, dice = scene_at(split, place), Random(f"sentence {split} {place}")
        sentence = sentence_about(scene, dice, held=held)
        if sentence is not None:
            return scene, sentence
    raise AssertionError


def scene_pairs(tokenizer: Tokenizer, context: int, size: int) -> Callable[[int], Pairs]:
    """Ever new scenes with a sentence each; which other sentences of the batch are true of a scene is known."""

    def batch(step: int) -> Pairs:
        told = [told_scene("train", step * size + place) for place in range(size)]
        ids = ids_of(tokenizer, [sentence.text for _, sentence in told], context)
        return Pairs(normalise([draw(scene) for scene, _ in told]), ids, truths(told))

    return batch


def truths(told: Sequence[tuple[Scene, Sentence]]) -> Bool[Tensor, "batch draw"]:
    """Whether the sentence of each column is true of the scene of each row."""
    return torch.tensor([[is_true(sentence, scene) for _, sentence in told] for scene, _ in told])


# Emoji.


@dataclass(frozen=True)
class Emoji:
    """A picture and the texts that name it."""

    character: str
    picture: np.ndarray
    texts: tuple[str, ...]


def read_emoji(data: Path) -> list[Emoji]:
    """All of them: description, aliases and tags in lower case, underscores as spaces."""
    told = json.loads((data / "emoji_image_text" / "emoji.json").read_text(encoding="utf-8"))
    with np.load(data / "emoji_image_text" / "emoji64.npz") as archive:
        pictures = archive[archive.files[0]]
    found = []
    for each, picture in zip(told, pictures, strict=True):
        names = [each["description"], *each["aliases"], *each["tags"]]
        texts = dict.fromkeys(name.replace("_", " ").casefold() for name in names)
        found.append(Emoji(each["emoji"], picture, tuple(texts)))
    return found


def emoji_pairs(
    emoji: Sequence[Emoji], tokenizer: Tokenizer, context: int, size: int, seed: int
) -> Callable[[int], Pairs]:
    """Batches of emoji, each with one of its texts; the same text of two emoji is true of both."""
    pictures = normalise([each.picture for each in emoji])

    def batch(step: int) -> Pairs:
        chosen = batch_at(step, len(emoji), size, seed).tolist()
        dice = Random(f"emoji {seed} {step}")
        texts = [dice.choice(emoji[number].texts) for number in chosen]
        also = torch.tensor([[text in emoji[number].texts for text in texts] for number in chosen])
        return Pairs(pictures[chosen], ids_of(tokenizer, texts, context), also)

    return batch

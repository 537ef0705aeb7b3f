"""Pictures and texts that belong together, as CLIP reads them: drawn scenes, and emoji with their names."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

import torch
from jaxtyping import Bool, Float, Int
from tokenizers import Tokenizer
from torch import Tensor

from core.scenes.draw import draw
from training.common.emoji import Emoji
from training.common.pictures import batch_at
from training.common.scenes import normalise, scene_with_sentence, truth_table
from training.common.word_tokens import ids_of


@dataclass(frozen=True)
class Pairs:
    """A batch: picture i belongs to text i, and to those that `also_true` names."""

    pixels: Float[Tensor, "batch channel row column"]
    ids: Int[Tensor, "batch token"]
    also_true: Bool[Tensor, "batch draw"] | None = None


# The drawn world.


def scene_pairs(tokenizer: Tokenizer, context: int, size: int) -> Callable[[int], Pairs]:
    """Batches by step: new scenes with a sentence each; `also_true` marks all sentences that are true of a scene."""

    def batch(step: int) -> Pairs:
        examples = [scene_with_sentence("train", step * size + place) for place in range(size)]
        ids = ids_of(tokenizer, [sentence.text for _, sentence in examples], context)
        return Pairs(normalise([draw(scene) for scene, _ in examples]), ids, truth_table(examples))

    return batch


# Emoji.


def emoji_pairs(
    emoji: Sequence[Emoji], tokenizer: Tokenizer, context: int, size: int, seed: int
) -> Callable[[int], Pairs]:
    """Batches by step: emoji, each with one of its texts; a text that two emoji share is true of both."""
    pictures = normalise([item.picture for item in emoji])

    def batch(step: int) -> Pairs:
        chosen = batch_at(step, len(emoji), size, seed).tolist()
        rng = Random(f"emoji {seed} {step}")
        texts = [rng.choice(emoji[number].texts) for number in chosen]
        also_true = torch.tensor([[text in emoji[number].texts for text in texts] for number in chosen])
        return Pairs(pictures[chosen], ids_of(tokenizer, texts, context), also_true)

    return batch

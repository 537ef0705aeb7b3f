"""AttnGANs that paint a picture of a sentence in three stages, with what each place took of each word.

painter = load_attention_gan("scenes")                   # one of ATTENTION_GANS
words = painter.encode("a red star above a blue circle")
noise = painter.noise(seed=0, pictures=range(4))         # what a picture is beside its sentence
stages = painter.paint([words] * 4, noise)
stages.pictures[-1]                                      # values 0 to 1: (picture, channel, row, column)
stages.looks[0][2]                                       # of picture 2: what each place took of each word
"""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from ..capture import edit_attention, record_attention
from ..models.attention_gan import AttentionGANConfig, Generator, Matching, TextReader
from ..models.stored_weights import load_weights
from ..text import Tokens
from .embedded import WEIGHTS, read_settings
from .sentence_readers import SentenceReader, read_tokenizer

ATTENTION_GANS = {"scenes": "AttnGAN of drawn scenes", "emoji": "AttnGAN of emoji"}
# What places of the later stages take of words: as was learned, the same of each word, or nothing.
AS_LEARNED, ALIKE, CUT = "as learned", "all alike", "cut"
LOOKS = {AS_LEARNED: "", ALIKE: "uniform", CUT: "silence"}  # edits of core.capture


@dataclass(frozen=True, eq=False)
class Stages:
    """What was painted of sentences: values 0 to 1, the smallest picture first.

    `looks`: of each later stage what each place of the picture before it took of each word. Rows sum to 1, or to 0
    where word attention was cut; what stands behind the end of a sentence gets nothing.
    """

    pictures: tuple[Float[Tensor, "batch channel _ _"], ...]
    looks: tuple[Float[Tensor, "batch _ word"], ...]  # of a place a row


@dataclass(frozen=True, eq=False)
class StagePainter(SentenceReader):
    """An AttnGAN with its tokenizer. Threads may share it: nothing is set after it was made."""

    network: Generator
    text: TextReader

    def __post_init__(self):
        for part in (self.network, self.text):
            part.eval().requires_grad_(False)

    @property
    def context(self) -> int:
        """Places of a sentence, its marks among them."""
        return self.network.config.context

    @property
    def parameters(self) -> int:
        """Of the painter and of what reads sentences for it."""
        return sum(weight.numel() for part in (self.network, self.text) for weight in part.parameters())

    def noise(self, seed: int, pictures: Sequence[int]) -> Float[Tensor, "batch noise"]:
        """Standard normal numbers for pictures, known by their own: those of the first stage, then the condition's."""
        config = self.network.config
        rows = [
            np.random.default_rng((seed, picture)).standard_normal(config.noise + config.condition)
            for picture in pictures
        ]
        return torch.from_numpy(np.stack(rows)).float()

    @torch.no_grad()
    def paint(self, words: Sequence[Tokens], noise: Float[Tensor, "batch noise"], *, looks: str = AS_LEARNED) -> Stages:
        """A picture of each sentence with its noise; `looks` is one of LOOKS."""
        config = self.network.config
        ids = torch.stack([self.filled(each) for each in words])
        edit = LOOKS[looks]
        edits = {(path, 0): edit for path in self.attention_paths} if edit else {}
        with edit_attention(self.network, edits) if edits else nullcontext(), record_attention(self.network) as record:
            painted = self.network(self.text(ids), noise[:, : config.noise], noise[:, config.noise :])
        longest = max(len(each) for each in words)
        found = tuple(
            torch.stack([call.weights(0, item=item)[:, :longest] for item in range(len(words))])
            for call in record.calls
        )
        return Stages(tuple((picture + 1) / 2 for picture in painted.pictures), found)

    @property
    def attention_paths(self) -> tuple[str, ...]:
        """Where words are asked, stage by stage."""
        return tuple(f"later.{number}.attention" for number in range(len(self.network.later)))


def between(one: Float[Tensor, " noise"], other: Float[Tensor, " noise"], count: int) -> Float[Tensor, "batch noise"]:
    """Noise on the way from one to another, both ends with it, along a great circle.

    Straight lines would lead through noise that is much nearer to 0 than any that was drawn (White 2016, "Sampling
    generative networks", section 2.1).
    """
    angle = torch.nn.functional.cosine_similarity(one, other, dim=0).clamp(-1 + 1e-6, 1 - 1e-6).arccos()
    way = torch.linspace(0, 1, count)[:, None]
    return (((1 - way) * angle).sin() * one + (way * angle).sin() * other) / angle.sin()


def offered(weights: Path = WEIGHTS) -> tuple[str, ...]:
    """Those of ATTENTION_GANS whose weights are there."""
    folder = weights / "attention-gan"
    files = ("{}.safetensors", "{}-matching.safetensors", "{}-tokenizer.json")
    return tuple(name for name in ATTENTION_GANS if all((folder / file.format(name)).exists() for file in files))


def load_attention_gan(name: str, *, weights: Path = WEIGHTS) -> StagePainter:
    """One of ATTENTION_GANS; ModelError where it is not there."""
    file = weights / "attention-gan" / f"{name}.safetensors"
    sizes = read_settings(file)[name]
    config = AttentionGANConfig(**(sizes | {"stages": tuple(sizes["stages"])}))
    network = load_weights(lambda: Generator(config), file)
    matching = load_weights(lambda: Matching(config), file.with_name(f"{name}-matching.safetensors"))
    tokenizer = read_tokenizer(file.with_name(f"{name}-tokenizer.json"))
    return StagePainter(name, ATTENTION_GANS[name], tokenizer, network, matching.text)

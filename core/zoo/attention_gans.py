"""AttnGANs that paint a picture of a sentence in three stages, with the attention of each place to each word.

painter = load_attention_gan("scenes")                   # one of ATTENTION_GANS
words = painter.encode("a red star above a blue circle")
noise = painter.noise(seed=0, pictures=range(4))
stages = painter.paint([words] * 4, noise)
stages.pictures[-1]                                      # values 0 to 1: (picture, channel, row, column)
stages.attention[0][2]                                   # of picture 2: (place, word)
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
from ..models.attention_gan import AttentionGANConfig, Generator, TextReader
from ..models.damsm import Matching
from ..models.stored_weights import load_weights
from ..text import Tokens
from .embedded import WEIGHTS, read_settings
from .sentence_readers import SentenceReader, read_tokenizer

ATTENTION_GANS = {"scenes": "AttnGAN of drawn scenes", "emoji": "AttnGAN of emoji"}
# The word attention of the later stages: as was learned, uniform, or none.
AS_LEARNED, ALIKE, CUT = "as learned", "all alike", "cut"
WORD_ATTENTION = {AS_LEARNED: "", ALIKE: "uniform", CUT: "silence"}  # edits of core.capture


@dataclass(frozen=True, eq=False)
class Stages:
    """Pictures of sentences, one tensor for each stage: values 0 to 1, the smallest picture first.

    `attention`: for each later stage the weights of each place of the picture before it (row) to each word. Rows sum to
    1, or to 0 where word attention was cut; the padding of a sentence has weight 0.
    """

    pictures: tuple[Float[Tensor, "batch channel _ _"], ...]
    attention: tuple[Float[Tensor, "batch _ word"], ...]


@dataclass(frozen=True, eq=False)
class StagePainter(SentenceReader):
    """An AttnGAN with its tokenizer. Threads may share it: it is immutable."""

    network: Generator
    text: TextReader

    def __post_init__(self):
        for part in (self.network, self.text):
            part.eval().requires_grad_(False)

    @property
    def context(self) -> int:
        """The number of tokens of a sentence, with those of its beginning and end."""
        return self.network.config.context

    @property
    def parameters(self) -> int:
        """The number of parameters of the generator and of its text encoder."""
        return sum(weight.numel() for part in (self.network, self.text) for weight in part.parameters())

    def noise(self, seed: int, pictures: Sequence[int]) -> Float[Tensor, "batch noise"]:
        """Standard normal numbers of the first stage, then of the condition, from `seed` and a picture's number."""
        config = self.network.config
        rows = [
            np.random.default_rng((seed, picture)).standard_normal(config.noise + config.condition)
            for picture in pictures
        ]
        return torch.from_numpy(np.stack(rows)).float()

    @torch.no_grad()
    def paint(
        self, words: Sequence[Tokens], noise: Float[Tensor, "batch noise"], *, word_attention: str = AS_LEARNED
    ) -> Stages:
        """A picture of each sentence with its noise; `word_attention` is a key of WORD_ATTENTION."""
        config = self.network.config
        ids = torch.stack([self.padded_ids(sentence) for sentence in words])
        edit = WORD_ATTENTION[word_attention]
        edits = {(path, 0): edit for path in self.attention_paths} if edit else {}
        with edit_attention(self.network, edits) if edits else nullcontext(), record_attention(self.network) as record:
            generated = self.network(self.text(ids), noise[:, : config.noise], noise[:, config.noise :])
        longest = max(len(sentence) for sentence in words)
        attention = tuple(
            torch.stack([call.weights(0, item=item)[:, :longest] for item in range(len(words))])
            for call in record.calls
        )
        return Stages(tuple((picture + 1) / 2 for picture in generated.pictures), attention)

    @property
    def attention_paths(self) -> tuple[str, ...]:
        """The paths of the word attention modules, stage by stage."""
        return tuple(f"later.{number}.attention" for number in range(len(self.network.later)))


def interpolate_noise(
    first: Float[Tensor, " noise"], last: Float[Tensor, " noise"], count: int
) -> Float[Tensor, "batch noise"]:
    """`count` noise vectors from `first` to `last`, both included, along a great circle.

    On a straight line they would be much nearer to 0 than samples are (White 2016, "Sampling generative networks",
    section 2.1).
    """
    angle = torch.nn.functional.cosine_similarity(first, last, dim=0).clamp(-1 + 1e-6, 1 - 1e-6).arccos()
    share = torch.linspace(0, 1, count)[:, None]
    return (((1 - share) * angle).sin() * first + (share * angle).sin() * last) / angle.sin()


def available(weights: Path = WEIGHTS) -> tuple[str, ...]:
    """The names in ATTENTION_GANS whose weights exist."""
    folder = weights / "attention-gan"
    files = ("{}.safetensors", "{}-matching.safetensors", "{}-tokenizer.json")
    return tuple(name for name in ATTENTION_GANS if all((folder / file.format(name)).exists() for file in files))


def load_attention_gan(name: str, *, weights: Path = WEIGHTS) -> StagePainter:
    """The model of a name in ATTENTION_GANS; ModelError where its weights are missing."""
    file = weights / "attention-gan" / f"{name}.safetensors"
    sizes = read_settings(file)[name]
    config = AttentionGANConfig(**(sizes | {"stages": tuple(sizes["stages"])}))
    network = load_weights(lambda: Generator(config), file)
    matching = load_weights(lambda: Matching(config), file.with_name(f"{name}-matching.safetensors"))
    tokenizer = read_tokenizer(file.with_name(f"{name}-tokenizer.json"))
    return StagePainter(name, ATTENTION_GANS[name], tokenizer, network, matching.text)

"""Networks that draw pictures of sentences: a discrete autoencoder, and a DALL-E that predicts its codes.

drawer = load_dalle("scenes")                            # one of DALLES
words = drawer.encode("a red star above a blue circle")
for codes in drawer.draw(words, range(4), seed=0): ...          # after each row: (picture, codes so far)
pixels = drawer.coder.paint(codes)                       # values 0 to 1
drawer.attention(words, codes[0])[2].words                    # attention of layer 2 to the words: (head, place, word)
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import torch
from jaxtyping import Float, Int
from PIL import Image
from torch import Tensor

from ..capture import record_attention
from ..images import Patches
from ..models.dalle import DALLE, DALLEConfig
from ..models.dalle_sampling import draw_codes, sampling_probabilities, uniform_numbers
from ..models.discrete_vae import DiscreteVAE, DiscreteVAEConfig
from ..models.scene_reader import SceneReader
from ..models.stored_weights import load_weights
from ..text import Tokens
from .clips import PictureText
from .embedded import WEIGHTS, read_settings
from .image_models import Framing, PreparedPicture
from .sentence_readers import SentenceReader, read_tokenizer

DALLES = {"scenes": "DALL-E of drawn scenes", "emoji": "DALL-E of emoji"}
CODERS = {
    "scenes": "nearest vector (VQ-VAE)",
    "scenes-gumbel": "Gumbel softmax (as in the paper)",
    "emoji": "nearest vector, of emoji",
}
FILLING = "(empty)"  # the label of all places after the end of a sentence together


@dataclass(frozen=True, eq=False)
class PictureCoder:
    """A discrete autoencoder: pictures to codes and back. Threads may share it: it is immutable."""

    name: str
    title: str
    network: DiscreteVAE

    def __post_init__(self):
        self.network.eval().requires_grad_(False)

    @property
    def grid(self) -> int:
        """Rows of codes of a picture, and columns."""
        return self.network.config.grid

    @property
    def framing(self) -> Framing:
        """Its preprocessing: the middle square at its own size, values from 0 to 1."""
        side = self.network.config.side
        return Framing((3, side, side), (0.0,) * 3, (1.0,) * 3)

    def prepare(self, picture: Image.Image) -> PreparedPicture:
        """The middle of an RGB picture, as the network takes it; one of its own size is not touched."""
        return PreparedPicture(self.framing.pixels(picture), self.framing.crop(picture), Patches(self.grid, self.grid))

    @torch.no_grad()
    def codes(self, pixels: Float[Tensor, "batch channel row column"]) -> Int[Tensor, "batch place"]:
        """The codes of pictures (0 to 1), row by row."""
        return self.network.codes(pixels).flatten(1)

    @torch.no_grad()
    def paint(self, codes: Int[Tensor, "batch place"]) -> Float[Tensor, "batch channel row column"]:
        """The pictures (0 to 1) that codes decode to; the codes of the first rows alone give those rows."""
        return self.network.paint(codes.unflatten(1, (-1, self.grid)))

    @torch.no_grad()
    def patches(self) -> Float[Tensor, "code channel row column"]:
        """The patch that each code decodes to in a small picture of this code alone: the one in its middle."""
        rows = 11  # of codes: the decoder's receptive field does not reach the edge from the middle
        codes = torch.arange(self.network.config.codes)[:, None, None].expand(-1, rows, rows)
        side = self.network.config.side // self.grid
        middle = slice(rows // 2 * side, (rows // 2 + 1) * side)
        return torch.cat([self.network.paint(part)[:, :, middle, middle] for part in codes.split(128)])


@dataclass(frozen=True, eq=False)
class PictureAttention:
    """Attention weights of one layer with which each code of a picture was predicted, to words and to earlier codes.

    A code is predicted at the token before it, so these are the rows of those tokens; for the first code it is the last
    place of the sentence. `words`: the tokens of the sentence, then FILLING. Rows of both together sum to 1.
    """

    mask: str
    words: Float[Tensor, "head place word"]
    codes: Float[Tensor, "head place key"]


@dataclass(frozen=True, eq=False)
class PictureDrawer(SentenceReader):
    """A DALL-E with its tokenizer and its autoencoder. Threads may share it: it is immutable."""

    network: DALLE
    coder: PictureCoder
    parameters: int = field(init=False)

    def __post_init__(self):
        self.network.eval().requires_grad_(False)
        object.__setattr__(self, "parameters", sum(weight.numel() for weight in self.network.parameters()))

    @property
    def context(self) -> int:
        """The number of tokens of a sentence, with those of its beginning and end."""
        return self.network.config.context

    def draw(
        self,
        words: Tokens,
        pictures: Sequence[int],
        *,
        seed: int = 0,
        temperature: float = 1.0,
        top_k: int = 0,
        first_codes: Int[Tensor, " place"] | None = None,
    ) -> Iterator[Int[Tensor, "batch _"]]:
        """Yields the codes of all pictures after each row; the numbers in `pictures` and `seed` seed the sampling.

        `first_codes`: those that all pictures begin with.
        """
        first = (torch.zeros(0, dtype=torch.long) if first_codes is None else first_codes).expand(len(pictures), -1)
        uniform = uniform_numbers(seed, pictures, self.network.config.places)
        ids = self.padded_ids(words).expand(len(pictures), -1)
        return draw_codes(self.network, ids, first, uniform, temperature=temperature, top_k=top_k)

    @torch.no_grad()
    def code_probabilities(self, words: Tokens, codes: Int[Tensor, " place"], place: int) -> Float[Tensor, " code"]:
        """The probability of each code at a place, after the codes before it."""
        output = self.network(self.padded_ids(words)[None], codes[None, :place])
        return sampling_probabilities(output.codes[:, -1])[0]

    @torch.no_grad()
    def attention(self, words: Tokens, codes: Int[Tensor, " place"]) -> tuple[PictureAttention, ...]:
        """The attention with which each code of a picture is predicted, for each layer."""
        context, count = self.network.config.context, len(words)
        with record_attention(self.network) as record:
            self.network(self.padded_ids(words)[None], codes[None, :-1])
        layers = []
        for call, mask in zip(record.calls, self.network.config.masks, strict=True):
            rows = torch.cat(list(call.weights_by_heads(queries=slice(context - 1, None))))
            to_words = torch.cat([rows[:, :, :count], rows[:, :, count:context].sum(dim=-1, keepdim=True)], dim=-1)
            to_codes = torch.nn.functional.pad(rows[:, :, context:], (0, 1))  # nothing attends to the last code
            layers.append(PictureAttention(mask, to_words, to_codes))
        return tuple(layers)


@torch.no_grad()
def agreement(
    clip: PictureText, text: str, pixels: Float[Tensor, "batch channel row column"]
) -> Float[Tensor, " batch"]:
    """The cosine similarity of a text with each picture (0 to 1, of the CLIP's own size)."""
    mean, deviation = (torch.tensor(values)[:, None, None] for values in (clip.framing.mean, clip.framing.std))
    return (clip.pictures((pixels - mean) / deviation) @ clip.texts([text]).T)[:, 0]


def available(weights: Path = WEIGHTS) -> tuple[str, ...]:
    """The names in DALLES whose weights exist."""
    folder = weights / "dalle"
    files = ("{}.safetensors", "{}-codes.safetensors", "{}-tokenizer.json")
    return tuple(name for name in DALLES if all((folder / file.format(name)).exists() for file in files))


def load_dalle(name: str, *, weights: Path = WEIGHTS) -> PictureDrawer:
    """The model of a name in DALLES; ModelError where its weights are missing."""
    folder = weights / "dalle"
    file = folder / f"{name}.safetensors"
    sizes = read_settings(file)[name]
    config = DALLEConfig(**(sizes | {"masks": tuple(sizes["masks"])}))
    network = load_weights(lambda: DALLE(config), file)
    coder = load_coder(name, weights=weights)
    return PictureDrawer(name, DALLES[name], read_tokenizer(folder / f"{name}-tokenizer.json"), network, coder)


def load_coder(name: str, *, weights: Path = WEIGHTS) -> PictureCoder:
    """The autoencoder of a name in CODERS; ModelError where its weights are missing."""
    file = weights / "dalle" / f"{name}-codes.safetensors"
    config = DiscreteVAEConfig(**read_settings(file)[f"{name}-codes"])
    return PictureCoder(name, CODERS[name], load_weights(lambda: DiscreteVAE(config), file))


def coders(weights: Path = WEIGHTS) -> tuple[str, ...]:
    """The names in CODERS whose weights exist."""
    return tuple(name for name in CODERS if (weights / "dalle" / f"{name}-codes.safetensors").exists())


def load_scene_reader(weights: Path = WEIGHTS) -> SceneReader | None:
    """The network that reads drawn scenes; None where its weights are missing."""
    file = weights / "scene-reader" / "model.safetensors"
    return load_weights(SceneReader, file) if file.exists() else None

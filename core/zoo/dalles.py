"""Networks that draw pictures of sentences: a discrete autoencoder, and a DALL-E that goes on with its codes.

drawer = load_dalle("scenes")                            # one of DALLES
words = drawer.encode("a red star above a blue circle")
for codes in drawer.draw(words, range(4), seed=0): ...          # after each row: (picture, codes so far)
pixels = drawer.coder.paint(codes)                       # values 0 to 1
drawer.look(words, codes[0])[2].words                    # layer 2: what each part read of the words, head by head
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
from ..models.dalle_sampling import chances_of, dice_of, draw_codes
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
FILLING = "(empty)"  # what stands for the places behind the end of a sentence, all together


@dataclass(frozen=True, eq=False)
class PictureCoder:
    """A discrete autoencoder: pictures to codes and back. Threads may share it: nothing is set after it was made."""

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
        """How it takes pictures: values from 0 to 1."""
        side = self.network.config.side
        return Framing((3, side, side), (0.0,) * 3, (1.0,) * 3)

    def prepare(self, picture: Image.Image) -> PreparedPicture:
        """The middle of an RGB picture, as the network takes it; one of its own size is not touched."""
        return PreparedPicture(self.framing.pixels(picture), self.framing.shown(picture), Patches(self.grid, self.grid))

    @torch.no_grad()
    def codes(self, pixels: Float[Tensor, "batch channel row column"]) -> Int[Tensor, "batch place"]:
        """The codes of pictures (0 to 1), row by row."""
        return self.network.codes(pixels).flatten(1)

    @torch.no_grad()
    def paint(self, codes: Int[Tensor, "batch place"]) -> Float[Tensor, "batch channel row column"]:
        """The pictures (0 to 1) that codes stand for; fewer than all codes give the rows that are there."""
        return self.network.paint(codes.unflatten(1, (-1, self.grid)))

    @torch.no_grad()
    def patches(self) -> Float[Tensor, "code channel row column"]:
        """Each code as it is painted among nothing but itself: the middle of a small picture."""
        around = 11  # codes: farther than the decoder sees from the middle one
        codes = torch.arange(self.network.config.codes)[:, None, None].expand(-1, around, around)
        side = self.network.config.side // self.grid
        middle = slice(around // 2 * side, (around // 2 + 1) * side)
        return torch.cat([self.network.paint(part)[:, :, middle, middle] for part in codes.split(128)])


@dataclass(frozen=True, eq=False)
class PictureLook:
    """Of one layer, head by head: what the look that decided each part of a picture gave to words and earlier parts.

    The code of a part is told where the token before it stands, so these are the rows of those tokens; that of the
    first part is the last place of the sentence. `words`: the tokens of the sentence, then FILLING. Rows of both
    together sum to 1.
    """

    mask: str
    words: Float[Tensor, "head place word"]
    codes: Float[Tensor, "head place key"]


@dataclass(frozen=True, eq=False)
class PictureDrawer(SentenceReader):
    """A DALL-E with its tokenizer and its autoencoder. Threads may share it: nothing is set after it was made."""

    network: DALLE
    coder: PictureCoder
    parameters: int = field(init=False)

    def __post_init__(self):
        self.network.eval().requires_grad_(False)
        object.__setattr__(self, "parameters", sum(weight.numel() for weight in self.network.parameters()))

    @property
    def context(self) -> int:
        """Places of a sentence, its marks among them."""
        return self.network.config.context

    def draw(
        self,
        words: Tokens,
        pictures: Sequence[int],
        *,
        seed: int = 0,
        temperature: float = 1.0,
        top_k: int = 0,
        given: Int[Tensor, " place"] | None = None,
    ) -> Iterator[Int[Tensor, "batch _"]]:
        """The codes of pictures after each row; a picture is known by its number, which throws the dice with the seed.

        `given`: the codes that all of them begin with.
        """
        begun = (torch.zeros(0, dtype=torch.long) if given is None else given).expand(len(pictures), -1)
        dice = dice_of(seed, pictures, self.network.config.places)
        said = self.filled(words).expand(len(pictures), -1)
        return draw_codes(self.network, said, begun, dice, temperature=temperature, top_k=top_k)

    @torch.no_grad()
    def expected(self, words: Tokens, codes: Int[Tensor, " place"], place: int) -> Float[Tensor, " code"]:
        """How probable each code is at a place, after the codes before it."""
        expected = self.network(self.filled(words)[None], codes[None, :place])
        return chances_of(expected.codes[:, -1])[0]

    @torch.no_grad()
    def look(self, words: Tokens, codes: Int[Tensor, " place"]) -> tuple[PictureLook, ...]:
        """What each part of a picture was made from, in each layer."""
        context, count = self.network.config.context, len(words)
        with record_attention(self.network) as record:
            self.network(self.filled(words)[None], codes[None, :-1])
        looks = []
        for call, mask in zip(record.calls, self.network.config.masks, strict=True):
            rows = torch.cat(list(call.weights_by_heads(queries=slice(context - 1, None))))
            said = torch.cat([rows[:, :, :count], rows[:, :, count:context].sum(dim=-1, keepdim=True)], dim=-1)
            # Nobody reads the last code.
            looks.append(PictureLook(mask, said, torch.nn.functional.pad(rows[:, :, context:], (0, 1))))
        return tuple(looks)


@torch.no_grad()
def agreement(
    clip: PictureText, text: str, pixels: Float[Tensor, "batch channel row column"]
) -> Float[Tensor, " batch"]:
    """The cosine of a text with each picture (0 to 1, of CLIP's own size), by a CLIP."""
    mean, deviation = (torch.tensor(each)[:, None, None] for each in (clip.framing.mean, clip.framing.std))
    return (clip.pictures((pixels - mean) / deviation) @ clip.texts([text]).T)[:, 0]


def offered(weights: Path = WEIGHTS) -> tuple[str, ...]:
    """Those of DALLES whose weights are there."""
    folder = weights / "dalle"
    files = ("{}.safetensors", "{}-codes.safetensors", "{}-tokenizer.json")
    return tuple(name for name in DALLES if all((folder / file.format(name)).exists() for file in files))


def load_dalle(name: str, *, weights: Path = WEIGHTS) -> PictureDrawer:
    """One of DALLES; ModelError where it is not there."""
    folder = weights / "dalle"
    file = folder / f"{name}.safetensors"
    sizes = read_settings(file)[name]
    config = DALLEConfig(**(sizes | {"masks": tuple(sizes["masks"])}))
    network = load_weights(lambda: DALLE(config), file)
    coder = load_coder(name, weights=weights)
    return PictureDrawer(name, DALLES[name], read_tokenizer(folder / f"{name}-tokenizer.json"), network, coder)


def load_coder(name: str, *, weights: Path = WEIGHTS) -> PictureCoder:
    """One of CODERS; ModelError where it is not there."""
    file = weights / "dalle" / f"{name}-codes.safetensors"
    config = DiscreteVAEConfig(**read_settings(file)[f"{name}-codes"])
    return PictureCoder(name, CODERS[name], load_weights(lambda: DiscreteVAE(config), file))


def coders(weights: Path = WEIGHTS) -> tuple[str, ...]:
    """Those of CODERS whose weights are there."""
    return tuple(name for name in CODERS if (weights / "dalle" / f"{name}-codes.safetensors").exists())


def load_scene_reader(weights: Path = WEIGHTS) -> SceneReader | None:
    """The judge of drawn scenes; None where its weights are not there yet."""
    file = weights / "scene-reader" / "model.safetensors"
    return load_weights(SceneReader, file) if file.exists() else None

"""Networks that put pictures and texts into one space, and say how well they agree (CLIP, Radford et al. 2021).

clip = load_clip("photographs")                          # one of CLIPS
pictures = clip.pictures(torch.cat([clip.prepare(picture).pixels for picture in several]))
texts = clip.texts(["a dog on the beach", "a red car"])
clip.temperature * pictures @ texts.t()                  # what a softmax turns into probabilities
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float, Int
from PIL import Image
from tokenizers import Tokenizer
from torch import Tensor, nn

from ..errors import InputError
from ..images import Patches
from ..models.clip import CLIP, CLIPConfig, EncoderConfig
from ..models.stored_weights import load_weights
from ..text import Tokens, encode
from .embedded import WEIGHTS, read_settings
from .image_models import Framing, PreparedPicture

CLIPS = {
    "photographs": "CLIP, trained on captioned photographs",
    "scenes": "CLIP, trained on drawn scenes",
    "emoji": "CLIP, trained on emoji and their names",
}
SPECIAL = 4  # tokens below are no words
UNKNOWN = 3


@dataclass(frozen=True, eq=False)
class PictureText:
    """A CLIP with its tokenizer. Threads may share it: nothing is set after it was made."""

    name: str
    title: str
    network: Any  # a CLIP of ours; of another library in `NamedPictureText`
    tokenizer: Tokenizer
    framing: Framing
    warnings: tuple[str, ...] = ()  # what whoever opens it should know first, in sentences
    parameters: int = field(init=False)

    def __post_init__(self):
        self.network.eval().requires_grad_(False)
        object.__setattr__(self, "parameters", sum(weight.numel() for weight in self.network.parameters()))

    @property
    def temperature(self) -> float:
        """What the cosines are multiplied by, as it was learned."""
        return float(self.network.temperature)

    @property
    def grid(self) -> tuple[int, int]:
        """Rows and columns of patches."""
        side = self.network.config.side // self.network.config.patch
        return side, side

    @property
    def vision_encoder(self) -> nn.Module:
        """The part that sees, whose attention is recorded."""
        return self.network.pictures

    @property
    def reader(self) -> nn.Module:
        """The part that reads, whose attention is recorded."""
        return self.network.texts

    def read(self, text: str) -> Float[Tensor, "1 width"]:
        """A vector of length 1 for a text; where a gradient is wanted it can be followed."""
        return self.network.text(self.ids([text]))

    def see(self, pixels: Float[Tensor, "batch channel row column"]) -> Float[Tensor, "batch width"]:
        """A vector of length 1 for each picture; where a gradient is wanted it can be followed."""
        return self.network.picture(pixels)

    def prepare(self, picture: Image.Image) -> PreparedPicture:
        """The middle of an RGB picture, as the network takes it."""
        return PreparedPicture(self.framing.pixels(picture), self.framing.shown(picture), Patches(*self.grid))

    def encode(self, text: str) -> Tokens:
        """The tokens of a text, its end with them; InputError where it knows none of the words."""
        tokens = encode(self.tokenizer, plain_words(text), context=self.network.config.context)
        if all(number < SPECIAL for number in tokens.ids):
            raise InputError(
                f"{self.title} knows {self.tokenizer.get_vocab_size() - SPECIAL:,} words, and none of “{text[:60]}”. "
                f"Words it knows: {', '.join(self.words[:8])} …"
            )
        return tokens

    @property
    def words(self) -> tuple[str, ...]:
        """Those it knows, in alphabetical order."""
        return tuple(sorted(word for word, number in self.tokenizer.get_vocab().items() if number >= SPECIAL))

    def unknown(self, text: str) -> tuple[str, ...]:
        """The words of a text that it does not know."""
        return tuple(dict.fromkeys(word for word in plain_words(text).split() if not self.knows(word)))

    def knows(self, word: str) -> bool:
        """Whether a word is one of its vocabulary."""
        return word in self.tokenizer.get_vocab()

    def split(self, text: str) -> list[str]:
        """The words of a text, each of which may be left out."""
        return plain_words(text).split()

    def ids(self, texts: Sequence[str]) -> Int[Tensor, "batch token"]:
        """Texts as numbers, padded behind their ends, which nobody reads."""
        rows = [torch.tensor(self.encode(text).ids) for text in texts]
        return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)

    @torch.no_grad()
    def pictures(self, pixels: Float[Tensor, "batch channel row column"]) -> Float[Tensor, "batch width"]:
        """A vector of length 1 for each picture."""
        return self.see(pixels)

    @torch.no_grad()
    def texts(self, texts: Sequence[str]) -> Float[Tensor, "batch width"]:
        """A vector of length 1 for each text."""
        return self.network.text(self.ids(texts))


def plain_words(text: str) -> str:
    """In lower case and without punctuation, as all texts were that these networks learned from."""
    words = (word.strip(".,;:!?\"'()[]{}") for word in text.casefold().split())
    return " ".join(word for word in words if word)


def load_clip(name: str, *, weights: Path = WEIGHTS) -> PictureText:
    """One of CLIPS."""
    folder = weights / "clip"
    file = folder / f"{name}.safetensors"
    settings = read_settings(file)[name]
    network = load_weights(lambda: CLIP(config_from(settings["sizes"])), file)
    tokenizer = Tokenizer.from_file(str(folder / f"tokenizer-{name}.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    side = network.config.side
    framing = Framing((3, side, side), tuple(settings["mean"]), tuple(settings["deviation"]))
    return PictureText(name, CLIPS[name], network, tokenizer, framing)


def config_from(sizes: dict) -> CLIPConfig:
    """The sizes of a network, from its config.json."""
    encoders = {side: EncoderConfig(**sizes[side]) for side in ("picture", "text")}
    return CLIPConfig(**(sizes | encoders))

"""Networks that embed pictures and texts in one space, where they are compared (CLIP, Radford et al. 2021).

clip = load_clip("photographs")                          # one of CLIPS
pictures = clip.pictures(torch.cat([clip.prepare(picture).pixels for picture in several]))
texts = clip.texts(["a dog on the beach", "a red car"])
clip.temperature * pictures @ texts.t()                  # logits: (picture, text)
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
from ..models.bert import BERT
from ..models.clip import CLIP, CLIPConfig, EncoderConfig
from ..models.efficientnet import EfficientNetFeatures
from ..models.locked_clip import LockedCLIP, LockedCLIPConfig, TunedLayers
from ..models.stored_weights import load_weights
from ..text import Tokens, encode
from .embedded import BODY, SENTENCES, WEIGHTS, load_embedded_image, load_embedded_text, read_settings
from .image_models import Framing, PreparedPicture

CLIPS = {
    "photographs": "CLIP, trained on captioned photographs",
    "scenes": "CLIP, trained on drawn scenes",
    "emoji": "CLIP, trained on emoji and their names",
}
LOCKED = "photographs"  # the one between networks that others trained
SPECIAL = 4  # tokens below are no words
UNKNOWN = 3


@dataclass(frozen=True, eq=False)
class PictureText:
    """A CLIP with its tokenizer. Threads may share it: it is immutable."""

    name: str
    title: str
    network: Any  # a CLIP or LockedCLIP of core.models; in `NamedPictureText` one of transformers
    tokenizer: Tokenizer
    framing: Framing
    warnings: tuple[str, ...] = ()  # sentences for the user
    parameters: int = field(init=False)

    def __post_init__(self):
        self.network.eval().requires_grad_(False)
        object.__setattr__(self, "parameters", sum(weight.numel() for weight in self.network.parameters()))

    @property
    def temperature(self) -> float:
        """The learned factor of the cosine similarities."""
        return float(self.network.temperature)

    @property
    def grid(self) -> tuple[int, int]:
        """Rows and columns of patches."""
        side = self.network.config.side // self.network.config.patch
        return side, side

    @property
    def vision_encoder(self) -> nn.Module:
        """The encoder of pictures, whose attention is recorded."""
        return self.network.pictures

    @property
    def text_encoder(self) -> nn.Module:
        """The encoder of texts, whose attention is recorded."""
        return self.network.texts

    def embed_text(self, text: str) -> Float[Tensor, "1 width"]:
        """A vector of length 1 for a text; gradients can be computed."""
        return self.network.text(self.ids([text]))

    def embed_pictures(self, pixels: Float[Tensor, "batch channel row column"]) -> Float[Tensor, "batch width"]:
        """A vector of length 1 for each picture; gradients can be computed."""
        return self.network.picture(pixels)

    def prepare(self, picture: Image.Image) -> PreparedPicture:
        """The middle of an RGB picture, as the network takes it."""
        return PreparedPicture(self.framing.pixels(picture), self.framing.crop(picture), Patches(*self.grid))

    def encode(self, text: str) -> Tokens:
        """The tokens of a text, with that of its end; InputError where no word is in the vocabulary."""
        tokens = encode(self.tokenizer, plain_words(text), context=self.network.config.context)
        if all(number < SPECIAL for number in tokens.ids):
            raise InputError(
                f"{self.title} knows {self.tokenizer.get_vocab_size() - SPECIAL:,} words, and none of “{text[:60]}”. "
                f"Words it knows: {', '.join(self.words[:8])} …"
            )
        return tokens

    @property
    def words(self) -> tuple[str, ...]:
        """The words of its vocabulary, in alphabetical order."""
        return tuple(sorted(word for word, number in self.tokenizer.get_vocab().items() if number >= SPECIAL))

    def unknown(self, text: str) -> tuple[str, ...]:
        """The words of a text that are not in its vocabulary, without repetitions."""
        return tuple(dict.fromkeys(word for word in plain_words(text).split() if not self.knows(word)))

    def knows(self, word: str) -> bool:
        """Whether a word is in its vocabulary."""
        return word in self.tokenizer.get_vocab()

    def split(self, text: str) -> list[str]:
        """The words of a text, which are ablated one at a time."""
        return plain_words(text).split()

    def ids(self, texts: Sequence[str]) -> Int[Tensor, "batch token"]:
        """The token numbers of texts, padded after their end tokens (what follows those is ignored)."""
        rows = [torch.tensor(self.encode(text).ids) for text in texts]
        return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)

    @torch.no_grad()
    def pictures(self, pixels: Float[Tensor, "batch channel row column"]) -> Float[Tensor, "batch width"]:
        """A vector of length 1 for each picture."""
        return self.embed_pictures(pixels)

    @torch.no_grad()
    def texts(self, texts: Sequence[str]) -> Float[Tensor, "batch width"]:
        """A vector of length 1 for each text."""
        return self.network.text(self.ids(texts))


@dataclass(frozen=True, eq=False)
class PiecesPictureText(PictureText):
    """A CLIP whose tokenizer has pieces of words, so that it can read any word."""

    @property
    def context(self) -> int:
        """The longest text in tokens."""
        return self.network.config.context

    def encode(self, text: str) -> Tokens:
        """The tokens of a text, cut where the context ends; InputError where there are none."""
        return encode(self.tokenizer, text, context=self.context)

    @property
    def words(self) -> tuple[str, ...]:
        """Empty: any word can be encoded."""
        return ()

    def knows(self, word: str) -> bool:  # noqa: ARG002
        """True: any word can be encoded in pieces."""
        return True

    def split(self, text: str) -> list[str]:
        """The words of a text, which are ablated one at a time."""
        return text.split()


def plain_words(text: str) -> str:
    """A text in lower case and without punctuation, as in the training of these networks."""
    words = (word.strip(".,;:!?\"'()[]{}") for word in text.casefold().split())
    return " ".join(word for word in words if word)


def load_clip(name: str, *, weights: Path = WEIGHTS) -> PictureText:
    """The model of a name in CLIPS."""
    folder = weights / "clip"
    file = folder / f"{name}.safetensors"
    settings = read_settings(file)[name]
    if name == LOCKED:
        return _load_locked(file, settings["sizes"], weights)
    network = load_weights(lambda: CLIP(config_from(settings["sizes"])), file)
    tokenizer = Tokenizer.from_file(str(folder / f"tokenizer-{name}.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    side = network.config.side
    framing = Framing((3, side, side), tuple(settings["mean"]), tuple(settings["deviation"]))
    return PictureText(name, CLIPS[name], network, tokenizer, framing)


def _load_locked(file: Path, sizes: dict, weights: Path) -> PiecesPictureText:
    config = LockedCLIPConfig(**(sizes | {"picture": EncoderConfig(**sizes["picture"])}))
    tuned = load_weights(lambda: TunedLayers(config), file)
    network, framing, tokenizer = between_locked(config, tuned, weights=weights)
    return PiecesPictureText(LOCKED, CLIPS[LOCKED], network, tokenizer, framing)


def between_locked(
    config: LockedCLIPConfig, tuned: TunedLayers, *, weights: Path = WEIGHTS
) -> tuple[LockedCLIP, Framing, Tokenizer]:
    """A CLIP of EfficientNet, MiniLM and the layers between, with the framing of one and the tokenizer of the other."""
    pictures, sentences = load_embedded_image(BODY, weights=weights), load_embedded_text(SENTENCES, weights=weights)
    assert isinstance(sentences.network, BERT)
    network = LockedCLIP(config, EfficientNetFeatures(pictures.network), tuned, sentences.network)
    return network, pictures.framing, sentences.tokenizer


def config_from(sizes: dict) -> CLIPConfig:
    """The config of a network from its entry in config.json."""
    encoders = {side: EncoderConfig(**sizes[side]) for side in ("picture", "text")}
    return CLIPConfig(**(sizes | encoders))

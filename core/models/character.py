"""Character models: characters in, logits of the next character out, with one of five bodies in between."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from ..errors import ModelError
from .convolution import Convolution
from .gru import GRU
from .lstm import LSTM
from .rnn import RNN
from .self_attention import SelfAttention
from .stored_weights import load_weights, save_weights

BODIES: Mapping[str, Callable[..., nn.Module]] = {
    "rnn": RNN,
    "lstm": LSTM,
    "gru": GRU,
    "convolution": Convolution,
    "self_attention": SelfAttention,
}


@dataclass(frozen=True)
class Alphabet:
    """The characters of a model's vocabulary; number 0 stands for all others."""

    characters: str

    def __len__(self) -> int:
        return 1 + len(self.characters)

    def encode(self, text: str) -> Int[Tensor, " token"]:
        """The number of each character of the text."""
        return torch.tensor([1 + self.characters.find(character) for character in text], dtype=torch.long)

    def unknown(self, text: str) -> str:
        """The characters of the text that are not in the vocabulary, without repetitions."""
        return "".join(dict.fromkeys(character for character in text if character not in self.characters))

    def label(self, number: int) -> str:
        """The character with this number; U+FFFD for the unknown one."""
        return self.characters[number - 1] if number else "\ufffd"


class CharacterModel(nn.Module):
    """Embedding, body, readout. Only the body differs between the five models: `kind` of BODIES, made with `sizes`."""

    def __init__(self, kind: str, sizes: Mapping[str, int | str], vocabulary: int):
        super().__init__()
        self.kind, self.sizes = kind, dict(sizes)
        width = int(sizes["width"])
        self.embedding = nn.Embedding(vocabulary, width)
        self.body = BODIES[kind](**sizes)
        self.readout = nn.Linear(width, vocabulary)

    def forward(self, characters: Int[Tensor, "batch token"]) -> Float[Tensor, "batch token vocabulary"]:
        return self.read_out(self.embedding(characters))

    def read_out(self, x: Float[Tensor, "batch token width"]) -> Float[Tensor, "batch token vocabulary"]:
        """The logits for embedded characters, with respect to which gradients can be computed."""
        return self.readout(self.body(x))


def load_characters(folder: Path, names: tuple[str, ...] | None = None) -> tuple[Alphabet, dict[str, CharacterModel]]:
    """The alphabet and the models in a folder that training/characters/train.py has written; `names`: None for all."""
    if not (folder / "config.json").exists():
        raise ModelError(f"The character models are missing from {folder.name}/: fetch the project again.")
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    alphabet = Alphabet(config["alphabet"])
    models = {}
    for name in names or config["models"]:
        make = partial(CharacterModel, **config["models"][name], vocabulary=len(alphabet))
        models[name] = load_weights(make, folder / f"{name}.safetensors")
    return alphabet, models


def save_characters(
    folder: Path, alphabet: Alphabet, models: Mapping[str, CharacterModel], *, eight_bits: bool = False
) -> None:
    """Write the files that `load_characters` reads: weights, and the sizes of the models."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, model in models.items():
        save_weights(model, folder / f"{name}.safetensors", eight_bits=eight_bits)
    sizes = {name: {"kind": model.kind, "sizes": model.sizes} for name, model in models.items()}
    config = {"alphabet": alphabet.characters, "models": sizes}
    (folder / "config.json").write_text(json.dumps(config, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

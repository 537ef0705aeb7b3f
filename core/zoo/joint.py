"""Networks that read a sentence and a picture together: words that are hidden, patches that are hidden, do they match?

joint = load_joint("two-streams")                        # one of JOINT
tokens = joint.encode("a red star above a blue circle")
said = joint.run(joint.prepare(picture).pixels, joint.hide(tokens, [2]))
joint.guesses(said, 2)                                   # words by probability, for place 2
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import torch
from jaxtyping import Bool, Float
from PIL import Image
from tokenizers import Tokenizer
from torch import Tensor

from core.errors import InputError
from core.images import Patches
from core.models.half_precision import load_weights
from core.models.vilbert import JointConfig, Said, SingleStream, ViLBERT
from core.text import Tokens, encode
from core.zoo.clips import SPECIAL, plain_words
from core.zoo.embedded import WEIGHTS, read_settings
from core.zoo.image_models import Framing, PreparedPicture
from core.zoo.text_models import Prediction

JOINT = {"two-streams": "Two streams (ViLBERT)", "one-stream": "One stream (VisualBERT)"}
NETWORKS: dict[str, type[ViLBERT] | type[SingleStream]] = {"two-streams": ViLBERT, "one-stream": SingleStream}
MASK = "[MASK]"
WHOLE = "picture"  # the token that stands for the whole picture


@dataclass(frozen=True, eq=False)
class JointReader:
    """A ViLBERT, or a network of one stream, with its tokenizer. Threads may share it: nothing is set after it."""

    name: str
    title: str
    network: ViLBERT | SingleStream
    tokenizer: Tokenizer
    framing: Framing
    parameters: int = field(init=False)

    def __post_init__(self):
        self.network.eval().requires_grad_(False)
        object.__setattr__(self, "parameters", sum(weight.numel() for weight in self.network.parameters()))

    @property
    def grid(self) -> tuple[int, int]:
        """Rows and columns of patches."""
        side = self.network.config.side // self.network.config.patch
        return side, side

    def prepare(self, picture: Image.Image) -> PreparedPicture:
        """The middle of an RGB picture, as the network takes it."""
        return PreparedPicture(
            self.framing.pixels(picture), self.framing.shown(picture), Patches(*self.grid, prefix=(WHOLE,))
        )

    def encode(self, text: str) -> Tokens:
        """The tokens of a sentence, in which [MASK] may stand for words; InputError where it is too long or unknown."""
        words = [MASK if word.strip(".,") == MASK else plain_words(word) for word in text.split()]
        tokens = encode(self.tokenizer, " ".join(word for word in words if word), context=10**6)
        context = self.network.config.context
        if len(tokens) > context:
            raise InputError(
                f"This sentence has {len(tokens) - 2} words; this network reads at most {context - 2}. Leave some out."
            )
        if unknown := self.unknown(text):
            raise InputError(f"“{unknown[0][:40]}” is no word of this drawn world. It knows {', '.join(self.words)}.")
        return tokens

    @property
    def words(self) -> tuple[str, ...]:
        """Those it knows, in alphabetical order."""
        known = self.tokenizer.get_vocab().items()
        return tuple(sorted(word for word, number in known if number >= SPECIAL and word != MASK))

    def unknown(self, text: str) -> tuple[str, ...]:
        """The words of a text that it does not know."""
        known = self.tokenizer.get_vocab()
        words = (plain_words(word) for word in text.split() if word.strip(".,") != MASK)
        return tuple(dict.fromkeys(word for word in words if word and word not in known))

    def hide(self, tokens: Tokens, places: Collection[int]) -> Tokens:
        """The same sentence with some of its words hidden."""
        mask = self.tokenizer.get_vocab()[MASK]
        hidden = [place in places for place in range(len(tokens))]
        return replace(
            tokens,
            ids=tuple(mask if hide else own for hide, own in zip(hidden, tokens.ids, strict=True)),
            labels=tuple(f" {MASK}" if hide else own for hide, own in zip(hidden, tokens.labels, strict=True)),
        )

    @torch.no_grad()
    def run(
        self,
        pixels: Float[Tensor, "batch channel row column"],
        tokens: Tokens,
        hidden: Bool[Tensor, "batch patch"] | None = None,
    ) -> Said:
        """What it says of a picture and a sentence; `hidden` patches are not shown."""
        return self.network(pixels, torch.tensor([tokens.ids] * len(pixels)), None, hidden)

    def guesses(self, said: Said, place: int, top: int = 8) -> tuple[Prediction, ...]:
        """The most probable words at a place."""
        chances = said.words[0, place].float().softmax(dim=-1)
        values, numbers = chances.topk(top)
        pairs = zip(numbers.tolist(), values.tolist(), strict=True)
        return tuple(Prediction(self.tokenizer.id_to_token(number) or "", value, number) for number, value in pairs)


def load_joint(name: str, *, weights: Path = WEIGHTS) -> JointReader:
    """One of JOINT."""
    folder = weights / "vilbert"
    file = folder / f"{name}.safetensors"
    sizes = read_settings(file)[name]
    network = load_weights(lambda: NETWORKS[name](JointConfig(**sizes)), file)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    framing = Framing((3, network.config.side, network.config.side), (0.5,) * 3, (0.25,) * 3)
    return JointReader(name, JOINT[name], network, tokenizer, framing)


def places_of(tokens: Tokens) -> Sequence[int]:
    """The places of a sentence that hold words."""
    return [place for place, special in enumerate(tokens.special) if not special]

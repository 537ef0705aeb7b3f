"""Captioners, and their attention to the picture for each word.

captioner = load_captioner("photographs-lstm")           # one of CAPTIONERS
prepared = captioner.prepare(picture)                    # a PIL picture
decoded = captioner.write(prepared.pixels)               # beam search
attention = captioner.look(prepared.pixels, captioner.tokens(decoded.best.tokens))
attention.maps[0][0]                                     # layer 0, head 0: (word, patch)
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, cast

import torch
from jaxtyping import Float
from PIL import Image
from tokenizers import Tokenizer
from torch import Tensor, nn

from ..capture import AttentionCall, record_attention
from ..errors import InputError
from ..images import Patches
from ..models.caption_transformer import CaptionTransformer, CaptionTransformerConfig
from ..models.captioner import Captioner
from ..models.efficientnet import EfficientNetFeatures
from ..models.plain_convolution import small_body
from ..models.show_attend_tell import CaptionerConfig, ShowAttendTell
from ..models.stored_weights import load_weights
from ..text import Tokens, encode, read_tokens
from ..translation.decoding import BEGIN, END, PENALTY, UNKNOWN, Decoded, Progress, State, StepDecoder, beam_search
from .embedded import BODY, WEIGHTS, load_embedded_image, read_settings
from .image_models import Framing, PreparedPicture

# By the pictures that they were trained on, in the order in which the architectures were published.
CAPTIONERS = {
    "photographs-lstm": "LSTM with attention, for photographs",
    "photographs-transformer": "Transformer, for photographs",
    "scenes-lstm": "LSTM with attention, for drawn scenes",
    "scenes-transformer": "Transformer, for drawn scenes",
}
GRID, GRID_OF_SCENES = (14, 14), (8, 8)  # places of a photograph, and of a drawn scene
LONGEST = 24  # words of a caption, the end not counted


@dataclass(frozen=True, eq=False)
class CaptionAttention:
    """Attention to the picture while a captioner wrote these `words`.

    `maps`: for each layer that attends to the picture (head, word, patch), rows sum to 1. `gates`: of the LSTM, the
    gate of the context vector at each word, 0 to 1. `log_probabilities` of each word.
    """

    words: Tokens
    log_probabilities: tuple[float, ...]
    maps: tuple[Float[Tensor, "head word patch"], ...]
    gates: tuple[float, ...] | None = None


@dataclass(frozen=True, eq=False)
class PictureWriter:
    """A captioner with its tokenizer. Threads may share it: it is immutable."""

    end: ClassVar[int] = END  # the token that ends a caption

    name: str
    title: str
    network: Captioner
    tokenizer: Tokenizer
    framing: Framing
    grid: tuple[int, int] = GRID_OF_SCENES  # rows and columns of places
    parameters: int = field(init=False)

    def __post_init__(self):
        self.network.eval().requires_grad_(False)
        object.__setattr__(self, "parameters", sum(weight.numel() for weight in self.network.parameters()))

    def prepare(self, picture: Image.Image) -> PreparedPicture:
        """The middle of an RGB picture, as the network takes it."""
        return PreparedPicture(self.framing.pixels(picture), self.framing.crop(picture), Patches(*self.grid))

    def encode(self, caption: str) -> Tokens:
        """The tokens of a caption, with that of its end.

        InputError where no word is in the vocabulary, or there are more than LONGEST.
        """
        words = [word.strip(".,;:!?\"'()") for word in caption.casefold().split()]
        tokens = encode(self.tokenizer, " ".join(word for word in words if word), context=10**6)
        ids = [number for number, special in zip(tokens.ids, tokens.special, strict=True) if not special]
        if len(ids) > LONGEST:
            raise InputError(
                f"This caption has {len(ids)} words; this captioner learned at most {LONGEST}. Leave some out."
            )
        if all(number == UNKNOWN for number in ids):
            raise InputError(
                f"{self.title} knows {self.tokenizer.get_vocab_size() - 4:,} words, and none of these. "
                f"Write for instance: {self.example}."
            )
        return self.tokens([*ids, END])

    @property
    def example(self) -> str:
        """A caption like those that it was trained on."""
        return "a red star above a blue circle" if self.name.startswith("scenes") else "a dog runs through the grass"

    def unknown(self, caption: str) -> tuple[str, ...]:
        """The words of a caption that are not in the vocabulary, without repetitions."""
        words = [word.strip(".,;:!?\"'()") for word in caption.casefold().split()]
        vocabulary = self.tokenizer.get_vocab()
        return tuple(dict.fromkeys(word for word in words if word and word not in vocabulary))

    def tokens(self, numbers: Sequence[int]) -> Tokens:
        """Generated words as Tokens, with readable labels."""
        return read_tokens(self.tokenizer, numbers)

    def word(self, number: int) -> str:
        """The word of a token number."""
        return self.tokenizer.id_to_token(number) or ""

    def text(self, numbers: Sequence[int]) -> str:
        """Generated words as plain text, without special tokens."""
        return self.tokenizer.decode([number for number in numbers if number > END], skip_special_tokens=False)

    @torch.no_grad()
    def write(
        self,
        pixels: Float[Tensor, "batch channel row column"],
        *,
        beam: int = 3,
        begin: Sequence[int] = (),
        keep_steps: bool = False,
        progress: Progress | None = None,
    ) -> Decoded:
        """A caption by beam search; with `begin` it continues these words, which the hypotheses do not repeat."""
        state, first = self._after(pixels, begin)
        (decoded,) = beam_search(
            cast(StepDecoder, self.network.decoder),
            torch.zeros(1, 1, dtype=torch.long),  # not read: the state is passed
            beam=beam,
            penalty=PENALTY,
            max_tokens=max(1, LONGEST - len(begin)) + 1,
            state=state,
            first=first,
            excluded=(UNKNOWN,),
            shortest=0 if begin else 1,
            keep_steps=keep_steps,
            progress=progress,
        )
        return decoded

    @torch.no_grad()
    def look(self, pixels: Float[Tensor, "batch channel row column"], words: Tokens) -> CaptionAttention:
        """The attention to the picture while it writes exactly these words (teacher forcing)."""
        with record_attention(self.network) as record:
            logits = self.network(pixels, torch.tensor([[BEGIN, *words.ids[:-1]]]))
        # An LSTM's state depends on the picture too, so the recorder takes its later steps for self-attention.
        maps = maps_of([call for call in record.calls if call.key_length == self.places])
        log_probabilities = logits[0].float().log_softmax(dim=-1).gather(1, torch.tensor(words.ids)[:, None])[:, 0]
        gates = None
        if isinstance(self.network.decoder, ShowAttendTell):
            _, _, gate = self.network.decoder.attend(
                self.network.places(pixels), torch.tensor([[BEGIN, *words.ids[:-1]]])
            )
            gates = tuple(gate[0].tolist())
        return CaptionAttention(words, tuple(log_probabilities.tolist()), maps, gates)

    @torch.no_grad()
    def next_words(
        self, pixels: Float[Tensor, "batch channel row column"], begin: Sequence[int] = ()
    ) -> Float[Tensor, " vocabulary"]:
        """The probability of each word of the vocabulary after the words `begin`."""
        state, first = self._after(pixels, begin)
        logits, _ = self.network.decoder.step(torch.tensor([first]), state)
        return logits[0].float().softmax(dim=-1)

    @property
    def places(self) -> int:
        """The number of places of a picture."""
        return self.grid[0] * self.grid[1]

    def _after(self, pixels: Tensor, begin: Sequence[int]) -> tuple[State, int]:
        """The state after the words `begin` but the last, and the last one."""
        state, words = self.network.read(pixels), [BEGIN, *begin]
        for word in words[:-1]:
            _, state = self.network.step(torch.tensor([word]), state)
        return state, words[-1]


def maps_of(calls: Sequence[AttentionCall]) -> tuple[Float[Tensor, "head word patch"], ...]:
    """The weights of each attention module; calls of a module that runs once for each word are concatenated."""
    rows_by_path: dict[str, list[Tensor]] = {}
    for call in calls:
        heads = torch.stack([call.weights(head) for head in range(call.heads)])
        rows_by_path.setdefault(call.path, []).append(heads)
    return tuple(torch.cat(rows, dim=1) for rows in rows_by_path.values())


def load_captioner(name: str, *, weights: Path = WEIGHTS) -> PictureWriter:
    """The model of a name in CAPTIONERS."""
    folder = weights / "captioning"
    file = folder / f"{name}.safetensors"
    config = read_settings(file)
    world = name.partition("-")[0]
    if world == "photographs":
        # The body has weights of its own, and was not trained further.
        classifier = load_embedded_image(BODY, weights=weights)
        framing = classifier.framing
        decoder = load_weights(lambda: make_decoder(config[name]), file)
        network, grid = Captioner(EfficientNetFeatures(classifier.network), decoder), GRID
    else:
        framing = Framing((3, 64, 64), (0.5,) * 3, (0.25,) * 3)
        network, grid = load_weights(lambda: Captioner(small_body(), make_decoder(config[name])), file), GRID_OF_SCENES
    tokenizer = Tokenizer.from_file(str(folder / f"tokenizer-{world}.json"))
    return PictureWriter(name, CAPTIONERS[name], network, tokenizer, framing, grid)


def make_decoder(sizes: dict[str, Any]) -> Any:
    """An untrained decoder: an LSTM where `sizes` has a `state`, else a transformer."""
    if "state" in sizes:
        return ShowAttendTell(CaptionerConfig(**sizes))
    return CaptionTransformer(CaptionTransformerConfig(**sizes))


def is_recurrent(network: nn.Module) -> bool:
    """Whether a captioner's decoder is an LSTM."""
    return isinstance(getattr(network, "decoder", None), ShowAttendTell)

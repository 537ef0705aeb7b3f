"""ViLTs (Kim, Son and Kim 2021) of the transformers library, by name or folder: one stream of words and patches.

model = load_named_joint("dandelin/vilt-b32-mlm")        # ask `inspect(name, "both")` first
tokens = model.encode("a photo of two [MASK] on a sofa")
said = model.run(model.prepare(picture).pixels, tokens)
said.words                                               # or said.answers, or said.match: what it was trained to say
"""

from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

import torch
from jaxtyping import Float
from PIL import Image
from tokenizers import Tokenizer
from torch import Tensor

from ..capture import Cut, Record, edit_attention, record_attention
from ..errors import CaptureError, InputError, ModelError
from ..hub.failures import as_sentence
from ..hub.permissions import AT_HOME, Permission
from ..images import Patches
from ..text import Tokens, encode
from .image_models import Framing, PreparedPicture
from .joint import MASK, WHOLE, Looks, between, looks_in_one_stream
from .loading import labels_of, opened_for
from .text_models import Prediction, best

HEADS = {
    "ViltForMaskedLM": "words",
    "ViltForQuestionAnswering": "answers",
    "ViltForImageAndTextRetrieval": "match",
}


@dataclass(frozen=True, eq=False)
class NamedSaid:
    """What a model was trained to say, the rest empty: logits of words, of answers, or how well both match."""

    words: Float[Tensor, "token vocabulary"] | None = None
    answers: Float[Tensor, " answer"] | None = None
    match: float | None = None  # a logit: only differences between sentences mean something


@dataclass(frozen=True, eq=False)
class NamedJointReader:
    """A ViLT. Threads may share it: nothing is set after it was made. What goes wrong while it runs is a ModelError."""

    name: str
    title: str
    network: Any  # with methods that torch's Module has not
    tokenizer: Tokenizer
    framing: Framing
    answers: tuple[str, ...] = ()  # of one that answers questions
    warnings: tuple[str, ...] = ()
    parameters: int = field(init=False)

    def __post_init__(self):
        self.network.eval().requires_grad_(False)
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        object.__setattr__(self, "parameters", sum(weight.numel() for weight in self.network.parameters()))

    @property
    def says(self) -> str:
        """What it was trained to say: "words", "answers", "match", or "" where it has no head."""
        return HEADS.get(type(self.network).__name__, "")

    @property
    def body(self) -> Any:
        """The ViLT itself, without a head."""
        return getattr(self.network, "vilt", self.network)

    @property
    def grid(self) -> tuple[int, int]:
        """Rows and columns of patches."""
        down, across = self.body.embeddings.patch_embeddings.projection.kernel_size
        _, rows, columns = self.framing.input_size
        return rows // down, columns // across

    @property
    def patches(self) -> int:
        """Of a picture."""
        return self.grid[0] * self.grid[1]

    def prepare(self, picture: Image.Image) -> PreparedPicture:
        """The middle of an RGB picture, as the network takes it."""
        with as_sentence(self.name, "prepare this picture"):
            cut = Patches(*self.grid, prefix=(WHOLE,))
            return PreparedPicture(self.framing.pixels(picture), self.framing.shown(picture), cut)

    def encode(self, text: str) -> Tokens:
        """The tokens of a text, in which [MASK] may stand for words; InputError where they are too many, or none."""
        with as_sentence(self.name, "read this text"):
            tokens = encode(self.tokenizer, text, context=10**6)
        context = int(self.network.config.max_position_embeddings)
        if len(tokens) > context:
            raise InputError(f"This text has {len(tokens)} tokens; this model reads at most {context}. Leave some out.")
        return tokens

    def masked(self, tokens: Tokens) -> tuple[int, ...]:
        """The places that hold [MASK]."""
        mask = self.tokenizer.token_to_id(MASK)
        return tuple(place for place, number in enumerate(tokens.ids) if number == mask)

    @torch.no_grad()
    def run(self, pixels: Float[Tensor, "batch channel row column"], tokens: Tokens) -> NamedSaid:
        """What it says of a picture and a text."""
        with as_sentence(self.name, "read this text and this picture"):
            seen = self._see(pixels)
            output = self.network(
                input_ids=torch.tensor([tokens.ids]), image_embeds=seen, pixel_mask=torch.ones(1, seen.shape[1])
            )
            match self.says:
                case "words":
                    return NamedSaid(words=output.logits[0, : len(tokens)].float())
                case "answers":
                    return NamedSaid(answers=output.logits[0].float())
                case "match":
                    return NamedSaid(match=float(output.logits[0, 0]))
            return NamedSaid()

    def _see(self, pixels: Float[Tensor, "batch channel row column"]) -> Float[Tensor, "batch key width"]:
        """The picture's vectors, that of the whole picture first, then patch by patch, row by row.

        The library's own `visual_embed` puts the patches into a random order (torch.multinomial), which the network
        does not mind and a map does.
        """
        parts = self.body.embeddings
        patches = parts.patch_embeddings(pixels)
        side = parts.position_embeddings.shape[1] - 1
        if patches.shape[2] * patches.shape[3] != side:
            raise ModelError(f"It has positions for {side:,} patches, and its pictures have {self.patches:,}.")
        seen = torch.cat([parts.cls_token.expand(len(pixels), -1, -1), patches.flatten(2).transpose(1, 2)], dim=1)
        return seen + parts.position_embeddings

    @property
    def layers(self) -> int:
        """All layers are of words and patches."""
        return int(self.network.config.num_hidden_layers)

    def looks(self, record: Record, count: int) -> tuple[Looks, ...]:
        """Who looked at whom in each layer, of a text of `count` tokens; CaptureError where nothing can be shown."""
        length = count + 1 + self.patches
        fitting = [call for call in record.calls if call.query_length == call.key_length == length]
        if not fitting:
            raise CaptureError(f"'{self.name}' has no attention between words and patches to be shown. Name another.")
        return tuple(looks_in_one_stream(call, count) for call in fitting)

    def apart(self, layer: int, count: int) -> AbstractContextManager[None]:
        """While it lasts words and picture do not look at one another in a layer; `count`: tokens of the text."""
        paths = dict(self.network.named_modules())
        end = f"encoder.layer.{layer}.attention.attention"
        (path,) = [path for path in paths if path.endswith(end)]
        cut = Cut(between(count, 1 + self.patches))
        heads = range(self.network.config.num_attention_heads)
        return edit_attention(self.network, {(path, head): cut for head in heads})

    def guesses(self, said: NamedSaid, place: int, top: int = 8) -> tuple[Prediction, ...]:
        """The most probable words at a place; of a model that guesses words."""
        assert said.words is not None
        return best(said.words[place].softmax(dim=-1), top, lambda number: self.tokenizer.id_to_token(number) or "")

    def answered(self, said: NamedSaid, top: int = 8) -> tuple[Prediction, ...]:
        """The best answers; each has a probability of its own, as it was trained (binary cross-entropy)."""
        assert said.answers is not None
        return best(said.answers.sigmoid(), top, lambda number: self.answers[number])

    @torch.no_grad()
    def try_once(self) -> None:
        """Read a word and a grey picture. Raises, in any way, where it cannot be used at all."""
        prepared = self.prepare(Image.new("RGB", self.framing.input_size[:0:-1], "grey"))
        tokens = self.encode("a")
        with record_attention(self.network) as record:
            self.run(prepared.pixels, tokens)
        self.looks(record, len(tokens))


def load_named_joint(name: str, *, permission: Permission = AT_HOME) -> NamedJointReader:
    """A ViLT: one of the hub (fetched if it is not here), or a folder."""
    with opened_for(name, "joint", permission=permission) as parts:
        answers = labels_of(parts.network.config)
        model = NamedJointReader(
            name, parts.title, parts.network, parts.tokenizer, parts.framing, answers, parts.warnings
        )
        model.try_once()
        return model

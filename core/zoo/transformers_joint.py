"""ViLTs (Kim, Son and Kim 2021) of the transformers library, by name or folder: one stream of words and patches.

model = load_named_joint("dandelin/vilt-b32-mlm")        # ask `inspect(name, "both")` first
tokens = model.encode("a photo of two [MASK] on a sofa")
output = model.run(model.prepare(picture).pixels, tokens)
output.words                                             # or .answers, or .match: the output that it was trained for
"""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from PIL import Image
from torch import Tensor

from ..capture import Cut, Record, edit_attention, record_attention
from ..errors import CaptureError, InputError, ModelError
from ..hub.failures import as_model_error
from ..hub.permissions import AT_HOME, Permission
from ..text import Tokens, encode
from .joint import MASK, PICTURE_TOKEN, WordPatchAttention, cross_links, one_stream_attention
from .loading import labels_of, load_parts
from .text_models import Prediction, best
from .transformers_pictures import NamedPictureReader

HEADS = {
    "ViltForMaskedLM": "words",
    "ViltForQuestionAnswering": "answers",
    "ViltForImageAndTextRetrieval": "match",
}


@dataclass(frozen=True, eq=False)
class NamedJointOutput:
    """The output that a model was trained for, the others None: logits of words, of answers, or of the match."""

    words: Float[Tensor, "token vocabulary"] | None = None
    answers: Float[Tensor, " answer"] | None = None
    match: float | None = None  # a logit: only differences between sentences mean something


@dataclass(frozen=True, eq=False, kw_only=True)
class NamedJointReader(NamedPictureReader):
    """A ViLT."""

    PREFIX = (PICTURE_TOKEN,)

    answers: tuple[str, ...] = ()  # of one that answers questions

    @property
    def output_kind(self) -> str:
        """The output that it was trained for: "words", "answers", "match", or "" where it has no head."""
        return HEADS.get(type(self.network).__name__, "")

    @property
    def body(self) -> Any:
        """The ViLT itself, without a head."""
        return getattr(self.network, "vilt", self.network)

    @property
    def patch_size(self) -> tuple[int, int]:
        """Rows and columns of pixels of a patch."""
        return self.body.embeddings.patch_embeddings.projection.kernel_size

    @property
    def patches(self) -> int:
        """The number of patches of a picture."""
        return self.grid[0] * self.grid[1]

    def encode(self, text: str) -> Tokens:
        """The tokens of a text, in which [MASK] may stand for words; InputError where there are too many, or none."""
        with as_model_error(self.name, "read this text"):
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
    def run(self, pixels: Float[Tensor, "batch channel row column"], tokens: Tokens) -> NamedJointOutput:
        """The output for a picture and a text."""
        with as_model_error(self.name, "read this text and this picture"):
            embedded = self._embed_picture(pixels)
            output = self.network(
                input_ids=torch.tensor([tokens.ids]), image_embeds=embedded, pixel_mask=torch.ones(1, embedded.shape[1])
            )
            match self.output_kind:
                case "words":
                    return NamedJointOutput(words=output.logits[0, : len(tokens)].float())
                case "answers":
                    return NamedJointOutput(answers=output.logits[0].float())
                case "match":
                    return NamedJointOutput(match=float(output.logits[0, 0]))
            return NamedJointOutput()

    def _embed_picture(self, pixels: Float[Tensor, "batch channel row column"]) -> Float[Tensor, "batch key width"]:
        """The embedded class token, then the embedded patches, row by row.

        The library's own `visual_embed` puts the patches into a random order (torch.multinomial): the logits stay the
        same, but a map of weights needs to know which key is which patch.
        """
        embeddings = self.body.embeddings
        patches = embeddings.patch_embeddings(pixels)
        positions = embeddings.position_embeddings.shape[1] - 1
        if patches.shape[2] * patches.shape[3] != positions:
            raise ModelError(f"It has positions for {positions:,} patches, and its pictures have {self.patches:,}.")
        class_token = embeddings.cls_token.expand(len(pixels), -1, -1)
        tokens = torch.cat([class_token, patches.flatten(2).transpose(1, 2)], dim=1)
        return tokens + embeddings.position_embeddings

    @property
    def layers(self) -> int:
        """The number of layers; in all of them words and patches attend to one another."""
        return int(self.network.config.num_hidden_layers)

    def attention(self, record: Record, count: int) -> tuple[WordPatchAttention, ...]:
        """The attention between words and patches in each layer, for a text of `count` tokens.

        CaptureError where no recorded call has as many queries and keys as there are tokens.
        """
        length = count + 1 + self.patches
        calls = [call for call in record.calls if call.query_length == call.key_length == length]
        if not calls:
            raise CaptureError(f"'{self.name}' has no attention between words and patches to be shown. Name another.")
        return tuple(one_stream_attention(call, count) for call in calls)

    def cut_attention(self, layer: int, count: int) -> AbstractContextManager[None]:
        """A context in which words and picture do not attend to one another in a layer.

        `count`: the number of tokens of the text.
        """
        paths = dict(self.network.named_modules())
        end = f"encoder.layer.{layer}.attention.attention"
        (path,) = [path for path in paths if path.endswith(end)]
        cut = Cut(cross_links(count, 1 + self.patches))
        heads = range(self.network.config.num_attention_heads)
        return edit_attention(self.network, {(path, head): cut for head in heads})

    def guesses(self, output: NamedJointOutput, place: int, top: int = 8) -> tuple[Prediction, ...]:
        """The `top` most probable words at a place; only of a model whose `output_kind` is "words"."""
        assert output.words is not None
        return best(output.words[place].softmax(dim=-1), top, lambda number: self.tokenizer.id_to_token(number) or "")

    def best_answers(self, output: NamedJointOutput, top: int = 8) -> tuple[Prediction, ...]:
        """The `top` best answers; each has a probability of its own (it was trained by binary cross-entropy)."""
        assert output.answers is not None
        return best(output.answers.sigmoid(), top, lambda number: self.answers[number])

    @torch.no_grad()
    def try_once(self) -> None:
        """Run on a word and a grey picture; any exception where the model cannot be used at all."""
        prepared = self.prepare(Image.new("RGB", self.framing.input_size[:0:-1], "grey"))
        tokens = self.encode("a")
        with record_attention(self.network) as record:
            self.run(prepared.pixels, tokens)
        self.attention(record, len(tokens))


def load_named_joint(name: str, *, permission: Permission = AT_HOME) -> NamedJointReader:
    """A ViLT: one of the hub (fetched if it is not here), or a folder."""
    with load_parts(name, "joint", permission=permission) as parts:
        answers = labels_of(parts.network.config)
        model = NamedJointReader(name=name, answers=answers, **vars(parts))
        model.try_once()
        return model

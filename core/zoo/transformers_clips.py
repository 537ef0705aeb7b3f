"""CLIPs and SigLIPs of the transformers library, by name or folder, as those that come with the project."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from PIL import Image
from torch import Tensor, nn

from ..errors import InputError, ModelError
from ..hub.failures import as_sentence
from ..hub.permissions import AT_HOME, Permission
from ..text import Tokens, encode
from .clips import PictureText
from .loading import opened_for

LONGEST = 512  # tokens of a text, whatever a config says


@dataclass(frozen=True, eq=False)
class NamedPictureText(PictureText):
    """A model that is not ours: whatever goes wrong while it runs is a ModelError."""

    @property
    def temperature(self) -> float:
        """What the cosines are multiplied by, as it was learned."""
        return float(self.network.logit_scale.exp())

    @property
    def grid(self) -> tuple[int, int]:
        """Rows and columns of patches."""
        patch = self.network.config.vision_config.patch_size
        _, rows, columns = self.framing.input_size
        return rows // patch, columns // patch

    @property
    def vision_encoder(self) -> nn.Module:
        """The part that sees."""
        return self.network.vision_model

    @property
    def reader(self) -> nn.Module:
        """The part that reads."""
        return self.network.text_model

    @property
    def context(self) -> int:
        """Tokens that a text may have."""
        return min(LONGEST, int(self.network.config.text_config.max_position_embeddings))

    def see(self, pixels: Float[Tensor, "batch channel row column"]) -> Float[Tensor, "batch width"]:
        """A vector of length 1 for each picture."""
        with as_sentence(self.name, "see this picture"):
            output = self.network.get_image_features(pixel_values=pixels)
            return nn.functional.normalize(_vector(output), dim=-1)

    def encode(self, text: str) -> Tokens:
        """The tokens of a text, cut where the context ends; InputError where there are none."""
        with as_sentence(self.name, "read this text"):
            return encode(self.tokenizer, text, context=self.context)

    @property
    def words(self) -> tuple[str, ...]:
        """It reads pieces of words, so it knows them all, after a fashion."""
        return ()

    def knows(self, word: str) -> bool:  # noqa: ARG002
        """Any word can be put together from pieces."""
        return True

    def split(self, text: str) -> list[str]:
        """The words of a text, each of which may be left out."""
        return text.split()

    @torch.no_grad()
    def texts(self, texts: list[str]) -> Float[Tensor, "batch width"]:  # type: ignore[override]
        """A vector of length 1 for each text; each is read by itself."""
        return torch.cat([self.read(text) for text in texts])

    def read(self, text: str) -> Float[Tensor, "1 width"]:
        """A vector of length 1 for a text."""
        ids = list(self.encode(text).ids)
        if self.network.config.model_type == "siglip":  # it always read texts of one length (its model card)
            pad = self.network.config.text_config.pad_token_id
            ids += [pad if isinstance(pad, int) else 1] * (self.context - len(ids))
        with as_sentence(self.name, "read this text"):
            output = self.network.get_text_features(input_ids=torch.tensor([ids]))
            return nn.functional.normalize(_vector(output), dim=-1)

    @torch.no_grad()
    def try_once(self) -> None:
        """See a grey picture and read a word. Raises, in any way, where it cannot be used at all."""
        prepared = self.prepare(Image.new("RGB", self.framing.input_size[:0:-1], "grey"))
        seen = self.see(prepared.pixels)
        try:
            read = self.texts(["a"])
        except InputError as error:
            raise ModelError("Its tokenizer sees nothing in a text.") from error
        if seen.shape != read.shape:
            raise ModelError("Its pictures and its texts do not lie in one space.")


def load_pair(name: str, *, permission: Permission = AT_HOME) -> NamedPictureText:
    """A model that says how well pictures and texts agree: one of the hub (fetched if it is not here), or a folder."""
    with opened_for(name, "agreement", permission=permission) as parts:
        model = NamedPictureText(name, parts.title, parts.network, parts.tokenizer, parts.framing, parts.warnings)
        model.try_once()
        return model


def _vector(output: object) -> Tensor:
    """What the library returns for a picture or a text: the vector itself, or an output that holds it."""
    return output if isinstance(output, Tensor) else output.pooler_output  # type: ignore[attr-defined]

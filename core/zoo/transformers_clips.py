"""CLIPs and SigLIPs of the transformers library, by name or folder, with the methods of `PictureText`."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from PIL import Image
from torch import Tensor, nn

from ..errors import InputError, ModelError
from ..hub.failures import as_model_error
from ..hub.permissions import AT_HOME, Permission
from ..text import Tokens
from .clips import PiecesPictureText
from .loading import load_parts

LONGEST = 512  # tokens of a text, even where a config allows more


@dataclass(frozen=True, eq=False)
class NamedPictureText(PiecesPictureText):
    """A CLIP or SigLIP of transformers; errors while it runs are ModelErrors."""

    @property
    def temperature(self) -> float:
        """The learned factor of the cosine similarities."""
        return float(self.network.logit_scale.exp())

    @property
    def grid(self) -> tuple[int, int]:
        """Rows and columns of patches."""
        patch = self.network.config.vision_config.patch_size
        _, rows, columns = self.framing.input_size
        return rows // patch, columns // patch

    @property
    def vision_encoder(self) -> nn.Module:
        """The encoder of pictures."""
        return self.network.vision_model

    @property
    def text_encoder(self) -> nn.Module:
        """The encoder of texts."""
        return self.network.text_model

    @property
    def context(self) -> int:
        """The longest text in tokens."""
        return min(LONGEST, int(self.network.config.text_config.max_position_embeddings))

    def embed_pictures(self, pixels: Float[Tensor, "batch channel row column"]) -> Float[Tensor, "batch width"]:
        """A vector of length 1 for each picture."""
        with as_model_error(self.name, "see this picture"):
            output = self.network.get_image_features(pixel_values=pixels)
            return nn.functional.normalize(_vector(output), dim=-1)

    def encode(self, text: str) -> Tokens:
        """The tokens of a text, cut where the context ends; InputError where there are none."""
        with as_model_error(self.name, "read this text"):
            return super().encode(text)

    @torch.no_grad()
    def texts(self, texts: list[str]) -> Float[Tensor, "batch width"]:  # type: ignore[override]
        """A vector of length 1 for each text; each is read by itself."""
        return torch.cat([self.embed_text(text) for text in texts])

    def embed_text(self, text: str) -> Float[Tensor, "1 width"]:
        """A vector of length 1 for a text."""
        ids = list(self.encode(text).ids)
        if self.network.config.model_type == "siglip":  # it was trained with padding to a fixed length (its model card)
            pad = self.network.config.text_config.pad_token_id
            ids += [pad if isinstance(pad, int) else 1] * (self.context - len(ids))
        with as_model_error(self.name, "read this text"):
            output = self.network.get_text_features(input_ids=torch.tensor([ids]))
            return nn.functional.normalize(_vector(output), dim=-1)

    @torch.no_grad()
    def try_once(self) -> None:
        """Run on a grey picture and a word; any exception where the model cannot be used at all."""
        prepared = self.prepare(Image.new("RGB", self.framing.input_size[:0:-1], "grey"))
        picture = self.embed_pictures(prepared.pixels)
        try:
            text = self.texts(["a"])
        except InputError as error:
            raise ModelError("Its tokenizer sees nothing in a text.") from error
        if picture.shape != text.shape:
            raise ModelError("Its pictures and its texts do not lie in one space.")


def load_pair(name: str, *, permission: Permission = AT_HOME) -> NamedPictureText:
    """A CLIP or SigLIP of the hub (fetched if it is not here), or of a folder."""
    with load_parts(name, "agreement", permission=permission) as parts:
        model = NamedPictureText(name, parts.title, parts.network, parts.tokenizer, parts.framing, parts.warnings)
        model.try_once()
        return model


def _vector(output: object) -> Tensor:
    """The vector in the library's output for a picture or a text: the output itself, or its `pooler_output`."""
    return output if isinstance(output, Tensor) else output.pooler_output  # type: ignore[attr-defined]

"""What captioners and ViLTs of transformers share: a network, its tokenizer, and the size of its pictures."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar

from PIL import Image
from tokenizers import Tokenizer

from ..hub.failures import as_model_error
from ..images import Patches
from .image_models import Framing, PreparedPicture


@dataclass(frozen=True, eq=False, kw_only=True)
class NamedPictureReader(ABC):
    """A network that reads pictures and texts, with its tokenizer. Threads may share it: it is immutable.

    Errors while it runs are ModelErrors.
    """

    PREFIX: ClassVar[tuple[str, ...]] = ()  # labels of the tokens before the patches

    name: str
    title: str
    network: Any  # with methods that torch's Module has not
    tokenizer: Tokenizer
    framing: Framing
    warnings: tuple[str, ...] = ()  # sentences for the user
    parameters: int = field(init=False)

    def __post_init__(self):
        self.network.eval().requires_grad_(False)
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        object.__setattr__(self, "parameters", sum(weight.numel() for weight in self.network.parameters()))

    @property
    @abstractmethod
    def patch_size(self) -> tuple[int, int]:
        """Rows and columns of pixels of a patch."""

    @property
    def grid(self) -> tuple[int, int]:
        """Rows and columns of patches."""
        _, rows, columns = self.framing.input_size
        return rows // self.patch_size[0], columns // self.patch_size[1]

    def prepare(self, picture: Image.Image) -> PreparedPicture:
        """The middle of an RGB picture, as the network takes it."""
        with as_model_error(self.name, "prepare this picture"):
            patches = Patches(*self.grid, prefix=self.PREFIX)
            return PreparedPicture(self.framing.pixels(picture), self.framing.crop(picture), patches)

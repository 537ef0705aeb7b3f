"""A captioner: a convolutional body, and a decoder that attends to the places of its feature map."""

from jaxtyping import Float, Int
from torch import Tensor, nn

from .caption_transformer import CaptionTransformer
from .recurrent import State
from .show_attend_tell import ShowAttendTell


class Captioner(nn.Module):
    """`body` makes a feature map of a picture; `decoder` attends to its places, row by row."""

    def __init__(self, body: nn.Module, decoder: ShowAttendTell | CaptionTransformer):
        super().__init__()
        self.body, self.decoder = body, decoder

    def places(self, pixels: Float[Tensor, "batch channel row column"]) -> Float[Tensor, "batch patch width"]:
        """The features of the body at each place."""
        return self.body(pixels).flatten(2).transpose(1, 2)

    def forward(
        self, pixels: Float[Tensor, "batch channel row column"], words: Int[Tensor, "batch target"]
    ) -> Float[Tensor, "batch target vocabulary"]:
        """The logits of the next word after each of `words`."""
        return self.decoder(self.places(pixels), words)

    def read(self, pixels: Float[Tensor, "batch channel row column"]) -> State:
        """The state before the first word."""
        return self.decoder.read(self.places(pixels))

    def step(self, word: Int[Tensor, " batch"], state: State) -> tuple[Float[Tensor, "batch vocabulary"], State]:
        """The logits after one more word, and the state in which the next step begins."""
        return self.decoder.step(word, state)

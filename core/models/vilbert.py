"""Two streams that read a sentence and a picture, and attend to one another: ViLBERT (Lu et al. 2019).

w     = words + positions                       p = body(pixels) W + positions, a learned vector where hidden
w, p  = norm(blocks(w)), norm(blocks(p))        each stream alone first (section 2.2)
w, p  = co-attention, then a block of its own   in each joint layer: queries of one stream, keys and values of the other
words   = logits at each place of the text      (section 2.2, masked multi-modal modelling)
patches = pixels at each place of the picture   their values in place of Lu et al.'s classes of regions
match   = (w_0 * p_0) m                         whether they belong together (multi-modal alignment)

The body is a small convolutional network, possibly pre-trained, in place of the detector whose regions Lu et al. read.
`SingleStream` reads both as one sequence (VisualBERT, Li et al. 2019), with as many blocks as a stream passes here.
"""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from .plain_convolution import SMALL_PATCH, SMALL_WIDTHS, small_body
from .transformer import Attention


@dataclass(frozen=True)
class JointConfig:
    """The sizes of both networks.

    `alone`: blocks of the words before the joint layers; `seen_alone`: those of the picture; `joint`: joint layers.
    """

    vocabulary: int
    width: int = 160
    heads: int = 4
    alone: int = 1
    seen_alone: int = 2
    joint: int = 3
    side: int = 64
    context: int = 24

    patch = SMALL_PATCH  # pixels on a side

    def __post_init__(self):
        if self.width % self.heads:
            raise ValueError(f"{self.heads} heads cannot share {self.width} channels equally.")
        if self.side % self.patch:
            raise ValueError(f"A picture of {self.side} pixels cannot be cut into patches of {self.patch}.")

    @property
    def patches(self) -> int:
        """The number of patches of a picture."""
        return (self.side // self.patch) ** 2


@dataclass(frozen=True)
class JointOutput:
    """Logits for each place of the text, values for each patch, and the logit that both belong together."""

    words: Float[Tensor, "batch token vocabulary"]
    patches: Float[Tensor, "batch patch patch_value"]
    match: Float[Tensor, " batch"]


class JointNetwork(nn.Module):
    """The base class of both networks: the embeddings of words and patches, and the heads that predict both."""

    def __init__(self, config: JointConfig):
        super().__init__()
        self.config = config
        width, values = config.width, 3 * config.patch**2
        self.tokens = nn.Embedding(config.vocabulary, width)
        self.word_positions = nn.Embedding(config.context, width)
        self.body, self.patches = small_body(), nn.Linear(SMALL_WIDTHS[-1], width)
        self.patch_positions = nn.Embedding(1 + config.patches, width)  # the first is that of the picture's token
        self.whole = nn.Parameter(torch.zeros(width))
        self.hidden = nn.Parameter(torch.zeros(width))
        self.word_norm, self.patch_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.words_head = nn.Linear(width, config.vocabulary)
        self.patches_head = nn.Linear(width, values)
        self.match_head = nn.Linear(width, 1)

    def read(
        self,
        pixels: Float[Tensor, "batch channel row column"],
        ids: Int[Tensor, "batch token"],
        hidden: Bool[Tensor, "batch patch"] | None,
    ) -> tuple[Float[Tensor, "batch token width"], Float[Tensor, "batch key width"]]:
        """The embedded words, and the embedded picture: a token of the picture, then its patches.

        `hidden` patches are replaced by a learned vector.
        """
        words = self.tokens(ids) + self.word_positions.weight[: ids.shape[1]]
        if hidden is not None:
            pixels = pixels.masked_fill(pixel_mask(hidden, self.config), 0.0)  # neighbours must not see it either
        picture = self.patches(self.body(pixels).flatten(2).transpose(1, 2))
        if hidden is not None:
            picture = torch.where(hidden[..., None], self.hidden, picture)
        picture = torch.cat([self.whole.expand(len(picture), 1, -1), picture], dim=1) + self.patch_positions.weight
        return words, picture

    def predict(
        self, words: Float[Tensor, "batch token width"], picture: Float[Tensor, "batch key width"]
    ) -> JointOutput:
        """The outputs of all heads; the match is read from the first word and the picture's token."""
        words, picture = self.word_norm(words), self.patch_norm(picture)
        match = self.match_head(words[:, 0] * picture[:, 0])[:, 0]
        return JointOutput(self.words_head(words), self.patches_head(picture[:, 1:]), match)


def pixel_mask(hidden: Bool[Tensor, "batch patch"], config: JointConfig) -> Bool[Tensor, "batch 1 row column"]:
    """True at the pixels of hidden patches."""
    side = config.side // config.patch
    grid = hidden.unflatten(1, (1, side, side))
    return grid.repeat_interleave(config.patch, dim=2).repeat_interleave(config.patch, dim=3)


def patches_of(
    pixels: Float[Tensor, "batch channel row column"], patch: int
) -> Float[Tensor, "batch patch patch_value"]:
    """The values of each patch: patches row by row; in each its channels, each row by row."""
    return F.unfold(pixels, patch, stride=patch).transpose(1, 2)


class ViLBERT(JointNetwork):
    """Two streams with co-attention."""

    def __init__(self, config: JointConfig):
        super().__init__(config)
        self.alone = nn.ModuleList(Block(config) for _ in range(config.alone))
        self.seen_alone = nn.ModuleList(Block(config) for _ in range(config.seen_alone))
        # Grammar is learned first: without a norm its blocks soon add thirty times as much as attention to the picture.
        self.alone_norm, self.seen_alone_norm = nn.LayerNorm(config.width), nn.LayerNorm(config.width)
        self.joint = nn.ModuleList(JointLayer(config) for _ in range(config.joint))
        self.apply(initialise)

    def forward(
        self,
        pixels: Float[Tensor, "batch channel row column"],
        ids: Int[Tensor, "batch token"],
        padding: Bool[Tensor, "batch token"] | None = None,
        hidden: Bool[Tensor, "batch patch"] | None = None,
    ) -> JointOutput:
        """`padding` is True where a text has ended, `hidden` where a patch is hidden."""
        words, picture = self.read(pixels, ids, hidden)
        real = None if padding is None else ~padding[:, None, None]
        for block in self.alone:
            words = block(words, real)
        for block in self.seen_alone:
            picture = block(picture, None)
        words, picture = self.alone_norm(words), self.seen_alone_norm(picture)
        for layer in self.joint:
            words, picture = layer(words, picture, real)
        return self.predict(words, picture)


class SingleStream(JointNetwork):
    """One stream in which every word and every patch attends to all words and patches."""

    def __init__(self, config: JointConfig):
        super().__init__(config)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.alone + 2 * config.joint))
        self.kinds = nn.Embedding(2, config.width)  # word, patch
        self.apply(initialise)

    def forward(
        self,
        pixels: Float[Tensor, "batch channel row column"],
        ids: Int[Tensor, "batch token"],
        padding: Bool[Tensor, "batch token"] | None = None,
        hidden: Bool[Tensor, "batch patch"] | None = None,
    ) -> JointOutput:
        """`padding` is True where a text has ended, `hidden` where a patch is hidden."""
        words, picture = self.read(pixels, ids, hidden)
        length = words.shape[1]
        x = torch.cat([words + self.kinds.weight[0], picture + self.kinds.weight[1]], dim=1)
        real = None
        if padding is not None:
            real = ~F.pad(padding, (0, picture.shape[1]))[:, None, None]
        for block in self.blocks:
            x = block(x, real)
        return self.predict(x[:, :length], x[:, length:])


class JointLayer(nn.Module):
    """Co-attention: each stream attends to the other; then each goes through a block of its own (figure 2 b)."""

    def __init__(self, config: JointConfig):
        super().__init__()
        self.words_look, self.picture_looks = CoBlock(config), CoBlock(config)
        self.words, self.picture = Block(config), Block(config)

    def forward(
        self,
        words: Float[Tensor, "batch token width"],
        picture: Float[Tensor, "batch key width"],
        real: Bool[Tensor, "batch 1 1 token"] | None,
    ) -> tuple[Float[Tensor, "batch token width"], Float[Tensor, "batch key width"]]:
        # Each attends to the other as it was before this layer.
        new_words, new_picture = self.words_look(words, picture, None), self.picture_looks(picture, words, real)
        return self.words(new_words, real), self.picture(new_picture, None)


class CoBlock(nn.Module):
    """Attention from one stream to the other, then an MLP, each with a norm before it (pre-norm).

    BERT has its norms after each sublayer; with pre-norm (Xiong et al. 2020) it trains without a long warm-up.
    """

    def __init__(self, config: JointConfig):
        super().__init__()
        self.norm, self.other_norm = nn.LayerNorm(config.width), nn.LayerNorm(config.width)
        self.attention = Attention(config.width, config.heads)
        self.mlp_norm, self.mlp = nn.LayerNorm(config.width), MLP(config.width)

    def forward(
        self,
        x: Float[Tensor, "batch query width"],
        other: Float[Tensor, "batch key width"],
        real: Bool[Tensor, "batch 1 1 key"] | None,
    ) -> Float[Tensor, "batch query width"]:
        x = x + self.attention(self.norm(x), self.other_norm(other), real)
        return x + self.mlp(self.mlp_norm(x))


class Block(nn.Module):
    """Self-attention, then an MLP."""

    def __init__(self, config: JointConfig):
        super().__init__()
        self.norm, self.attention = nn.LayerNorm(config.width), Attention(config.width, config.heads)
        self.mlp_norm, self.mlp = nn.LayerNorm(config.width), MLP(config.width)

    def forward(
        self, x: Float[Tensor, "batch token width"], real: Bool[Tensor, "batch 1 1 token"] | None
    ) -> Float[Tensor, "batch token width"]:
        normed = self.norm(x)
        x = x + self.attention(normed, normed, real)
        return x + self.mlp(self.mlp_norm(x))


class MLP(nn.Module):
    """GELU(x W1 + b1) W2 + b2, for each place on its own."""

    def __init__(self, width: int):
        super().__init__()
        self.up = nn.Linear(width, 4 * width)
        self.out = nn.Linear(4 * width, width)

    def forward(self, x: Float[Tensor, "*leading width"]) -> Float[Tensor, "*leading width"]:
        return self.out(F.gelu(self.up(x)))


def initialise(module: nn.Module) -> None:
    """Weights from a normal distribution with standard deviation 0.02, biases 0, as in BERT; for `Module.apply`."""
    if isinstance(module, nn.Linear | nn.Embedding):
        nn.init.normal_(module.weight, std=0.02)
    if isinstance(module, nn.Linear):
        nn.init.zeros_(module.bias)

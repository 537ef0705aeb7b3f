"""Words and pictures in one space: CLIP (Radford et al. 2021).

x_p   = W patch_p + position_p, with a class token in front; norm        (section 2.4, the ViT of 2.4's second half)
x     = blocks(x)                                                        pre-norm transformers, both encoders
I     = norm(x_class) W_i / |.|        T = norm(y_end) W_t / |.|         one vector a picture, one a text (figure 3)
s_ij  = exp(t) I_i . T_j                                                 similarities, with a learned temperature
loss  = (CE(s, i) + CE(s^T, i)) / 2                                      each picture finds its text, and the reverse
"""

import re
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from .convolutional_stem import ConvolutionalStem

FIRST_SCALE = 1 / 0.07  # of the similarities before training (section 2.5)
LARGEST_SCALE = 100.0


@dataclass(frozen=True)
class EncoderConfig:
    """The sizes of one of the two transformers."""

    width: int = 192
    layers: int = 4
    heads: int = 6

    def __post_init__(self):
        if self.width % self.heads:
            raise ValueError(f"{self.heads} heads cannot share {self.width} channels equally.")


@dataclass(frozen=True)
class CLIPConfig:
    """The sizes of both encoders and of the space that they share; `end` is the token that closes a text."""

    picture: EncoderConfig = EncoderConfig()
    text: EncoderConfig = EncoderConfig(width=128, layers=3, heads=4)
    side: int = 64
    patch: int = 8
    vocabulary: int = 64
    context: int = 24
    end: int = 2
    space: int = 128
    quick: bool = False  # x sigmoid(1.702 x) for GELU, as in the checkpoints of OpenAI
    first_norm: bool = True  # of the picture's tokens; a ViT with other pre-training has none
    convolved: bool = False  # whether a convolutional stem embeds the patches, in place of W

    def __post_init__(self):
        if self.side % self.patch:
            raise ValueError(f"A picture of {self.side} pixels cannot be cut into patches of {self.patch}.")


class TwoEncoders(nn.Module):
    """Pictures and texts in, similarities (picture, text) out; `picture` and `text` give their unit vectors.

    The base of networks that have an encoder of `pictures`, one of `texts`, and the logarithm of a `scale`.
    """

    pictures: nn.Module
    texts: nn.Module
    scale: Tensor

    def forward(
        self, pixels: Float[Tensor, "batch channel row column"], ids: Int[Tensor, "draw token"]
    ) -> Float[Tensor, "batch draw"]:
        return self.temperature * self.picture(pixels) @ self.text(ids).t()

    @property
    def temperature(self) -> Float[Tensor, ""]:
        """The factor of the cosine similarities."""
        return temperature_of(self.scale)

    def picture(self, pixels: Float[Tensor, "batch channel row column"]) -> Float[Tensor, "batch width"]:
        """A vector of length 1 for each picture."""
        return F.normalize(self.pictures(pixels), dim=-1)

    def text(self, ids: Int[Tensor, "batch token"]) -> Float[Tensor, "batch width"]:
        """A vector of length 1 for each text; what stands after its end does not count."""
        return F.normalize(self.texts(ids), dim=-1)


class CLIP(TwoEncoders):
    """A vision transformer for pictures and a causal transformer for texts, which learn together."""

    def __init__(self, config: CLIPConfig):
        super().__init__()
        self.config = config
        self.pictures = PictureEncoder(config)
        self.texts = TextEncoder(config)
        self.scale = nn.Parameter(torch.tensor(FIRST_SCALE).log())
        self.apply(_initialise)


def temperature_of(scale: Float[Tensor, ""]) -> Float[Tensor, ""]:
    """exp(t), at most LARGEST_SCALE (section 2.5)."""
    return scale.exp().clamp(max=LARGEST_SCALE)


def contrastive_loss(
    similarities: Float[Tensor, "batch draw"], also_true: Bool[Tensor, "batch draw"] | None = None
) -> Float[Tensor, ""]:
    """The mean of both cross-entropies, of which the diagonal is the target (figure 3 of the paper).

    `also_true`: pairs off the diagonal that belong together as well; they do not count as negatives.
    """
    if also_true is not None:
        diagonal = torch.eye(len(similarities), dtype=torch.bool, device=similarities.device)
        similarities = similarities.masked_fill(also_true & ~diagonal, -torch.inf)
    pairs = torch.arange(len(similarities), device=similarities.device)
    return (F.cross_entropy(similarities, pairs) + F.cross_entropy(similarities.t(), pairs)) / 2


class PictureEncoder(nn.Module):
    """A vision transformer that embeds a picture as the vector of its class token."""

    def __init__(self, config: CLIPConfig):
        super().__init__()
        width, places = config.picture.width, (config.side // config.patch) ** 2
        self.patches: nn.Module = (
            ConvolutionalStem(width, config.patch)
            if config.convolved
            else nn.Conv2d(3, width, config.patch, config.patch, bias=False)
        )
        self.class_token = nn.Parameter(torch.zeros(width))
        self.positions = nn.Embedding(1 + places, width)
        self.first_norm = nn.LayerNorm(width) if config.first_norm else nn.Identity()
        self.blocks = nn.ModuleList(Block(config.picture, quick=config.quick) for _ in range(config.picture.layers))
        self.norm = nn.LayerNorm(width)
        self.projection = nn.Linear(width, config.space, bias=False)

    def forward(self, pixels: Float[Tensor, "batch channel row column"]) -> Float[Tensor, "batch width"]:
        x = self.patches(pixels).flatten(2).transpose(1, 2)  # (batch, patch, width)
        x = torch.cat([self.class_token.expand(len(x), 1, -1), x], dim=1) + self.positions.weight
        x = self.first_norm(x)
        for block in self.blocks:
            x = block(x)
        return self.projection(self.norm(x[:, 0]))


class TextEncoder(nn.Module):
    """A causal transformer that embeds a text as the vector of its end token."""

    def __init__(self, config: CLIPConfig):
        super().__init__()
        width = config.text.width
        self.end = config.end
        self.tokens = nn.Embedding(config.vocabulary, width)
        self.positions = nn.Embedding(config.context, width)
        self.blocks = nn.ModuleList(
            Block(config.text, quick=config.quick, causal=True) for _ in range(config.text.layers)
        )
        self.norm = nn.LayerNorm(width)
        self.projection = nn.Linear(width, config.space, bias=False)

    def forward(self, ids: Int[Tensor, "batch token"]) -> Float[Tensor, "batch width"]:
        x = self.tokens(ids) + self.positions.weight[: ids.shape[1]]
        for block in self.blocks:
            x = block(x)
        ends = (ids == self.end).int().argmax(dim=-1)  # the first one
        return self.projection(self.norm(x)[torch.arange(len(ids), device=ids.device), ends])


class Block(nn.Module):
    """Self-attention, then an MLP, each with a norm before it and added to the residual stream (pre-norm)."""

    def __init__(self, config: EncoderConfig, *, quick: bool, causal: bool = False):
        super().__init__()
        self.attention_norm = nn.LayerNorm(config.width)
        self.attention = SelfAttention(config.width, config.heads, causal=causal)
        self.mlp_norm = nn.LayerNorm(config.width)
        self.mlp = MLP(config.width, quick=quick)

    def forward(self, x: Float[Tensor, "batch token width"]) -> Float[Tensor, "batch token width"]:
        x = x + self.attention(self.attention_norm(x))
        return x + self.mlp(self.mlp_norm(x))


class SelfAttention(nn.Module):
    """Multi-head self-attention (Vaswani et al. 2017, section 3.2.2)."""

    def __init__(self, width: int, heads: int, *, causal: bool):
        super().__init__()
        self.heads, self.causal = heads, causal
        self.qkv = nn.Linear(width, 3 * width)  # W_Q, W_K and W_V of all heads, one below the other
        self.out = nn.Linear(width, width)  # W_O

    def forward(self, x: Float[Tensor, "batch token width"]) -> Float[Tensor, "batch token width"]:
        query, key, value = (
            part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in self.qkv(x).chunk(3, dim=-1)
        )
        mixed = F.scaled_dot_product_attention(query, key, value, is_causal=self.causal)
        return self.out(mixed.transpose(1, 2).flatten(start_dim=2))


class MLP(nn.Module):
    """GELU(x W1 + b1) W2 + b2, for each token on its own."""

    def __init__(self, width: int, *, quick: bool):
        super().__init__()
        self.quick = quick
        self.up = nn.Linear(width, 4 * width)
        self.out = nn.Linear(4 * width, width)

    def forward(self, x: Float[Tensor, "*leading width"]) -> Float[Tensor, "*leading width"]:
        x = self.up(x)
        return self.out(x * torch.sigmoid(1.702 * x) if self.quick else F.gelu(x))


def _initialise(module: nn.Module) -> None:
    if isinstance(module, nn.Linear | nn.Embedding):
        nn.init.normal_(module.weight, std=0.02)
    if isinstance(module, nn.Linear) and module.bias is not None:
        nn.init.zeros_(module.bias)


def load_clip(weights: dict[str, Tensor], *, heads: tuple[int, int], end: int, quick: bool = True) -> CLIP:
    """Our network with the weights of a CLIP of transformers; `heads`: of its picture encoder and its text encoder.

    ValueError where a weight is missing or unknown. `weights` is the `state_dict` of transformers' CLIPModel.
    """
    places, picture_width = weights["vision_model.embeddings.position_embedding.weight"].shape
    context, text_width = weights["text_model.embeddings.position_embedding.weight"].shape
    patch = weights["vision_model.embeddings.patch_embedding.weight"].shape[-1]
    layers = {
        side: 1 + max(int(name.split(".")[3]) for name in weights if name.startswith(f"{side}_model.encoder.layers."))
        for side in ("vision", "text")
    }
    config = CLIPConfig(
        EncoderConfig(picture_width, layers["vision"], heads[0]),
        EncoderConfig(text_width, layers["text"], heads[1]),
        side=patch * round((places - 1) ** 0.5),
        patch=patch,
        vocabulary=len(weights["text_model.embeddings.token_embedding.weight"]),
        context=context,
        end=end,
        space=len(weights["text_projection.weight"]),
        quick=quick,
    )
    network = CLIP(config)
    renamed = {}
    for name in weights:
        if ".k_proj." in name or ".v_proj." in name or name.endswith("position_ids"):
            continue
        if ".q_proj." in name:  # one matrix for all three here
            renamed[_state_name(name)] = torch.cat(
                [weights[name.replace(".q_proj.", f".{part}_proj.")] for part in "qkv"]
            )
        else:
            renamed[_state_name(name)] = weights[name]
    missing, unknown = network.load_state_dict(renamed, strict=False)
    if missing or unknown:
        raise ValueError(f"These weights do not fit a CLIP: missing {sorted(missing)}, unknown {sorted(unknown)}.")
    return network.eval().requires_grad_(False)


# What transformers calls the parts of CLIP, and what they are called here.
_NAMES = (
    (r"^logit_scale$", "scale"),
    (r"^vision_model\.", "pictures."),
    (r"^text_model\.", "texts."),
    (r"^visual_projection", "pictures.projection"),
    (r"^text_projection", "texts.projection"),
    (r"embeddings\.class_embedding", "class_token"),
    (r"embeddings\.patch_embedding", "patches"),
    (r"embeddings\.position_embedding", "positions"),
    (r"embeddings\.token_embedding", "tokens"),
    (r"pre_layrnorm", "first_norm"),
    (r"(post_layernorm|final_layer_norm)", "norm"),
    (r"encoder\.layers\.", "blocks."),
    (r"self_attn\.q_proj", "attention.qkv"),
    (r"self_attn\.out_proj", "attention.out"),
    (r"layer_norm1", "attention_norm"),
    (r"layer_norm2", "mlp_norm"),
    (r"mlp\.fc1", "mlp.up"),
    (r"mlp\.fc2", "mlp.out"),
)


def _state_name(name: str) -> str:
    for pattern, replacement in _NAMES:
        name = re.sub(pattern, replacement, name)
    return name

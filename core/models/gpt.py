"""GPT: a stack of blocks in which every token attends to the tokens before it.

The architecture is GPT-2's (Radford et al. 2019, "Language Models are Unsupervised Multitask Learners",
section 2.3), so that GPT-2's own checkpoints load into it: see `load_gpt2`.
"""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from .key_value_cache import Cache, LayerCache, causal_mask


@dataclass(frozen=True)
class GPTConfig:
    """The sizes of a GPT; the defaults are those of `gpt-books`."""

    vocabulary: int = 4096
    context: int = 256
    width: int = 288
    layers: int = 6
    heads: int = 6

    def __post_init__(self):
        for name in ("vocabulary", "context", "width", "layers", "heads"):
            if getattr(self, name) < 1:
                raise ValueError(f"A GPT needs at least 1 for '{name}', not {getattr(self, name)}.")
        if self.width % self.heads:
            raise ValueError(f"{self.heads} heads cannot share {self.width} channels equally.")


class GPT(nn.Module):
    """Tokens in, a score (logit) for every possible next token out."""

    def __init__(self, config: GPTConfig):
        super().__init__()
        self.config = config
        self.token_embedding = nn.Embedding(config.vocabulary, config.width)
        self.position_embedding = nn.Embedding(config.context, config.width)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.layers))
        self.norm = nn.LayerNorm(config.width)
        self.apply(self._initialise)

    def forward(
        self, tokens: Int[Tensor, "batch token"], cache: Cache | None = None
    ) -> Float[Tensor, "batch token vocabulary"]:
        """With a `cache`, the tokens follow those that it holds, whose keys and values are not computed again."""
        # The output matrix is the token embedding again: the two are tied (Press and Wolf 2017).
        return F.linear(self.read(tokens, cache), self.token_embedding.weight)

    def read(
        self, tokens: Int[Tensor, "batch token"], cache: Cache | None = None
    ) -> Float[Tensor, "batch token width"]:
        """The output of the last norm, before the map to the vocabulary."""
        first = cache.length if cache else 0
        length = first + tokens.shape[1]
        if length > self.config.context:
            raise ValueError(f"{length} tokens do not fit: this GPT's context holds {self.config.context}.")
        positions = torch.arange(first, length, device=tokens.device)
        x = self.token_embedding(tokens) + self.position_embedding(positions)  # (batch, token, width)
        for layer, block in enumerate(self.blocks):
            x = block(x, cache.layers[layer]) if cache else block(x)
        return self.norm(x)

    def _initialise(self, module: nn.Module) -> None:
        if isinstance(module, nn.Linear | nn.Embedding):
            nn.init.normal_(module.weight, std=0.02)
        if isinstance(module, nn.Linear):
            nn.init.zeros_(module.bias)
        if isinstance(module, SelfAttention | MLP):
            # Every block adds two terms to the residual stream: keep its variance at 1 (GPT-2, section 2.3).
            nn.init.normal_(module.out.weight, std=0.02 / (2 * self.config.layers) ** 0.5)


class Block(nn.Module):
    """Attention, then an MLP, each added to its input (pre-norm: the norm is inside the branch)."""

    def __init__(self, config: GPTConfig):
        super().__init__()
        self.attention_norm = nn.LayerNorm(config.width)
        self.attention = SelfAttention(config.width, config.heads)
        self.mlp_norm = nn.LayerNorm(config.width)
        self.mlp = MLP(config.width)

    def forward(
        self, x: Float[Tensor, "batch token width"], cache: LayerCache | None = None
    ) -> Float[Tensor, "batch token width"]:
        x = x + self.attention(self.attention_norm(x), cache)
        return x + self.mlp(self.mlp_norm(x))


class SelfAttention(nn.Module):
    """Causal multi-head self-attention (Vaswani et al. 2017, section 3.2.2)."""

    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)  # W_Q, W_K and W_V of all heads, one below the other
        self.out = nn.Linear(width, width)  # W_O

    def forward(
        self, x: Float[Tensor, "batch token width"], cache: LayerCache | None = None
    ) -> Float[Tensor, "batch token width"]:
        query, key, value = (self._split(part) for part in self.qkv(x).chunk(3, dim=-1))
        if cache is None:
            mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        else:
            key, value = cache.extend(key, value)
            mask = causal_mask(query.shape[2], key.shape[2]).to(x.device)
            mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        return self.out(mixed.transpose(1, 2).flatten(start_dim=2))

    def _split(self, x: Float[Tensor, "batch token width"]) -> Float[Tensor, "batch head token head_dim"]:
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)


class MLP(nn.Module):
    """GELU(x W1 + b1) W2 + b2, for each token on its own."""

    def __init__(self, width: int):
        super().__init__()
        self.up = nn.Linear(width, 4 * width)
        self.out = nn.Linear(4 * width, width)

    def forward(self, x: Float[Tensor, "batch token width"]) -> Float[Tensor, "batch token width"]:
        # GPT-2 was trained with the tanh approximation of GELU; the exact one changes its logits.
        return self.out(F.gelu(self.up(x), approximate="tanh"))


def load_gpt2(weights: dict[str, Tensor], *, heads: int) -> GPT:
    """A GPT with the weights of a GPT-2 checkpoint, e.g. `safetensors.torch.load_file("gpt2/model.safetensors")`.

    `heads` is not among the weights: it is `n_head` in the checkpoint's config.json (12 for the smallest). Other
    sizes are read from the tensors. KeyError, with its GPT-2 name, for a missing tensor.
    """
    weights = {name.removeprefix("transformer."): tensor for name, tensor in weights.items()}
    vocabulary, width = weights["wte.weight"].shape
    layers = 1 + max(int(name.split(".")[1]) for name in weights if name.startswith("h."))
    model = GPT(GPTConfig(vocabulary, weights["wpe.weight"].shape[0], width, layers, heads))

    state_dict = {"token_embedding.weight": weights["wte.weight"], "position_embedding.weight": weights["wpe.weight"]}
    for kind in ("weight", "bias"):
        state_dict[f"norm.{kind}"] = weights[f"ln_f.{kind}"]
        for layer in range(layers):
            for state_name, gpt2_name in GPT2_NAMES.items():
                tensor = weights[f"h.{layer}.{gpt2_name}.{kind}"]
                # GPT-2 stores its linear maps as (in, out), torch as (out, in).
                transposed = kind == "weight" and "norm" not in state_name
                state_dict[f"blocks.{layer}.{state_name}.{kind}"] = tensor.T if transposed else tensor
    model.load_state_dict(state_dict)
    return model.eval()


GPT2_NAMES = {
    "attention_norm": "ln_1",
    "attention.qkv": "attn.c_attn",
    "attention.out": "attn.c_proj",
    "mlp_norm": "ln_2",
    "mlp.up": "mlp.c_fc",
    "mlp.out": "mlp.c_proj",
}

"""The transformer of Vaswani et al. 2017: an encoder reads the source, a decoder writes the target."""

from dataclasses import dataclass
from typing import Literal

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from ..attention.positional_encodings import sinusoidal
from .recurrent import State

Norm = Literal["post", "pre"]


@dataclass(frozen=True)
class TransformerConfig:
    """The sizes of a transformer; the defaults are the base model of Vaswani et al. 2017, table 3.

    `norm`: "post" is LayerNorm(x + Sublayer(x)), as in the paper (section 3.1); "pre" is x + Sublayer(LayerNorm(x)),
    which trains without a warm-up (Xiong et al. 2020). `shared`: one matrix is both embeddings and, transposed, the
    map to the logits (section 3.4); then source and target have one vocabulary.
    """

    source_vocabulary: int = 37_000
    target_vocabulary: int = 37_000
    width: int = 512
    layers: int = 6  # of the encoder, and as many of the decoder
    heads: int = 8
    hidden: int = 2048  # d_ff, the channels inside the MLP
    dropout: float = 0.1
    norm: Norm = "post"
    shared: bool = True

    def __post_init__(self):
        for name in ("source_vocabulary", "target_vocabulary", "width", "layers", "heads", "hidden"):
            if getattr(self, name) < 1:
                raise ValueError(f"A transformer needs at least 1 for '{name}', not {getattr(self, name)}.")
        if self.width % self.heads:
            raise ValueError(f"{self.heads} heads cannot share {self.width} channels equally.")
        if self.width % 2:
            raise ValueError(f"Positions are pairs of waves: a width of {self.width} is odd.")
        if self.norm not in ("post", "pre"):
            raise ValueError(f"'{self.norm}' is not a place for the norms: choose 'post' or 'pre'.")
        if self.shared and self.source_vocabulary != self.target_vocabulary:
            raise ValueError(
                f"Embeddings can be shared only by equal vocabularies, not by {self.source_vocabulary} and "
                f"{self.target_vocabulary} tokens."
            )


class Transformer(nn.Module):
    """Source and target so far in, a score (logit) for each possible next token of the target out."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.config = config
        self.source_embedding = Embedding(config.source_vocabulary, config.width, config.dropout)
        self.encoder = Encoder(config)
        self.target_embedding = (
            self.source_embedding
            if config.shared
            else Embedding(config.target_vocabulary, config.width, config.dropout)
        )
        self.decoder = Decoder(config)
        self.head = nn.Linear(config.width, config.target_vocabulary, bias=False)
        self.apply(_initialise)
        if config.shared:
            self.head.weight = self.target_embedding.tokens.weight

    def forward(
        self,
        source: Int[Tensor, "batch source"],
        target: Int[Tensor, "batch target"],
        source_padding: Bool[Tensor, "batch source"] | None = None,
    ) -> Float[Tensor, "batch target vocabulary"]:
        return self.decode(target, self.encode(source, source_padding), source_padding)

    def encode(
        self, source: Int[Tensor, "batch source"], padding: Bool[Tensor, "batch source"] | None = None
    ) -> Float[Tensor, "batch source width"]:
        """The encoder's output, the same for all steps of decoding; `padding` is True where there is no token."""
        return self.encoder(self.source_embedding(source), padding_mask(padding))

    def decode(
        self,
        target: Int[Tensor, "batch target"],
        memory: Float[Tensor, "batch source width"],
        source_padding: Bool[Tensor, "batch source"] | None = None,
    ) -> Float[Tensor, "batch target vocabulary"]:
        """The logits after each token of the target; `memory` is what `encode` returned.

        Padding at the end of the target needs no mask: no token before it attends to it.
        """
        return self.head(self.decoder(self.target_embedding(target), memory, padding_mask(source_padding)))

    def read(
        self,
        source: Int[Tensor, "batch source"],
        padding: Bool[Tensor, "batch source"] | None = None,
        *,
        uncached: bool = False,
    ) -> State:
        """The state before the first step of decoding: keys and values of each source, and an empty target.

        `uncached`: each step will run on the full target, not on its newest token alone. It gives the same logits, and
        takes several times as long; in every map the queries are then counted from the first token.
        """
        padding = torch.zeros_like(source, dtype=torch.bool) if padding is None else padding
        memory = self.encode(source, padding)
        cached = {"memory": memory} if uncached else self.decoder.begin(memory)
        return {"padding": padding, "written": source[:, :0]} | cached

    def step(self, token: Int[Tensor, " batch"], state: State) -> tuple[Float[Tensor, "batch vocabulary"], State]:
        """The logits after one more token of the target, and the state in which the next step begins."""
        mask, before = padding_mask(state["padding"]), state["written"]
        state = state | {"written": torch.cat([before, token[:, None]], dim=1)}
        if "memory" in state:
            x = self.decoder(self.target_embedding(state["written"]), state["memory"], mask)
        else:
            x, state = self.decoder.step(self.target_embedding(token[:, None], first=before.shape[1]), state, mask)
        return self.head(x[:, -1]), state


def padding_mask(padding: Bool[Tensor, "batch source"] | None) -> Bool[Tensor, "batch 1 1 source"] | None:
    """The attention mask for every head and query: True at keys that are not padding."""
    return None if padding is None else ~padding[:, None, None, :]


class Embedding(nn.Module):
    """Token vectors times the root of their width, plus waves for the position (sections 3.4 and 3.5)."""

    def __init__(self, vocabulary: int, width: int, dropout: float):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, tokens: Int[Tensor, "batch token"], first: int = 0) -> Float[Tensor, "batch token width"]:
        """`first`: the position of the first of these tokens in their sequence, counted from 0."""
        width = self.tokens.embedding_dim
        x = self.tokens(tokens) * width**0.5
        return self.dropout(x + sinusoidal(first + tokens.shape[1], width)[first:].to(x))


class Encoder(nn.Module):
    """Blocks in which every token of the source attends to all tokens of the source."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.blocks = nn.ModuleList(EncoderBlock(config) for _ in range(config.layers))
        self.norm = _final_norm(config)

    def forward(
        self, x: Float[Tensor, "batch source width"], mask: Bool[Tensor, "batch 1 1 source"] | None
    ) -> Float[Tensor, "batch source width"]:
        for block in self.blocks:
            x = block(x, mask)
        return self.norm(x)


class Decoder(nn.Module):
    """Blocks in which every token of the target attends to those before it, and to all tokens of the source."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.blocks = nn.ModuleList(DecoderBlock(config) for _ in range(config.layers))
        self.norm = _final_norm(config)

    def forward(
        self,
        x: Float[Tensor, "batch target width"],
        memory: Float[Tensor, "batch source width"],
        mask: Bool[Tensor, "batch 1 1 source"] | None,
    ) -> Float[Tensor, "batch target width"]:
        for block in self.blocks:
            x = block(x, memory, mask)
        return self.norm(x)

    def begin(self, memory: Float[Tensor, "batch source width"]) -> State:
        """The state before the first step: each layer's keys and values of the memory, and of an empty target."""
        state: State = {}
        for number, block in enumerate(self._layers):
            for name, attention in (("self", block.attention), ("cross", block.cross_attention)):
                if isinstance(attention, Attention):  # not where all heads were pruned and another module replaced it
                    sequence = memory if name == "cross" else memory[:, :0]
                    state |= attention.read(sequence).as_state(f"{name} {number}")
        return state

    def step(
        self, x: Float[Tensor, "batch 1 width"], state: State, mask: Bool[Tensor, "batch 1 1 source"] | None
    ) -> tuple[Float[Tensor, "batch 1 width"], State]:
        """The output of `forward` for the newest token, and the state in which the next step begins."""
        for number, block in enumerate(self._layers):
            own, cross = (KeyValues.from_state(state, f"{name} {number}") for name in ("self", "cross"))
            x = block.step(x, own, cross, mask)
            state = state | (own.as_state(f"self {number}") if own else {})
        return self.norm(x), state

    @property
    def _layers(self) -> list["DecoderBlock"]:
        return [block for block in self.blocks if isinstance(block, DecoderBlock)]


class Block(nn.Module):
    """The base class of both kinds of blocks: residual connections with a norm before or after the sublayer."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.pre = config.norm == "pre"
        self.dropout = nn.Dropout(config.dropout)

    def add(self, x: Tensor, norm: nn.Module, sublayer) -> Tensor:
        """x + Sublayer(LayerNorm(x)), or LayerNorm(x + Sublayer(x))."""
        if self.pre:
            return x + self.dropout(sublayer(norm(x)))
        return norm(x + self.dropout(sublayer(x)))


class EncoderBlock(Block):
    """Self-attention, then an MLP (section 3.1)."""

    def __init__(self, config: TransformerConfig):
        super().__init__(config)
        self.attention_norm = nn.LayerNorm(config.width)
        self.attention = Attention(config.width, config.heads)
        self.mlp_norm = nn.LayerNorm(config.width)
        self.mlp = MLP(config.width, config.hidden)

    def forward(
        self, x: Float[Tensor, "batch source width"], mask: Bool[Tensor, "batch 1 1 source"] | None
    ) -> Float[Tensor, "batch source width"]:
        x = self.add(x, self.attention_norm, lambda x: self.attention(x, x, mask=mask))
        return self.add(x, self.mlp_norm, self.mlp)


class DecoderBlock(Block):
    """Causal self-attention, attention to the source, then an MLP (section 3.1)."""

    def __init__(self, config: TransformerConfig):
        super().__init__(config)
        self.attention_norm = nn.LayerNorm(config.width)
        self.attention = Attention(config.width, config.heads)
        self.cross_norm = nn.LayerNorm(config.width)
        self.cross_attention = Attention(config.width, config.heads)
        self.mlp_norm = nn.LayerNorm(config.width)
        self.mlp = MLP(config.width, config.hidden)

    def forward(
        self,
        x: Float[Tensor, "batch target width"],
        memory: Float[Tensor, "batch source width"],
        mask: Bool[Tensor, "batch 1 1 source"] | None,
    ) -> Float[Tensor, "batch target width"]:
        x = self.add(x, self.attention_norm, lambda x: self.attention(x, x, causal=True))
        x = self.add(x, self.cross_norm, lambda x: self.cross_attention(x, memory, mask=mask))
        return self.add(x, self.mlp_norm, self.mlp)

    def step(
        self,
        x: Float[Tensor, "batch 1 width"],
        own: "KeyValues | None",
        cross: "KeyValues | None",
        mask: Bool[Tensor, "batch 1 1 source"] | None,
    ) -> Float[Tensor, "batch 1 width"]:
        """The same for the newest token. `own`: keys and values of the target before it, to which its own are added;
        `cross`: those of the source.
        """
        x = self.add(x, self.attention_norm, lambda x: self.attention(x, x, cached=own))
        x = self.add(x, self.cross_norm, lambda x: self.cross_attention(x, None, mask=mask, cached=cross))
        return self.add(x, self.mlp_norm, self.mlp)


@dataclass
class KeyValues:
    """Cached keys and values of the tokens before."""

    key: Float[Tensor, "batch head _ head_dim"]
    value: Float[Tensor, "batch head _ head_dim"]

    @staticmethod
    def from_state(state: State, name: str) -> "KeyValues | None":
        """The entries "`name` keys" and "`name` values" of a state; None if it has none."""
        return KeyValues(state[f"{name} keys"], state[f"{name} values"]) if f"{name} keys" in state else None

    def as_state(self, name: str) -> State:
        """The entries of a state: "`name` keys" and "`name` values"."""
        return {f"{name} keys": self.key, f"{name} values": self.value}

    def extend(self, key: Tensor, value: Tensor) -> None:
        """Append the keys and values of new tokens."""
        self.key, self.value = torch.cat([self.key, key], dim=2), torch.cat([self.value, value], dim=2)


class Attention(nn.Module):
    """Multi-head attention (section 3.2.2): queries from one sequence, keys and values from the same or another."""

    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
        self.out = nn.Linear(width, width)

    def forward(
        self,
        x: Float[Tensor, "batch query width"],
        memory: Float[Tensor, "batch key width"] | None,
        mask: Bool[Tensor, "batch 1 1 key"] | None = None,
        *,
        causal: bool = False,
        cached: KeyValues | None = None,
    ) -> Float[Tensor, "batch query width"]:
        """Attention of `x` to the memory and to `cached` keys and values, which are extended by those of the memory."""
        query = self._split(self.query(x))
        new = None if memory is None else self.read(memory)
        if new and cached:
            cached.extend(new.key, new.value)
        pairs = cached or new
        assert pairs is not None, "There is nothing to look at."
        mixed = F.scaled_dot_product_attention(query, pairs.key, pairs.value, attn_mask=mask, is_causal=causal)
        return self.out(mixed.transpose(1, 2).flatten(start_dim=2))

    def read(self, memory: Float[Tensor, "batch key width"]) -> KeyValues:
        """The keys and values of a sequence, split into heads."""
        return KeyValues(self._split(self.key(memory)), self._split(self.value(memory)))

    def _split(self, x: Float[Tensor, "batch token width"]) -> Float[Tensor, "batch head token head_dim"]:
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)


class MLP(nn.Module):
    """max(0, x W1 + b1) W2 + b2 (section 3.3, equation 2), for each token on its own."""

    def __init__(self, width: int, hidden: int):
        super().__init__()
        self.up = nn.Linear(width, hidden)
        self.out = nn.Linear(hidden, width)

    def forward(self, x: Float[Tensor, "batch token width"]) -> Float[Tensor, "batch token width"]:
        return self.out(F.relu(self.up(x)))


def _final_norm(config: TransformerConfig) -> nn.Module:
    """A last norm of the residual stream after pre-norm blocks; post-norm blocks end with one."""
    return nn.LayerNorm(config.width) if config.norm == "pre" else nn.Identity()


def _initialise(module: nn.Module) -> None:
    if isinstance(module, nn.Linear):
        nn.init.xavier_uniform_(module.weight)
        if module.bias is not None:
            nn.init.zeros_(module.bias)
    elif isinstance(module, nn.Embedding):
        # Multiplied by the root of the width (section 3.4) they are as large as the sinusoidal positions.
        nn.init.normal_(module.weight, std=module.embedding_dim**-0.5)

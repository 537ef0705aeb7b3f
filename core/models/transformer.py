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
        """What the encoder makes of the source, once for all steps of writing; `padding` is True where nothing is."""
        return self.encoder(self.source_embedding(source), padding_mask(padding))

    def decode(
        self,
        target: Int[Tensor, "batch target"],
        memory: Float[Tensor, "batch source width"],
        source_padding: Bool[Tensor, "batch source"] | None = None,
    ) -> Float[Tensor, "batch target vocabulary"]:
        """The logits after each token of the target; `memory` is what `encode` returned.

        Padding at the end of the target needs no mask: nothing before it looks at it.
        """
        return self.head(self.decoder(self.target_embedding(target), memory, padding_mask(source_padding)))

    def read(
        self,
        source: Int[Tensor, "batch source"],
        padding: Bool[Tensor, "batch source"] | None = None,
        *,
        anew: bool = False,
    ) -> State:
        """The state in which writing begins: what the decoder looks at in each source, and nothing written yet.

        `anew`: each step will read the whole target again, not its newest token alone. It makes the same logits, and
        takes several times as long; in every map the queries are then counted from the beginning.
        """
        padding = torch.zeros_like(source, dtype=torch.bool) if padding is None else padding
        memory = self.encode(source, padding)
        seen = {"memory": memory} if anew else self.decoder.begin(memory)
        return {"padding": padding, "written": source[:, :0]} | seen

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
    """Which keys may be looked at, for every head and query alike: those that are not padding."""
    return None if padding is None else ~padding[:, None, None, :]


class Embedding(nn.Module):
    """Token vectors times the root of their width, plus waves for the position (sections 3.4 and 3.5)."""

    def __init__(self, vocabulary: int, width: int, dropout: float):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, tokens: Int[Tensor, "batch token"], first: int = 0) -> Float[Tensor, "batch token width"]:
        """`first` is the place of the first of these tokens in their sequence, counted from 0."""
        width = self.tokens.embedding_dim
        x = self.tokens(tokens) * width**0.5
        return self.dropout(x + sinusoidal(first + tokens.shape[1], width)[first:].to(x))


class Encoder(nn.Module):
    """Blocks in which every token of the source looks at the whole source."""

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
    """Blocks in which every token of the target looks at the target before it, and at the whole source."""

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
        """The state before the first step: each layer's keys and values of the memory, and of nothing written yet."""
        state: State = {}
        for number, block in enumerate(self._layers):
            for name, attention in (("own", block.attention), ("seen", block.cross_attention)):
                if isinstance(attention, Attention):  # where all heads were taken out, something else stands there
                    read = memory if name == "seen" else memory[:, :0]
                    state |= attention.read(read).under(f"{name} {number}")
        return state

    def step(
        self, x: Float[Tensor, "batch 1 width"], state: State, mask: Bool[Tensor, "batch 1 1 source"] | None
    ) -> tuple[Float[Tensor, "batch 1 width"], State]:
        """What `forward` makes of the newest token, and the state in which the next step begins."""
        for number, block in enumerate(self._layers):
            own, seen = (Kept.of(state, f"{name} {number}") for name in ("own", "seen"))
            x = block.step(x, own, seen, mask)
            state = state | (own.under(f"own {number}") if own else {})
        return self.norm(x), state

    @property
    def _layers(self) -> list["DecoderBlock"]:
        return [block for block in self.blocks if isinstance(block, DecoderBlock)]


class Block(nn.Module):
    """What both kinds of blocks share: a sublayer, what comes in added to it, and a norm before or after."""

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
        own: "Kept | None",
        seen: "Kept | None",
        mask: Bool[Tensor, "batch 1 1 source"] | None,
    ) -> Float[Tensor, "batch 1 width"]:
        """The same for the newest token, whose key and value are added to the block's `own` of those before."""
        x = self.add(x, self.attention_norm, lambda x: self.attention(x, x, kept=own))
        x = self.add(x, self.cross_norm, lambda x: self.cross_attention(x, None, mask=mask, kept=seen))
        return self.add(x, self.mlp_norm, self.mlp)


@dataclass
class Kept:
    """The keys and values of what was read before, so that they need not be computed again."""

    key: Float[Tensor, "batch head _ each"]
    value: Float[Tensor, "batch head _ each"]

    @staticmethod
    def of(state: State, name: str) -> "Kept | None":
        """What a state has under a name."""
        return Kept(state[f"{name} keys"], state[f"{name} values"]) if f"{name} keys" in state else None

    def under(self, name: str) -> State:
        """As a part of a state."""
        return {f"{name} keys": self.key, f"{name} values": self.value}

    def extend(self, key: Tensor, value: Tensor) -> None:
        """Add those of what is read now."""
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
        kept: Kept | None = None,
    ) -> Float[Tensor, "batch query width"]:
        """What each query takes from the memory and from what is `kept`, to which the memory is added."""
        query = self._split(self.query(x))
        new = None if memory is None else self.read(memory)
        if new and kept:
            kept.extend(new.key, new.value)
        read = kept or new
        assert read is not None, "There is nothing to look at."
        mixed = F.scaled_dot_product_attention(query, read.key, read.value, attn_mask=mask, is_causal=causal)
        return self.out(mixed.transpose(1, 2).flatten(start_dim=2))

    def read(self, memory: Float[Tensor, "batch key width"]) -> Kept:
        """By what each place of a sequence is found, and what is taken from it."""
        return Kept(self._split(self.key(memory)), self._split(self.value(memory)))

    def _split(self, x: Float[Tensor, "batch token width"]) -> Float[Tensor, "batch head token each"]:
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
    """After pre-norm blocks the stream has never been normalised itself; after post-norm blocks it just was."""
    return nn.LayerNorm(config.width) if config.norm == "pre" else nn.Identity()


def _initialise(module: nn.Module) -> None:
    if isinstance(module, nn.Linear):
        nn.init.xavier_uniform_(module.weight)
        if module.bias is not None:
            nn.init.zeros_(module.bias)
    elif isinstance(module, nn.Embedding):
        # Times the root of the width (section 3.4) their numbers have the size of the waves.
        nn.init.normal_(module.weight, std=module.embedding_dim**-0.5)

"""The sizes of a transformer, and those of known families."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Shape:
    """The sizes in the formulas. Raises ValueError for impossible numbers.

    `layers` is one stack: an encoder, or a decoder without cross-attention. With `decoder_layers` there is a second
    stack, which attends to the first.
    """

    layers: int
    width: int  # d, the channels of a token between layers
    heads: int
    head_dim: int  # k, the channels of one head
    hidden: int  # f, the channels inside the MLP
    key_heads: int = 0  # heads of keys and values, if queries share them (grouped queries); 0: as many as `heads`
    decoder_layers: int = 0
    vocabulary: int = 0
    tables: int = 1  # of token vectors: 2 where source and target have their own
    segments: int = 0  # BERT's kinds of sentences, each with a vector
    positions: int = 0  # rows of the table of learned positions; 0: none is learned
    buckets: int = 0  # T5: relative distances with a learned number for each head, once in each stack
    patch: int = 0  # the side of a square patch in pixels; 0: no picture
    channels: int = 3
    prefix: int = 0  # learned tokens before the patches, such as the class token
    query_bias: bool = True  # b_Q, b_K and b_V
    out_bias: bool = True  # b_O
    mlp_bias: bool = True
    gated: bool = False  # three matrices in the MLP instead of two (Shazeer 2020)
    norm_bias: bool = True  # LayerNorm has gain and offset, RMSNorm only a gain
    head_norms: bool = False  # queries and keys have a norm of their own in each head
    embedding_norm: bool = False
    final_norms: int = 1  # one for each stack that ends in a norm
    logits: bool = True  # whether there is a map to the vocabulary at the end
    tied: bool = True  # whether that map is tied to the token embedding
    head_dense: bool = False  # BERT: a dense layer and a norm before that map
    head_bias: bool = False
    pooler: bool = False  # BERT: a dense layer over the first token
    classes: int = 0  # outputs of a classifier over one token; 0: none

    def __post_init__(self):
        for name in ("layers", "width", "heads", "head_dim", "hidden"):
            if getattr(self, name) < 1:
                raise ValueError(f"A transformer needs at least 1 for '{name}', not {getattr(self, name)}.")
        if self.key_heads and self.heads % self.key_heads:
            raise ValueError(f"{self.heads} heads of queries cannot share {self.key_heads} of keys equally.")
        if not (self.vocabulary or self.patch):
            raise ValueError("A transformer reads tokens or patches: 'vocabulary' and 'patch' are both 0.")

    @property
    def inner(self) -> int:
        """Channels of the queries of all heads together."""
        return self.heads * self.head_dim

    @property
    def inner_keys(self) -> int:
        """Channels of the keys of all heads together."""
        return (self.key_heads or self.heads) * self.head_dim

    @property
    def matrices(self) -> int:
        """The number of matrices of an MLP."""
        return 3 if self.gated else 2

    @property
    def stacks(self) -> int:
        """The number of stacks: two in an encoder-decoder, else one."""
        return 2 if self.decoder_layers else 1


def gpt(
    layers: int, width: int, heads: int, *, vocabulary: int = 50257, positions: int = 1024, final: int = 1
) -> Shape:
    """GPT-2 and GPT-3 (Radford et al. 2019, section 2.3); GPT-1 has no final norm (`final=0`)."""
    return Shape(
        layers, width, heads, width // heads, 4 * width, vocabulary=vocabulary, positions=positions, final_norms=final
    )


def bert(layers: int, width: int, heads: int, *, vocabulary: int = 30522, classes: int = 2) -> Shape:
    """BERT as pretrained, with heads for masked words and for the next sentence (Devlin et al. 2018)."""
    return Shape(
        layers,
        width,
        heads,
        width // heads,
        4 * width,
        vocabulary=vocabulary,
        positions=512,
        segments=2,
        embedding_norm=True,
        final_norms=0,
        head_dense=True,
        head_bias=True,
        pooler=True,
        classes=classes,
    )


def t5(layers: int, width: int, heads: int, *, head_dim: int, hidden: int, vocabulary: int = 32128) -> Shape:
    """T5 in its first version (Raffel et al. 2020, section 2.1): as many layers in each stack, no biases."""
    return Shape(
        layers,
        width,
        heads,
        head_dim,
        hidden,
        decoder_layers=layers,
        vocabulary=vocabulary,
        buckets=32,
        query_bias=False,
        out_bias=False,
        mlp_bias=False,
        norm_bias=False,
        final_norms=2,
    )


def vit(layers: int, width: int, heads: int, *, hidden: int, patch: int, side: int = 224, classes: int = 1000) -> Shape:
    """ViT for square pictures of `side` pixels (Dosovitskiy et al. 2020, section 3.1)."""
    return Shape(
        layers,
        width,
        heads,
        width // heads,
        hidden,
        positions=(side // patch) ** 2 + 1,
        patch=patch,
        prefix=1,
        logits=False,
        classes=classes,
    )

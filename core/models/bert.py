"""BERT: a stack of blocks in which every token attends to every other, before and after it.

Devlin et al. 2018, "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding": section 3 (the
blocks are Vaswani et al. 2017's encoder), section 3.1 (the two tasks), appendix A.2 (GELU). BERT's own checkpoints load
into it: see `load_bert`.
"""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn


@dataclass(frozen=True)
class BERTConfig:
    """The sizes of a BERT; the defaults are those of `bert-books`."""

    vocabulary: int = 4100
    context: int = 128
    width: int = 288
    layers: int = 6
    heads: int = 6
    hidden: int = 1152  # of the MLPs
    segments: int = 2
    epsilon: float = 1e-12  # of the layer norms: the original's, far smaller than torch's
    restarts: bool = False  # whether the positions of a second text begin at 0 again (Lample and Conneau 2019)

    def __post_init__(self):
        for name in ("vocabulary", "context", "width", "layers", "heads", "hidden", "segments"):
            if getattr(self, name) < 1:
                raise ValueError(f"A BERT needs at least 1 for '{name}', not {getattr(self, name)}.")
        if self.width % self.heads:
            raise ValueError(f"{self.heads} heads cannot share {self.width} channels equally.")


class BERT(nn.Module):
    """Tokens in, a contextual vector for each of them out."""

    def __init__(self, config: BERTConfig):
        super().__init__()
        self.config = config
        self.token_embedding = nn.Embedding(config.vocabulary, config.width)
        self.position_embedding = nn.Embedding(config.context, config.width)
        self.segment_embedding = nn.Embedding(config.segments, config.width)
        self.embedding_norm = nn.LayerNorm(config.width, eps=config.epsilon)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.layers))
        self.apply(initialise)

    def forward(
        self,
        tokens: Int[Tensor, "batch token"],
        segments: Int[Tensor, "batch token"] | None = None,
        padding: Bool[Tensor, "batch token"] | None = None,
    ) -> Float[Tensor, "batch token width"]:
        """`segments`: 0 for tokens of the first sentence, 1 of the second. `padding` is True where no token is."""
        longest = tokens.shape[1]
        if segments is None:
            segments = torch.zeros_like(tokens)
        positions = torch.arange(longest, device=tokens.device).expand_as(tokens)
        if self.config.restarts:
            positions = positions - segments * (segments == 0).sum(dim=1, keepdim=True)
            longest = 1 + int(positions.max())  # each of two texts may be as long as the context
        if longest > self.config.context:
            raise ValueError(f"{longest} tokens do not fit: this BERT's context holds {self.config.context}.")
        x = self.token_embedding(tokens) + self.position_embedding(positions) + self.segment_embedding(segments)
        x = self.embedding_norm(x)  # (batch, token, width)
        mask = None if padding is None else ~padding[:, None, None, :]  # every query attends to all real keys
        for block in self.blocks:
            x = block(x, mask)
        return x


class Block(nn.Module):
    """Attention, then an MLP, each added to its input, with a norm after that (post-norm)."""

    def __init__(self, config: BERTConfig):
        super().__init__()
        self.attention = SelfAttention(config.width, config.heads)
        self.attention_norm = nn.LayerNorm(config.width, eps=config.epsilon)
        self.mlp = MLP(config.width, config.hidden)
        self.mlp_norm = nn.LayerNorm(config.width, eps=config.epsilon)

    def forward(
        self, x: Float[Tensor, "batch token width"], mask: Bool[Tensor, "batch 1 1 token"] | None = None
    ) -> Float[Tensor, "batch token width"]:
        x = self.attention_norm(x + self.attention(x, mask))
        return self.mlp_norm(x + self.mlp(x))


class SelfAttention(nn.Module):
    """Multi-head self-attention without a causal mask (Vaswani et al. 2017, section 3.2.2)."""

    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)  # W_Q, W_K and W_V of all heads, one below the other
        self.out = nn.Linear(width, width)  # W_O

    def forward(
        self, x: Float[Tensor, "batch token width"], mask: Bool[Tensor, "batch 1 1 token"] | None = None
    ) -> Float[Tensor, "batch token width"]:
        query, key, value = (self._split(part) for part in self.qkv(x).chunk(3, dim=-1))
        mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        return self.out(mixed.transpose(1, 2).flatten(start_dim=2))

    def _split(self, x: Float[Tensor, "batch token width"]) -> Float[Tensor, "batch head token head_dim"]:
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)


class MLP(nn.Module):
    """GELU(x W1 + b1) W2 + b2, for each token on its own."""

    def __init__(self, width: int, hidden: int):
        super().__init__()
        self.up = nn.Linear(width, hidden)
        self.out = nn.Linear(hidden, width)

    def forward(self, x: Float[Tensor, "batch token width"]) -> Float[Tensor, "batch token width"]:
        return self.out(F.gelu(self.up(x)))


class MaskedWords(nn.Module):
    """The head of the first task (section 3.1, "Masked LM"): logits of masked tokens."""

    def __init__(self, bert: BERT):
        super().__init__()
        width = bert.config.width
        self.dense = nn.Linear(width, width)
        self.norm = nn.LayerNorm(width, eps=bert.config.epsilon)
        self.bias = nn.Parameter(torch.zeros(bert.config.vocabulary))
        self.apply(initialise)

    def forward(
        self, x: Float[Tensor, "*places width"], embedding: Float[Tensor, "vocabulary width"]
    ) -> Float[Tensor, "*places vocabulary"]:
        """Logits; the output matrix is the token embedding again."""
        return F.linear(self.norm(F.gelu(self.dense(x))), embedding, self.bias)


class NextSentence(nn.Module):
    """The head of the second task (section 3.1, "Next Sentence Prediction"), read from the first token, [CLS]."""

    def __init__(self, width: int):
        super().__init__()
        self.pooler = nn.Linear(width, width)
        self.classifier = nn.Linear(width, 2)
        self.apply(initialise)

    def forward(self, x: Float[Tensor, "batch token width"]) -> Float[Tensor, "batch 2"]:
        """Logits: first for "it follows", then for "it does not" (the original's order)."""
        return self.classifier(torch.tanh(self.pooler(x[:, 0])))


class PretrainingBERT(nn.Module):
    """A BERT with the heads of both pre-training tasks."""

    def __init__(self, config: BERTConfig):
        super().__init__()
        self.config = config
        self.bert = BERT(config)
        self.masked_words = MaskedWords(self.bert)
        self.next_sentence = NextSentence(config.width)

    def forward(
        self,
        tokens: Int[Tensor, "batch token"],
        segments: Int[Tensor, "batch token"] | None = None,
        padding: Bool[Tensor, "batch token"] | None = None,
    ) -> Float[Tensor, "batch token vocabulary"]:
        """Logits of the first task at each place."""
        return self.words(self.bert(tokens, segments, padding))

    def words(self, x: Float[Tensor, "*places width"]) -> Float[Tensor, "*places vocabulary"]:
        """Logits of the first task for vectors of the last block."""
        return self.masked_words(x, self.bert.token_embedding.weight)


def load_bert(weights: dict[str, Tensor], *, heads: int, epsilon: float = 1e-12) -> PretrainingBERT:
    """A BERT with the weights of a checkpoint of transformers' BertForPreTraining (or BertForMaskedLM).

    `weights` as `safetensors.torch.load_file` returns them. `heads` is not among them: it is
    `num_attention_heads` in config.json, `epsilon` is `layer_norm_eps`; other sizes are read from the tensors. A
    checkpoint without the second task (BertForMaskedLM) keeps random weights for it. KeyError, with its name in the
    checkpoint, for a missing tensor.
    """
    # The oldest checkpoints call the weights of their norms gamma and beta, as TensorFlow does.
    weights = {_present_name(name): tensor for name, tensor in weights.items()}
    config = _config_of(weights, "bert.", heads, epsilon)
    model = PretrainingBERT(config)
    state_dict = {f"bert.{name}": tensor for name, tensor in _body_of(weights, "bert.", config.layers).items()}
    state_dict |= {state_name: weights[name] for state_name, name in MASKED_WORDS_NAMES.items()}
    both_tasks = "cls.seq_relationship.weight" in weights
    if both_tasks:
        state_dict |= {state_name: weights[name] for state_name, name in NEXT_SENTENCE_NAMES.items()}
    model.load_state_dict(state_dict, strict=both_tasks)
    return model.eval()


def load_bert_body(weights: dict[str, Tensor], *, heads: int, epsilon: float = 1e-12) -> BERT:
    """A BERT without heads, with the weights of a checkpoint of transformers' BertModel; else as `load_bert`."""
    model = BERT(_config_of(weights, "", heads, epsilon))
    model.load_state_dict(_body_of(weights, "", model.config.layers))
    return model.eval()


def _config_of(weights: dict[str, Tensor], prefix: str, heads: int, epsilon: float) -> BERTConfig:
    """The sizes that the tensors have; `prefix` stands before their names in the checkpoint."""
    vocabulary, width = weights[f"{prefix}embeddings.word_embeddings.weight"].shape
    layer = f"{prefix}encoder.layer."
    return BERTConfig(
        vocabulary=vocabulary,
        context=weights[f"{prefix}embeddings.position_embeddings.weight"].shape[0],
        width=width,
        layers=1 + max(int(name.removeprefix(layer).split(".")[0]) for name in weights if name.startswith(layer)),
        heads=heads,
        hidden=weights[f"{layer}0.intermediate.dense.weight"].shape[0],
        segments=weights[f"{prefix}embeddings.token_type_embeddings.weight"].shape[0],
        epsilon=epsilon,
    )


def _body_of(weights: dict[str, Tensor], prefix: str, layers: int) -> dict[str, Tensor]:
    """The state of `BERT`: embeddings, and the blocks with query, key and value in one matrix."""
    state_dict = {state_name: weights[prefix + name] for state_name, name in EMBEDDING_NAMES.items()}
    for layer in range(layers):
        checkpoint = f"{prefix}encoder.layer.{layer}"
        for kind in ("weight", "bias"):
            parts = [weights[f"{checkpoint}.attention.self.{name}.{kind}"] for name in ("query", "key", "value")]
            state_dict[f"blocks.{layer}.attention.qkv.{kind}"] = torch.cat(parts)
            for state_name, name in BLOCK_NAMES.items():
                state_dict[f"blocks.{layer}.{state_name}.{kind}"] = weights[f"{checkpoint}.{name}.{kind}"]
    return state_dict


def _present_name(name: str) -> str:
    return name.replace("LayerNorm.gamma", "LayerNorm.weight").replace("LayerNorm.beta", "LayerNorm.bias")


def initialise(module: nn.Module) -> None:
    """Section A.2 of the original code: a normal distribution of 0.02 for every matrix."""
    if isinstance(module, nn.Linear | nn.Embedding):
        nn.init.normal_(module.weight, std=0.02)
    if isinstance(module, nn.Linear):
        nn.init.zeros_(module.bias)


EMBEDDING_NAMES = {
    "token_embedding.weight": "embeddings.word_embeddings.weight",
    "position_embedding.weight": "embeddings.position_embeddings.weight",
    "segment_embedding.weight": "embeddings.token_type_embeddings.weight",
    "embedding_norm.weight": "embeddings.LayerNorm.weight",
    "embedding_norm.bias": "embeddings.LayerNorm.bias",
}
MASKED_WORDS_NAMES = {
    "masked_words.dense.weight": "cls.predictions.transform.dense.weight",
    "masked_words.dense.bias": "cls.predictions.transform.dense.bias",
    "masked_words.norm.weight": "cls.predictions.transform.LayerNorm.weight",
    "masked_words.norm.bias": "cls.predictions.transform.LayerNorm.bias",
    "masked_words.bias": "cls.predictions.bias",
}
BLOCK_NAMES = {
    "attention.out": "attention.output.dense",
    "attention_norm": "attention.output.LayerNorm",
    "mlp.up": "intermediate.dense",
    "mlp.out": "output.dense",
    "mlp_norm": "output.LayerNorm",
}
NEXT_SENTENCE_NAMES = {
    "next_sentence.pooler.weight": "bert.pooler.dense.weight",
    "next_sentence.pooler.bias": "bert.pooler.dense.bias",
    "next_sentence.classifier.weight": "cls.seq_relationship.weight",
    "next_sentence.classifier.bias": "cls.seq_relationship.bias",
}

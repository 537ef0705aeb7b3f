"""Classifiers of the sentiment of reviews: three small ones, and a BERT.

The small ones read words. They are those of one table (core/published/sentiment.csv), each with about as many
weights as there:

ReviewRNN      an LSTM in each direction, then a weighted mean of the states of all words: attention as pooling
ReviewCNN      two convolutions with kernels of seven words, then the maximum of each filter
ReviewEncoder  one block of a transformer's encoder, then the plain mean

The weighted mean is that of Yang et al. 2016, "Hierarchical Attention Networks for Document Classification", section
2.2, equations 5 to 7, in one level: u_t = tanh(W h_t + b), a_t = softmax_t(u_t . u), s = sum_t a_t h_t.

ReviewBERT is fine-tuned from one that was pre-trained on other texts (Devlin et al. 2018, section 4.1).
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from ..attention.positional_encodings import sinusoidal
from .bert import BERT, BERTConfig, initialise
from .recurrent import lengths_of, reverse

Architecture = Literal["rnn", "cnn", "encoder"]


@dataclass(frozen=True)
class SentimentConfig:
    """The sizes of a network.

    `state`: the width of each direction of the LSTM, filters of a convolution, hidden channels of the encoder's MLP.
    `pooling`: how the recurrent network aggregates its words; with "mean" all weights are equal, without attention.
    """

    architecture: Architecture
    vocabulary: int = 10_000
    classes: int = 2
    width: int = 32
    state: int = 32
    reach: int = 7  # words of a filter's kernel
    heads: int = 2
    pooling: Literal["attention", "mean"] = "attention"
    dropout: float = 0.5

    def __post_init__(self):
        if self.architecture not in NETWORKS:
            raise ValueError(f"'{self.architecture}' is not a network: choose one of {', '.join(NETWORKS)}.")
        for name in ("vocabulary", "classes", "width", "state", "reach", "heads"):
            if getattr(self, name) < 1:
                raise ValueError(f"A network needs at least 1 for '{name}', not {getattr(self, name)}.")
        if self.width % self.heads:
            raise ValueError(f"{self.heads} heads cannot share {self.width} channels equally.")


class Reviewer(nn.Module, ABC):
    """The base class of the three: embeds tokens; subclasses turn word vectors into logits of the classes."""

    def __init__(self, config: SentimentConfig):
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocabulary, config.width)
        self.dropout = nn.Dropout(config.dropout)

    def forward(
        self, tokens: Int[Tensor, "batch token"], padding: Bool[Tensor, "batch token"] | None = None
    ) -> Float[Tensor, "batch class"]:
        """`padding` is True where no word is: after the end of the shorter reviews of a batch."""
        return self.classify(self.embedding(tokens), padding)

    @abstractmethod
    def classify(
        self, words: Float[Tensor, "batch token width"], padding: Bool[Tensor, "batch token"] | None = None
    ) -> Float[Tensor, "batch class"]:
        """The logits for vectors of words, with respect to which gradients can be computed."""


class ReviewRNN(Reviewer):
    """An LSTM in each direction, the weighted mean of their states, and a linear map to the classes."""

    def __init__(self, config: SentimentConfig):
        super().__init__(config)
        self.forwards = nn.LSTM(config.width, config.state, batch_first=True)
        self.backwards = nn.LSTM(config.width, config.state, batch_first=True)
        self.pooling = AttentionPooling(2 * config.state, 20) if config.pooling == "attention" else MeanPooling()
        self.classifier = nn.Linear(2 * config.state, config.classes)

    def classify(
        self, words: Float[Tensor, "batch token width"], padding: Bool[Tensor, "batch token"] | None = None
    ) -> Float[Tensor, "batch class"]:
        words, lengths = self.dropout(words), lengths_of(words, padding)
        forwards, _ = self.forwards(words)
        backwards, _ = self.backwards(reverse(words, lengths))
        states = torch.cat([forwards, reverse(backwards, lengths)], dim=-1)  # (batch, token, 2 state)
        return self.classifier(self.dropout(self.pooling(states, padding)))


class ReviewCNN(Reviewer):
    """Two convolutions, the maximum of each filter over all words, and a linear map to the classes."""

    def __init__(self, config: SentimentConfig):
        super().__init__(config)
        half = config.reach // 2
        self.first = nn.Conv1d(config.width, config.state, config.reach, padding=half)
        self.second = nn.Conv1d(config.state, config.state, config.reach, padding=half)
        self.classifier = nn.Linear(config.state, config.classes)

    def classify(
        self, words: Float[Tensor, "batch token width"], padding: Bool[Tensor, "batch token"] | None = None
    ) -> Float[Tensor, "batch class"]:
        # Padding is zero, as beyond the ends; no activation is below zero, so the maximum is never at padding.
        real = words.new_ones(()) if padding is None else (~padding)[:, None].to(words)
        x = F.relu(self.first(self.dropout(words).mT * real)) * real  # (batch, filter, token)
        x = F.relu(self.second(x)) * real
        return self.classifier(self.dropout(x.amax(dim=-1)))


class ReviewEncoder(Reviewer):
    """Words and positions, one block of attention and MLP (pre-norm), the mean, and a linear map to the classes."""

    def __init__(self, config: SentimentConfig):
        super().__init__(config)
        width = config.width
        self.attention_norm, self.mlp_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = SelfAttention(width, config.heads)
        self.mlp = nn.Sequential(nn.Linear(width, config.state), nn.ReLU(), nn.Linear(config.state, width))
        self.pooling = MeanPooling()
        self.classifier = nn.Linear(width, config.classes)

    def classify(
        self, words: Float[Tensor, "batch token width"], padding: Bool[Tensor, "batch token"] | None = None
    ) -> Float[Tensor, "batch class"]:
        x = self.dropout(words + sinusoidal(*words.shape[1:]).to(words))
        x = x + self.attention(self.attention_norm(x), padding)
        x = x + self.mlp(self.mlp_norm(x))
        return self.classifier(self.dropout(self.pooling(x, padding)))


class ReviewBERT(nn.Module):
    """A BERT, and a classifier of a review by its first token, [CLS]."""

    def __init__(self, config: BERTConfig, classes: int = 2):
        super().__init__()
        self.config = config
        self.bert = BERT(config)
        self.dropout = nn.Dropout(0.1)
        self.pooler = nn.Linear(config.width, config.width)
        self.classifier = nn.Linear(config.width, classes)
        for head in (self.pooler, self.classifier):
            initialise(head)

    def forward(
        self, tokens: Int[Tensor, "batch token"], padding: Bool[Tensor, "batch token"] | None = None
    ) -> Float[Tensor, "batch class"]:
        """`padding` is True where no token is."""
        first = self.bert(tokens, padding=padding)[:, 0]
        return self.classifier(self.dropout(torch.tanh(self.pooler(first))))


class AttentionPooling(nn.Module):
    """A mean of states, weighted by their products with a learned query (Yang et al. 2016, equations 5-7).

    It is scaled dot-product attention with the scale 1, so its weights can be recorded and edited like those of any
    attention.
    """

    def __init__(self, width: int, inner: int):
        super().__init__()
        self.key = nn.Linear(width, inner)  # W and b
        self.query = nn.Parameter(torch.randn(inner) / inner**0.5)  # u, the "context vector"

    def forward(
        self, x: Float[Tensor, "batch token width"], padding: Bool[Tensor, "batch token"] | None = None
    ) -> Float[Tensor, "batch width"]:
        query = self.query.expand(len(x), 1, 1, -1)
        key = torch.tanh(self.key(x))[:, None]
        mask = None if padding is None else ~padding[:, None, None, :]
        return F.scaled_dot_product_attention(query, key, x[:, None], attn_mask=mask, scale=1.0)[:, 0, 0]


class MeanPooling(nn.Module):
    """The plain mean of the states of all words."""

    def forward(
        self, x: Float[Tensor, "batch token width"], padding: Bool[Tensor, "batch token"] | None = None
    ) -> Float[Tensor, "batch width"]:
        if padding is None:
            return x.mean(dim=1)
        real = (~padding)[..., None].to(x)
        return (x * real).sum(dim=1) / real.sum(dim=1).clamp(min=1)


class SelfAttention(nn.Module):
    """Multi-head self-attention without a causal mask (Vaswani et al. 2017, section 3.2.2)."""

    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(
        self, x: Float[Tensor, "batch token width"], padding: Bool[Tensor, "batch token"] | None = None
    ) -> Float[Tensor, "batch token width"]:
        query, key, value = (
            part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in self.qkv(x).chunk(3, dim=-1)
        )
        mask = None if padding is None else ~padding[:, None, None, :]
        mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        return self.out(mixed.transpose(1, 2).flatten(start_dim=2))


NETWORKS: dict[str, type[Reviewer]] = {"rnn": ReviewRNN, "cnn": ReviewCNN, "encoder": ReviewEncoder}


def make_reviewer(config: SentimentConfig) -> Reviewer:
    """An untrained network of these sizes."""
    return NETWORKS[config.architecture](config)

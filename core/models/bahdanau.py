"""Translation with the first attention: the decoder attends to source words (Bahdanau, Cho and Bengio 2014).

h_j  = [GRU forward; GRU backward]                   an annotation of each source word (section 3.2)
s_0  = tanh(W_s h_1 backward)                        the decoder's first state (appendix A.2.2)
e_ij = v^T tanh(W s_(i-1) + U h_j)                   the score of source word j for target word i (appendix A.1.2)
a_ij = softmax_j(e_ij)                               the attention weights (section 3.1, equation 6)
c_i  = sum_j a_ij h_j                                the context vector, a new one at each step (equation 5)
s_i  = GRU([y_(i-1); c_i], s_(i-1))                  (section 3.1, equation 4)
p(y_i) = softmax(E maxout(O_s s_i + O_y y_(i-1) + O_c c_i))

With `score="dot"` e_ij is (W s_(i-1)) . (U h_j) instead, the product of Luong et al. 2015 (section 3.1, "general").
The readout reads the new state s_i, which depends on y_(i-1); in the paper it reads s_(i-1).
"""

from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from .recurrent import Readout, State, lengths_of, reverse

Score = Literal["additive", "dot"]


@dataclass(frozen=True)
class BahdanauConfig:
    """The sizes of the model; one matrix is the embedding of both languages and the map to the logits."""

    vocabulary: int = 8000
    width: int = 256  # of an embedding
    encoder: int = 352  # of each direction
    state: int = 576  # of the decoder
    attention: int = 352  # of the space in which state and annotation are compared
    score: Score = "additive"
    dropout: float = 0.2

    def __post_init__(self):
        for name in ("vocabulary", "width", "encoder", "state", "attention"):
            if getattr(self, name) < 1:
                raise ValueError(f"A translation model needs at least 1 for '{name}', not {getattr(self, name)}.")
        if self.score not in ("additive", "dot"):
            raise ValueError(f"'{self.score}' is not a score: choose 'additive' or 'dot'.")


class Bahdanau(nn.Module):
    """Source and target so far in, logits for the next token out; `attend` gives the weights as well."""

    def __init__(self, config: BahdanauConfig):
        super().__init__()
        self.config = config
        memory = 2 * config.encoder
        self.embedding = nn.Embedding(config.vocabulary, config.width)
        self.forwards = nn.GRU(config.width, config.encoder, batch_first=True)
        self.backwards = nn.GRU(config.width, config.encoder, batch_first=True)
        self.first = nn.Linear(config.encoder, config.state)
        self.attention = AdditiveAttention(config.state, memory, config.attention, config.score)
        self.decoder = nn.GRUCell(config.width + memory, config.state)
        self.readout = Readout(config.state + config.width + memory, self.embedding)
        self.dropout = nn.Dropout(config.dropout)

    def forward(
        self,
        source: Int[Tensor, "batch source"],
        target: Int[Tensor, "batch target"],
        source_padding: Bool[Tensor, "batch source"] | None = None,
    ) -> Float[Tensor, "batch target vocabulary"]:
        return self.attend(source, target, source_padding)[0]

    def attend(
        self,
        source: Int[Tensor, "batch source"],
        target: Int[Tensor, "batch target"],
        source_padding: Bool[Tensor, "batch source"] | None = None,
        allowed: Bool[Tensor, "batch target source"] | None = None,
    ) -> tuple[Float[Tensor, "batch target vocabulary"], Float[Tensor, "batch target source"]]:
        """The logits after each token of the target, and the attention weights of each step.

        `allowed` is False for the links that are cut: the softmax of a row is over the others.
        """
        state = self.read(source, source_padding, allowed)
        words = self.dropout(self.embedding(target))
        inputs, weights = [], []  # inputs of the readout
        for place in range(target.shape[1]):
            state = self._advance(words[:, place], state)
            inputs.append(torch.cat([state["state"], words[:, place], state["context"]], dim=-1))
            weights.append(state["weights"])
        return self.readout(self.dropout(torch.stack(inputs, dim=1))), torch.stack(weights, dim=1)

    def read(
        self,
        source: Int[Tensor, "batch source"],
        padding: Bool[Tensor, "batch source"] | None = None,
        allowed: Bool[Tensor, "batch target source"] | None = None,
    ) -> State:
        """The annotations of each source and the decoder's first state; `padding` is True where there is no token."""
        lengths = lengths_of(source, padding)
        words = self.dropout(self.embedding(source))
        forwards, _ = self.forwards(words)
        backwards, _ = self.backwards(reverse(words, lengths))
        backwards = reverse(backwards, lengths)
        memory = torch.cat([forwards, backwards], dim=-1)
        state = {
            "memory": memory,
            "keys": self.attention.key(memory),
            "real": torch.ones_like(source, dtype=torch.bool) if padding is None else ~padding,
            "state": torch.tanh(self.first(backwards[:, 0])),
        }
        if allowed is not None:
            state |= {"allowed": allowed, "place": torch.zeros(len(source), dtype=torch.long)}
        return state

    def step(self, token: Int[Tensor, " batch"], state: State) -> tuple[Float[Tensor, "batch vocabulary"], State]:
        """The logits after one more token of the target, and the state in which the next step begins.

        The state also holds intermediate results: the "weights" (batch, source) and the "context" (batch, width).
        """
        words = self.dropout(self.embedding(token))
        state = self._advance(words, state)
        return self.readout(self.dropout(torch.cat([state["state"], words, state["context"]], dim=-1))), state

    def _advance(self, words: Float[Tensor, "batch width"], state: State) -> State:
        mask = state["real"]
        if "allowed" in state:
            mask = mask & _row(state["allowed"], state["place"])
            state = state | {"place": state["place"] + 1}
        weights = self.attention(state["state"], state["keys"], mask)
        context = (weights[:, None] @ state["memory"])[:, 0]
        after = self.decoder(torch.cat([words, context], dim=-1), state["state"])
        return state | {"weights": weights, "context": context, "state": after}


class AdditiveAttention(nn.Module):
    """A network with one hidden layer scores how well a state and an annotation fit (appendix A.1.2)."""

    def __init__(self, state: int, memory: int, width: int, score: Score):
        super().__init__()
        self.query = nn.Linear(state, width, bias=False)  # W
        self.key = nn.Linear(memory, width, bias=False)  # U, applied once to all source tokens
        self.vector = nn.Linear(width, 1, bias=False) if score == "additive" else None  # v

    def forward(
        self,
        state: Float[Tensor, "batch width_in"],
        keys: Float[Tensor, "batch source width"],
        mask: Bool[Tensor, "batch source"],
    ) -> Float[Tensor, "batch source"]:
        """The attention weights of the tokens where `mask` is True; where it is nowhere True, all are zero."""
        scores = self.scores(state, keys).masked_fill(~mask, -torch.inf)
        empty = ~mask.any(dim=-1, keepdim=True)
        return scores.masked_fill(empty, 0.0).softmax(dim=-1).masked_fill(empty, 0.0)

    def scores(
        self, state: Float[Tensor, "batch width_in"], keys: Float[Tensor, "batch source width"]
    ) -> Float[Tensor, "batch source"]:
        """v^T tanh(W s + U h_j), or (W s) . (U h_j), for each word j of the source."""
        query = self.query(state)[:, None]
        if self.vector is None:
            return (keys @ query.mT)[..., 0]
        return self.vector(torch.tanh(query + keys))[..., 0]


def _row(allowed: Bool[Tensor, "batch target source"], place: Int[Tensor, " batch"]) -> Bool[Tensor, "batch source"]:
    """The row of the mask for the step that predicts the token at `place`; after the last row, True everywhere."""
    rows = allowed[torch.arange(len(allowed)), place.clamp(max=allowed.shape[1] - 1)]
    return rows | (place >= allowed.shape[1])[:, None]

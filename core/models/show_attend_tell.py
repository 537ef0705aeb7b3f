"""Captions with attention: an LSTM that attends to places of a picture, word by word (Xu et al. 2015).

a_i     a vector for each place i of the picture, from a convolutional body               (section 3.1.1)
c_0, h_0 = tanh(W mean_i a_i)                       the LSTM's first memory and state      (section 3.1.2)
e_ti = v^T tanh(W h_(t-1) + U a_i)                  how well place i fits the next word    (equation 4)
w_ti = softmax_i(e_ti)                              the attention weights                  (equation 5)
b_t  = sigmoid(f h_(t-1))                           how much the picture counts            (section 4.2.1)
z_t  = b_t sum_i w_ti a_i                           the context vector                     (equation 13)
h_t  = LSTM([y_(t-1); z_t], h_(t-1))                                                       (equations 1 to 3)
p(y_t) = softmax(L (y_(t-1) + L_h h_t + L_z z_t))                                          (equation 7)
loss = -sum_t log p(y_t) + lambda sum_i (1 - sum_t w_ti)^2                                 (equation 14)
"""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from .recurrent import State


@dataclass(frozen=True)
class CaptionerConfig:
    """The sizes of the decoder; `place_width`: channels of a place of the picture."""

    vocabulary: int
    place_width: int = 128
    width: int = 192  # of a word's vector
    state: int = 320
    attention: int = 192
    dropout: float = 0.3

    def __post_init__(self):
        for name in ("vocabulary", "place_width", "width", "state", "attention"):
            if getattr(self, name) < 1:
                raise ValueError(f"A captioner needs at least 1 for '{name}', not {getattr(self, name)}.")


class ShowAttendTell(nn.Module):
    """Places of a picture and the words so far in, logits for the next word out; `attend` gives weights and gates."""

    def __init__(self, config: CaptionerConfig):
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocabulary, config.width)
        self.first = nn.Linear(config.place_width, 2 * config.state)
        self.attention = PlaceAttention(config.state, config.place_width, config.attention)
        self.gate = nn.Linear(config.state, 1)
        self.decoder = nn.LSTMCell(config.width + config.place_width, config.state)
        self.from_state = nn.Linear(config.state, config.width)
        self.from_seen = nn.Linear(config.place_width, config.width)
        self.out = nn.Linear(config.width, config.vocabulary)
        self.dropout = nn.Dropout(config.dropout)

    def forward(
        self, places: Float[Tensor, "batch patch width_in"], words: Int[Tensor, "batch target"]
    ) -> Float[Tensor, "batch target vocabulary"]:
        return self.attend(places, words)[0]

    def attend(
        self, places: Float[Tensor, "batch patch width_in"], words: Int[Tensor, "batch target"]
    ) -> tuple[
        Float[Tensor, "batch target vocabulary"], Float[Tensor, "batch target patch"], Float[Tensor, "batch target"]
    ]:
        """The logits after each word, the attention weights of that step, and its gate (0 to 1)."""
        state = self.read(places)
        logits, weights, gates = [], [], []
        for place in range(words.shape[1]):
            step_logits, state = self.step(words[:, place], state)
            logits.append(step_logits)
            weights.append(state["weights"])
            gates.append(state["gate"])
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1), torch.stack(gates, dim=1)

    def read(self, places: Float[Tensor, "batch patch width_in"]) -> State:
        """The state before the first word."""
        memory, state = torch.tanh(self.first(places.mean(dim=1))).chunk(2, dim=-1)
        return {"places": places, "keys": self.attention.key(places), "memory": memory, "state": state}

    def step(self, word: Int[Tensor, " batch"], state: State) -> tuple[Float[Tensor, "batch vocabulary"], State]:
        """The logits after one more word, and the state in which the next step begins.

        The state also holds intermediate results: the "weights" (batch, patch), the "gate" (batch,) and the gated
        "context" vector (batch, width).
        """
        words = self.dropout(self.embedding(word))
        mixed, weights = self.attention(state["state"], state["keys"], state["places"])
        gate = torch.sigmoid(self.gate(state["state"]))
        context = gate * mixed
        hidden, memory = self.decoder(torch.cat([words, context], dim=-1), (state["state"], state["memory"]))
        readout = words + self.from_state(self.dropout(hidden)) + self.from_seen(context)
        after = {"state": hidden, "memory": memory, "weights": weights, "gate": gate[:, 0], "context": context}
        return self.out(self.dropout(readout)), state | after


class PlaceAttention(nn.Module):
    """Additive attention: a network with one hidden layer scores how well a state and a place fit (equations 4, 5)."""

    def __init__(self, state: int, place: int, width: int):
        super().__init__()
        self.query = nn.Linear(state, width, bias=False)  # W
        self.key = nn.Linear(place, width, bias=False)  # U, applied once for all places of the picture
        self.vector = nn.Linear(width, 1, bias=False)  # v

    def forward(
        self,
        state: Float[Tensor, "batch width"],
        keys: Float[Tensor, "batch key head_dim"],
        places: Float[Tensor, "batch key width_in"],
    ) -> tuple[Float[Tensor, "batch width_in"], Float[Tensor, "batch key"]]:
        """The mean of the places by their attention weights, and those weights."""
        weights = self.scores(state, keys)[:, None].softmax(dim=-1)  # an axis for the one query, as elsewhere
        return (weights @ places)[:, 0], weights[:, 0]

    def scores(
        self, state: Float[Tensor, "batch width"], keys: Float[Tensor, "batch key head_dim"]
    ) -> Float[Tensor, "batch key"]:
        """v^T tanh(W h + U a_i) for each place i."""
        return self.vector(torch.tanh(self.query(state)[:, None] + keys))[..., 0]


def caption_loss(
    logits: Float[Tensor, "batch target vocabulary"],
    weights: Float[Tensor, "batch target patch"],
    following: Int[Tensor, "batch target"],
    *,
    ignore: int,
    fairness: float = 1.0,
) -> Float[Tensor, ""]:
    """Equation 14: cross-entropy of the words, plus `fairness` times a penalty that spreads attention over all places.

    `ignore`: the value of `following` where a text has ended; `fairness`: lambda. The cross-entropy is a mean over
    words, the penalty one over pictures and places.
    """
    real = following != ignore
    attention = (weights * real[..., None]).sum(dim=1)
    penalty = (1 - attention).square().mean()
    return F.cross_entropy(logits.flatten(0, 1), following.flatten(), ignore_index=ignore) + fairness * penalty

"""Translation without attention: one vector carries the whole sentence (Cho et al. 2014; Sutskever et al. 2014).

h_t = GRU(x_t, h_(t-1))            the encoder reads the source from its last word to its first (Sutskever, section 3.3)
c   = tanh(V h_last)               the summary: all that the decoder reads of the source (Cho, appendix A.1.1)
s_0 = tanh(V' c)
s_i = GRU([y_(i-1); c], s_(i-1))   the decoder reads the summary at each step (Cho, section 2.2, equation 8)
p(y_i) = softmax(E maxout(O_s s_i + O_y y_(i-1) + O_c c))    with the embeddings E (Cho, appendix A.1.2)
"""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from .recurrent import Readout, State, lengths_of, reverse


@dataclass(frozen=True)
class Seq2SeqConfig:
    """The sizes of the model; one matrix is the embedding of both languages and the map to the logits."""

    vocabulary: int = 8000
    width: int = 256  # of an embedding
    state: int = 592  # of the encoder, the summary and the decoder
    dropout: float = 0.2

    def __post_init__(self):
        for name in ("vocabulary", "width", "state"):
            if getattr(self, name) < 1:
                raise ValueError(f"A translation model needs at least 1 for '{name}', not {getattr(self, name)}.")


class Seq2Seq(nn.Module):
    """Encoder-decoder with a fixed context vector: source and target so far in, logits for the next token out."""

    def __init__(self, config: Seq2SeqConfig):
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocabulary, config.width)
        self.encoder = nn.GRU(config.width, config.state, batch_first=True)
        self.summary = nn.Linear(config.state, config.state)
        self.first = nn.Linear(config.state, config.state)
        self.decoder = nn.GRU(config.width + config.state, config.state, batch_first=True)
        self.readout = Readout(2 * config.state + config.width, self.embedding)
        self.dropout = nn.Dropout(config.dropout)

    def forward(
        self,
        source: Int[Tensor, "batch source"],
        target: Int[Tensor, "batch target"],
        source_padding: Bool[Tensor, "batch source"] | None = None,
    ) -> Float[Tensor, "batch target vocabulary"]:
        return self.readout(self.readout_inputs(self.embedding(source), target, source_padding))

    def readout_inputs(
        self,
        source: Float[Tensor, "batch source width"],
        target: Int[Tensor, "batch target"],
        source_padding: Bool[Tensor, "batch source"] | None = None,
    ) -> Float[Tensor, "batch target width_in"]:
        """The inputs of the readout at each step, from the embedded source on."""
        start = self._begin(source, source_padding)
        words = self.dropout(self.embedding(target))
        summary = start["summary"][:, None].expand(-1, target.shape[1], -1)
        states, _ = self.decoder(torch.cat([words, summary], dim=-1), start["state"][None].contiguous())
        return self.dropout(torch.cat([states, words, summary], dim=-1))

    def read(self, source: Int[Tensor, "batch source"], padding: Bool[Tensor, "batch source"] | None = None) -> State:
        """The summary of each source and the decoder's first state; `padding` is True where there is no token."""
        return self._begin(self.embedding(source), padding)

    def _begin(
        self, source: Float[Tensor, "batch source width"], padding: Bool[Tensor, "batch source"] | None
    ) -> State:
        lengths = lengths_of(source, padding)
        states, _ = self.encoder(reverse(self.dropout(source), lengths))
        last = states[torch.arange(len(source)), lengths - 1]
        summary = torch.tanh(self.summary(last))
        return {"summary": summary, "state": torch.tanh(self.first(summary))}

    def step(self, token: Int[Tensor, " batch"], state: State) -> tuple[Float[Tensor, "batch vocabulary"], State]:
        """The logits after one more token of the target, and the state in which the next step begins."""
        words = self.dropout(self.embedding(token))
        summary = state["summary"]
        states, _ = self.decoder(torch.cat([words, summary], dim=-1)[:, None], state["state"][None].contiguous())
        logits = self.readout(self.dropout(torch.cat([states[:, 0], words, summary], dim=-1)))
        return logits, state | {"state": states[:, 0]}

"""A BERT fine-tuned for two tasks at once: a tag for every word, and the sentiment of the whole sentence.

Devlin et al. 2018, section 4.1 (a sentence is classified by the vector of [CLS]) and section 5.3 (a word is tagged by
the vector of its first piece). One body serves both small heads.
"""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from .bert import BERT, BERTConfig, PretrainingBERT, initialise

# The universal parts of speech of Universal Dependencies 2 (Nivre et al. 2020, section 2.2), open classes first.
TAGS = (
    *("NOUN", "PROPN", "VERB", "ADJ", "ADV", "INTJ"),
    *("PRON", "DET", "AUX", "ADP", "CCONJ", "SCONJ", "PART", "NUM"),
    *("PUNCT", "SYM", "X"),
)
SENTIMENTS = ("negative", "positive")  # in the order of SST-2's labels


class TasksBERT(nn.Module):
    """A BERT with a head for each of the two tasks."""

    def __init__(self, config: BERTConfig):
        super().__init__()
        self.config = config
        self.bert = BERT(config)
        self.tags = nn.Linear(config.width, len(TAGS))
        self.pooler = nn.Linear(config.width, config.width)
        self.verdicts = nn.Linear(config.width, len(SENTIMENTS))
        for head in (self.tags, self.pooler, self.verdicts):
            initialise(head)

    def forward(
        self, tokens: Int[Tensor, "batch token"], padding: Bool[Tensor, "batch token"] | None = None
    ) -> tuple[Float[Tensor, "batch token tag"], Float[Tensor, "batch 2"]]:
        """Logits of TAGS at every place (those at a word's first piece count), and of SENTIMENTS.

        `padding` is True where there is no token.
        """
        x = self.bert(tokens, padding=padding)  # (batch, token, width)
        return self.tags(x), self.sentiment(x)

    def sentiment(self, x: Float[Tensor, "batch token width"]) -> Float[Tensor, "batch 2"]:
        """Logits of SENTIMENTS, read from the first token, [CLS]."""
        return self.verdicts(torch.tanh(self.pooler(x[:, 0])))


def with_heads(pretrained: PretrainingBERT) -> TasksBERT:
    """A pre-trained BERT with two new heads; only the pooler, which already reads [CLS], is copied."""
    model = TasksBERT(pretrained.config)
    model.bert.load_state_dict(pretrained.bert.state_dict())
    model.pooler.load_state_dict(pretrained.next_sentence.pooler.state_dict())
    return model

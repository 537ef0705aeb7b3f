"""A BERT fine-tuned for natural language inference: does the second of two sentences follow from the first?

Devlin et al. 2018, section 4.1 and figure 4a: both sentences stand in one input, and the vector of [CLS] is classified.
"""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from .bert import BERT, BERTConfig, PretrainingBERT, initialise

RELATIONS = ("entailment", "neutral", "contradiction")


class InferenceBERT(nn.Module):
    """A BERT with a classifier of RELATIONS that reads [CLS]."""

    def __init__(self, config: BERTConfig):
        super().__init__()
        self.config = config
        self.bert = BERT(config)
        self.pooler = nn.Linear(config.width, config.width)
        self.relation = nn.Linear(config.width, len(RELATIONS))
        for head in (self.pooler, self.relation):
            initialise(head)

    def forward(
        self,
        tokens: Int[Tensor, "batch token"],
        segments: Int[Tensor, "batch token"] | None = None,
        padding: Bool[Tensor, "batch token"] | None = None,
    ) -> Float[Tensor, "batch relation"]:
        """Logits of RELATIONS; `segments`: 0 for tokens of the first sentence, 1 of the second."""
        x = self.bert(tokens, segments, padding)  # (batch, token, width)
        return self.relation(torch.tanh(self.pooler(x[:, 0])))


def with_classifier(pretrained: PretrainingBERT) -> InferenceBERT:
    """A pre-trained BERT with a new classifier; the pooler, which already reads [CLS], is copied."""
    model = InferenceBERT(pretrained.config)
    model.bert.load_state_dict(pretrained.bert.state_dict())
    model.pooler.load_state_dict(pretrained.next_sentence.pooler.state_dict())
    return model

"""What the fine-tuned BERT predicts for a sentence: a tag for each word, and its sentiment.

model = load_embedded_text("bert-tasks")
predictions = read(model, "The old man the boats.")
predictions.words, [TAGS[number] for number in predictions.tags.argmax(dim=-1)], predictions.sentiment[1]
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from ...models.bert_tasks import TasksBERT
from ...text import Tokens
from ...zoo import TextModel
from ..masked_words.words import Word, words_of

NAME, TRAINED = "bert-tasks", "make train-bert-tasks DATA=..."


@dataclass(frozen=True, eq=False)
class TaskPredictions:
    """The words of a text with the probabilities of TAGS for each, and the probabilities of SENTIMENTS for the text."""

    tokens: Tokens
    words: tuple[Word, ...]
    tags: Float[Tensor, "word tag"]
    sentiment: Float[Tensor, "2"]

    @property
    def first_pieces(self) -> tuple[int, ...]:
        """The place of each word's first token, from which its tag is predicted."""
        return tuple(word.places[0] for word in self.words)


@torch.inference_mode()
def read(model: TextModel, text: str) -> TaskPredictions:
    """Predict tags and sentiment of a text in one forward pass."""
    network, tokens = model.network, model.encode(text)
    assert isinstance(network, TasksBERT)
    words = words_of(tokens)
    tags, sentiment = network(torch.tensor([tokens.ids]))
    places = torch.tensor([word.places[0] for word in words], dtype=torch.long)
    return TaskPredictions(tokens, words, tags[0, places].softmax(dim=-1), sentiment[0].softmax(dim=-1))

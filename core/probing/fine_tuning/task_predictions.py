"""What the fine-tuned BERT says of a sentence: a tag for each word, and a verdict.

model = load_embedded_text("bert-tasks")
said = read(model, "The old man the boats.")
said.words, [TAGS[number] for number in said.tags.argmax(dim=-1)], said.verdict[1]
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
class Said:
    """The words of a text and their first pieces, how probable each of TAGS is for them, and each of VERDICTS."""

    tokens: Tokens
    words: tuple[Word, ...]
    tags: Float[Tensor, "word tag"]
    verdict: Float[Tensor, "2"]

    @property
    def first_pieces(self) -> tuple[int, ...]:
        """The place among the tokens from which each word's tag is read."""
        return tuple(word.places[0] for word in self.words)


@torch.inference_mode()
def read(model: TextModel, text: str) -> Said:
    """One forward pass on a text from `read_text`."""
    network, tokens = model.network, model.encode(text)
    assert isinstance(network, TasksBERT)
    words = words_of(tokens)
    tags, verdict = network(torch.tensor([tokens.ids]))
    places = torch.tensor([word.places[0] for word in words], dtype=torch.long)
    return Said(tokens, words, tags[0, places].softmax(dim=-1), verdict[0].softmax(dim=-1))

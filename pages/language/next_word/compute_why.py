"""A text whose next token was taken apart: what every part of the model wrote of it, and what the layers say; kept."""

from collections.abc import Hashable
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from core.capture import edit_attention
from core.errors import InputError
from core.interpretability import walk
from core.interpretability.component_outputs import ComponentOutputs, compute_component_outputs
from core.interpretability.logit_attribution import Attribution, attribute
from core.interpretability.logit_lens import logits_along
from core.progress import Progress, no_progress
from core.text import Tokens, encode
from core.zoo.text_models import CausalLanguageModel
from dashboard import typeset
from dashboard.cache.memo import cached
from dashboard.cache.upload import Upload
from dashboard.recordings.watched import Head, Text, content_of
from pages.language.next_word.inputs import Selection

LONGEST = 256  # tokens: every sum of the model is held in memory while it is taken apart
CONTINUES = "…"  # before a token that goes on with a word
CANDIDATES = 40  # most probable tokens that can be chosen from a list; any other can be typed


@dataclass(frozen=True, eq=False)
class Reading:
    """A text, what each part of a model wrote at its last token, and what the logit lens says there.

    `lens` holds all logits before the first block and after each; its last row is what the model itself says.
    """

    identity: Hashable
    selection: Selection
    tokens: Tokens
    component_outputs: ComponentOutputs
    lens: Float[Tensor, "layer vocabulary"]

    @property
    def model(self) -> CausalLanguageModel:
        """The model that read."""
        return self.selection.model

    @property
    def best(self) -> list[int]:
        """The most probable next tokens by their numbers, the best first."""
        return self.lens[-1].topk(min(CANDIDATES, self.lens.shape[1])).indices.tolist()

    def probability(self, token: int) -> float:
        """Of a token, to come next."""
        return float(self.lens[-1].softmax(dim=-1)[token])


@cached("Taking the logits apart …", unit="layers")
def reading(name: str, text: Text, silenced: Head | None = None, progress: Progress = no_progress) -> Reading:
    """What is written at the last token of a text; with a head silenced, if one is given.

    AtlasError where the model's logits are no sum of what its parts write, or there is no such head.
    """
    selection = Selection(name, text)
    model = selection.model
    tokens = encode(model.tokenizer, content_of(text), context=min(LONGEST, model.context))
    batch = torch.tensor([tokens.ids])
    plain = None if silenced is None else reading(name, text)
    edits = {} if plain is None or silenced is None else {_place(plain, silenced): "silence"}

    def plainly(network: nn.Module) -> object:
        return network(batch)

    def run(network: nn.Module) -> object:
        with edit_attention(network, edits):
            return network(batch)

    walked = walk(model.network, run if edits else plainly)
    # The lens skips the blocks, in which the edit would have to be made: its head reads without the edit.
    lens = logits_along(walked, readout_run=plainly, progress=progress)
    known_by = text.identity if isinstance(text, Upload) else text
    return Reading((name, known_by, silenced), selection, tokens, compute_component_outputs(walked), lens)


def _place(plain: Reading, head: Head) -> tuple[str, int]:
    """The path and the number of a head; InputError if there is none that can be told apart."""
    block, number = head
    heads = plain.component_outputs.heads.get(block)
    if heads is None or number >= len(heads.weights):
        raise InputError(f"There is no head {number} in block {block} that can be told apart: choose one of the map.")
    return heads.path, number


@cached("Splitting the difference …")
def attribution(read: Reading, one: int, other: int) -> Attribution:
    """The difference of two logits after the text, split into what each part wrote."""
    return attribute(read.component_outputs, one, other)


def token_of(model: CausalLanguageModel, typed: str) -> int:
    """The first token of a word as it would go on with a text: after a space, unless "…" says that it ends a word.

    InputError where the tokenizer sees nothing in it.
    """
    word = typed.removeprefix(CONTINUES) if typed.startswith(CONTINUES) else f" {typed.strip()}"
    ids = model.tokenizer.encode(word, add_special_tokens=False).ids
    if not ids:
        raise InputError("The model's tokenizer sees nothing in this word. Type another, or choose one of the list.")
    return next((number for number in ids if model.label(number).strip()), ids[0])


def name_of(model: CausalLanguageModel, token: int) -> str:
    """A token as a list shows it: "…s" where it goes on with a word."""
    label = model.label(token)
    return f"{CONTINUES}{label}" if label[:1].isalnum() else typeset.readable(label)


def names_of(model: CausalLanguageModel, tokens: list[int]) -> dict[str, int]:
    """Tokens by their names; the number stands beside a name that two of them have."""
    by_name: dict[str, int] = {}
    for token in tokens:
        name = name_of(model, token)
        by_name[name if name not in by_name else f"{name} #{token}"] = token
    return by_name

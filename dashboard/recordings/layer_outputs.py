"""What the heads of a run write, through W_O and to the next word; cached for all visitors."""

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from core.errors import InputError
from core.heads.contributions import HeadOutputs, watch_outputs
from core.heads.part_removal import Removal, remove_parts
from core.heads.weight_explanation import explain_weight
from core.interpretability import walk
from core.interpretability.component_outputs import compute_component_outputs
from core.interpretability.logit_attribution import attribute
from core.zoo.text_models import batch_of
from dashboard.cache.memo import cached
from dashboard.recordings.watched import Watched, WatchedText

LONGEST = 1024  # tokens: what heads write is computed from whole maps, which takes long for more
LONGEST_LOGITS = 256  # tokens: every sum of the model is held in memory while its logits are taken apart


@cached("Adding up …")
def head_outputs(watched: Watched) -> tuple[HeadOutputs, ...]:
    """What each head writes: one entry for each call of the record, in its order, of the model as it is.

    Raises InputError for an input of more than LONGEST tokens.
    """
    if (longest := longest_map(watched)) > LONGEST:
        raise InputError(
            f"What heads write is added up for at most {LONGEST:,} tokens, and this input has {longest:,}. Choose a "
            "shorter text or fewer patches."
        )
    model: Any = watched.model  # of the kind that takes what is given
    return watch_outputs(model.network, lambda network: replace(model, network=network).run(watched.inputs))


def longest_map(watched: Watched) -> int:
    """The largest number of queries of a call."""
    return max(call.query_length for call in watched.record.calls)


@dataclass(frozen=True, eq=False)
class NextWord:
    """The two most probable next tokens after one token, and what each head adds to the difference of their logits.

    `heads` holds, by the path of an attention layer, the part of each head by the key that it comes from, in nats: a
    row's sum is the part of its head (direct logit attribution). Layers that cannot be split are left out. `blocks`
    are the numbers of their blocks, by the same paths.
    """

    best: int
    second: int
    difference: float
    heads: dict[str, Float[Tensor, "head key"]]
    blocks: dict[str, int]

    @property
    def candidates(self) -> tuple[int, int]:
        """Both tokens, the more probable one first."""
        return self.best, self.second


def predicts_next_word(watched: Watched) -> bool:
    """Whether the model predicts, after each token, the one that follows."""
    return watched.model.is_causal and isinstance(watched, WatchedText)


@cached("Following the head to the next word …")
def next_word(watched: WatchedText, token: int) -> NextWord:
    """What the heads add to the next word after `token`, of a model for which `predicts_next_word`.

    Raises InputError for a text of more than LONGEST_LOGITS tokens, CaptureError where the logits of the model are no
    sum of what its parts write.
    """
    if len(watched.inputs) > LONGEST_LOGITS:
        raise InputError(
            f"What a head adds to the next word is computed for at most {LONGEST_LOGITS} tokens, and this text has "
            f"{len(watched.inputs):,}."
        )
    logits = watched.run.logits
    assert logits is not None, "A model that predicts the next word has logits."
    batch = batch_of(watched.inputs)

    def run(network: nn.Module) -> object:
        return network(batch)

    best, second = logits[token].float().topk(2).indices.tolist()
    outputs = compute_component_outputs(walk(watched.model.network, run), token)
    parts = attribute(outputs, best, second)
    turns = Counter(layer.path for layer in outputs.heads.values())
    with torch.inference_mode():
        heads = {
            layer.path: torch.stack([parts.of_head(block, head) for head in range(len(layer.weights))]).clone()
            for block, layer in outputs.heads.items()
            if turns[layer.path] == 1  # of a layer that runs twice nothing says which time is meant
        }
    blocks = {layer.path: block for block, layer in outputs.heads.items() if layer.path in heads}
    return NextWord(best, second, parts.difference, heads, blocks)


@cached("Running the model without this part …")
def removal(watched: WatchedText, place: int, head: int, query: int, key: int) -> Removal:
    """What the model predicts without a head, or one key in it, at one token; `place` counts the calls of the record.

    Raises InputError as `head_outputs`, CaptureError as `remove_parts`.
    """
    explanation = explain_weight(watched.record.calls[place], head, query, key)
    model, inputs = watched.model, watched.inputs

    def read_logits(network: nn.Module) -> Tensor:
        logits = replace(model, network=network).run(inputs).logits
        assert logits is not None, "Only what predicts is asked."
        return logits

    return remove_parts(model.network, read_logits, head_outputs(watched)[place], explanation)

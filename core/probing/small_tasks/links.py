"""How often a head's strongest link points to the digits that matter for the digit that is written."""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from ...capture import record_attention
from ...models.gpt import GPT
from .small_gpts import with_answers
from .tasks import Aim, Task


@dataclass(frozen=True, eq=False)
class Links:
    """Counts over `problems`, for each head and each aim.

    `pointed`: in how many problems the head's strongest link, among all tokens visible to it, goes to a token of the
    aim. `chance`: the share for a link to a visible token drawn uniformly. `fixed`: the share for a link that always
    goes to the same place, the best one.
    """

    aims: tuple[Aim, ...]
    problems: int
    pointed: Int[Tensor, "layer head aim"]
    chance: Float[Tensor, " aim"]
    fixed: Float[Tensor, " aim"]

    def of_kind(self, kind: str) -> Float[Tensor, "layer head"]:
        """The share of each head's strongest links that point to an aim of one kind."""
        chosen = self._places(kind)
        return self.pointed[..., chosen].sum(dim=-1) / (self.problems * len(chosen))

    def baselines(self, kind: str) -> tuple[float, float]:
        """`chance` and `fixed` over all aims of one kind together; each aim may have another fixed place."""
        chosen = self._places(kind)
        return float(self.chance[chosen].mean()), float(self.fixed[chosen].mean())

    def cases(self, kind: str) -> int:
        """The number of links of each head that were counted for one kind of aim."""
        return self.problems * len(self._places(kind))

    def _places(self, kind: str) -> list[int]:
        return [place for place, aim in enumerate(self.aims) if aim.kind == kind]


@torch.inference_mode()
def strongest_links(network: GPT, task: Task, problems: Int[Tensor, "batch digit"]) -> Links:
    """Count the strongest links of every head while it reads all problems with their right answers."""
    with record_attention(network) as record:
        network(with_answers(task, problems)[0])
    matters = {aim: task.matters(aim, problems) for aim in task.aims}
    visible_tokens = {aim: task.prompt + aim.answer for aim in task.aims}  # up to the query's own
    pointed = torch.zeros(len(record.calls), network.config.heads, len(task.aims), dtype=torch.long)
    for layer, call in enumerate(record.calls):
        assert call.product is not None
        rows = torch.arange(task.prompt - 1, task.context)
        scores = call.product.masked_scores(slice(None), range(call.heads), rows)  # softmax keeps their order
        strongest = scores.argmax(dim=-1)  # (batch, head, answer)
        for place, aim in enumerate(task.aims):
            hits = matters[aim].gather(1, strongest[:, :, aim.answer])
            pointed[layer, :, place] = hits.sum(dim=0)
    visible = [matters[aim][:, : visible_tokens[aim]].float() for aim in task.aims]
    return Links(
        aims=task.aims,
        problems=len(problems),
        pointed=pointed,
        chance=torch.stack([mask.mean() for mask in visible]),
        fixed=torch.stack([mask.mean(dim=0).max() for mask in visible]),
    )

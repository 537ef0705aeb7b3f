"""In how many cases a head's strongest link points to what matters for the digit that is written."""

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
    """What was counted over so many `problems`.

    `pointed`: of each head, in how many of them the strongest of its links to anything that it can see, signs and
    written digits too, goes to a token that the aim stands for. `chance`: in what share a link drawn evenly from all
    that can be seen would. `fixed`: in what share one would that always goes to the same place, the best there is.
    """

    aims: tuple[Aim, ...]
    problems: int
    pointed: Int[Tensor, "layer head aim"]
    chance: Float[Tensor, " aim"]
    fixed: Float[Tensor, " aim"]

    def of_kind(self, kind: str) -> Float[Tensor, "layer head"]:
        """The share of each head over all aims of one kind together."""
        chosen = self._places(kind)
        return self.pointed[..., chosen].sum(dim=-1) / (self.problems * len(chosen))

    def baselines(self, kind: str) -> tuple[float, float]:
        """`chance` and `fixed` over all aims of one kind together; each aim may have another fixed place."""
        chosen = self._places(kind)
        return float(self.chance[chosen].mean()), float(self.fixed[chosen].mean())

    def cases(self, kind: str) -> int:
        """How many links of each head were looked at for one kind of aim."""
        return self.problems * len(self._places(kind))

    def _places(self, kind: str) -> list[int]:
        return [place for place, aim in enumerate(self.aims) if aim.kind == kind]


@torch.inference_mode()
def strongest_links(network: GPT, task: Task, problems: Int[Tensor, "batch digit"]) -> Links:
    """Look at every head while the right answers are written to all problems."""
    with record_attention(network) as record:
        network(with_answers(task, problems)[0])
    matters = {aim: task.matters(aim, problems) for aim in task.aims}
    seen = {aim: task.prompt + aim.answer for aim in task.aims}  # tokens from the first to the one that looks
    pointed = torch.zeros(len(record.calls), network.config.heads, len(task.aims), dtype=torch.long)
    for layer, call in enumerate(record.calls):
        assert call.product is not None
        rows = torch.arange(task.prompt - 1, task.context)
        scores = call.product.masked_scores(slice(None), range(call.heads), rows)  # softmax keeps their order
        strongest = scores.argmax(dim=-1)  # (batch, head, answer)
        for place, aim in enumerate(task.aims):
            hits = matters[aim].gather(1, strongest[:, :, aim.answer])
            pointed[layer, :, place] = hits.sum(dim=0)
    visible = [matters[aim][:, : seen[aim]].float() for aim in task.aims]
    return Links(
        aims=task.aims,
        problems=len(problems),
        pointed=pointed,
        chance=torch.stack([of.mean() for of in visible]),
        fixed=torch.stack([of.mean(dim=0).max() for of in visible]),
    )

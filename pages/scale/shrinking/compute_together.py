"""What is computed for All together: a network after several steps, and every variant that was measured."""

from collections.abc import Hashable
from dataclasses import dataclass

import pandas as pd

from core.results.shrinking import Combined, Pruned, Rounding, Variant, Zeroed
from core.scaling.pareto import pareto_front
from core.shrinking.recipes import Recipe, follow
from dashboard.cache.memo import cached
from pages.scale.shrinking.compute import Beside, Question, beside, losses_of, network_of, rows_of
from pages.scale.shrinking.inputs import MODELS

BASELINE, LAYERS, HEADS, NEURONS = "whole", "fewer layers", "fewer heads", "fewer neurons"
BITS, WEIGHTS, SEVERAL, TRAINED = "fewer bits", "zeros or fewer neurons", "several steps", "fewer heads, trained on"
KINDS = (BASELINE, LAYERS, HEADS, NEURONS, BITS, SEVERAL, WEIGHTS, TRAINED)
BYTES, TIME = "bytes on disk", "time of one pass"
AXES = {BYTES: "MB on disk", TIME: "time of one pass, % of the whole network's"}


@dataclass(frozen=True)
class RecipeRequest:
    """A recipe, and the network and input that it is for."""

    question: Question
    recipe: Recipe

    @property
    def identity(self) -> Hashable:
        """What tells it from any other."""
        of = self.recipe
        return self.question, of.student, of.heads, of.neurons, of.number_format


@cached("Taking one thing after the other …")
def combined(request: RecipeRequest) -> Beside:
    """The network after all steps, on one's own input, by which its heads are ranked too."""
    network = follow(request.recipe, network_of(request.question), losses_of(request.question))
    return beside(request.question, network, identity=request)


def variants(name: str) -> list[tuple[str, Variant]]:
    """All that was measured of a network with what was done to it, one of KINDS; the whole network first."""
    rows = rows_of(Combined, name)
    entries: list[tuple[str, Variant]] = [(kind_of(row), row) for row in rows]
    if name in MODELS.values():
        entries += [(TRAINED if row.trained else HEADS, row) for row in rows_of(Pruned, name)[1:]]
        entries += [(WEIGHTS, row) for row in rows_of(Zeroed, name)[1:]]
        entries += [(BITS, row) for row in rows_of(Rounding, name)[1:] if row.layer is None and row.grouping]
    return entries


def kind_of(row: Combined) -> str:
    """What was done: one step by its name, several as such."""
    done = {
        LAYERS: bool(row.student),
        HEADS: row.heads > 0,
        NEURONS: row.neurons > 0,
        BITS: row.number_format != "float32",
    }
    steps = [kind for kind, was in done.items() if was]
    return BASELINE if not steps else steps[0] if len(steps) == 1 else SEVERAL


def table_of(entries: list[tuple[str, Variant]], by: str) -> pd.DataFrame:
    """One row a variant, as the figure draws them, and whether it is on the front; `by`: one of AXES."""
    rows = pd.DataFrame(
        {
            "label": [row.variant for _, row in entries],
            "family": [kind for kind, _ in entries],
            "x": [row.bytes / 1e6 if by == BYTES else 100 * row.time for _, row in entries],
            "y": [row.quality for _, row in entries],
        }
    )
    more = entries[0][1].measure != "bits"
    front = pareto_front(rows.x.to_numpy(float), rows.y.to_numpy(float), more_x=False, more_y=more)
    return rows.assign(front=front)

"""Picture to sequence, of a hybrid: what the features of the followed patch depend on, before any attention."""

from functools import partial

import numpy as np
import pandas as pd

from core.vision.receptive_field import ReceptiveField
from dashboard import theme
from dashboard.frame import layout
from dashboard.inputs.photograph import Photograph
from dashboard.output import charts
from pages.vision.vision_transformer import compute
from pages.vision.vision_transformer.figures import over_photograph
from pages.vision.vision_transformer.prose import PAGE

SECTION = PAGE.section("Picture to sequence")


def show(chosen: Photograph, place: tuple[int, int]) -> tuple[str, ...]:
    """How much each patch counts for the features of the followed one, over the photograph; what is to be noticed."""
    field, prepared = compute.receptive_field(chosen, place), chosen.prepared
    counts = field.over(prepared.patches.rows, prepared.patches.columns).numpy()
    charts.chart(
        partial(
            over_photograph,
            counts,
            prepared.photograph,
            show_photograph=True,
            title="What its features depend on",
            look=theme.look(),
            tell="%{customdata}: %{z:.1%}",
            height=theme.look().high(400),
        ),
        name="vision-receptive-field",
        alt=f"How much each patch counts for the features of the patch in row {place[0]}, column {place[1]}",
        table=partial(_of_patches, counts),
    )
    layout.prose(SECTION.text("Hybrid"))
    return tell_field(field)


def _of_patches(counts: np.ndarray) -> pd.DataFrame:
    rows = [(*cell, share) for cell, share in np.ndenumerate(counts)]
    return pd.DataFrame(rows, columns=["row", "column", "share"])


def tell_field(field: ReceptiveField) -> tuple[str, ...]:
    """How much of what the features depend on lies outside their own patch; nothing where no pixel counts."""
    high, wide = (side.stop - side.start for side in field.box)
    if not float(field.shares.sum()):
        return ()
    side = field.side_of(0.5)
    if side <= max(high, wide):
        return ()
    about = SECTION.text(
        "Receptive field", inside=field.inside, high=high, wide=wide, side=side, times=side / max(high, wide)
    )
    return (about,)

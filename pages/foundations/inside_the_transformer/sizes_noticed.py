"""What to notice about sizes, computed from what is shown."""

import pandas as pd

from core.published import model_sizes
from core.sizes import Shape, crossing, total


def noticed(shape: Shape | None, table: pd.DataFrame, n: int) -> tuple[str, ...]:
    """Sentences about the table of parts, the crossing, and the famous models."""
    first = table.loc[table["parameters, count"].idxmax()]
    largest = f"Most parameters are in **{first['part']}**: {first['parameters, share']:.0%} of them."
    models = model_sizes()
    far = max(models, key=lambda each: abs(total(each.shape) / each.published - 1))
    famous = (
        f"The same formula meets {len(models)} published sizes within "
        f"{abs(total(far.shape) / far.published - 1):.2%}; farthest off is {far.model}."
    )
    if shape is None:
        return largest, famous
    return _agreement(table), largest, _square(shape, table, n), famous


def _agreement(table: pd.DataFrame) -> str:
    wrong = [
        row["part"]
        for _, row in table.iterrows()
        if any(row[f"{title}, formula"] != row[f"{title}, count"] for title in ("parameters", "FLOPs"))
    ]
    if wrong:
        return (
            f"Formula and count differ in {', '.join(wrong)}: this model has something there that the formula does "
            "not know."
        )
    return (
        f"Formula and count agree to the last digit in all {len(table)} parts: "
        f"{table['parameters, count'].sum():,} parameters, {table['FLOPs, count'].sum():,} FLOPs."
    )


def _square(shape: Shape, table: pd.DataFrame, n: int) -> str:
    shares = dict(zip(table["part"], table["FLOPs, share"], strict=True))
    meeting = crossing(shape)
    place = "below" if n < meeting else "above" if n > meeting else "exactly at"
    return (
        f"In each layer scores and weighted sum cost as much as the MLP at **{meeting:,.0f} tokens**; your {n} are "
        f"{place} it, and these two take {shares.get('Scores and weighted sum', 0):.1%} of the work."
    )

"""What to notice in maps within windows: how little a place sees, what is forbidden, and what heads make of it."""

from core.vision.window_measures import across_edges
from pages.vision.swin.compute_maps import Mapped


def noticed(mapped: Mapped) -> tuple[str, ...]:
    """Sentences about the model on this photograph."""
    return (_little(mapped), *_forbidden(mapped), _heads(mapped), *_padding(mapped))


def _little(mapped: Mapped) -> str:
    first, last = mapped.windowed.layers[0], mapped.windowed.layers[-1]
    positions = first.window[0] * first.window[1]
    seen = positions / (first.rows * first.columns)
    return (
        f"In stage {first.stage} the picture has {len(first.places)} windows: a place looks at **{positions} of "
        f"{first.rows * first.columns:,}** places, {_percent(seen)} of the picture. In stage {last.stage} a window "
        f"covers {_percent(min(1.0, last.window[0] * last.window[1] / (last.rows * last.columns)))} of it."
    )


def _forbidden(mapped: Mapped) -> tuple[str, ...]:
    """Of the first shifted block."""
    layer = next((layer for layer in mapped.windowed.layers if layer.shifted), None)
    if layer is None:
        return ("No window of this model is shifted on this picture: each fills its grid, and sees all of it.",)
    across = across_edges(layer)
    mixed, pairs = int(across.any(dim=(1, 2)).sum()), int(across.sum())
    missed = int((across & layer.allowed).sum())
    told = (
        f"Block {layer.block} of stage {layer.stage} is shifted by {layer.shift[0]} rows and {layer.shift[1]} columns. "
        "What is pushed out at the top and at the left comes in again at the bottom and at the right, so that "
        f"**{mixed} of {len(layer.places)}** windows hold places from opposite edges of the picture."
    )
    if not missed:
        return (
            f"{told} They may not look at one another: the mask forbids all {pairs:,} such pairs, and a map there ends "
            "where its part of the window ends.",
        )
    return (
        f"{told} The mask should keep them apart, but **{missed:,} of {pairs:,}** such pairs may look at one another: "
        "this model pads its grid to whole windows only after the shift, and its mask is cut for the padded grid.",
    )


def _heads(mapped: Mapped) -> str:
    every = [
        (head, number, layer)
        for layer, heads in zip(mapped.windowed.layers, mapped.heads, strict=True)
        for number, head in enumerate(heads)
    ]
    alone, number, layer = max(every, key=lambda each: each[0].own)
    near, other, where = min(every, key=lambda each: each[0].distance / each[0].even)
    far, third, there = max(every, key=lambda each: each[0].distance / each[0].even)
    return (
        f"Head {number} of stage {layer.stage}, block {layer.block} keeps most for itself: a place gives "
        f"{_percent(alone.own)} to itself. Beside even attention in the same windows, head {other} of stage "
        f"{where.stage}, block {where.block} looks nearest ({near.distance:.0f} pixels instead of {near.even:.0f}), "
        f"head {third} of stage {there.stage}, block {there.block} farthest ({far.distance:.0f} instead of "
        f"{far.even:.0f})."
    )


def _padding(mapped: Mapped) -> tuple[str, ...]:
    padded = [layer for layer in mapped.windowed.layers if layer.padded]
    if not padded:
        return ()
    most, number, layer = max(
        (
            (head.padding, number, layer)
            for layer, heads in zip(mapped.windowed.layers, mapped.heads, strict=True)
            for number, head in enumerate(heads)
        ),
        key=lambda each: each[0],
    )
    return (
        f"The grid is no multiple of the window, so {len(padded)} of {len(mapped.windowed.layers)} blocks pad it with "
        f"zeros, which are looked at like anything else: on average {_percent(most)} of what head {number} of stage "
        f"{layer.stage}, block {layer.block} gives goes to padding, more than in any other head.",
    )


def _percent(share: float) -> str:
    return f"{share:.0%}" if share >= 0.0995 else f"{100 * share:.2g}%"

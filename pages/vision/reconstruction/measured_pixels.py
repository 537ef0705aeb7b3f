"""Measured, of image-GPT: bits of the next pixel, hidden pixels, and what a linear probe finds after each layer."""

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from core.errors import ModelError
from core.published import ImageDensity, image_densities
from core.results import image_gpt_results
from core.results.image_gpt_results import (
    FILLINGS,
    HIDDEN,
    IMAGE_GPT,
    LEFT_AND_ABOVE,
    NEIGHBOURS,
    NEXT,
    WAYS,
    Bits,
    Filled,
    Probe,
)
from dashboard import theme, typeset
from dashboard.cache.memo import cached
from dashboard.figures.curves import curves
from dashboard.frame import layout
from dashboard.number_format import CLEAR, compare, points
from dashboard.output import charts
from dashboard.output.data_table import data_table
from pages.vision.reconstruction.figures_pixels import bits_bars
from pages.vision.reconstruction.pixels_sentences import steps
from pages.vision.reconstruction.prose import PAGE

SECTION = PAGE.section("Measured: image-GPT")
EVEN = 9.0  # bits of one of 512 colours
CHANNELS = 3  # of a pixel: what published figures call dimensions
CHANCE = 0.1  # of ten classes
PROBED = {NEXT: "next pixel", HIDDEN: "hidden pixels", image_gpt_results.UNTRAINED: "not trained"}

measured = cached()(image_gpt_results.results)


def show() -> None:
    """What there is of the three, and the notes; one sentence where nothing was measured."""
    try:
        results = measured()
    except ModelError as error:
        why = typeset.plain(str(error))
        st.info(f"How good image-GPT is has not been measured yet: {why}", icon=":material/info:")
        return
    noticed: list[str] = []
    if results.bits:
        noticed += _bits(results.bits)
    if results.filled:
        noticed += _filled(results.filled)
    if results.probe:
        noticed += _probe(results.probe)
    layout.notes(SECTION, notice=tuple(noticed), formula=lambda: _formula(results.bits))


def _bits(bits: Bits) -> tuple[str, ...]:
    layout.heading("How well is the next pixel predicted?")
    names = [way[0].upper() + way[1:] for way in WAYS]
    means, errors = ([getattr(bits.by_way[way], name) for way in WAYS] for name in ("mean", "error"))
    figure = partial(bits_bars, names, means, errors, even=EVEN, look=theme.look(), height=theme.look().high(220))
    alt = "Bits a pixel: " + ", ".join(f"{name} {mean:.2f}" for name, mean in zip(names, means, strict=True))
    charts.chart(figure, name="pixel-bits-measured", alt=alt, table=table_of_bits(bits, ()))
    layout.place_notice()
    if not theme.is_presented():
        table = table_of_bits(bits, image_densities())
        numbers = {name: st.column_config.NumberColumn(format="%.2f") for name in ("bits a pixel", "bits a dimension")}
        data_table(table, hide_index=True, width="content", column_config=numbers, placeholder="")
    st.caption(SECTION.text("Published figures", pictures=bits.pictures), width=theme.PROSE)
    return tell_bits_measured(bits)


def table_of_bits(bits: Bits, published: Sequence[ImageDensity]) -> pd.DataFrame:
    """Ours, then what is published; a dimension is a third of a pixel."""
    rows: list[dict[str, object]] = [
        {
            "told by": way,
            "bits a pixel": own.mean,
            "standard error": own.error,
            "bits a dimension": own.mean / CHANNELS,
            "one of": "512 colours",
            "source": "measured here",
        }
        for way, own in bits.by_way.items()
    ]
    rows += [
        {
            "told by": density.model,
            "bits a dimension": density.bits,
            "one of": "256 values a channel",
            "source": density.source,
        }
        for density in published
    ]
    return pd.DataFrame(rows)


def tell_bits_measured(bits: Bits) -> tuple[str, ...]:
    """Image-GPT beside even guessing and beside the context of two pixels."""
    own, two = bits.by_way[IMAGE_GPT], bits.by_way[LEFT_AND_ABOVE]
    gap, error = two.mean - own.mean, (own.error**2 + two.error**2) ** 0.5
    sentences = [
        f"**Image-GPT** needs **{own.mean:.2f} bits** a pixel ({own.mean / CHANNELS:.2f} for each of its three "
        f"values); even guessing among 512 colours needs {EVEN:.2f}."
    ]
    if abs(gap) <= CLEAR * error:
        sentences.append(
            f"The pixels to the left and above alone come to {two.mean:.2f}, which cannot be told from it."
        )
    else:
        sentences.append(
            f"The pixels to the left and above alone, counted, come to {two.mean:.2f}: {abs(gap):.2f} bits "
            f"{'more' if gap > 0 else 'fewer'}."
        )
    return tuple(sentences)


def _filled(filled: Filled) -> tuple[str, ...]:
    layout.heading("How well are hidden pixels predicted?")
    table = table_of_filled(filled)
    columns = {
        "mean squared error": st.column_config.NumberColumn(format="%.5f"),
        "standard error": st.column_config.NumberColumn(format="%.5f"),
        "off by, of 255 steps": st.column_config.NumberColumn(format="%.1f"),
        "the very colour": st.column_config.NumberColumn(format="percent"),
    }
    data_table(table, hide_index=True, width="content", column_config=columns, placeholder="")
    about = SECTION.text("Hidden pixels", share=filled.share, pictures=filled.pictures)
    st.caption(about, width=theme.PROSE)
    charts.download_table(table, "pixel-hidden-measured")
    return (tell_filled_measured(filled),)


def table_of_filled(filled: Filled) -> pd.DataFrame:
    """The error of each way to fill in hidden pixels; how often two of them name the very colour."""
    right = {FILLINGS[0]: filled.right, NEIGHBOURS: filled.by_neighbours}
    return pd.DataFrame(
        [
            {
                "filled in by": name,
                "mean squared error": own.mean,
                "standard error": own.error,
                "off by, of 255 steps": steps(own.mean),
                "the very colour": right.get(name),
            }
            for name, own in filled.errors.items()
        ]
    )


def tell_filled_measured(filled: Filled) -> str:
    """How often the first guess is the very colour, and how much nearer the best of the network's answers comes."""
    own = min((name for name in filled.errors if name != NEIGHBOURS), key=lambda name: filled.errors[name].mean)
    best, base = filled.errors[own], filled.errors[NEIGHBOURS]
    error = (best.error**2 + base.error**2) ** 0.5
    ratio = best.mean / base.mean
    less = f"{1 - ratio:.0%} smaller" if ratio < 1 else f"{ratio - 1:.0%} larger"
    sure = ", which may be chance" if compare(best.mean, base.mean, margin=CLEAR * error) == "as much" else ""
    return (
        f"Of {filled.pixels:,} hidden pixels the first guess is exactly the right colour for **{filled.right:.0%}**, "
        f"the colour nearest to the mean of seen neighbours for {filled.by_neighbours:.0%}. The error of what the "
        f"network says best ({own}) is {less} than that of this mean{sure}."
    )


def _probe(probe: Probe) -> tuple[str, ...]:
    layout.heading("What has it learned without labels?")
    lines = {PROBED[name]: np.array(own) for name, own in probe.layers.items()}
    count = max(len(own) for own in lines.values())
    lines["raw pixels"] = np.full(count, probe.pixels)
    look = theme.look()
    figure = partial(
        curves,
        np.arange(count),
        lines,
        look=look,
        x="after layer",
        y="right classes",
        marks=True,
        tell="%{fullData.name}, after layer %{x}: %{y:.1%}",
        y_range=(0.0, max(0.5, float(max(own.max() for own in lines.values())) + 0.05)),
        height=look.high(360),
    )
    alt = "; ".join(f"{name} from {own[0]:.0%} to at most {own.max():.0%}" for name, own in lines.items())
    table = pd.DataFrame({"layer": np.arange(count), **lines})
    charts.chart(figure, name="pixel-probe", alt=f"Right classes by layer: {alt}", table=table)
    st.caption(SECTION.text("Classes of CIFAR-10", train=probe.train, test=probe.test), width=theme.PROSE)
    return tuple(tell_probe(probe))


def tell_probe(probe: Probe) -> Iterator[str]:
    """After which layer classes are told best, whether that is a middle one, and beside what was not trained."""
    for name in (NEXT, HIDDEN):
        if (own := probe.layers.get(name)) is None:
            continue
        best, last = int(np.argmax(own)), len(own) - 1
        where = {0: "before the first layer", last: "after the last layer"}.get(best, f"after layer {best} of {last}")
        sentence = f"Trained on the {PROBED[name]}, it tells classes best {where}: **{own[best]:.1%}**"
        if best != last:
            gap, error = own[best] - own[last], (probe.error(own[best]) ** 2 + probe.error(own[last]) ** 2) ** 0.5
            sure = "" if gap > CLEAR * error else ", which may be chance"
            sentence += f"; after the last one {own[last]:.1%}, {points(-gap)}{sure}"
        yield f"{sentence}."
    if any(name in probe.layers for name in (NEXT, HIDDEN)):
        untrained = probe.layers.get(image_gpt_results.UNTRAINED)
        baseline = f", the same network before training to at most {max(untrained):.1%}" if untrained else ""
        yield f"Raw pixels come to {probe.pixels:.1%}{baseline}; chance is {CHANCE:.0%}."
        yield "Chen et al. found the best features in middle layers (figure 2)."


def _formula(bits: Bits | None) -> None:
    if bits:
        own = bits.by_way[IMAGE_GPT].mean
        st.markdown(SECTION.text("Bits a dimension", pictures=bits.pictures, bits=own, third=own / CHANNELS))
    st.markdown(SECTION.text("Contexts of two pixels"))

"""Cost: time and memory against the number of tokens, with exponents and crossings."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
import torch

from core.costs.attention_costs import FIT_FROM, HEAD_DIM, VARIANTS, crossing, exponent
from core.costs.one_pass import Cost
from core.efficient.clustered import STEPS
from core.efficient.performer import CHUNK
from core.results import attention_costs
from dashboard import theme, typeset
from dashboard.frame import layout
from dashboard.number_format import NOISE, compare_times, in_latex
from dashboard.output import charts, measured_costs
from dashboard.output.comparisons import join_names
from dashboard.output.data_table import data_table
from dashboard.theme import HUES
from pages.scale.efficient_attention.compute import measured_here
from pages.scale.efficient_attention.prose import PAGE

SECTION = PAGE.section("Cost")
HUE = dict(zip(VARIANTS, HUES, strict=True))
FUSED, WRITTEN_OUT = "Exact, fused", "Exact, written out"

# What each variant multiplies, and its own numbers by their letters; n tokens of d channels are the same for all.
LETTERS: Mapping[str, tuple[str, Callable[[Any], dict[str, int]]]] = {
    WRITTEN_OUT: (r"2\cdot {n}^2\cdot {d}", lambda _: {}),
    FUSED: (r"{n}\cdot ({n} + 1)\cdot {d}", lambda _: {}),
    "Sliding window": (r"2\cdot {n}\cdot ({w} + {b})\cdot {d}", lambda of: {"w": of.window, "b": of.block_size}),
    "BigBird": (
        r"2\cdot {n}\cdot {b}\cdot ({w} + {r} + {g})\cdot {d}",
        lambda of: {"b": of.block, "w": of.window, "r": of.random, "g": of.global_tokens // of.block},
    ),
    "Linformer": (r"4\cdot {n}\cdot {k}\cdot {d}", lambda of: {"k": of.rank}),
    "Performer": (
        r"2\cdot {n}\cdot {m}\cdot (2\cdot {d} + 1) \\ &\quad + {n}\cdot {c}\cdot ({m} + {d} + 1)",
        lambda of: {"m": of.features, "c": CHUNK},
    ),
    "Clustered": (r"2\cdot ({s} + 1)\cdot {n}\cdot {c}\cdot {d}", lambda of: {"s": STEPS, "c": of.clusters}),
}


TIME_POWER, MEMORY_POWER = "power of n, time", "power of n, memory"
CROSSINGS = {"faster than fused from": FUSED, "faster than written out from": WRITTEN_OUT}  # and what it is faster than


def show() -> None:
    """The two figures, the table of exponents, the button."""
    local_costs = measured_here.peek()
    costs, caption = _that_come_along()
    if local_costs:
        costs = local_costs
        repeats = min(cost.repeats for cost in local_costs)
        caption = SECTION.text("Measurement here", threads=torch.get_num_threads(), repeats=repeats)
    measured_costs.time_and_memory(costs, hues=HUE, name="efficient", plural="kinds of attention")
    layout.place_notice()
    st.caption(caption)
    layout.prose(SECTION.text("One head", channels=HEAD_DIM))
    layout.caption(settings())
    rows = table(costs)
    _table(rows)
    if not theme.is_presented():
        measured_costs.offer(measured_here.refresh, again=local_costs is not None)
    layout.notes(SECTION, notice=notices(rows, costs[0].tokens), formula=lambda: _formula(costs[-1].tokens))


def settings() -> str:
    """What was measured, with the numbers of each variant."""
    of: Mapping[str, Any] = VARIANTS
    bigbird = of["BigBird"]
    return SECTION.text(
        "Settings",
        keys=of["Sliding window"].window,
        block=bigbird.block,
        window=bigbird.window,
        random=bigbird.random,
        global_tokens=bigbird.global_tokens,
        rank=of["Linformer"].rank,
        features=of["Performer"].features,
        clusters=of["Clustered"].clusters,
    )


def _that_come_along() -> tuple[tuple[Cost, ...], str]:
    measurement = attention_costs()
    repeats = min(cost.repeats for cost in measurement.costs)
    hardware = typeset.plain(measurement.hardware)
    about = SECTION.text("Measurement that comes along", source=measurement.source, hardware=hardware, repeats=repeats)
    return measurement.costs, about


def table(costs: Sequence[Cost]) -> pd.DataFrame:
    """One row a kind of attention: exponents of time and memory, from where on it is cheaper than the exact ones."""
    names = dict.fromkeys(cost.name for cost in costs)
    series = {name: [cost for cost in costs if cost.name == name] for name in names}
    seconds = {name: [cost.seconds for cost in curve] for name, curve in series.items()}
    rows = []
    for name, curve in series.items():
        lengths, longest = [cost.tokens for cost in curve], curve[-1]
        over = {
            other: crossing(lengths, seconds[name], seconds[other]) for other in (FUSED, WRITTEN_OUT) if other != name
        }
        rows.append(
            {
                "attention": name,
                TIME_POWER: exponent(lengths, seconds[name]),
                MEMORY_POWER: exponent(lengths, [float(max(cost.bytes, 1)) for cost in curve]),
                "faster than fused from": over.get(FUSED),
                "faster than written out from": over.get(WRITTEN_OUT),
                "longest": longest.tokens,
                "time there, ms": 1e3 * longest.seconds,
                "memory there, MB": longest.bytes / 1e6,
                "multiplications there": float(VARIANTS[name].multiplications(longest.tokens, HEAD_DIM)),
            }
        )
    return pd.DataFrame(rows)


def _table(rows: pd.DataFrame) -> None:
    st.subheader("How fast it grows, and where the curves cross", anchor=False)
    longest, number = int(rows.longest[0]), st.column_config.NumberColumn
    display_table = rows.drop(columns="longest").assign(**{name: crossings(rows, name) for name in CROSSINGS})
    data_table(
        display_table,
        hide_index=True,
        column_config={
            TIME_POWER: number(format="%.2f"),
            MEMORY_POWER: number(format="%.2f"),
            "time there, ms": number(f"ms at {longest:,}", format="%.1f"),
            "memory there, MB": number(f"MB at {longest:,}", format="%.1f"),
            "multiplications there": number(f"multiplied at {longest:,}", format="compact"),
        },
    )
    layout.caption(SECTION.text("Exponents", least=FIT_FROM, most=longest))
    charts.download_table(rows, "efficient-costs")


def crossings(rows: pd.DataFrame, column: str) -> list[str]:
    """From how many tokens on each is faster, in words; an attention is not compared with itself."""
    itself = CROSSINGS[column]
    return [
        "itself" if name == itself else "never" if pd.isna(tokens) else f"{tokens:,.0f} tokens"
        for name, tokens in zip(rows["attention"], rows[column], strict=True)
    ]


def _power(exponent: float) -> str:
    return f"$n^{{{exponent:.1f}}}$"


def notices(rows: pd.DataFrame, shortest: int) -> tuple[str, ...]:
    """The growth of exact attention in time and memory, and who is cheaper from where on; measured from `shortest`."""
    by = rows.set_index("attention")
    plain, fused = by.loc[WRITTEN_OUT], by.loc[FUSED]
    longest, crossed = int(fused["longest"]), "faster than fused from"
    sentences = [
        f"Written out, exact attention needs {plain['memory there, MB']:,.0f} MB for {longest:,} tokens, and its "
        f"memory grows like {_power(plain[MEMORY_POWER])}; fused it needs {fused['memory there, MB']:,.1f} MB and "
        f"grows like {_power(fused[MEMORY_POWER])}.",
        f"The time of the fused kernel grows like {_power(fused[TIME_POWER])}: it stores no square, but it computes "
        "one.",
    ]
    cheaper = by[by[crossed].notna()].sort_values("time there, ms")
    if len(cheaper):
        first = cheaper.iloc[0]
        always = first[crossed] <= shortest
        since = "at every length" if always else f"it overtakes it at about {first[crossed]:,.0f} tokens"
        times = fused["time there, ms"] / first["time there, ms"]
        if compare_times(first["time there, ms"], fused["time there, ms"]) == "less":
            sentences.append(
                f"At {longest:,} tokens **{cheaper.index[0]}** is the quickest, {times:.1f} times as fast as the fused "
                f"kernel; {since}."
            )
        else:
            sentences.append(
                f"At {longest:,} tokens **{cheaper.index[0]}** takes about as long as the fused kernel: differences "
                f"within {NOISE:.0%} are noise of the machine."
            )
    sides = [compare_times(time, fused["time there, ms"]) for time in by["time there, ms"]]
    slower = by[by[crossed].isna() & (by.index != FUSED) & np.array([side == "more" for side in sides])]
    if len(slower):
        multiplied = by["multiplications there"]
        fewer = [name for name in slower.index if multiplied[name] < multiplied[FUSED]]
        verb, names = "multiplies" if len(fewer) == 1 else "multiply", join_names(slower.index, bold=True)
        though = f", though {join_names(fewer, bold=True)} {verb} fewer numbers" if fewer else ""
        sentences.append(f"At {longest:,} tokens the exact fused kernel is faster than {names}{though}.")
    return tuple(sentences)


def _formula(tokens: int) -> None:
    """For a text of so many tokens: in letters, in numbers, and what the variant itself counts."""
    for name, variant in VARIANTS.items():
        st.markdown(f"**{name}**")
        plain, filled = written(name, tokens)
        value = in_latex(variant.multiplications(tokens, HEAD_DIM))
        st.latex(rf"\begin{{aligned}} &{plain} \\ &= {filled} \\ &= {value} \end{{aligned}}")


def written(name: str, tokens: int) -> tuple[str, str]:
    """The formula of a variant in LaTeX: in letters, and in numbers."""
    template, numbers_of = LETTERS[name]
    numbers = {"n": tokens, "d": HEAD_DIM} | numbers_of(VARIANTS[name])
    filled = {letter: f"{number:,}".replace(",", "{,}") for letter, number in numbers.items()}
    return template.format_map({letter: letter for letter in numbers}), template.format_map(filled)

"""How much each kind of attention multiplies: formulas with the numbers of what was measured."""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from core.costs.attention_costs import EACH, VARIANTS
from core.efficient.clustered import STEPS
from core.efficient.performer import CHUNK
from dashboard.numbers import in_latex
from pages.scale.efficient_attention import words_cost as said

# The numbers of each variant, by their letters; n tokens of d channels are the same for all.
LETTERS: Mapping[str, tuple[str, Callable[[Any], dict[str, int]]]] = {
    "Exact, written out": (r"2\cdot {n}^2\cdot {d}", lambda _: {}),
    "Exact, fused": (r"{n}\cdot ({n} + 1)\cdot {d}", lambda _: {}),
    "Sliding window": (
        r"2\cdot {n}\cdot ({w} + {b})\cdot {d}",
        lambda variant: {"w": variant.window, "b": variant.block_size},
    ),
    "BigBird": (
        r"2\cdot {n}\cdot {b}\cdot ({w} + {r} + {g})\cdot {d}",
        lambda variant: {
            "b": variant.block,
            "w": variant.window,
            "r": variant.random,
            "g": variant.global_tokens // variant.block,
        },
    ),
    "Linformer": (r"4\cdot {n}\cdot {k}\cdot {d}", lambda variant: {"k": variant.rank}),
    "Performer": (
        r"2\cdot {n}\cdot {m}\cdot (2\cdot {d} + 1) + {n}\cdot {c}\cdot ({m} + {d} + 1)",
        lambda variant: {"m": variant.features, "c": CHUNK},
    ),
    "Clustered": (
        r"2\cdot ({s} + 1)\cdot {n}\cdot {c}\cdot {d}",
        lambda variant: {"s": STEPS, "c": variant.clusters},
    ),
}


def settings() -> str:
    """What was measured, with the numbers of each variant."""
    return said.SETTINGS.format_map({name.split(",")[0]: variant for name, variant in VARIANTS.items()})


def formula(tokens: int) -> None:
    """For a text of so many tokens: in letters, in numbers, and what the variant itself counts."""
    for name, variant in VARIANTS.items():
        st.markdown(f"**{name}**")
        plain, filled = written(name, tokens)
        value = in_latex(variant.multiplications(tokens, EACH))
        st.latex(rf"\begin{{aligned}} &{plain} \\ &= {filled} \\ &= {value} \end{{aligned}}")
    st.markdown(said.FORMULAS)


def written(name: str, tokens: int) -> tuple[str, str]:
    """The formula of a variant in LaTeX: in letters, and in numbers."""
    template, numbers_of = LETTERS[name]
    numbers = {"n": tokens, "d": EACH} | numbers_of(VARIANTS[name])
    filled = {letter: f"{number:,}".replace(",", "{,}") for letter, number in numbers.items()}
    return template.format_map({letter: letter for letter in numbers}), template.format_map(filled)

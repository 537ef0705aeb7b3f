"""The position bias as formulas, with the numbers of the chosen pair."""

import streamlit as st

from core.vision.position_bias import PositionBias
from dashboard.numbers import signed
from pages.vision.swin import words_bias as said
from pages.vision.swin.score_part import Pair, Score, spelled


def show(bias: PositionBias, pair: Pair, score: Score) -> None:
    """Which number of the table the pair gets, where SwinV2 has it from, and the score that it is added to."""
    (down, across), (rows, columns) = bias.distance(pair.query, pair.key), bias.window
    index = int(bias.index[pair.query, pair.key])
    if bias.continuous:
        st.latex(
            r"\begin{gathered} s_{ij} = \tau \cos(q_i, k_j) + B_{ij} \\ "
            r"B_{ij} = 16\,\sigma(\operatorname{MLP}(\hat\Delta_{ij})) \end{gathered}"
        )
        st.latex(
            r"\hat\Delta = \operatorname{sign}(\Delta) \log_2\!\left(1 + \tfrac{8\,|\Delta|}{M - 1}\right) / \log_2 8"
        )
    else:
        st.latex(
            r"\begin{gathered} s_{ij} = \tfrac{q_i \cdot k_j}{\sqrt{d}} + B_{ij} \\ "
            r"B_{ij} = \hat{B}_{r_i - r_j,\; c_i - c_j} \end{gathered}"
        )
    st.markdown(f"The query is {_distance(down, 'row')} and {_distance(across, 'column')} from the key: number")
    st.latex(rf"({down} + {rows - 1}) \cdot {2 * columns - 1} + ({across} + {columns - 1}) = {index}")
    if bias.continuous:
        cell = (down + rows - 1, across + columns - 1)
        first, second = (float(each) for each in bias.continuous.coordinates[cell])
        answer = float(bias.continuous.answer[(pair.head, *cell)])
        st.latex(
            rf"\begin{{gathered}} \hat\Delta = ({first:.3f},\; {second:.3f}) \\ "
            rf"16\,\sigma({answer:.3f}) = {score.bias:.3f} \end{{gathered}}"
        )
    st.markdown(f"With the content of this photograph, in window {score.window}:")
    st.latex(spelled(score))
    st.markdown(f"and after the softmax the weight is {score.weight:.2%}; the bias alone is {signed(score.bias)}.")
    st.markdown(said.FORMULA)


def _distance(count: int, name: str) -> str:
    return f"{count} {name}{'' if abs(count) == 1 else 's'}".replace("-", "−")

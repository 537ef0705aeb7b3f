"""The diagram, and the part that is chosen in it: what it is for, what it did to this input, its numbers."""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Literal

import numpy as np
import pandas as pd
import streamlit as st
import torch
from torch import Tensor

from core.capture import AttentionCall
from core.interpretability import Arrays, Block, Part, mask_of
from core.interpretability.parts import Shape
from core.interpretability.trace import tokens_of
from dashboard import contents, theme
from dashboard.components.diagram import KINDS, diagram, scene
from dashboard.figures.heat import heat
from dashboard.frame import layout
from dashboard.output import charts, export
from dashboard.output.data_table import data_table
from pages.foundations.inside_the_transformer import compute, inputs, parts
from pages.foundations.inside_the_transformer.compute import Walk
from pages.foundations.inside_the_transformer.prose import PAGE

SECTION = PAGE.section("Walk")
WIDEST = 1024  # channels that are drawn; a logit for each token of a vocabulary is not a picture
LONGEST = 300  # tokens
NAMED = 60  # tokens: of more only the numbers are written
ENDS = 0.995  # the scale ends where all but 1 in 200 numbers are: a few channels are often far larger


def show() -> None:
    """Diagram on the left, part on the right; one below the other where the diagram has two lanes."""
    walk = inputs.walked_through()
    left, right = (
        st.columns([1, 1.6], gap="medium") if len(walk.walked.lanes) == 1 else (st.container(), st.container())
    )
    with right:
        part = choose(walk)
        layout.place_notice()
    with left:
        logits = walk.walked.logits
        ends = "vectors" if logits is None else f"{logits.shape[-1]:,} scores"
        drawn = scene(walk.walked, part.key, inputs=_begins(walk), output=ends)
        diagram(drawn, chosen=part.key, on_choose=_click, key="diagram")
    with right:
        _show_part(walk, part)
    layout.notes(SECTION, notice=noticed(walk), formula=lambda: _explain(norm_order(blocks_of(walk))))


def choose(walk: Walk) -> Part:
    """The chosen part; at first the attention of the first block."""
    keys = [part.key for outer in walk.walked.parts.values() for part in (outer, *outer.inner)]
    first = next((key for key, part in walk.walked.parts.items() if part.kind == "attention"), keys[0])
    if st.session_state.get("part") not in (None, *keys):
        st.session_state.part = first
    chosen = st.selectbox("Part", keys, index=keys.index(first), key="part", bind="query-params")
    return walk.walked.part(chosen)


def _click(key: str) -> None:
    st.session_state.part = key


def _begins(walk: Walk) -> tuple[str, ...]:
    if walk.patches:
        return (" + ".join((f"{walk.patches.rows * walk.patches.columns} patches", *walk.patches.prefix)),)
    return tuple(f"{len(labels)} tokens" for labels in walk.labels.values())


def _show_part(walk: Walk, part: Part) -> None:
    with layout.waiting_place():
        arrays = compute.part_arrays(walk, part.key)
    layout.prose(f"**{KINDS[part.kind]}.** {SECTION.text(f'Purpose: {part.kind}')}", width="stretch")
    weights = f"{part.parameters:,} weights" if part.parameters else "no weights of its own"
    st.caption(f"`{part.class_name}` with {weights}; in {_shapes(part.inputs)}, out {_shapes(part.outputs)}")
    parts.show(walk, part, arrays)
    _show_maps(walk, part, arrays)
    export.download_arrays(
        "This part's numbers (NPZ)",
        lambda: packed(walk, arrays),
        name=part.key.replace(" ", "-"),
        about="All inputs and outputs of this part, with the labels",
    )


def _shapes(shapes: tuple[Shape, ...]) -> str:
    return ", ".join(" × ".join(map(str, shape)) for shape in shapes[:3]) or "nothing"


def _show_maps(walk: Walk, part: Part, arrays: Arrays) -> None:
    """Maps of input and output side by side, then the statistics of each token."""
    sides = {"In": arrays.input, "Out": arrays.output}
    drawn = {name: tokens_of(tensor) for name, tensor in sides.items() if can_be_drawn(tensor)}
    for name, numbers in drawn.items():
        _map(walk, part, name, numbers)
    if drawn and not theme.is_presented():
        with st.expander("Statistics of each token"):
            data_table(_statistics(walk, part, drawn), hide_index=True)


def can_be_drawn(tensor: Tensor) -> bool:
    """Whether it holds vectors of tokens, few and short enough to be seen."""
    if not tensor.is_floating_point() or not 2 <= tensor.ndim <= 4:
        return False
    if tensor.ndim == 4 and tensor.shape[1] == 3:  # the picture itself
        return False
    return tensor.shape[-1] <= WIDEST and tokens_of(tensor).shape[0] <= LONGEST


def _map(walk: Walk, part: Part, name: str, numbers: Tensor) -> None:
    labels = walk.labels_at(part, len(numbers))
    values = numbers.numpy()
    end = float(np.quantile(np.abs(values[np.isfinite(values)]), ENDS)) or 1.0
    st.markdown(f"**{name}**: {values.shape[0]} tokens × {values.shape[1]} channels")
    figure = partial(
        heat,
        values,
        look=theme.look().sized(-2),
        x="channel",
        y="",
        rows=labels if len(labels) <= 60 else None,
        limits=(-end, end),
        tell="“%{y}”, channel %{x}: %{z:.3f}" if len(labels) <= 60 else "token %{y}, channel %{x}: %{z:.3f}",
        height=max(140, min(520, 60 + 17 * len(labels))),
    )
    table = pd.DataFrame(values, index=labels).rename_axis("token").reset_index()
    charts.chart(figure, name=f"inside-{name.lower()}", alt=f"{name}: a number for each token and channel", table=table)


def _statistics(walk: Walk, part: Part, drawn: dict[str, Tensor]) -> pd.DataFrame:
    length = max(map(len, drawn.values()))
    columns: dict[str, list] = {"token": walk.labels_at(part, length)}
    for name, numbers in drawn.items():
        if len(numbers) != length:
            continue
        kinds = {
            "mean": numbers.mean(-1),
            "deviation": numbers.std(-1, unbiased=False),
            "min": numbers.amin(-1),
            "max": numbers.amax(-1),
            "length": torch.linalg.vector_norm(numbers, dim=-1),
        }
        columns |= {
            f"{name}: {kind}": [round(value, 3) for value in statistic.tolist()] for kind, statistic in kinds.items()
        }
    return pd.DataFrame(columns)


def packed(walk: Walk, arrays: Arrays) -> bytes:
    """The bytes of an NPZ file: `in_0`, `in_1` … and `out_0` … as the part got and made them, and the labels."""
    archive: dict[str, np.ndarray] = {}
    for name, tensors in (("in", arrays.inputs), ("out", arrays.outputs)):
        for number, tensor in enumerate(tensors):
            archive[f"{name}_{number}"] = (tensor.float() if tensor.dtype == torch.bfloat16 else tensor).numpy()
    labels = {f"labels_{lane}".rstrip("_"): np.array(labels) for lane, labels in walk.labels.items()}
    return export.npz(archive | labels)


def noticed(walk: Walk) -> tuple[str, ...]:
    """How the model is built, and where its weights are."""
    total = sum(weight.numel() for weight in walk.network.parameters())
    blocks, order = blocks_of(walk), norm_order(blocks_of(walk))
    norms = f" In each of {len(blocks)} blocks it normalises {ORDERS[order]}." if order else ""
    sentences = [f"This model is {who_sees_whom(walk.walked.calls)}.{norms}"]
    held: Counter[str] = Counter()
    for part in walk.walked.parts.values():
        held[part.kind] += part.parameters if part.turn == 0 else 0
    cross = " (cross-attention included)" if held["cross-attention"] else ""
    for name, own in (
        ("MLPs", held["MLP"]),
        (f"attention parts{cross}", held["attention"] + held["cross-attention"]),
        ("embeddings", held["embedding"]),
    ):
        if own:
            sentences.append(f"The {name} hold **{own / total:.0%}** of its {total:,} weights.")
    return tuple(sentences[:3])


def who_sees_whom(calls: Sequence[AttentionCall]) -> str:
    """What the model is, read off the masks of all attention that ran."""
    own, across = [call for call in calls if call.kind == "self"], sum(call.kind == "cross" for call in calls)
    back = sum(call.causal for call in own)
    part = sum(not _sees_all(call) for call in own)
    unknown = sum(call.kind == "unknown" for call in calls)
    left_out = f"; in {part} of {len(own)} layers it may attend to some of these only" if part else ""
    if unknown:
        left_out += f"; it is not known whether {unknown} more layers attend to the same sequence or to another one"
    if unknown and not own:
        return (
            f"a model of {len(calls)} layers, and it is not known whether they attend to the same sequence or to "
            "another one"
        )
    if across:
        return (
            f"an encoder-decoder: in {back} of {len(own)} layers of self-attention a token may attend only to itself "
            f"and to the tokens before it, and {across} more layers attend to the source{left_out}"
        )
    if not own:
        return "a network whose attention could not be seen here"
    if max(call.key_length for call in own) == 1:
        return "a network that reads one token here: a longer input would show which tokens may attend to which"
    if back == len(own):
        return f"a decoder: a token may attend only to itself and to the tokens before it{left_out}"
    if not back:
        return f"an encoder: a token may attend to {'others' if part else 'all others'}, in both directions{left_out}"
    return (
        f"neither decoder nor encoder: in {back} of {len(own)} layers a token may attend only to itself and to the "
        f"tokens before it{left_out}"
    )


def _sees_all(call: AttentionCall) -> bool:
    """Whether each token may look at all tokens, or at all before it; the windows of a picture are a batch."""
    mask = mask_of(call)
    full_mask = torch.ones_like(mask)
    return call.batch_size == 1 and torch.equal(
        mask, full_mask.tril(mask.shape[1] - mask.shape[0]) if call.causal else full_mask
    )


Order = Literal["pre", "post", "both"]
ORDERS: dict[Order | None, str] = {
    "pre": "before each sublayer (pre-norm)",
    "post": "after each sum (post-norm)",
    "both": "before and after each sublayer",
}
BLOCKS: dict[Order | None, str] = {
    "pre": r"x \leftarrow x + \mathrm{Sublayer}(\mathrm{Norm}(x))",
    "post": r"x \leftarrow \mathrm{Norm}(x + \mathrm{Sublayer}(x))",
    "both": r"x \leftarrow x + \mathrm{Norm}(\mathrm{Sublayer}(\mathrm{Norm}(x)))",
}


def blocks_of(walk: Walk) -> list[Block]:
    """All blocks: of encoder and decoder, of all stages."""
    return [block for lane in walk.walked.lanes for stack in lane.stacks for block in stack.blocks]


def norm_order(blocks: Sequence[Block]) -> Order | None:
    """Where the norms of all these blocks stand; None for any other order."""
    steps = [step for block in blocks for step in block.steps]
    branches = [[part.kind for part in step.parts] for step in steps if step.kind == "branch" and step.parts]
    on_the_stream = any(part.kind == "norm" for step in steps if step.kind == "line" for part in step.parts)
    if not branches:
        return None
    if on_the_stream:
        return None if any("norm" in kinds for kinds in branches) else "post"
    if all(kinds[0] == "norm" for kinds in branches):
        return "both" if all(kinds[-1] == "norm" for kinds in branches) else "pre"
    return None


def _explain(order: Order | None) -> None:
    """One block, as this model makes it."""
    if order:
        st.markdown(SECTION.text("Order of the norms", order=ORDERS[order]))
        st.latex(BLOCKS[order])
    contents.STEPS.link("Attention step by step", show=contents.EIGHT_STEPS)

"""The methods on offer, and the controls of each."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.efficient import (
    BigBird,
    Clustered,
    Linformer,
    LowRank,
    Performer,
    Projection,
    SlidingWindow,
    Variant,
)
from core.efficient.error_curve import SETTING
from dashboard.inputs import controls
from dashboard.theme import HUES
from pages.scale.efficient_attention.prose import PAGE

KINDS: dict[str, type[Variant]] = {
    "Sliding window": SlidingWindow,
    "BigBird": BigBird,
    "Linformer": Linformer,
    "Performer": Performer,
    "Clustered": Clustered,
    "Low rank": LowRank,
}
WINDOW, BIGBIRD, LINFORMER, PERFORMER, CLUSTERED, LOW_RANK = KINDS
HUE = dict(zip(KINDS, HUES[:6], strict=True))
SETTINGS = {  # what makes a method dearer and better
    WINDOW: "window",
    BIGBIRD: "blocks in the window",
    LINFORMER: "rank",
    PERFORMER: "features",
    CLUSTERED: "clusters",
    LOW_RANK: "rank",
}
BLOCK = 32  # tokens that Linformer projects together in a causal text
WIDE = 220  # pixels: a select slider


@dataclass(frozen=True)
class Method:
    """A variant under the name that visitors know."""

    name: str
    variant: Variant

    @property
    def setting(self) -> int:
        """What makes it dearer and better, as it is now."""
        return getattr(self.variant, SETTING[type(self.variant)])


def on_offer(*, causal: bool, measured: bool) -> list[str]:
    """Names of methods; those that look ahead cannot be measured in a model that predicts."""
    return [name for name, kind in KINDS.items() if not (causal and measured and kind.looks_ahead)]


def standard(name: str, tokens: int, *, causal: bool) -> Variant:
    """A method before anybody changes its settings: a small part of the tokens."""
    quarter = _power(max(2, tokens // 4))
    if name == WINDOW:
        return SlidingWindow(causal=causal, window=min(256, max(2, quarter // 2)))
    if name == BIGBIRD:
        block = next(block for most, block in ((64, 4), (2048, 16), (tokens, 64)) if tokens <= most)
        return BigBird(causal=causal, block=block, random=1, global_tokens=_power(min(16, max(1, tokens // 8))))
    if name == LINFORMER:
        return Linformer(causal=causal, rank=min(256, quarter), block=BLOCK)
    if name == PERFORMER:
        return Performer(causal=causal, features=128)
    return Clustered(causal=causal, clusters=16) if name == CLUSTERED else LowRank(causal=causal, rank=16)


def choose(
    tokens: int, *, causal: bool, key: str, main: DeltaGenerator, settings: DeltaGenerator, measured: bool = False
) -> Method:
    """The method and what makes it dearer and better in the row `main`, its other settings in the menu `settings`.

    Keys in the address begin with `key`.
    """
    with main:
        name = controls.menu("Method", on_offer(causal=causal, measured=measured), key=f"{key}_method", width=160)
        row = st.container(width="content")
    with settings:
        menu = st.container()  # another method has other settings
    return Method(name, _changed(standard(name, tokens, causal=causal), tokens, key, row, menu))


def _changed(first: Variant, tokens: int, key: str, row: DeltaGenerator, menu: DeltaGenerator) -> Variant:
    """The method with the settings that the visitor has chosen; `first` before anybody chooses."""
    if isinstance(first, BigBird):
        return _changed_bigbird(first, tokens, key, row, menu)
    if isinstance(first, Linformer):
        with row:
            rank = _slider("Rank k", _powers(1, tokens), first.rank, f"{key}_rank")
        with menu:
            about, kinds = PAGE.text("Projection"), ["mean", "random"]
            kind = controls.choice("Projection", kinds, key=f"{key}_projection", about=about)
            seed = _seed(key) if kind == "random" else 0
        return replace(first, rank=rank, projection=cast(Projection, kind), seed=seed)
    if isinstance(first, Performer):
        with menu:
            seed = _seed(key)
        with row:
            features = _slider("Features m", _powers(8, 1024), first.features, f"{key}_features")
        return replace(first, features=features, seed=seed)
    with row:
        if isinstance(first, SlidingWindow):
            window = _slider("Window, in tokens", _powers(1, tokens), first.window, f"{key}_window")
            return replace(first, window=window)
        if isinstance(first, Clustered):
            most = min(tokens, 64)
            return replace(first, clusters=_slider("Clusters", _powers(2, most), first.clusters, f"{key}_clusters"))
        assert isinstance(first, LowRank)
        return replace(first, rank=_slider("Rank k", _powers(1, tokens), first.rank, f"{key}_best_rank"))


def _changed_bigbird(first: BigBird, tokens: int, key: str, row: DeltaGenerator, menu: DeltaGenerator) -> BigBird:
    with menu:
        block = _slider("Block, in tokens", (4, 8, 16, 32, 64), first.block, f"{key}_block")
    blocks = -(-tokens // block)
    widest = min(blocks * (1 if first.causal else 2), 16)
    with row:
        window = _slider("Window, in blocks", range(1, max(1, widest) + 1), first.window, f"{key}_blocks")
    with menu:
        drawn = _slider("Random blocks", range(min(blocks, 8) + 1), first.random, f"{key}_random")
        global_tokens = _slider(
            "Global tokens", (0, *_powers(1, min(tokens, 128))), first.global_tokens, f"{key}_global"
        )
        seed = _seed(key) if drawn else 0
    return replace(first, block=block, window=window, random=drawn, global_tokens=global_tokens, seed=seed)


def _slider(label: str, options: Sequence[int], first: int, key: str) -> int:
    """One of some numbers, which nobody has changed while it is the first one: then it follows the text.

    Another text may not have the one that was chosen: then it is the nearest below.
    """
    if len(options) == 1:
        return options[0]
    nearest = max([option for option in options if option <= first] or [options[0]])
    chosen = st.session_state.get(key)
    former = st.session_state.get(f"first_{key}")
    st.session_state[f"first_{key}"] = nearest
    if chosen is not None and chosen == former != nearest:
        st.session_state[key] = nearest
    elif isinstance(chosen, int) and chosen not in options:
        st.session_state[key] = max([option for option in options if option <= chosen] or [options[0]])
    return st.select_slider(label, list(options), value=nearest, key=key, bind="query-params", width=WIDE)


def _seed(key: str) -> int:
    return controls.number_box("Seed", 0, 99, 0, key=f"{key}_seed", width=120, help="Another seed draws anew.")


def _powers(least: int, most: int) -> tuple[int, ...]:
    """Powers of two, and the most itself at the end."""
    steps = [least]
    while steps[-1] * 2 < most:
        steps.append(steps[-1] * 2)
    return (*steps, most) if most > steps[-1] else tuple(steps)


def _power(number: int) -> int:
    """The largest power of two that is not above."""
    return 1 << (number.bit_length() - 1)

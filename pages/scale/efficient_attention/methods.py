"""The methods on offer, and the controls of each."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

import streamlit as st

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
from dashboard.theme import HUES
from pages.scale.efficient_attention import words_maps as said

WINDOW, BIGBIRD, LINFORMER, PERFORMER, CLUSTERED, LOW_RANK = (
    "Sliding window",
    "BigBird",
    "Linformer",
    "Performer",
    "Clustered",
    "Low rank",
)
KINDS: dict[str, type[Variant]] = {
    WINDOW: SlidingWindow,
    BIGBIRD: BigBird,
    LINFORMER: Linformer,
    PERFORMER: Performer,
    CLUSTERED: Clustered,
    LOW_RANK: LowRank,
}
HUE = dict(zip(KINDS, (HUES[0], HUES[1], HUES[2], HUES[3], HUES[4], HUES[5]), strict=True))
BLOCK = 32  # tokens that Linformer projects together in a causal text
STEP = 140  # pixels: a short select slider


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


def choose(tokens: int, *, causal: bool, key: str, measured: bool = False) -> Method:
    """The method and its settings; keys in the address begin with `key`."""
    names = on_offer(causal=causal, measured=measured)
    name = st.segmented_control(
        "Method",
        names,
        default=WINDOW,
        key=f"{key}_method",
        bind="query-params",
        required=True,
        wrap=True,
    )
    st.caption(said.METHOD_HELP[name])
    with st.container(horizontal=True, vertical_alignment="bottom"):
        return Method(name, _SETTINGS[name](tokens, causal, key))


def _window(tokens: int, causal: bool, key: str) -> Variant:
    first = standard(WINDOW, tokens, causal=causal)
    assert isinstance(first, SlidingWindow)
    window = _slider("Window, in tokens", _powers(1, tokens), first.window, f"{key}_window")
    return SlidingWindow(causal=causal, window=window)


def _bigbird(tokens: int, causal: bool, key: str) -> Variant:
    first = standard(BIGBIRD, tokens, causal=causal)
    assert isinstance(first, BigBird)
    block = _slider("Block, in tokens", (4, 8, 16, 32, 64), first.block, f"{key}_block")
    blocks = -(-tokens // block)
    window = _slider("Window, in blocks", _ints(1, min(blocks * (1 if causal else 2), 16)), 3, f"{key}_blocks")
    drawn = _slider("Random blocks", _ints(0, min(blocks, 8)), 1, f"{key}_random")
    seen = _slider("Global tokens", (0, *_powers(1, min(tokens, 128))), first.global_tokens, f"{key}_global")
    return BigBird(
        causal=causal, block=block, window=window, random=drawn, global_tokens=seen, seed=_seed(key) if drawn else 0
    )


def _linformer(tokens: int, causal: bool, key: str) -> Variant:
    first = standard(LINFORMER, tokens, causal=causal)
    assert isinstance(first, Linformer)
    rank = _slider("Rank k", _powers(1, tokens), first.rank, f"{key}_rank")
    kind = st.segmented_control(
        "Projection",
        ["mean", "random"],
        default="mean",
        key=f"{key}_projection",
        bind="query-params",
        required=True,
        help="The mean of neighbours, or random numbers as of Johnson and Lindenstrauss. The paper trains it.",
    )
    seed = _seed(key) if kind == "random" else 0
    return Linformer(causal=causal, rank=rank, projection=cast(Projection, kind), block=BLOCK, seed=seed)


def _performer(tokens: int, causal: bool, key: str) -> Variant:  # noqa: ARG001, as many features for every text
    features = _slider("Features m", _powers(8, 1024), 128, f"{key}_features")
    return Performer(causal=causal, features=features, seed=_seed(key))


def _clustered(tokens: int, causal: bool, key: str) -> Variant:
    return Clustered(causal=causal, clusters=_slider("Clusters", _powers(2, min(tokens, 64)), 16, f"{key}_clusters"))


def _low_rank(tokens: int, causal: bool, key: str) -> Variant:
    return LowRank(causal=causal, rank=_slider("Rank k", _powers(1, tokens), 16, f"{key}_best_rank"))


_SETTINGS: dict[str, Callable[[int, bool, str], Variant]] = {
    WINDOW: _window,
    BIGBIRD: _bigbird,
    LINFORMER: _linformer,
    PERFORMER: _performer,
    CLUSTERED: _clustered,
    LOW_RANK: _low_rank,
}


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
    return st.select_slider(label, list(options), value=nearest, key=key, bind="query-params", width=STEP * 2)


def _seed(key: str) -> int:
    return st.number_input(
        "Seed", 0, 99, 0, key=f"{key}_seed", bind="query-params", width=120, help="Another seed draws anew."
    )


def _powers(least: int, most: int) -> tuple[int, ...]:
    """Powers of two, and the most itself at the end."""
    steps = [least]
    while steps[-1] * 2 < most:
        steps.append(steps[-1] * 2)
    return (*steps, most) if most > steps[-1] else tuple(steps)


def _ints(least: int, most: int) -> tuple[int, ...]:
    return tuple(range(least, max(least, most) + 1))


def _power(number: int) -> int:
    """The largest power of two that is not above."""
    return 1 << (number.bit_length() - 1)

"""What the measured curves show, in sentences."""

import pandas as pd


def notice(rows: pd.DataFrame) -> tuple[str, ...]:
    """The square of exact attention in time and memory, and who is cheaper from where on."""
    by = rows.set_index("attention")
    plain, fused = by.loc["Exact, written out"], by.loc["Exact, fused"]
    longest = int(fused["longest"])
    sentences = [
        f"Written out, exact attention needs {plain['memory there, MB']:,.0f} MB for {longest:,} tokens, and its "
        f"memory grows like n^{plain['memory grows like n^']:.1f}; fused it needs {fused['memory there, MB']:,.1f} MB "
        f"and grows like n^{fused['memory grows like n^']:.1f}.",
        f"The time of the fused kernel still grows like n^{fused['time grows like n^']:.1f}: it stores no square, but "
        "it computes one.",
    ]
    cheaper = by[by["faster than fused from"].notna()].sort_values("time there, ms")
    if len(cheaper):
        first = cheaper.iloc[0]
        sentences.append(
            f"At {longest:,} tokens **{cheaper.index[0]}** is the quickest, "
            f"{fused['time there, ms'] / first['time there, ms']:.1f} times as fast as the fused kernel; it overtakes "
            f"it at about {first['faster than fused from']:,.0f} tokens."
        )
    slower = [name for name in by.index if pd.isna(by.loc[name, "faster than fused from"]) and name != "Exact, fused"]
    if slower:
        sentences.append(
            f"Up to {longest:,} tokens the exact fused kernel is faster than {_and(slower)}: fewer multiplications are "
            "no gain where they are harder to do."
        )
    return tuple(sentences)


def _and(names: list[str]) -> str:
    told = [f"**{name}**" for name in names]
    return told[0] if len(told) == 1 else f"{', '.join(told[:-1])} and {told[-1]}"

"""Forgetting: what a key-value cache may drop, by five rules under one budget."""

import numpy as np
import pandas as pd
import streamlit as st

from core import zoo
from core.long_context.cache_rules import RULES
from core.text import Tokens
from dashboard import theme, typeset
from dashboard.cache import waiting
from dashboard.cache.models import long_text_model
from dashboard.frame import layout
from dashboard.inputs import controls, model_name
from dashboard.long_text.books import BOOKS, book_text
from dashboard.number_format import amount
from dashboard.output import charts
from dashboard.output.data_table import data_table
from dashboard.recordings.watched import Text
from pages.explore.long_text import compute_forgetting, figures_forgetting, inputs, sentences_forgetting
from pages.explore.long_text.cached_text import cached_text
from pages.explore.long_text.compute_forgetting import LETTERS, Comparison, Setting
from pages.explore.long_text.prose import PAGE

SECTION = PAGE.section("Forgetting")
LONG = "gpt-books-long"
BUDGETS = (32, 64, 128, 256, 512, 1024)
LENGTHS = (256, 512, 1024, 2048, 4096)
FIRST_BUDGET, FIRST_LENGTH, QUICK = 64, 1024, 256
SHARES = {"none": 0.0, "a quarter": 0.25, "half": 0.5}  # of the budget for the newest keys
RISE, LOSS = "Above the full cache", "Loss"


def show() -> None:
    """Text, length and budget; losses along the text; the table; the map of a head and the cache at a step."""
    setting, rises = _choose()
    give_up = ("Cancel, and read 256 tokens", _read_fewer) if setting.tokens > QUICK else None
    with layout.waiting_place(), waiting.spinner(compute_forgetting.READING, unit="tokens", alternative=give_up) as bar:
        comparison = compute_forgetting.compared(setting, bar)
    _along_the_text(comparison, setting, rises=rises)
    _table(comparison, setting)
    _map(comparison, setting)
    layout.notes(
        SECTION,
        notice=sentences_forgetting.notices(comparison, setting),
        numbers=numbers_of(comparison, setting.budget),
    )


def _choose() -> tuple[Setting, bool]:
    """The controls; and whether the figure shows what is above the full cache."""
    with layout.control_bar():
        source = controls.menu("Text", [*BOOKS, inputs.OWN], key="forget_text", width=180)
        budget = st.select_slider(
            "Budget, keys per head",
            BUDGETS,
            FIRST_BUDGET,
            key="forget_budget",
            bind="query-params",
            width=200,
            help=SECTION.text("Budget"),
        )
        settings = layout.settings()
    with settings:
        ours = [LONG, *(name for name in zoo.TEXT if name != LONG)]
        name = model_name.model("text", offered=ours)
        length = _length(long_text_model(name).context)
        share = controls.choice(
            "Of the budget, for the newest keys",
            SHARES,
            key="forget_newest",
            first="half",
            about=SECTION.text("Newest keys"),
        )
        rises = controls.choice("Lines", (RISE, LOSS), key="forget_lines") == RISE
    with st.container(gap=None):
        text: Text = controls.text() if source == inputs.OWN else book_text(source)[: LETTERS * length]
    return Setting(name, text, length, budget, SHARES[share]), rises


def _length(context: int) -> int:
    """How many tokens are read, of those that the model has positions for."""
    options = [length for length in LENGTHS if length <= context] or [context]
    if len(options) == 1:
        return options[0]
    first = FIRST_LENGTH if FIRST_LENGTH in options else options[-1]
    if st.session_state.get("forget_tokens") not in (None, *options):
        st.session_state.forget_tokens = first
    return st.select_slider("Tokens", options, first, key="forget_tokens", bind="query-params", width=180)


def _read_fewer() -> None:
    st.session_state.forget_tokens = QUICK


def _along_the_text(comparison: Comparison, setting: Setting, *, rises: bool) -> None:
    full = comparison.full.losses.numpy()
    losses = {name: run.losses.numpy() for name, run in comparison.runs.items()}
    charts.chart(
        figures_forgetting.along_the_text(full, losses, budget=setting.budget, rises=rises, look=theme.look()),
        name="forgetting",
        alt="Loss along the text under each rule, compared with the full cache",
        table=pd.DataFrame({"position": np.arange(1, len(full) + 1), figures_forgetting.FULL: full} | losses),
    )
    layout.place_notice()
    width = figures_forgetting.smoothing(len(full))
    layout.caption(SECTION.text("Loss along the text", width=width, budget=setting.budget))


def table_of(comparison: Comparison, budget: int) -> pd.DataFrame:
    """One row for the full cache and for each rule."""
    full = comparison.full
    rows = [_row(figures_forgetting.FULL, full.losses.numpy(), full.losses.numpy(), budget, full.bytes, 0.0)]
    for name, run in comparison.runs.items():
        rows.append(_row(name, run.losses.numpy(), full.losses.numpy(), budget, run.bytes, run.mean_lost))
    return pd.DataFrame(rows)


def _row(name: str, losses: np.ndarray, full: np.ndarray, budget: int, size: int, lost: float) -> dict[str, object]:
    after = (losses - full)[budget:]
    return {
        "cache": name,
        "bits per token": float(losses.mean()),
        "rise after the budget": float(after.mean()) if len(after) else 0.0,
        "size": f"{amount(size)}B",
        "attention lost": lost,
        "largest loss, bits": float(losses.max()),
    }


def _table(comparison: Comparison, setting: Setting) -> None:
    digits = {
        "bits per token": st.column_config.NumberColumn(format="%.3f"),
        "rise after the budget": st.column_config.NumberColumn(format="%+.3f"),
        "attention lost": st.column_config.NumberColumn(format="percent"),
        "largest loss, bits": st.column_config.NumberColumn(format="%.1f"),
    }
    rows = table_of(comparison, setting.budget)
    data_table(rows, hide_index=True, column_config=digits, width="content")
    charts.download_table(rows, "forgetting-rules")


def _map(comparison: Comparison, setting: Setting) -> None:
    layout.heading("What is kept, while the text goes on")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        rule = controls.menu(
            "Rule", list(RULES), key="forget_rule", first="Heavy hitters", width=190, help=SECTION.text("Rules")
        )
        run = comparison.runs[rule]
        most_lost = [(float(heads.max()), layer, int(heads.argmax())) for layer, heads in enumerate(run.lost_by_head)]
        _, first_layer, first_head = max(most_lost)
        layer = controls.number("Layer", len(run.lost), key="forget_layer", first=first_layer)
        heads = len(run.lost[layer])
        head = controls.number("Head", heads, key="forget_head", first=first_head if layer == first_layer else 0)
        step = _step(comparison.count)
    cells = compute_forgetting.mapped(setting, rule, layer, head)
    charts.plot(
        figures_forgetting.map_of_kept(cells, step=step, look=theme.look()),
        name="forgetting-map",
        alt=f"Which keys the rule {rule} keeps at each step, and the attention that is lost on dropped keys",
    )
    block = "one token" if cells.block == 1 else f"{cells.block} × {cells.block} tokens"
    layout.caption(SECTION.text("Map of the cache", block=block, end=figures_forgetting.end_of_scale(cells)))
    st.markdown(sentences_forgetting.about_head(run, layer, head), width=theme.PROSE)
    group = heads // len(run.dropped[layer])
    _cache_at(comparison.tokens, run.dropped[layer][head // group].numpy(), step)


def _step(count: int) -> int:
    """The step that is looked at; another text may have fewer tokens than the one that it was chosen from."""
    if (st.session_state.get("forget_step") or 0) >= count:
        st.session_state.forget_step = count - 1
    return st.slider("Step", 0, count - 1, count - 1, key="forget_step", bind="query-params", width=260)


def _cache_at(tokens: Tokens, dropped: np.ndarray, step: int) -> None:
    if theme.is_presented():
        return
    is_kept = dropped[: step + 1] > step
    visible = int(is_kept.sum())
    text = SECTION.text("Cache at a step", visible=visible, dropped=len(is_kept) - visible, step=step)
    st.markdown(text, width=theme.PROSE)
    with st.expander("What is in the cache at a step"):
        st.markdown(cached_text(tokens.labels[: step + 1], is_kept))
        typeset.explain_bytes(tokens.labels[: step + 1])


def numbers_of(comparison: Comparison, budget: int) -> dict[str, object]:
    """The factors of the size of a cache under a rule, in bytes, and their product as LaTeX."""
    layer = comparison.full.layers[0]
    return {
        "layers": len(comparison.full.layers),
        "heads": layer.place.key_heads,
        "keys": min(budget, comparison.count),
        "channels": layer.place.head_dim,
        "bytes": layer.key.element_size(),
        "total": f"{comparison.runs['Window'].bytes:,}".replace(",", "{,}"),
    }

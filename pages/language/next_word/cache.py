"""Cache: what is computed anew in each step and what is kept, what that costs, and how caches become smaller."""

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from core.generation.shared_heads import CacheShape, cache_bytes
from core.generation.step_costs import WITH_CACHE, WITHOUT_CACHE, StepCosts
from core.generation.stepping import ROWS, Step, SteppedReading, rows_with_cache, rows_without_cache
from dashboard import theme, typeset
from dashboard.components.cell_map import cell_map
from dashboard.frame import layout
from dashboard.number_format import NOISE, amount, compare_times, in_latex, with_power
from dashboard.output import charts, measured_costs
from dashboard.theme import HUES
from pages.language.next_word import cache_heads, compute_cache, inputs
from pages.language.next_word.compute_cache import CachedReading
from pages.language.next_word.prose import PAGE

SECTION = PAGE.section("Cache")
FLOAT = 4  # bytes of a number in single precision
LAYERS_SHOWN = 8  # all layers do the same: more rows could not be told apart
NEWEST = 180  # pixels: of the control for the newest token
PROMPT = 8  # tokens that are read at once before anybody chooses
KINDS = ("not needed", "kept", "computed")
HUES_OF_KINDS = (HUES[4], HUES[1])
HUES_OF_WAYS = {WITHOUT_CACHE: HUES[1], WITH_CACHE: HUES[0]}


def show() -> None:
    """The grids of one step, the measurement, the shared heads; then what is told of them."""
    with layout.control_bar():
        typed_text = inputs.text()
        newest = st.container(width="content")
        menu = layout.settings()
    selection = inputs.selection(typed_text, menu)
    count = compute_cache.length_of(selection.name, selection.text)
    with menu:
        prompt = _slider("Tokens read at once, as a prompt", 1, count, min(PROMPT, count), "cache_prompt")
    with newest:
        token = _slider("Newest token", 0, count - 1, min(PROMPT, count - 1), "cache_token", width=NEWEST)
    with layout.waiting_place():
        reading = compute_cache.stepped(selection.name, selection.text, prompt)
    step = reading.stepped.step_of(token)
    _grids(reading, step)
    layout.place_notice()
    if reading.total > count:
        layout.caption(SECTION.text("First tokens", count=count))
    costs = _measured(selection.name)
    counts = cache_heads.show()
    notice = (
        about_step(step, typeset.in_word(reading.tokens, step.last - 1)),
        about_whole(reading.stepped),
        about_bytes(step, reading.heads),
        *about_costs(costs),
        *cache_heads.about_counts(*counts),
        cache_heads.about_famous(cache_heads.famous_rows()),
    )
    layout.notes(SECTION, notice=notice, numbers=_numbers(reading.heads, step))


def _slider(label: str, least: int, most: int, first: int, key: str, *, width: int = 260) -> int:
    """A whole number from `least` to `most`; another text may have fewer tokens than the one that was chosen from."""
    if least == most:
        return least
    if not least <= (st.session_state.get(key) or least) <= most:
        st.session_state[key] = first
    return st.slider(label, least, most, first, key=key, bind="query-params", width=width)


def _grids(reading: CachedReading, step: Step) -> None:
    """Both ways side by side: rows are q, k and v of the layers, columns tokens."""
    labels = [typeset.in_word(reading.tokens, place) for place in range(reading.stepped.steps[-1].last)]
    layers = min(len(step.queries), LAYERS_SHOWN)
    rows = [f"{layer} {row}" for layer in range(layers) for row in ROWS]
    ways = ((WITHOUT_CACHE, "without", rows_without_cache), (WITH_CACHE, "with", rows_with_cache))
    for column, (title, key, grid) in zip(st.columns(2, gap="medium"), ways, strict=True):
        with column:
            st.markdown(f"**{title}**")
            cell_map(
                grid(step, len(labels))[: len(rows)],
                key=f"cache-{key}",
                x="token",
                y="layer and row",
                tell="layer and row {row} of “{column}”: {value}",
                rows=rows,
                columns=labels,
                kinds=KINDS,
                hues=HUES_OF_KINDS,
                alt=f"{title}: which rows of q, k and v of each layer are computed in this step and which are kept",
                name=f"cache-{key}",
                height=theme.look().high(300),
            )
    if layers < len(step.queries):
        layout.caption(SECTION.text("First layers", count=layers, layers=len(step.queries)))
    charts.download_table(partial(table_of, reading.stepped, reading.tokens.labels), "cache-steps")


def table_of(read: SteppedReading, labels: Sequence[str]) -> pd.DataFrame:
    """One row a step: the tokens read, rows computed and kept, rows without a cache, bytes kept afterwards."""
    return pd.DataFrame(
        {
            "tokens read": "".join(labels[step.first : step.last]),
            "first": step.first,
            "last": step.last - 1,
            "rows computed": step.computed_rows(),
            "rows kept": step.cached_rows(),
            "rows computed without a cache": rows_anew(step),
            "bytes kept afterwards": step.bytes,
        }
        for step in read.steps
    )


def rows_anew(step: Step) -> int:
    """Rows of q, k and v that a full pass over all tokens up to the newest computes."""
    return 3 * len(step.queries) * step.last


def about_step(step: Step, newest: str) -> str:
    """What one step computes, takes from the cache, and would cost without it; `newest` is the token that it reads."""
    count = step.last - step.first
    what = f"“{typeset.plain(newest)}” is read" if count == 1 else f"the first {count} tokens are read at once"
    cache_note = (
        f"and {step.cached_rows():,} rows of k and v come from the cache"
        if step.cached_rows()
        else "and the cache is still empty"
    )
    return (
        f"In this step {what}: **{step.computed_rows():,} rows** of q, k and v are computed, {cache_note}. Without a "
        f"cache, **{rows_anew(step):,} rows** are computed."
    )


def about_whole(read: SteppedReading) -> str:
    """Rows computed in all steps together, with and without a cache, and that the logits are the same."""
    new, anew = sum(step.computed_rows() for step in read.steps), sum(map(rows_anew, read.steps))
    equal = (
        "the same to the last digit"
        if read.difference == 0
        else f"at most {with_power(read.difference, digits=2)} apart (the largest is {read.largest:.1f})"
    )
    more = f", {anew / new:.1f} times as many" if anew >= 1.05 * new else ""
    steps = "one step" if len(read.steps) == 1 else f"{len(read.steps)} steps"
    return (
        f"To read these tokens in {steps}, the cache computes **{new:,} rows**, and the model without it "
        f"{anew:,}{more}. The logits of both are {equal}."
    )


def about_bytes(step: Step, heads: CacheShape | None) -> str:
    """What is held after a step, by count and, where there is one, by formula."""
    held = f"After this step the cache holds **{amount(step.bytes)}B**"
    if heads is None:
        return f"{held} by count; the atlas has no formula for this architecture."
    expected = cache_bytes(heads, step.last, FLOAT)
    if expected == step.bytes:
        return f"{held}, by count and by the formula alike."
    return (
        f"{held} by count and {amount(expected)}B by the formula: this model caches other values, or in another form."
    )


def about_costs(costs: StepCosts | None) -> tuple[str, ...]:
    """What the next token cost here at the longest and the shortest measured length."""
    if costs is None:
        return (SECTION.text("Not measured"),)
    cached, anew = costs.of(WITH_CACHE), costs.of(WITHOUT_CACHE)
    short, long = min(cached), max(cached)
    faster = anew[long].seconds / cached[long].seconds
    sentence = (
        f"At {long:,} tokens the next one takes **{1e3 * cached[long].seconds:.1f} ms** with the cache and "
        f"**{1e3 * anew[long].seconds:.1f} ms** without: "
        + {
            "more": f"{faster:.1f} times as long.",
            "less": f"here the cache is slower, {1 / faster:.1f} times.",
            "as much": f"about as long (differences within {NOISE:.0%} are noise of the machine).",
        }[compare_times(anew[long].seconds, cached[long].seconds)]
    )
    if short == long:
        return (sentence,)
    grown = {way: of[long].seconds / of[short].seconds for way, of in ((WITH_CACHE, cached), (WITHOUT_CACHE, anew))}
    return (
        sentence,
        f"A step at {long:,} tokens takes {grown[WITH_CACHE]:.1f} times as long as one at {short} with the cache, and "
        f"{grown[WITHOUT_CACHE]:.1f} times as long without. What the cache holds grows from "
        f"{amount(costs.cache_bytes[short])}B to {amount(costs.cache_bytes[long])}B.",
    )


def _measured(name: str) -> StepCosts | None:
    layout.heading("Time and memory of the next token, against length")
    if not compute_cache.can_be_measured(name):
        layout.caption(SECTION.text("Short context"))
        return None
    layout.prose(SECTION.text("Time and memory"))
    costs = compute_cache.step_costs.peek(name)
    measured_costs.offer(lambda progress: compute_cache.step_costs.refresh(name, progress), again=costs is not None)
    if costs is not None:
        measured_costs.time_and_memory(costs.costs, hues=HUES_OF_WAYS, name="cache", plural="ways")
    return costs


def _numbers(heads: CacheShape | None, step: Step) -> dict[str, object]:
    """Rows of q, k and v with and without a cache, and what is kept, with its factors where there is a formula."""
    layers, tokens = len(step.queries), step.last
    filled = ""
    if heads:
        factors = (2, heads.layers, heads.key_heads, heads.head_dim, heads.cached_tokens(tokens), FLOAT)
        product = r"\cdot ".join(map(str, factors))
        filled = rf" \\ = {product} = {in_latex(cache_bytes(heads, tokens, FLOAT))}"
    return {
        "layers": layers,
        "tokens": tokens,
        "with_cache": 3 * layers,
        "without_cache": 3 * layers * tokens,
        "bytes": filled,
    }

"""Sentences of Efficient attention, each claim computed in another way: by loops over what they are about."""

import math
import re

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as some

from core.costs.attention_costs import HEAD_DIM, TOKENS, VARIANTS
from core.costs.one_pass import Cost
from core.efficient import BigBird, Clustered, Linformer, LowRank, Performer, SlidingWindow, WrittenOut
from core.efficient.approximation_error import Head, compare
from core.efficient.error_curve import Point
from core.efficient.sparse_reach import reachable_keys
from core.text import Tokens
from pages.scale.efficient_attention import cost, maps, methods, swapped_in, work_curves
from pages.scale.efficient_attention.figures import Step
from pages.scale.efficient_attention.mask import reach_notice
from pages.scale.efficient_attention.methods import Method

VARIANTS_SEEN = {
    "Sliding window": SlidingWindow(window=3),
    "BigBird": BigBird(block=4, window=1, random=1, global_tokens=1),
    "Linformer": Linformer(rank=2, block=4),
    "Performer": Performer(features=16),
    "Clustered": Clustered(clusters=2),
    "Low rank": LowRank(rank=2),
}
KINDS = [*VARIANTS_SEEN.items(), ("Linformer", Linformer(rank=2, block=4, projection="random"))]


def head(tokens: int, causal: bool, spread: float) -> Head:
    """Random queries, keys and values; with a spread of 0 all weights are equal."""
    query, key, value = torch.randn(3, tokens, 8, generator=torch.Generator().manual_seed(tokens))
    return Head(spread * query, key, value, causal)


def text(tokens: int) -> Tokens:
    labels = tuple(f"w{place}" for place in range(tokens))
    return Tokens(tuple(range(tokens)), labels, (False,) * tokens, (None,) * tokens)


def percents(sentence: str) -> list[float]:
    return [float(number.replace(",", "")) for number in re.findall(r"([\d,.]+)%", sentence)]


def near(percentage: float, share: float) -> bool:
    """A percentage as it is written: to a tenth, or to a whole one where it is large, or below a tenth."""
    return abs(percentage - 100 * share) <= (0.51 if share >= 0.995 else 0.0501) or (
        percentage == 0.1 and 0 < share < 5e-4
    )


@pytest.mark.parametrize(("name", "variant"), KINDS, ids=lambda value: str(value) if isinstance(value, str) else "")
@pytest.mark.parametrize("tokens", [2, 3, 9, 40])
@pytest.mark.parametrize(("causal", "spread"), [(True, 1.0), (False, 3.0), (True, 0.0)])
def test_what_is_said_of_an_approximation_is_what_loops_find(name, variant, tokens, causal, spread):
    if not causal:
        variant = type(variant)(**{**vars(variant), "causal": False})
    of = head(tokens, causal, spread)
    comparison, method = compare(variant, of), Method(name, variant)
    exact = WrittenOut(causal=causal).weights(of.query, of.key).double()
    other = variant.weights(of.query, of.key).double()
    error = float(((other - exact) @ of.value.double()).norm() / (exact @ of.value.double()).norm())
    sentence = maps.error_notice(comparison, name)
    assert near(percents(sentence)[-1], error)
    assert ("It saves nothing" in sentence) == (comparison.multiplications > comparison.exact_multiplications)

    sentence = maps.lost_notice(comparison, method, text(tokens))
    dropped = moved = 0.0
    strongest = (0.0, 0, 0)
    for query in range(tokens):
        for key in range(tokens):
            was, now = float(exact[query, key]), float(other[query, key])
            dropped += was / tokens if was > 0 and now <= 0 else 0
            moved += abs(now - was) / 2 / tokens
            strongest = max(strongest, (was - now, query, key))
    if name in ("Sliding window", "BigBird"):
        assert near(percents(sentence)[0], dropped)
    elif "lies elsewhere" in sentence:
        assert near(percents(sentence)[0], moved)
    loss, query, key = strongest
    if loss < maps.SMALLEST_LOSS * 0.999:
        assert "strongest loss" not in sentence
    elif loss > maps.SMALLEST_LOSS * 1.001:
        where = re.search(
            r"“w(\d+)” \(token \d+\) gave \*\*([\d.]+)\*\* of its attention to "
            r"(?:“w(\d+)”|itself)(.*) and gives (.+) now",
            sentence,
        )
        source, gave, target = int(where[1]), float(where[2]), int(where[3] or where[1])
        assert float(exact[source, target] - other[source, target]) == pytest.approx(loss, abs=1e-5)
        assert gave == pytest.approx(float(exact[source, target]), abs=0.0051)
        assert float(where[5].replace("−", "-")) == pytest.approx(float(other[source, target]), abs=0.0051)
        assert ("back" in where[4]) == (source > target)
    assert not re.search(r"\b(nan|inf)\b", sentence)
    for label, value, _ in maps.numbers(comparison):
        assert not re.search(r"\b(nan|inf)\b", f"{label} {value}")


def test_nothing_is_told_of_a_curve_without_points_or_of_a_single_token():
    assert maps.enough_notice([], Method("Sliding window", SlidingWindow())) == ""
    assert "before it" not in reach_notice(1, 1, 2)


@given(some.lists(some.floats(0, 3), min_size=1, max_size=8))
def test_an_error_is_said_to_stay_small_only_where_it_does(errors):
    points = [Point(2**n, 0.2 * (n + 1), error) for n, error in enumerate(errors)]
    sentence = maps.enough_notice(points, Method("Sliding window", SlidingWindow()))
    if errors[-1] > maps.NEAR:
        best = errors.index(min(errors))
        assert f"still above 10%: it is smallest with window {2**best:,}" in sentence
    else:
        first = len(errors)
        while first and errors[first - 1] <= maps.NEAR:
            first -= 1
        assert f"stays within 10% from window {2**first:,} on" in sentence
        assert ("more work than the exact kernel" in sentence) == (0.2 * (first + 1) > 1)


@given(
    some.one_of(
        some.builds(SlidingWindow, window=some.integers(1, 6), causal=some.booleans()),
        some.builds(
            BigBird,
            block=some.integers(1, 4),
            window=some.integers(1, 3),
            random=some.integers(0, 2),
            global_tokens=some.integers(0, 3),
            causal=some.booleans(),
        ),
    ),
    some.integers(2, 20),
    some.integers(1, 4),
)
@settings(max_examples=40, deadline=None)
def test_what_the_last_token_hears_of_is_found_by_following_every_link(variant, tokens, layers):
    links = variant.allowed(tokens)
    reached = {tokens - 1}
    for _ in range(layers):
        reached |= {key for query in reached for key in range(tokens) if links[query, key]}
    sentence = reach_notice(int(reachable_keys(variant, tokens, tokens - 1, layers)[-1].sum()), tokens, layers)
    assert ("every token before it" in sentence) == (len(reached) == tokens)
    if len(reached) < tokens:
        assert f"hear of {len(reached):,} of the {tokens:,} tokens" in sentence
    assert ("over others" in sentence) == (layers > 1 and len(reached) == tokens)


@pytest.mark.parametrize("length", [1, 2, 31, 32, 33, 200])
@pytest.mark.parametrize("change", [0.0, 0.002, 0.5, -0.5, 40.0])
def test_what_a_swap_costs_is_said_as_the_means_are(length, change):
    generator = torch.Generator().manual_seed(length)
    exact = torch.rand(length, generator=generator) * 5
    other = exact + change * torch.rand(length, generator=generator)
    before, after = (sum(values.tolist()) / length / math.log(2) for values in (exact, other))
    table = swapped_in.rises(exact, other, [f"w{place}" for place in range(length + 1)])
    sentences = " ".join(swapped_in.notices(exact, other, "Performer", table))
    assert not re.search(r"\b(nan|inf)\b", sentences)
    if abs(after - before) < 0.004:
        assert "stays within 0.005 bits" in sentences
    elif abs(after - before) > 0.006:
        assert f"from {before:.2f} to {after:.2f}" in sentences
        assert ("rises" in sentences.split("The largest")[0]) == (after > before)
        assert f"{np.mean([b > a for a, b in zip(exact, other, strict=True)]):.0%} of the tokens" in sentences
    assert ("half" in sentences) == (length >= swapped_in.ROOM)
    if match := re.search(r"The (first|second) half of the text fares worse", sentences):
        middle = math.ceil(length / 2)
        halves = [float((other - exact)[part].mean()) for part in (slice(0, middle), slice(middle, None))]
        assert match[1] == ("second" if halves[1] > halves[0] else "first")


@pytest.mark.parametrize(
    ("rise", "spread", "worse"),
    [(0.5, 0.1, "second"), (-0.5, 0.1, "first"), (0.5, 20.0, None), (0.0, 0.1, None), (0.01, 0.0, None)],
)
def test_a_half_of_the_text_fares_worse_only_beyond_two_standard_errors(rise, spread, worse):
    swing = spread * torch.tensor([-1.0, 1.0]).repeat(20)
    other = torch.cat([swing, swing + rise * math.log(2)]) + 50
    exact = torch.full((80,), 50.0)
    table = swapped_in.rises(exact, other, [f"w{place}" for place in range(81)])
    sentences = " ".join(swapped_in.notices(exact, other, "Performer", table))
    assert ("cannot be told" in sentences) == (worse is None)
    assert worse is None or f"The {worse} half of the text fares worse" in sentences


@pytest.mark.parametrize("length", [3, 40])
def test_the_largest_rise_is_that_of_its_token(length):
    exact, other = torch.rand(2, length, generator=torch.Generator().manual_seed(length))
    table = swapped_in.rises(exact, other, [f"w{place}" for place in range(length + 1)])
    sentences = " ".join(swapped_in.notices(exact, other, "Performer", table))
    changes = (other - exact).tolist()
    if max(changes) > 0:
        place = changes.index(max(changes))
        assert f"“w{place + 1}” (token {place + 1:,}): from {exact[place] / math.log(2):.1f} to" in sentences
    else:
        assert "largest rise" not in sentences


@given(
    some.dictionaries(
        some.sampled_from(list(methods.KINDS)),
        some.lists(some.builds(Step, some.integers(1, 9), some.floats(0.01, 2), some.floats(1, 9)), max_size=4),
    )
)
def test_the_best_of_the_cheap_settings_is_the_best_of_them(lines):
    cheap = [(name, step) for name, steps in lines.items() for step in steps if step.work <= 0.5]
    sentence = work_curves.cheap_notice(lines)
    if not cheap:
        assert sentence == ""
    else:
        name = re.search(r"\*(.+?)\* has the lowest loss: ([\d.]+)", sentence)
        best = min(step.value for _, step in cheap)
        assert float(name[2]) == pytest.approx(best, abs=0.0051)
        assert name[1] in [method for method, step in cheap if step.value == best]


def test_running_means_are_those_of_loops():
    values = torch.arange(7.0) ** 2
    expected = [
        np.mean([float(values[k]) for k in range(7) if place - 1 <= k <= place + 1]) / math.log(2) for place in range(7)
    ]
    assert swapped_in.running(values, 3) == pytest.approx(expected)
    assert swapped_in.perplexity(1e9) == "5.18e+21"


def costs_of(linear: float) -> tuple[Cost, ...]:
    """The exact ones are quadratic, the others linear."""
    seconds = {name: (lambda n: 1e-9 * n**2) if "Exact" in name else (lambda n: linear * n) for name in VARIANTS}
    return tuple(
        Cost(name, n, curve(n) * (1.5 if "written" in name else 1), 5, 4 * n**2 if "written" in name else 256 * n)
        for n in TOKENS
        for name, curve in seconds.items()
    )


@pytest.mark.parametrize(
    ("linear", "crossing"), [(2e-6, "it overtakes it at about 2,000 tokens"), (1e-8, "at every length"), (1.0, None)]
)
def test_what_is_said_of_measured_costs_follows_from_the_known_curves(linear, crossing):
    costs = costs_of(linear)
    rows = cost.table(costs)
    sentences = " ".join(cost.notices(rows, costs[0].tokens))
    assert "memory grows like $n^{2.0}$; fused it needs 4.2 MB and grows like $n^{1.0}$" in sentences
    assert "the fused kernel grows like $n^{2.0}$" in sentences
    assert ("is the quickest" in sentences) == (crossing is not None)
    assert crossing is None or crossing in sentences
    faster = re.search(r"kernel is faster than (.*?)(?:, though (.*) multipl|\.)", sentences)
    names = set(re.findall(r"\*\*(.*?)\*\*", faster[1]))
    assert names == ({"Exact, written out"} if crossing else set(VARIANTS) - {"Exact, fused"})
    fewer = {
        name
        for name in names
        if VARIANTS[name].multiplications(TOKENS[-1], HEAD_DIM)
        < VARIANTS["Exact, fused"].multiplications(TOKENS[-1], HEAD_DIM)
    }
    assert set(re.findall(r"\*\*(.*?)\*\*", faster[2] or "")) == fewer


def test_times_within_the_noise_of_a_machine_make_no_winner():
    fused = costs_of(2e-6)
    longest = TOKENS[-1]
    exact = next(
        measurement.seconds
        for measurement in fused
        if measurement.name == "Exact, fused" and measurement.tokens == longest
    )
    near = costs_of(0.95 * exact / longest)  # all others 5 % faster at the longest text
    sentences = " ".join(cost.notices(cost.table(near), TOKENS[0]))
    assert "is the quickest" not in sentences
    assert "about as long as the fused kernel" in sentences


def test_the_table_gives_exponents_and_crossings_of_known_curves():
    rows = cost.table(costs_of(2e-6)).set_index("attention")
    assert rows.loc["Exact, fused", cost.TIME_POWER] == pytest.approx(2)
    assert rows.loc["Exact, written out", cost.MEMORY_POWER] == pytest.approx(2)
    assert rows.loc["Performer", cost.TIME_POWER] == pytest.approx(1)
    assert rows.loc["Performer", "faster than fused from"] == pytest.approx(2000)  # 2e-6 n = 1e-9 n²


@pytest.mark.parametrize("linear", [2e-6, 1.0])
def test_no_cell_of_the_table_of_crossings_is_empty(linear):
    rows = cost.table(costs_of(linear))
    for column, itself in cost.CROSSINGS.items():
        cells = dict(zip(rows["attention"], cost.crossings(rows, column), strict=True))
        assert cells.pop(itself) == "itself"
        for name, cell in cells.items():
            known = rows.set_index("attention").loc[name, column]
            assert cell == ("never" if pd.isna(known) else f"{known:,.0f} tokens")


def test_powers_are_set_as_powers():
    texts = (*cost.table(costs_of(2e-6)), *cost.notices(cost.table(costs_of(2e-6)), TOKENS[0]))
    assert not any(re.search(r"n\^[^{]|n\^$", content) for content in texts)


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("tokens", [4096, 16_384])
def test_the_formula_with_the_numbers_of_the_page_is_what_the_variant_counts(name, tokens):
    _, filled = cost.written(name, tokens)
    value = eval(
        filled.replace("{,}", "").replace(r"\\ &\quad", "").replace(r"\cdot", "*").replace("^", "**")
    )  # our own formula
    assert value == VARIANTS[name].multiplications(tokens, HEAD_DIM)


def test_the_settings_name_the_numbers_of_the_variants():
    assert "Sliding window of 128 keys; BigBird with blocks of 64" in cost.settings()


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("tokens", [2, 3, 5, 17, 64, 2000])
def test_every_method_can_be_built_for_a_text_of_any_length(tokens, causal):
    for name in methods.on_offer(causal=causal, measured=False):
        assert methods.standard(name, tokens, causal=causal).multiplications(tokens, 8) > 0
    assert [name for name in methods.KINDS if name not in methods.on_offer(causal=True, measured=True)] == [
        "Clustered",
        "Low rank",
    ]

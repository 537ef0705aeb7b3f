"""Table 1 of Vaswani et al. 2017, against numbers worked out by hand."""

import pytest

from core.costs.complexity import WAYS, Sizes, crossover

# n = 1000 tokens, d = 512 channels, k = 10, r = 100: operations, sequential steps, path length
BY_HAND = {
    "self_attention": (512_000_000, 1, 1),
    "recurrent": (262_144_000, 1000, 1000),
    "convolution": (2_621_440_000, 1, 100),
    "dilated": (2_621_440_000, 1, 3),
    "restricted": (51_200_000, 1, 10),
}
FORMULAS = {
    "self_attention": ("O(n^2d)", "O(1)", "O(1)"),
    "recurrent": ("O(nd^2)", "O(n)", "O(n)"),
    "convolution": ("O(knd^2)", "O(1)", "O(n/k)"),
    "dilated": ("O(knd^2)", "O(1)", r"O(\log_kn)"),
    "restricted": ("O(rnd)", "O(1)", "O(n/r)"),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_the_numbers_are_those_worked_out_by_hand(name):
    sizes, way = Sizes(n=1000, d=512, k=10, r=100), WAYS[name]
    assert (way.operations.of(sizes), way.sequential.of(sizes), way.path.of(sizes)) == BY_HAND[name]


@pytest.mark.parametrize("name", FORMULAS)
def test_the_formulas_are_those_of_the_table(name):
    way = WAYS[name]
    written = (way.operations.formula, way.sequential.formula, way.path.formula)
    assert tuple(formula.replace(r"\,", "").replace(" ", "") for formula in written) == FORMULAS[name]


def test_the_dilated_path_is_exact_at_powers_of_the_kernel():
    """log(243) / log(3) is a little more than 5 in floating point: the path must not become 6."""
    for power in range(1, 12):
        assert WAYS["dilated"].path.of(Sizes(n=3**power, d=8, k=3, r=4)) == power
        assert WAYS["dilated"].path.of(Sizes(n=3**power + 1, d=8, k=3, r=4)) == power + 1


def test_attention_and_each_other_way_cost_the_same_where_they_are_said_to_meet():
    sizes = Sizes(n=1, d=64, k=3, r=32)
    for name, meeting in crossover(sizes).items():
        at = [Sizes(n, sizes.d, sizes.k, sizes.r) for n in (meeting, meeting + 1)]
        attention, other = WAYS["self_attention"].operations, WAYS[name].operations
        assert attention.of(at[0]) == other.of(at[0]), name
        assert attention.of(at[1]) > other.of(at[1]), name


def test_a_neighbourhood_wider_than_the_text_is_the_whole_text():
    sizes = Sizes(n=10, d=8, k=3, r=100)
    assert WAYS["restricted"].operations.of(sizes) == WAYS["self_attention"].operations.of(sizes)
    assert WAYS["restricted"].path.of(sizes) == 1


@pytest.mark.parametrize(("name", "value"), [("n", 0), ("d", 0), ("k", 1), ("r", 0)])
def test_sizes_that_cannot_be_are_refused_with_the_number(name, value):
    with pytest.raises(ValueError, match=rf"{name} is at least \d, not {value}"):
        Sizes(**{"n": 8, "d": 8, "k": 3, "r": 4} | {name: value})

"""Sentences of Order, each claim computed in another way: by loops, in double precision, or from a known table."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as some

from core.attention.positional_encodings import alibi, alibi_slopes, distances, relative_buckets, sinusoidal
from core.models.gpt import GPT, GPTConfig
from core.order.learned_positions import BucketBias, PositionTable
from core.order.permutation import Shuffled, shuffle, split_gpt
from pages.foundations.order import beyond, learned, learned_biases, relative, waves
from pages.foundations.order import shuffle as shuffled
from pages.foundations.order.beyond import TITLES


def number(text: str) -> float:
    """What a number as books print it stands for: "−0.21", "1.2 × 10⁻⁷"."""
    value, _, power = text.replace("−", "-").replace(",", "").partition("\N{NO-BREAK SPACE}×\N{NO-BREAK SPACE}10")
    raised = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
    return float(value) * 10.0 ** int(power.translate(raised) or 0)


@pytest.fixture(scope="module")
def gpt() -> GPT:
    torch.manual_seed(0)
    config = GPTConfig(vocabulary=11, context=16, width=16, layers=2, heads=2)
    return GPT(config).eval()


def results(gpt: GPT, ids: list[int], part: str) -> tuple[dict[str, Shuffled], torch.Tensor]:
    with torch.inference_mode():
        taken = split_gpt(gpt, torch.tensor(ids))
    order = shuffle(len(ids), 0)
    return {source: shuffled.run(taken, part, 0, source, order) for source in shuffled.SOURCES}, taken.content


@pytest.mark.parametrize("part", shuffled.PARTS)
@pytest.mark.parametrize("ids", [[1, 2], [3, 3], [5, 5, 5, 5], [1, 2, 3, 1, 4], list(range(11))])
def test_a_shuffle_is_said_to_change_what_it_changes_in_double_precision_too(gpt, part, ids):
    outcomes, content = results(gpt, ids, part)
    labels = tuple(f"w{token}" for token in ids)
    text = " ".join(shuffled.notices(outcomes, part, labels, content))
    precise, _ = results(gpt.double(), ids, part)
    gpt.float()
    assert precise[shuffled.NOTHING].largest < 1e-12  # what was left in single precision was rounding
    assert "a sentence is a set" in text
    assert "still differ" not in text
    positions, mask = (precise[source].largest > 1e-6 for source in (shuffled.POSITIONS, shuffled.MASK))
    says = {
        (True, True): "each of them tells",
        (True, False): "only positions tell",
        (False, True): "only the mask tells",
        (False, False): "neither tells",
    }[positions, mask]
    assert says in text
    twice = [(a, b) for a in range(len(ids)) for b in range(a + 1, len(ids)) if ids[a] == ids[b]]
    if twice:
        first, second = twice[0]
        assert f"“w{ids[first]}” stands at places {first} and {second}" in text
        gap = precise[shuffled.POSITIONS].before[[first, second]].diff(dim=0).abs().max().item()
        assert number(re.search(r"they differ by (.*?)\.(?: |$)", text + " ")[1]) == pytest.approx(gap, rel=0.06)
    else:
        assert "stands at places" not in text


def test_a_picture_is_no_sentence_and_what_is_no_set_is_not_called_one(gpt):
    outcomes, content = results(gpt, [1, 2, 3], "All layers")
    assert "a picture is a set" in shuffled.notices(outcomes, "all layers", None, content)[0]
    outcomes[shuffled.NOTHING] = outcomes[shuffled.MASK]
    assert "still differ by up to" in shuffled.notices(outcomes, "all layers", None, content)[0]


@pytest.mark.parametrize("length", [8, 64, 256])
@pytest.mark.parametrize("width", [8, 64])
@pytest.mark.parametrize("base", [2.0, 10.0, 1e4])
def test_what_is_said_of_waves_is_what_plain_sines_do(length, width, base):
    text = " ".join(waves.notices(sinusoidal(length, width, base), base, 3))
    lengths = [2 * math.pi * base ** (2 * pair / width) for pair in range(width // 2)]
    assert f"fastest wave repeats after {lengths[0]:.2f} positions, the slowest after {lengths[-1]:,.0f}" in text
    slow = sum((length - 1) / wave < 1 for wave in lengths)
    assert f"{slow} of the {width // 2} pairs do not complete one turn" in text
    exact = [
        [math.sin(p * 2 * math.pi / wave) for wave in lengths] + [math.cos(p * 2 * math.pi / wave) for wave in lengths]
        for p in range(length)
    ]
    products = np.array(exact) @ np.array(exact).T
    assert max(np.ptp(products.diagonal(away)) for away in range(length)) < 1e-9
    assert products.argmax(axis=1).tolist() == list(range(length))
    assert products[0, 0] == pytest.approx(width // 2)
    spread = number(re.search(r"distance alone, to (.*?)\. It", text)[1])
    assert spread < 1e-4 * width
    error = number(re.search(r"with an error of at most (.*?):", text)[1])
    assert error < 1e-5


def test_an_error_of_the_step_would_be_seen():
    encoding = sinusoidal(32, 8, 100.0)
    assert waves.error_of_step(encoding, 100.0, 3) < 1e-6
    encoding[20, 3] += 0.5
    assert waves.error_of_step(encoding, 100.0, 3) > 0.4


@pytest.mark.parametrize("learned_too", [True, False])
@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 40])
def test_positions_are_called_alike_where_their_mean_cosines_are(count, learned_too):
    vectors = torch.randn(count, 6, generator=torch.Generator().manual_seed(count))
    text = " ".join(learned.sequence_notices(PositionTable("wpe", vectors, learned_too)))
    assert f"There are only {count} vectors: position {count} has none" in text
    assert "nan" not in text
    assert ("free to become" in text) == (learned_too and "more alike," in text)

    def mean(away: int) -> float:
        cosines = [
            float(vectors[a] @ vectors[a + away] / vectors[a].norm() / vectors[a + away].norm())
            for a in range(count - away)
        ]
        return sum(cosines) / len(cosines)

    printed = [number(numeral) for numeral in re.findall(r"\*\*(.*?)\*\*", text)]
    if count > 3:
        assert printed == pytest.approx([mean(1), mean(count // 2)], abs=0.0051)
        assert compared(*printed) in text


def compared(near, far):
    if abs(near - far) < learned.APART:
        return "about as alike as far ones"
    return "near positions are more alike" if near > far else "less alike than far ones"


@pytest.mark.parametrize("grid", [(1, 1), (1, 2), (1, 7), (2, 2), (3, 4), (6, 6)])
def test_patches_are_called_alike_where_their_mean_cosines_are(grid):
    rows, columns = grid
    vectors = torch.randn(1 + rows * columns, 5, generator=torch.Generator().manual_seed(columns))
    text = " ".join(learned.picture_notices(PositionTable("pos_embed", vectors, prefix=1, grid=grid)))
    assert "nan" not in text
    places = [(row, column) for row in range(rows) for column in range(columns)]
    touching, far, kinds = [], [], {"same row or column": [], "far from the edge": [], "share neither": []}
    for a, one in enumerate(places):
        for b, other in enumerate(places):
            x, y = vectors[1 + a], vectors[1 + b]
            cosine = float(x @ y / x.norm() / y.norm())
            gaps = [abs(one[0] - other[0]), abs(one[1] - other[1])]
            if sum(gaps) == 1:
                touching.append(cosine)
            if math.hypot(*gaps) >= min(grid) / 2:
                far.append(cosine)
                edges = [min(r, c, rows - 1 - r, columns - 1 - c) for r, c in (one, other)]
                kind = 0 if 0 in gaps else 1 if edges[0] == edges[1] else 2
                kinds[list(kinds)[kind]].append(cosine)
    printed = [number(numeral) for numeral in re.findall(r"\*\*(.*?)\*\*", text)]
    if rows * columns == 1:
        assert printed == []
    else:
        assert printed[:2] == pytest.approx([np.mean(touching), np.mean(far)], abs=0.0051)
        assert compared(*printed[:2]).replace("positions", "places") in text
    if all(kinds.values()):
        means = {kind: np.mean(values) for kind, values in kinds.items()}
        assert printed[2:] == pytest.approx(list(means.values()), abs=0.0051)
        best = max(means.values())
        first = [kind for kind, value in means.items() if best - value <= learned.APART]
        if len(first) == len(means):
            assert "None of the three stand out" in text
        else:
            named = re.search(r"Most alike are those (.*?)\.", text)[1]
            assert [kind for kind in means if kind in named] == first


@given(some.integers(0, 31), some.integers(0, 31), some.sampled_from([2.0, 100.0, 1e4]))
def test_rotary_scores_of_one_distance_are_one_score_and_say_so(at, key_at, base):
    query, key = torch.randn(2, 8, generator=torch.Generator().manual_seed(at))
    table = relative.scores(query, key, base)
    text, other = relative.rotary_notices(table, ("“a”", "“b”"), (at, key_at))

    def score(m: int, n: int) -> float:
        """As a sum of turned pairs, in double precision: complex numbers turn by multiplication."""
        total = 0.0
        for pair in range(4):
            turn = complex(math.cos((m - n) * base ** (-pair / 4)), math.sin((m - n) * base ** (-pair / 4)))
            x, y = (complex(*vector[2 * pair : 2 * pair + 2].tolist()) for vector in (query, key))
            total += (x * turn * y.conjugate()).real
        return total / math.sqrt(8)

    scores = [number(numeral) for numeral in re.findall(r"score \*\*(.*?)\*\*", text)]
    assert scores == pytest.approx([score(at, key_at)] * len(scores), abs=0.0051)
    pairs = 32 - abs(at - key_at)
    if pairs == 1:
        assert "no other pair" in text
    else:
        assert f"All {pairs} pairs with the distance" in text
        places = re.search(r"at (\d+) and (\d+) they score", text)
        assert int(places[2]) - int(places[1]) == key_at - at
        assert 0 <= int(places[1]) < 32
        assert int(places[1]) != at
    ends = [score(m, 31) for m in range(32)] + [score(31, n) for n in range(32)]
    match = re.search(r"go from (\S+) to (\S+)\.$", other)
    assert [number(match[1]), number(match[2])] == pytest.approx([min(ends), max(ends)], abs=0.0051)
    assert number(re.search(r"agree to \*\*(.*?)\*\*", other)[1]) < 1e-5


@pytest.mark.parametrize("tokens", [1, 2, 12])
@pytest.mark.parametrize("heads", [1, 2, 6, 8])
@pytest.mark.parametrize("spread", [0.0, 2.0])
def test_alibi_is_said_to_bring_a_head_as_near_as_it_does(tokens, heads, spread):
    scores = spread * torch.randn(heads, tokens, tokens, generator=torch.Generator().manual_seed(tokens))
    ahead = distances(tokens, tokens) > 0
    for head in range(heads):
        before, after = (
            logits.masked_fill(ahead, -torch.inf).softmax(-1)
            for logits in (scores[head], scores[head] + alibi(heads, tokens, tokens)[head])
        )
        slopes = alibi_slopes(heads).tolist()
        text = " ".join(relative.alibi_notices(before, after, slopes, head))
        means = [
            sum(float(weights[q, k]) * (q - k) for q in range(tokens) for k in range(q + 1)) / tokens
            for weights in (before, after)
        ]
        printed = [float(numeral) for numeral in re.findall(r"\*\*(.*?)\*\*", text)[:2]]
        assert printed == pytest.approx(means, abs=0.0501)
        assert printed[1] <= printed[0]
        assert ("nearer" in text) == (printed[1] < printed[0])
        assert f"divides its weight against that of the token itself by {math.exp(10 * slopes[head]):,.3g}." in text
        assert f"steepest divides by {math.exp(10 * max(slopes)):,.3g}" in text


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize("buckets", [8, 16, 32, 64])
@pytest.mark.parametrize("longest", [64, 96, 128, 256])
def test_buckets_are_said_to_begin_and_end_where_they_do(buckets, longest, bidirectional):
    (sentence,) = learned_biases.bucket_notices(buckets, longest, bidirectional)
    numbers = relative_buckets(-torch.arange(10_001), buckets=buckets, longest=longest, bidirectional=bidirectional)
    numbers = numbers.tolist()
    alone = int(re.search(r"0 to (\d+) back", sentence)[1]) + 1
    last = int(re.search(r"\*\*(\d+)\*\* tokens on", sentence)[1])
    assert all(numbers.count(numbers[distance]) == 1 for distance in range(alone))
    assert numbers.count(numbers[alone]) > 1
    assert len(set(numbers[last:])) == 1
    assert numbers[last - 1] != numbers[last] == numbers[10_000]


def test_our_small_model_is_said_to_have_learned_nothing_only_where_all_its_biases_are_0():
    bias = torch.randn(32, 4, generator=torch.Generator().manual_seed(1))
    table = BucketBias("layer 0", bias, bidirectional=False, longest=128)
    assert "add more for the token just before" in learned_biases.bias_notices("it", table)[0]
    bias[5] = 0  # a gap in the middle is no end
    assert "exactly 0" not in learned_biases.bias_notices("it", table)[0]
    for sign in (1, -1):
        empty = bias.clone()
        empty[20:] = 0
        empty[:20] = sign * empty[:20].abs()
        (sentence,) = learned_biases.bias_notices("it", replace(table, bias=empty))
        first = int(re.search(r"\*\*(\d+)\*\*", sentence)[1])
        added = [empty[int(relative_buckets(torch.tensor(-d), bidirectional=False))] for d in range(129)]
        assert all((row == 0).all() for row in added[first:])
        assert not (added[first - 1] == 0).all()
        mean = torch.stack(added[first // 2 : first]).mean().item()
        assert number(re.search(r"they are (\S+) on average", sentence)[1]) == pytest.approx(mean, abs=0.0051)
        assert ("less than these" if sign > 0 else "more than these") in sentence
    assert learned_biases.bias_notices("it", replace(table, bias=torch.zeros(32, 4))) == (
        "In it all biases of this table are exactly 0: it tells no order.",
    )


def test_near_places_that_are_no_more_alike_are_not_called_so():
    turned = torch.tensor([[1.0, 0], [0, 1], [1, 0], [0, 1]])  # neighbours at right angles, those two apart equal
    assert "near positions are less alike than far ones." in learned.sequence_notices(PositionTable("p", turned))[0]
    equal = torch.ones(4, 2)
    assert "near positions are about as alike as far ones." in learned.sequence_notices(PositionTable("p", equal))[0]
    nothing = learned.sequence_notices(PositionTable("p", torch.zeros(4, 2)))
    assert "nan" not in " ".join(nothing)
    grid = PositionTable("p", torch.ones(36, 3), grid=(6, 6))
    assert "None of the three stand out." in learned.picture_notices(grid)[1]
    assert "near places are about as alike as far ones." in learned.picture_notices(grid)[0]


def test_a_window_whose_biases_are_equal_prefers_no_patch():
    assert learned_biases.window_notice(np.full((3, 5), 0.25, dtype=np.float32), 2) == (
        "Head 2 of this layer adds the same for every patch, **0.25**: it tells no order."
    )


def test_a_word_that_stands_twice_is_not_said_to_be_one_vector_where_it_is_not(gpt):
    outcomes, content = results(gpt, [3, 1, 3], shuffled.PARTS[0])
    same = " ".join(shuffled.notices(outcomes, "x", ("abc", "def", "abc"), content))
    assert "both get the same vector" in same
    nothing = outcomes[shuffled.NOTHING]
    changed = nothing.before.clone()
    changed[2] += 1
    other = outcomes | {shuffled.NOTHING: replace(nothing, before=changed)}
    text = " ".join(shuffled.notices(other, "x", ("abc", "def", "abc"), content))
    assert "both get the same vector" not in text
    assert "their vectors differ by" in text


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (1, 3), (3, 3), (2, 4)])
def test_a_window_head_is_said_to_add_most_for_the_patch_that_it_does(rows, columns):
    side = (2 * rows - 1, 2 * columns - 1)
    values = np.random.default_rng(rows).normal(size=side).astype(np.float32)
    sentence = learned_biases.window_notice(values, 0)
    assert "nan" not in sentence
    if values.size == 1:
        assert sentence.endswith("it tells no order.")
        return
    places = re.search(r"\) for the patch (.*?), and least \(\*\*(.*?)\*\*\) for the patch (.*)\.$", sentence)
    for described, best in ((places[1], values.max()), (places[3], values.min())):
        row = column = 0  # of the key, seen from a query in the middle
        for count, way in re.findall(r"(\d+) (?:rows?|columns?) (above|below|to the left|to the right)", described):
            row += {"above": -1, "below": 1}.get(way, 0) * int(count)
            column += {"to the left": -1, "to the right": 1}.get(way, 0) * int(count)
        assert values[rows - 1 - row, columns - 1 - column] == best  # numbered by query minus key
        assert (described == "itself") == (row == column == 0)


@pytest.mark.parametrize("side", range(2, 9))
def test_pairs_and_biases_of_a_window_are_counted(side):
    places = [(row, column) for row in range(side) for column in range(side)]
    differences = {(a[0] - b[0], a[1] - b[1]) for a in places for b in places}
    sentence = learned_biases.sharing_notice(side)
    assert f"has {len(places) ** 2:,} pairs but only **{len(differences)}** biases" in sentence
    assert f"has number {sorted(differences).index((0, 0))} for itself" in sentence


@given(some.lists(some.one_of(some.just(math.nan), some.floats(1, 8)), min_size=2, max_size=2))
def test_what_is_beyond_the_training_length_is_said_as_the_difference_is(values):
    inside, far = values
    ranges = beyond.ranges_of(64, 512)
    for way, sentence in zip(TITLES, beyond.notices({way: [inside, 0.0, far] for way in TITLES}, ranges), strict=True):
        assert sentence.startswith(f"**{TITLES[way]}**: ")
        assert "nan" not in sentence
        if math.isnan(inside):
            assert sentence.endswith("not measured.")
        elif math.isnan(far):
            assert ("it has no vector there" in sentence) == (way == "learned")
        else:
            assert f"{inside:.2f} bits from 32 to 64 characters, **{far:.2f}** beyond 256" in sentence
            gap = re.search(r": ([\d.]+) bits (more|fewer)\.$", sentence)
            assert gap is not None or abs(far - inside) < beyond.NOTABLE + 0.011
            assert gap is None or float(gap[1]) == pytest.approx(abs(far - inside), abs=0.011)
            assert gap is None or (gap[2] == "more") == (far > inside)


def test_what_each_way_does_beyond_is_said_of_all():
    explained = {heading for heading in beyond.SECTION.texts if heading.startswith("By construction: ")}
    assert explained == {f"By construction: {title}" for title in TITLES.values()}

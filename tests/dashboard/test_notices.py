"""What is said to be worth noticing is true of the patterns that are shown: each claim is worked out in another way."""

import math
import re
from types import SimpleNamespace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from core.capture import record_attention
from core.images import Patches
from core.text import Tokens
from dashboard.recordings import notices, picture_notices, row_sums, scenes
from dashboard.recordings.notices import Finding, Notice, notice_text
from dashboard.recordings.picture_notices import notice_picture
from tests.core.rows_below_one import call_of, call_with
from tests.dashboard.watched import calls_of, causal, tokens_of

TEXT = tokens_of("zero one two three four five six seven")
COUNT = len(TEXT)
UNIFORM = torch.full((COUNT, COUNT), 1 / COUNT)
PREVIOUS = torch.eye(COUNT).roll(-1, dims=1)
FIRST = torch.eye(COUNT)[[0] * COUNT]


def text_of(notice: Notice) -> str:
    return "\n".join(notice.sentences)


def words(count: int) -> Tokens:
    return tokens_of(" ".join(f"w{number}" for number in range(count)))


def random_patterns(seed: int, *shape: int) -> torch.Tensor:
    """(…, query, key): rows that sum to 1, some of them sharp."""
    generator = torch.Generator().manual_seed(seed)
    return (4 * torch.randn(*shape, generator=generator)).softmax(dim=-1)


def one_far_link(query: int, key: int, strength: float, count: int = COUNT) -> torch.Tensor:
    pattern = torch.full((count, count), 1 / count)
    pattern[query] = (1 - strength) / (count - 1)
    pattern[query, key] = strength
    return pattern


def test_the_previous_token_head_is_found_and_named():
    notice = notice_text(calls_of(torch.stack([UNIFORM, UNIFORM]), torch.stack([UNIFORM, PREVIOUS])), TEXT)
    assert notice.sentences[0] == (
        "**Layer 1, head 1** attends most to the previous token: on average 100% of a token's attention goes to it; "
        "spread evenly it would be 12%. It is a previous-token head."
    )


def test_a_weak_habit_is_not_called_a_head():
    sentence = notice_text(calls_of(UNIFORM[None]), TEXT).sentences[0]
    assert "12% of a token's attention goes to it on average; spread evenly it would be 12%." in sentence
    assert "previous-token head" not in sentence


def test_sinks_are_counted_or_denied():
    with_sinks = notice_text(calls_of(torch.stack([FIRST, UNIFORM, FIRST])), TEXT)
    assert "**2 of 3 heads** give the first token, “zero”, more than half" in with_sinks.sentences[1]
    assert "(12%): an attention sink" in with_sinks.sentences[1]
    without = notice_text(calls_of(torch.stack([UNIFORM, PREVIOUS])), TEXT)
    assert "“zero”, is not an attention sink here: the most it gets is 14%, in layer 0, head 1" in without.sentences[1]


@pytest.mark.parametrize("count", [3, 4, 19])
def test_what_the_causal_mask_alone_gives_the_first_token_is_no_sink(count):
    even = sum(1 / (row + 1) for row in range(1, count)) / (count - 1)
    sentence = notice_text(calls_of(causal(torch.ones(1, count, count))), words(count)).sentences[1]
    assert f"the most it gets is {even:.0%}" in sentence
    assert f"even attention would give it {even:.0%}" in sentence
    assert "is not an attention sink" in sentence


def test_three_tokens_of_which_the_mask_leaves_little_else_are_no_sink_either():
    pattern = torch.tensor([[1.0, 0, 0], [0.7, 0.3, 0], [0.4, 0.3, 0.3]])  # 55 % on average, where even gives 42 %
    assert "is not an attention sink" in notice_text(calls_of(causal(pattern)[None]), words(3)).sentences[1]


@settings(max_examples=25, deadline=None)
@given(st.integers(3, 12), st.integers(1, 3), st.booleans(), st.integers(0, 10**6))
def test_shares_sinks_and_the_strongest_link_are_those_of_plain_loops(count, heads, looks_back, seed):
    patterns = random_patterns(seed, heads, count, count)
    if looks_back:
        patterns = causal(patterns)
    text = text_of(notice_text(calls_of(patterns), words(count)))
    weights, rows = patterns.clamp_min(0).tolist(), range(1, count)
    visible = [row + 1 if looks_back else count for row in range(count)]
    even = sum(1 / visible[row] for row in rows) / len(rows)
    previous = max(sum(head[row][row - 1] for row in rows) / len(rows) for head in weights)
    firsts = [sum(head[row][0] for row in rows) / len(rows) for head in weights]
    assert f"{previous:.0%} of a token's attention goes to it" in text
    assert f"spread evenly it would be {even:.0%}" in text
    sinks = sum(first > 0.5 and first >= 2 * even for first in firsts)
    assert (f"**{sinks} of {heads} heads**" if sinks else f"the most it gets is {max(firsts):.0%}") in text
    links = [
        (head[row][key], row, key)
        for head in weights
        for row in range(count)
        for key in range(1, count)
        if abs(row - key) >= notices.FAR_DISTANCE
    ]
    strongest = max(links, default=(0.0, 0, 0))
    assert ("strongest link" in text) == (strongest[0] >= notices.WEAK_LINK)
    if strongest[0] >= notices.WEAK_LINK:
        value, row, key = strongest
        assert f"“w{row}” puts {value:.0%} of its attention on “w{key}”, {abs(row - key)} tokens" in text
    assert "nan" not in text
    assert "inf" not in text


def test_every_row_of_a_longer_text_is_looked_at():
    count = 150
    for query in (1, 77, 148):  # a few rows evenly spread would miss some of them
        notice = notice_text(calls_of(one_far_link(query, 40, 0.75, count)[None]), words(count))
        assert (notice.start.query, notice.start.key) == (query, 40)


def test_of_a_text_too_long_for_that_the_rows_that_were_looked_at_are_counted(monkeypatch):
    monkeypatch.setattr(notices, "MOST_WEIGHTS", 2 * 100 * 70)
    notice = notice_text(calls_of(torch.full((2, 100, 100), 0.01)), words(100))
    assert "The text is long: 70 of 100 rows of each map were looked at." in notice.sentences


def test_the_view_starts_with_the_strongest_link_across_a_distance():
    notice = notice_text(calls_of(torch.stack([UNIFORM, one_far_link(7, 2, 0.75)])), TEXT)
    assert (notice.start.place, notice.start.query, notice.start.key) == ((0, 1), 7, 2)
    assert "In **layer 0, head 1**, “seven” puts 75% of its attention on “two”, 5 tokens" in notice.sentences[2]
    assert "without links to the first token and punctuation." in notice.sentences[2]


def test_a_link_to_or_from_punctuation_is_not_named_where_words_are_linked():
    labels = (*TEXT.labels[:2], ",", *TEXT.labels[3:])
    with_comma = Tokens(TEXT.ids, labels, TEXT.special, TEXT.words)
    maps = torch.stack([one_far_link(7, 2, 0.9), one_far_link(2, 7, 0.8), one_far_link(6, 1, 0.4)])
    notice = notice_text(calls_of(maps), with_comma)
    assert (notice.start.query, notice.start.key) == (6, 1)
    assert "puts 40% of its attention" in notice.sentences[2]
    assert (notice_text(calls_of(maps), TEXT).start.query, notice_text(calls_of(maps), TEXT).start.key) == (7, 2)


def test_links_between_neighbours_or_to_separators_are_not_far():
    special = Tokens(TEXT.ids, TEXT.labels, (True, False, True, *(False,) * 5), TEXT.words)
    notice = notice_text(calls_of(torch.stack([PREVIOUS, one_far_link(7, 2, 0.9), one_far_link(6, 1, 0.4)])), special)
    assert (notice.start.query, notice.start.key) == (6, 1)
    assert "without links to the first token, separators and punctuation." in notice.sentences[2]


@pytest.mark.parametrize("text", ["one", "one two"])
def test_a_text_without_patterns_is_said_to_be_too_short(text):
    count = len(text.split())
    notice = notice_text(calls_of(torch.full((1, count, count), 1 / count)), tokens_of(text))
    assert "too short" in notice.sentences[0]


def test_a_long_text_of_which_no_layer_sees_the_whole_is_not_called_short():
    assert "too short" not in notice_text({}, TEXT).sentences[0]


def test_silent_heads_are_not_counted_and_not_spoken_of():
    patterns = torch.stack([FIRST, FIRST, UNIFORM])
    assert "**1 of 2 heads**" in text_of(notice_text(calls_of(patterns, silenced=((0, 0),)), TEXT))
    all_silent = notice_text(calls_of(patterns, silenced=((0, 0), (0, 1), (0, 2))), TEXT)
    assert all_silent.sentences == ("Every head is ablated: none of them attends to anything.",)


def test_markup_in_a_token_is_not_markup_in_the_sentence():
    text = tokens_of("*zero* one two three four five six <b>seven</b>")
    notice = notice_text(calls_of(one_far_link(7, 2, 0.75)[None]), text)
    assert r"\<b\>seven\<\/b\>" in notice.sentences[2].replace("/", r"\/")
    assert r"\*zero\*" in notice.sentences[1]


class Crossing(torch.nn.Module):
    """Self-attention of one text, then attention to another text of the same length."""

    def __init__(self):
        super().__init__()
        self.own, self.across = torch.nn.MultiheadAttention(8, 1), torch.nn.MultiheadAttention(8, 1)

    def forward(self, source, target):
        looked = self.own(source, source, source)[0]
        return self.across(target, looked, looked)[0]


def test_cross_attention_between_texts_of_equal_lengths_is_no_self_attention():
    torch.manual_seed(0)
    model, (source, target) = Crossing(), torch.randn(2, 5, 1, 8)
    with torch.inference_mode(), record_attention(model) as record:
        model(source, target)
    assert {call.shape[2:] for call in record.calls} == {(5, 5)}
    known = SimpleNamespace(sequences_of=lambda *_: ("text", "text"))
    sequence, calls = scenes.self_attention_layers(known, None, record)
    assert (sequence, list(calls)) == ("text", [0])


def test_near_and_far_heads_of_a_picture_are_told_by_their_distance():
    notice = notice_picture(calls_of(torch.stack([torch.full((9, 9), 1 / 9), torch.eye(9)])), Patches(3, 3))
    assert "**Layer 0, head 1** looks nearest, 0.0 patches away on average; **layer 0, head 0**" in notice.sentences[0]


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 4), st.integers(1, 4), st.integers(0, 2), st.integers(1, 3), st.integers(0, 10**6))
def test_distances_in_a_picture_are_those_of_plain_loops(rows, columns, prefix, heads, seed):
    patches = Patches(rows, columns, ("class", "register 1")[:prefix])
    patterns = random_patterns(seed, heads, len(patches), len(patches))
    text = text_of(notice_picture(calls_of(patterns), patches))
    if rows * columns == 1:
        assert text == "This picture is one patch: there is no other to look at."
        return
    places = [(place // columns, place % columns) for place in range(rows * columns)]
    reaches = []
    for head in patterns[:, prefix:, prefix:].tolist():
        means = [
            sum(w * math.dist(query_place, key_place) for w, key_place in zip(row, places, strict=True)) / sum(row)
            for row, query_place in zip(head, places, strict=True)
        ]
        reaches.append(sum(means) / len(means))
    near, wide = min(reaches), max(reaches)
    if wide - near < picture_notices.EQUAL_DISTANCE - 1e-5:
        assert f"All heads look about as far: {near:.1f} to {wide:.1f} patches away" in text
    elif wide - near > picture_notices.EQUAL_DISTANCE + 1e-5:
        assert f"**Layer 0, head {reaches.index(near)}** looks nearest, {near:.1f} patches away" in text
        assert f"**layer 0, head {reaches.index(wide)}** farthest, {wide:.1f}" in text
    even = sum(math.dist(place, other) for place in places for other in places) / len(places) ** 2
    assert f"Attention spread evenly would reach {even:.1f}." in text
    assert "nan" not in text


def test_a_silent_head_of_a_picture_looks_neither_near_nor_far():
    heads = torch.stack([torch.eye(9), torch.full((9, 9), 1 / 9), torch.eye(9)])
    text = text_of(notice_picture(calls_of(heads, silenced=((0, 0),)), Patches(3, 3)))
    assert "**Layer 0, head 2** looks nearest, 0.0 patches" in text
    assert "nan" not in text
    silent = notice_picture(calls_of(heads, silenced=((0, 0), (0, 1), (0, 2))), Patches(2, 4, ("class",)))
    assert silent.sentences == ("Every head is ablated: none of them attends to anything.",)


def test_the_class_token_s_strongest_look_is_given_by_row_and_column():
    pattern = torch.full((7, 7), 1 / 7)
    pattern[0] = torch.tensor([0.1, 0.05, 0.05, 0.05, 0.05, 0.6, 0.1])
    notice = notice_picture(calls_of(pattern[None]), Patches(2, 3, ("class",)))
    assert "In layer 0 the class token keeps on average 10% of its attention for itself;" in notice.sentences[1]
    assert "60%, in head 0: row 1, column 1" in notice.sentences[1]
    assert notice.start.query == 0


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ([0.2, 0.2, 0.2, 0.2, 0.2], "it gives no patch much more than the others, at most 20%"),
        ([1.0, 0, 0, 0, 0], "it gives no patch more than next to nothing"),
        ([0.2, 0.1, 0.1, 0.1, 0.5], "its strongest look at the picture is 50%, in head 0: row 1, column 1"),
    ],
)
def test_a_class_token_that_looks_at_all_patches_alike_has_no_strongest_look(row, sentence):
    pattern = torch.full((5, 5), 0.2)
    pattern[0] = torch.tensor(row)
    assert sentence in notice_picture(calls_of(pattern[None]), Patches(2, 2, ("class",))).sentences[1]


def test_of_silent_heads_the_class_token_s_mean_is_not_made_smaller():
    pattern = torch.full((2, 5, 5), 0.2)
    text = text_of(notice_picture(calls_of(pattern, silenced=((0, 1),)), Patches(2, 2, ("class",))))
    assert "keeps on average 20% of its attention for itself" in text


@pytest.mark.parametrize(
    ("prefix", "itself"),
    [
        (("class",), "itself"),
        (("class", "distilled"), "itself and the distilled token"),
        (("class", "register 1"), "itself and 1 register"),
        (("class", "register 1", "register 2"), "itself and 2 registers"),
        (("class", "distilled", "register 1"), "itself and the distilled token and 1 register"),
    ],
)
def test_tokens_beside_the_patches_are_called_what_they_are(prefix, itself):
    patches = Patches(2, 2, prefix)
    text = text_of(notice_picture(calls_of(torch.full((1, len(patches), len(patches)), 1 / len(patches))), patches))
    assert re.search(rf"for {itself};", text)
    assert f"keeps on average {len(prefix) / len(patches):.0%}" in text


def test_a_model_without_whole_attention_says_so():
    assert "No layer" in notice_picture({}, Patches(3, 3)).sentences[0]


def test_what_is_told_first_is_about_the_head_to_look_at_first():
    notice = Notice(("Back.", "The first token.", "Far."), Finding(2, 1, 0.5), 2)
    assert notice.ordered == ("Far.", "Back.", "The first token.")
    far = causal(torch.ones(1, COUNT, COUNT))
    far[0, 7] = 0
    far[0, 7, 2] = 1
    for text_notice in (notice_text(calls_of(far), TEXT), notice_text(calls_of(UNIFORM[None]), TEXT)):
        assert text_notice.start.head_name in text_notice.ordered[0].lower()
        assert sorted(text_notice.ordered) == sorted(text_notice.sentences)
    assert notice_text({}, TEXT).ordered == notice_text({}, TEXT).sentences


def test_what_rows_sum_to_is_said_with_its_cause():
    (masked,) = row_sums.row_sum_notices({3: call_of("mask")})
    mean = float(call_of("mask").row_sums().mean())
    assert f"in layer 3 the mean sum is {mean:.2f}, because a mask after the softmax" in masked
    assert "Nothing is left of 1 row in any head." in masked
    (sunk,) = row_sums.row_sum_notices({0: call_with(torch.stack([UNIFORM])), 3: call_of("sink")})
    assert sunk.startswith("Rows of 1 of 2 layers")
    assert "because an attention sink that is no token took the rest. Shares" in sunk


def test_rows_that_sum_to_more_than_one_lost_nothing():
    (sentence,) = row_sums.row_sum_notices({0: call_with(torch.stack([UNIFORM * 1.5, UNIFORM * 0.5]))})
    assert "in layer 0 the sums are 0.50 to 1.50" in sentence
    assert "took the rest" not in sentence


def test_the_layer_whose_sums_differ_most_from_one_is_named():
    calls = {0: call_with(UNIFORM[None] * 0.9), 1: call_with(UNIFORM[None] * 1.4), 2: call_with(UNIFORM[None])}
    (sentence,) = row_sums.row_sum_notices(calls)
    assert sentence.startswith("Rows of 2 of 3 layers do not sum to 1: in layer 1 ")


def test_nothing_is_said_of_rows_that_sum_to_one_or_of_silenced_heads():
    near = {0: call_with(UNIFORM[None] * 0.998)}
    silenced = {0: call_with(torch.stack([UNIFORM, UNIFORM * 0])), 1: call_with(UNIFORM[None] * 0)}
    assert not near[0].rows_sum_to_one
    assert row_sums.row_sum_notices(near) == row_sums.row_sum_notices(silenced) == row_sums.row_sum_notices({}) == ()
    assert row_sums.row_sum_notices(calls_of(UNIFORM[None], silenced=((0, 0),))) == ()


def test_negative_weights_are_named_and_end_all_shares():
    negative = {0: call_with(UNIFORM[None]), 1: call_with(UNIFORM[None] - 0.5)}
    assert row_sums.row_sum_notices(negative) == notice_text(negative, TEXT).sentences
    assert "layer 1 have attention weights below 0" in notice_text(negative, TEXT).sentences[0]

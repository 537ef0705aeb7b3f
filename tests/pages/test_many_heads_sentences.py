"""Many heads: what is said of measures and of silenced heads is true of the numbers that are given."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.heads.ablation import Trial
from core.heads.head_table import HeadTable, measure_heads
from core.heads.jobs import Jobs
from core.images import Patches
from core.text import Tokens
from core.zoo.masked_language_models import MaskedLanguageModel
from core.zoo.text_models import CausalLanguageModel, TextRun
from dashboard.recordings.notices import Finding
from dashboard.recordings.picture_notices import distance_notice
from dashboard.recordings.watched import watch_image, watch_text
from pages.foundations.many_heads import compute, jobs, measured, one_at_a_time, silenced
from pages.foundations.many_heads.measure_formulas import MEASURES
from tests.core.saved_models import byte_level_tokenizer
from tests.dashboard.watched import causal, record_of, tokens_of, watched_text

TEXT = tokens_of("zero one two three four five six seven")
COUNT = len(TEXT)
UNIFORM = torch.full((COUNT, COUNT), 1 / COUNT)
PREVIOUS = torch.eye(COUNT).roll(-1, dims=1)
FIRST = torch.eye(COUNT)[[0] * COUNT]
EVEN_BACK = causal(torch.ones(COUNT, COUNT))


def said_of(*patterns: torch.Tensor, **more: torch.Tensor) -> str:
    watched = watched_text(TEXT, *patterns)
    table = measure_heads(watched.model, watched.run, watched.record)
    return "\n".join(measured.noticed(watched, HeadTable(table.values | more, table.largest, table.rows)))


def test_every_measure_says_what_a_high_and_a_low_value_mean():
    explained = {heading for heading in measured.SECTION.texts if heading.startswith("Measure: ")}
    assert explained == {f"Measure: {name.replace('_', ' ')}" for name in MEASURES}
    for heading in explained:
        text = measured.SECTION.text(heading)
        assert text.index("**High:** ") < text.index("**Low:** ") < text.index("Source: ")


def test_the_previous_token_head_is_named():
    text = said_of(torch.stack([UNIFORM, UNIFORM]), torch.stack([UNIFORM, PREVIOUS]))
    assert "**Layer 1, head 1** attends most to the previous token: on average 100%" in text
    assert "a previous-token head" in text
    assert "a previous-token head" not in said_of(UNIFORM[None])


def test_resting_heads_are_counted_or_denied():
    assert "**2 of 3 heads** give the first token more than half" in said_of(torch.stack([FIRST, UNIFORM, FIRST]))
    assert "The first token is not an attention sink here: the most it gets is 12%, in layer 0" in said_of(
        UNIFORM[None]
    )


def test_what_the_mask_alone_gives_the_first_token_is_said():
    even = sum(1 / (row + 1) for row in range(1, COUNT)) / (COUNT - 1)
    assert f"the most it gets is {even:.0%}" in said_of(EVEN_BACK[None])
    assert f"even attention would give it {even:.0%}" in said_of(EVEN_BACK[None])


def test_a_head_has_the_share_that_its_own_mask_leaves_it():
    window = torch.where(torch.ones(COUNT, COUNT).tril() * torch.ones(COUNT, COUNT).triu(-1) > 0, 0.5, -1.0)
    window[0, 0] = 1
    watched = watched_text(TEXT, UNIFORM[None], EVEN_BACK[None], window[None])
    shares = compute.even_shares(watched)
    back = [1 / (row + 1) for row in range(1, COUNT)]
    expected = [1 / COUNT, sum(back) / len(back), 0.5 / (COUNT - 1)]  # in the window row 1 alone sees the first token
    assert shares["first_token"][:, 0].tolist() == pytest.approx(expected)
    assert shares["previous_token"][:, 0].tolist() == pytest.approx([1 / COUNT, sum(back) / len(back), 0.5])


@pytest.mark.parametrize(("share", "verdict"), [(0.4, ": an induction head."), (0.02, ": too little to call it")])
def test_a_weak_induction_head_is_not_called_one(share, verdict):
    text = said_of(torch.stack([UNIFORM, UNIFORM]), induction=torch.tensor([[0.0, share]]))
    assert f"**layer 0, head 1** gives {share:.0%} of its attention to what came next" in text
    assert verdict in text


@pytest.mark.parametrize(
    ("job", "control", "named"),
    [
        ([0.4, 0.5, 0.45, 0.42], [0.01, 0.02, 0.01, 0.01], True),
        ([0.4, 0.5, 0.45, 0.42], [0.4, 0.5, 0.45, 0.42], False),  # it looks there in any case
        ([0.4, 0.5, 0.45, 0.42], [0.9, 0.9, 0.8, 0.9], False),
        ([0.9, 0.1, 0.8, 0.0], [0.3, 0.5, 0.2, 0.4], False),  # within the noise
    ],
)
def test_a_head_is_an_induction_head_only_beyond_its_control(job, control, named):
    tested = Jobs(*(torch.tensor(values)[:, None, None] for values in (job, control)))
    sentence = measured.about_induction([Finding(0, 0, sum(job) / 4)], tested)
    assert (": an induction head." in sentence) == named
    assert f"({sum(control) / 4:.0%} where other tokens stood there)" in sentence


def test_where_no_head_has_a_score_nothing_is_said_of_induction():
    assert "induction" not in said_of(UNIFORM[None], induction=torch.full((1, 1), torch.nan))


def test_a_head_that_gives_the_token_before_no_more_than_even_has_no_liking_for_it():
    assert "No head prefers the previous token" in said_of(UNIFORM[None])
    assert "No head prefers" in said_of(FIRST[None])  # all to the first: less than even
    tied = said_of(torch.stack([PREVIOUS, PREVIOUS, UNIFORM]))
    assert "attends most to the previous token (as does 1 more)" in tied


def test_heads_that_cost_alike_are_not_ranked():
    sentence = one_at_a_time.noticed({(0, 0): 0.5, (0, 1): 0.501, (0, 2): 0.1}, 3)[1]
    assert "costs most, 1 more head as much" in sentence
    assert "will say what each one costs" in one_at_a_time.noticed({}, 0)[0]


def test_the_broadest_and_the_narrowest_layer_are_named():
    text = said_of(UNIFORM[None], PREVIOUS[None])
    assert "Layer 0 looks most broadly (3.0 bits on average, of at most 3.0), layer 1 most narrowly (0.0 bits)" in text


def test_no_common_bound_is_claimed_for_layers_that_see_different_numbers_of_tokens():
    assert "of at most" not in said_of(UNIFORM[None], causal(PREVIOUS + UNIFORM)[None])


def test_layers_that_share_a_place_are_named_together():
    sentences = measured.about_entropy(torch.tensor([[3.0], [1.0], [2.98], [torch.nan]]), None)
    assert sentences == ["Layers 0 and 2 look most broadly (3.0 bits on average), layer 1 most narrowly (1.0 bits)."]
    assert measured.about_entropy(torch.full((2, 1), torch.nan), None) == []


def test_layers_that_are_alike_are_not_ranked():
    assert "broadly" not in said_of(UNIFORM[None], UNIFORM[None])


def test_heads_that_are_not_there_are_not_spoken_of():
    text = said_of(torch.stack([UNIFORM, UNIFORM]), PREVIOUS[None])
    assert "nan" not in text
    assert "**Layer 1, head 0** attends most to the previous token" in text


@pytest.mark.parametrize("text", ["one", "one two"])
def test_of_one_or_two_tokens_nothing_is_said_that_is_no_number(text):
    count = len(text.split())
    watched = watched_text(tokens_of(text), torch.full((2, count, count), 1 / count))
    sentences = measured.noticed(watched, measure_heads(watched.model, watched.run, watched.record))
    assert "nan" not in "".join(sentences)


def test_distances_in_windows_are_told_in_the_patches_of_their_layer():
    findings = measured.findings(torch.tensor([[1.0, 4.0], [2.0, torch.nan]]))
    sentence = distance_notice(findings, None)
    assert sentence == (
        "**Layer 0, head 0** looks nearest, 1.0 patches of its own layer away on average; **layer 0, head 1** "
        "farthest, 4.0."
    )


def test_the_distances_of_the_example_picture_are_ranked_as_they_are_told():
    watched = watch_image("vit-tiny-imagenet", "coffee", 96)
    distances = compute.head_table(watched).values["mean_distance_in_plane"]
    sentence = measured.noticed(watched, compute.head_table(watched))[0]
    near, wide = (divmod(int(place), distances.shape[1]) for place in (distances.argmin(), distances.argmax()))
    assert f"**Layer {near[0]}, head {near[1]}** looks nearest, {distances.min():.1f} patches away" in sentence
    assert f"**layer {wide[0]}, head {wide[1]}** farthest, {distances.max():.1f}." in sentence
    assert isinstance(watched.inputs.patches, Patches)
    assert "Attention spread evenly would reach 6.2" in sentence


def test_the_table_has_one_row_a_head_and_no_head_that_is_not_there():
    watched = watched_text(TEXT, torch.stack([UNIFORM, FIRST]), PREVIOUS[None])
    frame = measured.heads_frame(watched, measure_heads(watched.model, watched.run, watched.record))
    assert frame[["layer", "head"]].values.tolist() == [["0", 0], ["0", 1], ["1", 0]]
    assert frame["First token"].tolist() == pytest.approx([1 / 8, 1, 1 / 7])  # row 1 of PREVIOUS looks at row 0
    assert frame["Previous token"].tolist() == pytest.approx([1 / 8, 1 / 7, 1])
    assert not frame.isna().any().any()


RECORD = record_of(UNIFORM[None])


def trial_of(probabilities: list[float], kind: type = CausalLanguageModel) -> Trial:
    """A made-up run in which each answer, number 0, has had its probability; of a text as long as they need."""
    if kind is CausalLanguageModel:
        probabilities = [*probabilities, 0.5]  # after the last token there is no answer
    tokens = Tokens(
        (0,) * len(probabilities), ("a",) * len(probabilities), (False,) * len(probabilities), (0,) * len(probabilities)
    )
    model = kind("made up", "made up", torch.nn.Identity(), byte_level_tokenizer(), 32)
    return Trial(model, tokens, TextRun(logits_of(probabilities), {"text": tokens}), RECORD)


def logits_of(probabilities: list[float]) -> torch.Tensor:
    return torch.tensor([[p, 1 - p] for p in probabilities]).log()


def without(probabilities: list[float]) -> torch.Tensor:
    return logits_of([*probabilities, 0.5])


def test_the_whole_loss_is_told_as_a_perplexity():
    sentence = silenced.noticed(trial_of([0.1, 0.1, 0.1]), 0, None)
    assert f"the loss is {-math.log(0.1):.2f} nats, a perplexity of 10:" in sentence


def test_the_cost_of_the_silenced_heads_together_is_told_as_a_ratio_of_probabilities():
    sentence = silenced.noticed(trial_of([0.4, 0.8]), 2, without([0.2, 0.4]))
    assert "Without the 2 ablated heads the loss **rises by 0.69 nats**: the next token of the text is 2.00" in sentence
    assert "times less probable (geometric mean over 2 predictions)" in sentence
    sentence = silenced.noticed(trial_of([0.2]), 1, without([0.4]))
    assert sentence == (
        "Without the ablated head the loss **falls by 0.69 nats**: the next token of the text is 2.00 times more "
        "probable."
    )


def test_rises_and_falls_that_cancel_are_not_called_nothing():
    sentence = silenced.noticed(trial_of([0.2, 0.4, 0.3]), 1, without([0.4, 0.2, 0.3]))
    assert (
        "the mean loss stays within 0.005 nats of what it was, but it is a mean: of 3 predictions 1 become" in sentence
    )
    assert "1 become less probable and 1 more, by up to 0.69 nats" in sentence
    assert "nothing" not in sentence


def test_only_where_no_prediction_changes_this_is_said():
    sentence = silenced.noticed(trial_of([0.2, 0.4]), 1, without([0.2004, 0.4]))
    assert sentence == "Without the ablated head the loss of each prediction stays within 0.005 nats of what it was."


def test_a_model_s_own_answer_is_not_called_right():
    trial = trial_of([0.6, 0.9], MaskedLanguageModel)
    before = math.exp((math.log(0.6) + math.log(0.9)) / 2)
    assert f"its own answer a probability of {before:.0%} (geometric mean over 2" in silenced.noticed(trial, 0, None)
    sentence = silenced.noticed(trial, 1, logits_of([0.3, 0.45]))
    assert "the model's own answer is 2.00 times less probable (geometric mean over 2 predictions)." in sentence
    assert "right" not in sentence


def test_a_ratio_beyond_all_reading_is_written_with_a_power_of_ten():
    logits = torch.tensor([[-50.0, 0.0], [0.0, 0.0]])
    sentence = silenced.noticed(trial_of([0.5]), 1, logits)
    assert "is 2.6\u00a0×\u00a010²¹ times less probable" in sentence


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.floats(0.05, 0.95), st.floats(0.05, 0.95)), min_size=1, max_size=6))
def test_what_silence_costs_is_the_mean_of_single_changes(pairs):
    before, after = map(list, zip(*pairs, strict=True))
    changes = [math.log(p) - math.log(q) for p, q in pairs]
    mean, most = sum(changes) / len(changes), max(map(abs, changes))
    if abs(most - 0.005) < 1e-5 or abs(abs(mean) - 0.005) < 1e-5:
        return
    sentence = silenced.noticed(trial_of(before), 1, without(after))
    if most < 0.005:
        assert "of each prediction stays within" in sentence
    elif abs(mean) < 0.005:
        up = sum(change >= 0.005 for change in changes)
        assert f"{up} become less probable and {sum(change <= -0.005 for change in changes)} more" in sentence
    else:
        assert ("rises" if mean > 0 else "falls") in sentence
        assert f"{abs(mean):.2f} nats" in sentence or abs(abs(mean) * 100 % 1 - 0.5) < 1e-3


def test_costs_are_counted_and_the_dearest_head_is_named():
    costs = {(0, 0): 0.5, (0, 1): 0.01, (1, 0): -0.3, (1, 1): 0.02}
    text = "\n".join(one_at_a_time.noticed(costs, 4))
    assert "**1 of 4 heads** change the loss by less than 0.02 nats" in text
    assert "**Layer 0, head 0** costs most: the loss rises by 0.50 nats" in text
    assert "Without **layer 1, head 0** the loss *falls*, by 0.30 nats" in text


def test_where_no_head_costs_anything_none_is_said_to_cost_most():
    assert one_at_a_time.noticed({(0, 0): -0.01, (0, 1): 0.0}, 2) == (
        "**2 of 2 heads** change the loss by less than 0.02 nats when they are ablated alone.",
    )


def test_nothing_is_said_of_costs_before_all_are_measured():
    (sentence,) = one_at_a_time.noticed({(0, 0): 0.5}, 2)
    assert "will say what each one costs" in sentence


def test_the_costs_are_ranked_with_the_dearest_first():
    frame = one_at_a_time.costs_frame(["0"], 2.0, {(0, 0): 0.1, (0, 1): -0.2, (0, 2): 0.7})
    assert frame["head"].tolist() == [2, 0, 1]
    assert frame["loss"].tolist() == [2.7, 2.1, 1.8]
    assert frame["cost, bits"].iloc[0] == pytest.approx(0.7 / 0.6931, abs=1e-3)


def test_who_is_stopped_keeps_what_was_measured_and_may_go_on(monkeypatch):
    watched, measured_heads, progress_calls = watch_text("gpt-books", "Few words."), [], []
    monkeypatch.setattr(Trial, "cost", lambda _, head: measured_heads.append(head) or head[0] / 10)

    def stop(done, heads):
        progress_calls.append((done, heads))
        if len(progress_calls) == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compute.measure_costs(watched, stop)
    assert progress_calls == [(done, 36) for done in range(4)]
    assert compute.known_costs(watched) == {(0, 0): 0.0, (0, 1): 0.0, (0, 2): 0.0}
    compute.measure_costs(watched)
    assert compute.known_costs(watched) == {(layer, head): layer / 10 for layer in range(6) for head in range(6)}
    assert len(measured_heads) == 36
    for head in measured_heads:
        compute.cost_of.forget(watched, head)


@given(
    arrays(float, (2, 3, 3), elements=st.floats(0, 1)),
    arrays(float, (2, 3), elements=st.floats(0.01, 0.6)),
    st.integers(0, 5),
)
def test_the_job_of_a_head_is_that_of_its_largest_share_beyond_the_limits(shares, even, missing):
    names = ("previous_token", "first_token", "induction")
    values = {name: torch.tensor(shares[..., number]) for number, name in enumerate(names)}
    values["entropy"] = torch.ones(2, 3, dtype=torch.float64)
    values["entropy"].view(-1)[missing] = torch.nan
    table = HeadTable(values, {}, None)
    of_heads = jobs.jobs_of(table, dict.fromkeys(names[:2], even), None)
    counts = Counter()
    for layer, head in itertools.product(range(2), range(3)):
        if 3 * layer + head == missing:
            assert np.isnan(of_heads[layer, head])
            continue
        previous, first, induction = shares[layer, head]
        held = {
            "previous token": previous if previous > 0.5 and previous >= 2 * even[layer, head] else 0,
            "first token": first if first > 0.5 and first >= 2 * even[layer, head] else 0,
            "induction": induction if induction >= 0.1 else 0,
        }
        best = max(held.values())
        name = jobs.name_of(of_heads[layer, head])
        assert (held[name] == best) if best else name == ""
        counts[name] += 1
    sentence = jobs.about_jobs(of_heads)
    named = 5 - counts[""]
    assert (f"**{named} of 5 heads**" in sentence) == (named > 0)
    assert all(f"{count} {name}" in sentence for name, count in counts.items() if name)


def test_induction_that_is_no_more_than_its_control_is_no_job():
    table = HeadTable({"entropy": torch.ones(1, 1), "induction": torch.tensor([[0.4]])}, {}, None)
    draws = torch.tensor([0.3, 0.4, 0.5])[:, None, None]
    same, none = Jobs(draws, draws), Jobs(draws, torch.tensor([0.0, 0.1, 0.05])[:, None, None])
    assert jobs.name_of(jobs.jobs_of(table, {}, same)[0, 0]) == ""
    assert jobs.name_of(jobs.jobs_of(table, {}, none)[0, 0]) == "induction"

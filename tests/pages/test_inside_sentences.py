"""Inside the transformer: what is said of masks, norms, weights, stream and lens is true of what ran."""

from dataclasses import replace

import pandas as pd
import pytest
import torch

from core.interpretability import ResidualStream, walk
from core.interpretability.logit_lens import Lens
from core.interpretability.residual_stream import BranchOutput
from core.models.transformer import Transformer, TransformerConfig
from dashboard.inputs import controls
from dashboard.inputs.photograph import Photograph
from pages.foundations.inside_the_transformer import compute, lens, sizes, stream
from pages.foundations.inside_the_transformer.compute import Walk
from pages.foundations.inside_the_transformer.walk import blocks_of, norm_order, noticed, who_sees_whom
from tests.core.tiny_models import tiny_gpt, tiny_transformers, tokens
from tests.dashboard.watched import calls_of, causal

IDS = tokens(batch=1)
EVEN = torch.full((1, 6, 6), 1 / 6)
WINDOW = torch.where((torch.arange(6)[:, None] - torch.arange(6)).abs() < 3, 1.0, -1.0)[None]


def walk_of(network) -> Walk:
    return Walk("a test", "made up", network, walk(network, lambda double: double(IDS)), {}, str)


def pair(norm: str) -> Walk:
    model = Transformer(TransformerConfig(64, 64, 32, 2, 4, 48, norm=norm)).eval()
    return Walk("a test", "made up", model, walk(model, lambda network: network(IDS, IDS)), {}, str)


@pytest.mark.parametrize(
    ("patterns", "description"),
    [
        ([EVEN, EVEN], "an encoder: a token may attend to all others, in both directions"),
        (
            [EVEN, WINDOW, WINDOW],
            "an encoder: a token may attend to others, in both directions; in 2 of 3 layers it may attend to some of "
            "these only",
        ),
        ([causal(EVEN)], "a decoder: a token may attend only to itself and to the tokens before it"),
        (
            [causal(EVEN), torch.where(causal(EVEN) < 0, -1.0, WINDOW)],
            "a decoder: a token may attend only to itself and to the tokens before it; in 1 of 2 layers it may attend "
            "to some of these only",
        ),
        (
            [EVEN, causal(EVEN)],
            "neither decoder nor encoder: in 1 of 2 layers a token may attend only to itself and to the tokens before "
            "it",
        ),
        (
            [torch.ones(1, 1, 1)],
            "a network that reads one token here: a longer input would show which tokens may attend to which",
        ),
    ],
)
def test_what_a_model_is_is_read_off_the_masks_that_ran(patterns, description):
    assert who_sees_whom(()) == "a network whose attention could not be seen here"
    assert who_sees_whom(tuple(calls_of(*patterns).values())) == description


def test_windows_of_a_picture_are_not_the_whole_of_it():
    walked = compute.walk_picture(Photograph("swin-tiny-imagenet", "coffee", 128)).walked
    windows = sum(call.batch_size > 1 for call in walked.calls)
    description = who_sees_whom(walked.calls)
    assert f"in {windows} of {len(walked.calls)} layers" in description
    assert "all others" not in description


def test_an_encoder_decoder_looks_back_and_across():
    description = who_sees_whom(pair("pre").walked.calls)
    assert description == (
        "an encoder-decoder: in 2 of 4 layers of self-attention a token may attend only to itself and to the tokens "
        "before it, and 2 more layers attend to the source"
    )


@pytest.mark.parametrize(
    ("made", "order"),
    [
        (lambda: pair("pre"), "pre"),
        (lambda: pair("post"), "post"),
        (lambda: walk_of(tiny_gpt()), "pre"),
        (lambda: walk_of(tiny_transformers("bert")), "post"),
    ],
)
def test_where_norms_stand_is_told_of_all_blocks(made, order):
    assert norm_order(blocks_of(made())) == order


def test_norms_that_stand_nowhere_are_not_spoken_of():
    assert norm_order([]) is None


def test_the_share_of_attention_counts_that_across_to_the_source():
    made = pair("post")
    total = sum(weight.numel() for weight in made.network.parameters())
    own = sum(weight.numel() for name, weight in made.network.named_parameters() if "attention." in name)
    assert f"The attention parts (cross-attention included) hold **{own / total:.0%}** of its {total:,}" in str(
        noticed(made)
    )


def test_the_share_of_the_mlps_of_the_shipped_model_is_true():
    made = compute.walk_text("gpt-books", controls.FIRST_TEXT)
    total = sum(weight.numel() for weight in made.network.parameters())
    mlps = sum(weight.numel() for name, weight in made.network.named_parameters() if ".mlp." in name)
    assert f"The MLPs hold **{mlps / total:.0%}** of its {total:,} weights." in noticed(made)


def made_stream(*lengths: list[float], added: tuple[BranchOutput, ...] = ()) -> ResidualStream:
    """At each point vectors of these lengths, one a token."""
    return ResidualStream(tuple(torch.tensor([[length, 0.0] for length in point]) for point in lengths), added)


def step(block: int, kind: str, before: list[float], added: list[float]) -> BranchOutput:
    return BranchOutput(
        block, kind, torch.tensor(before).float(), torch.tensor(added).float(), torch.zeros(len(before))
    )


def test_the_stream_s_growth_is_that_of_its_medians():
    sentences = stream.noticed(made_stream([1, 2, 3], [9, 4, 5]), ["a", "b", "c"])
    assert "is 2.0 before the first block and **5.0** after the last, 2.5 times as long" in sentences[0]
    assert "“a” (token 0) is **1.8 times** as long as the median" in sentences[1]


def test_a_stream_that_begins_with_nothing_has_no_ratio():
    sentences = stream.noticed(made_stream([0.0], [0.0], added=(step(0, "MLP", [0.0], [1.0]),)), ["a"])
    (sentence,) = sentences
    assert sentence.endswith("is 0.0 before the first block and **0.0** after the last.")


def test_the_largest_step_is_the_mean_over_tokens_of_single_ratios():
    steps = (step(0, "attention", [1, 4], [1, 1]), step(1, "MLP", [2, 10], [4, 1]))  # 62.5 %, 105 %
    sentences = stream.noticed(made_stream([1, 1], [1, 1], added=steps), ["a", "b"])
    assert "The MLP of block 1 adds most: on average **105%** of the length of the vector" in sentences[-1]


def made_lens(best: list[list[int]]) -> Lens:
    """The most probable answers by layer and token; the last row is the model's own."""
    numbers = torch.tensor(best)
    half = torch.full(numbers.shape, 0.5)
    return Lens(numbers, half, numbers[-1], half, numbers, torch.zeros(numbers.shape[1], 9))


@pytest.mark.parametrize(
    ("best", "where", "late"),
    [
        ([[1, 7], [2, 7], [3, 7]], "from the input on", "**1 of 2**"),
        ([[1, 7], [3, 8], [3, 7]], "from block 1 on", "**1 of 2**"),
        ([[3, 8], [3, 7], [3, 7]], "from block 0 on", "**0 of 2**"),
    ],
)
def test_an_answer_is_settled_where_it_stays_to_the_end(best, where, late):
    first, second = lens.noticed(made_lens(best), ["a", "b"], ["x", "y"])
    assert first == f"After “b” the model predicts “y” (50%); the lens shows this prediction {where}."
    assert second == f"At {late} tokens the prediction changes in the last block."


def test_an_answer_that_the_lens_never_shows_is_not_said_to_be_known_from_anywhere():
    toy_lens = made_lens([[1, 7], [2, 7], [3, 7]])
    (sentence,) = lens.noticed(replace(toy_lens, final=torch.tensor([3, 9])), ["a", "b"], ["x", "y"])
    assert "the lens never shows the model's final prediction “y” (50%), even after the last block" in sentence
    (only,) = lens.noticed(made_lens([[1, 7]]), ["a", "b"], ["x", "y"])
    assert "from the input on" in only


def test_steps_of_equal_size_have_no_largest():
    two = (step(0, "attention", [1, 1], [1, 1]), step(1, "MLP", [1, 1], [1, 1]))
    assert (
        "The attention of block 0 and the MLP of block 1 add most"
        in (stream.noticed(made_stream([1, 1], [1, 1], added=two), ["a", "b"])[-1])
    )
    many = tuple(step(block, "MLP", [1, 1], [1, 1]) for block in range(4))
    assert (
        "No single step adds most: 4 of 4" in (stream.noticed(made_stream([1, 1], [1, 1], added=many), ["a", "b"])[-1])
    )


def test_parts_of_equal_size_are_named_together_and_none_where_nothing_is_counted():
    def table(*counts):
        total = sum(counts) or 1
        shares = [count / total for count in counts]
        parts = list("ABC")[: len(counts)]
        return pd.DataFrame({"part": parts, "parameters, count": counts, "parameters, share": shares})

    both = sizes.noticed(None, table(5, 5, 2), [4])[0]
    assert both == "**A and B** have the most parameters: 42% of all each."
    assert sizes.noticed(None, table(1, 5, 2), [4])[0] == "**B** has the most parameters: 62% of all."
    for empty in (table(0, 0), table()):
        assert sizes.noticed(None, empty, [4])[0] == "No part of this model has parameters."


def test_one_answer_for_the_whole_input_has_one_sentence():
    (sentence,) = lens.noticed(made_lens([[1], [2]]), ["the whole input"], ["cat"])
    assert sentence == "The model predicts “cat” (50%); the lens shows this prediction from block 0 on."

"""Needles: planted where they should be, and scored as maps and models demand whose answers are known."""

import math

import pytest
import torch

from core.capture import edit_attention, record_attention
from core.errors import InputError, ModelError
from core.long_context.needles import ablate, make_needle, probe_grid, probe_needle, score_heads
from core.long_context.planting import Needle, Planted, begins_sentence, haystack, plant
from core.long_context.reading import Place, StoredLayer
from core.text import read_tokens
from tests.core.tiny_long_models import family

SENTENCE = "The password of the old lighthouse is silver pelican."
TEXT = " ".join(f"In the {number}th year the sea came up to the wall. Nobody saw it!" for number in range(1, 200))
LENGTH = 40  # tokens of a small text


@pytest.fixture(scope="module")
def model():
    return family("rotary")


@pytest.fixture(scope="module")
def needle(model):
    return make_needle(model, SENTENCE, cue_words=7)


def text_of(planted: Planted, positions: range) -> str:
    return "".join(planted.tokens.labels[position] for position in positions)


def test_a_needle_is_cut_behind_the_words_of_its_cue(model, needle):
    labels = read_tokens(model.tokenizer, needle.ids).labels
    assert "".join(labels[: needle.cue]) == " The password of the old lighthouse is"
    assert "".join(labels[needle.cue :]) == " silver pelican."
    assert make_needle(model, SENTENCE, cue_words=0, question="What is it?").cue == 0


@pytest.mark.parametrize(
    ("text", "cue", "question"), [("", 1, ""), ("Pelican.", 1, ""), (SENTENCE, 9, ""), (SENTENCE, 0, " ")]
)
def test_a_needle_needs_a_word_to_copy_and_something_that_asks_for_it(model, text, cue, question):
    with pytest.raises(InputError, match="at least"):
        make_needle(model, text, cue_words=cue, question=question)


@pytest.mark.parametrize("depth", [0.0, 0.3, 0.5, 1.0])
@pytest.mark.parametrize("length", [100, 257])
def test_a_planted_needle_stands_between_sentences_of_the_same_text(model, needle, length, depth):
    text = haystack(model, TEXT, length)
    planted, without = (plant(model, text, needle, length, where) for where in (depth, None))
    assert len(planted.tokens) == len(without.tokens) == length
    assert text_of(planted, planted.needle) == f" {SENTENCE}"
    assert text_of(planted, planted.prompt) == " The password of the old lighthouse is"
    assert text_of(planted, planted.answer) == " silver pelican."
    before = text_of(planted, range(planted.needle.start))
    after = text_of(planted, range(planted.needle.stop, planted.prompt.start))
    assert before.rstrip().endswith((".", "!")) or depth == 0
    assert after.endswith("!") or after.endswith(".") or depth == 1
    assert text_of(without, range(without.prompt.start)).endswith(before + after)
    wanted = depth * (planted.prompt.start - len(needle.ids))
    assert abs(planted.needle.start - wanted) <= 12  # the longest sentence has fewer tokens
    assert len(without.needle) == 0
    assert without.answer == planted.answer


def test_special_tokens_stay_in_front(model, needle):
    from tokenizers.processors import TemplateProcessing

    tokenizer = type(model.tokenizer).from_str(model.tokenizer.to_str())
    tokenizer.add_special_tokens(["<s>"])
    first = tokenizer.token_to_id("<s>")
    tokenizer.post_processor = TemplateProcessing(single="<s> $A", special_tokens=[("<s>", first)])
    other = type(model)("x", "x", model.network, tokenizer, 1000)
    planted = plant(other, haystack(other, TEXT, 100), needle, 100, 0.0)
    assert planted.tokens.ids[0] == first
    assert planted.needle.start == 1
    assert len(planted.tokens) == 100


def test_without_sentences_a_needle_stands_between_words(model, needle):
    planted = plant(model, haystack(model, "to be or not to be " * 100, 200), needle, 200, 0.5)
    assert planted.tokens.labels[planted.needle.stop].startswith(" ")


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (" end.", " Next", True), (" end.”", " Next", True), (" end!\n", "Next", True), (" Mr", ".", False),
        (" a,", " b", False), (" end.", "5", False),
    ],
)  # fmt: skip
def test_sentences_begin_after_a_stop_and_a_space(before, after, expected):
    assert begins_sentence([before, after], 1) is expected


def test_texts_that_are_too_short_are_refused_with_their_numbers(model, needle):
    with pytest.raises(InputError, match="5,000"):
        haystack(model, TEXT[:1000], 5000)
    with pytest.raises(InputError, match="30"):
        plant(model, haystack(model, TEXT, 30), needle, 30, 0.5)
    with pytest.raises(InputError, match=r"1\.5"):
        plant(model, haystack(model, TEXT, 100), needle, 100, 1.5)
    with pytest.raises(ModelError, match="next token"):
        probe_needle(family("bert"), TEXT, needle, 100, [0.5])


def known_layer(maps: list[torch.Tensor]) -> StoredLayer:
    """A layer whose heads have these maps, with rows that sum to 1: their keys are unit vectors."""
    length = len(maps[0])
    query = torch.stack(maps).clamp(min=1e-30).log() * math.sqrt(length)
    keys = torch.eye(length).expand(len(maps), -1, -1)
    return StoredLayer(Place("known", len(maps), len(maps), length, True), query, keys, torch.zeros(len(maps), length))


def test_heads_with_known_maps_get_the_scores_they_must_have(model):
    ids = tuple(range(100, 100 + LENGTH - 8)) + tuple(range(110, 118))  # the needle: tokens 10 to 17, again at the end
    planted = Planted(read_tokens(model.tokenizer, ids), range(10, 18), range(32, 36), range(36, 40))
    even = torch.ones(LENGTH, LENGTH).tril()
    even /= even.sum(1, keepdim=True)
    perfect, half, first = even.clone(), even.clone(), even.clone()
    for number, row in enumerate(range(35, 39)):  # the rows at which the answer, tokens 14 to 17, is predicted
        perfect[row] = 0.1 / row
        perfect[row, 14 + number] = 0.9 + 0.1 / row
        perfect[row, row] = 0
        half[row] = 0
        half[row, 14 + number], half[row, 0] = (0.6, 0.4) if number < 2 else (0.4, 0.6)
    first[:], first[:, 0] = 0, 1
    other = even.clone()  # looks at the needle, but never at the token that comes next
    other[32:], other[32:, 10] = 0, 1
    scores = score_heads([known_layer([perfect, half]), known_layer([even, first, other])], planted)
    expected = torch.tensor([[1.0, 0.5, torch.nan], [0.0, 0.0, 0.0]])
    torch.testing.assert_close(scores.scores, expected, equal_nan=True)
    copies = [
        [sum(0.9 + 0.1 / row for row in range(35, 39)) / 4, 0.5, math.nan],
        [sum(1 / (row + 1) for row in range(35, 39)) / 4, 0.0, 0.0],
    ]
    torch.testing.assert_close(scores.copies, torch.tensor(copies), equal_nan=True, atol=1e-5, rtol=1e-4)
    share = sum(8 / (row + 1) for row in range(32, 40)) / 8
    assert float(scores.shares[1, 0]) == pytest.approx(share, rel=1e-4)
    assert float(scores.shares[1, 1]) == pytest.approx(0, abs=1e-6)
    assert float(scores.shares[1, 2]) == pytest.approx(1, abs=1e-6)
    assert scores.shares[0, 2].isnan()


@pytest.mark.parametrize("name", ["rotary", "gpt", "gpt2", "llama"])
def test_a_probe_measures_what_the_model_itself_computes(name):
    model = family(name)
    needle = make_needle(model, SENTENCE, cue_words=7)
    probe = probe_needle(model, TEXT, needle, 120, [0.25, 1.0])
    without = plant(model, haystack(model, TEXT, 120), needle, 120, None)
    for planted, bits in ((without, probe.bits_without), *((one.planted, one.bits) for one in probe.retrievals)):
        with record_attention(model.network) as record:
            logits = model.run(planted.tokens).logits
        losses = torch.nn.functional.cross_entropy(logits[:-1], torch.tensor(planted.tokens.ids[1:]), reduction="none")
        expected = losses[planted.answer.start - 1 :] / math.log(2)
        assert len(bits) == len(needle.answer)
        torch.testing.assert_close(bits, expected, atol=0.05, rtol=0.01)
        for one in probe.retrievals:
            place = slice(one.planted.needle.start, one.planted.needle.stop)
            maps = torch.stack([torch.stack([call.weights(head) for head in range(4)]) for call in record.calls])
            shares = maps[:, :, planted.prompt.start :, place].sum(-1).mean(-1)
            if planted is without:
                torch.testing.assert_close(one.elsewhere, shares, atol=0.01, rtol=0.02)
            elif planted is one.planted:
                torch.testing.assert_close(one.heads.shares, shares, atol=0.01, rtol=0.02)
    assert probe.gains(1).tolist() == pytest.approx((probe.bits_without - probe.retrievals[1].bits).tolist())


@pytest.mark.parametrize("name", ["rotary", "gpt2", "llama"])
def test_an_ablation_is_that_of_silenced_heads(name):
    model = family(name)
    one = probe_needle(model, TEXT, make_needle(model, SENTENCE, cue_words=7), 120, [0.5]).retrievals[0]
    with record_attention(model.network) as record:
        model.run(one.planted.tokens)
    progress = []
    ablation = ablate(model, one, 2, draws=3, progress=lambda done, total: progress.append(done / total))
    assert ablation.best == one.ranked[:2]
    assert progress[-1] == 1
    assert progress == sorted(progress)
    assert all(len(set(draw)) == 2 and not set(draw) & set(ablation.best) for draw in ablation.draws)
    for heads, bits in ((ablation.best, ablation.bits), *zip(ablation.draws, ablation.random_bits, strict=True)):
        edits = {(record.calls[layer].path, head): "silence" for layer, head in heads}
        with edit_attention(model.network, edits):
            logits = model.run(one.planted.tokens).logits
        targets = torch.tensor(one.planted.tokens.ids[1:])
        losses = torch.nn.functional.cross_entropy(logits[:-1], targets, reduction="none") / math.log(2)
        assert float(bits) == pytest.approx(float(losses[one.planted.answer.start - 1 :].sum()), abs=0.1, rel=0.01)
    torch.testing.assert_close(ablate(model, one, 2, draws=3).random_bits, ablation.random_bits)  # of one seed
    with pytest.raises(InputError, match="5 others"):
        ablate(model, one, 5)


def test_a_grid_is_its_probes_and_reports_all_tokens(model, needle):
    progress = []
    grid = probe_grid(model, TEXT, needle, [100, 200], [0.0, 1.0], lambda done, total: progress.append((done, total)))
    assert [probe.length for probe in grid] == [100, 200]
    assert progress == sorted(progress)
    assert progress[-1] == (900, 900)
    alone = probe_needle(model, TEXT, needle, 200, [0.0, 1.0])
    torch.testing.assert_close(grid[1].retrievals[1].bits, alone.retrievals[1].bits)
    one = alone.retrievals[1]
    rows = range(one.planted.prompt.start, 200)
    assert one.even_share == pytest.approx(sum(len(needle.ids) / (row + 1) for row in rows) / len(rows))
    repeated = Needle((7, 8, 7, 9), 2)  # its 7 stands twice, so an even head hits it twice as often
    planted = plant(model, haystack(model, TEXT, 60), repeated, 60, 0.5)
    probe = probe_needle(model, TEXT, repeated, 60, [0.5]).retrievals[0]
    assert probe.even_score == pytest.approx((2 / planted.answer[0] + 1 / planted.answer[1]) / 2)

"""What silencing costs agrees with torch's own cross-entropy and with weights that are removed by hand."""

import copy

import pytest
import torch
import torch.nn.functional as F

from core.errors import CaptureError, InputError, ModelError
from core.heads.ablation import cost_of_each_head, loss, prepare_trial
from core.images import open_example
from core.text import Tokens
from core.zoo import load_text
from core.zoo.embedded import load_embedded_image, load_embedded_text
from tests.core.saved_models import save_text_model

SENTENCE = "The old man looked at the sea because he was tired."


@pytest.fixture(scope="module")
def model():
    return load_embedded_text("gpt-books")


@pytest.fixture(scope="module")
def tokens(model):
    return model.encode(SENTENCE)


def test_the_loss_is_torch_s_mean_cross_entropy_of_the_next_token(model, tokens):
    logits = model.network(torch.tensor([tokens.ids]))[0]
    expected = F.cross_entropy(logits[:-1], torch.tensor(tokens.ids[1:]))
    assert loss(model, tokens) == pytest.approx(expected.item(), abs=1e-5)


def test_silencing_a_head_is_removing_its_rows_of_the_output_matrix(model, tokens):
    layer, head, head_dim = 2, 4, 48
    network = copy.deepcopy(model.network)
    with torch.no_grad():
        network.blocks[layer].attention.out.weight[:, head * head_dim : (head + 1) * head_dim] = 0
    logits = network(torch.tensor([tokens.ids]))[0]
    expected = F.cross_entropy(logits[:-1], torch.tensor(tokens.ids[1:]))
    assert loss(model, tokens, {(layer, head)}) == pytest.approx(expected.item(), abs=1e-4)


def test_the_cost_of_each_head_is_the_difference_of_two_losses_and_the_model_is_as_before(model, tokens):
    reports, before = [], model.run(tokens).logits
    costs = cost_of_each_head(model, tokens, lambda done, all_: reports.append((done, all_)))
    assert list(costs) == [(layer, head) for layer in range(6) for head in range(6)]
    assert reports == [(done, 36) for done in range(36)]
    for place in [(0, 0), (5, 2)]:
        assert costs[place] == pytest.approx(loss(model, tokens, [place]) - loss(model, tokens), abs=1e-5)
    assert torch.equal(model.run(tokens).logits, before)


def test_a_picture_is_asked_about_the_class_that_the_whole_model_names():
    model = load_embedded_image("vit-tiny-imagenet")
    picture = model.prepare(open_example("cat"))
    best = model.predictions(model.run(picture), top=1)[0]
    assert loss(model, picture) == pytest.approx(-torch.tensor(best.probability).log().item(), abs=1e-5)
    every = [(layer, head) for layer in range(6) for head in range(4)]
    assert loss(model, picture, every) > loss(model, picture)


@pytest.mark.parametrize("kind", ["bert", "roberta", "bert-classifier", "t5", "bart"])
def test_a_model_without_a_next_token_is_asked_about_its_own_answer(kind, tmp_path):
    model = load_text(str(save_text_model(kind, tmp_path / kind)))
    trial = prepare_trial(model, model.encode("Who listens to whom? The lazy dog."))
    assert trial.quantity == "own answer"
    logits = torch.atleast_2d(trial.run.logits)
    # No other answers could be less surprising to the whole model than its own.
    assert trial.baseline == pytest.approx(-logits.log_softmax(-1).amax(-1)[_own(trial)].mean().item(), abs=1e-5)
    assert trial.loss(trial.heads) != trial.baseline


def _own(trial) -> torch.Tensor:
    """Special tokens of a masked text are nobody's answer."""
    rows = torch.arange(len(torch.atleast_2d(trial.run.logits)))
    is_masked = trial.run.logits.ndim == 2 and "text" in trial.run.sequences
    return rows[~torch.tensor(trial.inputs.special)] if is_masked else rows


def test_an_encoder_decoder_is_asked_about_the_target_that_it_wrote_as_a_whole(tmp_path):
    model = load_text(str(save_text_model("t5", tmp_path / "t5")))
    trial = prepare_trial(model, model.encode("Who listens to whom?"))
    assert torch.allclose(trial._forward(), trial.run.logits, atol=1e-5)


def test_a_model_that_predicts_nothing_has_no_loss(tmp_path):
    model = load_text(str(save_text_model("bert-headless", tmp_path / "model")))
    with pytest.raises(ModelError, match="predicts nothing"):
        loss(model, model.encode("Who listens?"))


def test_one_token_alone_has_no_loss(model):
    with pytest.raises(InputError, match="at least 2 tokens"):
        loss(model, Tokens((5,), ("a",), (False,), (0,)))


@pytest.mark.parametrize("place", [(6, 0), (0, 6), (-1, 0)])
def test_a_head_that_is_not_there_cannot_be_silenced(model, tokens, place):
    with pytest.raises(CaptureError, match="There is no head"):
        loss(model, tokens, [place])

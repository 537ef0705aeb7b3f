import math

import pytest
import torch

from core.capture import record_attention
from core.models.attention_gan import (
    AttentionGANConfig,
    Discriminator,
    GeneratedPictures,
    Generator,
    TextReader,
    condition_divergence,
    discriminator_loss,
    generator_loss,
)
from core.models.damsm import Regions, damsm_loss, match_scores

CONFIG = AttentionGANConfig(words=9, context=6, text=8, condition=4, noise=3, width=4, judge=4)
IDS = torch.tensor([[1, 4, 5, 2, 0, 0], [1, 3, 2, 0, 0, 0], [1, 8, 7, 6, 5, 2]])


def cosine(one: torch.Tensor, other: torch.Tensor) -> float:
    return float(one @ other / (one.norm() * other.norm()))


def written_out(regions: torch.Tensor, words: torch.Tensor, sharp: tuple[float, float, float]) -> float:
    """R(Q, D) of one picture and one sentence, number by number (equations 7 to 10)."""
    count, places = len(words), len(regions)
    score = [[float(words[i] @ regions[j]) for j in range(places)] for i in range(count)]
    for j in range(places):
        total = sum(math.exp(score[i][j]) for i in range(count))
        for i in range(count):
            score[i][j] = math.exp(score[i][j]) / total
    fits = []
    for i in range(count):
        looks = [math.exp(sharp[0] * score[i][j]) for j in range(places)]
        context = sum(look / sum(looks) * regions[j] for j, look in enumerate(looks))
        fits.append(math.exp(sharp[1] * cosine(context, words[i])))
    return math.log(sum(fits)) / sharp[1]


def test_damsm_is_as_written_out_and_padding_does_not_count():
    torch.manual_seed(0)
    sharp = (4.0, 5.0, 10.0)
    with torch.no_grad():
        read = TextReader(CONFIG)(IDS)
        regions, global_features = torch.randn(3, 10, 8), torch.randn(3, 8)
        scores = match_scores(regions, read, sharp)
        loss = damsm_loss(regions, global_features, read, gamma=sharp)
    pairs = torch.zeros(3, 3)
    sentences = torch.zeros(3, 3)
    for picture in range(3):
        for text in range(3):
            words = read.words[text][IDS[text] != 0]
            pairs[picture, text] = written_out(regions[picture], words, sharp)
            sentences[picture, text] = cosine(global_features[picture], read.sentence[text])
    assert torch.allclose(scores, pairs, atol=1e-5)
    total = 0.0
    for table in (pairs, sentences):
        for rows in (table, table.t()):  # equations 11 to 13, and the same for whole sentences
            for own in range(3):
                chances = (10.0 * rows[own]).exp()
                total -= math.log(float(chances[own] / chances.sum())) / 3 / 2
    assert float(loss) == pytest.approx(total, rel=1e-4)


def test_every_place_weighs_the_words_and_no_padding():
    torch.manual_seed(0)
    generator, text = Generator(CONFIG).eval(), TextReader(CONFIG)
    with torch.no_grad(), record_attention(generator) as record:
        read = text(IDS)
        painted = generator(read, torch.randn(3, 3))
    assert [picture.shape[-1] for picture in painted.pictures] == [16, 32, 64]
    assert [(call.query_length, call.key_length) for call in record.calls] == [(16 * 16, 6), (32 * 32, 6)]
    for call in record.calls:
        weights = call.weights(0, item=1)
        assert torch.allclose(weights.sum(dim=1), torch.ones(len(weights)), atol=1e-5)
        assert float(weights[:, 3:].max()) == 0
        scores = call.query[1, 0] @ call.key[1, 0].t()
        assert torch.allclose(weights[:, :3], scores[:, :3].softmax(dim=1), atol=1e-5)


def test_a_sentence_is_read_the_same_however_far_it_is_filled_up():
    torch.manual_seed(0)
    text = TextReader(CONFIG)
    with torch.no_grad():
        long, short = text(IDS[1:2]), text(IDS[1:2, :3])
    assert torch.allclose(long.sentence, short.sentence, atol=1e-6)
    assert torch.allclose(long.words[:, :3], short.words, atol=1e-6)


def test_the_divergence_of_the_condition_is_that_of_two_gaussians():
    torch.manual_seed(0)
    mean, log_variance = torch.randn(5, 4), torch.randn(5, 4)
    divergence = condition_divergence(GeneratedPictures((), mean, log_variance))
    own = torch.distributions.Normal(mean, (log_variance / 2).exp())
    standard = torch.distributions.Normal(torch.zeros(5, 4), torch.ones(5, 4))
    assert torch.allclose(divergence, torch.distributions.kl_divergence(own, standard).mean(), atol=1e-5)


def test_a_judge_that_knows_nothing_pays_for_every_question_and_each_side_pulls_its_own_way():
    torch.manual_seed(0)
    judge = Discriminator(CONFIG, 16)
    torch.nn.init.zeros_(judge.real.weight), torch.nn.init.zeros_(judge.real.bias)
    torch.nn.init.zeros_(judge.joint[3].weight), torch.nn.init.zeros_(judge.joint[3].bias)
    true, fake, sentence = torch.rand(4, 3, 16, 16), torch.rand(4, 3, 16, 16), torch.randn(4, 8)
    with torch.no_grad():
        assert float(discriminator_loss(judge, true, fake, sentence)) == pytest.approx(4 * math.log(2), rel=1e-5)
        assert float(generator_loss(judge, fake, sentence)) == pytest.approx(2 * math.log(2), rel=1e-5)
        judge.real.bias.fill_(5.0)  # "all are real"
        assert float(generator_loss(judge, fake, sentence)) < 0.8


def test_all_weights_of_all_networks_learn():
    torch.manual_seed(0)
    text, regions, generator = TextReader(CONFIG), Regions(CONFIG), Generator(CONFIG)
    read = text(IDS)
    painted = generator(read, torch.randn(3, 3), torch.randn(3, 4))
    (
        damsm_loss(*regions(painted.pictures[-1]), read) + sum(picture.square().mean() for picture in painted.pictures)
    ).backward()
    for network in (text, regions, generator):
        # The vector of the token that fills up is never read.
        names = [name for name, weight in network.named_parameters() if weight.grad is None]
        assert names == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [({"text": 7}, "7 is odd"), ({"stages": (16, 48)}, "twice as large"), ({"stages": (12, 24)}, "8, 16")],
)
def test_sizes_that_cannot_be_are_refused(changes: dict, message: str):
    with pytest.raises(ValueError, match=message):
        AttentionGANConfig(words=9, **changes)

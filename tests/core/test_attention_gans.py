"""AttnGANs as the page asks them: what places took of words, noise that makes a picture, and words that are cut."""

import json
from dataclasses import asdict

import pytest
import torch

from core.errors import InputError, ModelError
from core.models.attention_gan import AttentionGANConfig, Generator
from core.models.damsm import Matching
from core.models.stored_weights import save_weights
from core.zoo.attention_gans import (
    ALIKE,
    ATTENTION_GANS,
    CUT,
    StagePainter,
    available,
    interpolate_noise,
    load_attention_gan,
)
from training.common.scenes import scenes_tokenizer

WORDS = scenes_tokenizer()
SIZES = AttentionGANConfig(words=WORDS.get_vocab_size(), context=12, text=8, condition=4, noise=3, width=4, judge=4)


def made() -> StagePainter:
    torch.manual_seed(0)
    network, matching = Generator(SIZES), Matching(SIZES)
    for parameter in [*network.parameters(), *matching.parameters()]:
        torch.nn.init.normal_(parameter, std=0.3)
    return StagePainter("scenes", "A small one", WORDS, network, matching.text)


def test_pictures_grow_and_every_place_shares_itself_out_over_the_words():
    painter = made()
    words = painter.encode("a red star above a blue circle")
    stages = painter.paint([words] * 2, painter.noise(0, [0, 1]))
    assert [tuple(picture.shape) for picture in stages.pictures] == [(2, 3, 16, 16), (2, 3, 32, 32), (2, 3, 64, 64)]
    assert [tuple(look.shape) for look in stages.attention] == [(2, 256, len(words)), (2, 1024, len(words))]
    for look in stages.attention:
        assert torch.allclose(look.sum(dim=-1), torch.ones(look.shape[:2]), atol=1e-5)
    assert all(0 <= float(picture.min()) <= float(picture.max()) <= 1 for picture in stages.pictures)


def test_looks_are_those_of_the_network_itself():
    painter = made()
    words = painter.encode("a red star")
    stages = painter.paint([words], painter.noise(0, [0]))
    scores = {}
    hooks = [
        painter.network.get_submodule(path).register_forward_hook(
            lambda module, args, _, path=path: scores.update(
                {path: module.to_place(args[1].words) @ args[0].flatten(2)}
            )
        )
        for path in painter.attention_paths
    ]
    painter.paint([words], painter.noise(0, [0]))
    for hook in hooks:
        hook.remove()
    for look, path in zip(stages.attention, painter.attention_paths, strict=True):
        expected = scores[path][0, : len(words)].softmax(dim=0).T
        assert torch.allclose(look[0], expected, atol=1e-5)


def test_a_picture_is_the_same_whoever_is_painted_beside_it():
    painter = made()
    one, other = painter.encode("a red star"), painter.encode("nothing is green")
    alone = painter.paint([one], painter.noise(3, [7])).pictures[-1]
    beside = painter.paint([other, one], painter.noise(3, [1, 7])).pictures[-1]
    assert torch.allclose(alone[0], beside[1], atol=1e-5)
    assert not torch.allclose(alone[0], painter.paint([one], painter.noise(4, [7])).pictures[-1][0], atol=1e-3)


def test_cut_attention_takes_nothing_and_levelled_attention_the_same_of_each_word():
    painter = made()
    words = painter.encode("a red star")
    noise = painter.noise(0, [0])
    learned, cut, alike = (painter.paint([words], noise, word_attention=looks) for looks in ("as learned", CUT, ALIKE))
    assert all(float(look.abs().sum()) == 0 for look in cut.attention)
    assert all(torch.allclose(look, torch.full_like(look, 1 / len(words))) for look in alike.attention)
    assert torch.equal(learned.pictures[0], cut.pictures[0]), "the first stage asks no words"
    assert not torch.equal(learned.pictures[1], cut.pictures[1])


def test_with_word_attention_cut_words_reach_a_picture_by_the_sentence_alone():
    painter = made()
    one, other = painter.encode("a red star"), painter.encode("a blue star")
    noise = painter.noise(0, [0])
    with torch.no_grad():
        for parameter in painter.network.augment.parameters():
            parameter.zero_()  # the sentence is not heard either
    heard = [painter.paint([words], noise).pictures[-1] for words in (one, other)]
    no_progress = [painter.paint([words], noise, word_attention=CUT).pictures[-1] for words in (one, other)]
    assert not torch.equal(*heard)
    assert torch.equal(*no_progress)


def test_the_way_between_two_noises_keeps_its_length():
    one, other = torch.tensor([1.0, 0, 0]), torch.tensor([0, 1.0, 0])
    way = interpolate_noise(one, other, 5)
    assert torch.allclose(way[0], one, atol=1e-6)
    assert torch.allclose(way[-1], other, atol=1e-6)
    assert torch.allclose(way.norm(dim=1), torch.ones(5), atol=1e-6)
    assert torch.allclose(way[2], torch.tensor([0.5**0.5, 0.5**0.5, 0]), atol=1e-6)


def test_what_it_does_not_know_gets_the_sentence_that_dalle_has():
    with pytest.raises(InputError, match="Nearest to it: “star”"):
        made().encode("a red stra")


def test_stored_weights_paint_what_the_network_painted(tmp_path):
    painter = made()
    folder = tmp_path / "attention-gan"
    folder.mkdir()
    assert available(tmp_path) == ()
    matching = Matching(SIZES)
    matching.text.load_state_dict(painter.text.state_dict())
    save_weights(painter.network, folder / "scenes.safetensors")
    save_weights(matching, folder / "scenes-matching.safetensors")
    (folder / "config.json").write_text(json.dumps({"scenes": asdict(SIZES)}))
    WORDS.save(str(folder / "scenes-tokenizer.json"))
    assert available(tmp_path) == ("scenes",)
    loaded = load_attention_gan("scenes", weights=tmp_path)
    words, noise = painter.encode("two small green squares"), painter.noise(0, [0, 1])
    one, other = (model.paint([words] * 2, noise).pictures[-1] for model in (painter, loaded))
    assert torch.allclose(one, other, atol=0.02)  # stored in half precision
    assert loaded.title == ATTENTION_GANS["scenes"]


def test_what_is_not_there_is_said(tmp_path):
    with pytest.raises(ModelError):
        load_attention_gan("scenes", weights=tmp_path)

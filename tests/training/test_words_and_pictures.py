"""What CLIP and the captioners learn from: pairs that belong together, and captions that are true."""

import gzip
import json
from io import BytesIO
from random import Random

import numpy as np
import pytest
import torch
from PIL import Image
from torch.testing import assert_close

from core.models.clip import CLIP, CLIPConfig, EncoderConfig
from core.models.vilbert import JointConfig
from core.results.joint_results import COUNT_SUFFIX
from core.scenes.draw import draw
from core.scenes.sentences import parse
from core.scenes.telling import HELD_RELATIONS, is_held_out
from core.scenes.things import HELD_PAIRS
from core.scenes.truth import is_true
from training.captioning import data as captions
from training.captioning import gates as captioning_gates
from training.captioning import report as captioning_report
from training.captioning import train as captioning
from training.captioning.cards import gates_in_words
from training.captioning.data import flickr_batches, flickr_tokenizer, read_flickr, scene_batches, words_of
from training.clip import retrieval
from training.clip import train as clip
from training.clip.data import emoji_pairs, scene_pairs
from training.common.emoji import Emoji
from training.common.loop import Plan
from training.common.scenes import normalise, scene_with_sentence, scenes_tokenizer
from training.common.word_tokens import ids_of, words_tokenizer
from training.vilbert import report as vilbert_report
from training.vilbert import train as vilbert


@pytest.mark.parametrize("split", ["train", "test", "pairs", "relations", "four"])
def test_scenes_are_told_truly_and_as_their_split_says(split):
    for number in range(20):
        scene, sentence = scene_with_sentence(split, number)
        assert is_true(sentence, scene)
        assert split != "relations" or is_held_out(sentence)
        assert split != "train" or not is_held_out(sentence)
        held = any((thing.colour, thing.shape) in HELD_PAIRS for thing in scene.things)
        assert held == (split == "pairs") or split == "four"


def test_a_batch_of_scenes_says_which_other_sentences_are_true():
    tokenizer = scenes_tokenizer()
    pairs = scene_pairs(tokenizer, 24, 8)(3)
    again = scene_pairs(tokenizer, 24, 8)(3)
    assert_close(pairs.pixels, again.pixels)
    assert torch.equal(pairs.ids, again.ids)
    for column, ids in enumerate(pairs.ids.tolist()):
        text = tokenizer.decode(ids)
        scenes = [scene_with_sentence("train", 24 + row)[0] for row in range(8)]
        assert pairs.also_true[:, column].tolist() == [is_true(parse(text), scene) for scene in scenes]
    assert pairs.also_true.diagonal().all()
    assert_close(pairs.pixels[2], normalise([draw(scene_with_sentence("train", 26)[0])])[0])


def test_texts_end_with_their_end_token_even_where_they_are_cut():
    tokenizer = words_tokenizer(["a", "b"])
    assert ids_of(tokenizer, ["a b", "b x"], 9).tolist() == [[1, 4, 5, 2], [1, 5, 3, 2]]
    assert ids_of(tokenizer, ["a b a b", "b"], 4).tolist() == [[1, 4, 5, 2], [1, 5, 2, 0]]


def test_emoji_that_share_a_text_are_not_told_apart():
    made = [Emoji("x", np.full((8, 8, 3), 9 * number, np.uint8), ("happy",)) for number in range(4)]
    pairs = emoji_pairs(made, words_tokenizer(["happy"]), 8, 4, seed=0)(0)
    assert pairs.also_true.all()


def test_photographs_of_another_size_are_scaled_and_lie_beside_their_captions(tmp_path):
    folder, colours, jpeg = tmp_path / "flickr8k", [(200, 30, 30), (30, 30, 200)], []
    folder.mkdir()
    for colour in colours:
        file = BytesIO()
        Image.new("RGB", (192, 192), colour).save(file, "JPEG")
        jpeg.append(np.frombuffer(file.getvalue(), np.uint8))
    offsets = np.cumsum([0, *map(len, jpeg)])
    np.savez(folder / "flickr8k_192.npz", test_jpeg=np.concatenate(jpeg), test_offsets=offsets)
    with gzip.open(folder / "captions.json.gz", "wt", encoding="utf-8") as text:
        json.dump({"test": [{"captions": ["A red wall ."]}, {"captions": ["Blue"]}]}, text)
    photographs = read_flickr(tmp_path, "test", tmp_path / "cache")
    assert photographs.pictures.shape == (2, 3, 128, 128)
    assert np.abs(photographs.pictures.mean(axis=(2, 3)) - colours).max() < 4  # JPEG is near, not exact
    assert photographs.captions == [[["a", "red", "wall"]], [["blue"]]]


def test_captions_are_words_without_points_and_rare_ones_are_unknown():
    assert words_of("A boy 's dog , in 2 hats .") == ["a", "boy", "'s", "dog", "in", "2", "hats"]
    captions = [[["a", "dog"]] * 5, [["a", "cat"]] * 4]
    tokenizer = flickr_tokenizer(captions)
    assert tokenizer.encode("a dog cat").ids == [1, 4, 5, 3, 2]


def test_what_follows_is_the_caption_one_word_on():
    tokenizer = words_tokenizer(["a", "dog", "cat"])
    captions = [[["a", "dog"]], [["a", "cat"]]]
    places = [np.zeros((2, 9, 4), np.float16), np.ones((2, 9, 4), np.float16)]
    batch = flickr_batches(places, captions, tokenizer, 2, seed=0)(0)
    assert torch.equal(batch.words[:, 1:], batch.following[:, :-1])
    assert sorted(map(tuple, batch.following.tolist())) == [(4, 5, 2), (4, 6, 2)]
    assert batch.inputs.shape == (2, 9, 4)
    scene = scene_batches(scenes_tokenizer(), 4)(0)
    assert scene.inputs.shape == (4, 3, 64, 64)


@pytest.mark.parametrize("name", ["scenes-lstm", "scenes-transformer"])
def test_a_captioner_of_scenes_learns_from_what_it_is_given(name, tmp_path, monkeypatch):
    plan = Plan(steps=3, learning_rate=1e-3, warm_up=1, log_every=1, save_every=3)
    monkeypatch.setattr(captioning, "SCENES", plan)
    setup = captioning.scenes(tmp_path, tmp_path)
    network = captioning.make_network(name, setup)
    before = {key: value.clone() for key, value in network.state_dict().items()}
    captioning.learn(network, setup, tmp_path)
    assert all(not torch.equal(value, before[key]) for key, value in network.state_dict().items() if "num" not in key)


def test_clip_learns_from_pairs(tmp_path):
    tokenizer = scenes_tokenizer()
    sizes = CLIPConfig(EncoderConfig(16, 1, 2), EncoderConfig(16, 1, 2), vocabulary=tokenizer.get_vocab_size(), space=8)
    plan = Plan(steps=3, learning_rate=1e-3, warm_up=1, log_every=1, save_every=3)
    torch.manual_seed(0)
    network = CLIP(sizes)
    before = {key: value.clone() for key, value in network.state_dict().items()}
    clip.learn(network, clip.Variant(sizes, tokenizer, scene_pairs(tokenizer, 24, 4), plan), tmp_path)
    assert all(not torch.equal(value, before[key]) for key, value in network.state_dict().items())


def test_a_quarter_of_the_sentences_is_false_and_none_of_their_words_is_asked(monkeypatch):
    tokenizer = vilbert.joint_tokenizer()
    batch = vilbert.batches(tokenizer, 128)(2)
    monkeypatch.setattr(vilbert, "CONTENT", 0.0)
    monkeypatch.setattr(vilbert, "OTHERS", 0.0)
    unmasked = vilbert.batches(tokenizer, 128)(2)
    assert torch.equal(unmasked.match, batch.match)
    hidden = batch.ids == tokenizer.token_to_id(vilbert.MASK)
    true = batch.match > 0
    content = torch.zeros_like(hidden)
    for place in range(128):
        scene, true_sentence = scene_with_sentence("train", 256 + place)
        sentence = parse(tokenizer.decode(unmasked.ids[place].tolist()))
        assert is_true(sentence, scene) == bool(true[place])
        assert place % 4 == 0 or sentence == true_sentence
        content[place, 1 : 1 + len(sentence.words)] = torch.tensor([bool(word.kind) for word in sentence.words])
    assert torch.equal(batch.ids[~hidden], unmasked.ids[~hidden])
    assert torch.equal(batch.targets[hidden & true[:, None]], unmasked.ids[hidden & true[:, None]])
    assert (batch.targets[~(hidden & true[:, None])] == vilbert.IGNORED).all()
    # A gap tells nothing of whether a sentence is true.
    gaps = [float(hidden[rows][content[rows]].float().mean()) for rows in (true, ~true)]
    assert gaps == pytest.approx([0.5, 0.5], abs=0.1)
    assert 96 <= batch.match.sum() < 112
    assert batch.hidden.float().mean() == pytest.approx(vilbert.PATCHES, abs=0.05)


@pytest.mark.parametrize("name", vilbert.NETWORKS)
def test_both_joint_networks_learn_all_three_tasks(name, tmp_path):
    tokenizer = vilbert.joint_tokenizer()
    torch.manual_seed(0)
    sizes = JointConfig(vocabulary=tokenizer.get_vocab_size(), width=16, heads=2, alone=1, joint=1)
    network = vilbert.NETWORKS[name](sizes)
    before = {key: value.clone() for key, value in network.state_dict().items()}
    plan = Plan(steps=3, learning_rate=1e-3, warm_up=1, log_every=1, save_every=3)
    vilbert.learn(network, vilbert.batches(tokenizer, 8), plan, tmp_path)
    assert all(not torch.equal(value, before[key]) for key, value in network.state_dict().items())


def test_a_lie_of_training_says_nothing_that_is_held_out():
    dice, lies = Random(0), []
    for number in range(300):
        scene, sentence = scene_with_sentence("train", number)
        lies += [other for other in vilbert.changed_sentences(sentence, dice) if not is_true(other, scene)]
    fair = [lie for lie in lies if vilbert.is_fair(lie)]
    assert 0 < len(fair) < len(lies)
    for lie in fair:
        statement = parse(lie.text)
        assert (
            statement.other is None
            or (statement.relation, statement.group.shape, statement.other.shape) not in HELD_RELATIONS
        )
        assert not any(f"{colour} {shape}" in lie.text for colour, shape in HELD_PAIRS)


REFERENCES = [
    ["a dog runs on the grass", "a brown dog runs", "a dog is running", "the dog runs", "a running dog"],
    [
        "two men play football",
        "men playing a game of football",
        "a football game",
        "two players",
        "people play football",
    ],
]


def test_a_reference_itself_is_a_perfect_caption_and_other_words_are_none():
    perfect = captioning_report.scores([REFERENCES[0][0], REFERENCES[1][1]], REFERENCES)
    assert [perfect[f"BLEU-{order}"] for order in range(1, 5)] == [pytest.approx(100.0)] * 4
    wrong = captioning_report.scores(["red blue", "green"], REFERENCES)
    assert wrong["BLEU-1"] < 1e-3
    assert wrong["CIDEr"] == 0.0 < perfect["CIDEr"]


def test_bleu_counts_words_as_often_as_a_reference_has_them():
    scores = captioning_report.scores(["a dog dog dog runs on", "two men play football"], REFERENCES)
    # 4 of 6 words of the first, all 4 of the second; lengths 6 and 4 equal those of the nearest references
    assert scores["BLEU-1"] == pytest.approx(100 * 8 / 10)
    # "a dog", "dog runs" and "runs on" of five; all three
    assert scores["BLEU-2"] == pytest.approx(100 * (8 / 10 * 6 / 8) ** 0.5, abs=0.01)


def test_captions_of_scenes_are_judged_by_the_grammar(tmp_path, monkeypatch):
    setup = captioning.scenes(tmp_path, tmp_path)
    torch.manual_seed(0)
    network = captioning.make_network("scenes-lstm", setup).eval()
    monkeypatch.setattr(captioning_report, "SCENES", 4)
    monkeypatch.setattr(
        captioning_report, "write_captions", lambda *_: ["a thing", "no no", "nothing is red", "four things"]
    )
    shares = captioning_report.scenes(network, setup)
    for split in ("test", "four"):
        scenes = [scene_with_sentence(split, number)[0] for number in range(4)]
        red = any(thing.colour == "red" for thing in scenes[2].things)
        true = [True, False, not red, len(scenes[3].things) == 4]
        assert shares[split]["true"] == sum(true) / 4
        assert shares[split]["sentences"] == 0.75
        assert shares[split]["negation"] == float(not red)


def test_every_word_of_content_is_hidden_once_and_a_network_that_sees_no_picture_gets_none(monkeypatch):
    monkeypatch.setattr(vilbert_report, "SCENES", 6)
    tokenizer = vilbert.joint_tokenizer()
    torch.manual_seed(0)
    sizes = JointConfig(vocabulary=tokenizer.get_vocab_size(), width=16, heads=2, alone=1, joint=1)
    network = vilbert.NETWORKS["two-streams"](sizes).eval()
    examples = [scene_with_sentence("test", number) for number in range(6)]
    gaps = vilbert_report.masked_words(examples)
    assert len(gaps) == sum(bool(word.kind) for _, sentence in examples for word in sentence.words)
    for gap in gaps:
        word = gap.sentence.words[gap.place].text
        assert gap.text.replace(vilbert.MASK, word) == gap.sentence.text
    accuracies = vilbert_report.measure(network, tokenizer, "test")
    assert set(accuracies) == {*vilbert_report.PICTURE_CONDITIONS, "match"}
    for part in accuracies.values():
        kinds = [kind for kind in part if not kind.endswith(COUNT_SUFFIX)]
        assert all(0 <= part[kind] <= 1 for kind in kinds)
        assert all(
            part[kind] * part[kind + COUNT_SUFFIX]
            == pytest.approx(round(part[kind] * part[kind + COUNT_SUFFIX]), abs=0.01)
            for kind in kinds
        )
    assert accuracies["no picture"]["all" + COUNT_SUFFIX] == len(gaps)
    inputs = []
    monkeypatch.setattr(
        vilbert.NETWORKS["two-streams"], "forward", lambda _, pixels, *__: inputs.append(pixels) or 1 / 0
    )
    with pytest.raises(ZeroDivisionError):
        vilbert_report.word_accuracy(network, tokenizer, gaps, "no picture")
    assert not inputs[0].any()


def test_the_share_over_all_kinds_counts_each_pair_of_sentences_once():
    shares = {"colour": 0.5, "shape": 1.0, "colour" + COUNT_SUFFIX: 30, "shape" + COUNT_SUFFIX: 10}
    assert vilbert_report.over_all_kinds(shares) == pytest.approx(25 / 40)


def test_gates_are_summed_up_over_all_words_and_over_small_ones():
    summary = captioning_gates.summary({"a": [1.0, 0.9], "of": [0.4], "dog": [0.9]}, 3)
    assert summary["photographs"] == 3
    assert summary["less than half open"] == 1
    assert summary["open"]["all words"] == {"mean": 0.8, "words": 4}
    assert summary["open"]["a"] == {"mean": 0.95, "words": 2}
    assert "of" not in captioning_gates.summary({"a": [1.0]}, 1)["open"]
    assert '95.0% for "a", 40.0% for "of"' in gates_in_words(summary).replace("\n", " ")
    assert "not measured" in gates_in_words(None)


def test_recall_over_all_captions_is_the_mean_over_them_among_as_many_pictures():
    rng = torch.Generator().manual_seed(0)
    by_caption = [torch.randn(20, 20, generator=rng) + torch.eye(20) for _ in range(5)]
    together = retrieval.retrieval_of_all(by_caption)
    alone = [retrieval.retrieval(similarities) for similarities in by_caption]
    for rank in (1, 5, 10):
        mean = np.mean([scores[f"R@{rank}"] for scores in alone])
        assert together[f"R@{rank}"] == pytest.approx(mean, abs=1e-4)
    assert together["of"] == alone[0]["of"] == 20
    order = by_caption[0][3].argsort(descending=True).tolist()
    assert int(retrieval.ranks_of(by_caption[0])[3]) == 1 + order.index(3)


def test_a_picture_of_a_thing_is_told_by_the_first_of_its_names_in_known_words():
    known = {"tabby", "cat", "an", "orange", "sunglasses", "german", "shepherd"}
    assert captions.caption_of_class("tabby, tabby cat", known) == "a tabby"
    assert captions.caption_of_class("Egyptian cat", known) == "a cat"
    assert captions.caption_of_class("German shepherd, alsatian", known) == "a german shepherd"
    assert captions.caption_of_class("orange", known) == "an orange"
    assert captions.caption_of_class("sunglasses, dark glasses, shades", known) == "sunglasses"
    assert captions.caption_of_class("trilobite", known) == ""


def test_pictures_of_things_are_a_sixth_of_a_batch_from_their_step_on():
    tokenizer = words_tokenizer(["a", "dog", "cat"])
    photographs = [np.zeros((12, 9, 4), np.float16)]
    labelled = captions.LabelledPlaces(np.ones((3, 9, 4), np.float16), np.array([0, 1, 0]), ("cat", "trilobite"))
    named = captions.named_pictures(labelled, tokenizer)
    assert named.captions == ["a cat", "a cat"]
    batch = flickr_batches(photographs, [[["a", "dog"]]] * 12, tokenizer, 12, seed=0, named=named, first_named=5)
    assert not batch(4).inputs.any()
    texts = [tokenizer.decode(row.tolist()) for row in batch(5).words]
    is_named = batch(5).inputs.flatten(1).all(dim=1)
    assert is_named.sum() == 2
    assert [("cat" in text) for text in texts] == is_named.tolist()

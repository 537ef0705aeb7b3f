"""Drawing code by code: drawn as often as the network says, the same with any company, and who was looked at."""

from itertools import product
from random import Random

import numpy as np
import pytest
import torch
from PIL import Image
from scipy.stats import chisquare

from core.capture import record_attention
from core.errors import InputError
from core.generation import rules
from core.images import Patches
from core.models.clip import CLIP, CLIPConfig, EncoderConfig
from core.models.dalle import DALLE, MASKS, DALLEConfig
from core.models.dalle_sampling import draw_codes, sample_codes, sampling_probabilities, uniform_numbers
from core.models.discrete_vae import DiscreteVAE, DiscreteVAEConfig
from core.models.stored_weights import save_weights
from core.scenes.draw import draw
from core.scenes.sentences import RELATIONS, parse
from core.scenes.statements import statements
from core.scenes.telling import exchange_word, sentence_about
from core.scenes.things import Scene, Thing, scene_at
from core.scenes.truth import holds, is_true
from core.zoo.clips import PictureText
from core.zoo.dalles import FILLING, PictureCoder, PictureDrawer, agreement, load_dalle, load_scene_reader
from core.zoo.dalles import available as offered_in
from core.zoo.image_models import Framing
from core.zoo.sentence_readers import nearest_words
from training.common.scenes import scenes_tokenizer
from training.common.word_tokens import words_tokenizer
from training.dalle.report import config_of_all

CODES = DiscreteVAEConfig(side=16, grid=4, codes=7, code_width=6, width=8, blocks=1)
WORDS = scenes_tokenizer()
SIZES = DALLEConfig(words=WORDS.get_vocab_size(), context=12, codes=7, grid=4, width=16, heads=2, masks=MASKS, kernel=3)


def made(name: str = "scenes", tokenizer=WORDS) -> PictureDrawer:
    torch.manual_seed(0)
    network, coder = DALLE(SIZES), DiscreteVAE(CODES)
    for parameter in network.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    return PictureDrawer(name, "A small one", tokenizer, network, PictureCoder("scenes", "codes", coder))


# Sampling.


@pytest.mark.parametrize(("temperature", "top_k"), [(1.0, 0), (0.5, 0), (2.0, 3)])
def test_codes_are_drawn_as_often_as_the_softmax_says(temperature: float, top_k: int):
    torch.manual_seed(1)
    logits, count = torch.randn(7), 20_000
    chosen = sample_codes(
        logits.expand(count, -1), uniform_numbers(0, [0], count)[0], temperature=temperature, top_k=top_k
    )
    expected = (logits / temperature).exp()
    if top_k:
        expected[expected < expected.sort(descending=True).values[top_k - 1]] = 0
    shares = (expected / expected.sum()).double().numpy()
    counts = np.bincount(chosen.numpy(), minlength=7)
    possible = shares > 0
    assert (counts[~possible] == 0).all()
    assert chisquare(counts[possible], count * shares[possible] / shares[possible].sum()).pvalue > 0.01


def test_many_at_once_are_drawn_as_one_by_one():
    torch.manual_seed(2)
    logits, numbers = torch.randn(40, 7), torch.rand(40)
    codes = sample_codes(logits, numbers, temperature=0.7, top_k=4).tolist()
    one_by_one = [
        rules.draw(rules.apply(rules.Rules(temperature=0.7, top_k=4), row, []).probabilities, float(number))
        for row, number in zip(logits, numbers, strict=True)
    ]
    assert codes == one_by_one


def test_without_warmth_the_most_probable_code_is_taken():
    logits = torch.tensor([[0.0, 3.0, 2.0]])
    assert sampling_probabilities(logits, temperature=0.0).tolist() == [[0, 1, 0]]
    assert sample_codes(logits, torch.tensor([0.999]), temperature=0.0).tolist() == [1]


def test_a_drawing_agrees_with_one_full_pass_at_each_place():
    drawer = made()
    words = drawer.encode("a red star above a blue circle")
    *_, codes = drawer.draw(words, range(3), seed=5, temperature=0.8)
    expected = drawer.network(drawer.padded_ids(words).expand(3, -1), codes[:, :-1]).codes
    dice = uniform_numbers(5, range(3), 16)
    for place in range(16):
        assert torch.equal(sample_codes(expected[:, place], dice[:, place], temperature=0.8), codes[:, place])


def test_a_picture_is_the_same_whoever_is_drawn_beside_it_and_comes_row_by_row():
    drawer = made()
    words = drawer.encode("a red star")
    rows = list(drawer.draw(words, range(4), seed=3))
    assert [row.shape for row in rows] == [(4, 4), (4, 8), (4, 12), (4, 16)]
    assert torch.equal(rows[-1][:, :8], rows[1])
    *_, alone = drawer.draw(words, [2], seed=3)
    assert torch.equal(alone[0], rows[-1][2])
    assert len({tuple(row.tolist()) for row in rows[-1]}) == 4
    *_, other = drawer.draw(words, range(1), seed=4)
    assert not torch.equal(other, alone)


def test_what_is_given_stays_and_the_rest_follows_from_it():
    drawer = made()
    words = drawer.encode("a red star")
    *_, codes = drawer.draw(words, range(1), seed=3)
    *_, same = drawer.draw(words, range(1), seed=3, first_codes=codes[0, :6])
    assert torch.equal(same, codes)  # the same dice
    begun = codes[0, :6].clone()
    begun[5] = (begun[5] + 1) % 7
    rows = list(drawer.draw(words, range(2), seed=3, first_codes=begun))
    assert [row.shape[1] for row in rows] == [8, 12, 16]
    assert torch.equal(rows[-1][:, :6], begun.expand(2, -1))
    assert list(draw_codes(drawer.network, drawer.padded_ids(words)[None], codes, uniform_numbers(0, [0], 16))) == []


def test_probabilities_at_a_place_are_those_after_the_codes_before_it():
    drawer = made()
    words = drawer.encode("a red star")
    *_, codes = drawer.draw(words, range(1))
    probabilities = drawer.network(drawer.padded_ids(words)[None], codes[:, :-1]).codes[0].softmax(dim=-1)
    for place in (0, 7, 15):
        torch.testing.assert_close(drawer.code_probabilities(words, codes[0], place), probabilities[place])


# Looks.


def test_the_look_of_a_part_is_the_row_of_the_token_before_it():
    drawer = made()
    words = drawer.encode("a red star")
    *_, codes = drawer.draw(words, range(1))
    with record_attention(drawer.network) as record:
        drawer.network(drawer.padded_ids(words)[None], codes[:, :-1])
    looks = drawer.attention(words, codes[0])
    assert [look.mask for look in looks] == list(MASKS)
    for look, call in zip(looks, record.calls, strict=True):
        for head, place in product(range(2), range(16)):
            row = call.weights(head)[SIZES.context + place - 1]
            torch.testing.assert_close(look.words[head, place, : len(words)], row[: len(words)])
            torch.testing.assert_close(look.words[head, place, -1], row[len(words) : SIZES.context].sum())
            torch.testing.assert_close(look.codes[head, place, :15], row[SIZES.context :])
        assert look.words.shape == (2, 16, len(words) + 1)
        assert not look.codes.triu().any(), "no part reads itself or what comes later"
        assert float((look.words.sum(-1) + look.codes.sum(-1) - 1).abs().max()) < 1e-5
    assert FILLING not in words.labels


def test_the_first_part_reads_words_alone():
    drawer = made()
    words = drawer.encode("a red star")
    *_, codes = drawer.draw(words, range(1))
    for look in drawer.attention(words, codes[0]):
        torch.testing.assert_close(look.words[:, 0].sum(dim=-1), torch.ones(2))


# Words.


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no sentence here yet"),
        ("... !", "no sentence here yet"),
        ("a red unicorn", "“unicorn” is not a word of this drawn world. It knows red, orange"),
        ("a red stra", "Nearest to it: “star”, “stars”"),
        ("star red a", "That is not a sentence of this drawn world"),
        ("a " * 11, "11 words; this network reads at most 10"),
    ],
)
def test_what_is_no_sentence_of_the_drawn_world_gets_one_that_says_why(text: str, says: str):
    with pytest.raises(InputError, match=says.replace(".", r"\.")):
        made().encode(text)


def test_an_article_and_a_full_stop_are_understood():
    drawer = made()
    assert drawer.encode("An Orange ring.").ids == drawer.encode("a orange ring").ids


def test_a_world_of_any_words_takes_them_in_any_order():
    drawer = made("emoji", words_tokenizer(["cat", "face", "grinning"]))
    assert drawer.encode("Face, cat!").ids == (1, 5, 4, 2)
    with pytest.raises(InputError, match=r"“grining” is none of the 3 words .* Nearest to it: “grinning”"):
        drawer.encode("grining cat")
    signed = made("emoji", words_tokenizer(["man:", "type)", "man", "o’clock", "“free", "#"]))
    assert signed.words == ("#", "free", "man", "o’clock", "type")
    labels = signed.encode("man type o'clock FREE").labels
    assert [label.strip() for label in labels[1:-1]] == ["man", "type)", "o’clock", "“free"]
    assert nearest_words("xylophone", ("cat", "face")) == []


# Pictures.


def test_a_scene_reaches_the_codes_untouched_and_each_code_is_painted_among_its_like():
    coder = PictureCoder("scenes", "codes", DiscreteVAE(DiscreteVAEConfig(width=8, blocks=1)))
    picture = draw(scene_at("test", 1))
    prepared = coder.prepare(Image.fromarray(picture))
    assert torch.equal((prepared.pixels[0].permute(1, 2, 0) * 255).round().to(torch.uint8), torch.from_numpy(picture))
    assert prepared.patches == Patches(16, 16)
    codes = coder.codes(prepared.pixels)
    assert codes.shape == (1, 256)
    assert coder.paint(codes[:, :32]).shape == (1, 3, 8, 64)
    patches = coder.patches()
    assert patches.shape == (512, 3, 4, 4)
    even = coder.paint(torch.full((1, 256), 9))
    torch.testing.assert_close(patches[9], even[0, :, 32:36, 32:36])


def test_agreement_is_the_cosine_of_clip():
    torch.manual_seed(0)
    encoder = EncoderConfig(width=16, layers=1, heads=2)
    network = CLIP(
        CLIPConfig(picture=encoder, text=encoder, side=16, patch=8, vocabulary=WORDS.get_vocab_size(), context=12)
    )
    framing = Framing((3, 16, 16), (0.5,) * 3, (0.25,) * 3)
    clip = PictureText("scenes", "CLIP", network, scenes_tokenizer(), framing)
    picture = np.random.default_rng(0).integers(0, 256, (16, 16, 3), dtype=np.uint8)
    pixels = torch.from_numpy(picture).permute(2, 0, 1)[None].float() / 255
    similarity = agreement(clip, "a red star", pixels)
    own = clip.pictures(clip.prepare(Image.fromarray(picture)).pixels)
    torch.testing.assert_close(similarity, (own * clip.texts(["a red star"])).sum(dim=-1))


# Statements.


def test_all_statements_hold_where_a_sentence_is_true_and_not_where_it_is_not():
    dice = Random(0)
    cases = 0
    for number in range(120):
        scene = scene_at(("test", "four")[number % 2], number)
        sentence = sentence_about(scene, dice, held_out=None)
        if sentence is None:
            continue
        for kind in ("colour", "shape", "size", "texture", "number", "relation", "order", ""):
            variant = exchange_word(sentence, kind, dice) if kind else sentence
            if variant is None or not any(word.kind for word in variant.words):
                continue
            verdicts = statements(variant, scene)
            assert len(verdicts) == len(variant.words)
            assert all(verdict is not False for verdict in verdicts) == is_true(variant, scene), variant.text
            cases += 1
    assert cases > 240


def test_statements_are_the_best_choice_of_things_by_hand():
    def thing(shape: str, colour: str, row: int, column: int) -> Thing:
        return Thing(shape, colour, "small", "plain", row, column)

    swapped = Scene((thing("star", "blue", 10, 30), thing("circle", "red", 50, 30)))
    article, *both = statements(parse("a red star"), swapped)
    assert article is None
    assert both.count(True) == 1
    # Two things, four words: one word of each group holds, and the star is above the circle.
    words = parse("a red star above a blue circle")
    held = [verdict for verdict in statements(words, swapped) if verdict is not None]
    assert held.count(True) == 3
    alone = Scene((thing("circle", "blue", 50, 30),))
    verdicts = statements(words, alone)
    assert verdicts == (None, False, False, False, None, True, True)
    assert statements(parse("two blue circles"), alone) == (False, True, True)
    assert statements(parse("nothing is blue"), alone) == (False, None, None)
    assert statements(parse("there is no star"), alone) == (None, None, True, None)
    assert statements(parse("the largest thing is blue"), alone) == (None, False, None, None, True)
    assert statements(words, Scene(())) == (None, False, False, False, None, False, False)


@pytest.mark.parametrize("relation", RELATIONS)
def test_a_relation_is_that_of_the_things_that_are_meant(relation: str):
    sentence = parse(f"a star {relation} a circle")
    place = next(number for number, word in enumerate(sentence.words) if word.kind == "relation")
    for row, column in product((10, 30, 50), repeat=2):
        if (row, column) == (30, 30):
            continue
        scene = Scene(
            (Thing("star", "red", "small", "plain", row, column), Thing("ring", "red", "small", "plain", 30, 30))
        )
        assert statements(sentence, scene)[place] == holds(relation, *scene.things)


# Files.


def test_what_was_saved_is_loaded_and_what_is_missing_is_not_offered(tmp_path):
    assert offered_in(tmp_path) == ()
    assert load_scene_reader(tmp_path) is None
    folder = tmp_path / "dalle"
    drawer = made()
    save_weights(drawer.network, folder / "scenes.safetensors")
    save_weights(drawer.coder.network, folder / "scenes-codes.safetensors")
    drawer.tokenizer.save(str(folder / "scenes-tokenizer.json"))
    config_of_all({"scenes": SIZES, "scenes-codes": CODES}, folder)
    assert offered_in(tmp_path) == ("scenes",)
    loaded = load_dalle("scenes", weights=tmp_path)
    words = loaded.encode("a red star")
    assert loaded.network.config == SIZES
    for row in loaded.draw(words, range(2)):
        assert row.max() < 7

"""Maps of words by every way: against what the networks give themselves, and against covering by hand."""

import pytest
import torch
from PIL import Image
from torch.testing import assert_close

from core.attribution.word_maps import (
    captioner_maps,
    clip_maps,
    cover_each_patch,
    cover_squares,
    joint_maps,
    squares_of_patches,
    text_relevance,
)
from core.capture import record_attention
from core.errors import InputError
from core.models.captioner import Captioner
from core.models.clip import CLIP, CLIPConfig, EncoderConfig
from core.models.plain_convolution import small_body
from core.models.vilbert import JointConfig, SingleStream, ViLBERT
from core.scenes.draw import draw
from core.scenes.things import scene_at
from core.translation.decoding import BEGIN, END
from core.zoo.captioners import PictureWriter, make_decoder
from core.zoo.clips import PictureText
from core.zoo.image_models import Framing
from core.zoo.joint import JointReader
from training.common.scenes import scenes_tokenizer
from training.vilbert.train import joint_tokenizer

FRAMING = Framing((3, 64, 64), (0.5,) * 3, (0.25,) * 3)
PICTURE = Image.fromarray(draw(scene_at("test", 3)))
TEXT = "a red star above a blue circle"


def captioner(kind):
    torch.manual_seed(3)
    tokenizer = scenes_tokenizer()
    sizes = {"vocabulary": tokenizer.get_vocab_size(), "place_width": 128, "width": 32}
    own = {"state": 48, "attention": 32} if kind == "lstm" else {"layers": 2, "heads": 2}
    network = Captioner(small_body(), make_decoder(sizes | own))
    return PictureWriter(f"scenes-{kind}", "A captioner", network, tokenizer, FRAMING)


@pytest.mark.parametrize("kind", ["lstm", "transformer"])
def test_maps_of_a_given_caption_are_those_of_writing_it_step_by_step(kind):
    model = captioner(kind)
    pixels, words = model.prepare(PICTURE).pixels, model.encode(TEXT)
    looked = model.look(pixels, words)
    assert len(looked.maps) == (1 if kind == "lstm" else 2)
    state, chosen, rows, gates = model.network.read(pixels), [], [], []
    for before, word in zip((BEGIN, *words.ids[:-1]), words.ids, strict=True):
        logits, state = model.network.step(torch.tensor([before]), state)
        chosen.append(float(logits[0].log_softmax(dim=-1)[word]))
        if kind == "lstm":
            rows.append(state["weights"][0])
            gates.append(float(state["gate"][0]))
    assert looked.log_probabilities == pytest.approx(chosen, abs=1e-5)
    for layer in looked.maps:
        assert_close(layer.sum(dim=-1), torch.ones(layer.shape[:2]))
    if kind == "lstm":
        assert_close(looked.maps[0][0], torch.stack(rows))
        assert looked.gates == pytest.approx(gates, abs=1e-6)
    else:  # a decoder that has read less looks the same for the words before
        short = model.look(pixels, model.tokens(words.ids[:3]))
        assert_close(short.maps[1], looked.maps[1][:, :3])


@pytest.mark.parametrize("kind", ["lstm", "transformer"])
def test_a_caption_goes_on_after_given_words_as_it_would_by_itself(kind):
    model = captioner(kind)
    pixels = model.prepare(PICTURE).pixels
    tokens = model.write(pixels, beam=1).best.tokens
    assert model.write(pixels, beam=1, begin=tokens[:2]).best.tokens == tokens[2:]
    chances = model.next_words(pixels, tokens[:2])
    chances[[0, BEGIN]] = 0
    assert int(chances.argmax()) == tokens[2]


@pytest.mark.parametrize("kind", ["lstm", "transformer"])
def test_occlusion_is_what_covering_by_hand_costs_each_word(kind):
    model = captioner(kind)
    pixels, words = model.prepare(PICTURE).pixels, model.encode(TEXT)
    maps = captioner_maps(model, pixels, words)
    before = torch.tensor(model.look(pixels, words).log_probabilities)
    assert ("relevance" in maps) == (kind == "transformer")
    assert_close(maps["attention"].sum(dim=-1), torch.ones(len(words)))
    assert (maps["gradient"] >= 0).all()
    changed = pixels.clone()
    changed[0, :, 8:16, 24:32] = pixels[0].flatten(1).median(dim=1).values[:, None, None]
    after = torch.tensor(model.look(changed, words).log_probabilities)
    assert_close(maps["occlusion"][:, 8 + 3], before - after, atol=1e-4, rtol=1e-3)


def test_gradients_of_an_lstm_say_how_its_words_change_with_their_weights():
    model = captioner("lstm")
    pixels, words = model.prepare(PICTURE).pixels, model.encode(TEXT)
    maps = captioner_maps(model, pixels, words, occlude=False)
    network, decoder = model.network, model.network.decoder
    state = network.read(pixels)
    _, state = network.step(torch.tensor([BEGIN]), state)
    # The step for the second word, with its weights as a leaf.
    weights = decoder.attention.scores(state["state"], state["keys"]).softmax(dim=-1).detach().requires_grad_()
    word = decoder.embedding(torch.tensor([words.ids[0]]))
    context = torch.sigmoid(decoder.gate(state["state"])) * (weights[:, None] @ state["places"])[:, 0]
    hidden, _ = decoder.decoder(torch.cat([word, context], dim=-1), (state["state"], state["memory"]))
    logits = decoder.out(word + decoder.from_state(hidden) + decoder.from_seen(context))
    logits[0].log_softmax(dim=-1)[words.ids[1]].backward()
    assert_close(maps["gradient"][1], (weights.grad * weights).clamp(min=0)[0].detach(), atol=1e-7, rtol=1e-3)


def clip():
    torch.manual_seed(5)
    tokenizer = scenes_tokenizer()
    sizes = EncoderConfig(32, 2, 2)
    config = CLIPConfig(sizes, sizes, vocabulary=tokenizer.get_vocab_size(), context=24, space=16, convolved=True)
    return PictureText("scenes", "A CLIP", CLIP(config), tokenizer, FRAMING)


def test_a_clip_scores_a_word_by_what_it_adds_and_looks_alike_for_all_words():
    model = clip()
    pixels = model.prepare(PICTURE).pixels
    maps = clip_maps(model, pixels, TEXT, [["a blue star above a blue circle"], ["a red star", "a ring"]])
    for way in ("attention", "rollout"):
        assert_close(maps[way][0], maps[way][1])
    several = torch.cat([pixels, cover_each_patch(pixels, model.grid)])
    picture_vectors = model.pictures(several)
    full_text, first, second, third = model.texts([TEXT, "a blue star above a blue circle", "a red star", "a ring"])
    score = picture_vectors @ (full_text - (second + third) / 2)
    assert_close(maps["occlusion"][1], score[0] - score[1:])
    assert_close(maps["occlusion"][0], (picture_vectors[0] - picture_vectors[1:]) @ (full_text - first))
    assert not torch.allclose(maps["relevance"][0], maps["relevance"][1])


def test_tokens_of_a_text_are_worth_what_gradient_and_attention_say():
    model = clip()
    picture = model.pictures(model.prepare(PICTURE).pixels)[0]
    relevance = text_relevance(model, picture, TEXT)
    tokens = model.encode(TEXT)
    assert relevance.shape == (len(tokens),)
    assert (relevance >= 0).all()
    # One layer alone: the row of the end token of gradient times weight, heads averaged.
    torch.manual_seed(5)
    sizes = EncoderConfig(32, 1, 2)
    config = CLIPConfig(sizes, sizes, vocabulary=model.tokenizer.get_vocab_size(), context=24, space=16, convolved=True)
    small = PictureText("scenes", "A CLIP", CLIP(config), model.tokenizer, FRAMING)
    with torch.enable_grad(), record_attention(small.text_encoder, differentiable=True) as record:
        score = small.embed_text(TEXT)[0] @ picture
    weights = record.calls[0].written.weights
    (gradient,) = torch.autograd.grad(score, weights)
    row = (gradient * weights).clamp(min=0).mean(dim=1)[0, len(tokens) - 1].detach()
    assert_close(text_relevance(small, picture, TEXT), row)


@pytest.mark.parametrize("kind", [ViLBERT, SingleStream])
def test_networks_of_words_and_patches_have_a_map_for_each_word_that_is_hidden(kind):
    torch.manual_seed(7)
    tokenizer = joint_tokenizer()
    config = JointConfig(tokenizer.get_vocab_size(), width=32, heads=2, joint=2)
    model = JointReader("x", "A network", kind(config), tokenizer, FRAMING)
    pixels, tokens = model.prepare(PICTURE).pixels, model.encode(TEXT)
    maps = joint_maps(model, pixels, tokens, [2, 3])
    assert {way: tuple(rows.shape) for way, rows in maps.items()} == dict.fromkeys(
        ("attention", "rollout", "gradient", "relevance", "occlusion"), (2, 64)
    )
    assert (maps["attention"] >= 0).all()
    assert (maps["attention"].sum(dim=-1) < 1).all()  # the whole picture, and words, take the rest
    hidden = model.mask_places(tokens, [3])
    changed = cover_each_patch(pixels, model.grid)[20:21]
    scores = [model.run(image, hidden).words[0, 3].log_softmax(dim=-1)[tokens.ids[3]] for image in (pixels, changed)]
    assert_close(maps["occlusion"][1, 20], scores[0] - scores[1], atol=1e-5, rtol=1e-3)
    guesses = model.guesses(model.run(pixels, hidden), 3)
    assert [guess.probability for guess in guesses] == sorted((guess.probability for guess in guesses), reverse=True)


def test_a_covered_patch_has_the_median_colour_and_nothing_else_changes():
    pixels = FRAMING.pixels(PICTURE)
    several = cover_each_patch(pixels, (8, 8))
    assert several.shape == (64, 3, 64, 64)
    unchanged = torch.ones(64, 64, dtype=torch.bool)
    unchanged[16:24, 40:48] = False
    assert_close(several[2 * 8 + 5][:, unchanged], pixels[0][:, unchanged])
    assert len(several[2 * 8 + 5][:, ~unchanged].unique(dim=1)[0]) == 1


def test_what_a_captioner_cannot_read_gets_a_sentence():
    model = captioner("lstm")
    assert model.encode("A Red, star!").labels == ("a", " red", " star", "[END]")
    assert model.unknown("a red unicorn, and a unicorn") == ("unicorn", "and")
    with pytest.raises(InputError, match="knows 47 words, and none of these"):
        model.encode("unicorns everywhere")
    with pytest.raises(InputError, match="has 30 words; this captioner learned at most 24"):
        model.encode("a " * 30)
    with pytest.raises(InputError):
        model.encode("  ")
    assert model.encode("a star").ids[-1] == END


def test_what_a_clip_or_a_joint_network_cannot_read_gets_a_sentence():
    model = clip()
    assert model.unknown("A red unicorn.") == ("unicorn",)
    with pytest.raises(InputError, match="and none of “unicorns everywhere”"):
        model.encode("unicorns everywhere")
    tokenizer = joint_tokenizer()
    config = JointConfig(tokenizer.get_vocab_size(), width=16, heads=2, joint=1)
    joint = JointReader("x", "A network", ViLBERT(config), tokenizer, FRAMING)
    with pytest.raises(InputError, match="“unicorn” is not a word"):
        joint.encode("a red unicorn")
    with pytest.raises(InputError, match="reads at most 22"):
        joint.encode("a " * 30)
    assert joint.encode("a [MASK] star.").labels[2].strip() == "[MASK]"


@pytest.mark.parametrize(("grid", "count"), [((8, 8), 64), ((14, 14), 49), ((11, 13), 42)])
def test_of_many_patches_squares_are_covered_and_each_patch_belongs_to_its_own(grid, count):
    pixels = torch.randn(1, 3, 4 * grid[0], 4 * grid[1], generator=torch.Generator().manual_seed(5))
    pictures, owners = cover_squares(pixels, grid), squares_of_patches(grid)
    assert len(pictures) == count
    assert len(owners) == grid[0] * grid[1]
    for patch, owner in enumerate(owners.tolist()):
        row, column = divmod(patch, grid[1])
        part = (slice(None), slice(4 * row, 4 * row + 4), slice(4 * column, 4 * column + 4))
        changed = [number for number, picture in enumerate(pictures) if not torch.equal(picture[part], pixels[0][part])]
        assert changed == [owner]

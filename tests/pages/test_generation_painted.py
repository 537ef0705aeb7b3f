"""Generation, painted in stages and side by side: every way to look opens, and what is told is worked out anew."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from core.results import attention_gan_results
from core.results.attention_gan_results import TRUE, Crowd, PainterResult, Results
from core.results.dalle_results import ALL, CHANCE, WHOLE_SENTENCE, Share
from core.scenes.draw import masks
from core.scenes.things import Scene, Thing
from core.zoo import attention_gans, dalles
from core.zoo.attention_gans import ALIKE, AS_LEARNED, CUT
from pages.words_and_pictures.generation import (
    another_word,
    compute,
    compute_painted,
    measured_painted,
    noise_walk,
    side_by_side,
    stages,
)
from pages.words_and_pictures.generation.compute_painted import Painted, PaintRequest
from pages.words_and_pictures.generation.inputs import PAINTER
from pages.words_and_pictures.generation.pictures import difference
from pages.words_and_pictures.generation.prose import PAGE
from tests.pages.conftest import message_text, prose
from tests.pages.tiny_drawers import tiny_drawers  # noqa: F401

ROOM = "words_and_pictures/generation"
TEXT = "a red star above a blue circle"
REQUEST = PaintRequest("scenes", TEXT)
RIGHT = Scene((Thing("star", "red", "small", "plain", 15, 30), Thing("circle", "blue", "small", "plain", 50, 30)), 0, 0)


pytestmark = pytest.mark.usefixtures("tiny_drawers")


# Pages.


@pytest.mark.parametrize("way", ["stages and words", "another word", "a walk through noise"])
@pytest.mark.parametrize("word_attention", ["as learned", CUT])
def test_every_way_to_look_opens(visit, way, word_attention):
    app = visit(ROOM, show="Painted in stages", painted_view=way, word_attention=word_attention)
    assert not message_text(app, "warning"), message_text(app, "warning")
    assert "How it is computed" in [element.value for element in app.subheader]


@pytest.mark.parametrize("word_attention", ["as learned", ALIKE, CUT])
def test_the_page_says_what_its_places_took_and_no_more(visit, word_attention):
    app = visit(ROOM, show="Painted in stages", word_attention=word_attention)
    sentences = stages.LATER_STAGES.values()
    assert [sentence for sentence in sentences if sentence in prose(app)] == [stages.LATER_STAGES[word_attention]]
    assert any("operatorname{softmax}" in element.value for element in app.markdown) == (word_attention == "as learned")
    views = {view.key for view in app.get("bidi_component")} - {"section-name"}
    assert bool(views) == (word_attention == "as learned")


def test_without_the_network_one_sentence_says_how_to_get_it(visit, monkeypatch):
    monkeypatch.setattr(attention_gans, "available", lambda *_: ())
    for section in ("Painted in stages", "Side by side"):
        assert "The network that paints in stages is not here yet" in message_text(visit(ROOM, show=section), "warning")
    monkeypatch.setattr(dalles, "available", lambda *_: ())
    assert "The networks that draw are not here yet" in message_text(visit(ROOM, show="Side by side"), "warning")


@pytest.mark.parametrize("section", ["Painted in stages", "Side by side"])
@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a red unicorn", "“unicorn” is not a word of this drawn world. It knows red"),
        ("a red stra", "Nearest to it: “star”"),
        (" ", "There is no sentence here yet"),
    ],
)
def test_words_of_another_world_get_a_sentence(visit, section, text, says):
    assert says in message_text(visit(ROOM, show=section, draw_scenes=text), "warning")


def test_a_sentence_without_another_word_of_its_kind_gets_a_sentence(visit):
    app = visit(ROOM, show="Painted in stages", painted_view="another word", draw_scenes="a thing")
    assert "No word of this sentence can be exchanged" in message_text(app, "warning")


def test_the_word_that_is_changed_and_the_other_one_stand_in_the_address(visit):
    choices = {"painted_view": "another word", "painted_word": "blue", "painted_other": "pink"}
    app = visit(ROOM, show="Painted in stages", draw_scenes=TEXT, **choices)
    assert "“pink”" in prose(app)
    assert compute_painted.paint.peek(replace(REQUEST, text="a red star above a pink circle")) is not None


def test_both_networks_are_shown_with_their_table(visit):
    app = visit(ROOM, show="Side by side")
    assert not message_text(app, "warning")
    (table,) = app.dataframe
    assert list(table.value["network"]) == ["DALL-E", PAINTER]
    assert "times as long" in prose(app)


# What is painted.


def test_another_word_keeps_the_noise_and_another_seed_does_not():
    one, again = compute_painted.paint(REQUEST), compute_painted.paint(replace(REQUEST, count=2))
    assert (one.pictures[:2] == again.pictures).all()
    other = compute_painted.paint(replace(REQUEST, seed=1))
    assert (one.pictures != other.pictures).any()


def test_a_walk_begins_and_ends_at_the_pictures_of_two_seeds():
    way = compute_painted.walk(REQUEST)
    ends = [compute_painted.paint(replace(REQUEST, count=1, seed=seed)).pictures[0] for seed in (0, 1)]
    for place, end in zip((0, -1), ends, strict=True):
        assert np.abs(way.pictures[place].astype(int) - end.astype(int)).max() <= 1
    assert len(way.pictures) == compute_painted.STEPS


def test_the_map_of_a_word_is_what_places_took_of_it():
    scene = stages.scene_of(REQUEST, 2)
    painted = compute_painted.paint(REQUEST)
    assert [word_map.name for word_map in scene.maps] == ["for the 32 × 32 picture", "for the 64 × 64 picture"]
    assert np.allclose(scene.maps[1].values, painted.attention[1][2].numpy().T)
    coarse = scene.maps[0].values.reshape(-1, 32, 32)
    own = painted.attention[0][2].numpy().T.reshape(-1, 16, 16)
    for row, column in ((0, 0), (5, 31), (31, 30)):
        assert np.allclose(coarse[:, row, column], own[:, row // 2, column // 2])
    assert [word.text for word in scene.words] == ["[BEGIN]", *TEXT.split(), "[END]"]
    assert sum(word.bar or 0 for word in scene.words) == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize("word_attention", [CUT, ALIKE])
def test_with_attention_cut_or_levelled_no_word_is_called_the_most(word_attention):
    painted = compute_painted.paint(replace(REQUEST, word_attention=word_attention))
    sentences = stages.noticed(painted, 0)
    assert not any("took" in sentence or "aken" in sentence for sentence in sentences)
    other = compute_painted.paint(
        replace(REQUEST, word_attention=word_attention, text="a blue star above a blue circle")
    )
    assert not any("had taken most" in sentence for sentence in another_word.noticed(painted, other, 0, 2))


# What was measured.


def share(value: float, count: int = 400) -> Share:
    return Share(value, (value * (1 - value) / count) ** 0.5, count)


def kinds(value: float) -> dict[str, Share]:
    return {WHOLE_SENTENCE: share(value / 2), ALL: share(value), "colour": share(value), "shape": share(value / 2)}


WAYS = {"1": kinds(0.5), "16": kinds(0.7), CHANCE: kinds(0.2)}
CROWDS = {
    "as learned": Crowd(500, 0.5, 0.1),
    CUT: Crowd(500, 1.5, 0.05),
    ALIKE: Crowd(500, 0.9, 0.08),
    attention_gan_results.DALLE: Crowd(500, 0.75, 0.2),
    TRUE: Crowd(500, 0.02, 0.3),
}
RESULTS = Results(
    {"scenes": PainterResult(1_000_000, {1: 0.02, 4: 0.05, 16: 0.15}, None)},
    {"test": WAYS},
    {"as learned": kinds(0.5), CUT: kinds(0.3), ALIKE: kinds(0.49)},
    CROWDS,
)


def test_the_measured_section_shows_what_is_there(visit, monkeypatch):
    monkeypatch.setattr(measured_painted, "measured", lambda: RESULTS)
    app = visit(ROOM, show="Measured", measured_of=PAINTER)
    assert not message_text(app, "warning")
    assert "In one picture **50%** of the words hold (new scenes)" in prose(app)
    assert "has 1,000,000 weights" in prose(app)
    monkeypatch.setattr(measured_painted, "measured", lambda: Results(RESULTS.painters, {}, {}, {}))
    app = visit(ROOM, show="Measured", measured_of=PAINTER)
    assert PAGE.text("Without the scene reader") in message_text(app, "info")


def test_without_results_one_sentence_says_how_to_make_them(visit, monkeypatch, tmp_path):
    monkeypatch.setattr(measured_painted, "measured", lambda: attention_gan_results.results(tmp_path))
    app = visit(ROOM, show="Measured", measured_of=PAINTER)
    assert "python -m training.attention_gan.report" in message_text(app, "warning")


def test_measured_sentences_say_what_is_clear_and_what_is_not():
    held, drawn, best = measured_painted.tell_held(WAYS, "new scenes", kinds(0.49))
    assert "**50%** of the words hold (new scenes); by chance 20%. Whole sentences: 25%, 10%." in held
    assert "DALL-E 49% hold: 400 words of the same kind of sentences, here 400. The difference may be chance." in drawn
    assert "best of 16 by CLIP the share of words that hold changes by +20.0 points." in best
    cut, most = measured_painted.tell_word_attention(RESULTS.looks)
    assert "cut **30%** of the words hold instead of 50%; when every place" in cut
    assert "49% (by chance as well)." in cut
    assert "“colour” most: −20.0 points" in most
    nearer, differ = measured_painted.tell_crowds(CROWDS)
    assert (
        "lie nearer to true scenes than DALL-E's: a Fréchet distance of **0.50** against 0.75; true scenes have 0.02"
        in nearer
    )
    assert "differ less than DALL-E's: 0.100 against 0.200" in differ
    near = CROWDS | {attention_gan_results.DALLE: Crowd(500, 0.51, 0.101)}
    assert "about as near to true scenes as DALL-E's" in next(iter(measured_painted.tell_crowds(near)))
    assert "about as much as DALL-E's" in list(measured_painted.tell_crowds(near))[1]
    far = CROWDS | {attention_gan_results.DALLE: Crowd(500, 0.1, 0.05)}
    assert "farther from" in next(iter(measured_painted.tell_crowds(far)))
    same = {"as learned": kinds(0.5), CUT: kinds(0.49), ALIKE: kinds(0.49)}
    assert "no kind of word" in list(measured_painted.tell_word_attention(same))[1]
    assert list(measured_painted.tell_crowds({TRUE: CROWDS[TRUE]})) == []
    assert "80% of its pictures" in measured_painted.tell_painter(
        "emoji", PainterResult(10, {1: 0.1, 4: 0.1, 16: 0.1}, 0.8)
    )


# What is told.


def made(
    looks: tuple[torch.Tensor, ...], read: tuple[Scene, ...] = (RIGHT,), picture: np.ndarray | None = None
) -> Painted:
    tokens = compute_painted.paint(REQUEST).words
    last = np.zeros((64, 64, 3), dtype=np.uint8) if picture is None else picture
    smaller = tuple(np.zeros((1, side, side, 3), dtype=np.uint8) for side in (16, 32))
    return Painted(REQUEST, last[None], (0.2,), read, 0.5, AS_LEARNED, tokens, (*smaller, last[None]), looks)


def test_what_is_told_of_words_is_worked_out_another_way():
    generator = torch.Generator().manual_seed(0)
    looks = tuple(torch.rand(1, side * side, 9, generator=generator) for side in (16, 32))
    looks = tuple(weights / weights.sum(-1, keepdim=True) for weights in looks)
    held, taken, marks, place = stages.noticed(made(looks), 0)
    assert "5 of 5 statements hold" in held
    labels = ["[BEGIN]", *TEXT.split(), "[END]"]
    for look, side in zip(looks, (32, 64), strict=True):
        means = {number: sum(row[number] for row in look[0].tolist()) / len(look[0]) for number in range(1, 8)}
        most = max(means, key=lambda number: means[number])
        assert f"of {side} pixels **“{labels[most]}”**, {means[most]:.0%}" in taken
    at_ends = float((looks[1][0][:, 0] + looks[1][0][:, 8]).mean())
    assert f"{at_ends:.0%} of what places took came from the marks" in marks
    star, circle = masks(RIGHT)
    known = {1: star, 2: star, 3: star, 4: star | circle, 5: circle, 6: circle, 7: circle}
    placements = []
    for number, mask in known.items():
        if number in (1, 5):
            continue  # articles mean nothing
        column = looks[1][0][:, number].reshape(32, 32)
        total = float(column.sum())
        inside = sum(
            float(column[row, col]) * mask[2 * row : 2 * row + 2, 2 * col : 2 * col + 2].mean()
            for row in range(32)
            for col in range(32)
        )
        placements.append((inside / total, mask.mean(), labels[number]))
    (high, wide, best), (low, narrow, worst) = max(placements), min(placements)
    assert f"Taken most on what it means is “{best}”: {high:.0%} of it lies on {wide:.0%} of the picture" in place
    assert f"least “{worst}”: {low:.0%} on {narrow:.0%}." in place


def test_what_moved_is_measured_where_the_word_was_taken():
    look = torch.zeros(1, 1024, 9)
    look[0, :256, 2] = 1.0  # the upper quarter
    look[0, :, 0] = 0.1
    picture = np.zeros((64, 64, 3), dtype=np.uint8)
    other = picture.copy()
    other[:8] = 255  # half of that quarter
    other[40:48] = 51  # by a fifth
    looks = (torch.zeros(1, 256, 9), look)
    moved, where, held = another_word.noticed(made(looks), made(looks, picture=other), 0, 2)
    assert "**25%** of the pixels moved" in moved
    assert f"{1 / 1.2:.0%} of all that moved lies in the quarter" in where
    assert "had taken most of “red”" in where
    assert "Before, the picture showed everything you asked for; now it shows everything of the new sentence" in held
    assert difference(picture, other)[0, 0].tolist() == [0, 0, 0]
    assert difference(picture, other)[20, 0].tolist() == [255, 255, 255]
    assert difference(picture, other)[44, 0].tolist() == [204, 204, 204]
    assert difference(picture, picture).min() == 255


def test_a_walk_is_told_by_its_steps():
    pictures = np.stack([np.full((64, 64, 3), value, dtype=np.uint8) for value in (0, 51, 204)])
    tokens = compute_painted.paint(REQUEST).words
    way = Painted(REQUEST, pictures, (0.1, 0.2, 0.3), (RIGHT, RIGHT, Scene(())), 0.5, AS_LEARNED, tokens, (), ())
    steps, matches = noise_walk.noticed(way)
    assert "move by 0.800 on average (0 to 1), in one step by 0.400" in steps
    assert "from picture 2 to 3, 0.600" in steps
    assert "**2 of 3**" in matches
    even = replace(way, pictures=pictures[[0, 0, 0]])
    assert "all steps are about as long" in noise_walk.noticed(even)[0]


def test_words_instead_are_those_that_make_another_sentence():
    assert another_word.exchanged(REQUEST, 1, "pink") == "a pink star above a blue circle"
    alternatives = another_word.available(REQUEST)
    assert set(alternatives) == {1, 2, 3, 5, 6}  # no article
    assert "red" not in alternatives[1]
    assert "pink" in alternatives[1]


def test_both_networks_are_compared_by_numbers():
    drawn = compute.draw(compute.DrawRequest("scenes", TEXT, 2))
    one = replace(drawn, read=(RIGHT, Scene(())), seconds=2.0)
    other = replace(compute_painted.paint(replace(REQUEST, count=2)), read=(RIGHT, RIGHT), seconds=0.5)
    held, differ, faster = side_by_side.noticed({"DALL-E": one, PAINTER: other})
    assert "DALL-E **50%** of the statements hold, in those of the attention GAN **100%**" in held
    apart = []
    for batch in (one, other):
        first, second = batch.pictures.astype(float) / 255
        apart.append(float(((first - second) ** 2).mean() ** 0.5))
    assert f"{max(apart):.3f} against {min(apart):.3f}" in differ
    assert "The attention GAN took 0.50 s for 2 pictures, DALL-E 2.00 s: 4.0 times as long." in faster
    tie = {"DALL-E": one, PAINTER: replace(one, seconds=2.1)}
    assert "about as much from one another" in side_by_side.noticed(tie)[1]
    assert "Both took about as long" in side_by_side.noticed(tie)[2]
    unread = {"DALL-E": replace(one, read=()), PAINTER: replace(other, read=())}
    assert list(side_by_side.table_of(unread)) == ["network", "CLIP, best", "diversity", "seconds"]
    table = side_by_side.table_of({"DALL-E": one, PAINTER: other})
    assert list(table["pictures in which all holds"]) == ["1 of 2", "2 of 2"]

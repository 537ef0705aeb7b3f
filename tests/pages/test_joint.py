"""The page Joint: every section opens, hidden stays hidden, and what is told is true."""

import json

import pytest
import torch

from core.measured.joint import Joint
from core.scenes.draw import masks
from core.zoo.joint import JOINT
from dashboard.models import joint
from dashboard.seen import FIRST_SCENE, SCENES, Seen
from pages.words_and_pictures.joint import co_attention, compute, hidden, match, measured, patches, words
from pages.words_and_pictures.joint.compute import ANOTHER, ITS, NONE, Mended
from tests.pages.conftest import prose, told

ROOM = "words_and_pictures/joint"
SCENE = Seen(SCENES, FIRST_SCENE)
TEXT = "a red star above a blue circle"
SECTIONS = (words.LOOKS, words.HIDDEN, words.PATCHES, words.MATCH, words.GROUNDED, words.MEASURED)


@pytest.mark.parametrize("title", JOINT.values())
@pytest.mark.parametrize("section", SECTIONS)
def test_every_section_opens_with_both_networks(visit, section, title):
    app = visit(ROOM, show=section, joint_network=title)
    assert not told(app, "warning"), told(app, "warning")
    assert "What to notice" in [element.value for element in app.subheader]


def test_words_of_another_world_get_a_sentence(visit):
    app = visit(ROOM, joint_text="a red unicorn")
    assert "“unicorn” is no word of this drawn world" in told(app, "warning")
    app = visit(ROOM, joint_text="a " * 30)
    assert "reads at most 22" in told(app, "warning")


def test_another_scene_has_another_true_sentence_unless_somebody_has_written(visit):
    app = visit(ROOM)
    first = app.text_input(key="joint_text").value
    app.session_state["scene"] = "0-0~ring.blue.large.plain.16.20~heart.red.small.plain.50.50"
    app.run()
    assert app.text_input(key="joint_text").value != first
    app.text_input(key="joint_text").set_value("a red heart").run()
    app.session_state["scene"] = FIRST_SCENE
    app.run()
    assert app.text_input(key="joint_text").value == "a red heart"


@pytest.mark.parametrize("name", JOINT)
def test_both_directions_are_parts_of_the_recorded_weights(name):
    looked = compute.look(name, SCENE, TEXT)
    count = len(looked.tokens)
    forth = co_attention.blocks_of(name, looked, words.WORDS_LOOK)
    back = co_attention.blocks_of(name, looked, words.PICTURE_LOOKS)
    assert len(forth) == len(back) == compute.layers_of(name)
    paths = {call.path: call for call in looked.record.calls}
    if name == "two-streams":
        call = paths["joint.1.words_look.attention"]
        torch.testing.assert_close(forth[1][2], call.weights(2)[:, 1:])
        call = paths["joint.1.picture_looks.attention"]
        torch.testing.assert_close(back[1][2], call.weights(2)[1:].mT)
        torch.testing.assert_close(back[1].sum(dim=1), torch.ones(4, 64))  # each patch looks at words only
    else:
        call = paths["blocks.1.attention"]
        torch.testing.assert_close(forth[1][2], call.weights(2)[:count, count + 1 :])
        torch.testing.assert_close(back[1][2], call.weights(2)[count + 1 :, :count].mT)
    sentences = co_attention.noticed(name, looked)
    shares = [float(layer.sum(dim=-1).mean()) for layer in forth]
    assert f"**{max(shares):.0%}** in layer {shares.index(max(shares))}" in sentences[0]


@pytest.mark.parametrize("name", JOINT)
def test_hidden_words_are_guessed_from_what_is_shown(name):
    found = {shown: compute.true_chances(name, SCENE, TEXT, (2,), shown)[2] for shown in (ITS, ANOTHER, NONE)}
    model = joint(name)
    tokens = model.hide(model.encode(TEXT), [2])
    grey = torch.zeros(1, 3, 64, 64)
    said = model.run(grey, tokens).words[0, 2].softmax(dim=-1)
    assert found[NONE] == pytest.approx(float(said[model.encode(TEXT).ids[2]]), abs=1e-6)
    guesses = compute.guesses(name, SCENE, TEXT, (2,), ITS)[2]
    assert guesses[0].probability >= found[ITS] - 1e-6
    # What is silenced says nothing: another layer, another answer.
    silenced = [compute.true_chances(name, SCENE, TEXT, (2,), ITS, layer)[2] for layer in range(2)]
    assert len({round(each, 7) for each in (found[ITS], *silenced)}) > 1
    assert compute.another(SCENE) == compute.another(SCENE) != SCENE


def test_hidden_places_stand_in_the_address_and_marks_are_none(visit):
    app = visit(ROOM, show=words.HIDDEN, joint_text=TEXT, hidden="2-3-0-99")
    assert "In place of “red”" in prose(app)
    assert "In place of “star”" in prose(app)
    assert "In place of “\\[BEGIN" not in prose(app)


def test_sentences_about_gaps_compare_the_three_pictures():
    tokens = joint("two-streams").encode(TEXT)
    chances = {ITS: {2: 0.9}, ANOTHER: {2: 0.1}, NONE: {2: 0.12}}
    first, second = hidden.noticed(tokens, (2,), chances, [{2: 0.9}, {2: 0.2}])
    assert "**“red”** gets 90% with its picture, 10% with another one and 12% without: the picture brings it." in first
    assert "Silencing layer 1 costs “red” most: its probability becomes 20%." in second
    chances[ITS] = {2: 0.13}
    first, second = hidden.noticed(tokens, (2,), chances, [{2: 0.13}])
    assert "adds little" in first
    assert "nothing that could be seen" in second


def test_patches_that_hold_the_first_thing_are_hidden_at_first_and_nothing_else_changes():
    places = patches.first_thing(SCENE, 8)
    mask = masks(SCENE.scene)[0]
    held = {8 * (row // 8) + column // 8 for row, column in zip(*mask.nonzero(), strict=True)}
    assert set(places) == held
    mended = compute.mend("two-streams", SCENE, TEXT, places)
    true = compute.prepare("two-streams", SCENE).pixels[0] * 0.25 + 0.5
    for patch in range(64):
        row, column = divmod(patch, 8)
        part = (slice(None), slice(8 * row, 8 * row + 8), slice(8 * column, 8 * column + 8))
        same = torch.allclose(mended.guessed[part], true[part], atol=1e-5)
        assert same == (patch not in places)


def test_errors_of_patches_are_told_beside_the_mean_colour():
    first, second = patches.noticed(Mended(torch.zeros(3, 64, 64), 0.2, 0.8), 4, 64)
    assert "4 of 64 patches are hidden" in first
    assert "is 0.200" in first
    assert "75% better than the mean colour" in second
    assert "25% worse" in patches.noticed(Mended(torch.zeros(3, 64, 64), 1.0, 0.8), 4, 64)[1]


def test_each_word_that_could_stand_there_is_tried_and_marked_true_or_not():
    offered = match._places(TEXT)
    assert list(offered) == ["2. red", "3. star", "6. blue", "7. circle"]
    place, word = offered["2. red"]
    found = match.exchanged("two-streams", SCENE, TEXT, place, word)
    assert {each for each, _, true in found if true} == {"red"}
    assert len(found) == 8
    values = [value for _, value, _ in found]
    assert values == sorted(values, reverse=True)
    told_ = match.noticed(0.8, True, [("red", 0.9, True), ("blue", 0.4, False), ("green", 0.2, False)])
    assert "yes with 80%, and is right" in told_[0]
    assert "likes **“red”** best, 90%; with it the sentence is true" in told_[1]
    assert "90% on average, the others 30%" in told_[2]
    assert "is wrong" in match.noticed(0.8, False, [])[0]
    assert match._places("nothing is green") != {}
    assert match._places("hello") == {}


def test_measured_sentences_compare_both_networks():
    def of(name, share):
        kinds = {"its picture": {"colour": share, "all": share}, "another picture": {"colour": 0.1, "all": 0.1}}
        return Joint(name, {"test": kinds | {"no picture": {"colour": 0.12, "all": 0.12}}}, {"test": {"colour": 0.9}})

    sentences = measured.noticed((of("two-streams", 0.9), of("one-stream", 0.8)))
    assert "guesses 90% of the hidden words with the picture, 10% with another one, 12% without" in sentences[0]
    assert "kind “colour”: +78%" in sentences[1]
    assert "**Two streams (ViLBERT)**" in sentences[0]
    assert "Two streams (ViLBERT) guesses 10 points more" in sentences[-1]
    assert "as good as one another" in measured.noticed((of("two-streams", 0.9), of("one-stream", 0.9)))[-1]


def test_the_view_is_sent_every_head_of_every_layer(visit):
    app = visit(ROOM, joint_text=TEXT)
    (sent,) = [data for part in app.get("bidi_component") if "scene" in (data := json.loads(part.proto.json))]
    assert len(sent["scene"]["maps"]) == 1 + 3 * 4

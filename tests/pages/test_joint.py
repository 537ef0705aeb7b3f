"""The page Joint: every section opens, hidden stays hidden, and what is told is true."""

import contextlib
import json

import pytest
import torch

from core.capture import record_attention
from core.measured.joint_results import ANOTHER, ITS, NONE, Results, Shares
from core.scenes.draw import masks
from core.zoo.joint import JOINT
from core.zoo.text_models import Prediction
from dashboard import layout
from dashboard.models import joint
from dashboard.scene_builder import FIRST_SCENE
from dashboard.seen import SCENES, Seen
from pages.words_and_pictures.joint import any_model, co_attention, compute, hidden, match, measured, patches, words
from pages.words_and_pictures.joint.compute import Mended
from tests.core.saved_models import save_pair, save_vilt
from tests.pages.conftest import prose, told

ROOM = "words_and_pictures/joint"
SCENE = Seen(SCENES, FIRST_SCENE)
TEXT = "a red star above a blue circle"
SECTIONS = (words.LOOKS, words.HIDDEN, words.PATCHES, words.MATCH, words.GROUNDED, words.MEASURED, words.OTHERS)


@pytest.mark.parametrize("title", JOINT.values())
@pytest.mark.parametrize("section", SECTIONS)
def test_every_section_opens_with_both_networks(visit, section, title):
    app = visit(ROOM, show=section, joint_network=title)
    assert not told(app, "warning"), told(app, "warning")
    assert "How it is computed" in [element.value for element in app.subheader]


def test_words_of_another_world_get_a_sentence(visit):
    app = visit(ROOM, joint_text="a red unicorn")
    assert "“unicorn” is not a word of this drawn world" in told(app, "warning")
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
    model, looked = joint(name), compute.look(name, SCENE, TEXT)
    count = len(looked.tokens)
    assert len(looked.looks) == model.layers
    with torch.no_grad(), record_attention(model.network) as record:
        model.run(compute.prepare(name, SCENE).pixels, looked.tokens)
    paths = {call.path: call for call in record.calls}
    second = looked.looks[1]
    if name == "two-streams":
        torch.testing.assert_close(second.words[2], paths["joint.1.words_look.attention"].weights(2)[:, 1:])
        torch.testing.assert_close(second.patches[2], paths["joint.1.picture_looks.attention"].weights(2)[1:].mT)
        torch.testing.assert_close(second.patches.sum(dim=1), torch.ones(4, 64))  # each patch looks at words only
    else:
        weights = paths["blocks.1.attention"].weights(2)
        torch.testing.assert_close(second.words[2], weights[:count, count + 1 :])
        torch.testing.assert_close(second.patches[2], weights[count + 1 :, :count].mT)


@pytest.mark.parametrize("name", JOINT)
def test_apart_words_and_picture_do_not_look_at_one_another_in_that_layer_alone(name):
    model, tokens = joint(name), joint(name).encode(TEXT)
    pixels = compute.prepare(name, SCENE).pixels
    with torch.no_grad(), record_attention(model.network) as record, model.apart(1, len(tokens)):
        model.run(pixels, tokens)
    looks = model.looks(record, len(tokens))
    given = [(float(layer.words.sum()), float(layer.patches.sum())) for layer in looks]
    assert given[1] == (0, 0)
    assert all(both > (0, 0) for place, both in enumerate(given) if place != 1)
    other = torch.zeros_like(pixels)
    with contextlib.ExitStack() as stack:  # apart in all layers, the words cannot know the picture
        for layer in range(model.layers):
            stack.enter_context(model.apart(layer, len(tokens)))
        torch.testing.assert_close(model.run(pixels, tokens).words, model.run(other, tokens).words)


@pytest.mark.parametrize("name", JOINT)
def test_what_is_told_of_looks_is_so(name):
    looked = compute.look(name, SCENE, TEXT)
    share, back = co_attention.noticed(looked, one_stream=joint(name).one_stream)
    shares = [float(layer.words.sum(dim=-1).mean()) for layer in looked.looks]
    assert f"**{max(shares):.0%}**" in share
    every = f"{min(shares):.0%}" == f"{max(shares):.0%}"
    assert ("in every layer" if every else f"in layer {shares.index(max(shares))};") in share
    assert ("all their attention" in share) == (name == "one-stream")
    given = sum(layer.patches.mean(dim=(0, 2)) for layer in looked.looks)
    place = int(given.argmax())
    assert f"**“{layout.plain(looked.tokens.labels[place].strip())}”**" in back
    assert ("no word" in back) == looked.tokens.special[place]
    assert f"{float(given.max() / given.sum()):.0%}" in back


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
    assert "nothing noticeable" in second
    other = hidden.tell_other(tokens, 2, "One stream", {ITS: 0.5, NONE: 0.25})
    assert other == "One stream gives “red” 50% with the picture, 25% without."


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
    offered = match.others(TEXT)
    assert list(offered) == ["2. red", "3. star", "6. blue", "7. circle", "the relation", "the order"]
    found = match.tried("two-streams", SCENE, offered["2. red"])
    assert {each.label for each in found if each.true} == {"red"}
    assert len(found) == 8
    chances = [each.chance for each in found]
    assert chances == sorted(chances, reverse=True)
    relations = match.tried("two-streams", SCENE, offered["the relation"])
    assert {each.label for each in relations if each.true} == {"above"}
    assert {each.label for each in relations} == {"above", "below", "left of", "right of"}
    order = match.tried("two-streams", SCENE, offered["the order"])
    assert {each.label for each in order if not each.true} == {"a blue circle above a red star"}
    assert match.others("nothing is green")
    assert match.others("hello") == {}


def test_what_is_told_of_a_match_is_so():
    found = [match.Tried("red", 0.9, True), match.Tried("blue", 0.4, False), match.Tried("green", 0.2, False)]
    right, best, mean = match.noticed(0.8, True, found)
    assert "yes with 80%, and is right" in right
    assert "Of 3 it likes **“red”** best, 90%; with it the sentence is true" in best
    assert "90% on average, what makes it false 30%" in mean
    assert "is wrong" in match.noticed(0.8, False, [])[0]


def test_measured_sentences_compare_both_networks():
    def of(name, shown, share, asked=1000):
        kinds = {"all": share, "colour": share, "number": 1.0}
        return Shares(name, "test", shown, kinds, {"all": asked, "colour": asked, "number": 3})

    def lies(share):
        return tuple(Shares(name, "test", ITS, {"order": share}, {"order": 400}) for name in JOINT)

    without = [of(name, shown, 0.12) for name in JOINT for shown in (ANOTHER, NONE)]
    both = Results((of("two-streams", ITS, 0.9), of("one-stream", ITS, 0.8), *without), lies(0.52))
    first, needs, *_, better, order, _ = measured.noticed(both)
    assert "**Two streams (ViLBERT)** guesses 90% of the hidden words with the picture, 12% with another one" in first
    assert "kind “colour”: +78.0 points" in needs  # of three numbers nothing is told
    assert "Two streams (ViLBERT) guesses more than One stream (VisualBERT), by 10.0 points" in better
    assert "notices 52% of the sentences whose groups changed places, no more than chance" in order
    same = Results((of("two-streams", ITS, 0.9), of("one-stream", ITS, 0.89), *without), lies(0.7))
    *_, better, order, _ = measured.noticed(same)
    assert "cannot be decided" in better
    assert "chance" not in order


def test_the_view_is_sent_every_head_of_every_layer(visit):
    app = visit(ROOM, joint_text=TEXT)
    (sent,) = [data for part in app.get("bidi_component") if "scene" in (data := json.loads(part.proto.json))]
    assert len(sent["scene"]["maps"]) == 1 + 3 * 4


@pytest.mark.parametrize(
    ("kind", "text", "says"),
    [
        ("ForMaskedLM", "the quick [MASK] fox", "With the picture the word at place"),
        ("ForMaskedLM", "the quick fox", "Write [MASK]"),
        ("ForQuestionAnswering", "the quick fox", "With the picture the answer is"),
        ("ForImageAndTextRetrieval", "the quick fox", "Text and picture match with a score of"),
        ("Model", "the quick fox", "Of all their attention words give patches"),
    ],
)
@pytest.mark.usefixtures("at_home")
def test_a_vilt_from_a_folder_reads_text_and_picture(visit, tmp_path, kind, text, says):
    folder = save_vilt(kind, tmp_path)
    app = visit(ROOM, show=words.OTHERS, vilt=str(folder), vilt_text=text)
    assert not told(app, "warning"), told(app, "warning")
    assert says in prose(app)
    (sent,) = [data for part in app.get("bidi_component") if "scene" in (data := json.loads(part.proto.json))]
    assert len(sent["scene"]["maps"]) == 1 + 2 * 2


@pytest.mark.usefixtures("at_home")
def test_what_is_no_vilt_gets_a_sentence(visit, tmp_path):
    clip = save_pair("clip", tmp_path)
    assert "Name a ViLT" in told(visit(ROOM, show=words.OTHERS, vilt=str(clip)), "warning")


def test_guesses_are_told_beside_those_without_a_picture():
    own, other = Prediction("cat", 0.8, 1), Prediction("dog", 0.3, 2)
    assert "the answer is **“cat”**, 80%; with grey “dog”" in any_model.tell_best(own, other, "the answer")
    assert "with grey it is the same" in any_model.tell_best(own, own, "the answer")
    assert "a score of 2.50, the text and an even grey with −1.00" in any_model.tell_match(2.5, -1.0)

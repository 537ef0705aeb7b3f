"""The page Joint: every section opens, hidden stays hidden, and what is told is true."""

import contextlib
import json

import pytest
import torch

from core.capture import record_attention
from core.results.joint_results import ANOTHER, ITS, NONE, Results, Shares
from core.scenes.draw import masks
from core.zoo.joint import JOINT, WordPatchAttention
from core.zoo.text_models import Prediction
from dashboard import typeset
from dashboard.cache.models import joint
from dashboard.inputs.picture_input import SCENES, PictureInput
from dashboard.inputs.scene_builder import FIRST_SCENE
from pages.words_and_pictures.joint import any_model, co_attention, compute, hidden, match, measured, patches
from pages.words_and_pictures.joint.compute import JointAttention, Mended
from pages.words_and_pictures.joint.prose import PAGE
from tests.core.saved_models import save_pair, save_vilt
from tests.pages.conftest import message_text, prose

ROOM = "words_and_pictures/joint"
SCENE = PictureInput(SCENES, FIRST_SCENE)
TEXT = "a red star above a blue circle"
SECTIONS = tuple(PAGE.sections)


@pytest.mark.parametrize("title", JOINT.values())
@pytest.mark.parametrize("section", SECTIONS)
def test_every_section_opens_with_both_networks(visit, section, title):
    app = visit(ROOM, show=section, joint_network=title)
    assert not message_text(app, "warning"), message_text(app, "warning")
    assert "How it is computed" in [element.value for element in app.subheader]


def test_words_of_another_world_get_a_sentence(visit):
    app = visit(ROOM, joint_text="a red unicorn")
    assert "“unicorn” is not a word of this drawn world" in message_text(app, "warning")
    app = visit(ROOM, joint_text="a " * 30)
    assert "reads at most 22" in message_text(app, "warning")


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
    model, attention = joint(name), compute.look(name, SCENE, TEXT)
    count = len(attention.tokens)
    assert len(attention.layers) == model.layers
    with torch.no_grad(), record_attention(model.network) as record:
        model.run(compute.prepare(name, SCENE).pixels, attention.tokens)
    paths = {call.path: call for call in record.calls}
    second = attention.layers[1]
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
    with torch.no_grad(), record_attention(model.network) as record, model.cut_attention(1, len(tokens)):
        model.run(pixels, tokens)
    looks = model.attention(record, len(tokens))
    totals = [(float(layer.words.sum()), float(layer.patches.sum())) for layer in looks]
    assert totals[1] == (0, 0)
    assert all(both > (0, 0) for place, both in enumerate(totals) if place != 1)
    other = torch.zeros_like(pixels)
    with contextlib.ExitStack() as stack:  # apart in all layers, the words cannot know the picture
        for layer in range(model.layers):
            stack.enter_context(model.cut_attention(layer, len(tokens)))
        torch.testing.assert_close(model.run(pixels, tokens).words, model.run(other, tokens).words)


@pytest.mark.parametrize("name", JOINT)
def test_what_is_told_of_looks_is_so(name):
    attention = compute.look(name, SCENE, TEXT)
    share, back = co_attention.noticed(attention, one_stream=joint(name).one_stream)
    shares = [float(layer.words.sum(dim=-1).mean()) for layer in attention.layers]
    assert f"**{max(shares):.0%}**" in share
    every = f"{min(shares):.0%}" == f"{max(shares):.0%}"
    assert ("in every layer" if every else f"in layer {shares.index(max(shares))};") in share
    assert ("all their attention" in share) == (name == "one-stream")
    weights = sum(layer.patches.mean(dim=(0, 2)) for layer in attention.layers)
    place = int(weights.argmax())
    assert f"**“{typeset.plain(attention.tokens.labels[place].strip())}”**" in back
    assert ("no word" in back) == attention.tokens.special[place]
    assert f"{float(weights.max() / weights.sum()):.0%}" in back
    assert f"an even share would be {1 / len(attention.tokens):.0%}" in back


def test_patches_that_attend_to_all_words_alike_prefer_none():
    tokens = joint("two-streams").encode("red star")
    even, two = torch.full((1, 4, 9), 0.25), torch.tensor([0.1, 0.4, 0.4, 0.1])[None, :, None].expand(1, 4, 9)
    looks = [WordPatchAttention(torch.full((1, 4, 9), 1 / 9), patches) for patches in (even, two)]
    alike, both = (co_attention.noticed(JointAttention(tokens, (look,)), one_stream=False)[-1] for look in looks)
    assert "all 4 tokens about as much, 25% each" in alike
    assert "“red”** and **“star”**: 40% each" in both


@pytest.mark.parametrize("name", JOINT)
def test_hidden_words_are_guessed_from_what_is_shown(name):
    chances = {
        condition: compute.true_chances(name, SCENE, TEXT, (2,), condition)[2] for condition in (ITS, ANOTHER, NONE)
    }
    model = joint(name)
    tokens = model.mask_places(model.encode(TEXT), [2])
    grey = torch.zeros(1, 3, 64, 64)
    probabilities = model.run(grey, tokens).words[0, 2].softmax(dim=-1)
    assert chances[NONE] == pytest.approx(float(probabilities[model.encode(TEXT).ids[2]]), abs=1e-6)
    guesses = compute.guesses(name, SCENE, TEXT, (2,), ITS)[2]
    assert guesses[0].probability >= chances[ITS] - 1e-6
    # What is silenced says nothing: another layer, another answer.
    silenced = [compute.true_chances(name, SCENE, TEXT, (2,), ITS, layer)[2] for layer in range(2)]
    assert len({round(chance, 7) for chance in (chances[ITS], *silenced)}) > 1
    assert compute.other_scene(SCENE) == compute.other_scene(SCENE) != SCENE


def test_hidden_places_stand_in_the_address_and_marks_are_none(visit):
    app = visit(ROOM, show="Hidden words", joint_text=TEXT, hidden="2-3-0-99")
    assert "In place of “red”" in prose(app)
    assert "In place of “star”" in prose(app)
    assert "In place of “\\[BEGIN" not in prose(app)


@pytest.mark.parametrize(
    ("own", "other", "none", "says"),
    [
        (0.9, 0.1, 0.12, "adds at least 78 points"),
        (0.32, 0.65, 0.63, "takes at least 31 points"),
        (0.50, 0.52, 0.47, "changes **“red”** by no more than 5 points"),
        (0.5, 0.52, 0.1, "another one helps as much"),
        (0.1, 0.12, 0.5, "another one takes as much"),
        (0.5, 0.8, 0.1, "adds 40 points to **“red”**, and another one adds more"),
        (0.23, 0.0, 0.54, "takes 31 points from **“red”**, and another one takes more"),
        (0.5, 0.1, 0.5, "helps **“red”** no more than none, and another one takes"),
        (0.5, 0.9, 0.5, "helps **“red”** no more than none, and another one adds"),
        (float("nan"), 0.5, 0.5, "is not known"),
        (0.5, 0.5, float("nan"), "is not known"),
    ],
)
def test_what_a_picture_is_worth_for_a_hidden_word_has_the_sign_of_the_difference(own, other, none, says):
    assert says in hidden.tell_worth("red", own, other, none)


def test_layers_whose_silencing_costs_or_helps_a_word_are_told_by_sign_and_together_where_they_tie():
    assert "layer 1 costs “red” most: from 90% to 20%" in hidden.tell_layers("red", 0.9, [0.9, 0.2])
    assert "layer 0 or 1 costs" in hidden.tell_layers("red", 0.9, [0.205, 0.2, 0.9])
    assert "layer 2 helps “red” most: from 20% to 70%" in hidden.tell_layers("red", 0.2, [0.2, 0.2, 0.7])
    assert "no more than 1 point" in hidden.tell_layers("red", 0.2, [0.2, 0.195])


def test_sentences_about_gaps_name_each_hidden_word_and_the_other_network():
    tokens = joint("two-streams").encode(TEXT)
    chances = {ITS: {2: 0.9, 3: 0.2}, ANOTHER: {2: 0.1, 3: 0.2}, NONE: {2: 0.12, 3: 0.2}}
    first, second, third = hidden.noticed(tokens, (2, 3), chances, [{2: 0.9, 3: 0.2}, {2: 0.2, 3: 0.2}])
    assert "“red”" in first
    assert "“star”" in second
    assert "layer 1 costs “red”" in third
    other = hidden.tell_other(tokens, 2, "One stream", {ITS: 0.5, NONE: 0.25})
    assert other == "One stream gives “red” 50% with the picture, 25% without."


@pytest.mark.parametrize("section", [co_attention.SECTION.name, hidden.SECTION.name, match.SECTION.name])
def test_without_a_sentence_there_is_a_sentence_about_that(visit, section):
    assert "no sentence here yet" in message_text(visit(ROOM, show=section, joint_text="  "), "warning")


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


@pytest.mark.parametrize(
    ("error", "mean", "count", "says"),
    [
        (0.2, 0.8, 4, "75% smaller"),
        (1.0, 0.8, 4, "25% larger"),
        (0.78, 0.8, 4, "no nearer"),
        (0.1, 0.0, 4, "The network is not."),
        (0.0, 0.0, 4, "So is the network."),
        (0.5, 0.9, 64, "no patch is visible"),
        (float("nan"), 0.0, 0, "No patch is masked"),
    ],
)
def test_the_guess_of_hidden_patches_is_compared_with_the_mean_colour_by_sign_and_margin(error, mean, count, says):
    sentences = " ".join(patches.noticed(Mended(torch.zeros(3, 64, 64), error, mean), count, 64))
    assert says in sentences
    assert ("mean of what could be there" in sentences) == ("smaller" in says)  # no reason for what is worse


def test_each_word_that_could_stand_there_is_tried_and_marked_true_or_not():
    offered = match.others(TEXT)
    assert list(offered) == ["2. red", "3. star", "6. blue", "7. circle", "the relation", "the order"]
    candidates = match.tried("two-streams", SCENE, offered["2. red"])
    assert {candidate.label for candidate in candidates if candidate.true} == {"red"}
    assert len(candidates) == 8
    chances = [candidate.chance for candidate in candidates]
    assert chances == sorted(chances, reverse=True)
    relations = match.tried("two-streams", SCENE, offered["the relation"])
    assert {candidate.label for candidate in relations if candidate.true} == {"above"}
    assert {candidate.label for candidate in relations} == {"above", "below", "left of", "right of"}
    order = match.tried("two-streams", SCENE, offered["the order"])
    assert {candidate.label for candidate in order if not candidate.true} == {"a blue circle above a red star"}
    assert match.others("nothing is green")
    assert match.others("hello") == {}


def of_chances(*chances, true=1):
    """Sentences that were tried with these probabilities, the first `true` of them true."""
    return [match.Tried(str(place), chance, place < true) for place, chance in enumerate(chances)]


def test_an_answer_that_every_sentence_gets_is_said_to_tell_nothing():
    same = match.noticed(0.8, True, of_chances(0.8, 0.75, 0.7, 0.65))[0]
    assert "yes with 80%, but it says yes to **all 4** sentences here, of which 1 is true" in same
    assert "right" not in same
    assert "no to **all 2**" in match.noticed(0.2, False, of_chances(0.2, 0.1))[0]
    different = match.noticed(0.8, True, of_chances(0.8, 0.6, 0.2))[0]
    assert "right about **2**, saying yes to 2; 1 is true" in different
    assert "No other sentence" in match.noticed(0.8, False, [])[0]
    assert "neither yes nor no" in match.noticed(0.5, True, of_chances(0.5, 0.2))[0]
    assert "neither yes nor no" not in match.noticed(0.51, None, of_chances(0.51, 0.2))[0]


def test_the_sentences_that_match_best_are_told_with_their_ties():
    assert (
        "**“0”** matches best, 90%; with it the sentence is true" in match.noticed(0.8, True, of_chances(0.9, 0.4))[1]
    )
    assert "equally well (70% to 72%); 1 of them is true" in match.noticed(0.8, True, of_chances(0.72, 0.7, 0.2))[1]
    assert "none of them" in match.noticed(0.8, True, of_chances(0.72, 0.7, 0.2, true=0))[1]
    assert "hardly tells the 3 apart" in match.noticed(0.8, True, of_chances(0.82, 0.81, 0.79))[1]


@pytest.mark.parametrize(
    ("true", "false", "says"),
    [(0.9, 0.3, "prefers what is true"), (0.3, 0.9, "prefers what is false"), (0.5, 0.53, "does not tell them apart")],
)
def test_true_sentences_are_compared_with_false_ones_by_sign_and_margin(true, false, says):
    candidates = [match.Tried("a", true, True), match.Tried("b", false, False)]
    assert says in match.noticed(0.8, True, candidates)[2]
    assert len(match.noticed(0.8, True, candidates[:1])) == 1


def test_measured_sentences_compare_both_networks():
    def of(name, condition, share, count=1000):
        kinds = {"all": share, "colour": share, "number": 1.0}
        return Shares(name, "test", condition, kinds, {"all": count, "colour": count, "number": 3})

    def false_sentences(share):
        return tuple(Shares(name, "test", ITS, {"order": share}, {"order": 400}) for name in JOINT)

    without = [of(name, condition, 0.12) for name in JOINT for condition in (ANOTHER, NONE)]
    both = Results((of("two-streams", ITS, 0.9), of("one-stream", ITS, 0.8), *without), false_sentences(0.52))
    first, needs, *_, better, order, _ = measured.noticed(both)
    assert "**Two streams (ViLBERT)** guesses 90% of the masked words with the picture, 12% with another one" in first
    assert "kind “colour” (+78.0 points)" in needs  # of three numbers nothing is told
    assert "Two streams (ViLBERT) guesses more than One stream (VisualBERT), by 10.0 points" in better
    assert "notices 52% of the sentences whose groups changed places, which cannot be told from chance" in order
    same = Results((of("two-streams", ITS, 0.9), of("one-stream", ITS, 0.89), *without), false_sentences(0.7))
    *_, better, order, _ = measured.noticed(same)
    assert "cannot be decided" in better
    assert "more than chance" in order
    worse = Results((of("two-streams", ITS, 0.12), of("one-stream", ITS, 0.8), *without), false_sentences(0.4))
    *_, order = measured.noticed(worse)
    assert "less than chance" in order
    assert "no kind of word" in measured.noticed(worse)[1]


def test_the_kinds_that_gain_most_by_a_picture_are_named_together_where_they_cannot_be_told_apart():
    def shares(colour, shape, size):
        kinds = {"all": 0.5, "colour": colour, "shape": shape, "size": size}
        return Shares("two-streams", "test", ITS, kinds, dict.fromkeys(kinds, 1000))

    (near,) = measured._tell_needed(shares(0.6, 0.61, 0.2), shares(0.1, 0.1, 0.1))
    assert "“shape” (+51.0 points) and “colour” (+50.0 points)" in near
    assert "size" not in near
    (far,) = measured._tell_needed(shares(0.3, 0.61, 0.2), shares(0.1, 0.1, 0.1))
    assert "colour" not in far


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
        ("Model", "the quick fox", "of all their attention on patches"),
    ],
)
@pytest.mark.usefixtures("at_home")
def test_a_vilt_from_a_folder_reads_text_and_picture(visit, tmp_path, kind, text, says):
    folder = save_vilt(kind, tmp_path)
    app = visit(ROOM, show="Any model", vilt=str(folder), vilt_text=text)
    assert not message_text(app, "warning"), message_text(app, "warning")
    assert says in prose(app)
    (sent,) = [data for part in app.get("bidi_component") if "scene" in (data := json.loads(part.proto.json))]
    assert len(sent["scene"]["maps"]) == 1 + 2 * 2


@pytest.mark.usefixtures("at_home")
def test_what_is_no_vilt_gets_a_sentence(visit, tmp_path):
    clip = save_pair("clip", tmp_path)
    assert "Name a ViLT" in message_text(visit(ROOM, show="Any model", vilt=str(clip)), "warning")


def test_guesses_are_told_beside_those_without_a_picture():
    own, other = Prediction("cat", 0.8, 1), Prediction("dog", 0.3, 2)
    assert "the answer is **“cat”**, 80%; with grey it is “dog”, 30%" in any_model.tell_best(own, other, "the answer")
    less = Prediction("cat", 0.1, 1)
    assert "with grey it is the same, 10%" in any_model.tell_best(own, less, "the answer")
    assert "a score of 2.50, the text and an even grey with −1.00" in any_model.tell_match(2.5, -1.0)

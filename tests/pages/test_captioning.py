"""The page Captioning: every section opens, captions go on after given words, and what is told is true."""

import json
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import torch

from core.published import caption_results
from core.results.captioning_results import CaptionScores, Gates, TrueCaptions
from core.scenes.draw import masks
from core.scenes.sentences import parse
from core.scenes.truth import is_true
from core.translation.decoding import END
from core.zoo.captioners import CAPTIONERS
from dashboard.inputs.picture_input import PHOTOGRAPHS, SCENES, PictureInput, masks_of, sentence_for, truth_of
from dashboard.inputs.scene_builder import FIRST_SCENE
from pages.words_and_pictures.captioning import beam, compute, grounded, measured, one_step, own, telling, write
from tests.core.saved_models import save_captioner, save_pair
from tests.pages.conftest import message_text, prose

ROOM = "words_and_pictures/captioning"
SCENE = PictureInput(SCENES, FIRST_SCENE)


def scenes_sent(app):
    """What the views of words and maps were sent."""
    parts = (json.loads(part.proto.json) for part in app.get("bidi_component"))
    return [data["scene"] for data in parts if "scene" in data]


@pytest.mark.parametrize("section", [part.SECTION.name for part in (write, own, beam, one_step, grounded, measured)])
def test_every_section_opens_on_a_scene(visit, section):
    app = visit(ROOM, show=section)
    assert not message_text(app, "warning"), message_text(app, "warning")
    assert "How it is computed" in [element.value for element in app.subheader]


@pytest.mark.parametrize("section", [part.SECTION.name for part in (write, own, beam, one_step)])
def test_every_section_opens_on_a_photograph(visit, section):
    app = visit(ROOM, show=section, world=PHOTOGRAPHS, picture="cat")
    assert not message_text(app, "warning"), message_text(app, "warning")


def test_a_caption_goes_on_after_the_words_of_the_address(visit):
    app = visit(ROOM, begin="two small")
    (scene,) = scenes_sent(app)
    assert [word["text"] for word in scene["words"]][:2] == ["two", "small"]
    assert "The first 2 words come from you: “two small”" in prose(app)
    # Another picture begins anew.
    app.session_state["scene"] = "0-0~ring.blue.large.plain.30.30"
    app.run()
    assert "begin" not in app.query_params
    assert "come from you" not in prose(app)


def test_words_that_a_network_does_not_know_are_named(visit):
    app = visit(ROOM, show="Your own caption", own_scenes="a red unicorn above a blue circle")
    assert "“unicorn”" in message_text(app, "info")
    app = visit(ROOM, show="Your own caption", own_scenes="unicorns everywhere")
    assert "and none of these" in message_text(app, "warning")
    app = visit(ROOM, show="Your own caption", own_scenes="<script>alert(1)</script> red")
    assert not app.exception


@pytest.mark.parametrize("code", ["nonsense", "0-0", "0-0~star.red.large.plain.1.1"])
def test_an_address_with_no_scene_gets_a_sentence(visit, code):
    assert message_text(visit(ROOM, scene=code), "warning")


def test_an_address_with_too_long_a_beginning_gets_a_sentence(visit):
    answer = message_text(visit(ROOM, begin=" ".join(["a"] * 25)), "warning")
    assert "begins the caption with 25 words; a caption has at most 24" in answer


@pytest.mark.parametrize("name", CAPTIONERS)
def test_what_is_told_of_gates_and_widths_is_so(name):
    chosen = SCENE if name.startswith("scenes") else PictureInput(PHOTOGRAPHS, "coffee")
    written = compute.write(name, chosen, 3)
    sentences = " ".join(telling.noticed(written, chosen, [written.text, written.text]))
    assert "Both networks write the same." in sentences
    count = len(written.labels)
    mean = torch.stack([layer.mean(dim=0) for layer in written.attention.maps]).mean(dim=0)[:count]
    entropy = torch.distributions.Categorical(mean).entropy() / np.log(2)
    over = 2**entropy
    low, high = int(over.argmin()), int(over.argmax())
    if f"{over[low]:.0f}" != f"{over[high]:.0f}":
        assert f"**“{written.labels[low]}”** looks most narrowly, as if over {over[low]:.0f}" in sentences
        assert f"**“{written.labels[high]}”** most widely, over {over[high]:.0f}" in sentences
    if name.endswith("lstm"):
        gates = written.attention.gates[:count]
        if max(gates) - min(gates) > 0.05:
            assert f"open widest for **“{written.labels[int(np.argmax(gates))]}”**, {max(gates):.0%}" in sentences
        else:
            assert "about as open for every word" in sentences
    else:
        assert "The gate" not in sentences


def test_words_that_mean_something_are_counted_by_their_brightest_place():
    written = compute.look("scenes-lstm", SCENE, "a red star above a blue circle")
    (sentence,) = [sentence for sentence in telling.noticed(written, SCENE, []) if "mean something" in sentence]
    rows = written.attention.maps[0][0]
    scene = SCENE.scene
    star, circle = (masks(scene)[place] for place in (0, 1))
    meant = {1: star, 2: star, 3: star | circle, 5: circle, 6: circle}
    hits = 0
    for place, mask in meant.items():
        row, column = divmod(int(rows[place].argmax()), 8)
        hits += bool(mask[8 * row : 8 * row + 8, 8 * column : 8 * column + 8].any())
    assert "5 words mean something in this scene" in sentence
    assert f"For {hits} of them the strongest place touches what is meant." in sentence


def test_masks_and_truth_are_those_of_the_grammar():
    labels = ["a", "red", "star"]
    mask = masks(SCENE.scene)[0]
    word_masks = masks_of(SCENE, labels)
    assert word_masks[0] is None
    assert (word_masks[1] == mask).all()
    assert (word_masks[2] == mask).all()
    assert masks_of(SCENE, ["no", "sentence"]) == (None, None)
    assert masks_of(SCENE, ["a", "green", "star"]) == (None, None, None)  # false of this scene
    assert masks_of(PictureInput(PHOTOGRAPHS, "cat"), labels) == (None, None, None)
    assert truth_of(SCENE, "a red star above a blue circle") is True
    assert truth_of(SCENE, "a green star") is False
    assert truth_of(SCENE, "hello") is None
    assert truth_of(PictureInput(PHOTOGRAPHS, "cat"), "a red star") is None
    text = sentence_for(SCENE.scene)
    assert is_true(parse(text), SCENE.scene)
    assert parse(text).other is not None


def test_a_step_of_the_lstm_adds_up():
    written = compute.write("scenes-lstm", SCENE, 3)
    for place in range(len(written.words)):
        step = compute.step_of("scenes-lstm", SCENE, written.words.ids, place)
        scores = (step.vector * torch.tanh(step.query + step.keys)).sum(dim=-1)
        torch.testing.assert_close(step.scores, scores)
        torch.testing.assert_close(step.weights, written.attention.maps[0][0][place])
        torch.testing.assert_close(step.context, step.gate * step.weighted_sum)
        assert step.gate == pytest.approx(written.attention.gates[place], abs=1e-6)
        chosen = float(step.chances[written.words.ids[place]])
        assert np.log(chosen) == pytest.approx(written.attention.log_probabilities[place], abs=1e-4)
        (sure,) = [
            sentence
            for sentence in one_step.noticed(written, step, place)
            if "most probable" in sentence or "beam" in sentence
        ]
        is_best = int(step.chances.argmax()) == written.words.ids[place]
        assert ("is the most probable word" in sure) == is_best


def test_surprise_in_ones_own_caption_leaves_unknown_words_and_the_end_out():
    written = compute.look("scenes-lstm", SCENE, "a red unicorn star")
    logs = written.attention.log_probabilities
    sentences = own.noticed(written, SCENE)
    known = [0, 1, 3]
    low = min(known, key=lambda place: logs[place])
    assert any(
        f"**“{written.words.labels[low].strip()}”** surprises the network most" in sentence for sentence in sentences
    )
    assert f"over your 3 words is {np.exp(np.mean([logs[place] for place in known])):.1%}" in sentences[-1]
    assert not any("true" in sentence for sentence in sentences)


def test_the_beam_names_the_second_best_caption():
    written = compute.write("scenes-transformer", SCENE, 3)
    sentences = " ".join(beam.noticed(written, 1))
    if len(written.decoded.hypotheses) > 1:
        other = written.decoded.hypotheses[1]
        assert f"“{written.model.text(other.tokens)}”" in sentences
    alone = replace(written, decoded=replace(written.decoded, hypotheses=written.decoded.hypotheses[:1]))
    assert "No other caption" in " ".join(beam.noticed(alone, 1))


def test_ways_are_shown_beside_one_another_with_masks():
    text = sentence_for(SCENE.scene)
    for kind, count in (("lstm", 3), ("transformer", 5)):
        scene = grounded.scene_of(f"scenes-{kind}", SCENE, text)
        assert len(scene.maps) == count
        assert [word.text for word in scene.words] == text.split()
        assert scene.words[scene.start].mask is not None


def test_other_words_are_the_most_probable_ones_and_never_padding():
    written = compute.write("scenes-lstm", SCENE, 3)
    offered = compute.next_words("scenes-lstm", SCENE, written.words.ids[:1])
    chances = [chance for _, chance in offered]
    assert chances == sorted(chances, reverse=True)
    assert not {"[PAD]", "[BEGIN]"} & {word for word, _ in offered}
    assert written.words.ids[-1] == END


SCORES: Callable[..., CaptionScores] = lambda name, four: CaptionScores(  # noqa: E731
    name, {"BLEU-1": 4 * four, "BLEU-2": 3 * four, "BLEU-3": 2 * four, "BLEU-4": four, "chrF": 30.0, "CIDEr": 40.0}
)


COUNTS = {"colour": 300, "relation": 84, "number": 5}  # of a few captions nothing is told


def test_measured_sentences_name_the_best_of_each_kind():
    scores = (
        SCORES("photographs-lstm", 14.0),
        SCORES("photographs-transformer", 15.5),
        SCORES("nearest neighbour", 6.0),
        SCORES("most frequent", 4.0),
    )
    first, base, theirs = measured.about_scores(scores, caption_results())
    assert "**Transformer, for photographs** is best of those here, **15.5**" in first
    assert "beats the best baseline, nearest neighbour, which has 6.0" in base
    assert "Hard attention has 21.3" in theirs
    assert measured.about_scores(scores[:2], ()) == ()
    near = (SCORES("photographs-lstm", 30.0), SCORES("photographs-transformer", 29.5), SCORES("copied", 31.5))
    first, base, _ = measured.about_scores(near, caption_results())
    assert "does not tell which is better" in first
    assert "CIDEr" not in first
    assert "is behind the best baseline, copied" in base
    assert "does no better than" in measured.about_scores((near[0], SCORES("copied", 30.5)), ())[1]
    leads = replace(near[1], scores=near[1].scores | {"CIDEr": 50.0})
    assert "by CIDEr Transformer, for photographs leads" in measured.about_scores((near[0], leads, near[2]), ())[0]
    measurements = (
        TrueCaptions("scenes-lstm", "test", 0.7, {"colour": 0.8, "relation": 0.3}, COUNTS),
        TrueCaptions("scenes-transformer", "test", 0.9, {"colour": 0.95, "relation": 0.6, "number": 0.1}, COUNTS),
        TrueCaptions("scenes-transformer", "four", 0.5, {"colour": 0.6}, COUNTS),
    )
    sentences = measured.about_truth(measurements)
    assert "**Transformer, for drawn scenes** writes true captions in **90%**" in sentences[0]
    assert "“four things, one more than ever before”, 50%" in sentences[1]
    assert "captions with a relation: 60%" in sentences[2]
    assert "84 by LSTM with attention, for drawn scenes, 84 by Transformer, for drawn scenes" in sentences[3]
    assert "equal risks" not in sentences[3]  # as many relations by both
    assert measured.about_truth(()) == ()
    rows = measured.scored_of(measurements, "relation")
    assert [(row.share, row.words) for row in rows] == [(0.3, 84), (0.6, 84)]
    assert rows[0].error == pytest.approx((0.3 * 0.7 / 84) ** 0.5)


def test_captioners_of_scenes_are_ranked_only_where_their_captions_tell_them_apart():
    kinds, few = {"colour": 0.9, "relation": 0.88}, {"colour": 300, "relation": 84}
    measurements = (
        TrueCaptions("scenes-lstm", "test", 0.89, kinds, few | {"relation": 20}),
        TrueCaptions("scenes-transformer", "test", 0.9, kinds, few),
        TrueCaptions("scenes-transformer", "four", 0.89, kinds, few),
    )
    sentences = measured.about_truth(measurements)
    assert "cannot be told from LSTM with attention, for drawn scenes (89%)" in sentences[0]
    assert not any("hardest" in sentence or "Least often" in sentence for sentence in sentences)
    assert "They do not take equal risks" in sentences[-1]  # 20 of 500 captions with a relation, and 84
    assert len(measured.about_truth(measurements[1:2])) == 1


@pytest.mark.parametrize(
    ("a", "of", "says"),
    [(0.985, 0.993, "does not close for small words"), (0.5, 0.9, "closes somewhat"), (0.99, 0.99, "does not close")],
)
def test_the_gate_is_told_by_what_was_measured_of_small_words(a, of, says):
    (sentence,) = measured.about_gates(Gates(60, 600, 2, 0.98, {"a": a, "of": of}))
    assert says in sentence
    assert f"{a:.0%} for “a”, {of:.0%} for “of”" in sentence
    assert measured.about_gates(None) == ()


def test_gates_that_hardly_differ_between_words_are_told_alike():
    written = compute.look("scenes-lstm", SCENE, "a red star")

    def gated(*gates):
        return replace(written, attention=replace(written.attention, gates=(*gates, 0.1)))

    (alike,) = telling._tell_gate(gated(0.95, 0.97, 0.99))
    assert "about as open for every word: 95% to 99%" in alike
    (apart,) = telling._tell_gate(gated(0.5, 0.97, 0.99))
    assert "open widest for **“star”**, 99%, and least for **“a”**, 50%" in apart


def test_a_step_that_looks_everywhere_alike_has_no_strongest_place():
    written = compute.look("scenes-lstm", SCENE, "a red star")
    step = compute.step_of("scenes-lstm", SCENE, written.words.ids, 1)
    even = replace(step, weights=torch.full_like(step.weights, 1 / len(step.weights)))
    assert "strongest" not in one_step.noticed(written, even, 1)[0]
    assert "everywhere alike" in one_step.noticed(written, even, 1)[0]
    narrow = replace(step, weights=torch.eye(len(step.weights))[5])
    assert "64.0 times an even share" in one_step.noticed(written, narrow, 1)[0]


def test_a_second_caption_with_the_same_score_is_not_told_below():
    written = compute.write("scenes-transformer", SCENE, 3)
    first = written.decoded.hypotheses[0]
    tie = replace(written, decoded=replace(written.decoded, hypotheses=(first, first)))
    assert "with the same score" in beam.noticed(tie, 1)[1]


def test_without_a_name_the_section_says_what_to_name(visit):
    app = visit(ROOM, show="Any model")
    assert "Name a captioner" in prose(app)
    assert not message_text(app, "warning")


@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize("kind", ["blip", "git", "vit-gpt2"])
def test_a_captioner_from_a_folder_describes_and_reads(visit, kind, tmp_path):
    folder = str(save_captioner(kind, tmp_path))
    app = visit(ROOM, show="Any model", captioner=folder, picture="cat")
    (scene,) = scenes_sent(app)
    assert len(scene["maps"]) == 1 + 2 * 2
    app = visit(ROOM, show="Any model", captioner=folder, named_caption="a red cat")
    (scene,) = scenes_sent(app)
    assert [word["text"] for word in scene["words"]] == ["a", "red", "cat", "</s>"]


@pytest.mark.usefixtures("at_home")
def test_what_does_not_describe_pictures_is_refused(visit, tmp_path):
    app = visit(ROOM, show="Any model", captioner=str(save_pair("clip", tmp_path)))
    assert "does not describe pictures" in message_text(app, "warning")

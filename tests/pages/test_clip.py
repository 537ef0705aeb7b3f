"""The page CLIP: every section opens, bad input gets one sentence, and what is told is true."""

import json

import numpy as np
import pytest
import torch

from core.measured.clip_results import Exchanged, Retrieval
from dashboard.numbers import signed
from dashboard.scene_builder import FIRST_SCENE
from dashboard.seen import EMOJI, PHOTOGRAPHS, SCENES, Seen
from pages.words_and_pictures.clip import agreement, classes, compute, measured, search, space, why, words
from tests.core.saved_models import save_pair
from tests.pages.conftest import prose, told

ROOM = "words_and_pictures/clip"
SCENE = Seen(SCENES, FIRST_SCENE)
SECTIONS = (
    words.AGREEMENT,
    words.CLASSES,
    words.WHY,
    words.SEARCH,
    words.SPACE,
    words.GROUNDED,
    words.MEASURED,
)


@pytest.mark.parametrize("section", SECTIONS)
def test_every_section_opens(visit, section):
    app = visit(ROOM, show=section)
    assert not told(app, "warning"), told(app, "warning")
    assert "How it is computed" in [element.value for element in app.subheader]


@pytest.mark.parametrize("world", [PHOTOGRAPHS, EMOJI])
@pytest.mark.parametrize("section", [words.AGREEMENT, words.CLASSES, words.WHY])
def test_they_open_in_the_other_worlds_too(visit, section, world):
    app = visit(ROOM, show=section, world=world)
    assert not told(app, "warning"), told(app, "warning")


def test_sentences_are_counted_and_unknown_words_named(visit):
    many = "\n".join(f"a red star {number}" for number in range(13))
    assert "There are 13 sentences; at most 12" in told(visit(ROOM, texts_scenes=many), "warning")
    assert "no sentence here yet" in told(visit(ROOM, texts_scenes=" \n "), "warning")
    assert "“unicorn”" in told(visit(ROOM, texts_scenes="a red unicorn"), "info")
    assert "none of “unicorns”" in told(visit(ROOM, texts_scenes="unicorns"), "warning")
    app = visit(ROOM, show=words.CLASSES, templates_scenes="no place")
    assert "write {} once" in told(app, "warning")
    app = visit(ROOM, show=words.WHY, why_scenes="<img src=x onerror=alert(1)> red star")
    assert not app.exception


def test_a_sentence_is_told_whole_beside_its_row_and_its_markup_as_text(visit):
    long = "a small plain blue circle left of a large striped green square"
    app = visit(ROOM, texts_scenes=f"{long}\n<b>red</b> star")
    layout = json.loads(app.get("plotly_chart")[0].proto.spec)["layout"]
    first, second = layout["yaxis"]["ticktext"]
    assert first.count("<br>") == 2
    assert first.replace("<br>", " ") == long
    assert second == "&lt;b&gt;red&lt;/b&gt; star"


def test_cosines_and_their_shares_are_those_of_the_vectors():
    pictures = (SCENE, Seen(SCENES, "0-0~ring.blue.large.plain.30.30"))
    texts = ("a red star", "a blue ring", "nothing is green")
    scores = compute.cosines("scenes", pictures, texts)
    for row, seen in enumerate(pictures):
        for column, text in enumerate(texts):
            one, other = compute.picture_vector("scenes", seen), compute.text_vector("scenes", text)
            assert scores[row, column] == pytest.approx(float(torch.cosine_similarity(one, other, dim=0)), abs=1e-5)
    rows = compute.shares(scores, 10.0, 1)
    powers = np.exp(10 * scores.astype(np.float64))
    assert rows == pytest.approx(powers / powers.sum(axis=1, keepdims=True), abs=1e-5)
    assert compute.shares(scores, 10.0, 0).sum(axis=0) == pytest.approx(np.ones(3), abs=1e-5)


def test_what_is_told_of_the_matrix_is_so():
    pictures = (SCENE, Seen(SCENES, "0-0~ring.blue.large.plain.30.30"))
    texts = ("a red star", "a blue ring")
    scores = np.array([[0.5, 0.1], [0.2, -0.3]], dtype=np.float32)
    best, sure, true, between = agreement.noticed(scores, texts, pictures, 4.0)
    assert "Picture 1 and **“a red star”** agree best, with a cosine of **0.50**" in best
    chance = 1 / (1 + np.exp(-4 * 0.5))
    assert f"picture 2: one sentence takes {chance:.0%}" in sure
    assert "Of 2 scenes some sentences are true and some are not: for 1 of them it prefers a true one." in true
    assert "between −0.30 and 0.50" in between
    alone = agreement.noticed(scores[:1, :1], texts[:1], pictures[:1], 4.0)
    assert len(alone) == 2  # one sentence: nothing to be sure of, nothing to choose


def test_a_word_adds_what_the_cosine_loses_without_it():
    text = "a red star"
    whole, without = compute.without_each("scenes", SCENE, text)
    picture = compute.picture_vector("scenes", SCENE)
    assert whole == pytest.approx(float(picture @ compute.text_vector("scenes", text)), abs=1e-6)
    assert without[1] == pytest.approx(float(picture @ compute.text_vector("scenes", "a star")), abs=1e-6)
    assert compute.without_each("scenes", SCENE, "star")[1] == (0.0,)
    labels, added = ["a", "red", "star"], [0.1, 0.4, -0.2]
    told_ = why.noticed(labels, added, 0.6, 0.2, {})
    assert "**“red”** adds most, 0.40; “star” takes most away, −0.20" in told_[0]
    assert "comes to 0.30, the cosine is 0.60: words do not simply add up" in told_[1]
    assert "do not" not in why.noticed(labels, added, 0.3, 0.2, {})[1]
    assert "With patches covered the cosine falls by 0.40." in told_
    assert why.noticed(["star"], [0.6], 0.6, 0.6, {}) == ("A sentence of one word cannot be taken apart.",)


def test_words_can_be_told_by_relevance_too(visit):
    app = visit(ROOM, show=words.WHY, why_words=words.BY_RELEVANCE, why_scenes="a red star")
    assert not told(app, "warning")
    found = compute.read_by_relevance("scenes", SCENE, "a red star")
    assert [label for label, _ in found] == ["a", "red", "star"]


def test_covering_all_patches_leaves_a_picture_of_one_colour():
    nothing = compute.with_covered("scenes", SCENE, "a red star", tuple(range(64)))
    prepared = compute.prepare("scenes", SCENE)
    median = prepared.pixels[0].flatten(1).median(dim=1).values
    model = compute.clip("scenes")
    blank = median[None, :, None, None].expand_as(prepared.pixels).contiguous()
    expected = float(model.pictures(blank)[0] @ compute.text_vector("scenes", "a red star"))
    assert nothing == pytest.approx(expected, abs=1e-4)


def test_covered_patches_stand_in_the_address(visit):
    app = visit(ROOM, show=words.WHY, covered="9-10-9999-x")
    assert "Cosine with 2 patches covered" in prose(app)


def test_classes_are_told_as_they_come_out():
    chances = np.array([[0.7, 0.2, 0.1], [0.3, 0.6, 0.1]])
    first, second, third = classes.noticed(("cat", "dog", "cup"), ("a {}", "the {}"), chances)
    assert "**“cat”** wins with 50%" in first
    assert "wins with 1 of the 2 templates" in second
    assert "“cat”: from 30% to 70%" in third or "“dog”: from 20% to 60%" in third
    only = classes.noticed(("cat",), ("a {}",), np.array([[1.0]]))
    assert "nothing to choose" in only[-1]
    found = classes.chances_of("scenes", SCENE, ("a red star", "a green ring"), ("{}",))
    scores = compute.cosines("scenes", [SCENE], ["a red star", "a green ring"])
    expected = compute.shares(scores, compute.clip("scenes").temperature, 1)
    assert found == pytest.approx(expected, abs=1e-6)


def test_search_ranks_by_the_cosine_and_counts_what_is_true():
    scores = np.array([0.1, 0.9, 0.4])
    first, second, third = search.noticed(scores, [True, None, False], ["", "", ""], "a red star")
    assert "nearest of 3 has a cosine of 0.90" in first
    assert "second has 0.40" in second
    assert "middle of all 0.40, the last 0.10" in second
    assert "Of the first 2 scenes “a red star” is true of **1**" in third
    found = compute.corpus("scenes")
    assert len(found.pictures) == compute.FOUND_SCENES
    place = 17
    torch.testing.assert_close(found.vectors[place], compute.picture_vector("scenes", found.pictures[place]))


@pytest.mark.parametrize("name", ["scenes", "emoji"])
def test_the_plane_holds_what_it_says(name):
    found = compute.space(name, 50)
    assert found.pictures.shape == found.read.shape == (50, 2)
    corpus = compute.corpus(name)
    if name == "emoji":
        places = [corpus.titles.index(title) for title in found.names]
        pictures = corpus.vectors[places]
        texts = torch.stack([compute.text_vector(name, text) for text in found.texts])
        every = torch.cat([pictures, texts]).double().numpy()
        values = np.linalg.eigvalsh(np.cov(every.T))[::-1]
        assert found.held[:2] == pytest.approx(values[:2] / values.sum(), abs=1e-3)
        assert found.own == pytest.approx(float((pictures * texts).sum(dim=1).mean()), abs=1e-5)
    sentences = space.noticed(found)
    assert f"**{found.held[:2].sum():.0%}**" in sentences[0]
    assert f"**{signed(found.between)}**" in sentences[1]


def test_measured_sentences_name_best_worst_and_the_baseline():
    shares = {"colour": 0.95, "order": 0.51, "shape": 0.9, "number": 0.1}
    pairs = {"colour": 400, "order": 200, "shape": 300, "number": 10}  # of a few pairs nothing is told
    found = (Exchanged("test", 0.9, 500, shares, pairs, shares),)
    ranked = (
        Retrieval("photographs: text to picture", {1: 0.05, 5: 0.15, 10: 0.25}, 60.0, 1000),
        Retrieval(
            "photographs: text to picture, words of the nearest photograph", {1: 0.01, 5: 0.03, 10: 0.05}, 300.0, 1000
        ),
    )
    sentences = measured.noticed(found, ranked, {"one template": 0.3, "mean of the templates": 0.35, "chance": 0.1})
    assert "wrong **colour** in 95% of the pairs, a wrong **order** in 51%" in sentences[0]
    assert "no better than counting words" in sentences[1]
    assert "among 1,000 at once in 5.0%, among the first ten in 25%" in sentences[2]
    assert "in 1.0% and 5%" in sentences[2]
    assert "names 35% right (mean of the templates), where chance is 10%" in sentences[3]
    better = (Exchanged("test", 0.9, 500, {"colour": 0.95, "order": 0.7}, {"colour": 400, "order": 200}, {}),)
    assert "more than counting words gives" in measured.noticed(better, (), {})[1]


@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize("section", [words.AGREEMENT, words.CLASSES, words.WHY, words.SEARCH])
def test_a_clip_from_a_folder_is_shown_in_every_section_of_photographs(visit, section, tmp_path):
    folder = save_pair("clip", tmp_path)
    app = visit(ROOM, show=section, world=PHOTOGRAPHS, search_world=PHOTOGRAPHS, pair=str(folder))
    assert not told(app, "warning"), told(app, "warning")
    assert "How it is computed" in [element.value for element in app.subheader]


def test_a_visitor_of_a_public_server_cannot_name_a_folder(visit, tmp_path):
    app = visit(ROOM, world=PHOTOGRAPHS, pair=str(save_pair("clip", tmp_path)))
    assert "Folders can be opened only in an app that you run yourself" in told(app, "warning")

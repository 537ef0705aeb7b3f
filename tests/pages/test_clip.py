"""The page CLIP: every section opens, bad input gets one sentence, and what is told is true."""

import json

import numpy as np
import pytest
import torch

from core.attribution.word_maps import OCCLUSION, RELEVANCE
from core.images import EXAMPLES
from core.results.clip_results import Retrieval, SentencePreferences
from core.zoo.emoji import emoji
from dashboard.inputs.picture_input import EMOJI, PHOTOGRAPHS, SCENES, PictureInput, truth_of
from dashboard.inputs.scene_builder import FIRST_SCENE
from dashboard.number_format import signed
from dashboard.theme import LIGHT, Look
from pages.words_and_pictures.clip import agreement, classes, compute, inputs, measured, search, space, why
from pages.words_and_pictures.clip.figures import agreement_matrix
from pages.words_and_pictures.clip.prose import PAGE
from tests.core.saved_models import save_pair
from tests.pages.conftest import message_text, prose
from tests.pages.tiny_clips import tiny_clips  # noqa: F401

pytestmark = pytest.mark.usefixtures("tiny_clips")
ROOM = "words_and_pictures/clip"
SCENE = PictureInput(SCENES, FIRST_SCENE)
SECTIONS = tuple(PAGE.sections)


@pytest.mark.parametrize("section", SECTIONS)
def test_every_section_opens(visit, section):
    app = visit(ROOM, show=section)
    assert not message_text(app, "warning"), message_text(app, "warning")
    assert "How it is computed" in [element.value for element in app.subheader]


@pytest.mark.parametrize("world", [PHOTOGRAPHS, EMOJI])
@pytest.mark.parametrize("section", [agreement.SECTION.name, classes.SECTION.name, why.SECTION.name])
def test_they_open_in_the_other_worlds_too(visit, section, world):
    app = visit(ROOM, show=section, world=world)
    assert not message_text(app, "warning"), message_text(app, "warning")


def test_sentences_are_counted_and_unknown_words_named(visit):
    many = "\n".join(f"a red star {number}" for number in range(13))
    assert "There are 13 sentences; at most 12" in message_text(visit(ROOM, texts_scenes=many), "warning")
    assert "no sentence here yet" in message_text(visit(ROOM, texts_scenes=" \n "), "warning")
    assert "“unicorn”" in message_text(visit(ROOM, texts_scenes="a red unicorn"), "info")
    assert "none of “unicorns”" in message_text(visit(ROOM, texts_scenes="unicorns"), "warning")
    app = visit(ROOM, show=classes.SECTION.name, templates_scenes="no place")
    assert "write {} once" in message_text(app, "warning")
    app = visit(ROOM, show=why.SECTION.name, why_scenes="<img src=x onerror=alert(1)> red star")
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
    pictures = (SCENE, PictureInput(SCENES, "0-0~ring.blue.large.plain.30.30"))
    texts = ("a red star", "a blue ring", "nothing is green")
    scores = compute.cosines("scenes", pictures, texts)
    for row, picture in enumerate(pictures):
        for column, text in enumerate(texts):
            one, other = compute.picture_vector("scenes", picture), compute.text_vector("scenes", text)
            assert scores[row, column] == pytest.approx(float(torch.cosine_similarity(one, other, dim=0)), abs=1e-5)
    rows = compute.shares(scores, 10.0, 1)
    powers = np.exp(10 * scores.astype(np.float64))
    assert rows == pytest.approx(powers / powers.sum(axis=1, keepdims=True), abs=1e-5)
    assert compute.shares(scores, 10.0, 0).sum(axis=0) == pytest.approx(np.ones(3), abs=1e-5)


def test_what_is_told_of_the_matrix_is_so():
    pictures = (SCENE, PictureInput(SCENES, "0-0~ring.blue.large.plain.30.30"))
    texts = ("a red star", "a blue ring")
    scores = np.array([[0.5, 0.1], [0.2, -0.3]], dtype=np.float32)
    best, sure, true, between = agreement.noticed(scores, texts, pictures, 4.0)
    assert "Picture 1 and **“a red star”** agree best, with a cosine of **0.50**" in best
    chance = 1 / (1 + np.exp(-4 * 0.5))
    assert "picture 2" in sure
    assert f"{chance:.0%}" in sure
    assert "For 1 of the 2 scenes" in true
    assert "between −0.30 and 0.50" in between
    assert "for 1.0" in true  # one of two sentences is true of each of both
    (alone,) = agreement.noticed(scores[:1, :1], texts[:1], pictures[:1], 4.0)
    assert "best" not in alone  # one sentence: nothing to be sure of, nothing to choose


def test_the_matrix_writes_numbers_inks_shares_and_outlines_the_best_of_each_row():
    scores = np.array([[0.5, 0.1], [0.2, 0.3]], dtype=np.float32)  # (picture, sentence)
    assert agreement.best_cells(scores, by_picture=False) == ((0, 0), (1, 1))
    assert agreement.best_cells(scores, by_picture=True) == ((0, 0), (1, 1))
    assert agreement.best_cells(scores[:1], by_picture=False) == ()  # a single picture is no choice
    ink = compute.shares(scores, 10.0, 0).T
    numbers = [["0.50", "0.20"], ["0.10", "0.30"]]
    figure = agreement_matrix(numbers, ink, ["a", "b"], ["data:,", "data:,"], best=((0, 0), (1, 1)), look=Look(LIGHT))
    assert np.asarray(figure.data[0].z) == pytest.approx(ink)
    assert [list(row) for row in figure.data[0].text] == [["<b>0.50</b>", "0.20"], ["0.10", "<b>0.30</b>"]]
    outlined = [((shape.y0 + shape.y1) / 2, (shape.x0 + shape.x1) / 2) for shape in figure.layout.shapes]
    assert np.array(outlined) == pytest.approx(np.array([(0, 0), (1, 1)]))
    assert [image.x for image in figure.layout.images] == [0, 1]


def test_a_matrix_in_which_nothing_differs_prefers_nothing():
    pictures, texts = (SCENE, SCENE), ("a red star", "a green ring")
    best, sure, _, between = agreement.noticed(np.full((2, 2), 0.4), texts, pictures, 10.0)
    assert "and so do 3 other pairs" in best
    assert "no picture clearly prefers" in sure
    assert "All cosines are 0.40" in between
    tie = agreement.noticed(np.array([[0.4, 0.401], [0.1, 0.2]]), texts, pictures, 10.0)[0]
    assert "and so does one other pair" in tie


def test_emoji_are_told_by_whether_the_network_learned_from_them():
    known, new = (
        [PictureInput(EMOJI, entry.character) for entry in emoji() if entry.learned is learned]
        for learned in (True, False)
    )
    assert compute.is_learned(known[0])
    assert not compute.is_learned(new[0])
    assert not compute.is_learned(SCENE)
    assert list(inputs.tell_learned((SCENE,))) == []
    assert "learned from this emoji" in next(inputs.tell_learned(known[:1]))
    assert "held out" in next(inputs.tell_learned(new[:1]))
    assert "learned from 2 of these 3 emoji" in next(inputs.tell_learned([*known[:2], new[0]]))
    assert "none of these 2 emoji" in next(inputs.tell_learned(new[:2]))
    assert "all 2" in next(inputs.tell_learned(known[:2]))


def test_a_word_adds_what_the_cosine_loses_without_it():
    text = "a red star"
    cosine, without = compute.without_words("scenes", SCENE, text)
    picture = compute.picture_vector("scenes", SCENE)
    assert cosine == pytest.approx(float(picture @ compute.text_vector("scenes", text)), abs=1e-6)
    assert without[1] == pytest.approx(float(picture @ compute.text_vector("scenes", "a star")), abs=1e-6)
    assert compute.without_words("scenes", SCENE, "star")[1] == (0.0,)
    labels, added = ["a", "red", "star"], [0.1, 0.4, -0.2]
    sentences = why.noticed(labels, added, 0.6, 0.2, {})
    assert "**“red”** adds most, 0.40; “star” takes most away, −0.20" in sentences[0]
    assert "sum to 0.30, the cosine is 0.60: words do not simply add up" in sentences[1]
    assert "do not" not in why.noticed(labels, added, 0.3, 0.2, {})[1]
    assert "With patches covered the cosine falls by 0.40." in sentences
    assert why.noticed(["star"], [0.6], 0.6, 0.6, {}) == ("A sentence of one word cannot be taken apart.",)
    assert "changes by less than" in why.noticed(["star"], [0.6], 0.6, 0.601, {})[1]
    assert "rises by 0.20" in why.noticed(["star"], [0.6], 0.6, 0.8, {})[1]


@pytest.mark.parametrize(
    ("added", "says"),
    [
        ([0.3, -0.1], "“a”** adds most, 0.30; b takes most away"),
        ([0.3, 0.1], "adds most, 0.30; b adds least, 0.10"),
        ([0.2, 0.201], "All words add as much"),
        ([-0.3, -0.1], "No word adds to the cosine; **a** takes most away, −0.30"),
        ([0.001, -0.002], "No word matters alone"),
    ],
)
def test_what_words_add_is_told_by_its_sign(added, says):
    assert says.replace("“", "").replace("”", "") in why.noticed(["a", "b"], added, 0.5, 0.5, {})[0].replace(
        "“", ""
    ).replace("”", "")


def test_maps_agree_on_a_patch_only_where_both_find_one():
    flat, first, second = torch.zeros(2, 4), torch.eye(4)[:2], torch.eye(4)[1:3]
    sentences = [
        why.noticed(["a", "b"], [0.5, 0.1], 0.6, 0.6, {RELEVANCE: first, OCCLUSION: other})[-1]
        for other in (first, second, flat)
    ]
    assert "occlusion agree" in sentences[0]
    assert "do not agree" in sentences[1]
    assert "no patch that matters" in sentences[2]


@pytest.mark.parametrize("picture", EXAMPLES)
def test_why_begins_with_a_sentence_of_its_own_photograph_in_words_that_are_known(picture):
    first = why.first_sentence(compute.clip("photographs"), PictureInput(PHOTOGRAPHS, picture))
    assert first == EXAMPLES[picture].sentence
    assert len({example.sentence for example in EXAMPLES.values()}) == len(EXAMPLES)
    assert not compute.clip("photographs").unknown(first)


def test_another_picture_has_another_sentence_unless_somebody_has_written(visit):
    app = visit(ROOM, show=why.SECTION.name, world=EMOJI)
    assert app.text_input(key="why_emoji").value == "red heart"
    app.selectbox(key="one_emoji").set_value("🐶").run()
    assert app.text_input(key="why_emoji").value == "dog face"
    app.text_input(key="why_emoji").set_value("a cat").run()
    app.selectbox(key="one_emoji").set_value("❤️").run()
    assert app.text_input(key="why_emoji").value == "a cat"


def test_words_can_be_told_by_relevance_too(visit):
    app = visit(ROOM, show=why.SECTION.name, why_words=why.BY_RELEVANCE, why_scenes="a red star")
    assert not message_text(app, "warning")
    relevance = compute.read_by_relevance("scenes", SCENE, "a red star")
    assert [label for label, _ in relevance] == ["a", "red", "star"]


def test_covering_all_patches_leaves_a_picture_of_one_colour():
    nothing = compute.with_covered("scenes", SCENE, "a red star", tuple(range(64)))
    prepared = compute.prepare("scenes", SCENE)
    median = prepared.pixels[0].flatten(1).median(dim=1).values
    model = compute.clip("scenes")
    blank = median[None, :, None, None].expand_as(prepared.pixels).contiguous()
    expected = float(model.pictures(blank)[0] @ compute.text_vector("scenes", "a red star"))
    assert nothing == pytest.approx(expected, abs=1e-4)


def test_covered_patches_stand_in_the_address(visit):
    app = visit(ROOM, show=why.SECTION.name, covered="9-10-9999-x")
    assert "Cosine with 2 patches covered" in prose(app)


def test_classes_are_told_as_they_come_out():
    chances = np.array([[0.7, 0.2, 0.1], [0.3, 0.6, 0.1]])
    first, second, third = classes.noticed(("cat", "dog", "cup"), ("a {}", "the {}"), chances)
    assert "**“cat”** wins with 50%" in first
    assert "wins with 1 of the 2 templates" in second
    assert "“cat”: from 30% to 70%" in third or "“dog”: from 20% to 60%" in third
    assert "an even share would be 33%" in first
    (only,) = classes.noticed(("cat",), ("a {}",), np.array([[1.0]]))
    assert "nothing to choose" in only
    assert "wins" not in only
    tie = classes.noticed(("cat", "dog", "cup"), ("a {}",), np.array([[0.45, 0.45, 0.1]]))
    assert "“cat”, “dog” share the first place" in tie[0]
    even = classes.noticed(("cat", "dog"), ("a {}", "the {}"), np.full((2, 2), 0.5))
    assert even == ("No class wins: all 2 get about an even share, 50%.",)
    same = classes.noticed(("cat", "dog"), ("a {}", "the {}"), np.array([[0.8, 0.2], [0.8, 0.2]]))
    assert "hardly differ" in same[-1]
    probabilities = classes.chances_of("scenes", SCENE, ("a red star", "a green ring"), ("{}",))
    scores = compute.cosines("scenes", [SCENE], ["a red star", "a green ring"])
    expected = compute.shares(scores, compute.clip("scenes").temperature, 1)
    assert probabilities == pytest.approx(expected, abs=1e-6)


def test_search_ranks_by_the_cosine_and_counts_what_is_true():
    scores = np.array([0.1, 0.9, 0.4])
    known = [True, None, False, True, False]
    first, second, third = search.noticed(scores, [True, None, False], ["", "", ""], "a red star", known)
    assert "nearest of 3 pictures has a cosine of 0.90" in first
    assert "second has 0.40" in second
    assert "median of all is 0.40, the last has 0.10" in second
    assert "“a red star” is true of **1** of the first 2 scenes and of 2 of all 4; a random choice" in third
    assert "would have 1.0" in third
    assert "no picture from another" in search.noticed(np.full(3, 0.5), [], ["x"], "a", [])[1]
    assert len(search.noticed(np.array([0.5]), [], ["x"], "a", [])) == 1
    assert "second has the same" in search.noticed(np.array([0.5, 0.5, 0.1]), [], ["x"], "a", [])[1]
    nowhere = search.noticed(scores, [False, False], ["", ""], "a red star", [False, False, False])[2]
    assert "true of none of the 3 scenes" in nowhere
    truths = compute.truths("scenes", "a red star")
    assert truths[17] == truth_of(compute.corpus("scenes").pictures[17], "a red star")
    corpus = compute.corpus("scenes")
    assert len(corpus.pictures) == compute.FOUND_SCENES
    place = 17
    torch.testing.assert_close(corpus.vectors[place], compute.picture_vector("scenes", corpus.pictures[place]))


@pytest.mark.parametrize("name", ["scenes", "emoji"])
def test_the_plane_holds_what_it_says(name):
    projection = compute.space(name, 50)
    assert projection.pictures.shape == projection.sentences.shape == (50, 2)
    corpus = compute.corpus(name)
    if name == "emoji":
        places = [corpus.titles.index(title) for title in projection.names]
        pictures = corpus.vectors[places]
        texts = torch.stack([compute.text_vector(name, text) for text in projection.texts])
        every = torch.cat([pictures, texts]).double().numpy()
        values = np.linalg.eigvalsh(np.cov(every.T))[::-1]
        assert projection.held[:2] == pytest.approx(values[:2] / values.sum(), abs=1e-3)
        own = (pictures @ texts.T).diagonal()
        assert projection.own == pytest.approx(float(own.mean()), abs=1e-5)
        apart = ~torch.eye(50, dtype=torch.bool)
        assert projection.across == pytest.approx(float((pictures @ texts.T)[apart].mean()), abs=1e-5)
        assert projection.other == pytest.approx(float((pictures @ pictures.T)[apart].mean()), abs=1e-5)
        held_out = {entry.description for entry in emoji() if not entry.learned}
        assert set(projection.names) <= held_out
        assert projection.learned is not None
    else:
        assert projection.learned is None
    sentences = space.noticed(projection)
    assert f"**{projection.held[:2].sum():.0%}**" in sentences[0]
    assert f"**{signed(projection.between)}**" in sentences[1]


@pytest.mark.parametrize(
    ("other", "across", "own", "says"),
    [
        (0.6, 0.1, 0.5, ("two kinds lie apart", "nearer to its own")),
        (0.3, 0.28, 0.3, ("do not lie apart", "no nearer to its own")),
        (0.1, 0.4, 0.1, ("nearer to sentences", "farther from its own")),
    ],
)
def test_kinds_lie_apart_by_the_cosines_within_them_and_between_them(other, across, own, says):
    nothing = np.zeros((2, 2))
    projection = compute.Map(("a",), ("b",), nothing, nothing, np.array([0.6, 0.4]), 0.2, own, other, across, None)
    _, kinds, nearer = space.noticed(projection)
    assert says[0] in kinds
    assert says[1] in nearer
    alone = compute.Map(("a",), ("b",), nothing, nothing, np.array([0.6, 0.4]), 0.2, own, np.nan, np.nan, 0.89)
    _, learned = space.noticed(alone)  # one picture: nothing to compare it with
    assert "0.89" in learned


def test_measured_sentences_name_best_worst_and_the_baseline():
    shares = {"colour": 0.95, "order": 0.51, "shape": 0.9, "number": 0.1}
    pairs = {"colour": 400, "order": 200, "shape": 300, "number": 10}  # of a few pairs nothing is told
    preferences = (SentencePreferences("test", 0.9, 500, shares, pairs, shares),)
    ranked = (
        Retrieval("photographs: text to picture", {1: 0.05, 5: 0.15, 10: 0.25}, 60.0, 1000),
        Retrieval(
            "photographs: text to picture, words of the nearest photograph", {1: 0.01, 5: 0.03, 10: 0.05}, 300.0, 1000
        ),
    )
    right = {"one template": 0.3, "mean of the templates": 0.35, "chance": 0.1}
    sentences = measured.noticed(preferences, ranked, right)
    assert "wrong **colour** in 95% of the pairs, a wrong **order** in 51%" in sentences[0]
    assert "cannot be told from counting words" in sentences[1]
    assert "first of 1,000 in 5.0% of cases, among the first ten in 25%" in sentences[2]
    assert "1.0% and 5%" in sentences[2]
    assert "35% of CIFAR-10 right (mean of the templates); chance is 10%" in sentences[3]
    for share, says in ((0.7, "more than counting"), (0.3, "less than counting")):
        other = (
            SentencePreferences("test", 0.9, 500, {"colour": 0.95, "order": share}, {"colour": 400, "order": 200}, {}),
        )
        assert says in measured.noticed(other, (), {})[1]


@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize(
    "section", [agreement.SECTION.name, classes.SECTION.name, why.SECTION.name, search.SECTION.name]
)
def test_a_clip_from_a_folder_is_shown_in_every_section_of_photographs(visit, section, tmp_path):
    folder = save_pair("clip", tmp_path)
    app = visit(ROOM, show=section, world=PHOTOGRAPHS, search_world=PHOTOGRAPHS, pair=str(folder))
    assert not message_text(app, "warning"), message_text(app, "warning")
    assert "How it is computed" in [element.value for element in app.subheader]


def test_a_visitor_of_a_public_server_cannot_name_a_folder(visit, tmp_path):
    app = visit(ROOM, world=PHOTOGRAPHS, pair=str(save_pair("clip", tmp_path)))
    assert "Folders can be opened only in an app that you run yourself" in message_text(app, "warning")

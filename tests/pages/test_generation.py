"""The page Generation: every section opens, pictures go on as they should, and what is told is true."""

import io
import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from core.results.dalle_results import (
    ALL,
    CHANCE,
    THROUGH,
    WHOLE_SENTENCE,
    CoderResult,
    DrawerResult,
    ReaderResult,
    Results,
    Share,
)
from core.scenes.codes import read_code
from core.scenes.sentences import parse
from core.scenes.things import Scene, Thing
from core.zoo import dalles
from core.zoo.dalles import CODERS, PictureAttention
from dashboard.components.source_maps import SourceLayer, SourceScene
from dashboard.inputs.picture_input import PHOTOGRAPHS, SCENES, PictureInput
from dashboard.inputs.scene_builder import FIRST_SCENE
from dashboard.theme import LIGHT, Look
from pages.words_and_pictures.generation import (
    codes,
    compute,
    go_on,
    inputs,
    measured_drawn,
    measured_statements,
    sources,
    write,
)
from pages.words_and_pictures.generation.compute import Coded, DrawingAttention, Drawn, DrawRequest
from pages.words_and_pictures.generation.pictures import begun, enlarged, sheet
from pages.words_and_pictures.generation.prose import PAGE
from tests.pages.conftest import message_text, prose
from tests.pages.tiny_drawers import tiny_drawers  # noqa: F401

ROOM = "words_and_pictures/generation"
TEXT = "a red star above a blue circle"
SCENE = PictureInput(SCENES, FIRST_SCENE)
WRITE, SOURCES, GO_ON, CODES = (part.SECTION.name for part in (write, sources, go_on, codes))
REQUEST = DrawRequest("scenes", TEXT)


pytestmark = pytest.mark.usefixtures("tiny_drawers")


# Pages.


@pytest.mark.parametrize("section", [WRITE, SOURCES, GO_ON, CODES])
def test_every_section_opens(visit, section):
    app = visit(ROOM, show=section)
    assert not message_text(app, "warning"), message_text(app, "warning")
    assert "How it is computed" in [element.value for element in app.subheader]


def test_without_networks_one_sentence_says_how_to_get_them(visit, monkeypatch):
    monkeypatch.setattr(dalles, "available", lambda *_: ())
    for section in (WRITE, SOURCES, GO_ON, CODES):
        assert "The networks that draw are not here yet" in message_text(visit(ROOM, show=section), "warning")


def test_without_results_one_sentence_says_how_to_make_them(visit, monkeypatch, tmp_path):
    monkeypatch.setattr(measured_drawn, "measured", lambda: measured_drawn.dalle_results.results(tmp_path))
    assert "python -m training.dalle.report" in message_text(visit(ROOM, show="Measured"), "warning")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a red unicorn", "“unicorn” is not a word of this drawn world. It knows red"),
        ("a red stra", "Nearest to it: “star”"),
        ("red star a", "That is not a sentence of this drawn world"),
        (" ", "There is no sentence here yet"),
        ("<b>bold</b>", "is not a word of this drawn world"),
    ],
)
@pytest.mark.parametrize("section", [WRITE, SOURCES, GO_ON])
def test_words_of_another_world_get_a_sentence(visit, section, text, says):
    assert says in message_text(visit(ROOM, show=section, draw_scenes=text), "warning")


def test_the_address_holds_how_it_is_drawn(visit):
    app = visit(
        ROOM,
        draw_scenes="a red star",
        candidates="1",
        temperature="0.5",
        top_codes="8 codes",
        dice="7",
        show=WRITE,
    )
    assert "at temperature 0.5" in prose(app)
    assert "from the 8 most probable codes" in prose(app)
    assert "CLIP gives picture and sentence a cosine of" in prose(app)
    assert compute.draw.peek(DrawRequest("scenes", "a red star", 1, 0.5, 8, 7)) is not None


def test_another_throw_of_the_dice_is_another_picture(visit):
    app = visit(ROOM, candidates="1", draw_scenes=TEXT)
    next(button for button in app.button if button.label == "Draw again").click().run()
    assert not app.exception
    one, other = (compute.draw.peek(replace(REQUEST, count=1, seed=seed)) for seed in (0, 1))
    assert one is not None
    assert other is not None
    assert not torch.equal(one.codes, other.codes)


def test_sixteen_are_drawn_and_the_best_four_stand_apart(visit):
    app = visit(ROOM, draw_scenes=TEXT)
    drawn = compute.draw.peek(REQUEST)
    assert drawn is not None
    assert len(drawn.codes) == 16
    assert "The other 12, in the order of CLIP" in message_text(app, "caption")
    assert "The other 12, in the order of CLIP" not in message_text(visit(ROOM, candidates="4"), "caption")


def test_a_candidate_leads_to_who_told_it(visit):
    app = visit(ROOM)
    app.button(key="ask_2").click().run()
    assert not app.exception
    assert app.session_state.show == SOURCES
    assert app.session_state.candidate == 2
    assert "Point at any part of the picture" in prose(app)


def test_what_was_stopped_is_drawn_when_it_is_wished(visit):
    compute.draw.forget(REQUEST)
    app = visit(ROOM, show=CODES)
    app.session_state.draw_scenes = TEXT
    app.session_state.stopped_drawing = ("draw", REQUEST)
    app.session_state.show = WRITE
    app.run()
    assert "You stopped this drawing" in message_text(app, "info")
    assert compute.draw.peek(REQUEST) is None
    app.button(key="after-all-draw").click().run()
    assert not app.exception
    assert "You stopped this drawing" not in message_text(app, "info")
    assert compute.draw.peek(REQUEST) is not None


@pytest.mark.parametrize("place", ["3-4", "15-15", "0-0"])
def test_another_code_goes_on_from_its_place(visit, place):
    app = visit(ROOM, show=GO_ON, place=place, other="5")
    assert not message_text(app, "warning"), message_text(app, "warning")
    assert "With code 5 in its place" in prose(app)


@pytest.mark.parametrize("address", [{"place": "99-3"}, {"place": "x"}, {"other": "512"}, {"other": "-1"}])
def test_an_address_that_names_nothing_is_as_none(visit, address):
    app = visit(ROOM, show=GO_ON, **address)
    assert not message_text(app, "warning")
    assert "the rest is drawn again with the same random numbers" in prose(app)


@pytest.mark.parametrize("world", [SCENES, PHOTOGRAPHS])
def test_half_a_picture_is_completed(visit, world):
    app = visit(ROOM, show=GO_ON, way_on=go_on.HALF, world=world, given_rows="12", candidates="1")
    assert "192 of 256 codes are given" in prose(app)


@pytest.mark.parametrize("world", [SCENES, PHOTOGRAPHS])
def test_a_picture_that_is_there_can_be_asked_too(visit, world):
    app = visit(ROOM, show=SOURCES, looked_at=sources.SCENE_OR_PHOTOGRAPH, world=world)
    assert "The model did not draw this picture" in message_text(app, "caption")


@pytest.mark.parametrize("section", [WRITE, SOURCES, GO_ON, CODES])
@pytest.mark.parametrize("looked_at", [sources.DRAWN, sources.SCENE_OR_PHOTOGRAPH])
def test_emoji_are_a_world_of_their_own(visit, monkeypatch, section, looked_at):
    monkeypatch.setattr(dalles, "available", lambda *_: ("scenes", "emoji"))
    query = {"drawn_world": "Emoji", "draw_emoji": "blue cat", "looked_at": looked_at, "candidates": "1"}
    app = visit(ROOM, show=section, **query)
    assert not message_text(app, "warning"), message_text(app, "warning")
    assert "statements hold" not in prose(app)  # nobody reads emoji
    pictures = [box for box in app.selectbox if box.label == "Emoji"]
    assert bool(pictures) == (section == CODES or (section == SOURCES and looked_at == sources.SCENE_OR_PHOTOGRAPH))


def test_a_word_that_no_emoji_has_gets_the_nearest_ones(visit, monkeypatch):
    monkeypatch.setattr(dalles, "available", lambda *_: ("scenes", "emoji"))
    app = visit(ROOM, drawn_world="Emoji", draw_emoji="blue caat")
    assert "“caat” is none of the 4 words that DALL-E of emoji knows. Nearest to it: “cat”." in message_text(
        app, "warning"
    )


def test_a_scene_that_is_none_gets_a_sentence(visit):
    app = visit(ROOM, show=CODES, scene="hello")
    assert "This is not a scene" in message_text(app, "warning")


def test_a_photograph_is_said_to_be_of_another_world_and_a_code_is_marked(visit):
    app = visit(ROOM, show=CODES, world=PHOTOGRAPHS, code="3")
    assert "The autoencoder has seen drawn scenes only" in prose(app)
    views = [json.loads(part.proto.json) for part in app.get("bidi_component")]
    (book,) = [view for view in views if view.get("shape") == [16, 32]]
    assert len(book["marked"]) == 1


def test_the_view_is_sent_every_head_of_every_layer(visit):
    app = visit(ROOM, show=SOURCES, draw_scenes=TEXT)
    (sent,) = [data for part in app.get("bidi_component") if "scene" in (data := json.loads(part.proto.json))]
    assert [layer["heads"] for layer in sent["scene"]["layers"]] == [2, 2]
    assert [word["text"] for word in sent["scene"]["words"]] == ["[BEGIN]", *TEXT.split(), "[END]", "15 empty places"]


# What is drawn.


def test_growing_pictures_are_seen_row_by_row_and_end_as_what_is_drawn():
    reports = []
    drawn = compute.draw(
        replace(REQUEST, seed=3),
        watching=compute.Watching(lambda done, total, codes: reports.append((done, total, codes.clone()))),
    )
    assert [(done, total) for done, total, _ in reports] == [(row, 16) for row in range(1, 17)]
    assert torch.equal(reports[-1][2], drawn.codes)
    assert all(torch.equal(part, drawn.codes[:, : 16 * done]) for done, _, part in reports)


def test_a_drawing_that_is_stopped_is_not_kept():
    request = replace(REQUEST, seed=4)

    def stop(done, _total, _codes):
        if done == 3:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        compute.draw(request, watching=compute.Watching(stop))
    assert compute.draw.peek(request) is None


def test_the_best_by_clip_comes_first():
    drawn = compute.draw(REQUEST)
    scores = [drawn.agreement[number] for number in drawn.order]
    assert scores == sorted(scores, reverse=True)
    assert sorted(drawn.order) == list(range(REQUEST.count))


def test_with_the_same_code_nothing_changes_and_with_another_all_before_it_stays():
    drawn = compute.draw(REQUEST)
    own = int(drawn.codes[2][100])
    same = compute.go_on(REQUEST, 2, 100, own)
    assert torch.equal(same.codes[0], drawn.codes[2])
    other = compute.go_on(REQUEST, 2, 100, (own + 1) % 512)
    assert torch.equal(other.codes[0][:100], drawn.codes[2][:100])
    assert int(other.codes[0][100]) == (own + 1) % 512
    last = compute.go_on(REQUEST, 2, 255, 7)
    assert torch.equal(last.codes[0][:255], drawn.codes[2][:255])
    assert int(last.codes[0][255]) == 7


def test_half_a_picture_stays_as_it_was_given():
    drawn = compute.complete(REQUEST, SCENE, 8)
    first_codes = compute.coded("scenes", SCENE).codes[:128]
    assert torch.equal(drawn.codes[:, :128], first_codes.expand(REQUEST.count, -1))
    assert len({tuple(candidate.tolist()) for candidate in drawn.codes}) > 1


def test_one_code_changed_leaves_the_picture_alone_far_away():
    drawn = compute.draw(REQUEST)
    code = (int(drawn.codes[0][0]) + 1) % 512
    changed = compute.with_code(REQUEST, 0, 0, code)
    assert (changed[40:, 40:] == drawn.pictures[0][40:, 40:]).all()
    assert (changed[:4, :4] != drawn.pictures[0][:4, :4]).any()


# What is told.


def made(codes_: torch.Tensor, agreement: tuple[float, ...], read: tuple[Scene, ...] = (), text: str = TEXT) -> Drawn:
    tokens = compute.draw(REQUEST).words
    pictures = np.zeros((len(codes_), 64, 64, 3), dtype=np.uint8)
    return Drawn(DrawRequest("scenes", text, len(codes_)), pictures, agreement, read, 0.5, tokens, codes_)


RIGHT = Scene((Thing("star", "red", "small", "plain", 15, 30), Thing("circle", "blue", "small", "plain", 50, 30)), 0, 0)
WRONG = Scene((Thing("star", "green", "small", "plain", 15, 30), Thing("circle", "blue", "small", "plain", 50, 30)))


def test_candidates_are_told_by_their_scores_and_by_what_holds():
    drawn = made(torch.tensor([[1, 2, 3], [1, 5, 3], [1, 2, 4]]), (0.1, -0.25, 0.5), (RIGHT, WRONG, WRONG))
    matches, first, rank, alike = write.noticed(drawn)
    assert drawn.order == (2, 0, 1)
    assert "a cosine of 0.50; the last of 3 has −0.25" in rank
    assert "4 of 5 statements hold" in first  # of the first by CLIP: red does not
    assert "**1 of 3** drawings shows" in matches
    assert "At 1 of 3 places all candidates have the same code" in alike
    assert "use 5 of 512 codes" in alike
    assert write.below(drawn, 2, 1).endswith(":small[✗\u00a0red ✓\u00a0star ✓\u00a0above ✓\u00a0blue ✓\u00a0circle]")
    alone = made(torch.tensor([[1, 2, 3]]), (0.1,), (RIGHT,))
    assert len(write.noticed(alone)) == 2
    assert "5 of 5 statements hold" in write.noticed(alone)[0]


def test_without_the_reader_nobody_says_what_holds():
    drawn = made(torch.tensor([[1, 2, 3]]), (0.1,))
    assert drawn.holds(0) is None
    assert PAGE.text("Without the scene reader") in write.noticed(drawn)
    assert write.below(drawn, 0, 1) == "**1.** CLIP 0.10"


def test_what_may_be_taken_away_is_what_is_shown():
    drawn = compute.draw(REQUEST)
    with np.load(io.BytesIO(write.arrays_of(drawn))) as arrays:
        assert arrays["codes"].tolist() == drawn.codes[list(drawn.order)].tolist()
        assert (arrays["pictures"] == drawn.pictures[list(drawn.order)]).all()
        assert arrays["agreement"].tolist() == sorted(arrays["agreement"].tolist(), reverse=True)


def test_a_change_is_told_by_what_follows_from_it():
    before = made(torch.tensor([[1, 2, 3, 4]]), (0.1,), (RIGHT,))
    after = made(torch.tensor([[1, 9, 3, 5]]), (0.2,), (WRONG,))
    first, others, score, holds = go_on.noticed(before, 0, 1, 0.25, after)
    assert "The code here is 2" in first
    assert "a probability of 25.0%" in first
    assert "With code 9 in its place **1 of 2** later codes change" in others
    assert "from 0.10 to 0.20" in score
    assert "Before, the picture showed everything you asked for; now it misses something" in holds
    assert len(go_on.noticed(before, 0, 1, 0.25, None)) == 2
    assert "none of 2 later codes changes" in go_on.noticed(before, 0, 1, 0.25, before)[1]
    assert "nothing else changes" in go_on.noticed(before, 0, 3, 0.25, after)[1]


def test_candidates_that_clip_likes_alike_have_no_best():
    even = made(torch.tensor([[1], [2], [3]]), (0.201, 0.2, 0.199))
    assert "ranks no candidate first: all 3" in next(write.tell_rank(even))
    two = made(torch.tensor([[1], [2], [3]]), (0.301, 0.3, 0.1))
    assert "The first 2 candidates fit" in next(write.tell_rank(two))


def test_small_probabilities_are_not_called_nothing():
    assert [go_on.percent(chance) for chance in (0.0, 0.0004, 0.0042, 0.0994, 0.0996, 1.0)] == [
        "< 0.1%",
        "< 0.1%",
        "0.4%",
        "9.9%",
        "10%",
        "100%",
    ]


def test_what_goes_on_is_compared_with_the_true_rest():
    coded = Coded(
        compute.coded("scenes", SCENE).prepared,
        np.zeros((64, 64, 3), dtype=np.uint8),
        torch.tensor([1, 2, 3, 4]),
        np.zeros((64, 64, 3), dtype=np.uint8),
        0.1,
        0.2,
    )
    drawn = made(torch.tensor([[1, 2, 3, 9], [1, 2, 8, 9]]), (0.1, 0.2), (RIGHT, WRONG))
    prefix, holds, things = go_on.noticed_half(drawn, coded, 2, read_code(FIRST_SCENE))
    assert "2 of 4 codes are given. Of the rest the candidates have 0% to 50%" in prefix
    assert "**1 of 2**" in holds
    assert "The scene has 3 things; in the candidates 2 are read" in things
    assert "others go" in prefix
    same = made(torch.tensor([[1, 2, 3, 4], [1, 2, 3, 4]]), (0.1, 0.2), (RIGHT, WRONG))
    exact = go_on.noticed_half(same, coded, 2, None)[0]
    assert "each candidate has 100%" in exact
    assert "others" not in exact


def attention_of(word_weights: torch.Tensor, read: torch.Tensor) -> DrawingAttention:
    """`word_weights` (layer, head, place, word) and `read` (layer, head, place, key)."""
    tokens = compute.draw(REQUEST).words
    layers = tuple(PictureAttention("row", *both) for both in zip(word_weights, read, strict=True))
    return DrawingAttention(tokens, torch.arange(word_weights.shape[2]), np.zeros((64, 64, 3), dtype=np.uint8), layers)


def test_what_is_told_of_looks_is_worked_out_another_way():
    generator = torch.Generator().manual_seed(0)
    words_, places = 10, 16
    word_weights = torch.rand(3, 2, places, words_, generator=generator)
    read = torch.rand(3, 2, places, places, generator=generator).tril(-1)
    total = word_weights.sum(-1, keepdim=True) + read.sum(-1, keepdim=True)
    attention = attention_of(word_weights / total, read / total)
    layers, most, neighbours = sources.noticed(attention)
    shares = [sum(float(weight) for weight in layer.sum(-1).flatten()) / 32 for layer in word_weights / total]
    assert f"**{sum(shares) / 3:.0%}** of the attention goes to the sentence" in layers
    assert f"in layer {shares.index(max(shares))} (one row back)" in layers
    assert f"to {max(shares):.0%}" in layers
    own = [place for place, special in enumerate(attention.words.special) if not special]
    totals = {place: float((word_weights / total)[..., place].mean()) for place in own}
    best = max(totals, key=lambda place: totals[place])
    assert f"**“{attention.words.labels[best].strip()}”** gets most attention, {totals[best]:.1%}" in most
    inner = [row * 4 + column for row in range(1, 4) for column in range(1, 4)]
    left = sum(float((read / total)[:, :, place, place - 1].mean()) for place in inner) / 9
    above = sum(float((read / total)[:, :, place, place - 4].mean()) for place in inner) / 9
    assert f"left gets {left:.0%} of the attention on average, the one just above {above:.0%}" in neighbours


def test_layers_that_look_at_the_sentence_alike_are_not_ranked():
    attention = attention_of(torch.full((2, 2, 16, 10), 0.05), torch.zeros(2, 2, 16, 16))
    assert "**50%**" in sources.noticed(attention)[0]
    assert "as much in every layer" in sources.noticed(attention)[0]


def test_the_part_that_is_shown_first_lies_below_the_first_row():
    word_weights = torch.zeros(1, 1, 16, 10)
    word_weights[0, 0, 1, 2] = 0.9
    word_weights[0, 0, 11, 3] = 0.5
    assert sources.first_part(attention_of(word_weights, torch.zeros(1, 1, 16, 16)), 4) == 11


def coded_with(numbers: list[int], error: float, plain: float) -> Coded:
    blank = np.zeros((64, 64, 3), dtype=np.uint8)
    return Coded(compute.coded("scenes", SCENE).prepared, blank, torch.tensor(numbers), blank, error, plain)


def test_codes_are_counted_and_errors_compared():
    one, other = coded_with([3, 3, 3, 7], 0.001, 0.1), coded_with([3, 3, 7, 7], 0.002, 0.1)
    sentences = codes.noticed({"scenes": one, "scenes-gumbel": other}, SCENE)
    assert "4 places use **2 codes**; the most frequent, code 3, stands in 3 of them" in sentences[0]
    assert "0.0010 (mean squared, values 0 to 1), 30.0 dB: 1.0%" in sentences[1]
    assert f"**{CODERS['scenes']}** loses less than {CODERS['scenes-gumbel']}: 0.0010 against 0.0020" in sentences[2]
    tie = codes.noticed({"scenes": one, "scenes-gumbel": coded_with([3], 0.00101, 0.1)}, SCENE)[2]
    assert "lose about as much" in tie
    plain = codes.noticed({"scenes": coded_with([3, 3], 0.001, 0.0)}, SCENE)[1]
    assert "one colour" in plain
    assert "%" not in plain
    assert codes.perplexity(other) == pytest.approx(2.0)
    assert codes.perplexity(coded_with([5, 5], 0.1, 0.1)) == pytest.approx(1.0)
    assert codes.ordered(one, 9) == [3, 7, 0, 1, 2, 4, 5, 6, 8]
    assert codes.decibels(0.01) == "20.0 dB"
    assert codes.decibels(0.0) == "no error"


def test_pictures_are_put_side_by_side_unblurred():
    look = Look(LIGHT)
    pictures = [np.full((2, 2, 3), value, dtype=np.uint8) for value in (10, 20, 30)]
    image = sheet(pictures, across=2, times=2, gap=1, look=look)
    assert image.shape == (9, 9, 3)
    assert (image[:4, :4] == 10).all()
    assert (image[:4, 5:] == 20).all()
    assert (image[5:, :4] == 30).all()
    assert tuple(image[4, 4]) == (0xFB, 0xFA, 0xF7)
    grown = begun(pictures[0], 5, look)
    assert grown.shape == (5, 2, 3)
    assert (grown[:2] == 10).all()
    assert enlarged(pictures[0], 3).shape == (6, 6, 3)


def test_a_view_whose_weights_do_not_fit_is_refused():
    picture = np.zeros((4, 4, 3), dtype=np.uint8)

    def scene(word_weights: np.ndarray, read: np.ndarray, **changed) -> SourceScene:
        layers = (SourceLayer("0", "one row back", word_weights, read),)
        usual = {"words": ("a", "b"), "quiet": (False, True), "codes": (1, 2, 3, 4), "start": 0}
        own = usual | changed
        return SourceScene(picture, (2, 2), own["words"], own["quiet"], own["codes"], layers, own["start"])

    word_weights, read = np.zeros((1, 4, 2), dtype=np.float32), np.zeros((1, 4, 4), dtype=np.float32)
    assert scene(word_weights, read).packed["layers"][0]["heads"] == 1
    with pytest.raises(ValueError, match="its parts need"):
        scene(word_weights[:, :3], read)
    with pytest.raises(ValueError, match="do not fit 1 marks"):
        scene(word_weights, read, quiet=(False,))
    with pytest.raises(ValueError, match="no part 4"):
        scene(word_weights, read, start=4)
    with pytest.raises(ValueError, match="reads itself, or what comes later"):
        scene(word_weights, read + np.eye(4, dtype=np.float32))


# What was measured.


def share(value: float, count: int = 400) -> Share:
    return Share(value, (value * (1 - value) / count) ** 0.5, count)


def ways(one: float, best: float) -> dict[str, dict[str, Share]]:
    def kinds(value: float) -> dict[str, Share]:
        return {
            WHOLE_SENTENCE: share(value / 2),
            ALL: share(value),
            "colour": share(value),
            "relation": share(value / 2, 100),
        }

    return {"1": kinds(one), "16": kinds(best), CHANCE: kinds(0.2), THROUGH: kinds(0.95)}


def test_measured_sentences_compare_with_chance_and_with_what_is_reachable():
    held, words_, whole_sentences, kinds = measured_drawn.tell_held(ways(0.6, 0.8), "new scenes")
    assert "In one drawing **60%** of the words hold (new scenes); by chance 20%; 95% in the true scene" in held
    assert "Whole sentences: 30%, 10%, 48%" in held
    assert "With the best of 16 by CLIP the share of words that hold changes by +20.0 points." in words_
    assert "the share of whole sentences that hold changes by +10.0 points." in whole_sentences
    assert "“colour” (+40.0 points), worst for “relation” (+20.0 points)" in kinds
    _, _, same, _ = measured_drawn.tell_held(ways(0.6, 0.61), "new scenes")
    assert "no more than could be by chance" in same
    unclear, *_ = measured_drawn.tell_held(ways(0.22, 0.8), "new scenes")
    assert "by chance 20%, from which it cannot be told apart; 95%" in unclear


def test_pairs_never_joined_are_told_only_where_they_differ():
    (clear,) = measured_drawn.tell_pairs({"test": ways(0.6, 0.8), "pairs": ways(0.4, 0.5)})
    assert "40% of the words hold in one drawing, fewer than the 60% of new scenes" in clear
    (unclear,) = measured_drawn.tell_pairs({"test": ways(0.6, 0.8), "pairs": ways(0.59, 0.8)})
    assert "cannot be decided" in unclear
    assert list(measured_drawn.tell_pairs({"test": ways(0.6, 0.8)})) == []


CODER = CoderResult(500, 512, 400, 0.001, 0.01, 70.0)
DRAWER = DrawerResult(2.5, 3.0, {1: 0.8, 4: 1.0, 16: 2.5}, None)


def test_coders_and_drawers_are_told_with_their_numbers():
    (both,) = measured_drawn.tell_coders({"scenes": CODER, "scenes-gumbel": replace(CODER, error=0.005, used=30)})
    assert f"**{CODERS['scenes']}** misses held-out scenes by 0.00100 with 400 codes in use" in both
    assert "by 0.00500 with 30" in both
    (one,) = measured_drawn.tell_coders({"emoji": CODER})
    assert "missed by 0.00100, 10.0% of what the mean colour would miss" in one
    text = measured_drawn.tell_drawer("scenes", DRAWER)
    assert "2.500 bits for each code of a held-out picture with its own sentence, 3.000 with another's" in text
    assert "over 256 codes the sentence tells 128.0 bits of a picture" in text
    assert "16 at once 2.5 s" in text
    worse = measured_drawn.tell_drawer("scenes", replace(DRAWER, bits_other=2.4))
    assert "the sentence tells nothing" in worse
    assert "91% of its drawings" in measured_drawn.tell_drawer("emoji", replace(DRAWER, own_name=0.91))
    (judge,) = measured_statements.tell_reader({"test": ReaderResult(1000, 0.9, 0.99)}, "pairs")
    assert "reads 90.0% of 1,000 true scenes without any mistake, and finds 99.0%" in judge
    assert list(measured_statements.tell_reader({}, "test")) == []


def test_the_measured_section_shows_what_is_there(visit, monkeypatch):
    results = Results({"scenes": CODER}, {"scenes": DRAWER}, {"test": ways(0.6, 0.8), "pairs": ways(0.4, 0.6)})
    monkeypatch.setattr(measured_drawn, "measured", lambda: results)
    monkeypatch.setattr(measured_statements, "reader", dict)
    app = visit(ROOM, show="Measured")
    assert not message_text(app, "warning")
    assert "In one drawing **60%**" in prose(app)
    monkeypatch.setattr(measured_drawn, "measured", lambda: Results({"scenes": CODER}, {"scenes": DRAWER}, {}))
    app = visit(ROOM, show="Measured")
    assert PAGE.text("Without the scene reader") in message_text(app, "info")
    assert "What do the codes lose?" in [element.value for element in app.subheader]


@pytest.mark.parametrize("text", inputs.EXAMPLES["scenes"].values())
def test_examples_are_sentences_that_the_world_knows(text):
    assert parse(text).text == text

"""Next word, "Copying": what is said twice, what is silenced, and that what is said of it is true."""

import pytest
import torch

from core import zoo
from core.heads import measures
from core.heads.repetition import RepetitionRun
from pages.language.next_word import compute_copying
from pages.language.next_word.compute_copying import Repetition, Silenced
from pages.language.next_word.copying import OWN_TEXT, about_silence
from pages.language.next_word.copying_heads import about_heads
from pages.language.next_word.copying_losses import about_copying, saved
from tests.core.saved_models import save_text_model
from tests.pages.conftest import check, message_text, prose

REPETITION = Repetition("gpt-books", 25, 0)


@pytest.fixture
def copying(visit):
    return lambda **address: visit("language/next_word", show="Copying", **address)


def heard(first: float, second: float, *, period=11, before=0.0, again=0.0) -> RepetitionRun:
    """Somebody who loses so many nats on each token, and foretells so large a share of them."""
    half = period - 1
    losses = torch.cat([torch.full((2, half), first), torch.full((2, 1), 99.0), torch.full((2, half), second)], dim=1)
    right = torch.zeros(2, 2 * period - 1, dtype=torch.bool)
    right[:, : round(before * half)] = True
    right[:, period : period + round(again * half)] = True
    return RepetitionRun(torch.zeros(2, 2 * period, dtype=torch.long), losses, right)


def test_the_section_opens_with_what_the_model_does(copying):
    app = copying()
    assert not app.warning
    full_run = compute_copying.heard(REPETITION)
    first, second = float(full_run.first.mean()), float(full_run.second.mean())
    assert f"costs **{second:.2f} nats**, the first time {first:.2f}" in prose(app)
    maps = [
        torch.stack([call.weights(head, item) for item in range(4)]) for call in full_run.calls for head in range(6)
    ]
    scores = torch.stack([measures.induction(weights, 25).mean() for weights in maps])
    layer, head = divmod(int(scores.argmax()), 6)
    assert f"**Layer {layer}, head {head}** attends most to what came next the first time" in prose(app)


def test_a_link_holds_length_seed_heads_and_text(copying):
    app = copying(
        copying_length="20", copying_seed="3", copying_silenced="4", copying_what=OWN_TEXT, text="To be or not"
    )
    assert app.slider(key="copying_length").value == 20
    assert app.slider(key="copying_silenced").value == 4
    assert "Your text," in message_text(app, "caption")
    assert "best 4 heads" in prose(app)


def test_controls_lead_on_and_without_silence_there_is_a_hint(copying):
    app = copying()
    app.slider(key="copying_silenced").set_value(0).run()
    assert "Ablate the best heads" in prose(check(app))
    app.number_input(key="copying_layer").set_value(1).run()
    assert not check(app).warning


@pytest.mark.parametrize(
    "address",
    [
        {"copying_length": "9999", "copying_silenced": "-3", "copying_seed": "x"},
        {"copying_what": "Own", "copying_layer": "77", "copying_head": "77"},
        {"copying_what": OWN_TEXT, "text": "<b>x</b> 👩‍👩‍👧 שלום"},
        {"copying_what": OWN_TEXT, "text": "the cat sat " * 200},
    ],
)
def test_odd_links_and_texts_are_read_as_they_are(copying, address):
    app = copying(**address)
    assert not app.warning
    assert "<b>" not in prose(app)


def test_a_text_that_is_too_short_or_empty_is_a_sentence(copying):
    assert "Fewer than 2 tokens" in message_text(copying(copying_what=OWN_TEXT, text="a"), "warning")
    assert "There is no text here yet" in message_text(copying(copying_what=OWN_TEXT, text=" "), "warning")


def test_a_long_text_is_said_to_be_cut(copying):
    app = copying(copying_what=OWN_TEXT, text="the cat sat " * 200)
    assert "Your text, 64 tokens of it, repeated once." in message_text(app, "caption")
    assert "is not used" in message_text(app, "caption")


@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize("kind", ["gpt2", "llama"])
def test_a_named_model_is_read_twice_too(copying, tmp_path, kind):
    assert not copying(model=str(save_text_model(kind, tmp_path))).warning


@pytest.mark.usefixtures("at_home")
def test_a_bert_is_refused(copying, tmp_path):
    app = copying(model=str(save_text_model("bert", tmp_path)))
    assert "does not say what comes next" in message_text(app, "warning")


def test_presented_there_is_no_prose(copying):
    app = copying(present="1")
    assert "How it is computed" not in [element.value for element in app.subheader]


def test_the_best_are_silenced_and_the_others_are_none_of_them():
    silenced = compute_copying.silenced(REPETITION, 3)
    scores = compute_copying.scores(REPETITION)["induction"]
    best = scores.flatten().argsort(descending=True)[:3].tolist()
    assert silenced.best == tuple(divmod(place, 6) for place in best)
    assert len(silenced.without_others) == 4
    assert (silenced.without_best.losses != compute_copying.heard(REPETITION).losses).any()


def test_the_visitors_tokens_come_after_a_space_so_that_both_times_are_alike():
    repetition = Repetition("gpt-books", 50, 0, "Xylophorus Grimble sat.")
    ids = compute_copying.own_ids(repetition)
    tokens = compute_copying.tokens_of(repetition)
    model = zoo.load_text("gpt-books")
    assert tokens.tolist() == [[*ids, *ids]]
    twice = model.tokenizer.decode([*ids, *ids]).strip()
    assert twice == "Xylophorus Grimble sat. Xylophorus Grimble sat."
    assert tuple(model.tokenizer.encode(f" {twice}").ids) == (*ids, *ids)


def test_two_texts_are_two_things_and_the_same_is_one():
    assert Repetition("m", 5, 0, "x").identity != Repetition("m", 5, 0, "y").identity != Repetition("m", 5, 0).identity
    assert Repetition("m", 5, 0, "x").at_random.identity == Repetition("m", 5, 0).identity


@pytest.mark.parametrize(
    ("first", "second", "before", "again", "verdict"),
    [
        (10.0, 0.1, 0.0, 1.0, "The model copies."),
        (10.0, 8.0, 0.0, 0.2, "copies now and then"),
        (10.0, 9.5, 0.0, 0.0, "hardly copies"),
        (10.0, 10.0, 0.0, 0.0, "does not copy"),
        (10.0, 11.0, 0.0, 0.0, "does not copy"),
        (0.1, 0.1, 0.9, 0.9, "does not copy"),  # it knew the text before
    ],
)
def test_the_verdict_on_copying_follows_from_both_times(first, second, before, again, verdict):
    sentence = about_copying(heard(first, second, before=before, again=again))
    assert verdict in sentence
    assert f"**{second:.2f} nats**, the first time {first:.2f}" in sentence
    assert f"in {again:.0%} of cases, the first time in {before:.0%}" in sentence


@pytest.mark.parametrize(("tokens", "says"), [(1, "too few to tell"), (4, "too few to tell"), (400, "hardly copies")])
def test_a_gain_that_a_few_tokens_may_have_by_chance_is_no_copying(tokens, says):
    losses = torch.full((1, 2 * tokens + 1), 10.0)
    losses[0, tokens + 1 :] = 9.0 + 4 * torch.tensor([-1.0, 1.0]).repeat(tokens)[:tokens]  # a nat or so is saved
    right = torch.zeros_like(losses, dtype=torch.bool)
    right[0, -1] = tokens == 1  # one of one is right the second time
    twice = RepetitionRun(torch.zeros(1, 2 * tokens + 2, dtype=torch.long), losses, right)
    assert says in about_copying(twice)
    sentence = about_silence(twice, Silenced(((0, 1),), heard(5.0, 5.0), (heard(9.0, 5.0),)))
    assert ("too few tokens to tell what the heads contribute" in sentence) == (tokens < 400)


def test_what_is_saved_leaves_the_token_out_that_nobody_can_know():
    assert saved(heard(5.0, 2.0)) == pytest.approx(3.0)


@pytest.mark.parametrize(
    ("score", "verdict"),
    [(0.9, ": an induction head. "), (0.3, "an induction head, but a weak one"), (0.04, "too little to call it")],
)
@pytest.mark.parametrize(("layer", "where"), [(0, "head in an earlier layer"), (2, "but not in an earlier layer")])
def test_the_best_heads_are_named_with_their_scores(score, verdict, layer, where):
    induction, previous = torch.full((3, 4), 0.01), torch.full((3, 4), 0.02)
    induction[1, 3], previous[layer, 2] = score, 0.7
    sentence = about_heads(induction, previous, (0.0137, 0.05))
    assert f"**Layer 1, head 3** attends most to what came next the first time, with {score:.0%}" in sentence
    assert "(uniform attention: 1.4%)" in sentence
    assert verdict in sentence
    assert where in sentence
    assert f"layer {layer}, head 2 gives most to the token before (70%; uniform: 5.0%)" in sentence
    assert ("needs it" in sentence) == (layer == 0 and score >= 0.1)
    # The same scores are no heads of these kinds where even attention gives half as much.
    assert "too little to call it" in about_heads(induction, previous, (0.46, 0.05))
    assert "No head is a previous-token head" in about_heads(induction, previous, (0.0137, 0.4))
    assert "No head is a previous-token head" in about_heads(induction, 0.5 * previous, (0.0137, 0.05))
    nothing = torch.full((3, 4), torch.nan)
    assert "No head of this model" in about_heads(nothing, nothing, (0.0, 0.0))


@pytest.mark.parametrize(
    ("full", "best", "others", "says"),
    [
        (4.0, 1.0, (3.8, 3.9), "They carry 75% of it, more than any of the others chosen at random."),
        (4.0, 3.7, (3.0, 3.9), "no more than heads chosen at random"),
        (4.0, 4.2, (4.5, 4.6), "no more than heads chosen at random"),
        (4.0, -1.0, (4.0, 4.0), "They carry 100% of it"),
        (0.0, -1.0, (0.0, 0.0), "There is no copying to lose."),
    ],
)
def test_what_the_silenced_heads_carried_is_compared_with_as_many_others(full, best, others, says):
    def run(value: float) -> RepetitionRun:
        return heard(10.0, 10.0 - value)

    sentence = about_silence(run(full), Silenced(((0, 1), (0, 2)), run(best), tuple(run(saving) for saving in others)))
    assert says in sentence
    assert f"{full:.2f} nats cheaper. Without the best 2 heads it is **{best:.2f}**".replace("-", "−") in sentence
    assert f"2 others, chosen at random 2 times, {min(others):.2f} to {max(others):.2f}" in sentence

"""Language / Next word, Writes: the text grows, candidates are taken, ways are left and found again."""

import math
import re
from types import SimpleNamespace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as some
from tokenizers import Tokenizer
from tokenizers.models import WordLevel

from core import zoo
from core.generation.newest_token import FarthestHead
from core.generation.rules import Rules, draw, random_number
from core.generation.writing import encode_without_limit
from dashboard.cache import memo
from dashboard.inputs import controls, example_texts, uploads
from pages.language.next_word import branches, compute_writes, writes_sentences, written_tree
from pages.language.next_word.branches import Tree, decode, encode, moved
from pages.language.next_word.inputs import Selection
from tests.pages.conftest import check, message_text, prose

PAGE = "language/next_word"
TEXT = "The old man looked at the sea."


@pytest.fixture(scope="module")
def model():
    return zoo.load_text("gpt-books")


def written(app) -> tuple[int, ...]:
    return app.session_state[written_tree.TREE].written


def press(app, key):
    """Click a button, and let the page write until it has nothing left to write."""
    app.button(key=key).click().run()
    return check(app)


def test_the_section_is_alive_at_once(visit):
    app = visit(PAGE, show="Writes")
    assert "The next token is" in prose(app)
    assert "attends farthest back" in prose(app)
    assert written(app) == ()


def test_a_click_writes_as_many_tokens_as_were_asked_for_and_the_same_again_after_starting_over(visit):
    app = visit(PAGE, show="Writes", text=TEXT, writes_count="8")
    press(app, "writes_go")
    first = written(app)
    assert len(first) == 8
    assert app.query_params["written"] == encode(app.session_state[written_tree.TREE])
    press(app, "writes_start")
    assert written(app) == ()
    press(app, "writes_go")
    assert written(app) == first
    press(app, "writes_start")
    app.number_input(key="writes_seed").set_value(2).run()
    press(app, "writes_go")
    assert written(app) != first


def test_one_step_and_back_go_to_and_fro_and_the_way_that_was_left_stays(visit):
    app = visit(PAGE, show="Writes", text=TEXT)
    press(app, "writes_one")
    press(app, "writes_one")
    two = written(app)
    press(app, "writes_back")
    assert written(app) == two[:1]
    assert app.session_state[written_tree.TREE].ends == (two,)


def test_an_example_replaces_the_text_or_the_file_and_what_was_written(visit):
    app = visit(PAGE, show="Writes", text=TEXT, written="5.6")
    assert written(app) == (5, 6)
    own = memo.store_upload(b"A text of my own, in a file.")
    app.session_state[f"{controls.OWN_TEXT} given"] = uploads._StoredFile(own.identity, "own.txt")
    check(app.run())
    assert app.button_group(key="text_example").value is None, "what is read is no example"
    check(app.button_group(key="text_example").set_value("A list").run())
    assert app.text_area(key="text").value == example_texts.examples("next-word")["A list"]
    assert uploads._session_key(controls.OWN_TEXT) not in app.session_state
    assert written(app) == ()
    assert "written" not in app.query_params
    assert app.button_group(key="text_example").value == "A list"
    check(app.text_area(key="text").set_value(TEXT).run())
    assert app.button_group(key="text_example").value is None, "what was typed is no example"


def test_a_link_brings_what_was_written_with_its_settings_and_ways(visit, model):
    tokens = model.encode(" It was grey").ids
    tree = moved(Tree(tokens), tokens[:-1])
    app = visit(PAGE, show="Writes", text=TEXT, written=encode(tree), writes_temperature="0.5", writes_seed="7")
    assert app.session_state[written_tree.TREE] == tree
    assert app.slider(key="writes_temperature").value == 0.5
    assert app.number_input(key="writes_seed").value == 7
    assert f"Of the {len(tokens) - 1} tokens written" in prose(app)


@pytest.mark.parametrize("link", ["99999", "1.x", "1_2", "5~", "1_9~2"])
def test_a_link_that_cannot_be_read_gets_one_sentence(visit, link):
    app = visit(PAGE, show="Writes", text=TEXT, written=link)
    assert "from 0 to 4,095" in message_text(app, "info")
    assert written(app) == ()


def test_another_text_begins_with_nothing_written(visit):
    app = visit(PAGE, show="Writes", text=TEXT, written="5.6")
    app.text_area(key="text").set_value("Something else was here.").run()
    check(app)
    assert written(app) == ()
    assert "written" not in app.query_params


def test_an_empty_text_gets_one_sentence_and_the_page_stays(visit):
    app = visit(PAGE, show="Writes")
    app.text_area(key="text").set_value("  \n").run()
    assert "There is no text here yet" in check(app).warning[0].value
    app.text_area(key="text").set_value(TEXT).run()
    assert not check(app).warning
    assert app.text_area(key="text").value == TEXT
    assert "equally probable tokens" in prose(app)


def test_seven_thousand_words_are_read_at_their_end_and_the_page_says_so(visit):
    app = visit(PAGE, show="Writes", writes_count="8")
    app.text_area(key="text").set_value("word " * 7_000).run()
    assert "reads at most 256 tokens at once" in message_text(check(app), "info")
    press(app, "writes_go")
    assert len(written(app)) == 8


def test_a_full_address_ends_the_writing_in_a_sentence(visit):
    full = ".".join(["5"] * branches.LONGEST)
    app = visit(PAGE, show="Writes", text=TEXT, written=full)
    assert f"{branches.LONGEST} tokens are written" in message_text(app, "info")
    assert app.button(key="writes_go").disabled


def test_the_mark_for_the_end_of_a_text_is_said(visit, model):
    end = next(iter(model.tokenizer.get_added_tokens_decoder()))
    app = visit(PAGE, show="Writes", text=TEXT, written=str(end))
    assert "the mark for the end of a text" in message_text(app, "info")


def test_a_model_that_reads_no_text_is_refused_in_a_sentence(visit):
    app = visit(PAGE, show="Writes", model="vit-tiny-imagenet")
    assert "reads pictures" in message_text(app, "warning")


def test_writing_equals_reading_anew_and_drawing_at_each_step(model):
    given_now, rules = Selection("gpt-books", TEXT), Rules(temperature=0.8, top_p=0.9, penalty=1.2)
    steps, _ = compute_writes.write(given_now, (), rules, 3, 4)
    ids = list(encode_without_limit(model, TEXT).ids)
    for count, step in enumerate(steps):
        logits = model.network(torch.tensor([ids]))[0, -1]
        lowered = logits.clone()
        for token in set(ids):
            lowered[token] = logits[token] * 1.2 if logits[token] < 0 else logits[token] / 1.2
        weighed = (lowered / 0.8).softmax(dim=-1)
        torch.testing.assert_close(step.choice.tempered, weighed, atol=1e-4, rtol=1e-3)
        assert step.drawn == draw(step.choice.probabilities, random_number(3, count))
        ids.append(step.drawn)


def step_of(chances, rules, *, read=(0,), seed=1):
    """A step of a model with these probabilities, whose tokens are labelled by letters."""
    letters = {chr(97 + token): token for token in range(len(chances))}
    model = SimpleNamespace(tokenizer=Tokenizer(WordLevel(letters, unk_token="a")))
    return compute_writes.step_of(model, torch.tensor(chances).log(), read, 0, rules, seed)


PROBABILITIES = some.lists(some.floats(0.01, 1), min_size=2, max_size=12).map(
    lambda weights: [weight / math.fsum(weights) for weight in weights]
)


@settings(deadline=None, max_examples=60)
@given(PROBABILITIES, some.integers(0, 4), some.floats(0.1, 1), some.floats(0, 0.9))
def test_what_is_said_of_the_filters_is_what_they_took(chances, top_k, top_p, min_p):
    step = step_of(chances, Rules(1.0, top_k, top_p, min_p))
    sentence = writes_sentences.about_filters(step)
    remaining = {token for token in range(len(chances)) if step.choice.probabilities[token] > 0}
    if len(remaining) == len(chances):
        assert sentence == f"The filters keep all {len(chances)} tokens."
        return
    gone = sum(chances[token] for token in range(len(chances)) if token not in remaining)
    written_shares = [float(part.split("%")[0]) for part in sentence.split("**") if part[:1].isdigit()]
    if " keeps " in sentence:  # a single filter is told by what it leaves
        written_shares = [100 - share for share in written_shares]
    # A share that would be printed as 0.0% is not told, of four filters at most.
    assert sum(written_shares) == pytest.approx(100 * gone, abs=0.06 * len(written_shares) + 0.2)
    assert 0.0 not in written_shares
    assert re.search(rf"keeps? {len(remaining)} of {len(chances)} tokens", sentence)


@settings(deadline=None, max_examples=60)
@given(PROBABILITIES, some.integers(0, 99))
def test_what_is_said_of_the_draw_names_the_token_its_rank_and_the_best(chances, seed):
    step = step_of(chances, Rules(), seed=seed)
    sentence = writes_sentences.about_draw(step, lambda token: chr(97 + token))
    rank = 1 + sum(chance > chances[step.drawn] * (1 + 1e-6) for chance in chances)
    assert f"**“{chr(97 + step.drawn)}”**" in sentence
    if rank == 1:
        assert "the model's most probable one" in sentence
    else:
        assert f"number {rank} in" in sentence
        best = max(chances)
        assert f"({best:.1%})" in sentence


@settings(deadline=None, max_examples=60)
@given(PROBABILITIES)
def test_what_is_said_of_uncertainty_is_the_entropy_in_bits(chances):
    step = step_of(chances, Rules(top_k=1))
    bits = -math.fsum(chance * math.log2(chance) for chance in chances)
    before, after = step.entropies
    assert before == pytest.approx(bits, abs=1e-4)
    assert after >= 0
    sentence = writes_sentences.about_entropy(step)
    assert f"**{before:.1f} bits**" in sentence
    assert f"among {2**before:,.1f} equally probable tokens" in sentence
    if abs(abs(after - before) - 0.05) > 1e-6:
        assert ("sampling changes it by less" in sentence) == (abs(after - before) < 0.05)


def test_evenly_probable_tokens_are_as_many_as_they_are():
    sentence = writes_sentences.about_entropy(step_of([0.125] * 8, Rules(top_p=1.0)))
    assert "**3.0 bits**" in sentence
    assert "among 8.0 equally probable tokens" in sentence
    assert "changes it by less" in sentence


@pytest.mark.parametrize(
    ("ranks", "words"),
    [
        ((), None),
        ((1,), "number 1 in the model's ranking"),
        ((1, 1), "Of the 2 tokens written, **2** were"),
        (
            (1, 40, 3),
            "Of the 3 tokens written, **1** were the model's most probable ones; the least probable one was number 40.",
        ),
    ],
)
def test_what_is_said_of_what_was_written_counts_the_ranks(ranks, words):
    sentences = writes_sentences.about_ranks(ranks)
    assert (sentences == ()) if words is None else words in sentences[0].replace("\\", "")


def test_ranks_of_written_tokens_are_their_places_among_all_that_was_expected(model):
    tokens = model.encode(" It was grey, and").ids
    reading = compute_writes.read("gpt-books", TEXT, tokens)
    ids = (*encode_without_limit(model, TEXT).ids, *tokens)
    logits = model.network(torch.tensor([ids]))[0]
    first = len(ids) - len(tokens)
    expected = [
        1 + sorted(logits[place - 1].tolist(), reverse=True).index(float(logits[place - 1, ids[place]]))
        for place in range(first, len(ids))
    ]
    assert list(reading.ranks) == expected


def test_what_is_said_of_the_farthest_look_names_the_token_and_its_distance():
    look = FarthestHead(2, 3, 4.26, 1, 0.5)
    sentence = writes_sentences.about_farthest(look, ("The", " old", " man", " sat"))[0]
    assert "layer 2, head 3" in sentence.lower()
    assert "4.3 tokens" in sentence
    assert "“old”, 2 tokens back (50%)" in sentence
    assert writes_sentences.about_farthest(None, ("The",)) == ()
    assert "most to itself" in writes_sentences.about_farthest(FarthestHead(0, 0, 1.0, 3, 0.2), ("a", "b", "c", "d"))[0]


@settings(deadline=None, max_examples=60)
@given(PROBABILITIES, some.floats(0.2, 2), some.integers(0, 50))
def test_the_formula_ends_with_the_place_of_the_draw(chances, temperature, seed):
    step = step_of(chances, Rules(temperature, top_p=0.9, penalty=1.5), seed=seed)
    known = step.of_drawn
    assert known.begins - 1e-6 <= step.dice < known.begins + known.chance + 1e-6
    assert math.exp(known.lowered / temperature - known.log_sum) == pytest.approx(known.weighed, rel=1e-4)
    assert known.weighed / step.left == pytest.approx(known.chance, rel=1e-4)
    assert f"{known.begins:.4f}" in writes_sentences.formula_of(step, Rules(temperature, top_p=0.9, penalty=1.5))[-1]


WAY = some.lists(some.integers(0, 3), max_size=6).map(tuple)


@settings(deadline=None, max_examples=60)
@given(some.lists(WAY, max_size=12))
def test_no_way_that_was_written_is_lost_whatever_is_visited(ways):
    tree = Tree()
    for way in ways:
        tree = moved(tree, way)
    everything = {end[:count] for end in (*tree.ends, tree.written) for count in range(len(end) + 1)}
    assert set(ways) <= everything
    assert decode(encode(tree), lambda token: token < 4) == tree
    parts = branches.branches(tree)
    assert set(tree.ends) <= {part.to for part in parts}
    for part in parts:
        assert part.to[len(part.to) - len(part.tokens) :] == part.tokens
    assert sum(len(part.tokens) for part in parts) == len(everything - {()})


def test_going_back_and_taking_another_token_makes_a_fork():
    tree = moved(moved(moved(Tree(), (1, 2, 3)), (1, 2)), (1, 2, 9))
    assert tree == Tree((1, 2, 9), ((1, 2, 3),))
    assert [(part.to, part.depth, part.is_on_the_way) for part in branches.branches(tree)] == [
        ((1, 2), 0, True),
        ((1, 2, 3), 1, False),
        ((1, 2, 9), 1, True),
    ]

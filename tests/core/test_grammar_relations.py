"""What heads find of grammar: counts against plain loops, the joining of tokens, and what a mask makes impossible."""

from collections import Counter

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from core.capture import record_attention
from core.errors import CaptureError, InputError
from core.probing.grammar import relations
from core.probing.grammar.links import NO_WORD, WordMaps, strongest, word_maps, words_of
from core.probing.grammar.relations import OFFSETS, TO_DEPENDENT, TO_GOVERNOR, best_heads, count
from core.probing.grammar.trees import ROOT, Tree, encode_tree
from core.zoo import load_text
from tests.core.saved_models import save_text_model

DOGS = Tree(
    ("The", "lazy", "dogs", "and", "cats", "saw", "a", "fox", "."),
    (2, 2, 5, 4, 2, ROOT, 7, 5, 5),
    ("det", "amod", "nsubj", "cc", "conj", "root", "det", "obj", "punct"),
    "The lazy dogs and cats saw a fox.",
)
FOX = Tree(("A", "quick", "brown", "fox", "ran"), (3, 3, 3, 4, ROOT), ("det", "amod", "amod", "nsubj", "root"), "")


@pytest.fixture(scope="module")
def load(tmp_path_factory):
    root = tmp_path_factory.mktemp("models")
    return lambda kind: load_text(str(save_text_model(kind, root / kind)))


@pytest.fixture(scope="module")
def model(load):
    return load("gpt2")


def looked_by_hand(model, tree: Tree) -> dict[tuple[int, int], list[int]]:
    """For each head the word that every word looks at most, by loops over the tokens."""
    tokens = encode_tree(model, tree)
    with torch.no_grad(), record_attention(model.network) as record:
        model.run(tokens)
    calls = [call for call in record.calls if call.kind == "self" and call.query_length == len(tokens)]
    words_by_head = {}
    for number, call in enumerate(calls):
        for head in range(call.heads):
            weights = call.weights(head).double().numpy()
            chosen = []
            for word in range(len(tree.words)):
                own = [place for place, of in enumerate(tokens.words) if of == word]
                shares = {
                    other: np.mean(
                        [sum(weights[i, j] for j, of in enumerate(tokens.words) if of == other) for i in own]
                    )
                    for other in range(len(tree.words))
                    if other != word and own and other in tokens.words
                }
                most = max(shares.values(), default=0)
                chosen.append(NO_WORD if most <= 0 else max(shares, key=shares.get))
            words_by_head[number, head] = chosen
    return words_by_head


@pytest.mark.parametrize("kind", ["gpt2", "bert", "bert-headless", "llama", "t5"])
def test_the_strongest_links_are_those_of_plain_loops_over_the_tokens(load, kind):
    model = load(kind)
    for tree in (DOGS, FOX):
        maps = word_maps(model, encode_tree(model, tree), len(tree.words))
        expected = looked_by_hand(model, tree)
        assert len(maps.heads) == len(expected)
        assert strongest(maps.weights).tolist() == list(expected.values())
        assert maps.causal == (kind in ("gpt2", "llama"))


@pytest.mark.parametrize("kind", ["gpt2", "bert"])
def test_the_table_of_a_small_sample_is_that_of_a_count_by_hand(load, kind):
    model = load(kind)
    both = [DOGS, FOX]
    table = best_heads(count(model, both), count(model, both))
    hits, cases, at = Counter(), Counter(), Counter()
    for tree in both:
        for head, looked in looked_by_hand(model, tree).items():
            for word, (governor, relation) in enumerate(zip(tree.governors, tree.relations, strict=True)):
                if relation not in ("root", "punct"):
                    hits[relation, TO_GOVERNOR, head] += looked[word] == governor
                    hits[relation, TO_DEPENDENT, head] += looked[governor] == word
    for tree in both:
        links = [link for link in zip(range(9), tree.governors, tree.relations, strict=False) if link[1] != ROOT]
        for word, governor, relation in links:
            cases[relation, TO_GOVERNOR] += 1
            at[relation, TO_GOVERNOR, governor - word] += 1
            at[relation, TO_DEPENDENT, word - governor] += 1
        for _, relation in {(governor, relation) for _, governor, relation in links}:
            cases[relation, TO_DEPENDENT] += 1
    assert {(best.relation, best.direction) for best in table.heads} == {key for key in cases if key[0] != "punct"}
    for best in table.heads:
        key = best.relation, best.direction
        assert best.cases == cases[key]
        assert dict(best.by_head) == {head: hits[*key, head] / cases[key] for head, _ in best.by_head}
        assert best.share == best.chosen_share == max(share for _, share in best.by_head)
        allowed = [of for of in OFFSETS if kind == "bert" or of < 0]
        assert best.offset_share == max(at[*key, offset] for offset in allowed) / cases[key]


def test_what_was_worked_out_on_paper(load):
    """FOX, a head that looks always at the word before, and one that looks always at the last word."""
    before = torch.zeros(5, 5)
    before[range(1, 5), range(4)] = 1.0
    last = torch.zeros(5, 5)
    last[:, 4] = 1.0
    assert strongest(torch.stack([before, last])).tolist() == [[NO_WORD, 0, 1, 2, 3], [4, 4, 4, 4, NO_WORD]]
    table = counted(load("gpt2"), [FOX], [torch.stack([before, last])])
    shares = {(best.relation, best.direction): (best.head, best.share, best.offset, best.cases) for best in table.heads}
    assert shares == {
        ("amod", TO_GOVERNOR): ((0, 0), 0.0, 1, 2),  # "quick" and "brown" look back, "fox" is ahead: 1 or 2 words
        ("amod", TO_DEPENDENT): ((0, 0), 1.0, -1, 1),  # "fox" looks at "brown", one of the two
        ("det", TO_GOVERNOR): ((0, 0), 0.0, 3, 1),
        ("det", TO_DEPENDENT): ((0, 0), 0.0, -3, 1),
        ("nsubj", TO_GOVERNOR): ((0, 1), 1.0, 1, 1),
        ("nsubj", TO_DEPENDENT): ((0, 0), 1.0, -1, 1),
    }


def counted(model, trees, weights, *, causal=False):
    """Best heads, chosen and tried in the same trees, of a model that gives these weights from word to word."""
    given_maps = iter([*weights, *weights])
    heads = tuple((0, head) for head in range(len(weights[0])))
    with pytest.MonkeyPatch.context() as patch:
        numbered = [Numbered(tuple(range(len(tree.words)))) for tree in trees]
        patch.setattr(relations, "encode_tree", lambda _, tree: numbered[trees.index(tree)])
        patch.setattr(relations, "word_maps", lambda *_: WordMaps(heads, next(given_maps), causal))
        return best_heads(count(model, trees), count(model, trees))


class Numbered:
    """Tokens of which each is a word."""

    def __init__(self, words):
        self.words = words


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_head_that_cannot_look_ahead_finds_no_more_than_stands_before(model, data):
    words = data.draw(st.integers(2, 8))
    order = data.draw(st.permutations(range(words)))
    governors = [ROOT] * words
    for place in range(1, words):
        governors[order[place]] = order[data.draw(st.integers(0, place - 1))]
    labels = tuple("root" if of == ROOT else data.draw(st.sampled_from("ab")) for of in governors)
    tree = Tree(("w",) * words, tuple(governors), labels, "")
    seed = data.draw(st.integers(0, 999))
    weights = torch.rand(6, words, words, generator=torch.Generator().manual_seed(seed)).tril()
    for best in counted(model, [tree], [weights], causal=True).heads:
        assert best.share <= best.earlier
        assert best.offset < 0
        assert best.offset_share <= best.earlier
        assert best.gain == best.share - best.offset_share
        own = [(word, of) for word, of in enumerate(governors) if labels[word] == best.relation]
        if best.direction == TO_GOVERNOR:
            assert best.earlier == np.mean([of < word for word, of in own])
        else:
            assert best.earlier == np.mean([any(w < of for w, o in own if o == of) for of in {of for _, of in own}])


def test_words_without_annotation_are_those_that_the_labels_spell(load):
    model = load("bert")
    tokens, words = words_of(model.encode("The quick dog, 😀 whom?"))
    assert [of is None for of in tokens.words] == list(tokens.special)
    assert [place for place in dict.fromkeys(tokens.words) if place is not None] == list(range(len(words)))
    assert [words[0], words[-1]] == ["the", "?"]


def test_progress_is_told_and_may_stop_it(load):
    reports = []
    count(load("gpt2"), [DOGS, FOX], lambda done, total: reports.append((done, total)))
    assert reports == [(0, 2), (1, 2)]

    def stop(_done, _total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        count(load("gpt2"), [DOGS], stop)


def test_what_cannot_be_read_or_has_no_links_is_a_sentence(load):
    long = Tree(("fox",) * 60, (ROOT, *[0] * 59), ("root", *["conj"] * 59), "")
    counts = count(load("gpt2"), [long, FOX])
    assert (counts.trees, counts.unread) == (2, 1)
    with pytest.raises(InputError, match="can read none of these 1 sentences"):
        count(load("gpt2"), [long])


def test_a_model_whose_layers_connect_no_words_is_named(load, monkeypatch):
    model = load("gpt2")
    tokens = encode_tree(model, FOX)
    monkeypatch.setattr(type(model), "sequences_of", lambda *_: None)
    with pytest.raises(CaptureError, match="No layer of"):
        word_maps(model, tokens, 5)

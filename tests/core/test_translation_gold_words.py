"""Gold words against pieces: who is whose, how maps are joined, and that batches change nothing."""

import pytest
import torch

from core.models.bahdanau import Bahdanau, BahdanauConfig
from core.models.seq2seq import Seq2Seq, Seq2SeqConfig
from core.models.transformer import Transformer, TransformerConfig
from core.text import Tokens
from core.translation.alignment import Agreement, agreement
from core.translation.decoding import END
from core.translation.given_words import Pieces, alignment_maps, links_between_words, maps_between_words, tokenize_words
from core.translation.spelling import normalise_english, normalise_french
from core.zoo.translators import BahdanauTranslator, Seq2SeqTranslator, TransformerTranslator
from training.common.pairs import train_tokenizer

WORDS = 60
TOKENIZER = train_tokenizer(
    [("The cat didn't sleep, the dog's away!", "Le chat n'a pas dormi : l'autre dit-il !")] * 3, vocabulary=90
)


def english(*words: str) -> Pieces:
    return tokenize_words(TOKENIZER, words, normalise_english, french=False)


def french(*words: str) -> Pieces:
    return tokenize_words(TOKENIZER, words, normalise_french, french=True)


def spelled(pieces: Pieces) -> list[str | None]:
    """Each word as its pieces spell it, with the space before it where there is one."""
    return [
        None if span is None else "".join(TOKENIZER.id_to_token(pieces.ids[place]) for place in span)
        for span in pieces.spans
    ]


def networks() -> dict[str, torch.nn.Module]:
    torch.manual_seed(0)
    made = {
        "seq2seq": Seq2Seq(Seq2SeqConfig(WORDS, width=16, state=16)),
        "bahdanau": Bahdanau(BahdanauConfig(WORDS, width=16, encoder=12, state=16, attention=12)),
        "transformer": Transformer(TransformerConfig(WORDS, WORDS, width=16, layers=2, heads=2, hidden=32)),
    }
    return {name: network.eval().requires_grad_(False) for name, network in made.items()}


def some_pieces(length: int, seed: int) -> Pieces:
    ids = torch.randint(4, WORDS, (length,), generator=torch.Generator().manual_seed(seed)).tolist()
    return Pieces((*ids, END), tuple(range(place, place + 1) for place in range(length)))


PAIRS = [(some_pieces(n, n), some_pieces(m, 50 + m)) for n, m in ((3, 5), (7, 2), (1, 1), (5, 6), (2, 9))]


def test_every_piece_belongs_to_one_word_in_order():
    for cut in (english("The", "cat", "did", "n't", "sleep", ","), french("n'", "a", "-il", "pas", "l'", "autre", "!")):
        places = [place for span in cut.spans if span is not None for place in span]
        assert places == list(range(len(cut.ids) - 1))
        assert cut.ids[-1] == END


def test_words_are_joined_as_they_are_printed():
    assert spelled(english("The", "dog", "'s", "away", "!")) == ["▁The", "▁dog'", "s", "▁away", "!"]
    assert spelled(french("l’", "autre", "dit", "-il", "!")) == ["▁l'", "autre", "▁dit", "-il", "▁!"]
    assert spelled(french("dit", "—", "il", "-LRB-", "a", "-RRB-"))[1:3] == ["▁-", "▁il"]


def test_pieces_of_joined_words_are_those_of_the_printed_text():
    printed = TOKENIZER.encode(normalise_french("Le chat n'a pas dormi, l'autre dit-il !"))
    words = ("Le", "chat", "n'", "a", "pas", "dormi", ",", "l'", "autre", "dit", "-il", "!")
    assert list(french(*words).ids) == printed.ids


def test_a_word_that_the_tokenizer_cannot_see_has_no_pieces_and_stays_unlinked():
    source, target = english("cat", "\u200b", "dog"), french("\u200b", "chat", "a")
    assert [span is None for span in source.spans] == [False, True, False]
    assert source.word_numbers == (0, 2)
    assert target.word_numbers == (1, 2)
    words = torch.tensor([[0.9, 0.1], [0.2, 0.8]])
    assert links_between_words(words, source, target) == {(0, 1), (2, 2)}
    empty = english("\u200b")
    assert (
        links_between_words(maps_between_words(torch.ones(len(target.ids), 1), empty, target), empty, target) == set()
    )


@pytest.mark.parametrize("shift", [0, 1])
def test_words_are_the_sum_over_source_pieces_and_the_mean_over_target_pieces(shift):
    source = Pieces((7, 8, 9, 10, END), (range(2), None, range(2, 3), range(3, 4)))
    target = Pieces((5, 6, 7, END), (range(1), None, range(1, 3)))
    weights = torch.rand(2, 4, 5, generator=torch.Generator().manual_seed(1))
    word_maps = maps_between_words(weights, source, target, shift=shift)
    assert word_maps.shape == (2, 2, 3)
    for head in range(2):
        for row, pieces in enumerate(([0], [1, 2])):
            for column, keys in enumerate(([0, 1], [2], [3])):
                expected = sum(weights[head, piece + shift, key] for piece in pieces for key in keys) / len(pieces)
                torch.testing.assert_close(word_maps[head, row, column], expected)


def test_shift_takes_the_row_of_the_step_that_has_read_the_word():
    source, target = some_pieces(3, 1), some_pieces(3, 2)
    # Row 0 is anything; the steps that have read words 0, 1, 2 look at source words 2, 0, 1.
    weights = torch.zeros(4, 4)
    weights[0, 3] = weights[1, 2] = weights[2, 0] = weights[3, 1] = 1.0
    assert links_between_words(maps_between_words(weights, source, target, shift=1), source, target) == {
        (2, 0),
        (0, 1),
        (1, 2),
    }


@pytest.mark.parametrize("name", networks())
def test_a_batch_gives_what_single_pairs_give(name):
    network = networks()[name]
    together, alone = alignment_maps(network, PAIRS), [alignment_maps(network, [pair])[0] for pair in PAIRS]
    for (source, target), many, one in zip(PAIRS, together, alone, strict=True):
        assert many.shape[-2:] == (len(target.ids), len(source.ids))
        torch.testing.assert_close(many, one, atol=1e-5, rtol=1e-4)
        torch.testing.assert_close(many.sum(dim=-1), torch.ones(many.shape[:-1]))


@pytest.mark.parametrize(
    ("name", "wrapper"),
    [("seq2seq", Seq2SeqTranslator), ("bahdanau", BahdanauTranslator), ("transformer", TransformerTranslator)],
)
def test_maps_are_those_that_the_page_shows(name, wrapper):
    network = networks()[name]
    source, target = PAIRS[0]
    tokens = [Tokens(cut.ids, ("x",) * len(cut.ids), (False,) * len(cut.ids), (0,) * len(cut.ids)) for cut in PAIRS[0]]
    alignment = wrapper(name, name, network, TOKENIZER).align(*tokens)
    torch.testing.assert_close(alignment_maps(network, [(source, target)])[0], torch.stack(alignment.cross))


def test_a_network_of_another_kind_is_refused_by_name():
    with pytest.raises(TypeError, match="Linear is none of the three"):
        alignment_maps(torch.nn.Linear(2, 2), PAIRS[:1])


@pytest.mark.parametrize("direction", ["target", "source", "both", "either"])
def test_the_error_rate_of_a_perfect_map_is_zero(direction):
    source, target = some_pieces(4, 1), some_pieces(4, 2)
    order = [2, 0, 3, 1]
    weights = torch.zeros(5, 5)
    for row, column in enumerate(order):
        weights[row, column] = 0.7
        weights[row, 4] = 0.3  # the end mark is nobody's word
    gold = {(column, row) for row, column in enumerate(order)}
    links = links_between_words(maps_between_words(weights, source, target), source, target, direction)
    assert agreement(links, gold) == Agreement(4, 4, 4, 4)
    assert agreement(links, gold).error_rate == 0

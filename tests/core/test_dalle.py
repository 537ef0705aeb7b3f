import pytest
import torch

from core.capture import record_attention
from core.models.dalle import DALLE, MASKS, DALLEConfig, loss_of, mask_of
from core.models.key_value_cache import Cache

CONFIG = DALLEConfig(words=9, context=5, codes=7, grid=4, width=16, heads=2, masks=MASKS, kernel=3)

# Which codes of a 4 x 4 picture the code at place 9 (row 2, column 1) may look at, itself included (figure 11).
SEEN_FROM_9 = {
    "full": {0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
    "row": {5, 6, 7, 8, 9},
    "column": {1, 5, 9},
    "convolution": {4, 5, 6, 8, 9},
}
# At place 8, on the left edge, the square goes on at the right edge of the row before.
SEEN_FROM_8 = {"row": {4, 5, 6, 7, 8}, "column": {0, 4, 8}, "convolution": {3, 4, 5, 7, 8}}


def made() -> DALLE:
    torch.manual_seed(0)
    network = DALLE(CONFIG).eval()
    for parameter in network.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    return network


@pytest.mark.parametrize("mask", MASKS)
def test_a_mask_lets_codes_look_where_the_paper_draws_it(mask: str):
    visible = mask_of(CONFIG, mask)
    assert set(visible[5 + 9, 5:].nonzero().flatten().tolist()) == SEEN_FROM_9[mask]
    if mask in SEEN_FROM_8:
        assert set(visible[5 + 8, 5:].nonzero().flatten().tolist()) == SEEN_FROM_8[mask]
    assert visible[5:, :5].all(), "codes see all words"
    assert torch.equal(visible[:5, :5], torch.ones(5, 5, dtype=torch.bool).tril())
    assert not visible.triu(1).any(), "nothing looks ahead"


def test_nothing_that_comes_later_changes_what_is_expected():
    network = made()
    words, codes = torch.tensor([[1, 4, 5, 2, 0]]), torch.randint(7, (1, 16))
    before = network(words, codes[:, :-1])
    for place in range(15):
        changed = codes.clone()
        changed[0, place] = (changed[0, place] + 1) % 7
        after = network(words, changed[:, :-1])
        assert torch.equal(after.words, before.words)
        assert torch.equal(after.codes[:, : place + 1], before.codes[:, : place + 1])
        assert not torch.equal(after.codes[:, place + 1], before.codes[:, place + 1])


def test_a_word_changes_what_is_expected_of_every_code():
    network = made()
    codes = torch.randint(7, (1, 15))
    one, other = (network(torch.tensor([[1, word, 5, 2, 0]]), codes).codes for word in (4, 6))
    assert ((one - other).abs().sum(dim=-1) > 0).all()


def test_code_by_code_with_a_cache_is_the_same_as_all_at_once():
    network = made()
    words, codes = torch.tensor([[1, 4, 5, 2, 0], [1, 7, 2, 0, 0]]), torch.randint(7, (2, 15))
    cache = Cache(CONFIG.layers, longest=CONFIG.longest)
    hidden_states = [network.read(network.embed(words, codes[:, :3]), cache)[:, CONFIG.context - 1 :]]
    for place in range(3, 15):
        hidden_states.append(network.read(network.embed_codes(codes[:, place : place + 1], first=place), cache))
    assert torch.allclose(network.codes_head(torch.cat(hidden_states, dim=1)), network(words, codes).codes, atol=1e-5)


def test_recorded_weights_are_zero_where_the_mask_forbids():
    network = made()
    with record_attention(network) as record:
        network(torch.tensor([[1, 4, 5, 2, 0]]), torch.randint(7, (1, 15)))
    for call, mask in zip(record.calls, MASKS, strict=True):
        weights, visible = call.weights(0), mask_of(CONFIG, mask)
        assert float(weights[~visible].abs().max()) == 0
        assert float(weights[visible].min()) > 0


def test_what_fills_up_a_sentence_is_never_asked_for():
    network = made()
    words, codes = torch.tensor([[1, 4, 2, 0, 0]]), torch.randint(7, (1, 16))
    expected = network(words, codes[:, :-1])
    logs = expected.words[0].log_softmax(dim=-1)
    word_loss = -(logs[0, 4] + logs[1, 2]) / 2
    drawn = -expected.codes[0].log_softmax(dim=-1)[torch.arange(16), codes[0]].mean()
    assert torch.allclose(loss_of(expected, words, codes), (word_loss + 7 * drawn) / 8, atol=1e-6)


def test_sentences_of_another_length_and_a_last_code_are_refused():
    network = made()
    with pytest.raises(ValueError, match="filled up to 5 places, not to 4"):
        network(torch.ones(1, 4, dtype=torch.long), torch.zeros(1, 3, dtype=torch.long))
    with pytest.raises(ValueError, match="Nothing comes after the last of 16 codes"):
        network(torch.ones(1, 5, dtype=torch.long), torch.zeros(1, 16, dtype=torch.long))

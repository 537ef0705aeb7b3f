"""Models that fill gaps: ours and those of transformers, one text or two, and whether the second follows."""

from dataclasses import replace

import pytest
import torch
from tokenizers import processors
from transformers import AutoTokenizer, BertConfig, BertForPreTraining, PreTrainedTokenizerFast

from core import zoo
from core.errors import InputError, ModelError
from core.models.bert import PretrainingBERT
from core.zoo.embedded import MASKED, TEXT, WEIGHTS
from core.zoo.masked_language_models import MaskedLanguageModel
from tests.core import saved_models
from tests.core.tiny_bert import tiny_bert

FIRST, SECOND = "The quick brown fox.", "Who listens to whom?"


@pytest.fixture(scope="module")
def ours(tmp_path_factory) -> MaskedLanguageModel:
    return tiny_bert(tmp_path_factory.mktemp("weights"))


@pytest.fixture(scope="module")
def with_both_heads(tmp_path_factory):
    """A folder with a BertForPreTraining, which knows how to read two sentences, and the network itself."""
    folder = tmp_path_factory.mktemp("pretraining")
    tokenizer = saved_models.wordpiece_tokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    torch.manual_seed(0)
    sizes = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = BertConfig(
        vocab_size=tokenizer.get_vocab_size(), initializer_range=0.3, max_position_embeddings=40, **sizes
    )
    network = BertForPreTraining(config).eval()
    network.save_pretrained(folder)
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, mask_token="[MASK]").save_pretrained(folder)
    return folder, network


def test_our_bert_comes_back_as_a_model_that_fills_gaps_and_not_as_a_gpt(ours):
    assert isinstance(ours.network, PretrainingBERT)
    assert ours.label(ours.mask) == "[MASK]"
    assert ours.has_segments
    assert ours.context == 128
    assert not any(weight.requires_grad for weight in ours.network.parameters())


def test_what_has_no_folder_is_not_offered():
    assert all((WEIGHTS / name).is_dir() for name in TEXT)
    assert set(MASKED) <= set(TEXT)
    assert "gpt-books" not in MASKED


def test_a_pair_is_what_the_tokenizer_itself_makes_of_two_texts(ours):
    tokens = ours.encode_pair(FIRST, SECOND)
    expected = ours.tokenizer.encode(FIRST, SECOND)
    assert tokens.ids == tuple(expected.ids)
    assert tokens.segments == tuple(expected.type_ids)
    assert tokens.special == tuple(map(bool, expected.special_tokens_mask))
    own = [label for label, special in zip(tokens.labels, tokens.special, strict=True) if not special]
    assert "".join(own) == FIRST + SECOND
    numbers = [word for word in tokens.words if word is not None]
    assert numbers == sorted(numbers)
    assert len(set(numbers)) == 10  # The quick brown fox . Who listens to whom ?


def test_a_pair_of_a_named_bert_equals_the_librarys_own_encoding(with_both_heads):
    folder, _ = with_both_heads
    model = zoo.load_text(str(folder))
    tokens = model.encode_pair(FIRST, SECOND)
    expected = AutoTokenizer.from_pretrained(folder)(FIRST, SECOND, return_token_type_ids=True)
    assert list(tokens.ids) == expected["input_ids"]
    assert list(tokens.segments) == expected["token_type_ids"]


def test_segments_change_what_a_model_says_that_is_told_them(ours):
    tokens = ours.encode_pair(FIRST, SECOND)
    with_segments, without_segments = (
        ours.run(tokens).logits,
        ours.run(replace(tokens, segments=(0,) * len(tokens))).logits,
    )
    assert not torch.allclose(with_segments, without_segments)
    by_hand = ours.network(torch.tensor([tokens.ids]), torch.tensor([tokens.segments]))[0]
    torch.testing.assert_close(with_segments, by_hand)


def test_the_next_sentence_is_judged_as_the_library_judges_it(with_both_heads):
    folder, network = with_both_heads
    model = zoo.load_text(str(folder))
    tokens = model.encode_pair(FIRST, SECOND)
    ids, segments = torch.tensor([tokens.ids]), torch.tensor([tokens.segments])
    with torch.inference_mode():
        expected = network(input_ids=ids, token_type_ids=segments).seq_relationship_logits.softmax(-1)[0, 0]
        assert model.follows(tokens) == pytest.approx(float(expected), abs=1e-6)
        expected = network(input_ids=ids, token_type_ids=segments).prediction_logits[0]
    torch.testing.assert_close(model.run(tokens).logits, expected)


def test_our_next_sentence_head_reads_the_first_token(ours):
    tokens = ours.encode_pair(FIRST, SECOND)
    vectors = ours.network.bert(torch.tensor([tokens.ids]), torch.tensor([tokens.segments]))
    expected = ours.network.next_sentence(vectors).softmax(-1)[0, 0]
    assert ours.follows(tokens) == pytest.approx(float(expected), abs=1e-6)


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_a_model_without_the_second_task_says_so(kind, tmp_path):
    model = zoo.load_text(str(saved_models.save_text_model(kind, tmp_path / kind)))
    assert isinstance(model, MaskedLanguageModel)
    with pytest.raises(ModelError, match="was not trained to say whether one sentence follows another"):
        model.follows(model.encode(FIRST))


def test_a_roberta_is_not_told_which_sentence_a_token_belongs_to(tmp_path):
    model = zoo.load_text(str(saved_models.save_text_model("roberta", tmp_path / "roberta")))
    assert model.label(model.mask) == "<mask>"
    model.tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    assert not model.has_segments
    tokens = model.encode_pair(FIRST, SECOND)
    assert [label for label, special in zip(tokens.labels, tokens.special, strict=True) if special] == [
        *("<s>", "</s>", "</s>", "</s>")
    ]
    begins = tokens.segments.index(1)
    assert tokens.labels[begins - 1] == "</s>"
    assert not tokens.special[begins]
    alone = model.network(torch.tensor([tokens.ids])).logits[0]
    torch.testing.assert_close(model.run(tokens).logits, alone)


def test_a_tokenizer_that_marks_no_second_sentence_is_refused_in_a_sentence(tmp_path):
    model = zoo.load_text(str(saved_models.save_text_model("bert", tmp_path / "bert")))
    with pytest.raises(ModelError, match="puts nothing between two sentences"):
        model.encode_pair(FIRST, SECOND)


def test_sentences_that_are_empty_or_too_long_together_are_a_sentence_with_numbers(ours):
    with pytest.raises(InputError, match="one of them is empty"):
        ours.encode_pair(FIRST, "")
    with pytest.raises(InputError, match="at most 128 at once"):
        ours.encode_pair(FIRST * 10, SECOND * 20)


def test_a_tokenizer_without_a_mask_is_a_sentence(ours):
    without = replace(ours, tokenizer=zoo.load_text("gpt-books").tokenizer)
    with pytest.raises(ModelError, match="has no token that hides another"):
        _ = without.mask


def test_hidden_tokens_keep_everything_but_number_and_label(ours):
    tokens = ours.encode("The old man sat by the fire.")
    hidden = ours.mask_places(tokens, [2, 4])
    assert [place for place, (a, b) in enumerate(zip(tokens.ids, hidden.ids, strict=True)) if a != b] == [2, 4]
    assert {hidden.ids[2], hidden.ids[4]} == {ours.mask}
    assert hidden.labels[2].strip() == "[MASK]"
    assert hidden.words == tokens.words


def test_asking_at_some_places_equals_the_whole_pass(ours):
    tokens = ours.encode("The old man sat by the fire.")
    ids = torch.tensor([tokens.ids, tokens.ids[::-1]])
    selected = torch.zeros_like(ids, dtype=torch.bool)
    selected[0, 3] = selected[1, 1] = selected[1, 5] = True
    full_logits = ours.network(ids)
    torch.testing.assert_close(
        ours.logits_at(ids, selected), torch.stack([full_logits[0, 3], full_logits[1, 1], full_logits[1, 5]])
    )

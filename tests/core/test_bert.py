"""Our BERT is BERT: with a checkpoint of transformers it says the same."""

import pytest
import torch
from transformers import BertConfig, BertForMaskedLM, BertForPreTraining, BertModel

from core.models.bert import BERT, BERTConfig, PretrainingBERT, load_bert, load_bert_body

SIZES = [(2, 4, 32, 64), (3, 2, 48, 100), (1, 6, 24, 24)]  # layers, heads, width, hidden


def reference(layers: int, heads: int, width: int, hidden: int, kind: type = BertForPreTraining):
    torch.manual_seed(layers)
    config = BertConfig(
        vocab_size=97,
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=hidden,
        max_position_embeddings=40,
        initializer_range=0.2,  # large enough that every part of the model is heard
    )
    return kind(config).eval()


def batch() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    tokens = torch.randint(97, (3, 21), generator=torch.Generator().manual_seed(1))
    segments = (torch.arange(21) >= 9).long().expand(3, 21)
    padding = torch.arange(21) >= torch.tensor([[21], [15], [10]])
    return tokens, segments, padding


@pytest.mark.parametrize("sizes", SIZES)
def test_logits_of_both_tasks_equal_those_of_transformers(sizes: tuple[int, int, int, int]):
    theirs = reference(*sizes)
    ours = load_bert(theirs.state_dict(), heads=sizes[1])
    tokens, segments, padding = batch()
    with torch.inference_mode():
        outputs = theirs(input_ids=tokens, token_type_ids=segments, attention_mask=(~padding).long())
        hidden = ours.bert(tokens, segments, padding)
        words, follows = ours.words(hidden), ours.next_sentence(hidden)
    torch.testing.assert_close(words[~padding], outputs.prediction_logits[~padding], rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(follows, outputs.seq_relationship_logits, rtol=1e-4, atol=1e-4)


def test_a_checkpoint_without_the_second_task_gives_the_same_words():
    theirs = reference(*SIZES[0], kind=BertForMaskedLM)
    ours = load_bert(theirs.state_dict(), heads=SIZES[0][1])
    tokens, _, _ = batch()
    with torch.inference_mode():
        torch.testing.assert_close(ours(tokens), theirs(input_ids=tokens).logits, rtol=1e-4, atol=1e-4)


def test_the_oldest_names_of_norms_are_read():
    weights = reference(*SIZES[0]).state_dict()
    old = {
        name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"): tensor
        for name, tensor in weights.items()
    }
    tokens, _, _ = batch()
    with torch.inference_mode():
        new_names, old_names = load_bert(weights, heads=4)(tokens), load_bert(old, heads=4)(tokens)
    torch.testing.assert_close(old_names, new_names, rtol=0, atol=0)


def test_padding_is_not_looked_at():
    model = PretrainingBERT(BERTConfig(vocabulary=97, context=40, width=24, layers=2, heads=2, hidden=48)).eval()
    tokens, segments, padding = batch()
    with torch.inference_mode():
        padded = model(tokens, segments, padding)[2, :10]
        alone = model(tokens[2:, :10], segments[2:, :10])[0]
    torch.testing.assert_close(padded, alone, rtol=1e-4, atol=1e-5)


def test_sizes_that_cannot_be_are_refused_with_the_rule():
    with pytest.raises(ValueError, match="5 heads cannot share 288 channels equally"):
        BERTConfig(heads=5)
    with pytest.raises(ValueError, match="at least 1 for 'layers', not 0"):
        BERTConfig(layers=0)
    model = BERT(BERTConfig(context=8))
    with pytest.raises(ValueError, match="9 tokens do not fit: this BERT's context holds 8"):
        model(torch.zeros(1, 9, dtype=torch.long))


def test_a_second_text_may_be_counted_anew():
    tokens, segments, _ = batch()
    sizes = {"vocabulary": 97, "context": 40, "width": 24, "layers": 1, "heads": 2, "hidden": 48}
    torch.manual_seed(0)
    model = BERT(BERTConfig(**sizes, restarts=True)).eval()
    position_ids = []
    model.position_embedding.register_forward_hook(lambda _module, args, _output: position_ids.append(args[0]))
    with torch.inference_mode():
        model(tokens, segments)
    assert position_ids[0][0].tolist() == [*range(9), *range(12)]


def test_each_of_two_texts_may_be_as_long_as_the_context_if_each_is_counted_anew():
    sizes = {"vocabulary": 9, "context": 8, "width": 4, "layers": 1, "heads": 1, "hidden": 4}
    model = BERT(BERTConfig(**sizes, restarts=True)).eval()
    segments = torch.tensor([[0] * 8 + [1] * 8])
    assert model(torch.zeros_like(segments), segments).shape == (1, 16, 4)
    with pytest.raises(ValueError, match="9 tokens do not fit: this BERT's context holds 8"):
        model(torch.zeros(1, 17, dtype=torch.long), torch.tensor([[0] * 8 + [1] * 9]))


def test_a_body_without_heads_gives_the_vectors_of_transformers():
    torch.manual_seed(3)
    config = BertConfig(vocab_size=50, hidden_size=24, num_hidden_layers=2, num_attention_heads=4, intermediate_size=40)
    theirs = BertModel(config).eval()
    tokens, _, padding = batch()
    tokens = tokens % 50
    ours = load_bert_body(theirs.state_dict(), heads=4)
    with torch.inference_mode():
        expected = theirs(input_ids=tokens, attention_mask=(~padding).long()).last_hidden_state
        vectors = ours(tokens, padding=padding)
    torch.testing.assert_close(vectors[~padding], expected[~padding], rtol=1e-4, atol=1e-4)

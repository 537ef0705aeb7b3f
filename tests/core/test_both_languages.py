"""Alignment maps of a BERT that reads two languages at once are the parts of its own maps that cross between them."""

import torch
from tokenizers import Tokenizer, models, pre_tokenizers

from core.capture import record_attention
from core.models.bert import BERTConfig, PretrainingBERT
from core.translation.both_languages import bert_alignment_maps, pair_input
from core.translation.given_words import tokenize_words
from core.translation.spelling import normalise_english, normalise_french

WORDS = ("<pad>", "<s>", "</s>", "<unk>", "▁the", "▁cat", "▁sleeps", "▁le", "▁chat", "▁dort")
WORDS += ("[CLS]", "[SEP]", "[MASK]")


def tokenizer() -> Tokenizer:
    made = Tokenizer(models.WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.add_special_tokens(["[CLS]", "[SEP]", "[MASK]"])
    return made


def test_the_maps_are_the_corner_in_which_the_second_sentence_looks_at_the_first():
    torch.manual_seed(0)
    sizes = {"vocabulary": len(WORDS), "context": 24, "width": 16, "layers": 2, "heads": 2, "hidden": 32}
    model = PretrainingBERT(BERTConfig(**sizes, restarts=True)).eval()
    source = tokenize_words(tokenizer(), ["the", "cat", "sleeps"], normalise_english, french=False)
    target = tokenize_words(tokenizer(), ["le", "chat"], normalise_french, french=True)
    row, segments = pair_input(tokenizer(), source, target)
    assert [WORDS[number] for number in row] == [
        *("[CLS]", "▁the", "▁cat", "▁sleeps", "[SEP]"),
        *("▁le", "▁chat", "[SEP]"),
    ]
    assert segments == [0] * 5 + [1] * 3
    (maps,) = bert_alignment_maps(model, tokenizer(), [(source, target)])
    with torch.inference_mode(), record_attention(model) as record:
        model.bert(torch.tensor([row]), torch.tensor([segments]))
    assert maps.shape == (2, 2, 3, 4)
    for layer, call in enumerate(record.calls):
        for head in range(2):
            torch.testing.assert_close(maps[layer, head], call.weights(head)[5:, 1:5])

"""A BERT of ours in a size that runs in milliseconds: random weights, always the same ones, gpt-books' own pieces."""

from pathlib import Path

import torch
from tokenizers import Tokenizer, processors

from core.models.bert import BERTConfig, PretrainingBERT
from core.zoo.embedded import WEIGHTS, load_embedded_text, save_text
from core.zoo.masked_language_models import MaskedLanguageModel
from training.common.masking import add_special_tokens

SPECIAL = ["[PAD]", "[CLS]", "[SEP]", "[MASK]"]


def bert_tokenizer() -> Tokenizer:
    """That of gpt-books with BERT's special tokens, as bert-books has it."""
    tokenizer = Tokenizer.from_file(str(WEIGHTS / "gpt-books" / "tokenizer.json"))
    tokenizer.add_special_tokens(SPECIAL)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(name, tokenizer.token_to_id(name)) for name in ("[CLS]", "[SEP]")],
    )
    return tokenizer


def save_tiny_bert(folder: Path, *, context: int = 128) -> Path:
    """What bert-books will be, small."""
    tokenizer = bert_tokenizer()
    torch.manual_seed(0)
    sizes = {"width": 24, "layers": 2, "heads": 3, "hidden": 48}
    network = PretrainingBERT(BERTConfig(vocabulary=tokenizer.get_vocab_size(), context=context, **sizes))
    with torch.no_grad():
        for weight in network.parameters():
            if weight.ndim == 2:  # far from even: every part of the model is heard
                weight.normal_(std=0.4)
    save_text(network, tokenizer, folder)
    return folder


def tiny_bert(folder: Path, *, context: int = 128) -> MaskedLanguageModel:
    save_tiny_bert(folder / "bert-books", context=context)
    model = load_embedded_text("bert-books", weights=folder)
    assert isinstance(model, MaskedLanguageModel)
    return model


def save_tiny_pairs(folder: Path) -> Path:
    """What bert-pairs is, small: the vocabulary of both languages, and a second text counts its places anew."""
    tokenizer = add_special_tokens(Tokenizer.from_file(str(WEIGHTS / "translation" / "tokenizer.json")))
    torch.manual_seed(1)
    sizes = {"width": 24, "layers": 2, "heads": 3, "hidden": 48, "restarts": True}
    network = PretrainingBERT(BERTConfig(vocabulary=tokenizer.get_vocab_size(), **sizes))
    with torch.no_grad():
        for weight in network.parameters():
            if weight.ndim == 2:
                weight.normal_(std=0.4)
    save_text(network, tokenizer, folder)
    return folder


def tiny_pairs(folder: Path) -> MaskedLanguageModel:
    save_tiny_pairs(folder / "bert-pairs")
    model = load_embedded_text("bert-pairs", weights=folder)
    assert isinstance(model, MaskedLanguageModel)
    return model

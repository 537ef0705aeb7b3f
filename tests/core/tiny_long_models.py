"""Random models of several families for texts of up to 20,000 tokens."""

from dataclasses import replace

import torch
from tokenizers import Tokenizer

from core.models.gpt import GPT, GPTConfig
from core.models.gpt_rotary import RotaryGPT, RotaryGPTConfig
from core.text import Tokens
from core.zoo.embedded import WEIGHTS
from core.zoo.text_models import CausalLanguageModel, Encoder, TextModel

VOCABULARY = 4096  # of gpt-books, whose tokenizer all have
SIZES = {"vocab_size": VOCABULARY, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
SIZES |= {"intermediate_size": 48, "max_position_embeddings": 20_000}


def family(name: str) -> TextModel:
    """A random model with two layers of four heads, for up to 20,000 tokens."""
    from transformers import AutoConfig, AutoModel, AutoModelForCausalLM

    torch.manual_seed(0)
    tokenizer = Tokenizer.from_file(str(WEIGHTS / "gpt-books" / "tokenizer.json"))
    own = {"vocabulary": VOCABULARY, "context": 20_000, "width": 32, "layers": 2, "heads": 4}
    if name == "gpt":
        network = GPT(GPTConfig(**own))
    elif name == "rotary":
        network = RotaryGPT(RotaryGPTConfig(**own, trained=64))
    elif name == "gpt2":
        sizes = {"vocab_size": VOCABULARY, "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 20_000}
        network = AutoModelForCausalLM.from_config(AutoConfig.for_model("gpt2", **sizes))
    elif name in ("llama", "mistral"):
        grouped = SIZES | {"num_key_value_heads": 2, "head_dim": 8}
        network = AutoModelForCausalLM.from_config(AutoConfig.for_model(name, **grouped))
    else:
        network = AutoModel.from_config(AutoConfig.for_model(name, **SIZES))
    with torch.no_grad():
        for weight in network.parameters():
            if weight.ndim == 2:  # far from even maps
                weight.normal_(std=0.3)
    kind = Encoder if name in ("bert", "deberta-v2") else CausalLanguageModel
    return kind(name, name, network, tokenizer, 20_000)


def cut(model: TextModel, count: int) -> Tokens:
    """A text of `count` tokens."""
    return replace(model, context=count).encode(" ".join(["I see the sea and the sea sees me"] * count))

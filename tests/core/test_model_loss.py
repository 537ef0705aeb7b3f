"""The loss of a language model with another attention swapped in."""

import pytest
import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit

from core.capture import edit_attention
from core.efficient import Clustered, Fused, Performer, SlidingWindow
from core.efficient.model_loss import surprises
from core.errors import InputError, ModelError
from core.models.gpt import GPT, GPTConfig
from core.text import Tokens
from core.zoo.text_models import CausalLanguageModel, Encoder

PATHS = ("blocks.0.attention", "blocks.1.attention")


def model(kind=CausalLanguageModel):
    torch.manual_seed(0)
    tokenizer = Tokenizer(WordLevel({str(number): number for number in range(32)}, unk_token="0"))
    tokenizer.pre_tokenizer = WhitespaceSplit()
    network = GPT(GPTConfig(vocabulary=32, context=60, width=32, layers=2, heads=4))
    torch.nn.init.normal_(network.token_embedding.weight, std=0.5)
    return kind("tiny", "A tiny GPT", network, tokenizer, 60)


def text(length=50):
    numbers = torch.randint(32, (length,), generator=torch.Generator().manual_seed(0)).tolist()
    return Tokens(tuple(numbers), tuple(map(str, numbers)), (False,) * length, (None,) * length)


def test_without_a_variant_it_is_the_cross_entropy_of_the_model():
    tiny, tokens = model(), text()
    losses = surprises(tiny, tokens)
    logits = tiny.network(torch.tensor([tokens.ids]))[0, :-1]
    assert float(losses.mean()) == pytest.approx(
        float(torch.nn.functional.cross_entropy(logits, torch.tensor(tokens.ids[1:]))), rel=1e-5
    )
    assert len(losses) == 49


def test_exact_attention_swapped_in_changes_nothing():
    tiny = model()
    torch.testing.assert_close(
        surprises(tiny, text(), Fused(), paths=PATHS), surprises(tiny, text()), atol=1e-5, rtol=1e-4
    )


def test_a_window_of_one_token_is_the_same_as_a_pasted_diagonal():
    from core.capture import Paste

    tiny, tokens = model(), text()
    losses = surprises(tiny, tokens, SlidingWindow(window=1), paths=PATHS[:1])
    with (
        torch.inference_mode(),
        edit_attention(tiny.network, {(PATHS[0], head): Paste(torch.eye(50)) for head in range(4)}),
    ):
        logits = tiny.run(tokens).logits[:-1]
    expected = torch.nn.functional.cross_entropy(logits, torch.tensor(tokens.ids[1:]), reduction="none")
    torch.testing.assert_close(losses, expected, atol=1e-5, rtol=1e-4)
    assert (losses - surprises(tiny, tokens)).abs().max() > 1e-3


def test_a_later_token_changes_no_earlier_surprise():
    tiny, long, short = model(), text(50), text(30)
    for variant in (SlidingWindow(window=8), Performer(features=16)):
        torch.testing.assert_close(
            surprises(tiny, long, variant, paths=PATHS)[:29],
            surprises(tiny, short, variant, paths=PATHS),
            atol=1e-4,
            rtol=1e-4,
        )


def test_progress_is_told_of_each_layer_and_may_stop_the_work():
    reports = []
    surprises(model(), text(), SlidingWindow(), paths=PATHS, progress=lambda *step: reports.append(step))
    assert reports == [(1, 2), (2, 2)]

    def stop(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        surprises(model(), text(), SlidingWindow(), paths=PATHS, progress=stop)


def test_what_cannot_be_measured_is_an_error_that_says_why():
    with pytest.raises(InputError, match="this text has 1"):
        surprises(model(), text(1))
    with pytest.raises(InputError, match="Clustered lets later tokens have a say"):
        surprises(model(), text(), Clustered(), paths=PATHS)
    with pytest.raises(ModelError, match="does not predict the next token"):
        surprises(model(Encoder), text())

"""Train `gpt-books-long`: `gpt-books` with rotary positions, 1,024 tokens at once, on the same 39 books.

It starts from the weights of `gpt-books`, without their learned positions.

    python -m training.gpt_books_long.train --data PATH
"""

from pathlib import Path

from tokenizers import Tokenizer
from torch.nn.attention import SDPBackend

from core.models.gpt_rotary import RotaryGPT, RotaryGPTConfig
from core.zoo.embedded import WEIGHTS, load_embedded_text
from training.common.command_line import CommandLine
from training.common.data_sets import BOOKS, WIKITEXT
from training.common.loop import Plan
from training.gpt_books.data import Windows, encode_books, read_books
from training.gpt_books.train import learn
from training.gpt_books_long.report import report

BATCH = 4
START = WEIGHTS / "gpt-books"


def main() -> None:
    """Train, measure, write the weights."""
    arguments = command_line().read()
    run = arguments.run
    run.mkdir(parents=True, exist_ok=True)
    tokenizer = Tokenizer.from_file(str(START / "tokenizer.json"))
    tokens = encode_books(arguments.data, tokenizer, run / "tokens.npy")
    model = initial_model(RotaryGPTConfig(vocabulary=tokenizer.get_vocab_size()))
    windows = Windows(tokens, model.config.trained, BATCH, arguments.seed)
    print(f"{len(tokens):,} tokens, {sum(p.numel() for p in model.parameters()):,} parameters", flush=True)
    plan = Plan(steps=arguments.steps, learning_rate=2e-3, decay=0.4, seed=arguments.seed)
    # At 1,024 tokens the fused kernel is three times as fast as attention written out, its backward pass included.
    record = learn(model, windows, plan, run, SDPBackend.FLASH_ATTENTION)
    (held_out,) = read_books(arguments.data, held_out=True)
    report(model, tokenizer, held_out, arguments.data, record)


def initial_model(config: RotaryGPTConfig) -> RotaryGPT:
    """A model with the weights of `gpt-books`, without its learned positions."""
    weights = load_embedded_text("gpt-books").network.state_dict()
    weights.pop("position_embedding.weight")
    model = RotaryGPT(config)
    model.load_state_dict(weights)
    return model


def command_line() -> CommandLine:
    """The options of the command line."""
    return CommandLine(
        __doc__, data=[BOOKS, WIKITEXT], run=Path("runs/gpt-books-long"), steps=1600, seed=True, threads="all"
    )


if __name__ == "__main__":
    main()

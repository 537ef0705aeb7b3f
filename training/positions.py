"""Train `positions`: one small transformer six times, told the order of its tokens in six ways, all else being equal.

What each does beyond the length it was trained on is then measured (after Press et al. 2022, figure 1).

Data: a folder with `tinyshakespeare.txt.gz` (Karpathy 2015, github.com/karpathy/char-rnn, data/tinyshakespeare; public
domain).

    python -m training.positions --data PATH
"""

import argparse
from pathlib import Path
from typing import get_args

import torch

from core.models.self_attention import Positions
from training import shakespeare
from training.characters import make, train_text
from training.loop import Plan
from training.positions_report import report

CONTEXT, BATCH = 64, 128
SIZES = {"width": 128, "layers": 2, "heads": 4, "context": CONTEXT}


def main() -> None:
    """Train all six, measure, write the weights."""
    arguments = parse_arguments()
    torch.set_num_threads(arguments.threads)
    alphabet, learnt, held_out = shakespeare.read(arguments.data)
    windows = shakespeare.Windows(alphabet.encode(learnt), CONTEXT, BATCH, arguments.seed)
    plan = Plan(steps=int(arguments.epochs * windows.per_epoch), learning_rate=2e-3, decay=0.5, seed=arguments.seed)
    models, seconds = {}, 0.0
    for positions in get_args(Positions):
        models[positions] = make("self_attention", SIZES | {"positions": positions}, len(alphabet), arguments.seed)
        seconds += train_text(models[positions], windows, plan, arguments.run / positions)
    story = {"seed": arguments.seed, "epochs": arguments.epochs, "steps": plan.steps, "batch": BATCH}
    story |= {"minutes": round(seconds / 60)}
    report(alphabet, models, context=CONTEXT, held_out=alphabet.encode(held_out), story=story)


def parse_arguments() -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--run", type=Path, default=Path("runs/positions"), help="checkpoints; resumed if present")
    parser.add_argument("--epochs", type=float, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    return parser.parse_args()


if __name__ == "__main__":
    main()

"""Train `positions`: one small transformer six times, told the order of its tokens in six ways, all else being equal.

What each does beyond the length it was trained on is then measured (after Press et al. 2022, figure 1).

    python -m training.positions.train --data PATH
"""

from pathlib import Path
from typing import get_args

from core.models.self_attention import Positions
from training.characters.train import make, train_text
from training.common import shakespeare
from training.common.command_line import CommandLine
from training.common.data_sets import SHAKESPEARE
from training.common.loop import Plan
from training.positions.report import report

CONTEXT, BATCH = 64, 128
SIZES = {"width": 128, "layers": 2, "heads": 4, "context": CONTEXT}


def main() -> None:
    """Train the six models, measure them, write the weights."""
    arguments = command_line().read()
    alphabet, learnt, held_out = shakespeare.read(arguments.data)
    windows = shakespeare.Windows(alphabet.encode(learnt), CONTEXT, BATCH, arguments.seed)
    plan = Plan(steps=int(arguments.epochs * windows.per_epoch), learning_rate=2e-3, decay=0.5, seed=arguments.seed)
    models, seconds = {}, 0.0
    for positions in get_args(Positions):
        models[positions] = make("self_attention", SIZES | {"positions": positions}, len(alphabet), arguments.seed)
        seconds += train_text(models[positions], windows, plan, arguments.run / positions)
    record = {"seed": arguments.seed, "epochs": arguments.epochs, "steps": plan.steps, "batch": BATCH}
    record |= {"minutes": round(seconds / 60)}
    report(alphabet, models, context=CONTEXT, held_out=alphabet.encode(held_out), record=record)


def command_line() -> CommandLine:
    """The options of the command line."""
    parser = CommandLine(__doc__, data=[SHAKESPEARE], run=Path("runs/positions"), seed=True, threads="all")
    parser.add_argument("--epochs", type=float, default=5)
    return parser


if __name__ == "__main__":
    main()

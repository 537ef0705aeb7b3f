"""Write files of weights in half precision anew in 8 bits, as the training of their model now does.

Measure the model's held-out figures before and after: a model that loses more than a standard error stays in half
precision.

    python -m training.common.eight_bits weights/translation/*.safetensors
"""

from pathlib import Path

from core.models.stored_weights import convert_to_eight_bits
from training.common.command_line import CommandLine


def main() -> None:
    """Convert the files that were named, each in its place."""
    for file in command_line().read().files:
        before = file.stat().st_size
        try:
            convert_to_eight_bits(file)
        except ValueError as error:
            raise SystemExit(str(error)) from error
        print(f"{file}: {before / 1e6:.1f} MB, now {file.stat().st_size / 1e6:.1f}", flush=True)


def command_line() -> CommandLine:
    """The options of the command line."""
    parser = CommandLine(__doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    return parser


if __name__ == "__main__":
    main()

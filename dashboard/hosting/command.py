"""The command `attention-atlas`: the app for whoever sits at this computer, on a model of their own if they name one.

    attention-atlas [--model FOLDER] [--port N]

Here nothing of the app is imported before its folder is the working folder, where Streamlit reads its settings.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from .importable import ROOT, make_importable

NEEDED = ("streamlit", "plotly", "pandas", "transformers", "timm", "PIL")  # each would be the first to be missed
REFUSED = 2  # the exit code, as of any command that cannot do what it was told


def main(given: Sequence[str] | None = None) -> int:
    """Serve the app until it is stopped; the exit code."""
    asked = read(given)
    folder = os.path.abspath(os.path.expanduser(asked.model)) if asked.model else None
    if folder and not os.path.isdir(folder):
        return refuse(f"'{asked.model}' is not a folder. Name the one that holds config.json and model.safetensors.")
    if any(find_spec(name) is None for name in NEEDED):
        return refuse("The app needs more than the library does: pip install 'attention-atlas[app]'.")

    make_importable()
    os.chdir(ROOT)
    os.environ["ATLAS_AT_HOME"] = "1"  # as `make run`: nobody else can reach it, and folders may be opened
    from core.errors import ModelError

    try:
        place = place_of(folder) if folder else ""
    except ModelError as error:
        return refuse(str(error))
    print(f"Attention Atlas: http://localhost:{asked.port}/{place}  (stop it with Ctrl+C)", flush=True)
    from streamlit.web import cli

    options = ["--server.port", str(asked.port), "--server.address", "127.0.0.1"]
    cli.main(["run", "dashboard/hosting/server.py", *options], prog_name="streamlit")
    return 0


def read(given: Sequence[str] | None) -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser("attention-atlas", description="See attention at work, in your browser.")
    parser.add_argument("--model", metavar="FOLDER", help="open this model: config.json, model.safetensors and so on")
    parser.add_argument("--port", metavar="N", type=port, default=8501, help="where to serve (default: %(default)s)")
    return parser.parse_args(given)


def port(written: str) -> int:
    """A port that can be listened to; ArgumentTypeError."""
    if not written.isdecimal() or not 0 < int(written) < 65536:
        raise argparse.ArgumentTypeError(f"'{written}' is not a port. Ports are whole numbers from 1 to 65535.")
    return int(written)


def refuse(sentence: str) -> int:
    """Say why not, where errors are read."""
    print(sentence, file=sys.stderr)
    return REFUSED


def place_of(folder: str) -> str:
    """The address, seen from the first page, that opens a model; ModelError if it cannot be opened in Explore."""
    from core import zoo
    from core.errors import ModelError
    from core.hub.architectures import read_kind
    from core.hub.permissions import Purpose
    from dashboard import contents
    from dashboard.inputs import model_name

    purpose: Purpose = "text"
    try:
        read_kind(Path(folder), folder, purpose, attends=False)
    except ModelError:  # it reads pictures, or it will be refused now
        purpose = "image"
    zoo.inspect(folder, purpose)
    page = contents.TEXT if purpose == "text" else contents.IMAGE
    return page.address(**{model_name.KEYS[purpose]: folder})


if __name__ == "__main__":
    sys.exit(main())

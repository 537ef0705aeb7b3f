"""The command `attention-atlas`: the app on this computer, with a model of the user's own if one is named.

    attention-atlas [--model FOLDER] [--port N]

Nothing of the app is imported before its folder is the working folder, from which Streamlit reads its settings.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from .importable import ROOT, make_importable

NEEDED = ("streamlit", "plotly", "pandas", "transformers", "timm", "PIL")  # each may be the first one missing
REFUSED = 2  # the exit code for unusable arguments


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve the app until it is stopped; the exit code."""
    options = read(arguments)
    folder = os.path.abspath(os.path.expanduser(options.model)) if options.model else None
    if folder and not os.path.isdir(folder):
        return refuse(f"'{options.model}' is not a folder. Name the one that holds config.json and model.safetensors.")
    if any(find_spec(name) is None for name in NEEDED):
        return refuse("The app needs more than the library does: pip install 'attention-atlas[app]'.")

    make_importable()
    os.chdir(ROOT)
    os.environ["ATLAS_AT_HOME"] = "1"  # as `make run`: nobody else can reach it, and folders may be opened
    from core.errors import ModelError

    try:
        address = address_of(folder) if folder else ""
    except ModelError as error:
        return refuse(str(error))
    print(f"Attention Atlas: http://localhost:{options.port}/{address}  (stop it with Ctrl+C)", flush=True)
    from streamlit.web import cli

    settings = ["--server.port", str(options.port), "--server.address", "127.0.0.1"]
    cli.main(["run", "dashboard/hosting/server.py", *settings], prog_name="streamlit")
    return 0


def read(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The parsed arguments."""
    parser = argparse.ArgumentParser("attention-atlas", description="See attention at work, in your browser.")
    parser.add_argument("--model", metavar="FOLDER", help="open this model: config.json, model.safetensors and so on")
    parser.add_argument("--port", metavar="N", type=port, default=8501, help="where to serve (default: %(default)s)")
    return parser.parse_args(arguments)


def port(text: str) -> int:
    """A port from 1 to 65535; ArgumentTypeError for any other text."""
    if not text.isdecimal() or not 0 < int(text) < 65536:
        raise argparse.ArgumentTypeError(f"'{text}' is not a port. Ports are whole numbers from 1 to 65535.")
    return int(text)


def refuse(sentence: str) -> int:
    """Write a sentence to standard error; returns the exit code."""
    print(sentence, file=sys.stderr)
    return REFUSED


def address_of(folder: str) -> str:
    """The address, relative to the first page, that opens a model; ModelError if Explore cannot open it."""
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

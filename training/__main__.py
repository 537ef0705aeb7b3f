"""Train a model or measure it: `python -m training MODEL [STEP] [options]`; without a model, what there is.

The step is `train` where none is named. Names have hyphens.

    python -m training                                  all models with their steps
    python -m training gpt-books --data PATH            train one
    python -m training mae report --data PATH           take another of its steps
    python -m training gpt-books --help                 the options of a step
"""

import importlib
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

FOLDER = Path(__file__).parent
TRAIN = "train"
# The image classifiers share a script, whose first word says which of them.
IMAGE_CLASSIFIERS = {f"{network}-tiny-imagenet": network for network in ("vit", "swin", "resnet", "plain")}


def main() -> None:
    """Run the step that was named."""
    models = steps_of_models()
    if len(sys.argv) == 1:
        print(listing(models))
        return
    if sys.argv[1] in ("-h", "--help"):
        print(f"{__doc__}\n{listing(models)}")
        return
    module, options = chosen(models, sys.argv[1:])
    sys.argv = [f"python -m {module}", *options]
    importlib.import_module(module).main()


def steps_of_models() -> dict[str, list[str]]:
    """The scripts of each model, by its name with hyphens."""
    models: dict[str, list[str]] = {}
    for file in sorted(FOLDER.glob("*/*.py")):
        if re.search(r"^def main\(", file.read_text(encoding="utf-8"), re.MULTILINE):
            models.setdefault(_hyphens(file.parent.name), []).append(_hyphens(file.stem))
    return {model: sorted(steps, key=lambda step: (step != TRAIN, step)) for model, steps in models.items()}


def listing(models: Mapping[str, Sequence[str]]) -> str:
    """A line for each model."""
    names = dict(models) | {name: [TRAIN] for name in IMAGE_CLASSIFIERS}
    width = max(map(len, names))
    return "\n".join(f"{name:<{width}}  {', '.join(steps)}" for name, steps in sorted(names.items()))


def chosen(models: Mapping[str, Sequence[str]], words: Sequence[str]) -> tuple[str, list[str]]:
    """The module that the words of the command line name, and its options; SystemExit where there is none."""
    name, *options = words
    before = [IMAGE_CLASSIFIERS[name]] if name in IMAGE_CLASSIFIERS else []
    model = "tiny-imagenet" if before else name
    if model not in models:
        raise SystemExit(f"There is no model {name}; there are {', '.join(sorted({*models, *IMAGE_CLASSIFIERS}))}.")
    steps = [TRAIN] if before else models[model]
    step = TRAIN
    if options and not options[0].startswith("-"):
        step, *options = options
    if step not in steps:
        raise SystemExit(f"{name} has no step {step}; it has {', '.join(steps)}.")
    return f"training.{_underscores(model)}.{_underscores(step)}", [*before, *options]


def _hyphens(name: str) -> str:
    return name.replace("_", "-")


def _underscores(name: str) -> str:
    return name.replace("-", "_")


if __name__ == "__main__":
    main()

"""The classifiers of the page Sentiment, for English film reviews and Spanish tweets.

All lie in weights/sentiment/, one file each; training/sentiment/train.py and bert.py made them. The BERT has the token
embeddings of `minilm`, from which it was fine-tuned, and does not store them again.
"""

import json
from dataclasses import asdict
from pathlib import Path

from tokenizers import Tokenizer
from torch import Tensor

from ..models.bert import BERTConfig
from ..models.sentiment import ReviewBERT, Reviewer, SentimentConfig, make_reviewer
from ..models.stored_weights import count_weights, load_weights, read_weight, save_weights
from .embedded import SENTENCES, WEIGHTS
from .text_models import Classifier

FOLDER = WEIGHTS / "sentiment"
READ = 1024  # the longest review of the small networks, in words
EMBEDDING = "token_embedding.weight"  # in `minilm`, for the fine-tuned BERT too

# The title of each network: first the best, and the one with frozen, uniform weights after that it is compared with.
NETWORKS = {
    "bert": "BERT, fine-tuned",
    "rnn": "Recurrent network with attention pooling",
    "rnn-uniform": "Recurrent network, weights frozen uniform",
    "cnn": "Convolutional network",
    "encoder": "One-block encoder",
}
REVIEWERS = {
    language: {
        f"{language}-{network}": title
        for network, title in NETWORKS.items()
        if (FOLDER / f"{language}-{network}.safetensors").exists()
    }
    for language in ("english", "spanish")
}


def titles() -> dict[str, str]:
    """The titles of the classifiers of all languages, by name."""
    return {name: title for language in REVIEWERS.values() for name, title in language.items()}


def parameter_count(name: str, *, folder: Path = FOLDER) -> int:
    """The number of parameters of a network, those included that it has from `minilm`."""
    count = count_weights(folder / f"{name}.safetensors")
    if not name.endswith("-bert"):
        return count
    return count + count_weights(WEIGHTS / SENTENCES / "model.safetensors", only=[EMBEDDING])


def load_reviewer(name: str, *, longest: int = READ, folder: Path = FOLDER) -> Classifier:
    """The classifier of a name in REVIEWERS, such as "english-rnn", for at most `longest` tokens; else KeyError."""
    language, _, network = name.partition("-")
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    settings, classes = config["networks"][name], tuple(config["classes"][language])
    weights = folder / f"{name}.safetensors"
    if network == "bert":
        sizes = BERTConfig(**settings)
        reader: Reviewer | ReviewBERT = load_weights(
            lambda: ReviewBERT(sizes, len(classes)), weights, stored_elsewhere=_shared_weights()
        )
        tokenizer, context = WEIGHTS / SENTENCES / "tokenizer.json", sizes.context
    else:
        reader = load_weights(lambda: make_reviewer(SentimentConfig(**settings)), weights)
        tokenizer, context = folder / f"{language}.json", READ
    pieces = Tokenizer.from_file(str(tokenizer))
    return Classifier(name, NETWORKS[network], reader, pieces, min(context, longest), classes)


def _shared_weights() -> dict[str, Tensor]:
    """The weights of the fine-tuned BERT that are those of `minilm`."""
    return {f"bert.{EMBEDDING}": read_weight(WEIGHTS / SENTENCES / "model.safetensors", EMBEDDING)}


def save_reviewer(
    network: Reviewer | ReviewBERT,
    name: str,
    classes: tuple[str, ...],
    folder: Path = FOLDER,
    *,
    eight_bits: bool = False,
) -> None:
    """Write the files that `load_reviewer` reads, except the tokenizer of the language."""
    shared = [f"bert.{EMBEDDING}"] if isinstance(network, ReviewBERT) else []
    save_weights(network, folder / f"{name}.safetensors", eight_bits=eight_bits, stored_elsewhere=shared)
    file = folder / "config.json"
    config = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {"classes": {}, "networks": {}}
    config["classes"][name.partition("-")[0]] = classes
    config["networks"][name] = asdict(network.config)
    file.write_text(json.dumps(config, indent=1, sort_keys=True) + "\n", encoding="utf-8")

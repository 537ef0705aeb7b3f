"""Train `vit-tiny-imagenet`, a small vision transformer on a hundred classes of Tiny ImageNet.

Data: a folder with `tiny_imagenet_100.npz`: JPEG bytes of Tiny ImageNet (Stanford CS231n; every second of its 200
classes), as `train_jpeg`, `train_offsets`, `train_labels`, `val_*`, `wnids`, `names`.

    python -m training.vit_tiny_imagenet --data PATH
"""

import argparse
import json
from dataclasses import asdict
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image
from timm.layers import set_fused_attn
from timm.models.vision_transformer import VisionTransformer

from training.loop import Plan, train
from training.vit_tiny_imagenet_report import report

ARCHITECTURE: dict[str, Any] = {
    "img_size": 64,
    "patch_size": 8,
    "embed_dim": 256,
    "depth": 6,
    "num_heads": 4,
    "num_classes": 100,
}
MEAN, DEVIATION = (0.480, 0.448, 0.398), (0.277, 0.269, 0.282)
BATCH = 192
# Half of the patches are left out of most of the training, which halves its cost (PatchDropout, Liu et al. 2022).
PATCH_DROP, WHOLE_PICTURES = 0.5, 0.1


def main() -> None:
    """Train, measure, write the weights."""
    arguments = parse_arguments()
    torch.set_num_threads(arguments.threads)
    images, labels = read_pictures(arguments.data, "train", arguments.run)
    torch.manual_seed(arguments.seed)
    # Written-out attention: the fused kernel's bfloat16 backward pass is slow on a CPU.
    set_fused_attn(False)
    model = VisionTransformer(**ARCHITECTURE, patch_drop_rate=PATCH_DROP)
    print(f"{len(images):,} pictures, {sum(p.numel() for p in model.parameters()):,} parameters", flush=True)
    plan = Plan(steps=arguments.steps, learning_rate=2e-3, decay=0.28, seed=arguments.seed)

    def loss_at(step: int) -> torch.Tensor:
        model.patch_drop.prob = PATCH_DROP if step < (1 - WHOLE_PICTURES) * plan.steps else 0.0
        chosen = batch_at(step, len(images), arguments.seed)
        pictures = normalise(vary(images[chosen].float() / 255))
        with torch.autocast("cpu", torch.bfloat16):
            return F.cross_entropy(model(pictures).float(), labels[chosen], label_smoothing=0.1)

    seconds = train(model, loss_at, plan, arguments.run)
    run = {"plan": asdict(plan), "batch": BATCH, "pictures": len(images), "seconds": seconds}
    (arguments.run / "run.json").write_text(json.dumps(run))
    config = {"timm": ARCHITECTURE, "mean": MEAN, "deviation": DEVIATION, "classes": read_classes(arguments.data)}
    report(model, config, normalise, (images, labels), read_pictures(arguments.data, "val", arguments.run), run)


def batch_at(step: int, count: int, seed: int) -> torch.Tensor:
    """The numbers of the pictures of one step: every epoch in a new order."""
    epoch, step = divmod(step, count // BATCH)
    order = torch.randperm(count, generator=torch.Generator().manual_seed(seed * 1009 + epoch))
    return order[step * BATCH : (step + 1) * BATCH]


def vary(pictures: torch.Tensor) -> torch.Tensor:
    """Crop (35 to 100 % of the area), stretch, mirror and light each picture at random.

    (batch, channel, row, column), values 0 to 1, in and out.
    """
    count = len(pictures)
    area = torch.empty(count).uniform_(0.35, 1.0)
    aspect = torch.empty(count).uniform_(-0.28, 0.28).exp()  # 3/4 to 4/3
    height, width = (area / aspect).sqrt().clamp(max=1), (area * aspect).sqrt().clamp(max=1)
    mirror = torch.randint(2, (count,)) * 2.0 - 1
    window = torch.zeros(count, 2, 3)
    window[:, 0, 0], window[:, 1, 1] = width * mirror, height
    window[:, 0, 2] = (torch.rand(count) * 2 - 1) * (1 - width)
    window[:, 1, 2] = (torch.rand(count) * 2 - 1) * (1 - height)
    grid = F.affine_grid(window, list(pictures.shape), align_corners=False)
    pictures = F.grid_sample(pictures, grid, padding_mode="reflection", align_corners=False)
    contrast, brightness = torch.empty(2, count, 1, 1, 1).uniform_(0.75, 1.25)
    mean = pictures.mean(dim=(1, 2, 3), keepdim=True)
    return ((pictures - mean) * contrast + mean * brightness).clamp(0, 1)


def normalise(pictures: torch.Tensor) -> torch.Tensor:
    """Values 0 to 1 to about zero mean and unit variance in each channel."""
    mean, deviation = (torch.tensor(values).view(3, 1, 1) for values in (MEAN, DEVIATION))
    return (pictures - mean) / deviation


def read_pictures(data: Path, split: str, run: Path) -> tuple[torch.Tensor, torch.Tensor]:
    """All pictures of a split, (picture, channel, row, column) uint8, and their class numbers."""
    with np.load(data / "tiny_imagenet_100.npz") as archive:
        labels = torch.from_numpy(archive[f"{split}_labels"].astype(np.int64))
        decoded = run / f"{split}.npy"
        if not decoded.exists():
            run.mkdir(parents=True, exist_ok=True)
            np.save(decoded, decode(archive[f"{split}_jpeg"], archive[f"{split}_offsets"]))
    return torch.from_numpy(np.load(decoded)), labels


def read_classes(data: Path) -> list[str]:
    """The names of the classes, the first of several each."""
    with np.load(data / "tiny_imagenet_100.npz") as archive:
        return [str(name).split(",")[0].replace("_", " ").strip() for name in archive["names"]]


def decode(jpeg: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Concatenated JPEG files to one array (picture, channel, row, column) uint8."""
    pictures = np.empty((len(offsets) - 1, 3, 64, 64), dtype=np.uint8)
    for number, (start, end) in enumerate(pairwise(offsets)):
        picture = Image.open(BytesIO(jpeg[start:end].tobytes())).convert("RGB")
        pictures[number] = np.asarray(picture).transpose(2, 0, 1)
    return pictures


def parse_arguments() -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument(
        "--run", type=Path, default=Path("runs/vit-tiny-imagenet"), help="checkpoints; resumed if present"
    )
    parser.add_argument("--steps", type=int, default=3600)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    return parser.parse_args()


if __name__ == "__main__":
    main()

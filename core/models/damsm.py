"""Words and regions of pictures that are trained to match: DAMSM (Xu 2018, section 3.2)."""

from itertools import pairwise

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from .attention_gan import AttentionGANConfig, EncodedSentence, TextReader
from .clip import contrastive_loss

GAMMA = (4.0, 5.0, 10.0)  # sharpness of regions, of words, of pairs (section 4.1)


class Regions(nn.Module):
    """Vectors of pictures to match words with: one for each of 8 x 8 regions, one for the picture (section 3.2)."""

    def __init__(self, config: AttentionGANConfig):
        super().__init__()
        widths = (3, 32, 64, 128)
        layers: list[nn.Module] = []
        for width_in, width_out in pairwise(widths):
            layers += [nn.Conv2d(width_in, width_out, 4, stride=2, padding=1, bias=False), nn.BatchNorm2d(width_out)]
            layers += [nn.LeakyReLU(0.2)]
        layers += [nn.Conv2d(128, 128, 3, padding=1, bias=False), nn.BatchNorm2d(128), nn.LeakyReLU(0.2)]
        self.body = nn.Sequential(*layers)
        self.region = nn.Conv2d(128, config.text, 1, bias=False)
        self.whole = nn.Linear(2 * 128, config.text)

    def forward(
        self, pictures: Float[Tensor, "batch channel row column"]
    ) -> tuple[Float[Tensor, "batch region width"], Float[Tensor, "batch width"]]:
        x = self.body(pictures)
        pooled = torch.cat([x.mean(dim=(2, 3)), x.amax(dim=(2, 3))], dim=1)
        return self.region(x).flatten(2).transpose(1, 2), self.whole(pooled)


class Matching(nn.Module):
    """The text encoder and the picture encoder that are trained to match (DAMSM, section 3.2)."""

    def __init__(self, config: AttentionGANConfig):
        super().__init__()
        self.text, self.regions = TextReader(config), Regions(config)

    def forward(
        self,
        pictures: Float[Tensor, "batch channel row column"],
        ids: Int[Tensor, "batch token"],
        also_true: Bool[Tensor, "batch draw"] | None = None,
    ) -> Float[Tensor, ""]:
        """The loss of a batch of pictures with their sentences (`damsm_loss`)."""
        regions, picture = self.regions(pictures)
        return damsm_loss(regions, picture, self.text(ids), also_true)


def match_scores(
    regions: Float[Tensor, "draw region width"], text: EncodedSentence, gamma: tuple[float, float, float] = GAMMA
) -> Float[Tensor, "draw batch"]:
    """The score of each picture (row) with each sentence (column), word by word (equations 7 to 10)."""
    scores = torch.einsum("pnd,btd->pbtn", regions, text.words)
    padding = ~text.real[None, :, :, None]
    over_words = scores.masked_fill(padding, -torch.inf).softmax(dim=2)  # equation 8
    weights = (gamma[0] * over_words).softmax(dim=3)  # equation 9
    contexts = torch.einsum("pbtn,pnd->pbtd", weights, regions)
    similarities = gamma[1] * F.cosine_similarity(contexts, text.words[None], dim=-1)
    return similarities.masked_fill(padding[..., 0], -torch.inf).logsumexp(dim=2) / gamma[1]  # equation 10


def damsm_loss(
    regions: Float[Tensor, "batch region width"],
    picture: Float[Tensor, "batch width"],
    text: EncodedSentence,
    also_true: Bool[Tensor, "batch draw"] | None = None,
    gamma: tuple[float, float, float] = GAMMA,
) -> Float[Tensor, ""]:
    """Contrastive loss of pictures with their sentences, by words and as a whole (equations 11 to 14).

    `also_true`: pairs off the diagonal that belong together as well; they do not count as negatives.
    """
    by_word = contrastive_loss(gamma[2] * match_scores(regions, text, gamma), also_true)
    similarities = F.normalize(picture, dim=1) @ F.normalize(text.sentence, dim=1).t()
    return by_word + contrastive_loss(gamma[2] * similarities, also_true)

"""A picture generated in three stages, with attention to the words before each of the last two: AttnGAN (Xu 2018).

e, s   = LSTM(words)                                  a vector for each word, one for the sentence (section 3.2)
c      = m(s) + d(s) * noise'                         conditioning augmentation (section 3.1; Zhang et al. 2017)
h_0    = F_0(noise, c)                                16 x 16 places                                 (equation 1)
h_i    = F_i(h_{i-1}, attention(h_{i-1}, e))          twice as many on a side, two times             (equation 1)
attention(h, e)_j = sum_i softmax_i(h_j . U e_i) U e_i      every place attends to the words         (equation 2)
x_i    = G_i(h_i)                                     a picture of each stage: 16, 32, 64 pixels

For each size a discriminator predicts whether a picture is real, and whether it belongs to the sentence (equations 4 to
6). The networks of `damsm`, which match words and regions, score whether the picture shows them.
"""

from dataclasses import dataclass
from itertools import pairwise

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

PAD = 0  # the number of the padding token of a sentence


@dataclass(frozen=True)
class AttentionGANConfig:
    """The sizes of the networks: `text`, of the vectors of words; `width`, of a place of the last stage."""

    words: int
    context: int = 24
    text: int = 96
    condition: int = 48
    noise: int = 48
    width: int = 32
    judge: int = 32  # channels of the first convolution of a discriminator
    stages: tuple[int, ...] = (16, 32, 64)

    def __post_init__(self):
        if self.text % 2:
            raise ValueError(f"Half of a word's vector is read from the left, half from the right: {self.text} is odd.")
        if not self.stages or any(later != 2 * earlier for earlier, later in pairwise(self.stages)):
            raise ValueError(f"Each stage is twice as large as the one before, not {self.stages}.")
        if self.stages[0] < 8 or self.stages[0].bit_count() != 1:
            raise ValueError(f"The first stage has 8, 16 ... pixels on a side, not {self.stages[0]}.")


@dataclass(frozen=True, eq=False)
class EncodedSentence:
    """Encoded sentences: a vector for each word, one for the sentence, and a mask that is False at padding."""

    words: Float[Tensor, "batch token width"]
    sentence: Float[Tensor, "batch width"]
    real: Bool[Tensor, "batch token"]


@dataclass(frozen=True, eq=False)
class GeneratedPictures:
    """The pictures of all stages (-1 to 1), and the Gaussian that the condition was sampled from."""

    pictures: tuple[Float[Tensor, "batch channel _ _"], ...]
    mean: Float[Tensor, "batch condition"]
    log_variance: Float[Tensor, "batch condition"]


class TextReader(nn.Module):
    """Words read from both sides (an LSTM each); the last states of both are the sentence (section 3.2)."""

    def __init__(self, config: AttentionGANConfig):
        super().__init__()
        self.tokens = nn.Embedding(config.words, config.text)
        self.recurrence = nn.LSTM(config.text, config.text // 2, batch_first=True, bidirectional=True)

    def forward(self, ids: Int[Tensor, "batch token"]) -> EncodedSentence:
        real = ids != PAD
        packed = nn.utils.rnn.pack_padded_sequence(
            self.tokens(ids), real.sum(dim=1).cpu(), batch_first=True, enforce_sorted=False
        )
        states, (last, _) = self.recurrence(packed)
        words, _ = nn.utils.rnn.pad_packed_sequence(states, batch_first=True, total_length=ids.shape[1])
        return EncodedSentence(words, torch.cat([last[0], last[1]], dim=1), real)


class Generator(nn.Module):
    """An encoded sentence and noise in, a picture of each stage out."""

    def __init__(self, config: AttentionGANConfig):
        super().__init__()
        self.config = config
        self.augment = nn.Linear(config.text, 2 * config.condition)
        self.first = FirstStage(config)
        self.later = nn.ModuleList(LaterStage(config) for _ in config.stages[1:])
        self.paint = nn.ModuleList(nn.Conv2d(config.width, 3, 3, padding=1) for _ in config.stages)

    def forward(
        self,
        text: EncodedSentence,
        noise: Float[Tensor, "batch noise"],
        condition_noise: Float[Tensor, "batch condition"] | None = None,
    ) -> GeneratedPictures:
        """`condition_noise`: standard normal noise of the condition; None: the condition is its mean."""
        mean, log_variance = self.augment(text.sentence).chunk(2, dim=1)
        condition = mean if condition_noise is None else mean + (log_variance / 2).exp() * condition_noise
        h = self.first(torch.cat([noise, condition], dim=1))
        pictures = [self.paint[0](h).tanh()]
        for stage, paint in zip(self.later, list(self.paint)[1:], strict=True):
            h = stage(h, text)
            pictures.append(paint(h).tanh())
        return GeneratedPictures(tuple(pictures), mean, log_variance)


class FirstStage(nn.Module):
    """Noise and condition to the feature map of the first picture: a linear map to 4 x 4 places, then doubled."""

    def __init__(self, config: AttentionGANConfig):
        super().__init__()
        doublings = (config.stages[0] // 4).bit_length() - 1
        widths = [config.width << level for level in range(doublings, -1, -1)]
        self.width = widths[0]
        self.start = nn.Sequential(
            nn.Linear(config.noise + config.condition, 2 * 16 * widths[0], bias=False),
            nn.BatchNorm1d(2 * 16 * widths[0]),
            nn.GLU(dim=1),
        )
        self.grow = nn.Sequential(*(Double(width_in, width_out) for width_in, width_out in pairwise(widths)))

    def forward(self, x: Float[Tensor, "batch width_in"]) -> Float[Tensor, "batch width row column"]:
        return self.grow(self.start(x).view(-1, self.width, 4, 4))


class LaterStage(nn.Module):
    """Attention to the words, residual blocks, and twice as many rows and columns."""

    def __init__(self, config: AttentionGANConfig):
        super().__init__()
        self.attention = WordAttention(config)
        self.blocks = nn.Sequential(*(ResidualBlock(2 * config.width) for _ in range(2)))
        self.grow = Double(2 * config.width, config.width)

    def forward(
        self, h: Float[Tensor, "batch width row column"], text: EncodedSentence
    ) -> Float[Tensor, "batch width _ _"]:
        return self.grow(self.blocks(torch.cat([h, self.attention(h, text)], dim=1)))


class WordAttention(nn.Module):
    """Attention with the places of a picture as queries, the words as keys and values (equation 2)."""

    def __init__(self, config: AttentionGANConfig):
        super().__init__()
        self.to_place = nn.Linear(config.text, config.width, bias=False)  # U

    def forward(
        self, h: Float[Tensor, "batch width row column"], text: EncodedSentence
    ) -> Float[Tensor, "batch width row column"]:
        places = h.flatten(2).transpose(1, 2)[:, None]  # (batch, one head, place, width)
        words = self.to_place(text.words)[:, None]
        # The paper's scores are not divided by the root of the width.
        mixed = F.scaled_dot_product_attention(places, words, words, attn_mask=text.real[:, None, None], scale=1.0)
        return mixed[:, 0].transpose(1, 2).view_as(h)


class Double(nn.Sequential):
    """Twice as many rows and columns; a convolution, a norm, and a gate (GLU)."""

    def __init__(self, width_in: int, width_out: int):
        super().__init__(
            nn.Upsample(scale_factor=2, mode="nearest"),
            nn.Conv2d(width_in, 2 * width_out, 3, padding=1, bias=False),
            nn.BatchNorm2d(2 * width_out),
            nn.GLU(dim=1),
        )


class ResidualBlock(nn.Module):
    """x + two convolutions with norms, the first one gated."""

    def __init__(self, width: int):
        super().__init__()
        self.change = nn.Sequential(
            nn.Conv2d(width, 2 * width, 3, padding=1, bias=False),
            nn.BatchNorm2d(2 * width),
            nn.GLU(dim=1),
            nn.Conv2d(width, width, 3, padding=1, bias=False),
            nn.BatchNorm2d(width),
        )

    def forward(self, x: Float[Tensor, "batch width row column"]) -> Float[Tensor, "batch width row column"]:
        return x + self.change(x)


class Discriminator(nn.Module):
    """For pictures of one size: logits that they are real, and that they are real and belong to a sentence."""

    def __init__(self, config: AttentionGANConfig, side: int):
        super().__init__()
        halvings = (side // 4).bit_length() - 1
        widths = [3, *(config.judge << min(number, 3) for number in range(halvings))]
        layers: list[nn.Module] = []
        for number, (width_in, width_out) in enumerate(pairwise(widths)):
            layers.append(nn.Conv2d(width_in, width_out, 4, stride=2, padding=1, bias=False))
            if number:  # no norm on plain pixels
                layers.append(nn.BatchNorm2d(width_out))
            layers.append(nn.LeakyReLU(0.2))
        self.body = nn.Sequential(*layers)
        self.real = nn.Conv2d(widths[-1], 1, 4)
        self.joint = nn.Sequential(
            nn.Conv2d(widths[-1] + config.text, widths[-1], 3, padding=1, bias=False),
            nn.BatchNorm2d(widths[-1]),
            nn.LeakyReLU(0.2),
            nn.Conv2d(widths[-1], 1, 4),
        )

    def forward(
        self, pictures: Float[Tensor, "batch channel row column"], sentence: Float[Tensor, "batch width"]
    ) -> tuple[Float[Tensor, " batch"], Float[Tensor, " batch"]]:
        x = self.body(pictures)
        both = torch.cat([x, sentence[:, :, None, None].expand(-1, -1, 4, 4)], dim=1)
        return self.real(x).flatten(), self.joint(both).flatten()


def discriminator_loss(
    discriminator: Discriminator,
    true: Float[Tensor, "batch channel row column"],
    fake: Float[Tensor, "batch channel row column"],
    sentence: Float[Tensor, "batch width"],
) -> Float[Tensor, ""]:
    """Targets: true pictures are real, fake ones are not, nor are true ones with a wrong sentence (equation 5)."""
    real, joint = discriminator(true, sentence)
    unreal, disjoint = discriminator(fake, sentence)
    _, wrong = discriminator(true, sentence.roll(1, dims=0))
    positive = _cross_entropy(real, target=True) + _cross_entropy(joint, target=True)
    negative = (_cross_entropy(disjoint, target=False) + _cross_entropy(wrong, target=False)) / 2
    return positive + _cross_entropy(unreal, target=False) + negative


def generator_loss(
    discriminator: Discriminator,
    fake: Float[Tensor, "batch channel row column"],
    sentence: Float[Tensor, "batch width"],
) -> Float[Tensor, ""]:
    """Targets: fake pictures are classified as real, and as belonging to their sentences (equation 4)."""
    real, joint = discriminator(fake, sentence)
    return _cross_entropy(real, target=True) + _cross_entropy(joint, target=True)


def condition_divergence(generated: GeneratedPictures) -> Float[Tensor, ""]:
    """KL of the condition's Gaussian from a standard one, as a mean over its values (Zhang et al. 2017, equation 2)."""
    mean, log_variance = generated.mean, generated.log_variance
    return (mean.square() + log_variance.exp() - 1 - log_variance).mean() / 2


def _cross_entropy(logits: Float[Tensor, " batch"], *, target: bool) -> Float[Tensor, ""]:
    return F.binary_cross_entropy_with_logits(logits, torch.full_like(logits, float(target)))

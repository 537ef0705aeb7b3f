"""The family and the training data of a model of timm, by the rules of its name."""

import re

FAMILIES = ("transformer", "convolutional", "hybrid", "mixer")

# Convolutions and self-attention between places in one network; also attention on what a convolutional network found.
_HYBRID = (
    r"^vit_\w+_r(26|50)?_s\d",
    r"^(visformer|nextvit|levit|coat_|coatn|rcoatn|maxvit|maxxvit|rmaxx|mobilevit|edgenext|fastvit_[sm]a|efficientformer)",
    r"^(efficientvit|swiftformer|shvit|tiny_vit|caformer|vitamin)",
    r"^mobilenetv4_hybrid",
    r"(halo|botnet|botnext|lambda_resnet|^bat_)",
)
# Places are mixed neither by attention nor by convolution alone: by an MLP, by pooling, by a recurrence.
_MIXER = (r"^(mixer|resmlp|gmlp|gmixer|poolformer|sequencer)",)
_TRANSFORMER = (
    r"^(vit|deit|deit3|beit|beitv2|eva|eva02|cait|xcit|swin|swinv2|twins|pit|pvt|tnt|nest|mvitv2|davit|gcvit|hiera)",
    r"^(flexivit|naflexvit|crossvit|convit|volo|samvit)",
)
_CONVOLUTIONAL = (
    r"resne[tx]|res2ne|resnest|regnet|convnext|efficientnet|mobilenet|mnasnet|nasnet|densenet|hrnet|hgnet|dla|dpn|vgg",
    r"nfnet|rexnet|mixnet|fbnet|ghost|inception|xception|vovnet|darknet|selecsls|tinynet|lcnet|gernet|repvit|starnet",
    r"mobileone|hardcorenas|fasternet|rdnet|convmixer|convformer|mambaout|focalnet|senet|cs3|byobnet|fastvit_[st]\d",
)
_RULES = (("hybrid", _HYBRID), ("mixer", _MIXER), ("transformer", _TRANSFORMER), ("convolutional", _CONVOLUTIONAL))


def family_of(name: str) -> str:
    """One of FAMILIES, by the first rule that the name of an architecture (before the dot) matches.

    ValueError for a name that no rule knows: a new model is looked up, not guessed.
    """
    architecture = re.sub(r"^(test|tf|legacy)_", "", name.partition(".")[0])
    for family, patterns in _RULES:
        if any(re.search(pattern, architecture) for pattern in patterns):
            return family
    raise ValueError(f"No rule of core/published/image_families.py knows the family of '{name}'.")


# Looked for in this order, down to ImageNet-1k, which every model of these tables was tuned on.
_DATA = (
    ("LAION-2B", r"laion"),
    ("WebLI", r"webli"),
    ("JFT-300M", r"jft"),
    ("CLIP's 400M", r"openai"),
    ("Instagram", r"ig1b|swag|seer"),
    ("YFCC-100M", r"yfcc"),
    ("merged 30M or 38M", r"m30m|m38m"),
    ("ImageNet-21k", r"in2[12]k"),
    ("ImageNet-12k", r"in12k"),
    ("ImageNet-1k", r"in1k"),
)
DATA = tuple(name for name, _ in _DATA)


def data_of(name: str) -> str:
    """One of DATA: the first collection of pictures of that list that the tag (behind the dot) of a model names.

    Teachers are not counted: a model "distilled" from one saw that one's data only through its answers. ValueError
    for a tag that names none.
    """
    tag = name.partition(".")[2]
    for data, pattern in _DATA:
        if re.search(pattern, tag):
            return data
    raise ValueError(f"The tag of '{name}' names no data that core/published/image_families.py knows.")


def has_teacher(name: str) -> bool:
    """Whether a name says that a model was trained on another model's predictions (distilled, Noisy Student, SSLD)."""
    architecture, _, tag = name.partition(".")
    return "distilled" in architecture or not {"dist", "ssld", "usi", "ns", "swsl", "ssl"}.isdisjoint(tag.split("_"))

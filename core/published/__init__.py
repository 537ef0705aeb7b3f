"""Published figures with their sources: a module for each subject, one reader that validates them all."""

from .clark import ClarkHead, clark_heads
from .famous_models import PublishedModel, model_sizes
from .image_density import ImageDensity, image_densities
from .imagenet import ImageModel, Leader, Variant, image_models, imagenet_leaders, vit_variants
from .key_value_heads import PublishedHeads, key_value_heads
from .language import (
    CaptionResult,
    GlueEntry,
    LanguageModel,
    SentimentResult,
    caption_results,
    glue_entries,
    language_models,
    sentiment_results,
)
from .law_coefficients import PublishedLaw, published_laws
from .newstest import (
    PublishedTranslator,
    TranslationLeader,
    published_translators,
    translation_leaders,
)
from .notable import NotableModel, notable_models
from .runs import ChinchillaRun, PythiaScore, chinchilla_runs, pythia_scores
from .small_data import SmallDataResult, small_data_results
from .table import FOLDER
from .transfer import Pictures, TransferResult, pretraining_pictures, transfer_results

__all__ = [
    "FOLDER",
    "CaptionResult",
    "ChinchillaRun",
    "ClarkHead",
    "GlueEntry",
    "ImageDensity",
    "ImageModel",
    "LanguageModel",
    "Leader",
    "NotableModel",
    "Pictures",
    "PublishedHeads",
    "PublishedLaw",
    "PublishedModel",
    "PublishedTranslator",
    "PythiaScore",
    "SentimentResult",
    "SmallDataResult",
    "TransferResult",
    "TranslationLeader",
    "Variant",
    "caption_results",
    "chinchilla_runs",
    "clark_heads",
    "glue_entries",
    "image_densities",
    "image_models",
    "imagenet_leaders",
    "key_value_heads",
    "language_models",
    "model_sizes",
    "notable_models",
    "pretraining_pictures",
    "published_laws",
    "published_translators",
    "pythia_scores",
    "sentiment_results",
    "small_data_results",
    "transfer_results",
    "translation_leaders",
    "vit_variants",
]

"""Published figures with their sources: a module for each subject, one reader that validates them all."""

from core.published.clark import ClarkHead, clark_heads
from core.published.famous_models import PublishedModel, model_sizes
from core.published.image_density import ImageDensity, image_densities
from core.published.imagenet import ImageModel, Leader, Variant, image_models, imagenet_leaders, vit_variants
from core.published.key_value_heads import PublishedHeads, key_value_heads
from core.published.language import (
    CaptionResult,
    GlueEntry,
    LanguageModel,
    SentimentResult,
    caption_results,
    glue_entries,
    language_models,
    sentiment_results,
)
from core.published.law_coefficients import PublishedLaw, published_laws
from core.published.newstest import (
    PublishedTranslator,
    TranslationLeader,
    published_translators,
    translation_leaders,
)
from core.published.notable import NotableModel, notable_models
from core.published.runs import ChinchillaRun, PythiaScore, chinchilla_runs, pythia_scores
from core.published.small_data import SmallDataResult, small_data_results
from core.published.table import FOLDER
from core.published.transfer import Pictures, TransferResult, pretraining_pictures, transfer_results

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

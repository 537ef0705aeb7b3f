"""Models and what they computed, kept for the next visitor. The only room that caches; what is big has few entries."""

from dashboard.runs.contributions import head_outputs
from dashboard.runs.heads import attention_moved, head_table, known_costs, measure_costs, trial
from dashboard.runs.models import image_model, offer, text_model
from dashboard.runs.together import TakenTogether, take_together
from dashboard.runs.warm import warm_up
from dashboard.runs.watched import Head, Watched, WatchedImage, WatchedText, silence, watch_image, watch_text

__all__ = [
    "Head",
    "TakenTogether",
    "Watched",
    "WatchedImage",
    "WatchedText",
    "attention_moved",
    "head_outputs",
    "head_table",
    "image_model",
    "known_costs",
    "measure_costs",
    "offer",
    "silence",
    "take_together",
    "text_model",
    "trial",
    "warm_up",
    "watch_image",
    "watch_text",
]

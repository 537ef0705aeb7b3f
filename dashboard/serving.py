"""The former place of `dashboard.hosting.serving`, kept for one version."""

import warnings

from .hosting.serving import serve

__all__ = ["serve"]

warnings.warn(
    "attention_atlas.app.dashboard.serving is attention_atlas.app.dashboard.hosting.serving now.",
    DeprecationWarning,
    stacklevel=2,
)

"""The page Long text: how far heads look, and what is said of it, with a tiny model."""

from dataclasses import replace

import numpy as np
import pytest

from core.models.gpt_rotary import RotaryGPT
from dashboard import contents
from dashboard.cache import memo
from dashboard.long_text import readings
from pages.explore.long_text import how_far, inputs, measures
from tests.core.test_long_context import family
from tests.pages.apps import open_page, shown

TEXT = "I\n\n" + "The sea sees me and I see the sea. " * 40

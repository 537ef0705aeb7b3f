"""The interactive attention view: its content, its encoding for the browser, and its scripts.

Arrays and labels only, no model inside; pages embed it as a component, and a record as one HTML file.
"""

from .html_file import HtmlFile, html_file
from .scene import Layer, PatchSequence, Scene, Sequence, TextSequence

__all__ = [
    "HtmlFile",
    "Layer",
    "PatchSequence",
    "Scene",
    "Sequence",
    "TextSequence",
    "html_file",
]

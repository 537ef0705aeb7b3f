"""Attention as a picture that can be asked: what it shows, how it is sent, and the scripts that draw it.

Arrays and labels in, no model inside; the pages mount it, and a record becomes one HTML file with it.
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

"""The frame: window, table of contents and the page that was asked for; nothing else."""

from dashboard.app import frame

frame()

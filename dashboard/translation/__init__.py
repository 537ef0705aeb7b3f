"""The sections of the page on translation."""

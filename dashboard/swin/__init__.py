"""The sections of the page Swin."""

"""Models, one readable file for each system, and networks of timm and transformers from a folder."""

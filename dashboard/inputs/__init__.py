"""What visitors choose with: texts, pictures, models, heads, numbers."""

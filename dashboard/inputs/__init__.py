"""Controls for visitors: texts, pictures, models, heads, numbers."""

"""The sections of the page Vision transformer, and what the visitor gives to both pages of Vision."""

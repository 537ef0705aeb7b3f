"""The page "Many heads": what is given, and one module for each of its sections."""

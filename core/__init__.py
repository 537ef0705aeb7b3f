"""Models, and what they attend to: torch and numpy only, usable without the app."""

"""small_data: to be built."""


def show() -> None:
    """To be built."""

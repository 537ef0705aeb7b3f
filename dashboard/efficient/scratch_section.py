"""scratch: to be built."""


def show() -> None:
    """To be built."""

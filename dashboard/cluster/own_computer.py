"""Settings with which Ray listens to this computer alone, and to nobody without its token; before Ray is imported."""

import secrets
from collections.abc import MutableMapping

SETTINGS = {
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # on any system: Ray takes the loopback address for its own
    "RAY_AUTH_MODE": "token",
    "RAY_USAGE_STATS_ENABLED": "0",
}


def prepare(environment: MutableMapping[str, str]) -> None:
    """Set them, with a new token, for Ray in this process and in all that it starts."""
    environment.update(SETTINGS)
    environment["RAY_AUTH_TOKEN"] = secrets.token_hex(32)

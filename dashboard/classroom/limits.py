"""Limits of one network address: connections to classes, and attempts with unknown codes."""

import ipaddress
import math
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from core.errors import AtlasError

MOST_SOCKETS = 250  # of an address: a class behind one router is one address
MOST_WRONG = 30  # different codes that are none, of an address
WITHIN = 600.0  # seconds in which they count
MOST_ADDRESSES = 10_000  # that are remembered for wrong codes; then the first is forgotten

TOO_MANY_SOCKETS = (
    "Your network has {count} connections to classes here, and can have no more than {most}. Close a tab that follows "
    "a class."
)
TOO_MANY_CODES = (
    "{most} codes that are none were tried from your network within {minutes:.0f} minutes. Wait {wait:.0f} minutes and "
    "try again with the code that your teacher shows."
)


class Limits:
    """The limits of each network address; None is an address that is not known, which has none."""

    def __init__(self, timer: Callable[[], float] = time.monotonic):
        self._timer = timer
        self._sockets: Counter[str] = Counter()
        self._failed_codes: dict[str, dict[str, float]] = {}  # when a code was tried first, by code, by address

    @contextmanager
    def connected(self, network: str | None) -> Iterator[None]:
        """Count a connection of this address while it is open; AtlasError if it has too many."""
        if network is None:
            yield
            return
        if self._sockets[network] >= MOST_SOCKETS:
            raise AtlasError(TOO_MANY_SOCKETS.format(count=self._sockets[network], most=MOST_SOCKETS))
        self._sockets[network] += 1
        try:
            yield
        finally:
            self._sockets[network] -= 1
            if not self._sockets[network]:
                del self._sockets[network]

    def check_codes(self, network: str | None) -> None:
        """Raise AtlasError after too many different unknown codes from this address, even if the next one is right."""
        if network is None or len(codes := self._recent(network)) < MOST_WRONG:
            return
        wait = min(codes.values()) + WITHIN - self._timer()
        raise AtlasError(TOO_MANY_CODES.format(most=MOST_WRONG, minutes=WITHIN / 60, wait=math.ceil(wait / 60)))

    def note_unknown(self, network: str | None, code: str) -> None:
        """Note an unknown code. Equal codes count once: an entire class may come back to one that has ended."""
        if network is None:
            return
        codes = self._recent(network)
        codes.setdefault(code.strip().upper()[:20], self._timer())
        self._failed_codes.pop(network, None)
        self._failed_codes[network] = codes  # the last of them now
        if len(self._failed_codes) > MOST_ADDRESSES:
            del self._failed_codes[next(iter(self._failed_codes))]

    def _recent(self, network: str) -> dict[str, float]:
        since = self._timer() - WITHIN
        return {code: time for code, time in self._failed_codes.get(network, {}).items() if time > since}


def network_of(host: str | None) -> str | None:
    """The network that limits count by: an IPv4 address, or 64 bits of an IPv6 address; None for this computer.

    Visitors behind a proxy on this computer that does not forward their addresses have no limits: the proxy must set
    them.
    """
    if host is None:
        return None
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv6Address):
        address = address.ipv4_mapped or address
    if address.is_loopback:
        return None
    return str(address) if address.version == 4 else str(ipaddress.ip_network((address, 64), strict=False))

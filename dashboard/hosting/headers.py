"""HTTP headers of every response: load nothing from elsewhere, guess no types, restrict framing."""

import base64
import hashlib
import re
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from core.errors import AtlasError

_INDEX = Path(st.__file__).parent / "static" / "index.html"  # the one page that Streamlit serves
_INLINE_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)
_ORIGIN = re.compile(r"https?://(\*\.)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?", re.IGNORECASE | re.ASCII)
_DISABLED_FEATURES = """
accelerometer autoplay browsing-topics display-capture encrypted-media geolocation gyroscope hid magnetometer
microphone midi payment publickey-credentials-get screen-wake-lock serial usb xr-spatial-tracking
"""


def embedders(setting: str) -> tuple[str, ...]:
    """The origins in ATLAS_EMBED, between spaces or commas, whose pages may show the atlas in a frame.

    AtlasError for anything that is no origin, so that nothing else can get into a header.
    """
    origins = tuple(setting.replace(",", " ").split())
    for origin in origins:
        if not _ORIGIN.fullmatch(origin):
            raise AtlasError(
                f"ATLAS_EMBED holds {origin[:100]!r}, which is not an origin: name each site whose pages show the "
                "atlas as https://name, with :port if it has one, and no path; https://*.name stands for all names "
                "below it."
            )
    return origins


def policy(embedded_by: Iterable[str] = ()) -> str:
    """The content security policy: everything from this server, and blobs of the page itself."""
    sources = {
        "default-src": "'none'",
        # Components arrive as text over the websocket and run as modules of their own: blob:. Streamlit multiplies
        # 64-bit numbers in WebAssembly; text is never run as a script (no 'unsafe-eval').
        "script-src": " ".join(["'self'", "blob:", "'wasm-unsafe-eval'", *_hashes(_INDEX.read_text(encoding="utf-8"))]),
        # Plotly, Streamlit and the styles of components write <style> elements and attributes.
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "font-src": "'self' data:",  # the letters of formulas
        "connect-src": "'self'",  # the websocket too
        "manifest-src": "'self'",
        "base-uri": "'none'",
        "form-action": "'self'",
        "frame-ancestors": " ".join(["'self'", *embedded_by]),
    }
    return "; ".join(f"{name} {value}" for name, value in sources.items())


def headers(embedded_by: Iterable[str] = ()) -> dict[str, str]:
    """The headers of every response."""
    return {
        "Content-Security-Policy": policy(embedded_by),
        "X-Content-Type-Options": "nosniff",
        # The address holds what the visitor wrote, which no other site shall learn from a link.
        "Referrer-Policy": "same-origin",
        "Permissions-Policy": ", ".join(["camera=(self)", *(f"{name}=()" for name in _DISABLED_FEATURES.split())]),
    }


class AnswerHeaders:
    """ASGI middleware that adds the headers to every HTTP response; websockets pass untouched."""

    def __init__(self, app: ASGIApp, embedded_by: tuple[str, ...] = ()):
        self._app = app
        self._headers = headers(embedded_by)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self._headers)
            await send(message)

        await self._app(scope, receive, with_headers if scope["type"] == "http" else send)


class OwnPagesOnly:
    """ASGI middleware that refuses websockets opened by pages of other sites.

    Streamlit refuses them as well, but only after it has asked a service on the internet for this machine's own
    address to compare: a forged header would block all visitors and send a request from the host. Behind a proxy the
    header Host has to be the visitor's.
    """

    def __init__(self, app: ASGIApp):
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request or websocket."""
        if scope["type"] == "websocket" and st.get_option("server.enableCORS"):
            request_headers = Headers(scope=scope)
            if (origin := request_headers.get("origin")) and origin.partition("://")[2] != request_headers.get("host"):
                await receive()
                await send({"type": "websocket.close", "code": 1008})
                return
        await self._app(scope, receive, send)


def internal_error(embedded_by: Iterable[str] = ()) -> Callable[[Request, Exception], Awaitable[Response]]:
    """The handler of errors of the server itself, the only response that passes no middleware."""
    response_headers = headers(embedded_by)

    async def answer(_request: Request, _error: Exception) -> Response:
        return PlainTextResponse("Internal Server Error", 500, headers=response_headers)

    return answer


def _hashes(html: str) -> list[str]:
    """The sources of a policy that allow exactly the inline scripts of a page."""
    digests = [hashlib.sha256(script.encode()).digest() for script in _INLINE_SCRIPT.findall(html)]
    return [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests]

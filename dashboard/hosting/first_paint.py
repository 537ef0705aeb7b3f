"""The page before its first message: its fonts, its width and room for the table of contents, so that nothing moves."""

from pathlib import Path

import streamlit
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dashboard.app import SIDEBAR
from dashboard.theme import PRESENT

FONTS = ("SourceSansVF-Upright", "SourceSerifVariable-Roman")  # of text and of titles
MEDIA = Path(streamlit.__file__).parent / "static" / "static" / "media"
NARROW = 768  # pixels: up to this width Streamlit lays the table of contents over the page
# An animation, since a page that is presented later has no table of contents, and needs no room for one.
ROOM = f"""
@keyframes room {{ from, to {{ margin-left: {SIDEBAR}px }} }}
@media (min-width: {NARROW + 1}px) {{
  [data-testid=stAppViewContainer]:not(:has([data-testid=stSidebar])) > div:not([data-testid]) {{ animation: room 10s }}
}}
"""
# Streamlit would begin with a narrow column, and with the margins of a page that is not presented.
WIDE = """
html [data-testid=stMainBlockContainer] { max-width: none }
"""
PRESENTED = """
@keyframes presented { from, to { padding-inline: 24.64px } }
[data-testid=stAppViewContainer]:not(:has(.st-key-projector-bar)) [data-testid=stMainBlockContainer] {
  animation: presented 10s
}
"""


def head(*, presented: bool) -> str:
    """The end of the page's head: fonts to load before the scripts ask for them, and styles for the first paint."""
    fonts = "".join(
        f'<link rel="preload" as="font" type="font/woff2" crossorigin href="./static/media/{file.name}">'
        for name in FONTS
        for file in MEDIA.glob(f"{name}*.woff2")
    )
    return f"{fonts}<style>{WIDE}{PRESENTED if presented else ROOM}</style></head>"


class FirstPaint:
    """ASGI middleware that adds fonts and styles to the head of the one page that Streamlit serves."""

    def __init__(self, app: ASGIApp):
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        is_get = scope["type"] == "http" and scope["method"] == "GET"
        wants_page = is_get and "text/html" in Headers(scope=scope).get("accept", "")
        if not wants_page:
            await self._app(scope, receive, send)
            return
        presented = f"{PRESENT}=".encode() in scope["query_string"]
        # As it is in the file: neither compressed nor only whether it has changed.
        request_headers = MutableHeaders(scope=(plain := {**scope, "headers": list(scope["headers"])}))
        for name in ("accept-encoding", "if-none-match", "if-modified-since", "range"):
            del request_headers[name]
        start: Message | None = None  # of a page, whose body is not there yet
        body = b""

        async def with_room(message: Message) -> None:
            nonlocal start, body
            if message["type"] == "http.response.start":
                if Headers(raw=message["headers"]).get("content-type", "").startswith("text/html"):
                    start = message
                else:
                    await send(message)
                return
            if start is None:
                await send(message)
                return
            body += message.get("body", b"")
            if message.get("more_body"):
                return
            body = body.replace(b"</head>", head(presented=presented).encode(), 1)
            answered = MutableHeaders(scope=start)
            answered["content-length"] = str(len(body))
            for name in ("etag", "last-modified", "accept-ranges"):
                del answered[name]
            await send(start)
            await send({"type": "http.response.body", "body": body})

        await self._app(plain, receive, with_room)

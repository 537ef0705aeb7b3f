"""The page before its first message: room for the table of contents, so that nothing moves when it comes."""

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dashboard.app import SIDEBAR
from dashboard.theme import PRESENT

NARROW = 768  # pixels: up to this width Streamlit lays the table of contents over the page
# An animation, since a page that is presented later has no table of contents, and needs no room for one.
ROOM = f"""<style>
@keyframes room {{ from, to {{ margin-left: {SIDEBAR}px }} }}
@media (min-width: {NARROW + 1}px) {{
  [data-testid=stAppViewContainer]:not(:has([data-testid=stSidebar])) > div:not([data-testid]) {{ animation: room 10s }}
}}
</style>
</head>"""


class FirstPaint:
    """ASGI middleware that writes ROOM into the one page that Streamlit serves; what is presented is left as it is."""

    def __init__(self, app: ASGIApp):
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        is_get = scope["type"] == "http" and scope["method"] == "GET"
        wants_page = is_get and "text/html" in Headers(scope=scope).get("accept", "")
        if not wants_page or f"{PRESENT}=".encode() in scope["query_string"]:
            await self._app(scope, receive, send)
            return
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
            body = body.replace(b"</head>", ROOM.encode(), 1)
            answered = MutableHeaders(scope=start)
            answered["content-length"] = str(len(body))
            for name in ("etag", "last-modified", "accept-ranges"):
                del answered[name]
            await send(start)
            await send({"type": "http.response.body", "body": body})

        await self._app(plain, receive, with_room)

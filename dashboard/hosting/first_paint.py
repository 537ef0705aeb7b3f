"""The page before its first message: fonts and scripts, its width, room for what comes, so that nothing moves."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import streamlit
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dashboard.app import SIDEBAR
from dashboard.theme import PRESENT

FONTS = ("SourceSansVF-Upright", "SourceSerifVariable-Roman")  # of text and of titles
# Scripts of what most pages hold, which Streamlit asks for only when the first of its kind is to be drawn, and draws a
# grey box of another height meanwhile.
WIDGETS = (
    *("Html", "Button", "ButtonGroup", "Selectbox", "Slider", "TextArea", "TextInput", "NumberInput", "Checkbox"),
    *("PageLink", "Spinner", "BidiComponent", "DownloadButton", "rehype-katex", "PlotlyChart"),
)
STATIC = Path(streamlit.__file__).parent / "static" / "static"
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
# Until the script of a part is loaded, Streamlit draws a grey box of 40 pixels in its place. On a first visit all below
# title and lead is laid out, and shown a moment later, when no box is left and the parts have their heights; the last
# part of a page is the popover for terms. (A selector of what follows a box keeps Chromium busy for minutes on a page
# that is presented.)
LOADING = """
:has(> .st-key-present-this) { min-width: 9.8rem }
:is(.st-key-section-name, .st-key-term-popover) [data-testid=stSkeleton] { display: none }
[data-testid=stSidebarContent]:not(:has([data-testid=stSidebarNavItems])) [data-testid=stSidebarUserContent],
[data-testid=stMainBlockContainer]:has([data-testid=stSkeleton]):not(:has([data-testid=stBidiComponentRegular]))
  > [data-testid=stVerticalBlock] > :nth-child(n+3) {
  opacity: 0;
}
:where([data-testid=stMainBlockContainer] > [data-testid=stVerticalBlock]) > :where(*) { transition: opacity 0s 0.4s }
"""


def head(*, presented: bool) -> str:
    """The end of the page's head: fonts and scripts to load before they are asked for, styles for the first paint."""
    return f"{_preloads()}<style>{WIDE}{LOADING}{PRESENTED if presented else ROOM}</style></head>"


@cache
def _preloads() -> str:
    fonts = (file.name for name in FONTS for file in sorted((STATIC / "media").glob(f"{name}*.woff2")))
    return "".join(
        [f'<link rel="preload" as="font" type="font/woff2" crossorigin href="./static/media/{name}">' for name in fonts]
        + [f'<link rel="modulepreload" crossorigin href="./static/js/{name}">' for name in _scripts()]
    )


def _scripts() -> list[str]:
    """The files of WIDGETS and all that they import, each once, but for those that the page loads anyway."""
    folder = STATIC / "js"
    loaded = set(re.findall(r"static/js/([^\"]+\.js)", (STATIC.parent / "index.html").read_text(encoding="utf-8")))
    names = list[str]()

    def add(name: str) -> None:
        if name not in loaded:
            loaded.add(name)
            names.append(name)
            for imported in _imports((folder / name).read_text(encoding="utf-8")):
                add(imported)

    for widget in WIDGETS:
        for file in sorted(folder.glob(f"{widget}.*.js")):
            add(file.name)
    return names


def _imports(script: str) -> Iterator[str]:
    """The files that a script imports at its beginning, which runs before its own code."""
    for match in re.finditer(r"""(?:^|;)import(?:[^"'();]*from)?["']\./([^"']+\.js)["']""", script):
        yield match.group(1)


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

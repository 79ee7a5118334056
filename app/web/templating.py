"""Pages from Jinja templates: one environment, one URL helper, one frame of navigation, theme and worker state."""

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from app.web.assets import Assets

THEMES = ("auto", "light", "dark")
THEME_COOKIE = "aloud-theme"


@dataclass(frozen=True)
class Room:
    """An entry of the navigation."""

    path: str
    label: str
    key: str  # pressed after "g"
    also: tuple[str, ...] = ()  # what one comes to from it, at an address of its own


ROOMS = (
    Room("", "Today", "t", also=("rounds",)),
    Room("primers", "Read", "r"),
    Room("study", "Study", "s", also=("listen",)),
    Room("drill", "Drill", "d", also=("mock",)),
    Room("demos", "Demos", "m", also=("runs",)),
    Room("cards", "Cards", "c"),
    Room("progress", "Progress", "p"),
)


@dataclass(frozen=True)
class NavItem:
    href: str
    label: str
    key: str
    current: bool


@dataclass(frozen=True)
class Url:
    """Makes every link of the app, below whatever path it is served from."""

    root: str

    def __call__(self, path: str = "", **query: object) -> str:
        """`url("cards", q="mask")` gives "/cards?q=mask"; below /aloud, "/aloud/cards?q=mask"."""
        made = f"{self.root}/{quote(path.lstrip('/'), safe='/:@!$&*+,;=~')}"
        wanted = {k: v for k, v in query.items() if v not in (None, "")}
        return f"{made}?{urlencode(wanted, doseq=True)}" if wanted else made


def url_for(request: Request) -> Url:
    return Url(request.scope.get("root_path", ""))


class Pages:
    """Renders templates/<name> within the frame every page shares."""

    def __init__(self, folder: Path, assets: Assets) -> None:
        self.assets = assets
        self.env = Environment(
            loader=FileSystemLoader(folder),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )

    def render(
        self,
        request: Request,
        name: str,
        *,
        status: int = 200,
        headers: dict[str, str] | None = None,
        **view: object,
    ) -> Response:
        url = url_for(request)
        theme = request.cookies.get(THEME_COOKIE, "auto")
        html = self.env.get_template(name).render(
            url=url,
            asset=lambda path: url(self.assets.path(path)),
            nav=_nav(request, url),
            theme=theme if theme in THEMES else "auto",
            worker=request.app.state.worker_view(),
            asks_zone=request.app.state.asks_zone,
            here=request.url.path + (f"?{request.url.query}" if request.url.query else ""),
            **view,
        )
        return HTMLResponse(html, status, headers={"Cache-Control": "no-store", **(headers or {})})


def _nav(request: Request, url: Url) -> tuple[NavItem, ...]:
    here = request.scope["path"].removeprefix(url.root).strip("/").split("/")[0]
    return tuple(NavItem(url(r.path), r.label, r.key, here in (r.path, *r.also)) for r in ROOMS)

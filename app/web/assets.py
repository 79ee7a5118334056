"""Static files under one content hash: /static/<hash>/css/base.css never changes, so browsers keep it for good.

One hash for the whole tree, so that files can name each other by relative paths (fonts in CSS, ES modules).
"""

import hashlib
from functools import cached_property
from pathlib import Path

from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope


class Assets:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @cached_property
    def version(self) -> str:
        digest = hashlib.sha256()
        for path in sorted(p for p in self.folder.rglob("*") if p.is_file()):
            digest.update(path.relative_to(self.folder).as_posix().encode())
            digest.update(path.read_bytes())
        return digest.hexdigest()[:12]

    def path(self, name: str) -> str:
        """The path, below the app's root, of the asset `name`; raises FileNotFoundError for an unknown one."""
        if not (self.folder / name).is_file():
            raise FileNotFoundError(f"static/{name} does not exist")
        return f"static/{self.version}/{name}"


class ImmutableFiles(StaticFiles):
    """Static files whose path begins with a hash that is not part of the file's name on disk."""

    def __init__(self, assets: Assets) -> None:
        super().__init__(directory=assets.folder)
        self._version = assets.version

    def get_path(self, scope: Scope) -> str:
        return super().get_path(scope).partition("/")[2]

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        if response.status_code == 200 and f"/{self._version}/" in scope["path"]:
            response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return response

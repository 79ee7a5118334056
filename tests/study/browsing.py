"""A browser without scripts in the study room."""

import re

from starlette.testclient import TestClient


class Browser:
    """Reads a page's hidden fields and sends its forms."""

    def __init__(self, client: TestClient) -> None:
        self.client = client
        self.page = ""

    def open(self, path: str = "/study") -> str:
        response = self.client.get(path)
        assert response.status_code == 200, response.text
        self.page = response.text
        return self.page

    def field(self, name: str) -> str:
        found = re.search(rf'name="{name}" value="([^"]*)"', self.page)
        assert found, f"no field {name} in {self.page}"
        return found[1]

    def reveal(self) -> str:
        response = self.client.get("/study/reveal", params={"showing": self.field("showing")})
        assert response.status_code == 200
        self.page = response.text
        return self.page

    def grade(self, grade: int = 3) -> str:
        response = self.client.post(
            "/study/answer", data={"ticket": self.field("ticket"), "grade": str(grade)}
        )
        assert (response.status_code, response.headers["location"]) == (303, "/study")
        return self.open()

    def undo(self) -> str:
        response = self.client.post("/study/undo", data={"event": self.field("event")})
        assert response.status_code == 303
        return self.open(response.headers["location"])

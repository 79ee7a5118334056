"""The navigation says in which room one is."""

import re

import pytest
from fastapi.testclient import TestClient


@pytest.mark.parametrize(
    ("path", "room"),
    [
        ("/", "Today"),
        ("/rounds", "Today"),
        ("/rounds/new", "Today"),
        ("/study/some", "Study"),
        ("/listen", "Study"),
        ("/drill/history", "Drill"),
        ("/mock", "Drill"),
        ("/cards/new", "Cards"),
    ],
)
def test_a_page_that_a_room_leads_to_is_of_that_room(client: TestClient, path: str, room: str) -> None:
    assert re.findall(r'aria-current="page">([^<]+)</a></li>', client.get(path).text) == [room]


def test_what_the_foot_leads_to_is_of_no_room(client: TestClient) -> None:
    assert not re.findall(r'aria-current="page">[^<]+</a></li>', client.get("/settings").text)

"""The server as a process: how fast it answers, and what it says when it cannot listen."""

import time
from collections.abc import Iterator

import pytest

from app.settings import Settings
from app.web.server import CannotListen, _listen
from tests.house import House, free_port, house

NAGLE_S = 0.04  # what an answer costs when the kernel waits for more of it


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Iterator[House]:
    with house(tmp_path_factory.mktemp("served") / "data") as made:
        yield made


def test_no_answer_waits_for_the_next_packet(place):
    with place.api() as api:
        took = []
        for _ in range(20):
            began = time.perf_counter()
            assert api.get("/api/v1/health").status_code == 200
            took.append(time.perf_counter() - began)
    assert min(took) < NAGLE_S / 2


@pytest.mark.parametrize("path", ["/", "/study", "/drill", "/demos", "/demos/flash", "/cards", "/nowhere"])
def test_a_page_answers_head_like_get_without_a_body(place, path):
    with place.api() as api:
        page, head = api.get(path), api.head(path)
    assert (head.status_code, head.content) == (page.status_code, b"")
    assert head.headers["content-type"] == page.headers["content-type"]
    assert int(head.headers["content-length"]) > 0


def test_the_api_answers_the_methods_that_it_names(place):
    with place.api() as api:
        assert api.head("/api/v1/health").status_code == 405


def test_a_port_that_is_taken_is_told_in_a_sentence(place):
    settings = Settings(host="127.0.0.1", port=place.port)
    with pytest.raises(CannotListen, match="choose another port with --port"):
        _listen(settings)


def test_of_two_that_start_at_once_the_second_is_told_in_a_sentence():
    settings = Settings(port=free_port())
    with _listen(settings), pytest.raises(CannotListen, match="choose another port"):
        _listen(settings)


@pytest.mark.parametrize("host", ["no-such-host.invalid", "192.0.2.1"])
def test_a_host_that_is_not_this_machine_is_told_in_a_sentence(host):
    with pytest.raises(CannotListen, match="Name an address of this machine with --host"):
        _listen(Settings(host=host))


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "http://127.0.0.1:8000/aloud"),
        ("0.0.0.0", "http://127.0.0.1:8000/aloud"),
        ("::", "http://[::1]:8000/aloud"),
        ("box.lan", "http://box.lan:8000/aloud"),
    ],
)
def test_the_address_that_is_printed_opens_on_this_machine(host, address):
    assert Settings(host=host, port=8000, root_path="/aloud").address == address

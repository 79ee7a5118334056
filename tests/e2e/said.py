"""Takes as a browser leaves them, made by its requests alone: recorded, reviewed and rated."""

import io
import re
import wave
from array import array
from html import unescape
from math import sin

import httpx

from tests.house import House

RATE = 8000


def desk(house: House) -> httpx.Client:
    """What a browser's forms are sent with; each answer is the page that it led to."""
    return httpx.Client(base_url=house.url, headers={"Origin": house.url}, timeout=60, follow_redirects=True)


def sound(seconds: int) -> bytes:
    """A tone, as a WAV."""
    made = io.BytesIO()
    with wave.open(made, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(RATE)
        samples = array("h", (int(9000 * sin(at / 4)) for at in range(seconds * RATE)))
        out.writeframes(samples.tobytes())
    return made.getvalue()


def field(page: str, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', page)
    assert found
    return unescape(found[1])


def say(client: httpx.Client, card: str, points: int, grade: int | None) -> str:
    """A take of three seconds, with its sound; left unrated without a grade. The path of its page."""
    take = field(client.get(f"/drill/{card}").text, "take")
    where = {"take": take, "offset": 0}
    client.post(f"/drill/{card}/sound", params=where, content=sound(3), headers={"Content-Type": "audio/wav"})
    review = client.post(f"/drill/{card}/finish", data={"take": take, "spoken_ms": 3000})
    return rate(client, card, review, points, grade)


def type_it(client: httpx.Client, card: str, text: str, points: int, grade: int | None) -> str:
    """An answer that was typed; as `say`."""
    take = field(client.get(f"/drill/{card}/typed").text, "take")
    review = client.post(f"/drill/{card}/typed", data={"take": take, "text": text})
    return rate(client, card, review, points, grade)


def rate(client: httpx.Client, card: str, review: httpx.Response, points: int, grade: int | None) -> str:
    if grade is None:
        return str(review.url.raw_path, "ascii")
    ticks = re.findall(r'name="point" value="([^"]*)"', review.text)[:points]
    sent = {"take": field(review.text, "take"), "grade": grade, "point": ticks}
    saved = client.post(f"/drill/{card}/takes", data=sent)
    assert saved.status_code == 200, saved.text
    return saved.url.path


def interview(client: httpx.Client, upto: str) -> str:
    """The path of an interview that has come to its first "question", to the "answer", its "review" or the "report"."""
    wish = {"key": field(client.get("/mock").text, "key"), "level": "IC4", "minutes": 20, "mode": "typed"}
    begun = client.post("/mock", data=wish)
    found = re.search(r'action="(/mock/\d+/\d+)/', begun.text)
    assert found, begun.text
    steps = {
        "question": (),
        "answer": ((f"{found[1]}/start", {"speaking": "true"}),),
        "review": ((f"{found[1]}/finish", {"text": "The mask comes first.", "spoken_ms": "3000"}),),
        "report": ((f"{found[1]}/rate", {"grade": "2"}), (f"{begun.url.path}/end", {})),
    }
    for name, requests in steps.items():
        for path, form in requests:
            client.post(path, data=form).raise_for_status()
        if name == upto:
            break
    return begun.url.path

"""Each figure that the ten-minute case says aloud, calculated once more from the model and the chip."""

import pytest

from kernels.hardware import CHIPS
from kernels.models import MODELS
from kernels.serving import Server
from kernels.units import GB, GIB, KIB, TERA
from tests.content.shipped import BY_ID

MODEL, CHIP, CONTEXT, COUNT = MODELS["llama-3-70b"], CHIPS["h100-sxm"], 131_072, 8
SERVER = Server(MODEL, CHIP, COUNT, CONTEXT)
PETA, MILLI = 1000 * TERA, 1e-3
MEMORY = COUNT * 80 * GB
HALF_PEAK = COUNT * CHIP.peak / 2
WIDTH = MODEL.layers * MODEL.h_q * MODEL.d_head
LINK = 400 * GB / 8  # bytes/s
SUMS = 2 * MODEL.layers  # of a step: behind attention and behind the MLP of each layer
SHORT = SERVER.request / 10


def matrices(tokens: int) -> float:
    """FLOP of the products with weights: 2 a parameter and token, as many as its bytes in bf16.

    Without the two tables of the vocabulary: one is looked up, one serves the last token alone.
    """
    return tokens * (SERVER.weights - 2 * SERVER.embedding)


def attention(queries: int, before: int) -> float:
    """FLOP of scores and mixing of the causal half: each query sees `before` keys and those up to itself."""
    return 4 * WIDTH * queries * (before + queries / 2)


def prefill(queries: int, before: int = 0) -> float:
    return (matrices(queries) + attention(queries, before)) / HALF_PEAK


def accepted(rate: float, drafts: int) -> float:
    return sum(rate**n for n in range(drafts + 1))


@pytest.mark.parametrize(
    ("said", "value", "low", "high"),
    [
        ("Seventy and a half billion parameters", SERVER.weights / 2 / 1e9, 70.45, 70.6),
        ("one hundred and forty one gigabytes", SERVER.weights / GB, 140.5, 141.5),
        ("three hundred and twenty kibibytes a token", SERVER.request / CONTEXT / KIB, 320, 320),
        ("forty three gigabytes, or forty gibibytes", SERVER.request / GB, 42.5, 43.5),
        ("or forty gibibytes", SERVER.request / GIB, 40, 40),
        ("four hundred and ninety nine", (MEMORY - SERVER.weights) / GB, 498.5, 499.5),
        ("more than a hundred fit", (MEMORY - SERVER.weights) / SHORT, 100, 120),
        ("twenty seven terabytes a second", COUNT * CHIP.bandwidth / TERA, 26.5, 27.5),
        ("six point nine milliseconds a token", SERVER.step(1) / MILLI, 6.85, 6.95),
        ("eight of them eighteen", SERVER.step(8) / MILLI, 17.5, 18.5),
        ("twenty seven tokens a second", 1 / (2 * SERVER.step(8)), 27, 28),
        ("From the fourth full request on", SERVER.weights / SERVER.request, 3, 4),
        ("eighteen peta operations", matrices(CONTEXT) / PETA, 17.5, 18.5),
        ("causal attention adds twenty two", attention(CONTEXT, 0) / PETA, 22, 23),
        ("Forty peta operations", prefill(CONTEXT) * HALF_PEAK / PETA, 39.5, 40.5),
        ("about ten seconds", prefill(CONTEXT), 9.5, 10.5),
        ("six full prompts a minute", 60 / prefill(CONTEXT), 5.5, 6.5),
        ("one or two seconds a request", 500 * SERVER.step(8) / 8, 1, 1.5),
        ("one or two seconds a request", 500 * 2 * SERVER.step(8) / 8, 1.5, 2.5),
        ("one hundred and sixty sums a step", SUMS, 160, 160),
        ("a millisecond and a half", SUMS * 10e-6 / MILLI, 1.45, 1.65),
        ("a fraction of a second", prefill(200, CONTEXT) + SERVER.step(1), 0.01, 0.1),
        ("five gigabytes", SERVER.request / COUNT / GB, 4.5, 5.5),
        ("under twenty milliseconds at the start of a book", prefill(500) / MILLI, 15, 20),
        ("sixty at its end", prefill(500, CONTEXT - 500) / MILLI, 58, 62),
        ("most of a second", SERVER.request / LINK, 0.7, 1),
        ("frees seventy gigabytes", SERVER.weights / 2 / GB, 69.5, 71),
        ("three point four tokens a pass", accepted(0.8, 4), 3.35, 3.45),
        ("the three hundred from which arithmetic is the limit", CHIP.ridge, 290, 300),
    ],
)
def test_what_is_said_is_what_comes_out(said: str, value: float, low: float, high: float) -> None:
    assert said in BY_ID["case-70b-128k"].model
    assert low <= value <= high


def test_two_groups_of_four_hold_fewer_and_sixteen_chips_save_nothing() -> None:
    four, sixteen = Server(MODEL, CHIP, 4, CONTEXT), Server(MODEL, CHIP, 16, CONTEXT)
    assert (2 * four.fits(80 * GB), SERVER.fits(80 * GB)) == (8, 11)
    assert sixteen.request / 16 == SERVER.request / 8

"""The static files: what is vendored is what the lock says, colours can be read, the first page is light."""

import importlib.util
import re
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
from starlette.testclient import TestClient

ROOT = Path(__file__).resolve().parents[2]
STATIC = ROOT / "static"
VENDOR = STATIC / "vendor"
LOCK = tomllib.loads((VENDOR / "vendor.lock").read_text(encoding="utf-8"))
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
STYLES = sorted((STATIC / "css").glob("*.css"))


@pytest.fixture(scope="module")
def vendor() -> ModuleType:
    spec = importlib.util.spec_from_file_location("vendor", ROOT / "scripts" / "vendor.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_vendored_files_are_those_of_the_lock(vendor: ModuleType) -> None:
    assert vendor.problems(LOCK) == []


def test_a_changed_file_would_be_seen(vendor: ModuleType) -> None:
    packages = [{"file": [{**e, "sha256": "0" * 64} for e in p["file"]]} for p in LOCK["package"]]
    assert len(vendor.problems({"package": packages})) == sum(len(p["file"]) for p in packages)


def test_every_package_has_its_licence_and_is_named_in_the_notices() -> None:
    notices = (ROOT / "THIRD_PARTY_NOTICES.md").read_text(encoding="utf-8")
    for package in LOCK["package"]:
        folder = VENDOR / Path(package["file"][0]["path"]).parts[0]
        assert "SIL OPEN FONT LICENSE" in (folder / "LICENSE").read_text(encoding="utf-8").upper()
        assert package["name"] in notices
        assert package["version"] in notices
        assert package["licence"] in notices


def tables(font: bytes) -> dict[int | str, int]:
    """The tables in a WOFF2's directory with their sizes in bytes, by the number of a well-known tag or by name.

    W3C, "WOFF File Format 2.0", sections 4.1 and 5.
    """
    assert font[:4] == b"wOF2"
    at, found = 48, {}

    def size() -> int:
        """A UIntBase128: seven bits a byte, the highest first, until a byte lacks its top bit."""
        nonlocal at
        value = 0
        while True:
            at += 1
            value = value << 7 | font[at - 1] & 0x7F
            if not font[at - 1] & 0x80:
                return value

    for _ in range(int.from_bytes(font[12:14])):
        tag: int | str = font[at] & 0x3F
        changed = (font[at] >> 6 == 0) == (tag in (GLYF, LOCA))
        at += 1
        if tag == 0x3F:
            tag = font[at : at + 4].decode()
            at += 4
        found[tag] = size()
        if changed:
            size()
    return found


GLYF, LOCA, MATH = 10, 11, 31


def test_the_math_font_keeps_what_makes_brackets_stretch_and_stays_small() -> None:
    font = VENDOR / "stix-two-math" / "math.woff2"
    assert tables(font.read_bytes())[MATH] > 4_000
    assert MATH not in tables((VENDOR / "inter" / "normal.woff2").read_bytes())
    assert font.stat().st_size < 60_000


def test_the_first_page_is_light(client: TestClient) -> None:
    """What Today names in its head, and so loads before anything is cached: styles, scripts, two fonts, the icon."""
    named = re.findall(r'<(?:link|script)[^>]*(?:href|src)="(/static/[^"]+)"', client.get("/").text)
    for name in ("tokens.css", "zone.js", "swap.js", "source-serif-4/normal.woff2"):
        assert any(address.endswith(name) for address in named), name
    assert sum(len(client.get(address).content) for address in named) < 170_000


def test_the_fonts_that_styles_name_exist() -> None:
    for sheet in STYLES:
        for name in re.findall(r'url\("([^"]+)"\)', sheet.read_text(encoding="utf-8")):
            assert (sheet.parent / name).is_file(), name


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_templates_keep_to_the_content_security_policy(template: Path) -> None:
    text = template.read_text(encoding="utf-8")
    assert not re.search(r"\sstyle\s*=", text)
    assert not re.search(r"\son[a-z]+\s*=", text)
    assert not re.search(r"<script(?![^>]*\bsrc=)", text)
    assert "<style" not in text


def _tokens(side: int) -> dict[str, str]:
    """Every colour token in one of its two themes."""
    text = (STATIC / "css" / "tokens.css").read_text(encoding="utf-8")
    pairs = re.findall(r"--([a-z-]+): light-dark\((#\w{6}), (#\w{6})\)", text)
    return {name: colours[side] for name, *colours in pairs}


def _luminance(colour: str) -> float:
    """Relative luminance, WCAG 2.2."""

    def linear(c: float) -> float:
        return c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4

    r, g, b = (linear(int(colour[i : i + 2], 16) / 255) for i in (1, 3, 5))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(a: str, b: str) -> float:
    light, dark = sorted((_luminance(a), _luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_contrast_is_that_of_wcag() -> None:
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize("side", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("ground", ["paper", "sheet", "wash"])
def test_all_text_colours_meet_aa_on_every_ground(side: int, ground: str) -> None:
    tokens = _tokens(side)
    text = ["ink", "quiet", "q", "k", "v", "mask", "bad"]
    text += [name for name in tokens if name.startswith("stage-")]
    assert len(text) == 11
    poor = {name: contrast(tokens[name], tokens[ground]) for name in text}
    assert {name: ratio for name, ratio in poor.items() if ratio < 4.5} == {}


@pytest.mark.parametrize("side", [0, 1], ids=["light", "dark"])
def test_edges_of_controls_can_be_seen(side: int) -> None:
    tokens = _tokens(side)
    for ground in ("paper", "sheet"):
        assert contrast(tokens["edge"], tokens[ground]) >= 3

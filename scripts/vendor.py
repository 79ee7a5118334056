"""Rebuild static/vendor from npm packages, as static/vendor/vendor.lock says.

    python scripts/vendor.py            fetch, unpack, subset, verify, write
    python scripts/vendor.py --check    only compare the files at hand with the lock

Fetching needs npm. The math font is cut down to the signs that formulas use, with its MATH table kept (without it
brackets and roots do not stretch), and its tall roots are narrowed. The text fonts keep the weights and layout features
that the pages use, which halves them. Both need fonttools and brotli in the versions that the lock names, since other
versions write other bytes.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from io import BytesIO
from pathlib import Path
from typing import Any

VENDOR = Path(__file__).resolve().parent.parent / "static" / "vendor"
LOCK = VENDOR / "vendor.lock"


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def unpack(name: str, version: str, into: Path) -> Path:
    """Fetch one npm package; the folder that holds its files."""
    npm = shutil.which("npm")
    if npm is None:
        sys.exit("npm is not on the PATH. Install Node.js, or use --check to verify the files at hand.")
    command = [npm, "pack", f"{name}@{version}", "--silent", "--pack-destination", str(into)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    tarball = into / printed.strip()
    with tarfile.open(tarball) as archive:
        archive.extractall(into / tarball.stem, filter="data")
    return into / tarball.stem / "package"


def subset(source: Path, target: Path, unicodes: str) -> None:
    """Keep the given code points and the MATH table; script-size variants hang on it, kerning is no use to formulas."""
    options = ["--layout-features=ssty,dtls,flac,ccmp", "--no-hinting", "--desubroutinize", "--flavor=woff2"]
    command = [sys.executable, "-m", "fontTools.subset", str(source), f"--unicodes={unicodes}", *options]
    subprocess.run([*command, f"--output-file={target}"], check=True)


def lighten(source: Path, target: Path, weights: list[int], features: list[str]) -> None:
    """Keep a variable font's weights from the first to the second of `weights`, or one, and these layout features."""
    from fontTools import subset  # noqa: PLC0415  (needed for these fonts alone)
    from fontTools.ttLib import TTFont  # noqa: PLC0415
    from fontTools.varLib.instancer import instantiateVariableFont  # noqa: PLC0415

    between = BytesIO()
    kept = {"wght": tuple(weights) if weights[1:] else weights[0]}
    instantiateVariableFont(TTFont(source, recalcTimestamp=False), kept).save(between)
    font = TTFont(between, recalcTimestamp=False)  # read anew: not every glyph keeps its variations
    options = subset.Options(layout_features=features, hinting=False)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=font.getBestCmap())
    subsetter.subset(font)
    font.flavor = "woff2"
    font.save(target)


def narrow_roots(path: Path) -> None:
    """Make the taller roots as wide as the small one.

    A browser lays out a root with the width of its widest variant before it knows which one it will draw, so
    that a gap of 0.4 em followed each square root of d_k.
    """
    from fontTools.ttLib import TTFont  # noqa: PLC0415  (needed for this step alone)

    font = TTFont(path)
    small = font.getBestCmap()[0x221A]
    variants = font["MATH"].table.MathVariants
    root = variants.VertGlyphConstruction[variants.VertGlyphCoverage.glyphs.index(small)]
    names = [record.VariantGlyph for record in root.MathGlyphVariantRecord]
    names += [part.glyph for part in root.GlyphAssembly.PartRecords]
    width = font["hmtx"][small][0]
    for name in set(names) - {small}:
        advance, bearing = font["hmtx"][name]
        glyph = font["glyf"][name]
        glyph.coordinates.scale((width / advance, 1))
        glyph.coordinates.toInt()
        glyph.recalcBounds(font["glyf"])
        font["hmtx"][name] = (width, round(bearing * width / advance))
    font["head"].modified = font["head"].created
    font.recalcTimestamp = False
    font.save(path)


def build(package: dict[str, Any], scratch: Path) -> None:
    folder = unpack(package["name"], package["version"], scratch)
    for entry in package["file"]:
        source, target = folder / entry["from"], VENDOR / entry["path"]
        target.parent.mkdir(parents=True, exist_ok=True)
        if "unicodes" in entry:
            subset(source, target, entry["unicodes"])
            narrow_roots(target)
        elif "weights" in entry:
            lighten(source, target, entry["weights"], entry["features"])
        else:
            shutil.copyfile(source, target)


def problems(lock: dict[str, Any]) -> list[str]:
    """What differs between the lock and the folder, a sentence each."""
    listed = {entry["path"]: entry["sha256"] for package in lock["package"] for entry in package["file"]}
    present = {p.relative_to(VENDOR).as_posix() for p in VENDOR.rglob("*") if p.is_file() and p != LOCK}
    missing = [f"{path} is in the lock but not in static/vendor." for path in sorted(listed.keys() - present)]
    strange = [f"{path} is in static/vendor but not in the lock." for path in sorted(present - listed.keys())]
    changed = [
        f"{path} has sha256 {sha256(VENDOR / path)}, the lock says {listed[path]}."
        for path in sorted(listed.keys() & present)
        if sha256(VENDOR / path) != listed[path]
    ]
    return missing + strange + changed


def main(arguments: list[str]) -> int:
    lock = tomllib.loads(LOCK.read_text(encoding="utf-8"))
    if "--check" not in arguments:
        with tempfile.TemporaryDirectory() as scratch:
            for package in lock["package"]:
                build(package, Path(scratch))
    found = problems(lock)
    print("\n".join(found) or f"static/vendor matches the lock ({len(lock['package'])} packages).")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

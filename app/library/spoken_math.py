"""One formula as it is said in an interview: "softmax of Q K transposed over the square root of d k, times V". Pure.

It is read from the MathML of the page, not from LaTeX: the converter has settled what belongs to what, which name is
applied to what follows, and which comma stands in a number. A pause is a comma. Brackets are not read out: what they
hold is "the quantity" where a sum in them is multiplied, and ends with a pause.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from xml.etree.ElementTree import Element

from app.library.math import APPLY, to_tree
from app.library.spoken_parts import Atom, grouped, is_sum, joined
from app.library.spoken_signs import (
    ACCENTS,
    BARS,
    BIG,
    CLOSING,
    FRACTIONS,
    LETTERS,
    NAMES,
    OPENING,
    OPERATORS,
    POWERS,
    PREFIXES,
    UNDER,
    WORDS,
    WORDY,
)

_SPACES = "\u200b\u2062\u2063\u2064\ufe00\xa0 "
_TRANSPARENT = ("math", "mrow", "mstyle", "mpadded", "menclose", "mtd")
_PAUSES = re.compile(r"(?:\s*[,;]+(?=\s|$))+\s*")  # not the comma of 70,272
_NO_PAUSE = re.compile(r"(?<=and so on to), ")
_UNSAID = re.compile(r"\s*[\\{}$_]")
_CAPITALS = re.compile(r"[A-Z]( [A-Z])*")
_WIDE_EM = 1.0  # a space that divides two formulas


def formula_words(latex: str) -> str:
    """A formula in LaTeX in words; one that does not render is "a formula"."""
    tree = to_tree(latex)
    return "a formula" if tree is None else math_words(tree)


def math_words(math: Element) -> str:
    """A formula of a page in words."""
    said = _PAUSES.sub(lambda marks: "; " if ";" in marks[0] else ", ", " ".join(_said(math).split()))
    said = _NO_PAUSE.sub(" ", said)
    return _UNSAID.sub("", said).strip(" ,;")


def _said(*nodes: Element) -> str:
    return joined(grouped(list(_atoms(nodes))))


def _atoms(nodes: Sequence[Element]) -> Iterator[Atom]:
    """The parts in their order; what only holds others is looked through."""
    flat = list(_flat(nodes))
    flat = [node for at, node in enumerate(flat) if not _is_dot(flat, at)]
    lone = {bar: sum(_bar(node) == bar for node in flat) % 2 for bar in BARS}
    opened: set[str] = set()
    atoms: list[Atom] = []
    for node, after, last in zip(flat, [*flat[1:], None], [None, *flat], strict=False):
        text = _text(node)
        if node.tag == "mo" and text == APPLY:
            atoms[-1:] = [_applied(atom) for atom in atoms[-1:]]
        elif node.tag == "mo" and text == "," and node.get("rspace") == "0" and _are_digits(last, after):
            atoms[-1:] = [replace(atom, text=f"{atom.text},") for atom in atoms[-1:]]
        elif node.tag == "mn" and atoms and atoms[-1].text.endswith(",") and atoms[-1].kind == "operand":
            atoms[-1] = Atom(atoms[-1].text + text)
        elif (bar := _bar(node)) and not lone[bar]:
            atoms.append(Atom(")", "close") if bar in opened else Atom(BARS[bar], "open"))
            opened ^= {bar}
        else:
            atoms += _one(node)
    yield from atoms


def _flat(nodes: Sequence[Element]) -> Iterator[Element]:
    for node in nodes:
        if node.tag in _TRANSPARENT:
            yield from _flat(list(node))
        else:
            yield node


def _one(node: Element) -> list[Atom]:
    made = _MADE.get(node.tag)
    if made is not None:
        return made(node)
    return [Atom(_said(*node))] if len(node) else []


def _root_of(node: Element) -> list[Atom]:
    degree = _said(node[1])
    name = {"3": "the cube root of"}.get(degree, f"the root of degree {degree} of")
    return [_root(name, _said(node[0]), list(node)[:1])]


def _accented(node: Element) -> list[Atom]:
    accent = ACCENTS.get(_text(node[1]))
    return [Atom(f"{_said(node[0])} {accent}")] if accent else _scripted(node[0], None, node[1])


def _leaf(node: Element) -> list[Atom]:
    text = _text(node)
    return [Atom(PREFIXES[text], "name")] if text in PREFIXES else _operand(text)


def _operand(text: str) -> list[Atom]:
    if text in LETTERS:
        return [Atom(LETTERS[text])]
    if text in WORDY:
        return [Atom(WORDY[text], wordy=True)]
    plain = unicodedata.normalize("NFKC", text)
    return [Atom(WORDS.get(plain) or _greek(plain) or plain)] if plain.strip(_SPACES) else []


def _operator(text: str) -> list[Atom]:
    if text in OPENING or text in CLOSING:
        return [Atom(OPENING[text], "open") if text in OPENING else Atom(")", "close")]
    if text in BIG or text in PREFIXES:
        return [Atom(PREFIXES.get(text) or f"{BIG[text]} of", "name")]
    if len(text) > 1 and text.isalpha():  # so is a name written in the cell of a table
        return [_applied(Atom(text))]
    if text in OPERATORS:
        return [Atom(OPERATORS[text], "mark" if text in ",;" else "operator")]
    return _operand(text)


def _applied(atom: Atom) -> Atom:
    if atom.kind == "name":
        return atom
    first, _, rest = atom.text.partition(" ")
    return Atom(f"{NAMES.get(first, first)}{' ' + rest if rest else ''} of", "name")


def _fraction(node: Element) -> Atom:
    above, below = (list(grouped(list(_atoms([part])))) for part in node)
    top, bottom = joined(above), joined(below)
    if node.get("linethickness") == "0":
        return Atom(f"{top} choose {bottom}", wordy=True)
    if (top, bottom) in FRACTIONS:
        return Atom(FRACTIONS[top, bottom], wordy=True)
    if is_sum(above):
        top = f"the quantity {top}"
    if is_sum(below):
        bottom = f"the quantity {bottom}"
    pause = "," if above and (above[-1].long or is_sum(above)) else ""
    return Atom(
        f"{top}{pause} over {bottom}", wordy=True, long=len(above) + len(below) > 4 or below[-1].wordy
    )


def _root(name: str, said: str, parts: Sequence[Element]) -> Atom:
    return Atom(f"{name} {said}", wordy=True, long=len(list(_atoms(parts))) > 1)


def _scripted(base: Element, low: Element | None, high: Element | None) -> list[Atom]:
    below, above = _index(low), None if high is None else _said(high)
    inner = [node for node in _flat([base]) if node.tag != "mspace"]
    text = _text(inner[0]) if len(inner) == 1 else ""
    if text in BIG:
        return [Atom(_range(BIG[text], below, above), "name")]
    if text in UNDER:
        over = f"{UNDER[text]} over {below}" if text != "log" else f"log base {below}"
        return [Atom(f"{over} of", "name")]
    if text in CLOSING:
        return [Atom(f"{below} {_power('', above)}".strip(), "close")]
    named = text[:1].isupper() and above is not None and _named(above)
    if named is not None and named is not False:
        name, turned = named
        return [Atom(" ".join(filter(None, (text, name, below, turned))))]
    said = _said(base)
    stem = f"{said} {below}".strip()
    if above is None:
        return [Atom(stem, long=" plus " in below or " minus " in below)]
    long = _is_compound(high)
    return [Atom(f"{stem} {_power(text, above)}", long=long)]


def _named(above: str) -> tuple[str, str] | None:
    """The letters of a matrix's name, as in W^{UK}, and whether it is transposed."""
    name = above.removesuffix("transposed").strip()
    return (name, "transposed" if name != above else "") if _CAPITALS.fullmatch(name) else None


def _power(base: str, above: str | None) -> str:
    if not above:
        return ""
    if above == "minus 1" and not base.isalpha():
        return "to the minus 1"
    return POWERS.get(above, f"to the {above}")


def _index(low: Element | None) -> str:
    """What stands below; letters in a row are a word where they make one: d_{model}."""
    if low is None:
        return ""
    said = _said(low)
    letters = said.split(" ")
    joined = "".join(letters)
    one = all(len(letter) == 1 and letter.isalpha() for letter in letters)
    if one and (len(letters) > 3 or joined in ("max", "min", "new", "old", "out")):
        return joined
    return f"sub {said}" if " plus " in said or " minus " in said else said


def _range(name: str, below: str, above: str | None) -> str:
    if above:
        return f"{name} from {below} to {above} of"
    return f"{name} over {below} of" if below else f"{name} of"


def _table(rows: Sequence[Element]) -> Atom:
    cells = [[_said(cell) for cell in row] for row in rows]
    if any(cell.get("class", "").startswith(("m-right", "m-left")) for row in rows for cell in row):
        between = ", " if any("m-apart" in cell.get("class", "") for row in rows for cell in row) else " "
        return Atom("; ".join(between.join(filter(None, row)) for row in cells), long=True)
    return Atom("the matrix with rows " + "; ".join(", ".join(row) for row in cells), wordy=True, long=True)


def _is_compound(node: Element | None) -> bool:
    held = (
        []
        if node is None
        else [atom for atom in _atoms([node]) if atom.kind != "operator" or atom.text != "minus"]
    )
    return len(held) > 1


def _bar(node: Element) -> str:
    """The bar that this sign is, whatever stands below or above it."""
    sign = node[0] if node.tag in ("msub", "msup", "msubsup") else node
    return _text(sign) if sign.tag == "mo" and _text(sign) in BARS else ""


def _is_dot(flat: Sequence[Element], at: int) -> bool:
    """Whether this is the second or third dot of three, or the comma after them."""
    return at > 0 and _text(flat[at]) in (".", ",") and _text(flat[at - 1]) == "." and flat[at].tag == "mo"


def _are_digits(last: Element | None, after: Element | None) -> bool:
    return last is not None and after is not None and last.tag == after.tag == "mn"


def _greek(text: str) -> str:
    name = unicodedata.name(text, "") if len(text) == 1 else ""
    return name.rpartition(" ")[2].lower() if name.startswith("GREEK") else ""


def _width(node: Element) -> float:
    width = node.get("width", "").removesuffix("em")
    return float(width) if width.replace(".", "", 1).isdigit() else 0.0


def _text(node: Element) -> str:
    return (node.text or "").strip("\ufe00 ")


_MADE: dict[str, Callable[[Element], list[Atom]]] = {
    **dict.fromkeys(("mi", "mn", "mtext", "ms"), _leaf),
    **dict.fromkeys(("msub", "munder"), lambda node: _scripted(node[0], node[1], None)),
    **dict.fromkeys(("msubsup", "munderover"), lambda node: _scripted(*node)),
    "mo": lambda node: _operator(_text(node)),
    "mspace": lambda node: [Atom(",", "mark")] if _width(node) >= _WIDE_EM else [],
    "mfrac": lambda node: [_fraction(node)],
    "msqrt": lambda node: [_root("the square root of", _said(*node), list(node))],
    "mroot": _root_of,
    "msup": lambda node: _scripted(node[0], None, node[1]),
    "mover": _accented,
    "mtable": lambda node: [_table(list(node))],
}
